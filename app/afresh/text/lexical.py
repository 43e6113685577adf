"""BM25 over hashed terms, in memory.

A store of 100,000 documents answers eight terms in a few milliseconds when the postings lie sorted by term
in three arrays; a join in SQL takes ten times that. Fresh documents wait in a small hash table until it
pays to merge them. Document frequency, count and average length are taken over the rows that a search may
see, so that another project's documents never change a project's ranking.

Rows are numbered from 0 in the order of their arrival by the owner of the index and are never reused.
Not safe for writers in two threads; a reader works on a `snapshot` and may run beside one writer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from afresh.text.threads import Links, shifted
from afresh.text.tokens import TermCounts

MAX_QUERY_TERMS = 64
"""The rarest terms of a longer query are used: they decide, and the work stays bounded."""

BEFORE, AFTER = 0.5, 0.25
"""How much a term counts that stands in the document before or after this one, if they follow one another:
what was asked says more about an answer than an answer about what was asked."""

_MERGE_AT = 200_000
_MAX_FREQUENCY = 0xFFFF


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """What the terms of one query say about each row."""

    bm25: NDArray[np.float32]
    """One for each row; 0 where no term occurs."""
    coverage: NDArray[np.float32]
    """Share of the query's terms that the row has, 0..1, rare terms counting for more."""
    context: NDArray[np.float32]
    """The same with its neighbours' terms, which count for less."""
    matched: NDArray[np.uint8]
    """How many of the query's terms the row has."""
    terms: int
    """How many terms the query has, after the bound."""
    known: float
    """Share of the query's weight, 0..1, whose terms occur in any row that the search may see."""


@dataclass(frozen=True, slots=True)
class _Sealed:
    """Postings sorted by term: the rows of term i stand at starts[i]:starts[i + 1]."""

    terms: NDArray[np.uint64]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    frequencies: NDArray[np.uint16]


def _empty() -> _Sealed:
    return _Sealed(
        np.empty(0, np.uint64), np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.uint16)
    )


class LexicalIndex:
    """Terms to rows, and how long each row's document is."""

    def __init__(self, *, k1: float = 1.0, b: float = 0.4) -> None:
        """k1 and b are BM25's (Robertson & Zaragoza 2009): saturation, and the weight of the length."""
        self._k1, self._b = k1, b
        self._sealed = _empty()
        self._fresh: dict[int, list[int]] = {}
        self._fresh_postings = 0
        self._lengths = np.zeros(1024, np.float32)
        self._rows = 0

    def __len__(self) -> int:
        return self._rows

    @classmethod
    def from_postings(
        cls,
        term_hashes: NDArray[np.uint64],
        rows: NDArray[np.int32],
        frequencies: NDArray[np.uint16],
        *,
        count: int,
        k1: float = 1.0,
        b: float = 0.4,
    ) -> LexicalIndex:
        """Build from postings in any order, for rows 0..count-1; six million take about half a second."""
        index = cls(k1=k1, b=b)
        index._sealed = _seal(term_hashes, rows, frequencies)
        index._lengths = np.bincount(rows, weights=frequencies, minlength=max(count, 1024)).astype(np.float32)
        index._rows = count
        return index

    def add(self, row: int, counts: TermCounts) -> None:
        """Add one document under the next row."""
        if row != self._rows:
            raise ValueError(f"row {row} was added after {self._rows} rows; rows are numbered in order")
        if row >= len(self._lengths):
            grown = np.zeros(len(self._lengths) * 2, np.float32)
            grown[:row] = self._lengths[:row]
            self._lengths = grown
        self._lengths[row] = counts.length
        fresh = self._fresh
        for term, frequency in zip(counts.hashes.tolist(), counts.frequencies.tolist(), strict=True):
            # One integer a posting: an append is atomic, so a reader never sees half of it.
            fresh.setdefault(term, []).append(row << 16 | frequency)
        self._fresh_postings += len(counts.hashes)
        self._rows = row + 1
        if self._fresh_postings >= max(_MERGE_AT, len(self._sealed.rows) // 16):
            self.seal()

    def seal(self) -> None:
        """Merge what was added one by one into the sorted arrays."""
        if not self._fresh:
            return
        each = np.fromiter((len(p) for p in self._fresh.values()), np.int64, len(self._fresh))
        terms = np.repeat(np.fromiter(self._fresh, np.uint64, len(self._fresh)), each)
        packed = np.fromiter(
            (posting for postings in self._fresh.values() for posting in postings), np.int64, int(each.sum())
        )
        addition = _seal(terms, (packed >> 16).astype(np.int32), (packed & 0xFFFF).astype(np.uint16))
        # The order of these two matters to a reader beside us: see `snapshot`.
        self._sealed, self._fresh = _merged(self._sealed, addition), {}
        self._fresh_postings = 0

    def renumbered(self, rows: NDArray[np.int32]) -> LexicalIndex:
        """The same documents under other rows: the new row of each old one, or -1 to leave it out."""
        self.seal()
        sealed = self._sealed
        moved = rows[sealed.rows]
        kept = moved >= 0
        terms = np.repeat(sealed.terms, np.diff(sealed.starts))[kept]
        index = LexicalIndex(k1=self._k1, b=self._b)
        index._sealed = _seal(terms, moved[kept], sealed.frequencies[kept])
        index._rows = int(np.count_nonzero(rows >= 0))
        index._lengths = np.zeros(max(1024, index._rows), np.float32)
        index._lengths[rows[rows >= 0]] = self._lengths[: len(rows)][rows >= 0]
        return index

    def snapshot(self) -> LexicalSnapshot:
        """A view that later additions don't change; take it under the writer's lock."""
        return LexicalSnapshot(self._sealed, self._fresh, self._lengths, self._rows, self._k1, self._b)


@dataclass(frozen=True, slots=True)
class LexicalSnapshot:
    """The index as it was at one moment."""

    _sealed: _Sealed
    _fresh: dict[int, list[int]]
    _lengths: NDArray[np.float32]
    rows: int
    _k1: float
    _b: float

    def scores(
        self,
        query: TermCounts | Sequence[int],
        mask: NDArray[np.bool_] | None = None,
        links: Links | None = None,
    ) -> LexicalScores:
        """Score every row for a query; `mask`, one for each row, says which there are for this search.

        With `links`, which lead to visible rows alone, a row's neighbours lend it their terms.
        """
        hashes, weights = _query(query)
        visible = self.rows if mask is None else int(np.count_nonzero(mask))
        bm25 = np.zeros(self.rows, np.float32)
        coverage = np.zeros(self.rows, np.float32)
        context = coverage if links is None else np.zeros(self.rows, np.float32)
        matched = np.zeros(self.rows, np.uint8)
        if not visible or not len(hashes):
            return LexicalScores(bm25, coverage, context, matched, len(hashes), 0.0)
        lengths = self._lengths[: self.rows]
        if links is not None:
            lengths = (
                lengths + BEFORE * shifted(lengths, links.before) + AFTER * shifted(lengths, links.after)
            )
        average = float(lengths.mean() if mask is None else lengths[mask].mean()) or 1.0
        found = []
        for term, weight in zip(hashes, weights, strict=True):
            rows, frequencies = self._postings(term)
            if mask is not None:
                kept = mask[rows]
                rows, frequencies = rows[kept], frequencies[kept]
            # Lucene's form, which never falls below zero. A term that occurs nowhere counts as one that
            # occurs once: in a store of five documents it would outweigh all the others together.
            seen = max(len(rows), 1)
            found.append((float(np.log1p((visible - seen + 0.5) / (seen + 0.5))), weight, rows, frequencies))
        found.sort(key=lambda item: (len(item[2]) == 0, -item[0]))
        found = found[:MAX_QUERY_TERMS]
        total = sum(idf for idf, *_ in found)
        known = 0.0
        for idf, weight, rows, frequencies in found:
            if not len(rows):
                continue
            known += idf
            coverage[rows] += np.float32(idf / total)
            matched[rows] += 1
            reached, tf = rows, frequencies.astype(np.float32)
            if links is not None:
                reached, tf = self._lent(rows, tf, links)
                context[reached] += np.float32(idf / total) * np.minimum(tf, 1.0)
            norm = self._k1 * (1 - self._b + self._b / average * lengths[reached])
            bm25[reached] += np.float32(idf * weight * (self._k1 + 1)) * tf / (tf + norm)
        return LexicalScores(bm25, coverage, context, matched, len(found), known / total)

    def _lent(
        self, rows: NDArray[np.int32], tf: NDArray[np.float32], links: Links
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The rows that have a term or a neighbour with it, and how much of it."""
        spread = np.zeros(self.rows, np.float32)
        spread[rows] = tf
        # Each row has one neighbour a side, so no target is named twice.
        for pointers, share in ((links.after[rows], BEFORE), (links.before[rows], AFTER)):
            there = pointers >= 0
            spread[pointers[there]] += np.float32(share) * tf[there]
        reached = np.flatnonzero(spread).astype(np.int32)
        return reached, spread[reached]

    def having(self, term: int) -> NDArray[np.int32]:
        """The rows that have a term."""
        return self._postings(term)[0]

    def having_each(self, terms: Sequence[int]) -> list[NDArray[np.int32]]:
        """The rows that have each of these terms; one look-up for many is far cheaper than many for one."""
        sealed = self._sealed
        hashes = np.array(terms, np.uint64)
        places = np.searchsorted(sealed.terms, hashes)
        there = places < len(sealed.terms)
        there[there] = sealed.terms[places[there]] == hashes[there]
        return [
            self._postings(term)[0]
            if term in self._fresh
            else sealed.rows[sealed.starts[at] : sealed.starts[at + 1]]
            if known
            else sealed.rows[:0]
            for term, at, known in zip(terms, places.tolist(), there.tolist(), strict=True)
        ]

    def _postings(self, term: int) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
        sealed = self._sealed
        at = int(np.searchsorted(sealed.terms, np.uint64(term)))
        if at < len(sealed.terms) and int(sealed.terms[at]) == term:
            span = slice(int(sealed.starts[at]), int(sealed.starts[at + 1]))
            rows, frequencies = sealed.rows[span], sealed.frequencies[span]
        else:
            rows, frequencies = sealed.rows[:0], sealed.frequencies[:0]
        fresh = self._fresh.get(term)
        if fresh is None:
            return rows, frequencies
        packed = np.array(fresh[:], np.int64)
        new = (packed >> 16).astype(np.int32)
        before = new < self.rows
        return (
            np.concatenate((rows, new[before])),
            np.concatenate((frequencies, (packed[before] & 0xFFFF).astype(np.uint16))),
        )


def _query(query: TermCounts | Sequence[int]) -> tuple[list[int], list[float]]:
    if isinstance(query, TermCounts):
        # A word said three times in a question matters more, but not three times as much.
        return query.hashes.tolist(), (1 + np.log(query.frequencies.astype(np.float64))).tolist()
    unique = list(dict.fromkeys(query))
    return unique, [1.0] * len(unique)


def _seal(terms: NDArray[np.uint64], rows: NDArray[np.int32], frequencies: NDArray[np.uint16]) -> _Sealed:
    if not len(terms):
        return _empty()
    if not bool(np.all(terms[1:] >= terms[:-1])):
        order = _order(terms)
        terms, rows, frequencies = terms[order], rows[order], frequencies[order]
    first = np.flatnonzero(np.concatenate(([True], terms[1:] != terms[:-1])))
    starts = np.append(first, len(terms)).astype(np.int64)
    return _Sealed(
        np.ascontiguousarray(terms[first], np.uint64),
        starts,
        np.ascontiguousarray(rows, np.int32),
        np.ascontiguousarray(np.minimum(frequencies, _MAX_FREQUENCY), np.uint16),
    )


def _order(terms: NDArray[np.uint64]) -> NDArray[np.int64]:
    """A stable order of the hashes, six times as fast as argsort.

    Position rides in the low bits of the sorted key, and sorting plain integers is what the hardware does
    best. Two hashes that differ in the low bits alone are told apart afterwards, by the slow way.
    """
    low = np.uint64((1 << max(1, (len(terms) - 1).bit_length())) - 1)
    keys = (terms & ~low) | np.arange(len(terms), dtype=np.uint64)
    keys.sort()
    order = (keys & low).astype(np.int64)
    ordered = terms[order]
    same_key = (keys[1:] & ~low) == (keys[:-1] & ~low)
    if bool(np.any(same_key & (ordered[1:] != ordered[:-1]))):
        return np.argsort(terms, kind="stable")
    return order


def _merged(base: _Sealed, addition: _Sealed) -> _Sealed:
    """Put each term's new postings behind its old ones: copies, but no sorting of the large side."""
    terms = np.union1d(base.terms, addition.terms)
    lengths = np.zeros(len(terms), np.int64)
    at_base = np.searchsorted(terms, base.terms)
    at_addition = np.searchsorted(terms, addition.terms)
    base_lengths, addition_lengths = np.diff(base.starts), np.diff(addition.starts)
    lengths[at_base] += base_lengths
    lengths[at_addition] += addition_lengths
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    rows = np.empty(int(starts[-1]), np.int32)
    frequencies = np.empty(int(starts[-1]), np.uint16)
    behind = np.zeros(len(terms), np.int64)
    behind[at_base] = base_lengths
    for part, at, each, offset in (
        (base, at_base, base_lengths, np.zeros(len(terms), np.int64)),
        (addition, at_addition, addition_lengths, behind),
    ):
        shift = starts[at] + offset[at] - part.starts[:-1]
        target = np.arange(len(part.rows)) + np.repeat(shift, each)
        rows[target] = part.rows
        frequencies[target] = part.frequencies
    return _Sealed(terms, starts, rows, frequencies)
