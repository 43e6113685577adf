"""Parses source with tree-sitter, within bounds of size and time."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable
from functools import cache

import tree_sitter

from afresh_indexer.languages import grammar

MAX_BYTES = 4 * 1024 * 1024
"""Larger sources are not parsed: a tree takes about a hundred times the source's memory."""
PARSE_SECONDS = 20.0
"""How long the parser may take for one source."""


class NotParsedError(ValueError):
    """A source that could not be parsed at all; the text says why, for a person."""


def parse(
    data: bytes,
    language: str,
    *,
    path: str = "",
    max_bytes: int = MAX_BYTES,
    seconds: float = PARSE_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> tree_sitter.Tree:
    """The syntax tree of a source; `path` only tells TSX from TypeScript.

    Take a node's source from `data`: its `text` calls back into Python for every read and is slow.

    Raises NotParsedError for a source over `max_bytes`, with a NUL byte, or that takes over `seconds`, and
    LookupError for a language without a grammar.
    """
    parser = tree_sitter.Parser(grammar(language, "x.tsx" if path.lower().endswith(".tsx") else ""))
    if len(data) > max_bytes:
        raise NotParsedError(f"too large to parse: {len(data)} bytes, the limit is {max_bytes}")
    if (position := data.find(b"\0")) >= 0:
        raise NotParsedError(f"not source text: there is a NUL byte at offset {position}")
    deadline = clock() + seconds
    late = False

    def is_late(_offset: int, _has_error: bool) -> bool:
        nonlocal late
        late = clock() > deadline
        return late

    handed_over: list[bytes] = []

    def read(offset: int, _point: tree_sitter.Point) -> bytes:
        part = data[offset:] if offset else data
        handed_over.append(part)
        return part

    try:
        return parser.parse(read, progress_callback=is_late)
    except ValueError as error:
        reason = f"parsing took over {seconds:g} seconds" if late else f"the parser gave up: {error}"
        raise NotParsedError(reason) from error
    finally:
        if _keeps_what_it_reads():
            for part in handed_over:
                _drop_reference(part)


def _drop_reference(part: bytes) -> None:
    """Take back one reference, of a part to which the caller has another."""
    ctypes.pythonapi.Py_DecRef(ctypes.py_object(part))


@cache
def _keeps_what_it_reads() -> bool:
    """Whether the parser never gives back what it was handed by the callback, as tree-sitter 0.26 does.

    Only a callback can be stopped for taking too long. Without this each parse would keep its source in
    memory for good: measured, 1 MB for a source of 1 MB.
    """
    count = getattr(sys, "getrefcount", None)
    if count is None:
        return False
    part = bytes(bytearray(b"part = 1\n"))
    calls = 0

    def read(offset: int, _point: tree_sitter.Point) -> bytes:
        nonlocal calls
        calls += offset == 0
        return b"" if offset else part

    before = count(part)
    tree_sitter.Parser(grammar("python", "")).parse(read)
    return bool(count(part) == before + calls)
