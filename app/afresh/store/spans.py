"""Cited spans: which lines, symbol or quotation of a file a conclusion rests on, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, fields

from afresh_indexer.verdicts import CitedSpan as Span

__all__ = ["Span", "dump_spans", "load_spans", "spans_from_rows"]

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
