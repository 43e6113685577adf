"""Arguments that were sent, checked against the contracts, with texts that help whoever sent them."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from afresh.contracts import Arguments, CitedFile
from afresh.errors import InvalidArgumentError

A = TypeVar("A", bound=Arguments)


def check(arguments: type[A], sent: object) -> A:
    """The arguments that were sent, checked.

    Raises InvalidArgumentError that names each argument that is wrong, the bound, and what was sent.
    """
    if not isinstance(sent, dict):
        raise InvalidArgumentError(f"arguments must be an object; got {_shown(sent)}")
    try:
        return arguments.model_validate(sent)
    except ValidationError as error:
        raise InvalidArgumentError("; ".join(_told(error, arguments))) from None


def _told(error: ValidationError, arguments: type[Arguments]) -> list[str]:
    texts: list[str] = []
    for item in error.errors(include_url=False, include_context=False):
        loc = item["loc"]
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).lstrip(".")
        match item["type"]:
            case "extra_forbidden":
                known = CitedFile if len(loc) > 1 else arguments
                text = f"unknown argument {where!r}; known: {', '.join(known.model_fields)}"
            case "missing":
                text = f"{where} is required"
            case "value_error":
                text = f"{where + ': ' if where else ''}{item['msg'].removeprefix('Value error, ')}"
            case "model_type":
                text = f"{where}: must be a path or an object with one; got {_shown(item['input'])}"
            case _:
                told = item["msg"][:1].lower() + item["msg"][1:]
                text = f"{where}: {told}; got {_shown(item['input'])}"
        if text not in texts:
            texts.append(text)
    return texts


def _shown(value: Any) -> str:
    text = repr(value)
    if len(text) <= 80:
        return text
    if isinstance(value, str):
        return f"{text[:60]}… ({len(value)} characters)"
    return f"{text[:60]}… ({len(value)} items)" if isinstance(value, list) else f"{text[:60]}…"
