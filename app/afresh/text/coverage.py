"""How much of a question a text has, each word counting by how rare it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from afresh.text.tokens import STOP_WORDS, terms

_WORD = re.compile(r"[^\W_]\w*(?:[.\-/'’]\w+)*")
_TIME = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d|(?:19|20)\d\d|q[1-4]|yesterday|today|last (?:week|month|year)"
    r"|(?:january|february|march|april|june|july|august|september|october|november|december)"
    r"(?: \d{1,2})?(?:,? (?:19|20)\d\d)?)\b",
    re.IGNORECASE,
)


class Coverage:
    """A question, and what of it is covered. A pure function of the weights of its terms."""

    def __init__(self, question: str, weights: Mapping[str, float]) -> None:
        """`weights` are those of the question's terms; a term without one counts 1."""
        self.question = question
        self._weights = {term: weights.get(term, 1.0) for term in terms(question)}
        self._total = sum(self._weights.values()) or 1.0

    def of(self, *texts: str) -> float:
        """Share of the question's weight, 0..1, that texts have together."""
        return self._share({term for text in texts for term in terms(text)})

    def added(self, text: str, known: Iterable[str]) -> float:
        """What a text adds to the share that others have."""
        had = {term for other in known for term in terms(other)}
        return self._share(had | set(terms(text))) - self._share(had)

    def open_words(self, *texts: str) -> list[str]:
        """The words of the question that no text has, as they are written, in their order."""
        had = {term for text in texts for term in terms(text)}
        words = (word for word in _WORD.findall(self.question) if word.lower() not in STOP_WORDS)
        return [word for word in dict.fromkeys(words) if not had.issuperset(terms(word))]

    def subject(self) -> str:
        """The name that the question is about; its first word that says something where it names none."""
        words = [word for word in _WORD.findall(self.question) if word.lower() not in STOP_WORDS]
        named = [word for word in words if word != word.lower() and self.question.find(word) > 0]
        return " ".join(named[:3]) or next(iter(words), "")

    def time(self) -> str:
        """The time that the question names; empty where it names none."""
        found = _TIME.search(self.question)
        return found.group() if found else ""

    def _share(self, had: set[str]) -> float:
        return sum(weight for term, weight in self._weights.items() if term in had) / self._total
