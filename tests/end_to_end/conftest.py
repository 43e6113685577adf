"""A sandbox for each test, and nothing left behind."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.end_to_end.sandbox import Sandbox
from tests.repositories import git


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    runtime = Path(tempfile.mkdtemp(prefix="afr-"))
    root = tmp_path / "shop"
    (root / "billing").mkdir(parents=True)
    (root / "billing" / "locks.py").write_text(
        "class Lock:\n    def acquire(self):\n        return True\n", "utf-8"
    )
    (root / "billing" / "invoice.py").write_text("def total(lines):\n    return sum(lines)\n", "utf-8")
    (root / "main.py").write_text("print('shop')\n", "utf-8")
    (root / "README.md").write_text(
        "# Shop\n\nSells things.\n\n## Releases\n\nReleases are cut from tags on Tuesdays.\n", "utf-8"
    )
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "start")
    box = Sandbox(tmp_path / "home", runtime, root)
    try:
        yield box
    finally:
        box.kill_keeper()
        shutil.rmtree(runtime, ignore_errors=True)
