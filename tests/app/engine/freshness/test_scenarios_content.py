"""Contents of every kind: without snapshots, binary, large, in other encodings; and every kind of span."""

from __future__ import annotations

import hashlib
import json
import os

import pytest
from tests.app.engine.scenario import (
    LOCKS,
    STALE_LOCKS,
    commit,
    recalled,
    record,
    repository,
    the_span,
    write,
)
from tests.repositories import git

from afresh.engine import explore, freshness

ACQUIRE = [{"path": "billing/locks.py", "symbol": "Lock.acquire"}]
SECRET = "AKIA" + "IOSFODNN7EXAMPLF"


def without_snapshots(desk):
    with desk.engine.write() as tx:
        tx.execute("DELETE FROM snapshots")


@pytest.mark.parametrize("at", [None, "HEAD"])
def test_without_a_snapshot_the_old_bytes_come_from_git(desk, locks, at):
    id_ = record(desk, ACQUIRE).id
    without_snapshots(desk)
    write(desk.root, {"billing/locks.py": LOCKS.replace("sleep(0.1)", "sleep( 0.1 )")})
    commit(desk.root, "air")
    memo = recalled(desk, at=at)
    assert (memo.impact, memo.details[0].note) == ("cosmetic", None)
    (file,) = desk.ask("memo_diff", id=id_, at=at).files
    assert "sleep( 0.1 )" in file.unified


def test_without_a_snapshot_and_never_committed_bytes_are_nowhere_and_hashes_judge(desk, locks):
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.3")})
    id_ = record(desk, [*ACQUIRE, {"path": "billing/locks.py", "symbol": "stale_locks"}]).id
    without_snapshots(desk)
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.4")})
    memo = recalled(desk)
    (file,) = memo.details
    assert "kept nowhere" in file.note
    assert [(span.symbol, span.now) for span in file.spans] == [
        ("Lock.acquire", "edited"),
        ("stale_locks", "unchanged"),
    ]
    assert memo.impact == "edited"
    assert "kept nowhere" in desk.ask("memo_diff", id=id_).files[0].note
    locks.unlink()
    gone = recalled(desk)
    assert (gone.impact, gone.details[0].change) == ("gone", "gone")


def test_a_recall_whose_time_is_over_does_not_ask_git_for_old_bytes_and_says_so(desk, locks, monkeypatch):
    id_ = record(desk, ACQUIRE).id
    without_snapshots(desk)
    monkeypatch.setattr(explore, "RECALL_S", 0.0)
    write(desk.root, {"billing/locks.py": LOCKS.replace("sleep(0.1)", "sleep(0.2)")})
    memo = recalled(desk)
    assert (memo.status, memo.impact) == ("stale", "edited")
    assert "time was over" in memo.details[0].note
    # Whoever asks about this one alone gets everything.
    assert desk.ask("memo", id=id_).details[0].note is None


def test_a_file_with_a_secret_has_no_snapshot_and_is_judged_like_others(desk, locks):
    text = LOCKS + f"\n\nKEY = '{SECRET}'\n"
    write(desk.root, {"billing/locks.py": text})
    id_ = record(desk, ACQUIRE).id
    with desk.engine.store.read() as cursor:
        assert cursor.execute("SELECT count(*) FROM snapshots").one() == (0,)
    write(desk.root, {"billing/locks.py": text.replace("return None", "return self")})
    assert recalled(desk).impact == "elsewhere"
    commit(desk.root, "secret and all")
    write(desk.root, {"billing/locks.py": text.replace(SECRET, SECRET[:-1] + "G")})
    diff = desk.ask("memo_diff", id=id_)
    assert SECRET[:-1] not in diff.model_dump_json()


def test_a_binary_file_is_edited_and_has_no_diff(desk, tmp_path):
    root = repository(tmp_path / "art", {"logo.png": b"\x89PNG\r\n\x1a\n\0\0" + bytes(range(256)) * 9})
    id_ = record(desk, ["logo.png"], root=str(root), project="art", conclusion="Blue.").id
    assert recalled(desk, project="art").status == "fresh"
    write(root, {"logo.png": b"\x89PNG\r\n\x1a\n\0\0" + bytes(range(255, -1, -1)) * 9})
    made = commit(root, "make it red")
    for at in (None, "HEAD"):
        memo = recalled(desk, project="art", at=at)
        assert (memo.impact, memo.details[0].change) == ("edited", "edited")
        assert memo.details[0].commit.id == made
        (file,) = desk.ask("memo_diff", id=id_, at=at).files
        assert (file.hunks, file.note) == ([], "it is no text")
    git(root, "mv", "logo.png", "brand.png")
    assert recalled(desk, project="art").missing_files == ["logo.png"]


def test_a_file_that_grew_over_the_limit_is_stale_and_says_why(desk, locks, monkeypatch):
    from afresh.engine import revision_judge

    id_ = record(desk, ACQUIRE).id
    monkeypatch.setattr(freshness, "MAX_SOURCE_BYTES", 4096)
    monkeypatch.setattr(revision_judge, "MAX_SOURCE_BYTES", 4096)
    write(desk.root, {"billing/locks.py": LOCKS + "# more\n" * 1000})
    commit(desk.root, "grow")
    for at in (None, "HEAD"):
        memo = recalled(desk, at=at)
        assert memo.status == "stale" and memo.missing_files == []
        assert [(item.path, item.reason) for item in memo.unverifiable_files] == [
            ("billing/locks.py", "too_large")
        ]
        assert "too large" in memo.details[0].note
        assert desk.ask("memo_diff", id=id_, at=at).files[0].hunks == []


def test_a_file_that_may_not_be_read_is_stale_and_says_why(desk, locks):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    record(desk, ACQUIRE)
    locks.chmod(0)
    memo = recalled(desk)
    assert [item.reason for item in memo.unverifiable_files] == ["unreadable"]
    assert "unreadable" in memo.details[0].note


def test_text_in_another_encoding_is_followed_by_its_bytes(desk, tmp_path):
    text = (
        "def gruß(name):\n    # Höflich\n    return 'schöne Grüße, ' + name\n\n\ndef other():\n    return 1\n"
    )
    root = repository(tmp_path / "latin", {"a.py": text.encode("latin-1")})
    cited = [{"path": "a.py", "start_line": 1, "end_line": 3}, {"path": "a.py", "symbol": "other"}]
    id_ = record(desk, cited, root=str(root), project="latin").id
    write(root, {"a.py": ("import os\n" + text).encode("latin-1")})
    memo = recalled(desk, project="latin")
    assert memo.impact == "elsewhere"
    assert [(span.now, span.now_start_line) for span in memo.details[0].spans] == [
        ("unchanged", 2),
        ("unchanged", 7),
    ]
    write(root, {"a.py": text.replace("schöne", "viele").encode("latin-1")})
    assert [span.now for span in recalled(desk, project="latin").details[0].spans] == ["edited", "unchanged"]
    lines = desk.ask("memo_diff", id=id_).files[0].hunks[0].lines
    assert any("viele" in line.text for line in lines)


def test_a_language_without_a_grammar_is_followed_as_text(desk, tmp_path):
    sweep = 'job "sweep" {\n  every = "5 min"\n  runs  = ["stale", "locks"]\n}\n'
    mail = 'job "mail" {\n  every = "1 h"\n}\n'
    text = f"{sweep}\n{mail}"
    root = repository(tmp_path / "jobs", {"jobs.hcl": text})
    cited = [{"path": "jobs.hcl", "start_line": 1, "end_line": 4}]
    record(desk, cited, root=str(root), project="jobs")
    write(root, {"jobs.hcl": text.replace("1 h", "2 h")})
    assert recalled(desk, project="jobs").impact == "elsewhere"
    write(root, {"jobs.hcl": text.replace("5 min", "9 min")})
    made = commit(root, "sweep less")
    memo = recalled(desk, project="jobs")
    assert (memo.impact, memo.details[0].commit.id) == ("edited", made)
    write(root, {"jobs.hcl": mail, "sweeping.hcl": sweep})
    span = the_span(recalled(desk, project="jobs"))
    assert (span.now, span.moved_to.path) == ("moved", "sweeping.hcl")


def test_every_kind_of_span_is_judged_by_what_it_cites(desk, locks):
    quote = "while not self.table.claim(name, self.owner):"
    cited = [
        {"path": "billing/locks.py", "start_line": 5, "end_line": 6},
        {"path": "billing/locks.py", "quote": quote},
        {"path": "billing/locks.py", "symbol": "Lock.release"},
    ]
    record(desk, cited)
    text = LOCKS.replace("self.table.drop(name, self.owner)", "self.table.drop(name)")
    write(desk.root, {"billing/locks.py": '"""Licence."""\n' + text})
    lines, quoted, symbol = recalled(desk).details[0].spans
    assert (lines.now, lines.now_start_line, lines.now_end_line) == ("unchanged", 6, 7)
    assert (quoted.now, quoted.now_start_line) == ("unchanged", 9)
    assert (symbol.now, symbol.symbol) == ("edited", "Lock.release")
    write(desk.root, {"billing/locks.py": LOCKS.replace(quote, "while self.busy(name):")})
    lines, quoted, symbol = recalled(desk).details[0].spans
    assert (lines.now, symbol.now) == ("unchanged", "unchanged")
    assert quoted.now in ("edited", "gone")


def test_what_a_conclusion_names_is_judged_and_said_to_be_derived(desk, locks):
    named = "`stale_locks` lists what nobody gave back."
    record(desk, ["billing/locks.py"], conclusion=named)
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.2")})
    memo = recalled(desk)
    assert memo.impact == "elsewhere"
    assert (the_span(memo).symbol, the_span(memo).derived, the_span(memo).now) == (
        "stale_locks",
        True,
        "unchanged",
    )
    write(desk.root, {"billing/locks.py": LOCKS.replace(STALE_LOCKS, "")})
    assert recalled(desk).impact == "gone"


def test_a_file_cited_whole_whose_conclusion_names_nothing_is_one_span(desk, locks):
    record(desk, ["billing/locks.py"], conclusion="Polling.")
    write(desk.root, {"billing/locks.py": LOCKS + "# the end\n"})
    memo = recalled(desk)
    assert (memo.impact, the_span(memo).start_line, the_span(memo).symbol) == ("cosmetic", 1, None)
    write(desk.root, {"billing/locks.py": LOCKS + "x = 1\n"})
    assert recalled(desk).impact == "edited"


def test_a_memory_with_cited_files_carries_its_freshness_wherever_it_is_recalled(desk, locks):
    desk.ask("memory_save", content="Lock.acquire polls ten times a second.", files=ACQUIRE)
    desk.ask("memory_save", content="Whoever calls acquire polls, said nobody.")
    ask = {"query": "how often does acquire poll"}
    found = {memory.freshness is None: memory for memory in desk.ask("recall", **ask).result.memories}
    assert (found[False].freshness.status, found[False].freshness.impact) == ("fresh", None)
    assert found[True].content.startswith("Whoever")
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.5")})
    (memory,) = (memory for memory in desk.ask("recall", **ask).result.memories if memory.freshness)
    assert (memory.freshness.status, memory.freshness.impact) == ("stale", "edited")
    assert memory.freshness.changed_files == ["billing/locks.py"]
    (item,) = desk.ask("stale").items
    assert (item.kind, item.impact) == ("memory", "edited")
    git(desk.root, "mv", "billing/locks.py", "billing/mutexes.py")
    (memory,) = (memory for memory in desk.ask("recall", **ask).result.memories if memory.freshness)
    assert (memory.freshness.impact, memory.freshness.missing_files) == ("edited", ["billing/locks.py"])


def imported(desk, root, **memo):
    row = {"kind": "memo", "project": "shop", "question": "How is a lock taken?", "conclusion": "By polling."}
    result = desk.ask("import", lines=[json.dumps(row | {"root": str(root)} | memo)], last=True)
    assert result.bad == []


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def test_an_imported_memo_without_stamps_is_judged_like_any_other(desk, locks):
    spans = [{"start_line": 5, "end_line": 12, "symbol": "Lock.acquire"}]
    imported(desk, desk.root, files=[{"path": "billing/locks.py", "sha256": sha256(LOCKS), "spans": spans}])
    assert recalled(desk).status == "fresh"
    assert recalled(desk, at="HEAD").status == "fresh"
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.5")})
    made = commit(desk.root, "sleep longer")
    for at in (None, "HEAD"):
        memo = recalled(desk, at=at)
        assert (memo.impact, memo.details[0].note) == ("edited", None)
        assert memo.details[0].commit.id == made
    git(desk.root, "mv", "billing/locks.py", "billing/mutexes.py")
    write(desk.root, {"billing/mutexes.py": LOCKS})
    commit(desk.root, "rename")
    for at in (None, "HEAD"):
        memo = recalled(desk, at=at)
        assert (memo.impact, memo.details[0].moved_to.path) == ("moved", "billing/mutexes.py")


def test_an_imported_memo_of_bytes_that_nobody_has_is_stale_and_says_so(desk, locks):
    imported(desk, desk.root, files=[{"path": "billing/locks.py", "sha256": "0" * 64}])
    memo = recalled(desk)
    assert (memo.status, memo.impact) == ("stale", "edited")
    assert "kept nowhere" in memo.details[0].note


def test_an_imported_memo_whose_file_is_not_there_is_gone(desk, locks):
    imported(desk, desk.root, files=[{"path": "billing/never.py", "sha256": "0" * 64}])
    memo = recalled(desk)
    assert (memo.impact, memo.missing_files) == ("gone", ["billing/never.py"])
    assert memo.details[0].commit is None
