"""What every verb works with: the store, the two corpora kept in memory, the model and the clock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from afresh.contracts import KeeperStatus, Redaction, WatchStatus
from afresh.engine.drift_cache import DriftCache
from afresh.engine.imports import Imports
from afresh.engine.llm_access import LlmAccess
from afresh.engine.worlds import Readings, Worlds
from afresh.store import memories, memos, places, postings, vectors
from afresh.store.cursor import Transaction
from afresh.store.database import Store
from afresh.store.memos import Memo
from afresh.store.owners import OWNERS, Owner
from afresh.text.calibration import calibrate
from afresh.text.chunks import chunks
from afresh.text.corpus import Corpus, Exact, Place
from afresh.text.embedding import Embedder
from afresh.text.exact_vectors import ExactVectors
from afresh.text.phrases import document_terms
from afresh.text.redact import redact
from afresh.text.tokens import TermCounts

_NO_DIM = 1
"""Of a corpus that has no vectors yet, because no model is there."""


class Surroundings(Protocol):
    """What only the process around the engine knows; it goes into the status."""

    def watch_status(self, root: str | None) -> WatchStatus: ...

    def indexing_root(self, root: str | None) -> bool: ...

    def keeper_status(self) -> KeeperStatus: ...


@dataclass(slots=True)
class Model:
    """The embedding model as it stands: loading, there, or absent with a reason."""

    embedder: Embedder | None = None
    source: str = "loading"
    """bundled, named, none, loading, or why there is none."""
    ready: threading.Event = field(default_factory=threading.Event)
    """Set when loading has ended, in success or not."""

    @property
    def id(self) -> str | None:
        return self.embedder.model_id if self.embedder else None

    @property
    def note(self) -> str | None:
        """Why recall is lexical, for a result; None where there is a model."""
        if self.embedder:
            return None
        if self.source == "loading":
            return "the embedding model is still being loaded; only words are matched"
        return f"no embedding model ({self.source}); only words are matched"


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a user can set of the verbs; see `afresh.settings`."""

    snapshot_bytes: int = 256 * 1024 * 1024
    """What the kept contents of recorded files may take together, compressed."""
    fiscal_month: int = 1
    """The month in which the fiscal year begins."""
    contradiction_policy: str = "resolve"
    """resolve: an answer that is contradicted has a caveat; abstain: it is refused."""
    contradiction_scorer: str = ""
    """llm or rules; empty: the model where there is one."""
    cache_folder: Path | None = None
    """For files of this process alone; default: beside the database."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """A text's terms and, where a model was there, its chunks' vectors."""

    terms: TermCounts
    vectors: NDArray[np.float32] | None
    """float32[chunks, dim]; None: they follow from the queue."""


class Engine:
    """The verbs' common ground. Safe from any thread: writes go through `write`, one at a time."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], datetime],
        model: Model,
        surroundings: Surroundings,
        preferences: Preferences = Preferences(),
        llm: LlmAccess | None = None,
    ) -> None:
        self.store = store
        self.clock = clock
        self.model = model
        self.surroundings = surroundings
        self.corpora: dict[Owner, Corpus] = {owner: Corpus(_NO_DIM) for owner in OWNERS}
        self._exact: dict[Owner, ExactVectors] = {}
        self._cache_folder = preferences.cache_folder or store.path.parent / "cache"
        self.imports = Imports()
        self.drifts = DriftCache()
        self.worlds = Worlds()
        self.readings = Readings()
        self.preferences = preferences
        self.llm = llm or LlmAccess()
        self.vectors_wanted = threading.Event()
        """Set when something was put into the queue of vectors."""
        self._writing = threading.RLock()
        self._queued = False
        self._memos: dict[int, tuple[int, Mapping[int, Memo]]] = {}

    # --- reading the corpora back -------------------------------------------------------------------

    def load_postings(self) -> None:
        """Fill the lexical side of both corpora from the store."""
        with self.store.read() as cursor:
            for owner in OWNERS:
                standing = places.load(cursor) if owner == "memory" else None
                self.corpora[owner].load(*postings.load(cursor, owner), places=standing)

    def use_model(self, embedder: Embedder) -> int:
        """Search with this model from now on; returns how many texts still lack its vectors.

        They are queued; vectors of other models stay stored and unused.
        """
        scale = calibrate(embedder)
        with self.exclusive():
            with self.write() as tx:
                waiting = sum(vectors.enqueue_missing(tx, owner, embedder.model_id) for owner in OWNERS)
            with self.store.read() as cursor:
                for owner in OWNERS:
                    corpus = Corpus(embedder.dim, calibration=scale)
                    exact = ExactVectors(self._cache_folder, embedder.dim)
                    blocks = vectors.load(cursor, owner, embedder.model_id)
                    standing = places.load(cursor) if owner == "memory" else None
                    corpus.load(*postings.load(cursor, owner), _kept(blocks, exact), standing)
                    self.corpora[owner] = corpus
                    if (earlier := self._exact.get(owner)) is not None:
                        earlier.close()
                    self._exact[owner] = exact
            self.model.embedder = embedder
        self.vectors_wanted.set()
        return waiting

    def memos_of(self, project_id: int) -> Mapping[int, Memo]:
        """A project's memos with their files, by id; read again only after something was written."""
        # Taken before the reading begins: what is written meanwhile makes the next call read again.
        generation = self.store.generation
        kept = self._memos.get(project_id)
        if kept is None or kept[0] != generation:
            with self.store.read() as cursor:
                kept = (generation, {memo.id: memo for memo in memos.of_project(cursor, project_id)})
            self._memos[project_id] = kept
        return kept[1]

    # --- writing --------------------------------------------------------------------------------------

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """One transaction; what it changes in the corpora is put there before the next one begins."""
        with self._writing:
            with self.store.write() as tx:
                yield tx
            if self._queued:
                self._queued = False
                self.vectors_wanted.set()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep other writers out across a transaction and the corpus changes that follow it."""
        with self._writing:
            yield

    def index_text(self, text: str, *, embed: bool = True) -> Indexed:
        """A text's terms and vectors, computed outside any transaction."""
        embedder = self.model.embedder if embed else None
        if embedder is None:
            return Indexed(document_terms(text), None)
        parts = [text[start:end] for start, end in chunks(text)]
        return Indexed(document_terms(text), embedder.passages(parts))

    def store_index(self, tx: Transaction, owner: Owner, items: Mapping[int, Indexed]) -> None:
        """Put terms, and vectors or their places in the queue, beside the rows that they belong to."""
        postings.put(
            tx, owner, {id_: (item.terms.hashes, item.terms.frequencies) for id_, item in items.items()}
        )
        ready = {id_: item.vectors for id_, item in items.items() if item.vectors is not None}
        if ready and self.model.id:
            vectors.put(tx, owner, self.model.id, ready)
        waiting = [id_ for id_, item in items.items() if item.vectors is None]
        if waiting:
            vectors.enqueue(tx, owner, waiting)
            # Told after the commit: a queue that looks before it would find nothing and rest.
            self._queued = True

    def exact(self, owner: Owner) -> Exact | None:
        """Stored vectors by id, to score the best candidates again; None without a model."""
        model_id = self.model.id
        if model_id is None:
            return None

        def stored(ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
            held = self._exact[owner].of(ids.tolist()) if owner in self._exact else None
            if held is not None:
                return held
            with self.store.read() as cursor:
                found = vectors.of(cursor, owner, model_id, ids.tolist())
            owners = np.fromiter((id_ for id_, _ in found), dtype=np.int64, count=len(found))
            return owners, np.array([vector for _, vector in found], dtype=np.float32)

        return stored

    def texts(self, ids: NDArray[np.int64]) -> Mapping[int, str]:
        """The texts of memories by id, for names in the best to lead to others."""
        with self.store.read() as cursor:
            return {memory.id: memory.content for memory in memories.get(cursor, ids.tolist())}

    def find_again(self, owner: Owner, texts: Mapping[int, str]) -> None:
        """Put rows that came back (an undone deletion) into the corpus. Call inside `exclusive`."""
        corpus = self.corpora[owner]
        standing = self._places(owner, texts)
        for id_, text in texts.items():
            corpus.put(id_, document_terms(text), standing.get(id_, Place()))
        exact = self.exact(owner)
        if exact is not None and texts:
            owners, matrix = exact(np.array(sorted(texts), dtype=np.int64))
            for id_ in texts:
                if (owners == id_).any():
                    self.put_vectors(owner, id_, matrix[owners == id_])

    def drop_index(self, tx: Transaction, owner: Owner, ids: Sequence[int]) -> None:
        """Take terms, vectors and queue places away, because the text changed."""
        postings.remove(tx, owner, ids)
        vectors.remove(tx, owner, ids)

    def search_index(self, owner: Owner, items: Mapping[int, Indexed]) -> None:
        """Make what was committed findable. Call inside `exclusive`, after the transaction."""
        corpus = self.corpora[owner]
        standing = self._places(owner, items)
        for id_, item in items.items():
            corpus.put(id_, item.terms, standing.get(id_, Place()))
            if item.vectors is not None:
                self.put_vectors(owner, id_, item.vectors)

    def place_again(self, ids: Collection[int]) -> None:
        """Let memories stand where their rows say now. Call inside `exclusive`."""
        for id_, place in self._places("memory", ids).items():
            self.corpora["memory"].move(id_, place)

    def _places(self, owner: Owner, ids: Collection[int]) -> Mapping[int, Place]:
        """Where these stand among others; memos stand alone."""
        if owner != "memory" or not ids:
            return {}
        with self.store.read() as cursor:
            found = places.of(cursor, ids)
        return {
            id_: Place(thread, None if time == places.NO_TIME else time)
            for id_, thread, time in zip(*(column.tolist() for column in found), strict=True)
        }

    def put_vectors(self, owner: Owner, id_: int, chunks: NDArray[np.float32]) -> None:
        """Make a text findable by these vectors, float32[chunks, dim]. Call inside `exclusive`."""
        self.corpora[owner].put_vectors(id_, chunks)
        if owner in self._exact:
            self._exact[owner].put(np.full(len(chunks), id_, np.int64), chunks)


def _kept(
    blocks: Iterable[vectors.Block], exact: ExactVectors
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
    """Pass blocks on to be searched, and keep what they are exactly."""
    for ids, _chunks, matrix in blocks:
        exact.put(ids, matrix)
        yield ids, matrix


class Redactor:
    """Redacts the texts of one call and counts what it found."""

    def __init__(self) -> None:
        self._found: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        redacted = redact(text)
        for kind, count in redacted.found:
            self._found[kind] = self._found.get(kind, 0) + count
        return redacted.text

    @property
    def found(self) -> list[Redaction]:
        return [Redaction(kind=kind, count=count) for kind, count in sorted(self._found.items())]
