"""What plans an iterative recall: takes a question apart, and says after each search what to ask next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Literal, Protocol

from afresh.engine.fencing import fenced
from afresh.llm import prompts
from afresh.llm.asking import Asker
from afresh.llm.prompts import Decomposition, Plan
from afresh.llm.provider import Prompt
from afresh.store.memory_records import Memory
from afresh.text.budget import count_tokens, cut_to

MOST_SUB_QUERIES = 8
_DECOMPOSITION_TOKENS = 400
_PLAN_TOKENS = 300
_ITEM_SHARE = 0.34
"""Of the room for evidence, what one memory may take."""
_LEAST_TOKENS = 24
"""A memory of which less would be left is left out."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a question was taken apart into."""

    sub_queries: tuple[str, ...]
    prompts: tuple[str, ...] = ()
    """SHA-256 of each prompt that was sent."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a planner is shown after a search."""

    question: str
    asked: Sequence[str]
    """Searches made so far, the last one last."""
    evidence: Callable[[], Sequence[Memory]]
    """Reads all that was found, best first."""
    new: Sequence[int]
    """Ids that the last search brought."""
    waiting: int
    """Parts of the question that were not searched yet."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What a planner says."""

    partial_answer: str
    done: bool
    next_query: str | None
    attempts: int = 1
    """Readings of its output; 2 where it had to be repaired."""
    prompts: tuple[str, ...] = ()


class Planner(Protocol):
    """Plans one run; made for it and thrown away."""

    @property
    def kind(self) -> Literal["llm", "bridge"]: ...

    @property
    def model(self) -> str | None: ...

    @property
    def calls(self) -> int:
        """Requests to a language model so far."""

    def decompose(self, question: str) -> Parts:
        """Take a question apart. Raises an LlmError."""

    def plan(self, seen: Seen) -> Planned:
        """Say what is known and what to ask next. Raises an LlmError."""

    def share(self, query: str) -> float:
        """How much what a search finds counts in the ranking, 0..1."""

    def by_words(self, query: str) -> bool:
        """Whether a search is for names, which their letters find better than their meaning."""


class LlmPlanner:
    """Asks a language model: once for the parts, at most twice after each search."""

    kind: Literal["llm"] = "llm"

    def __init__(self, asker: Asker, context_tokens: int) -> None:
        self._asker = asker
        self._context_tokens = context_tokens

    @property
    def model(self) -> str:
        return self._asker.model

    @property
    def calls(self) -> int:
        return self._asker.calls

    def decompose(self, question: str) -> Parts:
        room = self._context_tokens - _DECOMPOSITION_TOKENS - _size(prompts.decompose(""))
        prompt = prompts.decompose(cut_to(question, max(room, _LEAST_TOKENS)))
        asked = self._asker.ask(prompt, Decomposition, max_tokens=_DECOMPOSITION_TOKENS, repairs=0)
        parts = (" ".join(part.split()) for part in asked.value.sub_questions)
        return Parts(
            tuple(dict.fromkeys(part for part in parts if part))[:MOST_SUB_QUERIES],
            (prompts.digest(prompt),),
        )

    def plan(self, seen: Seen) -> Planned:
        # A question as long as the context would leave no room for what was found.
        question = cut_to(seen.question, self._context_tokens // 4)
        asked = [cut_to(query, 60) for query in seen.asked]
        # A repair repeats the prompt with the beginning of the bad answer.
        taken = _size(prompts.plan(question, asked, "")) + _PLAN_TOKENS + 150
        shown = evidence_text(seen.evidence(), seen.new, self._context_tokens - taken)
        prompt = prompts.plan(question, asked, shown)
        answer = self._asker.ask(prompt, Plan, max_tokens=_PLAN_TOKENS)
        following = " ".join(answer.value.next_query.split())
        return Planned(
            partial_answer=answer.value.partial_answer.strip(),
            done=answer.value.done,
            next_query=following or None,
            attempts=answer.attempts,
            prompts=(prompts.digest(prompt),),
        )

    def share(self, query: str) -> float:
        """All count alike: the model asked for each of them."""
        return 1.0

    def by_words(self, query: str) -> bool:
        return False


def evidence_text(evidence: Sequence[Memory], new: Sequence[int], tokens: int) -> str:
    """Memories fenced as data, what is new first and the best first, never more than so many tokens."""
    fresh = set(new)
    ordered = sorted(evidence, key=lambda memory: memory.id not in fresh)
    parts: list[str] = []
    left = tokens
    for memory in ordered:
        when = (memory.event_time or memory.created_at).astimezone(UTC).date().isoformat()
        head = f"#{memory.id} {memory.type} {when}\n"
        frame = count_tokens(head + fenced("")) + 8
        room = min(left, int(tokens * _ITEM_SHARE)) - frame
        if room < _LEAST_TOKENS:
            break
        part = head + fenced(cut_to(memory.content, room))
        cost = count_tokens(part)
        if cost > left:
            break
        left -= cost
        parts.append(part)
    return "\n".join(parts)


def _size(prompt: Prompt) -> int:
    return count_tokens(prompt.system) + count_tokens(prompt.user)
