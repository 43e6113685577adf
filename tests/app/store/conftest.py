"""A real store in a temporary folder, with a clock that stands still until it is moved."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from afresh.store import Store

START = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


class Clock:
    """Tells the time that it was set to."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **by: float) -> datetime:
        self.now += timedelta(**by)
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "home" / "afresh.duckdb"


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with its schema and no row, to be copied: quicker than migrating one for each test."""
    path = tmp_path_factory.mktemp("empty") / "afresh.duckdb"
    Store.open(path, clock=Clock()).close()
    return path


@pytest.fixture
def store(empty_database: Path, database: Path, clock: Clock) -> Iterator[Store]:
    database.parent.mkdir(mode=0o700)
    shutil.copyfile(empty_database, database)
    with Store.open(database, clock=clock) as opened:
        yield opened
