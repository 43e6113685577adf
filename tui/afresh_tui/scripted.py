"""An engine that answers as it was told: for tests, and for pictures of screens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from afresh.errors import AfreshError, KeeperLostError, NotFoundError
from afresh_tui.engine import Engine, OnEvent, typed

Answered = Mapping[str, Any] | AfreshError
Answerer = Callable[[Mapping[str, Any], OnEvent], Answered]
Answer = Answered | Answerer | Sequence[Answered | Answerer]
"""A result as it travels, an error to raise, what makes one of them of the arguments (and may tell
events), or several of these for one call after the other, of which the last stays."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that was made."""

    verb: str
    arguments: Mapping[str, Any]


@dataclass
class ScriptedEngine(Engine):
    """Answers by verb."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    """All calls, in their order."""
    cancelled: list[Asked] = field(default_factory=list)
    """Those that were taken back while they were held."""
    lost: bool = False
    """Whether the keeper is gone: every call raises KeeperLostError then."""
    pid: int = 4711
    closed: bool = False
    _gates: dict[str, asyncio.Event] = field(default_factory=dict)

    def calls(self, verb: str) -> list[Mapping[str, Any]]:
        """The arguments of the calls of one verb."""
        return [asked.arguments for asked in self.asked if asked.verb == verb]

    def hold(self, verb: str) -> asyncio.Event:
        """Let calls of this verb wait until the event is set."""
        self._gates[verb] = asyncio.Event()
        return self._gates[verb]

    async def answer(self, verb: str, arguments: Mapping[str, Any], on_event: OnEvent | None) -> Any:
        asked = Asked(verb, arguments)
        self.asked.append(asked)
        gate = self._gates.get(verb)
        if gate is not None:
            try:
                await gate.wait()
            except asyncio.CancelledError:
                self.cancelled.append(asked)
                raise
        # As with a real engine, nobody is answered before the loop has turned.
        await asyncio.sleep(0)
        if self.lost:
            raise KeeperLostError("the keeper went away")
        answered = self._next(verb)
        if callable(answered):
            answered = answered(arguments, on_event or (lambda _event: None))
        if isinstance(answered, AfreshError):
            raise answered
        return typed(verb, answered)

    @property
    def connected(self) -> bool:
        return not self.lost

    @property
    def keeper_pid(self) -> int | None:
        return None if self.lost else self.pid

    def close(self) -> None:
        self.closed = True

    def _next(self, verb: str) -> Answered | Answerer:
        if verb not in self.answers:
            return NotFoundError(f"no answer was scripted for {verb}")
        answer = self.answers[verb]
        if isinstance(answer, Sequence):
            first, *rest = answer
            if rest:
                self.answers[verb] = rest
            return first
        return answer
