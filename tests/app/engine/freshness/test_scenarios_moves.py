"""Code that goes elsewhere: functions that move, split, swap and come back; files that become others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.app.engine.scenario import (
    ACQUIRE,
    LOCKS,
    STALE_LOCKS,
    commit,
    index,
    recalled,
    record,
    repository,
    the_span,
    write,
)
from tests.repositories import git

HEADER = '"""Reports."""\n\n\n'


def test_a_function_that_moved_to_a_file_that_was_there_is_found_in_it(desk, locks):
    write(desk.root, {"billing/reports.py": HEADER})
    commit(desk.root, "reports", when="2024-01-02T00:00:00Z")
    record(desk, [{"path": "billing/locks.py", "symbol": "stale_locks"}])
    write(desk.root, {"billing/locks.py": LOCKS.replace(STALE_LOCKS, "").rstrip() + "\n"})
    write(desk.root, {"billing/reports.py": HEADER + STALE_LOCKS})
    commit(desk.root, "move the report")
    for at in (None, "HEAD"):
        memo = recalled(desk, at=at)
        span = the_span(memo)
        assert (memo.impact, span.now, span.moved_to.path) == ("moved", "moved", "billing/reports.py")
        assert (span.moved_to.symbol, span.moved_to.content, span.likeness) == (
            "stale_locks",
            "identical",
            1.0,
        )
        assert (span.moved_to.start_line, span.moved_to.end_line) == (4, 10)
        assert memo.details[0].commit.subject == "move the report"


def test_a_function_that_was_edited_on_its_way_counts_as_edited_and_is_found(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "stale_locks"}])
    write(desk.root, {"billing/locks.py": LOCKS.replace(STALE_LOCKS, "").rstrip() + "\n"})
    write(desk.root, {"billing/reports.py": HEADER + STALE_LOCKS.replace("< older", "<= older")})
    memo = recalled(desk)
    span = the_span(memo)
    assert (memo.impact, span.now) == ("edited", "moved")
    assert (span.moved_to.path, span.moved_to.content) == ("billing/reports.py", "changed")
    assert 0.75 <= span.likeness < 1


def test_what_moved_on_a_branch_from_before_is_found_when_that_is_checked_out(desk, locks):
    git(desk.root, "checkout", "-q", "-b", "split")
    write(desk.root, {"billing/locks.py": LOCKS.replace(STALE_LOCKS, "").rstrip() + "\n"})
    write(desk.root, {"billing/reports.py": HEADER + STALE_LOCKS.replace("def stale", "def _stale")})
    commit(desk.root, "move the report", when="2024-01-02T00:00:00Z")
    git(desk.root, "checkout", "-q", "-")
    record(desk, [{"path": "billing/locks.py", "symbol": "stale_locks"}])
    git(desk.root, "checkout", "-q", "split")
    for at in (None, "HEAD"):
        span = the_span(recalled(desk, at=at))
        assert (span.now, span.moved_to.path) == ("moved", "billing/reports.py")
        assert (span.moved_to.symbol, span.moved_to.content) == ("_stale_locks", "identical")


RATE = """def rate{n}(amount, country, year):
    base = lookup_table(country, year, "class{n}")
    if amount > 1000 * {n}:
        base = base - 0.0{n}
    return round(base * amount, 2)
"""


@pytest.mark.parametrize("is_indexed", [False, True])
@pytest.mark.parametrize("has_git", [False, True])
def test_a_sibling_that_stood_beside_it_is_not_where_a_deleted_function_went(
    desk, tmp_path, has_git, is_indexed
):
    root = tmp_path / "rates"
    root.mkdir()
    if has_git:
        repository(root, {"README": "Rates.\n"})
    write(root, {"high.py": RATE.format(n=4) + "\n\nTOP = 1\n", "low.py": RATE.format(n=3)})
    index(desk, root, tmp_path / "home")
    record(desk, [{"path": "high.py", "symbol": "rate4"}], root=str(root), project="rates")
    write(root, {"high.py": "TOP = 1\n", "low.py": RATE.format(n=3) + "# lower\n"})
    if is_indexed:
        index(desk, root, tmp_path / "home")
    assert the_span(recalled(desk, project="rates")).now == "gone"


def test_cited_lines_that_moved_to_another_file_are_found_there(desk, locks):
    start = LOCKS[: LOCKS.index("def stale_locks")].count("\n") + 1
    record(desk, [{"path": "billing/locks.py", "start_line": start, "end_line": start + 6}])
    write(desk.root, {"billing/locks.py": LOCKS.replace(STALE_LOCKS, "").rstrip() + "\n"})
    write(desk.root, {"billing/reports.py": HEADER + STALE_LOCKS})
    span = the_span(recalled(desk))
    assert (span.now, span.moved_to.path, span.moved_to.content) == (
        "moved",
        "billing/reports.py",
        "identical",
    )


def test_a_renamed_file_with_small_edits_is_found_with_what_was_edited(desk, locks):
    other = "Who lists stale locks?"
    record(desk, [{"path": "billing/locks.py", "symbol": "stale_locks"}], question=other)
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    git(desk.root, "mv", "billing/locks.py", "billing/mutexes.py")
    write(desk.root, {"billing/mutexes.py": LOCKS.replace("0.1", "0.2")})
    commit(desk.root, "rename to mutexes")
    for at in (None, "HEAD"):
        edited = recalled(desk, at=at)
        assert (edited.impact, the_span(edited).moved_to.content) == ("edited", "changed")
        assert edited.missing_files == ["billing/locks.py"]
        kept = recalled(desk, other, at=at)
        assert (kept.impact, the_span(kept).moved_to.content) == ("moved", "identical")
        assert kept.details[0].moved_to.path == "billing/mutexes.py"
        assert kept.details[0].commit.subject == "rename to mutexes"


def test_two_functions_that_swapped_places_both_stand(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": name} for name in ("Lock.acquire", "Lock.release")])
    release = LOCKS[LOCKS.index("    def release") : LOCKS.index("\n\ndef stale")]
    write(
        desk.root,
        {"billing/locks.py": LOCKS.replace(ACQUIRE + release, release + "\n" + ACQUIRE.rstrip("\n") + "\n")},
    )
    commit(desk.root, "swap")
    memo = recalled(desk)
    assert memo.impact == "elsewhere"
    assert [span.now for span in memo.details[0].spans] == ["unchanged", "unchanged"]
    acquire, release_now = memo.details[0].spans
    assert acquire.now_start_line > release_now.now_start_line


def test_two_functions_whose_bodies_swapped_are_both_edited(desk, tmp_path):
    one = (
        "def first(rows):\n    total = 0\n    for row in rows:\n        total += row.net\n    return total\n"
    )
    two = "def second(rows):\n    names = {row.name for row in rows}\n    return sorted(names, key=len)\n"
    bodies = [text.partition("\n")[2] for text in (one, two)]
    root = repository(tmp_path / "swap", {"a.py": f"{one}\n\n{two}"})
    cited = [{"path": "a.py", "symbol": name} for name in ("first", "second")]
    record(desk, cited, root=str(root), project="swap")
    write(root, {"a.py": f"def first(rows):\n{bodies[1]}\n\ndef second(rows):\n{bodies[0]}"})
    assert [span.now for span in recalled(desk, project="swap").details[0].spans] == ["edited", "edited"]


def test_a_function_split_in_two_is_edited_where_its_name_stayed(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    loop = ACQUIRE[ACQUIRE.index("        while not") : ACQUIRE.index("        return True")]
    short = ACQUIRE.replace(loop, "        self.wait(name, deadline)\n")
    new = short + "    def wait(self, name, deadline):\n" + loop + "\n"
    write(desk.root, {"billing/locks.py": LOCKS.replace(ACQUIRE, new)})
    commit(desk.root, "split acquire")
    memo = recalled(desk)
    assert (memo.impact, the_span(memo).now) == ("edited", "edited")
    assert memo.details[0].commit.subject == "split acquire"


def test_a_function_split_into_two_of_other_names_is_gone_or_edited_and_never_intact(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    loop = ACQUIRE[ACQUIRE.index("        while not") : ACQUIRE.index("        return True")]
    new = (
        "    def begin(self, timeout):\n        return self.clock() + timeout\n\n"
        "    def wait(self, name, deadline):\n" + loop + "        return True\n\n"
    )
    write(desk.root, {"billing/locks.py": LOCKS.replace(ACQUIRE, new)})
    assert recalled(desk).impact in ("gone", "edited")


def test_a_symbol_that_was_deleted_and_added_again_is_what_it_is_now(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "stale_locks"}])
    write(desk.root, {"billing/locks.py": LOCKS.replace(STALE_LOCKS, "").rstrip() + "\n"})
    commit(desk.root, "nobody needs it")
    gone = recalled(desk)
    assert (gone.impact, gone.details[0].commit.subject) == ("gone", "nobody needs it")
    write(desk.root, {"billing/locks.py": LOCKS})
    commit(desk.root, "somebody does")
    assert recalled(desk).status == "fresh"
    write(desk.root, {"billing/locks.py": LOCKS.replace("return None", "return self")})
    commit(desk.root, "something beside it")
    assert (recalled(desk).impact, the_span(recalled(desk)).now) == ("elsewhere", "unchanged")
    write(desk.root, {"billing/locks.py": LOCKS.replace("taken_at < older", "taken_at > older")})
    again = commit(desk.root, "it was wrong")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].commit.id) == ("edited", again)
    assert recalled(desk, at="HEAD~3").impact == "gone"
    assert recalled(desk, at="HEAD~2").status == "fresh"


def test_a_file_replaced_by_a_folder_of_its_name_is_found_in_that(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    locks.unlink()
    write(desk.root, {"billing/locks.py/impl.py": LOCKS})
    uncommitted = recalled(desk)
    assert (uncommitted.impact, uncommitted.details[0].uncommitted) == ("moved", True)
    commit(desk.root, "a folder of locks")
    for at in (None, "HEAD"):
        memo = recalled(desk, at=at)
        assert (memo.missing_files, memo.impact) == (["billing/locks.py"], "moved")
        assert memo.details[0].moved_to.path == "billing/locks.py/impl.py"
        assert memo.details[0].commit.subject == "a folder of locks"


def test_a_module_that_became_a_package_is_found_in_its_parts(desk, locks):
    cited = [{"path": "billing/locks.py", "symbol": name} for name in ("Lock.acquire", "stale_locks")]
    record(desk, cited)
    locks.unlink()
    write(desk.root, {"billing/locks/__init__.py": LOCKS[: LOCKS.index("\n\ndef stale")]})
    write(desk.root, {"billing/locks/report.py": HEADER + STALE_LOCKS})
    commit(desk.root, "a package")
    memo = recalled(desk)
    acquire, report = memo.details[0].spans
    assert (acquire.moved_to.path, acquire.moved_to.content) == ("billing/locks/__init__.py", "identical")
    assert (report.moved_to.path, report.moved_to.content) == ("billing/locks/report.py", "identical")
    assert memo.impact == "moved"


def test_a_rename_by_case_alone_is_a_move_where_case_counts(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    git(desk.root, "mv", "billing/locks.py", "billing/LOCKS.py")
    commit(desk.root, "louder")
    at_head = recalled(desk, at="HEAD")
    assert (at_head.impact, at_head.details[0].moved_to.path) == ("moved", "billing/LOCKS.py")
    if not locks.exists():
        memo = recalled(desk)
        assert (memo.impact, memo.details[0].moved_to.path) == ("moved", "billing/LOCKS.py")
        assert memo.details[0].commit.subject == "louder"


@pytest.fixture
def links(tmp_path: Path) -> None:
    try:
        (tmp_path / "probe").symlink_to("target")
    except OSError:
        pytest.skip("links can't be made here")


@pytest.mark.usefixtures("links")
def test_a_link_in_place_of_a_file_is_judged_by_what_it_leads_to(desk, locks):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    locks.rename(desk.root / "billing" / "real.py")
    locks.symlink_to("real.py")
    commit(desk.root, "link it")
    assert recalled(desk).status == "fresh"
    assert recalled(desk, at="HEAD").status == "fresh"
    write(desk.root, {"billing/real.py": LOCKS.replace("0.1", "0.2")})
    commit(desk.root, "wait longer")
    for at in (None, "HEAD"):
        memo = recalled(desk, at=at)
        assert (memo.impact, memo.details[0].commit.subject) == ("edited", "wait longer")
    locks.unlink()
    locks.symlink_to("nowhere.py")
    assert (recalled(desk).missing_files, recalled(desk).impact) == (["billing/locks.py"], "edited")


@pytest.mark.usefixtures("links")
def test_a_link_that_leads_out_is_not_followed(desk, locks, tmp_path):
    record(desk, [{"path": "billing/locks.py", "symbol": "Lock.acquire"}])
    (tmp_path / "outside.py").write_text(LOCKS, encoding="utf-8")
    locks.unlink()
    locks.symlink_to(tmp_path / "outside.py")
    commit(desk.root, "lead out")
    memo = recalled(desk)
    assert [(item.path, item.reason) for item in memo.unverifiable_files] == [
        ("billing/locks.py", "outside_root")
    ]
    assert memo.status == "stale" and "outside root" in memo.details[0].note
    assert recalled(desk, at="HEAD").missing_files == ["billing/locks.py"]
