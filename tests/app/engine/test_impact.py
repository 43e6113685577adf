"""What became of the code behind a conclusion: per span, with where it went and who did it."""

from __future__ import annotations

import pytest
from tests.repositories import git

from afresh.errors import InvalidArgumentError, SourceFilesError

QUESTION = "How is a lock taken?"
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
'''


@pytest.fixture
def locks(desk):
    path = desk.root / "billing" / "locks.py"
    path.write_text(LOCKS, encoding="utf-8")
    commit(desk.root, "locks with a timeout")
    return path


def commit(root, subject, when=None):
    git(root, "add", "-A")
    git(root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-qm", subject, when=when)


def record(desk, files, conclusion="acquire waits until the timeout and raises.", question=QUESTION):
    return desk.ask(
        "memory_exploration_record", question=question, conclusion=conclusion, project="shop", files=files
    )


def recalled(desk, question=QUESTION):
    (memo,) = desk.ask("memory_exploration_recall", question=question, project="shop").results
    return memo


def test_a_fresh_conclusion_has_no_impact_and_no_details(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    memo = recalled(desk)
    assert (memo.status, memo.impact, memo.details) == ("fresh", None, None)


@pytest.mark.parametrize(
    ("old", "new", "impact", "now"),
    [
        ("return None", "return self", "elsewhere", "unchanged"),
        ("self.sleep(0.1)", "self.sleep(0.5)", "edited", "edited"),
        ("self.sleep(0.1)", "self.sleep( 0.1 )  # ten a second", "cosmetic", "cosmetic"),
        ("Take the lock.", "Take the lock, or wait for it.", "docs_only", "docs_only"),
        ("\n", "\r\n", "eol_only", "eol_only"),
    ],
)
def test_what_happened_to_a_cited_symbol_is_told(desk, locks, old, new, impact, now):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    locks.write_bytes(LOCKS.replace(old, new).encode())
    memo = recalled(desk)
    assert (memo.status, memo.impact) == ("stale", impact)
    (file,) = memo.details
    assert (file.path, file.change, file.spans[0].now) == ("billing/locks.py", impact, now)
    assert file.uncommitted or impact in ("eol_only", "elsewhere")


def test_the_commit_that_changed_the_cited_lines_is_named(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    locks.write_text(LOCKS.replace("0.1", "0.5"), encoding="utf-8")
    commit(desk.root, "wait longer")
    (file,) = recalled(desk).details
    assert (file.commit.author, file.commit.subject, file.uncommitted) == ("Ada", "wait longer", False)


def test_a_function_that_moved_to_another_file_is_found_there(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    body = LOCKS[LOCKS.index("    def acquire") : LOCKS.index("    def release")]
    locks.write_text(LOCKS.replace(body, ""), encoding="utf-8")
    (desk.root / "billing" / "waiting.py").write_text("class Lock:\n" + body, encoding="utf-8")
    commit(desk.root, "move it")
    memo = recalled(desk)
    (span,) = memo.details[0].spans
    assert (memo.impact, span.now, span.moved_to.path) == ("moved", "moved", "billing/waiting.py")
    assert (span.moved_to.symbol, span.moved_to.content) == ("Lock.acquire", "identical")
    assert memo.details[0].commit.subject == "move it"


def test_a_copy_that_stood_there_before_is_not_where_something_moved_to(desk, locks):
    (desk.root / "billing" / "twin.py").write_text(LOCKS, encoding="utf-8")
    commit(desk.root, "a twin", when="2026-01-01T00:00:00Z")
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    body = LOCKS[LOCKS.index("    def acquire") : LOCKS.index("    def release")]
    locks.write_text(LOCKS.replace(body, ""), encoding="utf-8")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].spans[0].now) == ("gone", "gone")


def test_a_renamed_file_is_found_with_what_was_edited_on_the_way(desk, locks):
    record(desk, ["billing/locks.py"], conclusion="It claims a row.")
    locks.unlink()
    (desk.root / "billing" / "mutex.py").write_text(LOCKS.replace("0.1", "0.2"), encoding="utf-8")
    memo = recalled(desk)
    assert (memo.missing_files, memo.impact) == (["billing/locks.py"], "edited")
    assert (memo.details[0].change, memo.details[0].moved_to.path) == ("edited", "billing/mutex.py")


def test_a_file_that_is_gone_is_gone(desk, locks):
    record(desk, ["billing/locks.py"])
    locks.unlink()
    commit(desk.root, "no locks any more")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].change) == ("gone", "gone")
    assert memo.details[0].commit.subject == "no locks any more"


def test_what_a_conclusion_names_becomes_its_spans(desk, locks):
    recorded = record(desk, ["billing/locks.py"], conclusion="`Lock.acquire` polls the table.")
    (span,) = recorded.files[0].spans
    assert (span.symbol, span.derived) == ("Lock.acquire", True)
    locks.write_text(LOCKS.replace("return None", "return self"), encoding="utf-8")
    assert recalled(desk).impact == "elsewhere"


def test_old_bytes_that_are_nowhere_are_said_so_and_hashes_judge(desk):
    path = desk.root / "keys.py"
    secret = "AKIA" + "IOSFODNN7EXAMPLF"
    path.write_text(f"def key():\n    return '{secret}'\n\n\ndef other():\n    return 1\n", encoding="utf-8")
    record(desk, [{"path": "keys.py", "symbol": "other"}, {"path": "keys.py", "symbol": "key"}])
    path.write_text("def key():\n    return load()\n\n\ndef other():\n    return 1\n", encoding="utf-8")
    memo = recalled(desk)
    (file,) = memo.details
    assert "kept nowhere" in file.note
    assert [span.now for span in file.spans] == ["unchanged", "edited"]
    diff = desk.ask("memo_diff", id=memo.id)
    assert diff.files[0].hunks == [] and "kept nowhere" in diff.files[0].note


def test_a_verification_takes_the_files_as_they_are_and_can_be_undone(desk, locks):
    id_ = record(desk, [{"path": "billing/locks.py", "symbol": "Lock.release"}]).id
    locks.write_text("# first\n" + LOCKS.replace("return None", "return self"), encoding="utf-8")
    assert recalled(desk).impact == "edited"
    verified = desk.ask("memory_exploration_verify", id=id_, action="verify", note="still so")
    assert (verified.status, verified.files[0].spans[0].start_line) == ("fresh", 15)
    assert recalled(desk).status == "fresh"
    shown = desk.ask("memo", id=id_)
    assert [(item.action, item.note) for item in shown.history] == [("verify", "still so")]
    assert desk.ask("memory_exploration_verify", id=id_, action="undo").status == "stale"
    assert recalled(desk).impact == "edited"


def test_a_verification_follows_what_moved(desk, locks):
    id_ = record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}]).id
    locks.rename(desk.root / "billing" / "mutex.py")
    assert recalled(desk).impact == "moved"
    verified = desk.ask("memory_exploration_verify", id=id_, action="verify")
    assert [file.path for file in verified.files] == ["billing/mutex.py"]
    assert recalled(desk).status == "fresh"


def test_a_verification_of_what_is_gone_is_refused_and_changes_nothing(desk, locks):
    id_ = record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}]).id
    locks.unlink()
    with pytest.raises(SourceFilesError, match=r"Lock\.acquire.*retire it"):
        desk.ask("memory_exploration_verify", id=id_, action="verify")
    assert recalled(desk).impact == "gone"
    desk.ask("memory_exploration_verify", id=id_, action="retire")
    with pytest.raises(InvalidArgumentError, match="retired"):
        desk.ask("memory_exploration_verify", id=id_, action="verify")


def test_a_saved_memory_has_the_same_freshness(desk, locks):
    desk.ask(
        "memory_save",
        content="Lock.acquire polls ten times a second.",
        files=[{"path": "billing/locks.py", "symbol": "Lock.acquire"}],
    )
    locks.write_text(LOCKS.replace("return None", "return self"), encoding="utf-8")
    (memory,) = desk.ask("recall", query="how often does acquire poll").result.memories
    assert (memory.freshness.status, memory.freshness.impact) == ("stale", "elsewhere")


def test_stale_lists_the_gravest_first_and_a_base_only_what_got_worse(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    record(desk, [{"path": "main.py"}], question="What does main print?", conclusion="A sum.")
    record(desk, ["billing/invoice.py"], question="What is a total?", conclusion="A sum.")
    (desk.root / "main.py").write_text("print(3)\n", encoding="utf-8")
    commit(desk.root, "main changed")
    git(desk.root, "checkout", "-q", "-b", "topic")
    locks.write_text("# a comment\n" + LOCKS, encoding="utf-8")
    commit(desk.root, "a comment")
    found = desk.ask("stale")
    assert [(item.title, item.impact) for item in found.items] == [
        ("What does main print?", "edited"),
        (QUESTION, "elsewhere"),
    ]
    assert (found.judged, found.fresh) == (3, 1)
    since = desk.ask("stale", base="main", diff=True)
    assert [(item.title, item.impact_at_base) for item in since.items] == [(QUESTION, None)]
    assert since.already_stale == 1
    assert since.items[0].diffs[0].hunks[0].lines[0].text == "# a comment"
    assert desk.ask("stale", at="main").items[0].title == "What does main print?"
    assert desk.ask("stale", staged=True).items == []
    locks.unlink()
    git(desk.root, "add", "-A")
    assert [item.impact for item in desk.ask("stale", staged=True).items] == ["gone"]
