"""Plans an iterative recall without a language model, by the names that evidence brings in."""

from __future__ import annotations

import re
from typing import Literal

from afresh.engine.evidence import Evidence
from afresh.engine.planning import Parts, Planned, Seen
from afresh.text.bridges import Bridge, Passage
from afresh.text.tokens import has_word

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_LONGEST_ANSWER = 400
"""Characters of a sentence given as a partial answer."""


class BridgePlanner:
    """Asks the whole question first, then for each name that leads on, with what is still open of it."""

    kind: Literal["bridge"] = "bridge"
    model = None
    calls = 0

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._followed: set[tuple[str, ...]] = set()

    def decompose(self, question: str) -> Parts:
        """The question itself is the first search; what it needs beside shows in what that finds."""
        return Parts((" ".join(question.split()),) if has_word(question) else ())

    def plan(self, seen: Seen) -> Planned:
        """The strongest name that was not followed yet; done where none is left and something was found."""
        partial = _sentence(self._evidence, seen)
        bridge = next(
            (found for found in self._evidence.bridges() if found.phrase not in self._followed), None
        )
        if bridge is None:
            return Planned(partial, done=bool(seen.evidence), next_query=None)
        self._followed.add(bridge.phrase)
        return Planned(partial, done=False, next_query=self._query(bridge))

    def _query(self, bridge: Bridge) -> str:
        words = self._evidence.question.open_words([bridge.parent])
        return " ".join([bridge.name, *words])


def _sentence(evidence: Evidence, seen: Seen) -> str:
    """The new sentence that has most of the question; empty where the last search brought nothing."""
    new = set(seen.new)
    question = evidence.question
    best, most = "", 0.0
    for item in evidence.passages():
        if item.passage.id not in new:
            continue
        for sentence in _SENTENCE.split(item.passage.text):
            covered = question.covered([Passage(0, sentence)])
            if covered > most and len(sentence) <= _LONGEST_ANSWER:
                best, most = sentence.strip(), covered
    return best
