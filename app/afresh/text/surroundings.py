"""What lies around the documents of one search: neighbours, days, and names that lead from one to another."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.text.days import NamedDays
from afresh.text.lexical import LexicalSnapshot
from afresh.text.phrases import lead_hash, phrases
from afresh.text.threads import Links, shifted
from afresh.text.tokens import hash_term, terms

Texts = Callable[[NDArray[np.int64]], Mapping[int, str]]
"""Gives the texts of documents by id; those that are gone are left out."""

FOLLOWED = 3
"""The names in so many of the best documents are followed."""

_MONTH_SHARE = 0.5
_OWN_SHARE = 0.4
_STEP = 0.2
_LEAST_WEIGHT = 3.0
_FULL_WEIGHT = 12.0
_NONE = np.empty(0, np.int32)


def best_neighbour(values: NDArray[np.float64], links: Links, reach: int) -> NDArray[np.float64]:
    """For each row the largest value among its neighbours, up to `reach` to either side; 0 without one."""
    best = np.zeros_like(values)
    for pointers in (links.before, links.after):
        moved = values
        for _ in range(reach):
            moved = shifted(moved, pointers)
            np.maximum(best, moved, out=best)
    return best


def on_days(named: Sequence[NamedDays], days: NDArray[np.int32]) -> NDArray[np.float64]:
    """For each row's day 1 where it was named, less where its month was, else 0."""
    found = np.zeros(len(days))
    for span in named:
        share = 1.0 if span.first == span.last else _MONTH_SHARE
        found = np.maximum(found, share * ((days >= span.first) & (days <= span.last)))
    return found


def led_to(
    query: str,
    best: Sequence[tuple[int, float, str]],
    lexical: LexicalSnapshot,
    mask: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """How surely a name leads to each row, 0..1: from the query itself, or from the best documents' texts.

    `best` gives row, share of the best score and text of each, best first. A rarer name leads more surely,
    and less surely the more texts begin with it.
    """
    asked = set(terms(query))
    followed = [(-1, _OWN_SHARE, phrase) for phrase in phrases(query)]
    for place, (row, share, text) in enumerate(best):
        trust = (1.0 - _STEP * place) * share
        followed += [(row, trust, phrase) for phrase in phrases(text) if not asked.issuperset(phrase)]
    found = np.zeros(len(mask))
    names = _Names(lexical, mask, {term for _, _, phrase in followed for term in phrase})
    for row, trust, phrase in followed:
        rows, weight = names.leading(phrase)
        if len(rows):
            rows = rows[rows != row]
            found[rows] = np.maximum(found[rows], trust * weight)
    return found


class _Names:
    """The leads that have the terms of some names, in what one search may see."""

    def __init__(self, lexical: LexicalSnapshot, mask: NDArray[np.bool_], found: Collection[str]) -> None:
        self._lexical, self._mask = lexical, mask
        self._visible = int(np.count_nonzero(mask))
        self._weights: dict[str, float] = {}
        each = lexical.having_each([lead_hash(term) for term in found])
        leads = {term: rows[mask[rows]] for term, rows in zip(found, each, strict=True) if len(rows)}
        self._leads = {term: rows for term, rows in leads.items() if len(rows)}

    def leading(self, phrase: tuple[str, ...]) -> tuple[NDArray[np.int32], float]:
        """The rows whose lead has the whole phrase, and how surely it leads to each, 0..1."""
        if any(term not in self._leads for term in phrase):
            return _NONE, 0.0
        distinct = dict.fromkeys(phrase)
        rows = reduce(partial(np.intersect1d, assume_unique=True), (self._leads[term] for term in distinct))
        weight = sum(self._weight(term) for term in distinct) if len(rows) else 0.0
        if weight < _LEAST_WEIGHT:
            return _NONE, 0.0
        return rows, min(1.0, weight / _FULL_WEIGHT) / (1.0 + float(np.log(len(rows))))

    def _weight(self, term: str) -> float:
        """The term's weight as BM25 has it."""
        if (known := self._weights.get(term)) is None:
            rows = self._lexical.having(hash_term(term))
            seen = max(int(np.count_nonzero(self._mask[rows])), 1)
            known = float(np.log1p((self._visible - seen + 0.5) / (seen + 0.5)))
            self._weights[term] = known
        return known


def strongest(values: NDArray[np.floating[Any]], count: int) -> NDArray[np.int64]:
    """The places of the largest values, in no order; all where there are no more."""
    if len(values) <= count:
        return np.arange(len(values))
    return np.argpartition(-values, count - 1)[:count]
