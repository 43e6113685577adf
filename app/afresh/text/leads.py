"""What begins with a name, what mentions it, and how rare a term is, in what one search may see.

The graph of names: a text that mentions a name leads to the texts that begin with it, and less surely to
those that mention it too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from afresh.text.phrases import lead_hash
from afresh.text.search import View
from afresh.text.tokens import hash_term

Phrase = tuple[str, ...]
"""A name as its terms."""
_Rows = dict[str, NDArray[np.int32]]
_Found = dict[Phrase, tuple[int, ...]]


class Leads:
    """Looks names up in one view of a corpus; many at once cost little more than one."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._visible = max(view.visible, 1)
        self._plain: _Rows = {}
        self._leading: _Rows = {}
        self._begun: _Found = {}
        self._mentioned: _Found = {}
        self._row_of: dict[int, int] = {}

    @property
    def heaviest(self) -> float:
        """The weight of a term that one text has."""
        return float(np.log1p((self._visible - 0.5) / 1.5))

    def weights(self, terms: Collection[str]) -> dict[str, float]:
        """How much each term says, as BM25 has it; one that no text has counts as if one had it."""
        rows = self._rows(terms, self._plain, hash_term)
        return {
            term: float(np.log1p((self._visible - seen + 0.5) / (seen + 0.5)))
            for term, seen in ((term, max(len(rows[term]), 1)) for term in terms)
        }

    def leading(self, phrases: Collection[Phrase], most: int) -> dict[Phrase, tuple[int, ...]]:
        """The ids of the texts that begin with all terms of a phrase.

        Phrases without any are left out; of one with more than `most` only so many and one are told.
        """
        return self._having(phrases, most, self._begun, self._leading, lead_hash)

    def mentioning(self, phrases: Collection[Phrase], most: int) -> dict[Phrase, tuple[int, ...]]:
        """The ids of the texts that have all terms of a phrase anywhere; bounded as `leading` is."""
        return self._having(phrases, most, self._mentioned, self._plain, hash_term)

    def terms_of(self, ids: Collection[int], asked: Collection[str]) -> dict[int, set[str]]:
        """Which of some terms each text has that a phrase has led to; read off the index, not the text."""
        rows = np.array([self._row_of[id_] for id_ in ids], np.int64)
        found: dict[int, set[str]] = {id_: set() for id_ in ids}
        having = np.zeros(len(self._view.mask), np.bool_)
        for term, all_rows in zip(asked, self._rows_of(asked), strict=True):
            having[all_rows] = True
            for id_, has in zip(ids, having[rows].tolist(), strict=True):
                if has:
                    found[id_].add(term)
            having[all_rows] = False
        return found

    def _having(
        self,
        phrases: Collection[Phrase],
        most: int,
        found: _Found,
        known: _Rows,
        hashed: Callable[[str], int],
    ) -> _Found:
        fresh = [phrase for phrase in phrases if phrase and phrase not in found]
        rows = self._rows({term for phrase in fresh for term in phrase}, known, hashed)
        for phrase in fresh:
            shortest = sorted((rows[term] for term in dict.fromkeys(phrase)), key=len)
            both = reduce(lambda a, b: a if not len(a) else np.intersect1d(a, b, True), shortest)[: most + 1]
            ids = self._view.ids[both].tolist()
            self._row_of.update(zip(ids, both.tolist(), strict=True))
            found[phrase] = tuple(ids)
        return {phrase: found[phrase] for phrase in phrases if phrase and found[phrase]}

    def _rows_of(self, terms: Collection[str]) -> list[NDArray[np.int32]]:
        rows = self._rows(terms, self._plain, hash_term)
        return [rows[term] for term in terms]

    def _rows(
        self, terms: Collection[str], known: _Rows, hashed: Callable[[str], int]
    ) -> Mapping[str, NDArray[np.int32]]:
        missing = [term for term in dict.fromkeys(terms) if term not in known]
        found = self._view.lexical.having_each([hashed(term) for term in missing])
        for term, rows in zip(missing, found, strict=True):
            known[term] = rows[self._view.mask[rows]]
        return known
