"""A real store in a temporary folder, with a clock that stands still until it is moved."""

from __future__ import annotations

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


@pytest.fixture
def store(database: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(database, clock=clock) as opened:
        yield opened
