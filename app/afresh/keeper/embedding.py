"""The model and the queue of vectors: loaded behind the first calls, worked off behind everything else."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence

import numpy as np

from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.errors import AfreshError
from afresh.keeper.system import return_freed_memory
from afresh.settings import Settings
from afresh.store import vectors
from afresh.store.owners import OWNERS, Owner
from afresh.text.chunks import chunks
from afresh.text.embedding import Unavailable, choose

_LOG = logging.getLogger(__name__)
_REST_AFTER_S = 10.0
_HEAD_START_S = 2.0
"""How long the model lets the first call go ahead: loading it takes half the processor from that call."""
_TEXTS_AT_ONCE = 64
"""Texts that are stored in one transaction; the model gets them in eights."""
_TEXTS_SORTED = 256
"""Texts that one round takes from the queue and sorts by length, since padding is work."""


class EmbeddingQueue:
    """Loads the model, then turns queued texts into vectors until it is closed."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings
        self._closing = threading.Event()
        self._idle = threading.Event()
        self._wanted = threading.Event()
        self._thread = threading.Thread(target=self._work, name="embedding", daemon=True)
        self.embedded = 0
        """Texts embedded since the start."""

    def start(self) -> None:
        self._thread.start()

    def want(self) -> None:
        """Load the model now, if it isn't loaded yet."""
        self._wanted.set()

    def close(self) -> None:
        """End after the round that runs; what is queued stays in the store."""
        self._closing.set()
        self._wanted.set()
        self._engine.vectors_wanted.set()
        self._thread.join(timeout=30)

    @property
    def busy(self) -> bool:
        return not self._idle.is_set()

    def pending(self) -> int:
        with self._engine.store.read() as cursor:
            return vectors.pending(cursor, None)

    def wait(self, call: Call) -> None:
        """Wait until the queue is empty, telling how far it is."""
        self._wanted.set()
        self._engine.model.ready.wait()
        total = self.pending()
        while self._engine.model.embedder is not None and (left := self.pending()):
            call.check()
            total = max(total, left)
            call.emit(
                {
                    "kind": "progress",
                    "phase": "embed",
                    "done": total - left,
                    "total": total,
                    "message": f"{left} texts to embed",
                }
            )
            call.cancelled.wait(0.2)

    def _work(self) -> None:
        self._wanted.wait(timeout=_HEAD_START_S)
        try:
            if not self._closing.is_set():
                self._load()
        finally:
            self._engine.model.ready.set()
        if self._engine.model.embedder is None:
            self._idle.set()
            return
        while not self._closing.is_set():
            self._engine.vectors_wanted.clear()
            try:
                if self._round():
                    self._idle.clear()
                    continue
            except AfreshError as error:
                _LOG.error("the queue of vectors rests: %s", error.message)
            self._idle.set()
            if not self._engine.vectors_wanted.wait(timeout=_REST_AFTER_S):
                self._rest()
                self._engine.vectors_wanted.wait()

    def _rest(self) -> None:
        """Give memory back after a while without anything to embed."""
        if self._engine.model.embedder is not None:
            self._engine.model.embedder.rest()
        return_freed_memory()

    def _load(self) -> None:
        started = time.perf_counter()
        try:
            chosen = choose(self._settings.embed_model, self._settings.models)
        except AfreshError as error:
            chosen = Unavailable(error.message)
        model = self._engine.model
        if isinstance(chosen, Unavailable):
            model.source = chosen.reason
            _LOG.warning("no embedding model: %s", chosen.reason)
            return
        waiting = self._engine.use_model(chosen)
        model.source = "bundled" if self._settings.embed_model == "bundled" else "named"
        _LOG.info(
            "model %s in %.0f ms, %d texts queued", model.id, (time.perf_counter() - started) * 1000, waiting
        )

    def _round(self) -> bool:
        """Embed some of what is queued; whether there was any."""
        embedder = self._engine.model.embedder
        if embedder is None:
            return False
        for owner in OWNERS:
            with self._engine.store.read() as cursor:
                taken = vectors.next_batch(cursor, owner, _TEXTS_SORTED)
            if taken:
                taken.sort(key=lambda queued: len(queued[1]))
                for start in range(0, len(taken), _TEXTS_AT_ONCE):
                    if self._closing.is_set():
                        break
                    self._embed(owner, taken[start : start + _TEXTS_AT_ONCE])
                return True
        return False

    def _embed(self, owner: Owner, batch: Sequence[tuple[int, str]]) -> None:
        embedder = self._engine.model.embedder
        if embedder is None:
            return
        parts: list[str] = []
        owners: list[int] = []
        for id_, text in batch:
            for start, end in chunks(text):
                parts.append(text[start:end])
                owners.append(id_)
        matrix = embedder.passages(parts, background=True)
        owning = np.array(owners)
        found = {id_: matrix[owning == id_] for id_, _text in batch}
        with self._engine.exclusive():
            with self._engine.write() as tx:
                current = dict(vectors.texts_of(tx, owner, list(found)))
                same = {id_: found[id_] for id_, text in batch if current.get(id_) == text}
                vectors.put(tx, owner, embedder.model_id, same)
                vectors.done(tx, owner, [id_ for id_, _text in batch if id_ in same or id_ not in current])
            for id_, rows in same.items():
                self._engine.put_vectors(owner, id_, rows)
        self.embedded += len(batch)
