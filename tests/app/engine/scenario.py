"""What the tests of freshness share: a source file, commits, recordings and what becomes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.repositories import git

from afresh.engine.calls import Call, Caller
from afresh.keeper.indexing import Indexing
from afresh.settings import Settings
from afresh.verbs import IndexArguments

QUESTION = "How is a lock taken?"
LONG_AGO = "2024-01-01T00:00:00Z"
LOCKS = '''"""Locks of the billing job."""


class Lock:
    def acquire(self, name, timeout):
        """Take the lock."""
        deadline = self.clock() + timeout
        while not self.table.claim(name, self.owner):
            if self.clock() > deadline:
                raise TimeoutError(name)
            self.sleep(0.1)
        return True

    def release(self, name):
        self.table.drop(name, self.owner)
        return None


def stale_locks(table, older_than):
    """Locks that nobody gave back."""
    found = []
    for lock in table.locks():
        if lock.taken_at < older_than:
            found.append(lock)
    return found
'''
ACQUIRE = LOCKS[LOCKS.index("    def acquire") : LOCKS.index("    def release")]
STALE_LOCKS = LOCKS[LOCKS.index("def stale_locks") :]


def commit(root: Path, subject: str, *, author: str = "Ada", when: str | None = None) -> str:
    """Commit everything in a folder's repository; the commit's id."""
    git(root, "add", "-A")
    identity = ["-c", f"user.name={author}", "-c", f"user.email={author.lower()}@example.org"]
    git(root, *identity, "commit", "-q", "--allow-empty", "-m", subject, when=when)
    return git(root, "rev-parse", "HEAD").strip()


def repository(root: Path, files: dict[str, str | bytes], subject: str = "start") -> Path:
    """A repository with some files, committed long ago."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", "main")
    write(root, files)
    commit(root, subject, when=LONG_AGO)
    return root


def write(root: Path, files: dict[str, str | bytes]) -> None:
    """Write files as they are given, without any conversion."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))


def record(
    desk: Any,
    files: list[Any],
    *,
    conclusion: str = "It polls the table until the timeout.",
    question: str = QUESTION,
    **arguments: Any,
) -> Any:
    """Record a conclusion over files, from the desk's workspace."""
    arguments = {"project": "shop"} | arguments
    return desk.ask(
        "memory_exploration_record", question=question, conclusion=conclusion, files=files, **arguments
    )


def recalled(desk: Any, question: str = QUESTION, *, at: str | None = None, **arguments: Any) -> Any:
    """The one memo of a question, judged."""
    arguments = {"project": "shop"} | arguments
    if at is None:
        found = desk.ask("memory_exploration_recall", question=question, **arguments)
    else:
        found = desk.ask("explore_at", question=question, at=at, **arguments)
    (memo,) = (memo for memo in found.results if memo.question == question)
    return memo


def the_span(memo: Any) -> Any:
    """The one cited span of the one changed file of a memo."""
    (file,) = memo.details
    (span,) = file.spans
    return span


def index(desk: Any, root: Path, home: Path) -> None:
    """Read a folder into the index, as `afresh index` does."""
    settings = Settings(home=home, runtime=home)

    def touched(*_: object) -> None:
        """Nobody follows what the index reads."""

    call = Call(Caller(cwd=root, client="test", kind="cli"))
    Indexing(desk.engine, settings, touched).index(IndexArguments(path=str(root)), call)
