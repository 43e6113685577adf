"""Cited spans: which lines, symbol or quotation of a file a conclusion rests on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields


@dataclass(frozen=True, slots=True)
class Span:
    """One cited part of a file, with what is needed to find it again after the file changed."""

    start_line: int
    end_line: int
    """Lines count from 1, both ends included."""
    symbol: str | None = None
    """The qualified name that was cited, or that encloses the lines."""
    quote: str | None = None
    source_sha256: str | None = None
    """Of the span's own bytes."""
    tokens_sha256: str | None = None
    """Of its normalised token stream, where its language has a grammar."""
    derived: bool = False
    """The lines were found from a symbol or a quotation, or the symbol from lines, not given."""


_NAMES = tuple(field.name for field in fields(Span))


def dump_spans(spans: Iterable[Span]) -> str:
    """As JSON text."""
    return json.dumps([asdict(span) for span in spans], ensure_ascii=False, separators=(",", ":"))


def load_spans(text: str) -> tuple[Span, ...]:
    """From `dump_spans`."""
    return () if text == "[]" else spans_from_rows(json.loads(text))


def spans_from_rows(rows: Iterable[dict[str, object]]) -> tuple[Span, ...]:
    """From dictionaries; keys that a span doesn't have are left out."""
    return tuple(Span(**{name: row[name] for name in _NAMES if name in row}) for row in rows)  # type: ignore[arg-type]
