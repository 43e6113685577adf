"""Answers that are kept as long as nothing is written: a look-up of one row costs a millisecond to plan."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

_MOST = 64

T = TypeVar("T")


class Kept:
    """Answers by key, each with the generation that it was read in. Safe from any thread.

    A generation is taken before its transaction begins, so that an answer may be newer than its number, and
    then is read once more than need be; it is never older.
    """

    def __init__(self) -> None:
        self._answers: dict[Hashable, tuple[int, Any]] = {}

    def get(self, generation: int, key: Hashable, read: Callable[[], T]) -> T:
        """The answer of this generation, read now unless it is there. Never change what it holds."""
        found = self._answers.get(key)
        if found is not None and found[0] == generation:
            answer: T = found[1]
            return answer
        answer = read()
        if len(self._answers) >= _MOST:
            self._answers.clear()
        self._answers[key] = (generation, answer)
        return answer
