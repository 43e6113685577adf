"""What a reader is handed: of each record as much as the budget lets, the part that the question is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from afresh.contracts import AnswerEvidence
from afresh.engine.answer_search import Record
from afresh.engine.memory import source_of
from afresh.text.coverage import Coverage
from afresh.text.injections import tells_the_reader
from afresh.text.quotes import Quotable
from afresh.text.sentences import sentences

_LEAST_BYTES = 48
"""A record of which less would be left is left out."""
_MOST_SENTENCES = 400
"""Of one record that are looked at."""


@dataclass(frozen=True)
class Excerpt:
    """A record, or the part of it that was handed on."""

    record: Record
    text: str
    offset: int
    """Where the text begins in the record, in code points."""

    @property
    def id(self) -> int:
        return self.record.id

    @cached_property
    def quotable(self) -> Quotable:
        return Quotable(self.text)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The sentences that say something, in their order; what speaks to the reader is none of them."""
        found = sentences(self.text)[:_MOST_SENTENCES]
        return tuple(span for span in found if not tells_the_reader(self.text[slice(*span)]))

    def evidence(self) -> AnswerEvidence:
        """As it is returned."""
        memory = self.record.memory
        return AnswerEvidence(
            id=memory.id,
            type=memory.type,
            project=self.record.project,
            content=self.text,
            created_at=memory.created_at,
            event_time=memory.event_time,
            source=source_of(memory),
            cut=len(self.text) < len(memory.content),
            superseded_by=memory.superseded_by,
        )


def fitted(records: Sequence[Record], coverage: Coverage, max_bytes: int) -> list[Excerpt]:
    """The records within so many bytes of UTF-8, best first; what is too long is cut around what is asked."""
    found: list[Excerpt] = []
    left = max_bytes
    for place, record in enumerate(records):
        size = _size(record.memory.content)
        # One long record must not take the room of all that come after it.
        share = max(left // 2, left // (len(records) - place))
        if size > left or size > share:
            excerpt = _cut(record, coverage, min(share, left))
        else:
            excerpt = Excerpt(record, record.memory.content, 0)
        if excerpt is None:
            continue
        left -= _size(excerpt.text)
        found.append(excerpt)
    return found


def _cut(record: Record, coverage: Coverage, room: int) -> Excerpt | None:
    """The sentences around the one that has most of the question, in so many bytes."""
    if room < _LEAST_BYTES:
        return None
    content = record.memory.content
    spans = sentences(content)
    if not spans:
        return Excerpt(record, _beginning(content, room), 0)
    best = max(range(len(spans)), key=lambda at: (coverage.of(content[slice(*spans[at])]), -at))
    first = last = best
    if _size(content[slice(*spans[best])]) > room:
        start = spans[best][0]
        return Excerpt(record, _beginning(content[start : spans[best][1]], room), start)
    while True:
        wider = [
            (low, high)
            for low, high in ((first, last + 1), (first - 1, last))
            if low >= 0 and high < len(spans) and _size(content[spans[low][0] : spans[high][1]]) <= room
        ]
        if not wider:
            break
        first, last = wider[0]
    start = spans[first][0]
    return Excerpt(record, content[start : spans[last][1]], start)


def _beginning(text: str, room: int) -> str:
    """The longest beginning of so many bytes."""
    low, high = 0, min(len(text), room)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _size(text[:middle]) <= room else (low, middle - 1)
    return text[:low]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
