"""The language model as the reader of an answer: it inverts, weighs, drafts and checks, within eight calls.

Its words count only as far as `proofs` finds its quotes. Evidence enters its prompts fenced as data and cut
to the model's context.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel

from afresh.engine.excerpts import Excerpt
from afresh.engine.fencing import fenced, visible
from afresh.llm import prompts
from afresh.llm.asking import Asker
from afresh.llm.prompts import Check, Inversion, Reading, Weighing
from afresh.llm.provider import Prompt
from afresh.text.budget import count_tokens, cut_to

MOST_CALLS = 8
_SHORT_TOKENS = 160
_READING_TOKENS = 700
_ITEM_SHARE = 0.4
"""Of the room for evidence, what one record may take."""
_LEAST_TOKENS = 24
_REPAIR_TOKENS = 150
"""A repair repeats the prompt with the beginning of the bad answer."""

T = TypeVar("T", bound=BaseModel)


class Reader:
    """One answer's reader."""

    def __init__(self, asker: Asker, context_tokens: int) -> None:
        self._asker = asker
        self._context_tokens = context_tokens
        self.prompts: list[str] = []
        """SHA-256 of each prompt that was sent, without repairs."""

    @property
    def model(self) -> str:
        return self._asker.model

    @property
    def calls(self) -> int:
        return self._asker.calls

    @property
    def left(self) -> int:
        return self._asker.left

    def invert(self, question: str) -> str:
        """A search for what speaks against the answer. Raises an LlmError."""
        prompt = prompts.invert(cut_to(question, self._context_tokens // 4))
        return " ".join(self._ask(prompt, Inversion, _SHORT_TOKENS).query.split())

    def weigh(self, question: str, excerpts: Sequence[Excerpt]) -> Weighing:
        """How much the records contradict each other. Raises an LlmError."""
        question = cut_to(question, self._context_tokens // 4)
        room = self._room(prompts.weigh(question, ""), _SHORT_TOKENS * 2)
        prompt = prompts.weigh(question, _listed(excerpts, room))
        return self._ask(prompt, Weighing, _SHORT_TOKENS * 2)

    def read(self, question: str, excerpts: Sequence[Excerpt], disagreement: str) -> Reading:
        """A draft. Raises an LlmError."""
        question = cut_to(question, self._context_tokens // 4)
        disagreement = cut_to(visible(disagreement), self._context_tokens // 8)
        room = self._room(prompts.read(question, "", disagreement), _READING_TOKENS)
        prompt = prompts.read(question, _listed(excerpts, room), disagreement)
        return self._ask(prompt, Reading, _READING_TOKENS)

    def check(self, question: str, answer: str, quotes: Sequence[tuple[Excerpt, str]]) -> Check:
        """Whether the quotes say what the answer says. Raises an LlmError."""
        question = cut_to(question, self._context_tokens // 4)
        answer = cut_to(visible(answer), self._context_tokens // 4)
        room = self._room(prompts.check(question, answer, ""), _SHORT_TOKENS)
        parts, left = [], room
        for excerpt, quote in quotes:
            part = f"{_head(excerpt)}\n{fenced(quote)}"
            if count_tokens(part) > left:
                break
            left -= count_tokens(part) + 1
            parts.append(part)
        return self._ask(prompts.check(question, answer, "\n".join(parts)), Check, _SHORT_TOKENS)

    def _ask(self, prompt: Prompt, shape: type[T], max_tokens: int) -> T:
        self.prompts.append(prompts.digest(prompt))
        return self._asker.ask(prompt, shape, max_tokens=max_tokens).value

    def _room(self, prompt: Prompt, max_tokens: int) -> int:
        taken = count_tokens(prompt.system) + count_tokens(prompt.user) + max_tokens + _REPAIR_TOKENS
        return max(self._context_tokens - taken, 0)


def _listed(excerpts: Sequence[Excerpt], tokens: int) -> str:
    """Records fenced as data, best first, never more than so many tokens."""
    parts: list[str] = []
    left = tokens
    for excerpt in excerpts:
        head = f"{_head(excerpt)}\n"
        room = min(left, int(tokens * _ITEM_SHARE)) - count_tokens(head + fenced("")) - 8
        if room < _LEAST_TOKENS:
            break
        part = head + fenced(cut_to(excerpt.text, room))
        cost = count_tokens(part) + 1
        if cost > left:
            break
        left -= cost
        parts.append(part)
    return "\n".join(parts)


def _head(excerpt: Excerpt) -> str:
    memory = excerpt.record.memory
    return f"#{memory.id} {memory.type} {excerpt.record.day}"
