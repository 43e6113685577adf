"""A real engine over a real database, with the bundled model, for the tests of the verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.app.engine.scenario import LOCKS, LONG_AGO, commit
from tests.repositories import git

from afresh.checking import check
from afresh.contracts import KeeperStatus, Result, WatchStatus
from afresh.engine.calls import Call, Caller
from afresh.engine.core import Engine, Model
from afresh.engine.dispatch import ANSWERS
from afresh.store.database import Store
from afresh.text.embedding import Embedder, load_bundled
from afresh.verbs import VERBS


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **delta: float) -> None:
        self.now += timedelta(**delta)


class NoSurroundings:
    """What a process around the engine would know, when there is none."""

    def watch_status(self, root: str | None) -> WatchStatus:
        return WatchStatus(mode="off", lag_ms=None, last_change=None)

    def indexing_root(self, root: str | None) -> bool:
        return False

    def keeper_status(self) -> KeeperStatus:
        return KeeperStatus(pid=1, version="0", uptime_s=0, database_bytes=0)


@dataclass
class Desk:
    """An engine, and a workspace from which it is called."""

    engine: Engine
    clock: Clock
    root: Path

    def ask(self, verb: str, *, cwd: Path | None = None, kind: str = "agent", **arguments: Any) -> Any:
        """Call a verb as an agent in the workspace would; the result is of the verb's type."""
        caller = Caller(cwd=cwd or self.root, client="test", kind=kind)  # type: ignore[arg-type]
        result: Result = ANSWERS[verb](self.engine, check(VERBS[verb].arguments, arguments), Call(caller))
        # What a face would send has to be JSON.
        result.model_dump(mode="json")
        return result


@pytest.fixture(scope="session")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return load_bundled(tmp_path_factory.mktemp("models"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A repository with a few source files."""
    root = tmp_path / "shop"
    (root / "billing").mkdir(parents=True)
    (root / "billing" / "locks.py").write_text(
        "class Lock:\n    def acquire(self):\n        return True\n\n"
        "    def release(self):\n        return None\n",
        encoding="utf-8",
    )
    (root / "billing" / "invoice.py").write_text(
        "def total(lines):\n    return sum(lines)\n", encoding="utf-8"
    )
    (root / "main.py").write_text(
        "from billing import invoice\n\nprint(invoice.total([1, 2]))\n", encoding="utf-8"
    )
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "start")
    return root


@pytest.fixture
def desk(tmp_path: Path, workspace: Path, embedder: Embedder) -> Iterator[Desk]:
    clock = Clock()
    with open_engine(tmp_path / "home", clock, embedder) as engine:
        yield Desk(engine, clock, workspace)


@pytest.fixture
def locks(desk: Desk) -> Path:
    """A file of locks in the desk's repository, committed long ago."""
    path = desk.root / "billing" / "locks.py"
    path.write_text(LOCKS, encoding="utf-8")
    commit(desk.root, "locks with a timeout", when=LONG_AGO)
    return path


@pytest.fixture
def lexical_desk(tmp_path: Path, workspace: Path) -> Iterator[Desk]:
    """The same without a model."""
    clock = Clock()
    with open_engine(tmp_path / "home", clock, None) as engine:
        yield Desk(engine, clock, workspace)


class open_engine:
    """An engine over the database in a folder, closed at the end of the block."""

    def __init__(self, home: Path, clock: Callable[[], datetime], embedder: Embedder | None) -> None:
        self._store = Store.open(home / "afresh.duckdb", clock=clock)
        self._clock = clock
        self._embedder = embedder

    def __enter__(self) -> Engine:
        model = Model(source="bundled" if self._embedder else "none")
        engine = Engine(self._store, clock=self._clock, model=model, surroundings=NoSurroundings())
        engine.load_postings()
        if self._embedder is not None:
            engine.use_model(self._embedder)
        return engine

    def __exit__(self, *_: object) -> None:
        self._store.close()
