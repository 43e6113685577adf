"""Answers: what was asked and answered, with each citation's place in its record.

Texts arrive redacted. Evidence is an id and a hash; its text is read anew.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from afresh.errors import NotFoundError
from afresh.store.columns import aware, stored
from afresh.store.cursor import Cursor, Transaction


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote and where it stood."""

    source_id: int
    start: int
    end: int
    """In the whole record, code points, end exclusive."""
    quote: str
    superseded_by: int | None
    """What had replaced its record when it was quoted."""


@dataclass(frozen=True, slots=True)
class Read:
    """A record that was handed to the reader."""

    id: int
    content_sha256: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer. Times are aware, in UTC."""

    id: int
    project_id: int | None
    """None: it was over all projects."""
    query: str
    branch: str | None
    type: str
    answer: str
    draft: dict[str, Any]
    verification: dict[str, Any] | None
    negative: dict[str, Any] | None
    """Without its evidence's texts."""
    caveat: str | None
    mode: str
    model: str | None
    note: str | None
    evidence: tuple[Read, ...]
    citations: tuple[Citation, ...]
    """In the order of their numbers."""
    search_calls: int
    followup_query: str | None
    llm_calls: int
    prompts: tuple[str, ...]
    answered_at: datetime
    elapsed_ms: float


_COLUMNS = ", ".join(Answer.__slots__)


def next_id(tx: Transaction) -> int:
    """An id for an answer that is about to be stored."""
    row = tx.execute("SELECT nextval('answer_ids')").one()
    assert row is not None
    return int(row[0])


def put(tx: Transaction, answer: Answer) -> None:
    """Store an answer under the id that it has."""
    values = {name: getattr(answer, name) for name in Answer.__slots__}
    for name in ("draft", "verification", "negative"):
        values[name] = None if values[name] is None else json.dumps(values[name])
    values["evidence"] = json.dumps([[item.id, item.content_sha256] for item in answer.evidence])
    values["citations"] = json.dumps(
        [[c.source_id, c.start, c.end, c.quote, c.superseded_by] for c in answer.citations]
    )
    values["prompts"] = list(answer.prompts)
    values["answered_at"] = stored(answer.answered_at)
    tx.execute(
        f"INSERT INTO answers ({_COLUMNS}) VALUES ({', '.join('?' * len(values))})", list(values.values())
    )


def get(cur: Cursor, id: int) -> Answer:
    """The answer with that id.

    Raises NotFoundError.
    """
    row = cur.execute(f"SELECT {_COLUMNS} FROM answers WHERE id = ?", [id]).one()
    if row is None:
        raise NotFoundError(f"there is no answer {id}")
    return _answer(row)


def _answer(row: Sequence[Any]) -> Answer:
    values = dict(zip(Answer.__slots__, row, strict=True))
    for name in ("draft", "verification", "negative"):
        values[name] = None if values[name] is None else json.loads(values[name])
    values["evidence"] = tuple(Read(*item) for item in json.loads(values["evidence"]))
    values["citations"] = tuple(Citation(*item) for item in json.loads(values["citations"]))
    values["prompts"] = tuple(values["prompts"])
    values["answered_at"] = aware(values["answered_at"])
    return Answer(**values)
