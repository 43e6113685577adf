"""A cursor over the words of a query, and what several rules ask of the words around a time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from afresh.text.time_meanings import Term
from afresh.text.time_tokens import Word
from afresh.text.time_words import DONE, FOLLOWERS, HABIT

_LOOK = 16
"""How far rules look beyond the first and the last word, at most."""


class WordReader:
    """Reads the words of one query."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        beside = [Word("", "stop", 0, 0, False, False)] * _LOOK
        self._padded = [*beside, *words, *beside]
        self._texts = [word.text for word in self._padded]

    def at(self, index: int) -> Word:
        """A word, or a stop where there is none."""
        return self._padded[index + _LOOK]

    def text(self, index: int) -> str:
        return self._texts[index + _LOOK]

    def matches(self, index: int, *texts: str) -> bool:
        first = index + _LOOK
        return self._texts[first] == texts[0] and tuple(self._texts[first : first + len(texts)]) == texts

    def phrase(self, first: int, last: int) -> str:
        return " ".join(self.text(index) for index in range(first, last + 1))

    def tells(self) -> bool:
        """Whether the query speaks of something that was."""
        return any(word.text in DONE for word in self.words)

    def habit(self) -> bool:
        """Whether it speaks of what is always so: "do we deploy on Friday?", "the job that runs at 3am"."""
        return not self.tells() and any(word.text in HABIT for word in self.words)

    def may_follow(self, index: int) -> bool:
        word = self.at(index)
        return word.kind in ("stop", "dash") or word.text in FOLLOWERS

    def year_at(self, index: int) -> tuple[int, int] | None:
        word = self.at(index)
        if word.kind != "number" or not re.fullmatch(r"19[789]\d|20[0-4]\d", word.text):
            return None
        return index + 1, int(word.text)

    def term(self, index: int) -> Term | None:
        """The longest time that begins at a word."""
        raise NotImplementedError
