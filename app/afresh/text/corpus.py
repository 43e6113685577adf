"""Everything that can be searched, held in memory: terms and vectors of the same documents.

Searches run in any number of threads beside one writer at a time. A search takes a view under the lock,
which costs microseconds, and works without it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from afresh.text.calibration import BUNDLED_SCALE, Calibration
from afresh.text.lexical import LexicalIndex, LexicalScores, LexicalSnapshot
from afresh.text.ranking import DEFAULT, Evidence, Judged, Weights, fused, judge
from afresh.text.rows import RowTable
from afresh.text.tokens import TermCounts, count_terms, has_word, hash_term, latin_share, names
from afresh.text.vectors import UNKNOWN, VectorIndex, VectorSnapshot

Exact = Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.float32]]]
"""Gives the stored floats of documents: the document of each chunk, and float32 [chunks, dim]."""

RESCORED = 50
"""So many are scored again from the stored floats; the true ten were always among them."""

_RUNNERS_UP = 5
_COMPACT_AT = 1000


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found."""

    doc_id: int
    score: float
    """0..1; from 0.5 it is relevant."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """`dense`, `lexical` and `relevant`, which add up to the score; empty unless asked for."""
    cosine: float | None = None
    """With the best chunk; None where there is no vector."""
    coverage: float = 0.0
    """Share of the query's weight in words that the document has."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search found, best first."""

    hits: tuple[Hit, ...]
    """The relevant ones, then the nearest of the others."""
    relevant: int
    """How many of the first hits are above the floor; 0 means that nothing relevant is known."""
    retrieval: Literal["hybrid", "lexical"]
    considered: int
    """How many documents the search could see."""
    generation: int

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """What is below the floor."""
        return self.hits[self.relevant :]


class Corpus:
    """The documents of one store, for one embedding model or none."""

    def __init__(
        self, dim: int, *, calibration: Calibration = BUNDLED_SCALE, weights: Weights = DEFAULT
    ) -> None:
        """An empty corpus for vectors of `dim` components.

        `calibration` tells where the model's cosines lie; a model that doesn't read a query's script isn't
        asked, and words alone decide.
        """
        self._dim, self._calibration, self._weights = dim, calibration, weights
        self._lock = threading.Lock()
        self._rows = RowTable()
        self._lexical = LexicalIndex()
        self._vectors = VectorIndex(dim)
        self._generation = 0

    @property
    def generation(self) -> int:
        """Grows with each change."""
        return self._generation

    def __len__(self) -> int:
        """How many documents can be found."""
        with self._lock:
            return len(self._rows) - self._rows.dead

    def load(
        self,
        term_hashes: NDArray[np.uint64],
        doc_ids: NDArray[np.int64],
        frequencies: NDArray[np.uint16],
        vectors: Iterable[tuple[NDArray[np.int64], NDArray[np.float32]]] = (),
    ) -> None:
        """Replace everything: postings in any order, and blocks of (document of each chunk, [chunks, dim]).

        A vector of a document without postings is kept too. Searches go on with what was there before.
        """
        blocks = list(vectors)
        ids = np.unique(np.concatenate([doc_ids, *(owners for owners, _ in blocks)]).astype(np.int64))
        lexical = LexicalIndex.from_postings(
            term_hashes, np.searchsorted(ids, doc_ids).astype(np.int32), frequencies, count=len(ids)
        )
        index = VectorIndex(self._dim)
        for owners, floats in blocks:
            index.extend(np.searchsorted(ids, owners).astype(np.int32), floats)
        with self._lock:
            self._rows, self._lexical, self._vectors = RowTable(ids), lexical, index
            self._generation += 1

    def put(self, doc_id: int, counts: TermCounts) -> None:
        """Add a document, or replace one; the vectors of its former text are dropped."""
        with self._lock:
            old = self._rows.row(doc_id)
            if old is not None:
                self._vectors.remove(old)
            self._lexical.add(self._rows.append(doc_id), counts)
            self._generation += 1
            self._compact_if_due()

    def put_vectors(self, doc_id: int, vectors: NDArray[np.float32]) -> bool:
        """Set a document's chunks, float32 [chunks, dim]; False where the document isn't there (any more)."""
        with self._lock:
            row = self._rows.row(doc_id)
            if row is None:
                return False
            self._vectors.remove(row)
            self._vectors.add(row, vectors)
            self._generation += 1
            return True

    def remove(self, doc_id: int) -> bool:
        """Forget a document; False where it wasn't there."""
        with self._lock:
            row = self._rows.kill(doc_id)
            if row is None:
                return False
            self._vectors.remove(row)
            self._generation += 1
            self._compact_if_due()
            return True

    def search(
        self,
        query_text: str,
        query_vector: NDArray[np.float32] | None,
        *,
        mask_ids: NDArray[np.int64] | None = None,
        k: int = 10,
        exact: Exact | None = None,
        explain: bool = False,
    ) -> Ranking:
        """Rank the documents for a query.

        `mask_ids` says which documents the search may see (sorted; None: all); frequencies and averages
        are taken over these alone. `exact` scores the best again from the stored floats.
        """
        if k < 1:
            raise ValueError(f"k is {k}; at least one hit must be asked for")
        view = self._view(mask_ids)
        if not has_word(query_text):
            return Ranking((), 0, "lexical", view.visible, view.generation)
        words = view.lexical.scores(count_terms(query_text), view.mask)
        cosine = self._cosines(view, query_text, query_vector)
        known = cosine[view.mask & (cosine > UNKNOWN)]
        retrieval: Literal["hybrid", "lexical"] = "hybrid" if len(known) else "lexical"
        rows = np.flatnonzero(view.mask if len(known) else view.mask & (words.matched > 0))
        if not len(rows):
            return Ranking((), 0, retrieval, view.visible, view.generation)
        background = float(known.mean()) if len(known) else 0.0
        unnamed, unknown_names = _names(query_text, view)
        whole = _Search(
            view, words, cosine, unnamed, len(known), background, _runners_up(known), unknown_names
        )
        dense, lexical = fused(whole.evidence(rows), self._weights)
        wanted = max(RESCORED, k)
        # Words alone can pass the floor below many middling cosines, so the best by words are judged too.
        best = np.union1d(_top(dense + lexical, wanted), _top(words.coverage[rows], RESCORED))
        rows = rows[best]
        if exact is not None and query_vector is not None and len(known):
            _rescore(cosine, rows, view, exact, query_vector, self._calibration)
        judged = judge(whole.evidence(rows), self._weights)
        # Equal scores: the younger document first, so that two runs agree.
        order = np.lexsort((-view.ids[rows], -judged.score))[:k]
        hits = tuple(
            Hit(
                doc_id=int(view.ids[rows[i]]),
                score=round(float(judged.score[i]), 6),
                parts=_parts(judged, int(i)) if explain else {},
                cosine=None if cosine[rows[i]] <= UNKNOWN else round(float(cosine[rows[i]]), 6),
                coverage=round(float(words.coverage[rows[i]]), 6),
            )
            for i in order
        )
        relevant = int(np.count_nonzero(judged.relevant[order]))
        return Ranking(hits, relevant, retrieval, view.visible, view.generation)

    def _view(self, mask_ids: NDArray[np.int64] | None) -> _View:
        with self._lock:
            rows = self._rows
            if mask_ids is None:
                mask = rows.alive.copy()
            else:
                mask = np.zeros(len(rows), np.bool_)
                mask[rows.rows(mask_ids)] = True
            return _View(rows.ids, mask, self._lexical.snapshot(), self._vectors.snapshot(), self._generation)

    def _cosines(self, view: _View, text: str, vector: NDArray[np.float32] | None) -> NDArray[np.float32]:
        if vector is None or not (self._calibration.every_script or latin_share(text) >= 0.5):
            return np.full(len(view.mask), UNKNOWN, np.float32)
        found = view.vectors.scores(vector, len(view.mask), view.mask)
        return np.where(found > UNKNOWN, self._calibration.on_scale(found), UNKNOWN)

    def _compact_if_due(self) -> None:
        """Drop dead rows once they are many; takes about as long as a load, and is as rare."""
        if self._rows.dead < max(_COMPACT_AT, len(self._rows) // 4):
            return
        alive = np.flatnonzero(self._rows.alive)
        ids = self._rows.ids[alive]
        order = np.argsort(ids)
        renumbered = np.full(len(self._rows), -1, np.int32)
        renumbered[alive[order]] = np.arange(len(alive), dtype=np.int32)
        self._lexical = self._lexical.renumbered(renumbered)
        self._vectors = self._vectors.renumbered(renumbered)
        self._rows = RowTable(ids[order])


@dataclass(frozen=True, slots=True)
class _View:
    """One moment of the corpus, and what one search may see of it."""

    ids: NDArray[np.int64]
    mask: NDArray[np.bool_]
    lexical: LexicalSnapshot
    vectors: VectorSnapshot
    generation: int

    @property
    def visible(self) -> int:
        return int(np.count_nonzero(self.mask))


@dataclass(frozen=True, slots=True)
class _Search:
    """What the indexes say about all rows."""

    view: _View
    words: LexicalScores
    cosine: NDArray[np.float32]
    unnamed: NDArray[np.bool_]
    embedded: int
    background: float
    runners_up: float
    unknown_names: int

    def evidence(self, rows: NDArray[np.int64]) -> Evidence:
        cosine = self.cosine[rows]
        return Evidence(
            cosine=np.where(cosine > UNKNOWN, cosine, np.float32(np.nan)),
            bm25=self.words.bm25[rows],
            coverage=self.words.coverage[rows],
            matched=self.words.matched[rows],
            unnamed=self.unnamed[rows],
            terms=self.words.terms,
            known=self.words.known,
            best_bm25=float(self.words.bm25.max()),
            embedded=self.embedded,
            background=self.background,
            runners_up=self.runners_up,
            unknown_names=self.unknown_names,
        )


def _names(text: str, view: _View) -> tuple[NDArray[np.bool_], int]:
    """Which rows lack a name that the query has, and how many of its names no row has."""
    lacking = np.zeros(len(view.mask), np.bool_)
    unknown = 0
    for terms in names(text):
        having = np.zeros(len(view.mask), np.bool_)
        for term in terms:
            having[view.lexical.having(hash_term(term))] = True
        lacking |= ~having
        unknown += not bool((having & view.mask).any())
    return lacking, unknown


def _runners_up(cosines: NDArray[np.float32]) -> float:
    """Mean of the second to sixth best; what a small store lacks of them counts as unrelated."""
    best = np.full(_RUNNERS_UP + 1, BUNDLED_SCALE.unrelated, np.float32)
    found = cosines[_top(cosines, len(best))]
    best[: len(found)] = np.sort(found)[::-1]
    return float(best[1:].mean())


def _rescore(
    cosine: NDArray[np.float32],
    rows: NDArray[np.int64],
    view: _View,
    exact: Exact,
    query: NDArray[np.float32],
    calibration: Calibration,
) -> None:
    """Put the exact cosines of these rows in the place of the approximate ones."""
    rows = rows[cosine[rows] > UNKNOWN]
    by_id = rows[np.argsort(view.ids[rows])]
    owners, vectors = exact(view.ids[by_id])
    if not len(owners):
        return
    at = np.searchsorted(view.ids[by_id], owners)
    ours = at < len(by_id)
    ours[ours] = view.ids[by_id][at[ours]] == owners[ours]
    best = np.full(len(by_id), UNKNOWN, np.float32)
    np.maximum.at(best, at[ours], (vectors @ query)[ours])
    # A vector that went away since the view was taken keeps its approximation.
    found = best > UNKNOWN
    cosine[by_id[found]] = calibration.on_scale(best[found])


def _top(values: NDArray[np.floating[Any]], count: int) -> NDArray[np.int64]:
    if len(values) <= count:
        return np.arange(len(values))
    return np.argpartition(-values, count - 1)[:count]


def _parts(judged: Judged, at: int) -> Mapping[str, float]:
    dense, lexical = round(float(judged.dense[at]), 6), round(float(judged.lexical[at]), 6)
    score = round(float(judged.score[at]), 6)
    return {"dense": dense, "lexical": lexical, "relevant": round(score - dense - lexical, 6)}
