"""Data folders of their own for tests that start keepers, and proof that none of those is left."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from afresh.settings import Settings


def keepers_of(home: Path) -> list[psutil.Process]:
    """The keepers of a data folder, told by their command line and their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            if words[-2:] == ["keeper", "run"] and process.environ().get("AFRESH_HOME") == str(home):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def _sandbox(tmp_path: Path, transport: str) -> Iterator[Settings]:
    # Pytest's own folders are too long for a socket's path.
    runtime = Path(tempfile.mkdtemp(prefix="afresh-t-"))
    settings = Settings(home=tmp_path / "home", runtime=runtime, transport=transport, idle_exit=60.0)
    settings.home.mkdir()
    yield settings
    for keeper in keepers_of(settings.home):
        keeper.kill()
        keeper.wait(10)
    assert keepers_of(settings.home) == []
    shutil.rmtree(runtime)


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Settings]:
    """Settings over folders that are this test's alone."""
    yield from _sandbox(tmp_path, "unix")


@pytest.fixture(params=["unix", "tcp"])
def either(tmp_path: Path, request: Any) -> Iterator[Settings]:
    """The same, over each transport."""
    yield from _sandbox(tmp_path, request.param)
