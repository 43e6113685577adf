"""Asks a model for one thing of a known shape: with a budget, and with one repair."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from afresh.errors import LlmOutputError, LlmTimeoutError
from afresh.llm.prompts import repair
from afresh.llm.provider import Prompt, Provider
from afresh.llm.reading import UnreadableReplyError, read_object

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Asked(Generic[T]):
    """What was understood of a model's answer."""

    value: T
    attempts: int
    """Requests that it took: 1, more where the answer had to be repaired."""


class BudgetSpentError(LlmOutputError):
    """There are no calls left for what is still to be asked."""


class Asker:
    """One task's way to a model: it counts calls and seconds over all that is asked."""

    def __init__(
        self,
        provider: Provider,
        *,
        model: str | None,
        calls: int,
        timeout_s: float,
        total_s: float,
        cancelled: threading.Event,
    ) -> None:
        self.provider = provider
        self.model = model or provider.model
        self.calls = 0
        """How many requests were made, repairs included."""
        self._most = calls
        self._timeout_s = timeout_s
        self._end = time.monotonic() + total_s
        self._cancelled = cancelled

    @property
    def left(self) -> int:
        """Calls that may still be made."""
        return self._most - self.calls

    def ask(self, prompt: Prompt, shape: type[T], *, max_tokens: int, repairs: int = 1) -> Asked[T]:
        """Ask, and as often as `repairs` says once more with what was wrong if the answer can't be read.

        Raises LlmOutputError where it stays unusable, and what `Provider.chat` raises.
        """
        problem = ""
        attempt = 0
        asked = prompt
        for attempt in range(1, repairs + 2):
            text = self._request(asked, shape, max_tokens)
            try:
                return Asked(shape.model_validate(read_object(text)), attempt)
            except (UnreadableReplyError, ValidationError) as error:
                problem = _told(error)
            if attempt <= repairs and self.left > 0:
                asked = repair(prompt, text, problem)
            else:
                break
        raise LlmOutputError(f"{self.model} gave no usable answer in {attempt} attempt(s): {problem}")

    def _request(self, prompt: Prompt, shape: type[BaseModel], max_tokens: int) -> str:
        if self.left <= 0:
            raise BudgetSpentError(f"the budget of {self._most} calls to {self.model} is spent")
        left_s = self._end - time.monotonic()
        if left_s <= 0:
            raise LlmTimeoutError(f"the time for {self.model} is spent; raise AFRESH_LLM_TOTAL_TIMEOUT")
        self.calls += 1
        reply = self.provider.chat(
            prompt,
            model=self.model,
            schema=shape.model_json_schema(),
            max_tokens=max_tokens,
            timeout_s=min(self._timeout_s, left_s),
            cancelled=self._cancelled,
        )
        return reply.text


def _told(error: UnreadableReplyError | ValidationError) -> str:
    if isinstance(error, UnreadableReplyError):
        return str(error)
    problems = error.errors(include_url=False, include_context=False, include_input=False)[:3]
    return "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in problems)
