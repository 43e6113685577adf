"""Reads JSON out of what a model wrote: behind thinking, inside fences, before chatter, or cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_CLOSED_THINKING = re.compile(r"\A.*?</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)


class UnreadableReplyError(Exception):
    """A reply holds no JSON object."""


def read_object(text: str) -> dict[str, Any]:
    """The JSON object that a reply holds: the last whole one, else the first that can be completed.

    Raises UnreadableReplyError that says what stood there.
    """
    plain = _without_thinking(text)
    for candidate in (*_FENCE.findall(plain), plain):
        found = list(_objects(candidate))
        if found:
            # A model that corrects itself does so further down.
            return max(enumerate(found), key=lambda pair: (len(pair[1]), pair[0]))[1]
    for candidate in (*_FENCE.findall(plain), plain):
        completed = _completed(candidate)
        if completed is not None:
            return completed
    shown = " ".join(plain.split())[:120]
    raise UnreadableReplyError(f"no JSON object in {shown!r}" if shown else "the reply is empty")


def _without_thinking(text: str) -> str:
    cleared = _THINKING.sub("", text)
    # Some servers keep the opening mark for themselves.
    return _CLOSED_THINKING.sub("", cleared)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Every whole object that stands in a text, outermost ones only."""
    decoder = json.JSONDecoder(strict=False)
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            at = text.find("{", at + 1)
            continue
        if isinstance(value, dict):
            yield value
        at = text.find("{", end)


def _completed(text: str) -> dict[str, Any] | None:
    """An object whose end is missing, closed where it was cut; what was half written is left out."""
    start = text.find("{")
    if start < 0:
        return None
    body = text[start:]
    ends: list[str] = []
    in_string = escaped = False
    cuts: list[tuple[int, str]] = []
    for at, character in enumerate(body):
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
                cuts.append((at + 1, "".join(reversed(ends))))
            continue
        if character == '"':
            in_string = True
        elif character in "{[":
            ends.append("}" if character == "{" else "]")
            cuts.append((at + 1, "".join(reversed(ends))))
        elif character in "}]":
            if not ends:
                break
            ends.pop()
            cuts.append((at + 1, "".join(reversed(ends))))
        elif character == ",":
            cuts.append((at, "".join(reversed(ends))))
    tails = (
        [(len(body), "".join(reversed(ends)))]
        if not in_string
        else [(len(body), '"' + "".join(reversed(ends)))]
    )
    for at, tail in (*tails, *reversed(cuts)):
        try:
            value = json.loads(body[:at] + tail, strict=False)
        except ValueError:
            continue
        return value if isinstance(value, dict) and value else None
    return None
