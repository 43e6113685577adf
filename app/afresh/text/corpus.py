"""Everything that can be searched, held in memory: terms and vectors of the same documents.

Searches run in any number of threads beside one writer at a time. A search takes a view under the lock,
which costs microseconds, and works without it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from afresh.text.calibration import BUNDLED_SCALE, Calibration
from afresh.text.lexical import LexicalIndex
from afresh.text.ranking import DEFAULT, Weights
from afresh.text.rows import RowTable
from afresh.text.search import Asked, Exact, Hit, Ranking, View, search
from afresh.text.surroundings import Texts
from afresh.text.threads import ALONE, Place, Places, Threads
from afresh.text.tokens import TermCounts
from afresh.text.vectors import VectorIndex

__all__ = ["Corpus", "Exact", "Hit", "Place", "Places", "Ranking", "Texts"]

_COMPACT_AT = 1000


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
        self._threads = Threads()
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
        places: Places | None = None,
    ) -> None:
        """Replace everything: postings in any order, and blocks of (document of each chunk, [chunks, dim]).

        `places` says of documents where they stand; the others stand alone. A vector of a document
        without postings is kept too. Searches go on with what was there before.
        """
        blocks = list(vectors)
        ids = np.unique(np.concatenate([doc_ids, *(owners for owners, _ in blocks)]).astype(np.int64))
        lexical = LexicalIndex.from_postings(
            term_hashes, np.searchsorted(ids, doc_ids).astype(np.int32), frequencies, count=len(ids)
        )
        index = VectorIndex(self._dim)
        for owners, floats in blocks:
            index.extend(np.searchsorted(ids, owners).astype(np.int32), floats)
        threads = Threads.of(ids, places or (ids[:0], ids[:0], ids[:0]))
        with self._lock:
            self._rows, self._lexical, self._vectors = RowTable(ids), lexical, index
            self._threads = threads
            self._generation += 1

    def put(self, doc_id: int, counts: TermCounts, place: Place = ALONE) -> None:
        """Add a document, or replace one; the vectors of its former text are dropped."""
        with self._lock:
            old = self._rows.row(doc_id)
            if old is not None:
                self._vectors.remove(old)
                self._threads.remove(old)
            row = self._rows.append(doc_id)
            self._lexical.add(row, counts)
            self._threads.add(row, doc_id, place)
            self._generation += 1
            self._compact_if_due()

    def move(self, doc_id: int, place: Place) -> bool:
        """Set where a document stands, its text being the same; False where it isn't there."""
        with self._lock:
            row = self._rows.row(doc_id)
            if row is None:
                return False
            self._threads.move(row, doc_id, place)
            self._generation += 1
            return True

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
            self._threads.remove(row)
            self._generation += 1
            self._compact_if_due()
            return True

    def search(
        self,
        query_text: str,
        query_vector: NDArray[np.float32] | None,
        *,
        mask_ids: NDArray[np.int64] | None = None,
        said: str | None = None,
        k: int = 10,
        exact: Exact | None = None,
        texts: Texts | None = None,
        explain: bool = False,
    ) -> Ranking:
        """Rank the documents for a query.

        `mask_ids` says which documents the search may see (sorted; None: all); frequencies and averages
        are taken over these alone. `said` is the whole question where `query_text` is its topic without
        the words about time: the days that it names count. `exact` scores the best again from the stored
        floats; `texts` lets names in the best documents lead to others.
        """
        if k < 1:
            raise ValueError(f"k is {k}; at least one hit must be asked for")
        asked = Asked(
            query_text, query_vector, said or query_text, k=k, exact=exact, texts=texts, explain=explain
        )
        return search(self.view(mask_ids), asked, self._calibration, self._weights)

    def view(self, mask_ids: NDArray[np.int64] | None) -> View:
        """One moment of the corpus, in which these documents (None: all) can be seen."""
        with self._lock:
            rows = self._rows
            if mask_ids is None:
                mask = rows.alive.copy()
            else:
                mask = np.zeros(len(rows), np.bool_)
                mask[rows.rows(mask_ids)] = True
            count = len(rows)
            return View(
                rows.ids,
                mask,
                self._lexical.snapshot(),
                self._vectors.snapshot(),
                self._threads.links(count),
                self._threads.days(count),
                self._generation,
            )

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
        self._threads = self._threads.renumbered(renumbered)
        self._rows = RowTable(ids[order])
