"""Says how two stretches of source differ: not at all, in form, in their documentation, or in meaning."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Literal

from afresh_indexer.fingerprint import eol_free
from afresh_indexer.lexing import with_even_numbers
from afresh_indexer.source import Source
from afresh_indexer.stream_state import CLOSE, OPEN

Difference = Literal["unchanged", "eol_only", "cosmetic", "docs_only", "edited"]

Place = tuple[int, int]
"""Two offsets, the end excluded."""

_TRAILING = re.compile(rb"[ \t]+$", re.MULTILINE)
_SINGLE_TRAILING = re.compile(rb"(?<![ \t])[ \t]$|^[ \t]+$", re.MULTILINE)
_FREE_ENDS = frozenset(
    {"text", "rst", "asciidoc", "css", "scss", "less", "graphql", "protobuf", "cmake", "terraform"}
)
"""Languages without a grammar here in which white space at the end of a line means nothing."""


def compare(old: Source, there: Place, new: Source, here: Place, *, whole_nodes: bool = False) -> Difference:
    """How `new` differs at `here` from `old` at `there`; both must be of one language.

    With `whole_nodes` both are definitions, so that what else ends where they do has no part in it.
    Where neither tokens nor the language's rules tell that a difference is form, it counts as edited.
    """
    before, after = old.data[slice(*there)], new.data[slice(*here)]
    if before == after or _lacks_only_end(before, after) or _lacks_only_end(after, before):
        return "unchanged"
    if eol_free(before) == eol_free(after):
        return "eol_only"
    if words_differ(old, there, new, here):
        return "edited"
    old_tokens = old.tokens(*there, whole_nodes=whole_nodes)
    new_tokens = new.tokens(*here, whole_nodes=whole_nodes)
    if old_tokens is None or new_tokens is None:
        return "cosmetic" if _is_form(old.language, before, after) else "edited"
    if old_tokens == new_tokens:
        return "cosmetic"
    if old.has_docstrings:
        code = old.tokens(*there, docstrings=False, whole_nodes=whole_nodes)
        new_code = new.tokens(*here, docstrings=False, whole_nodes=whole_nodes)
        if code == new_code or (_says_nothing(code) and _says_nothing(new_code)):
            return "docs_only"
    return "edited"


def _says_nothing(tokens: Sequence[bytes] | None) -> bool:
    """Whether there is nothing but the file itself."""
    return tokens is not None and len(tokens) <= 2 and all(token[:1] in (OPEN, CLOSE) for token in tokens)


def words_differ(old: Source, there: Place, new: Source, here: Place) -> bool:
    """Whether a scan can tell already that more than form differs: other words, or in another order."""
    if old.scan is None or new.scan is None:
        return False
    words, new_words = old.scan.words(*there), new.scan.words(*here)
    if words == new_words or with_even_numbers(words) == with_even_numbers(new_words):
        return False
    return not (_may_mislead(old, there) or _may_mislead(new, here))


def _may_mislead(source: Source, place: Place) -> bool:
    scan = source.scan
    first, last = source.line_at(place[0]), source.line_at(max(place[0], place[1] - 1))
    return scan is not None and any(scan.is_lost(*source.span(line, line)) for line in range(first, last + 1))


def _lacks_only_end(shorter: bytes, longer: bytes) -> bool:
    """Whether a file's last line differs by nothing but having no end, which is no part of what it says."""
    return (
        bool(shorter)
        and not shorter.endswith((b"\n", b"\r"))
        and longer in (shorter + b"\n", shorter + b"\r\n")
    )


def _is_form(language: str | None, before: bytes, after: bytes) -> bool:
    match language:
        case "json":
            return _json_value(before) is not None and _json_value(before) == _json_value(after)
        case "markdown":
            pattern = _SINGLE_TRAILING
        case known if known in _FREE_ENDS:
            pattern = _TRAILING
        case _:
            return False
    before, after = pattern.sub(b"", eol_free(before)), pattern.sub(b"", eol_free(after))
    return before.rstrip(b"\n") == after.rstrip(b"\n")


def _json_value(text: bytes) -> object | None:
    """The value with its numbers as they are written and its keys in order; None for what is no JSON."""
    try:
        value: object = json.loads(
            text,
            object_pairs_hook=lambda pairs: ("object", pairs),
            parse_float=_as_number,
            parse_int=_as_number,
        )
    except (ValueError, RecursionError):
        return None
    return ("value", value)


def _as_number(text: str) -> tuple[str, str]:
    return ("number", text)
