"""What changed as lines: of a file, of its cited parts, and of a part that went elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.app.engine.conftest import Desk
from tests.repositories import git

from afresh.verbs import FileDiff

LOCKS = '''import time


class Lock:
    def acquire(self, table, timeout):
        """Claim the row, polling until it is free."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if table.claim(self.account):
                return True
            time.sleep(0.1)
        return False

    def release(self, table):
        table.free(self.account)


def transfer(source, target, amount, table):
    first, second = sorted((source, target))
    with Lock(first, table), Lock(second, table):
        table.move(source, target, amount)
'''
ACQUIRE = LOCKS[LOCKS.index("    def acquire") : LOCKS.index("    def release")]
BY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


@pytest.fixture
def locks(lexical_desk: Desk) -> Path:
    path = lexical_desk.root / "billing" / "locks.py"
    path.write_text(LOCKS, encoding="utf-8")
    git(lexical_desk.root, "add", "-A")
    git(lexical_desk.root, *BY, "commit", "-q", "-m", "locks", when="2026-02-01T00:00:00Z")
    return path


def cite(desk: Desk, *symbols: str) -> None:
    files = [{"path": "billing/locks.py", "symbol": symbol} for symbol in symbols]
    desk.ask(
        "memory_exploration_record",
        question="How do locks work?",
        conclusion="By polling.",
        project="shop",
        files=files or ["billing/locks.py"],
    )


def diffs(desk: Desk) -> list[FileDiff]:
    (item,) = desk.ask("stale", diff=True).items
    found: list[FileDiff] = item.diffs
    assert desk.ask("memo_diff", id=item.id).files == found
    return found


def changed(file: FileDiff) -> list[tuple[str, str]]:
    return [(line.kind, line.text) for hunk in file.hunks for line in hunk.lines if line.kind != " "]


def test_each_hunk_says_whether_it_touches_what_is_cited(lexical_desk: Desk, locks: Path) -> None:
    cite(lexical_desk, "Lock.acquire")
    text = LOCKS.replace("sleep(0.1)", "sleep(0.5)").replace("move(source", "send(source")
    locks.write_text(text, encoding="utf-8")
    (file,) = diffs(lexical_desk)
    assert [(hunk.old_start, hunk.cited) for hunk in file.hunks] == [(8, True), (18, False)]


def test_of_a_rewritten_file_the_lines_of_what_is_cited_are_shown_apart(
    lexical_desk: Desk, locks: Path
) -> None:
    others = "".join(f"def step_{n}(table):\n    return table.step({n})\n\n\n" for n in range(20))
    locks.write_text(others + LOCKS + "\n\n" + others, encoding="utf-8")
    cite(lexical_desk, "Lock.acquire")
    locks.write_text("import time\n", encoding="utf-8")
    (file,) = diffs(lexical_desk)
    (cited,) = [hunk for hunk in file.hunks if hunk.cited]
    start = (others + LOCKS[: LOCKS.index(ACQUIRE)]).count("\n") + 1
    assert (cited.old_start, cited.old_lines) == (start - 3, ACQUIRE.rstrip().count("\n") + 1 + 2 * 3)
    texts = [line.text for line in cited.lines]
    assert [text for text in ACQUIRE.rstrip().split("\n") if text not in texts] == []
    assert sum(hunk.old_lines for hunk in file.hunks) == (others + LOCKS + "\n\n" + others).count("\n")


def test_without_parts_every_change_of_a_file_is_cited(lexical_desk: Desk, locks: Path) -> None:
    cite(lexical_desk)
    locks.write_text(LOCKS.replace("move(source", "send(source"), encoding="utf-8")
    (file,) = diffs(lexical_desk)
    assert [hunk.cited for hunk in file.hunks] == [True]


def test_a_part_that_went_to_another_file_is_compared_with_what_stands_there(
    lexical_desk: Desk, locks: Path
) -> None:
    cite(lexical_desk, "Lock.acquire")
    locks.write_text(LOCKS.replace(ACQUIRE, ""), encoding="utf-8")
    moved = locks.with_name("waiting.py")
    moved.write_text(
        "import time\n\n\nclass Lock:\n    account = 0\n\n" + ACQUIRE.replace("0.1", "0.25"), "utf-8"
    )
    whole, part = diffs(lexical_desk)
    assert (whole.part, [hunk.cited for hunk in whole.hunks]) == (None, [False])
    assert (part.path, part.part, part.new_path) == ("billing/locks.py", "Lock.acquire", "billing/waiting.py")
    assert part.change == "edited"
    assert changed(part) == [("-", "            time.sleep(0.1)"), ("+", "            time.sleep(0.25)")]
    (hunk,) = part.hunks
    assert hunk.cited
    # With the numbers of both files: line by line as they stand there.
    then, now = LOCKS.splitlines(), moved.read_text(encoding="utf-8").splitlines()
    olds = [line.text for line in hunk.lines if line.kind != "+"]
    news = [line.text for line in hunk.lines if line.kind != "-"]
    assert then[hunk.old_start - 1 :][: hunk.old_lines] == olds
    assert now[hunk.new_start - 1 :][: hunk.new_lines] == news
    assert part.unified.startswith("--- a/billing/locks.py\n+++ b/billing/waiting.py\n@@ -8,")
    assert "No newline" not in part.unified


def test_a_part_that_went_elsewhere_as_it_was_says_so(lexical_desk: Desk, locks: Path) -> None:
    cite(lexical_desk, "Lock.acquire")
    locks.write_text(LOCKS.replace(ACQUIRE, ""), encoding="utf-8")
    locks.with_name("waiting.py").write_text("class Lock:\n" + ACQUIRE, encoding="utf-8")
    _, part = diffs(lexical_desk)
    assert (part.change, part.hunks, part.unified) == ("moved", [], "")
    assert part.note == "line for line the same there"


def test_a_renamed_file_is_compared_whole_under_both_names(lexical_desk: Desk, locks: Path) -> None:
    cite(lexical_desk, "Lock.acquire")
    locks.unlink()
    locks.with_name("mutex.py").write_text(LOCKS.replace("0.1", "0.2"), encoding="utf-8")
    (file,) = diffs(lexical_desk)
    assert (file.new_path, file.part) == ("billing/mutex.py", None)
    assert changed(file) == [("-", "            time.sleep(0.1)"), ("+", "            time.sleep(0.2)")]
    assert file.unified.startswith("--- a/billing/locks.py\n+++ b/billing/mutex.py\n")


def test_what_was_judged_is_named_by_its_repository_without_passwords(
    lexical_desk: Desk, locks: Path
) -> None:
    desk = lexical_desk
    cite(desk)
    head = git(desk.root, "rev-parse", "HEAD").strip()
    git(desk.root, "remote", "add", "origin", "https://ada:secret@code.example/shop.git")
    found = desk.ask("stale", cwd=desk.root / "billing")
    assert found.root == str(desk.root)
    assert found.repository.model_dump() == {
        "uri": "https://code.example/shop.git",
        "commit": head,
        "branch": "main",
    }
    first = git(desk.root, "rev-list", "--max-parents=0", "HEAD").strip()
    assert desk.ask("stale", at=first).repository.commit == first
