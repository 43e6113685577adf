"""What begins with a name, and how rare a term is, in what one search may see.

The graph of names: a text that mentions a name leads to the texts that begin with it.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from afresh.text.phrases import lead_hash
from afresh.text.search import View
from afresh.text.tokens import hash_term

Phrase = tuple[str, ...]
"""A name as its terms."""


class Leads:
    """Looks names up in one view of a corpus; many at once cost little more than one."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._visible = max(view.visible, 1)
        self._weights: dict[str, float] = {}

    @property
    def heaviest(self) -> float:
        """The weight of a term that one text has."""
        return float(np.log1p((self._visible - 0.5) / 1.5))

    def weights(self, terms: Collection[str]) -> dict[str, float]:
        """How much each term says, as BM25 has it; one that no text has counts as if one had it."""
        missing = [term for term in dict.fromkeys(terms) if term not in self._weights]
        found = self._view.lexical.having_each([hash_term(term) for term in missing])
        for term, rows in zip(missing, found, strict=True):
            seen = max(int(np.count_nonzero(self._view.mask[rows])), 1)
            self._weights[term] = float(np.log1p((self._visible - seen + 0.5) / (seen + 0.5)))
        return {term: self._weights[term] for term in terms}

    def leading(self, phrases: Collection[Phrase]) -> dict[Phrase, NDArray[np.int64]]:
        """The ids of the texts that begin with all terms of a phrase; phrases without any are left out."""
        terms = list(dict.fromkeys(term for phrase in phrases for term in phrase))
        each = self._view.lexical.having_each([lead_hash(term) for term in terms])
        rows = {term: found[self._view.mask[found]] for term, found in zip(terms, each, strict=True)}
        leading = {}
        for phrase in phrases:
            if not phrase or any(not len(rows[term]) for term in phrase):
                continue
            both = reduce(np.intersect1d, (rows[term] for term in dict.fromkeys(phrase)))
            if len(both):
                leading[phrase] = self._view.ids[both]
        return leading
