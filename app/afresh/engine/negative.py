"""What speaks against an answer: the inverted search, the rules' judgement of what it found, and the bands.

Records disagree where a sentence that is about the question contradicts one of another record. The newest
of them gives the value; how gravely the others contradict it decides between an answer, one with a caveat,
and, where the policy says so, none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from afresh.contracts import ContradictionDecision
from afresh.engine.excerpts import Excerpt
from afresh.text.contradictions import contradiction
from afresh.text.coverage import Coverage

HARD = 0.60
"""From this score on both sides go to the reader, or the policy `abstain` refuses."""
SOFT = 0.30
"""From this score on an answer has a caveat."""

_COMPARED = 12
"""So many of the best excerpts are compared with one another."""
_SENTENCES = 3
"""Of each, those that have most of the question."""
_ASKED = 0.5
"""Share that a sentence must have of what the best one has of the question."""
_SHOWN = 160
_FRAME = re.compile(
    r"^\W*(?:(?:please|can you|could you|tell me|do you know|i want to know)\W+)*"
    r"(?:(?:what|which|who|whom|whose|when|where|why|how(?: (?:many|much|long|often))?)\b\W*)?"
    r"(?:(?:is|are|was|were|do|does|did|has|have|had|can|could|should|will|would)\b\W*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an excerpt."""

    excerpt: Excerpt
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.excerpt.text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sentences of two records that contradict each other."""

    newer: Sentence
    older: Sentence
    score: float
    reason: str


def standing(sentence: Sentence, excerpts: Mapping[int, Excerpt]) -> Sentence | None:
    """A sentence where it stands in what was handed on, which may be another part of its record."""
    excerpt = excerpts.get(sentence.excerpt.id)
    at = -1 if excerpt is None else excerpt.text.find(sentence.text)
    return None if excerpt is None or at < 0 else Sentence(excerpt, at, at + len(sentence.text))


@dataclass(frozen=True, slots=True)
class Judgement:
    """How gravely the records disagree."""

    score: float
    rationale: str
    conflicts: tuple[Conflict, ...] = field(default=())
    """From the gravest down; none where a model judged and named no records."""

    @property
    def decision(self) -> ContradictionDecision:
        if self.score >= HARD:
            return "hard_contradict"
        return "soft_contradict" if self.score >= SOFT else "no_contradiction"


def inverted(question: str) -> str:
    """A search for what would deny the answer, by rule."""
    topic = _FRAME.sub("", question.strip(), count=1).rstrip(" ?!.")
    return f"{topic or question.strip()} not, no longer, instead"


def judged(excerpts: Sequence[Excerpt], coverage: Coverage) -> Judgement:
    """Compare the best excerpts, each with each, by the rules."""
    asked = _asked(excerpts[:_COMPARED], coverage)
    found: list[Conflict] = []
    for place, (excerpt, own) in enumerate(asked):
        for other, others in asked[place + 1 :]:
            best = max(
                (
                    (contradiction(one.text, two.text), one, two)
                    for one in own
                    for two in others
                    if one.text.casefold() != two.text.casefold()
                ),
                key=lambda item: item[0].score,
                default=None,
            )
            if best is None or best[0].score < SOFT:
                continue
            scored, one, two = best
            newer, older = (one, two) if excerpt.record.age > other.record.age else (two, one)
            found.append(Conflict(newer, older, scored.score, scored.reason))
    found.sort(key=lambda conflict: -conflict.score)
    if not found:
        return Judgement(0.0, "nothing that was found contradicts the rest")
    return Judgement(found[0].score, rationale(found[0]), tuple(found))


def between(
    excerpts: Sequence[Excerpt], ids: Iterable[int], score: float, told: str, coverage: Coverage
) -> Judgement:
    """A model's judgement, with the sentences of the records that it named."""
    named = set(ids)
    asked = _asked([excerpt for excerpt in excerpts if excerpt.id in named], coverage, least=0.0)
    asked.sort(key=lambda item: item[0].record.age, reverse=True)
    conflicts = [
        Conflict(asked[0][1][0], own[0], score, told)
        for _, own in asked[1:]
        if asked[0][1] and own and score >= SOFT
    ]
    return Judgement(score, told, tuple(conflicts))


def rationale(conflict: Conflict) -> str:
    """Why two records contradict, for a person."""
    newer, older = conflict.newer, conflict.older
    why = f" ({conflict.reason})" if conflict.reason else ""
    return (
        f"#{newer.excerpt.id} of {newer.excerpt.record.day} says “{shown(newer.text)}” and "
        f"#{older.excerpt.id} of {older.excerpt.record.day} says “{shown(older.text)}”{why}"
    )


def caveat(judgement: Judgement) -> str | None:
    """What an answer must add."""
    if judgement.decision == "no_contradiction":
        return None
    if not judgement.conflicts:
        return f"the records disagree: {judgement.rationale}"
    gravest = judgement.conflicts[0]
    told = "contradict each other" if judgement.decision == "hard_contradict" else "may disagree"
    return f"records {told}: {rationale(gravest)}; the newer one is followed."


def shown(text: str) -> str:
    """A sentence on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _asked(
    excerpts: Sequence[Excerpt], coverage: Coverage, *, least: float = _ASKED
) -> list[tuple[Excerpt, list[Sentence]]]:
    """Of each excerpt the sentences that are about the question and ask nothing themselves."""
    scored: list[tuple[Excerpt, list[tuple[float, Sentence]]]] = []
    for excerpt in excerpts:
        own = [
            (coverage.of(excerpt.text[start:end]), Sentence(excerpt, start, end))
            for start, end in excerpt.sentences
            if not excerpt.text[start:end].endswith("?")
        ]
        scored.append((excerpt, own))
    most = max((share for _, own in scored for share, _ in own), default=0.0)
    return [
        (
            excerpt,
            [
                sentence
                for share, sentence in sorted(own, key=lambda item: -item[0])[:_SENTENCES]
                if share >= least * most and (share > 0 or not least)
            ],
        )
        for excerpt, own in scored
    ]
