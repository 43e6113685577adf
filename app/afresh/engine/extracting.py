"""Answers without a language model: whole sentences of the records, each with its citation and its date.

Sentences are chosen, never joined or worded anew. What the newest record replaced is named after it; what is
no answer is said to be none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from afresh.contracts import AnswerClaim, Draft, MissingRelation, Modality
from afresh.engine.answer_search import Record
from afresh.engine.excerpts import Excerpt
from afresh.engine.negative import HARD, Conflict, Sentence, standing
from afresh.engine.proofs import cite
from afresh.text.contradictions import denied
from afresh.text.coverage import Coverage
from afresh.text.phrases import phrases

NOT_ENOUGH = "Not enough information"

Similarity = Callable[[Sequence[str]], Sequence[float]]
"""How near texts are to the question by meaning, -1..1 each."""

_PLANNED = re.compile(
    r"\b(?:will|shall|going to|plans? to|planned|intend\w*|todo|should|next (?:week|month|year))\b", re.I
)
_LONGEST = 600
"""Characters of a sentence that is quoted."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Every number that choosing uses; one setting for whatever is asked."""

    records: int = 5
    """So many are quoted at most."""
    beside: float = 0.8
    """One that scores less than this share of the best …"""
    about: float = 0.25
    """… and has less than this share of what the best one has of the question is not quoted."""
    sentences: int = 2
    """Of each."""
    nearness: float = 0.5
    """What the likeness by meaning counts beside the share of the question's words."""
    close: float = 0.1
    """Sentences of a record so near its best one in words are compared by meaning, …"""
    embedded: int = 4
    """… so many at most."""
    asks: float = 0.3
    """What a sentence loses that is a question itself."""
    adds: float = 0.08
    """Share of the question that a second sentence of a record must add."""
    covered: float = 0.55
    """Share of the question that the quoted records must have for `supported`."""
    likely: float = 0.6
    """The best record's score for `supported`."""
    sure: float = 0.9
    """A score from which on a record answers in other words than the question's."""
    least: float = 0.0
    """Below this share of the question, and without a sure record, there is no answer."""


DEFAULT = Choice()


@dataclass(frozen=True, slots=True)
class _Entry:
    """What is quoted of one record, and what it replaced."""

    excerpt: Excerpt
    quoted: tuple[Sentence, ...]
    replaced: Sentence | None = None


def extracted(
    excerpts: Sequence[Excerpt],
    coverage: Coverage,
    conflicts: Sequence[Conflict],
    before: Mapping[int, Record],
    similarity: Similarity | None,
    choice: Choice = DEFAULT,
) -> Draft:
    """A draft of quoted sentences.

    `conflicts` are pairs of which the newer record holds; `before` are records that others replaced by name,
    by the id of the one that replaced them; they are among the excerpts.
    """
    passed = {record.id for record in before.values()}
    overruled = {
        conflict.older.excerpt.id: conflict for conflict in reversed(conflicts) if conflict.score >= HARD
    }
    # A record that only speaks to the reader must not decide which others are quoted.
    speaking = [excerpt for excerpt in excerpts if excerpt.sentences]
    score = choice.beside * max((excerpt.record.score for excerpt in speaking), default=0.0)
    most = choice.about * max((coverage.of(excerpt.text) for excerpt in speaking), default=0.0)
    entries: list[_Entry] = []
    for excerpt in excerpts:
        if excerpt.id in passed or excerpt.id in overruled:
            continue
        if excerpt.record.score < score and coverage.of(excerpt.text) < most:
            continue
        quoted = _chosen(excerpt, coverage, similarity, choice)
        if quoted:
            entries.append(_Entry(excerpt, quoted))
        if len(entries) == choice.records:
            break
    entries = _with_replaced(entries, excerpts, conflicts, before, coverage, similarity, choice)
    texts = [entry.excerpt.text for entry in entries]
    share = coverage.of(*texts)
    best = max((entry.excerpt.record.score for entry in entries), default=0.0)
    if not entries or (share < choice.least and best < choice.sure):
        return refused(missing(coverage, texts))
    enough = (share >= choice.covered and best >= choice.likely) or best >= choice.sure
    claims = [claim for entry in entries for claim in _claims(entry, coverage)]
    return Draft(
        status="supported" if enough else "partial",
        answer=_told(entries),
        claims=claims,
        missing=None if enough else missing(coverage, texts),
        rejection=None,
    )


def refused(lacks: MissingRelation | None, rejection: str | None = None) -> Draft:
    """No answer, and what would be needed for one."""
    return Draft(status="insufficient", answer=NOT_ENOUGH, claims=[], missing=lacks, rejection=rejection)


def missing(coverage: Coverage, texts: Sequence[str]) -> MissingRelation:
    """What of the question no text has."""
    subject = coverage.subject()
    named = set(subject.split())
    words = coverage.open_words(*texts) or coverage.open_words()
    relation = " ".join(word for word in words if word not in named) or " ".join(words)
    return MissingRelation(subject=subject, relation=relation, time=coverage.time())


def _chosen(
    excerpt: Excerpt, coverage: Coverage, similarity: Similarity | None, choice: Choice
) -> tuple[Sentence, ...]:
    """The sentences of a record that say most about the question, in their order."""
    spans = [(start, end) for start, end in excerpt.sentences if end - start <= _LONGEST]
    if not spans:
        return ()
    values = {span: coverage.of(excerpt.text[slice(*span)]) for span in spans}
    best = max(values.values())
    near = sorted((span for span in spans if values[span] >= best - choice.close), key=lambda s: -values[s])
    if similarity is not None and len(near) > 1:
        # A sentence costs as much to embed as a whole search: only those are asked that words leave open.
        near = near[: choice.embedded]
        for span, likeness in zip(near, similarity([excerpt.text[slice(*s)] for s in near]), strict=True):
            values[span] += choice.nearness * max(likeness, 0.0)
    for span in spans:
        if excerpt.text[span[1] - 1] == "?":
            values[span] -= choice.asks
    order = sorted(spans, key=lambda span: (-values[span], span))
    chosen = order[:1]
    for span in order[1:]:
        had = [excerpt.text[slice(*other)] for other in chosen]
        if len(chosen) < choice.sentences and coverage.added(excerpt.text[slice(*span)], had) >= choice.adds:
            chosen.append(span)
    return tuple(Sentence(excerpt, *span) for span in sorted(chosen))


def _with_replaced(
    entries: Sequence[_Entry],
    excerpts: Sequence[Excerpt],
    conflicts: Sequence[Conflict],
    before: Mapping[int, Record],
    coverage: Coverage,
    similarity: Similarity | None,
    choice: Choice,
) -> list[_Entry]:
    """Each entry with the newest of what it replaced: named by a record, or contradicted by it."""
    by_id = {excerpt.id: excerpt for excerpt in excerpts}
    found = []
    for entry in entries:
        own = [
            older
            for conflict in conflicts
            if conflict.newer.excerpt.id == entry.excerpt.id
            and conflict.score >= HARD
            and (older := standing(conflict.older, by_id)) is not None
        ]
        earlier = before.get(entry.excerpt.id)
        if earlier is not None and earlier.id in by_id:
            own += _chosen(by_id[earlier.id], coverage, similarity, choice)[:1]
        newest = max(own, key=lambda sentence: sentence.excerpt.record.age, default=None)
        found.append(replace(entry, replaced=newest))
    return found


def _claims(entry: _Entry, coverage: Coverage) -> list[AnswerClaim]:
    claims = [_claim(sentence, coverage, None) for sentence in entry.quoted]
    if entry.replaced is not None:
        claims.append(_claim(entry.replaced, coverage, "negated"))
    return claims


def _claim(sentence: Sentence, coverage: Coverage, modality: Modality | None) -> AnswerClaim:
    text = sentence.text
    return AnswerClaim(
        subject=_subject(sentence, coverage),
        event=text,
        time=sentence.excerpt.record.day,
        modality=modality or _modality(text),
        citations=[cite(sentence.excerpt, sentence.start, sentence.end)],
    )


def _subject(sentence: Sentence, coverage: Coverage) -> str:
    """The question's subject where the record has it, else the first name of the sentence."""
    subject = coverage.subject()
    if subject and subject.casefold() in sentence.excerpt.text.casefold():
        return subject
    return next((" ".join(name) for name in phrases(sentence.text)), "")


def _modality(text: str) -> Modality:
    if _PLANNED.search(text):
        return "planned"
    return "negated" if denied(text) else "asserted"


def _told(entries: Sequence[_Entry]) -> str:
    """One line for each record: its day, its sentences with the numbers of their citations."""
    lines: list[str] = []
    number = 0
    for entry in entries:
        record = entry.excerpt.record
        parts = []
        for sentence in entry.quoted:
            number += 1
            parts.append(f"“{' '.join(sentence.text.split())}” [{number}]")
        lines.append(f"{record.day}, {record.memory.type} #{record.id}: {' '.join(parts)}")
        if entry.replaced is not None:
            number += 1
            older = entry.replaced.excerpt.record
            lines.append(
                f"    It replaced #{older.id} of {older.day}: "
                f"“{' '.join(entry.replaced.text.split())}” [{number}]"
            )
    return "\n".join(lines)
