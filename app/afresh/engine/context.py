"""recall_context: what is relevant to a task as one text for a prompt, never over its budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.contracts import ContextArguments, ContextItem, ContextResult, RecalledMemory
from afresh.engine import recall
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.fencing import DATA, fenced, inline
from afresh.engine.windows import timing
from afresh.text.budget import count_tokens, cut_to
from afresh.text.corpus import Hit

_CONSIDERED = 50
"""Relevant ones among which is chosen."""
_RELEVANCE = 0.7
"""How much relevance counts against being unlike what is chosen already (maximal marginal relevance)."""
_SAME = 0.95
"""From this cosine on a second text says nothing new."""
_LEAST = 40
"""A memory of which fewer tokens would be left is not cut but left out."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    memory: RecalledMemory
    body: str
    score: float


def context(engine: Engine, arguments: ContextArguments, call: Call) -> ContextResult:
    """Pack what is relevant: not repetitive, grouped by path, oldest first in a group, within the budget."""
    settled = timing(arguments, engine.clock(), engine.preferences.fiscal_month)
    searched = recall.search(engine, arguments, settled, _CONSIDERED, call, recall.Steps())
    found = recall.recalled(engine, searched.relevant, call)
    hits = [hit for hit in searched.relevant if hit.doc_id in found]
    if arguments.prefer_working:
        first = recall.working_first(engine, [found[hit.doc_id] for hit in hits], arguments.session_id)
        place = {memory.id: at for at, memory in enumerate(first)}
        hits.sort(key=lambda hit: place[hit.doc_id])
    chosen: list[_Chosen] = []
    for hit in _varied(hits, _vectors(engine, hits), keep_order=arguments.prefer_working):
        memory = found[hit.doc_id]
        fitting = _fitting(chosen, memory, hit.score, arguments.max_tokens)
        if fitting is not None:
            chosen.append(fitting)
    text = _text(chosen)
    return ContextResult(
        text=text,
        items=[
            ContextItem(id=item.memory.id, score=item.score, tokens=count_tokens(_entry(item)))
            for group in _groups(chosen).values()
            for item in group
        ],
        tokens=count_tokens(text),
        omitted=len(hits) - len(chosen),
        window=settled.window,
    )


def _fitting(chosen: Sequence[_Chosen], memory: RecalledMemory, score: float, budget: int) -> _Chosen | None:
    """The memory, cut where need be, so that the whole text stays within the budget; None where it can't."""
    whole = _Chosen(memory, memory.content, score)
    over = count_tokens(_text([*chosen, whole])) - budget
    if over <= 0:
        return whole
    left = count_tokens(memory.content) - over
    while left >= _LEAST:
        part = _Chosen(memory, cut_to(memory.content, left), score)
        over = count_tokens(_text([*chosen, part])) - budget
        if over <= 0:
            return part
        left -= max(over, 1)
    return None


def _varied(
    hits: Sequence[Hit], vectors: Mapping[int, NDArray[np.float32]], *, keep_order: bool
) -> list[Hit]:
    """By relevance and by how unlike each is to those before it; what repeats one of them is left out."""
    left = list(hits)
    order: list[Hit] = []
    nearest = {hit.doc_id: 0.0 for hit in left}
    while left:
        at = (
            0
            if keep_order
            else max(
                range(len(left)),
                key=lambda i: _RELEVANCE * left[i].score - (1 - _RELEVANCE) * nearest[left[i].doc_id],
            )
        )
        hit = left.pop(at)
        if nearest[hit.doc_id] >= _SAME:
            continue
        order.append(hit)
        own = vectors.get(hit.doc_id)
        for other in left:
            theirs = vectors.get(other.doc_id)
            if own is not None and theirs is not None:
                nearest[other.doc_id] = max(nearest[other.doc_id], float(own @ theirs))
    return order


def _vectors(engine: Engine, hits: Sequence[Hit]) -> dict[int, NDArray[np.float32]]:
    """The mean vector of each text; none without a model."""
    exact = engine.exact("memory")
    if exact is None or not hits:
        return {}
    owners, matrix = exact(np.array(sorted(hit.doc_id for hit in hits), np.int64))
    means: dict[int, NDArray[np.float32]] = {}
    for owner in np.unique(owners).tolist():
        mean = matrix[owners == owner].mean(axis=0)
        means[owner] = mean / max(float(np.linalg.norm(mean)), 1e-9)
    return means


def _groups(chosen: Sequence[_Chosen]) -> dict[str, list[_Chosen]]:
    """By path, in the order in which the paths were chosen; the oldest first in each."""
    groups: dict[str, list[_Chosen]] = {}
    for item in chosen:
        groups.setdefault(item.memory.path, []).append(item)
    for group in groups.values():
        group.sort(key=lambda item: (item.memory.event_time or item.memory.created_at, item.memory.id))
    return groups


def _text(chosen: Sequence[_Chosen]) -> str:
    if not chosen:
        return ""
    parts = [DATA]
    for path, group in _groups(chosen).items():
        if path:
            parts.append(f"## {inline(path)}")
        parts += [_entry(item) for item in group]
    return "\n\n".join(parts) + "\n"


def _entry(item: _Chosen) -> str:
    memory = item.memory
    when = (memory.event_time or memory.created_at).date().isoformat()
    marks = [f"#{memory.id}", memory.type, when]
    if memory.freshness is not None:
        impact = f" ({memory.freshness.impact})" if memory.freshness.impact else ""
        marks.append(f"{memory.freshness.status}{impact}")
    if memory.source.path:
        line = f":{memory.source.line}" if memory.source.line else ""
        marks.append(inline(f"{memory.source.path}{line}"))
    return f"{' · '.join(marks)}\n{fenced(item.body)}"
