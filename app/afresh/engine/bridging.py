"""Plans an iterative recall without a language model, by the names that evidence brings in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from afresh.engine.evidence import Evidence
from afresh.engine.planning import MOST_SUB_QUERIES, Parts, Planned, Seen
from afresh.engine.references import Definition, References
from afresh.text import bridges
from afresh.text.bridges import Bridge
from afresh.text.passages import Passage, identifiers
from afresh.text.tokens import has_word

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST_ANSWER = 400
"""Characters of a sentence given as a partial answer."""
_MOST_IDENTIFIERS = 4
"""Names of code in a question that are looked up."""
_DEFINED, _REFERRED = 0.8, 0.5
"""What is left of a text's score that a definition in the question found, or something that it refers to."""


class BridgePlanner:
    """Asks the whole question first, then for each name that leads on, with what is still open of it."""

    kind: Literal["bridge"] = "bridge"
    model = None
    calls = 0

    def __init__(self, evidence: Evidence, references: References | None = None) -> None:
        """`references` leads questions about code on."""
        self._evidence = evidence
        self._references = references
        self._followed: set[tuple[str, ...]] = set()
        self._shares: dict[str, float] = {}

    def decompose(self, question: str) -> Parts:
        """The question itself is the first search; what it needs beside shows in what that finds.

        Names of code that it has are searched by where the workspace defines them too, and then by what
        those definitions refer to.
        """
        if not has_word(question):
            return Parts(())
        whole = " ".join(question.split())
        self._shares[whole] = 1.0
        defined, referred = self._code(identifiers(question)[:_MOST_IDENTIFIERS])
        for share, definitions in ((_DEFINED, defined), (_REFERRED, referred)):
            for definition in definitions:
                self._shares.setdefault(definition.search, share)
        return Parts(tuple(self._shares)[:MOST_SUB_QUERIES])

    def share(self, query: str) -> float:
        """A text that only a bridge led to has to be worth its place by that."""
        return self._shares.get(query, bridges.DEFAULT.later)

    def by_words(self, query: str) -> bool:
        """Names lead on by their letters; their vectors found nothing more and took most of the time."""
        return query not in self._shares

    def plan(self, seen: Seen) -> Planned:
        """The strongest name that was not followed yet; done where none is left and something was found."""
        partial = _sentence(self._evidence, seen)
        if seen.waiting:
            # Parts of the question come before what its evidence brings in.
            return Planned(partial, done=False, next_query=None)
        following = self.following()
        return Planned(partial, done=following is None and len(self._evidence) > 0, next_query=following)

    def following(self) -> str | None:
        """The search for the strongest name that was not followed yet; None where none leads on."""
        bridge = next((found for found in self._evidence.bridges() if self._leads_on(found)), None)
        if bridge is None:
            return None
        self._followed.add(bridge.phrase)
        words = self._evidence.question.open_words([bridge.parent])
        return " ".join([bridge.name, *words])

    def _code(self, names: Sequence[str]) -> tuple[list[Definition], list[Definition]]:
        """What some names define, and what those definitions refer to."""
        if self._references is None:
            return [], []
        defined = self._references.named(names)
        return defined, [other for one in defined for other in self._references.referred(one)]

    def _leads_on(self, bridge: Bridge) -> bool:
        """Whether it was not followed yet and leads to something that was not found yet."""
        return bridge.phrase not in self._followed and any(
            id_ not in self._evidence for id_, _ in bridge.targets
        )


def _sentence(evidence: Evidence, seen: Seen) -> str:
    """The new sentence that has most of the question; empty where the last search brought nothing."""
    new = set(seen.new)
    question = evidence.question
    best, most = "", 0.0
    for item in evidence.passages():
        if item.passage.id not in new:
            continue
        for sentence in _SENTENCE.split(item.passage.text):
            covered = question.covered(Passage(0, sentence))
            if covered > most and len(sentence) <= _LONGEST_ANSWER:
                best, most = sentence.strip(), covered
    return best
