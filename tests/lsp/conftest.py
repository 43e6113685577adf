"""A workspace with a conclusion in it, over a keeper of its own."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.end_to_end.sandbox import Sandbox
from tests.repositories import git

from afresh.keeper.local import open_local
from afresh.settings import load

LOCKS = """\
class Lock:
    def acquire(self):
        return True

    def release(self):
        return None
"""
RULES = "# Rules\n\n- é😀 Locks are in `billing/locks.py`; see `Lock.acquire` in `billing/locks.py:2`.\n"
CONCLUSION = {
    "question": "How do locks work?",
    "conclusion": "acquire always succeeds",
    "project": "shop",
    "files": [{"path": "billing/locks.py", "symbol": "Lock.acquire"}, "main.py"],
}


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
        with open_local(load(box.env), cwd=root, client="test", kind="cli") as host:
            host.call("index", {"path": str(root)})
            host.call("memory_exploration_record", CONCLUSION)
        yield box
    finally:
        box.kill_keeper()
        shutil.rmtree(runtime, ignore_errors=True)
