"""Changes of form: line ends, formatters, comments and docstrings, in work trees and at revisions."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.app.engine.scenario import (
    LOCKS,
    QUESTION,
    commit,
    recalled,
    record,
    repository,
    the_span,
    write,
)
from tests.repositories import git

CRAMPED = '''"""Prices."""
import os
class Price:
    def gross( self,net , rate ):
        \'\'\'Net and tax.\'\'\'
        if (net<0): raise ValueError( 'negative' )
        return round(net+net*rate,2)
    def label(self,currency='EUR'):
        return "%s %s"%( self.amount,currency,)
'''


def test_line_ends_that_flip_in_the_whole_tree_are_only_line_ends(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}, "main.py"])
    for path in desk.root.rglob("*.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    memo = recalled(desk)
    assert (memo.status, memo.impact) == ("stale", "eol_only")
    assert [file.change for file in memo.details] == ["eol_only", "eol_only"]
    assert [span.now for file in memo.details for span in file.spans] == ["eol_only", "eol_only"]
    assert all(file.commit is None for file in memo.details)


def test_a_committed_flip_of_line_ends_is_that_at_its_revision_too(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    locks.write_bytes(LOCKS.replace("\n", "\r\n").encode())
    commit(desk.root, "for Windows")
    assert recalled(desk, at="HEAD").impact == "eol_only"
    assert recalled(desk).impact == "eol_only"
    locks.write_bytes(LOCKS.replace("\n", "\r\n").replace("0.1", "0.2").encode())
    commit(desk.root, "wait longer")
    assert recalled(desk, at="HEAD").impact == "edited"
    assert recalled(desk).details[0].commit.subject == "wait longer"


@pytest.fixture
def converted(desk, tmp_path):
    """A clone whose work tree has CRLF where its objects have LF."""
    root = tmp_path / "windows"
    git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(desk.root), str(root))
    assert b"\r\n" in (root / "main.py").read_bytes()
    return root


def test_a_checkout_that_converts_line_ends_is_fresh_on_the_disk_and_at_its_commit(desk, locks, converted):
    files = [{"path": "billing/locks.py", "symbol": "Lock.acquire"}, "main.py"]
    record(desk, files, root=str(converted), project="windows")
    assert recalled(desk, project="windows").status == "fresh"
    assert recalled(desk, project="windows", at="HEAD").status == "fresh"


def test_an_edit_in_a_checkout_that_converts_line_ends_shows_the_edited_lines_alone(desk, locks, converted):
    files = [{"path": "billing/locks.py", "symbol": "Lock.acquire"}]
    id_ = record(desk, files, root=str(converted), project="windows").id
    edited = LOCKS.replace("self.sleep(0.1)", "self.sleep(0.5)").replace("\n", "\r\n")
    (converted / "billing" / "locks.py").write_bytes(edited.encode())
    commit(converted, "sleep longer")
    for at in (None, "HEAD"):
        memo = recalled(desk, project="windows", at=at)
        assert (memo.impact, the_span(memo).now) == ("edited", "edited")
        assert memo.details[0].commit.subject == "sleep longer"
        (file,) = desk.ask("memo_diff", id=id_, at=at).files
        changed = [line.text.strip() for hunk in file.hunks for line in hunk.lines if line.kind != " "]
        assert changed == ["self.sleep(0.1)", "self.sleep(0.5)"]


def test_line_ends_that_differ_on_the_disk_alone_leave_the_commit_fresh(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    locks.write_bytes(LOCKS.replace("\n", "\r\n").encode())
    assert (recalled(desk).status, recalled(desk).impact) == ("stale", "eol_only")
    assert recalled(desk, at="HEAD").status == "fresh"


def test_a_commit_that_turns_crlf_to_lf_is_a_change_where_the_checkout_converts_nothing(desk, tmp_path):
    root = repository(tmp_path / "dos", {"locks.py": LOCKS.replace("\n", "\r\n")})
    record(desk, [{"path": "locks.py", "symbol": "Lock.acquire"}], root=str(root), project="dos")
    write(root, {"locks.py": LOCKS})
    commit(root, "for Unix")
    for at in (None, "HEAD"):
        memo = recalled(desk, project="dos", at=at)
        assert (memo.status, memo.impact, the_span(memo).now) == ("stale", "eol_only", "eol_only")


def test_a_formatter_run_over_the_whole_tree_is_cosmetic(desk, tmp_path):
    root = repository(tmp_path / "prices", {"prices.py": CRAMPED, "more/tax.py": CRAMPED})
    cited = [{"path": "prices.py", "symbol": "Price.gross"}, {"path": "more/tax.py"}]
    record(desk, cited, root=str(root), project="prices", conclusion="Rounded.")
    formatter = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", "."]
    subprocess.run(formatter, cwd=root, check=True, capture_output=True)
    assert (root / "prices.py").read_text(encoding="utf-8") != CRAMPED
    commit(root, "ruff format")
    memo = recalled(desk, project="prices")
    assert (memo.status, memo.impact) == ("stale", "cosmetic")
    assert [file.change for file in memo.details] == ["cosmetic", "cosmetic"]
    assert memo.details[0].commit.subject == "ruff format"
    assert recalled(desk, project="prices", at="HEAD").impact == "cosmetic"
    assert recalled(desk, project="prices", at="HEAD~1").status == "fresh"


def test_a_commit_of_comments_alone_is_cosmetic_where_it_stands_and_elsewhere_beside_it(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    other = "Who lists stale locks?"
    record(desk, [{"path": "billing/locks.py", "symbol": "stale_locks"}], question=other)
    text = LOCKS.replace("        while not", "        # Nobody waits in line.\n        while not")
    locks.write_text(text, encoding="utf-8")
    commit(desk.root, "explain", author="Grace")
    memo = recalled(desk)
    assert (memo.impact, the_span(memo).now) == ("cosmetic", "cosmetic")
    assert (memo.details[0].commit.author, memo.details[0].commit.subject) == ("Grace", "explain")
    beside = recalled(desk, other)
    assert (beside.impact, the_span(beside).now) == ("elsewhere", "unchanged")
    assert the_span(beside).now_start_line == the_span(beside).start_line + 1


def test_a_rewritten_docstring_is_docs_only(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    text = LOCKS.replace(
        '"""Take the lock."""', '"""Wait for the lock.\n\n        Raises TimeoutError.\n        """'
    )
    locks.write_text(text, encoding="utf-8")
    commit(desk.root, "say more")
    memo = recalled(desk)
    assert (memo.impact, the_span(memo).now) == ("docs_only", "docs_only")
    assert memo.details[0].commit.subject == "say more"
    assert recalled(desk, at="HEAD").impact == "docs_only"


def test_a_form_that_a_language_gives_meaning_is_an_edit(desk, tmp_path):
    before = "def first(values):\n    for value in values:\n        print(value)\n    return values\n"
    root = repository(tmp_path / "forms", {"a.py": before})
    record(desk, [{"path": "a.py", "symbol": "first"}], root=str(root), project="forms")
    write(root, {"a.py": before.replace("    return", "        return")})
    assert recalled(desk, QUESTION, project="forms").impact == "edited"
