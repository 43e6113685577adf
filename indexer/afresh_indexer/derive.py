"""Finds what a conclusion's own words cite: the definitions and lines of a file that it names.

A conclusion that was recorded with whole files would be called edited by any change to them. Its words often
name what it rests on; then only that needs to be judged. Words of ordinary English are never taken for names.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

from afresh_indexer.records import Symbol
from afresh_indexer.source import Source
from afresh_indexer.verdicts import CitedSpan

MOST_OF_ONE_NAME = 3
"""A bare name that more definitions of a file share says too little to cite any of them."""

_CODE = re.compile(r"`+([^`\n]+)`+")
_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|#)[^\W\d]\w*)*(\()?")
_SEPARATOR = re.compile(r"::|->|#")
_LINES = re.compile(
    r"(?P<path>[\w./\\-]*\w)(?::|#L|, lines? | lines? )(?P<start>\d+)(?:\s?[-–]\s?L?(?P<end>\d+))?"
)
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")


def derive_spans(conclusion: str, path: str, data: bytes, symbols: Sequence[Symbol]) -> list[CitedSpan]:
    """The spans of a file that a conclusion names, in the file's order, marked `derived`; often none.

    `symbols` are the file's definitions. A name counts if it is qualified (`Command.invoke`), in backticks,
    called (`invoke()`), or in snake or camel case, and if the file defines it. `core.py:12-20` names lines.
    Where a definition and a part of it are both named, the part is cited.
    """
    named = list(dict.fromkeys(_names(conclusion)))
    found: dict[Symbol, None] = {}
    for name in named:
        found.update(dict.fromkeys(_defined(name, symbols, named)))
    narrow = [symbol for symbol in found if not any(_is_around(symbol, other) for other in found)]
    spans = [
        CitedSpan(
            start_line=symbol.start_line,
            end_line=symbol.end_line,
            symbol=symbol.qualified_name,
            source_sha256=symbol.source_sha256,
            tokens_sha256=symbol.tokens_sha256,
            derived=True,
        )
        for symbol in narrow
    ]
    spans.extend(_cited_lines(conclusion, path, data))
    return sorted(spans, key=lambda span: (span.start_line, span.end_line))


def _names(conclusion: str) -> Iterator[str]:
    """The names that a text can only mean as such, qualified ones joined by dots."""
    in_code = "\n".join(_CODE.findall(conclusion))
    for text, is_code in ((in_code, True), (conclusion, False)):
        for found in _NAME.finditer(text):
            called = found[1] is not None
            name = _SEPARATOR.sub(".", found[0].removesuffix(found[1] or ""))
            if is_code or called or _is_code_name(name):
                yield name


def _is_code_name(name: str) -> bool:
    """Whether a word can't be one of ordinary English: qualified, snake_case, camelCase, or with a digit."""
    return (
        "." in name
        or "_" in name.strip("_")
        or name.startswith("_")
        or _HUMP.search(name) is not None
        or any(character.isdigit() for character in name)
    )


def _defined(name: str, symbols: Sequence[Symbol], named: Sequence[str]) -> list[Symbol]:
    """The definitions that a name means."""
    exact = [symbol for symbol in symbols if symbol.qualified_name == name]
    if exact:
        return exact
    ending = [symbol for symbol in symbols if symbol.qualified_name.endswith(f".{name}")]
    if len({symbol.qualified_name for symbol in ending}) > 1:
        words = {word for other in named for word in other.split(".")}
        inside = [symbol for symbol in ending if _parent(symbol) in words]
        ending = inside or ending
    return ending if len({symbol.qualified_name for symbol in ending}) <= MOST_OF_ONE_NAME else []


def _parent(symbol: Symbol) -> str:
    return symbol.qualified_name.rpartition(".")[0].rpartition(".")[2]


def _is_around(symbol: Symbol, other: Symbol) -> bool:
    if symbol is other:
        return False
    within = symbol.start_byte <= other.start_byte and other.end_byte <= symbol.end_byte
    return within and other.qualified_name.startswith(f"{symbol.qualified_name}.")


def _cited_lines(conclusion: str, path: str, data: bytes) -> Iterator[CitedSpan]:
    source = Source(data, None, path)
    for found in _LINES.finditer(conclusion):
        cited = found["path"].replace("\\", "/").removeprefix("./")
        if cited != path and not path.endswith(f"/{cited}"):
            continue
        start, end = int(found["start"]), int(found["end"] or found["start"])
        if 1 <= start <= end <= len(source.lines):
            part = data[slice(*source.span(start, end))]
            yield CitedSpan(start, end, source_sha256=hashlib.sha256(part).hexdigest(), derived=True)
