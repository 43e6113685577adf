"""A workspace with a conclusion in it, over a keeper of its own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.end_to_end.sandbox import Sandbox
from tests.repositories import git

LOCKS = """\
class Lock:
    def acquire(self):
        return True

    def release(self):
        return None
"""
RULES = "# Rules\n\n- é😀 Locks are in `billing/locks.py`; see `Lock.acquire` in `billing/locks.py:2`.\n"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Sandbox]:
    """A repository `shop` that is indexed, with memo 1 about Lock.acquire and main.py."""
    runtime = Path(tempfile.mkdtemp(prefix="afr-"))
    root = tmp_path / "shop"
    (root / "billing").mkdir(parents=True)
    (root / "billing" / "locks.py").write_text(LOCKS, encoding="utf-8")
    (root / "main.py").write_text('x = "é😀"; lock.acquire()\n', encoding="utf-8")
    (root / "CLAUDE.md").write_text(RULES, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "start")
    box = Sandbox(tmp_path / "home", runtime, root, {"AFRESH_EMBED_MODEL": "none"})
    try:
        for words in (
            ("index",),
            (
                *("record", "How do locks work?", "acquire always succeeds"),
                *("--files", "billing/locks.py#Lock.acquire", "--files", "main.py"),
            ),
        ):
            done = box.run(*words)
            assert done.returncode == 0, done.stderr
        yield box
    finally:
        box.kill_keeper()
        shutil.rmtree(runtime, ignore_errors=True)
