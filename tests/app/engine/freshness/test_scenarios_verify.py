"""Only saying so refreshes a conclusion: verify, record again, retire and undo, in every order."""

from __future__ import annotations

import pytest
from tests.app.engine.scenario import (
    LOCKS,
    QUESTION,
    STALE_LOCKS,
    commit,
    recalled,
    record,
    the_span,
    write,
)
from tests.repositories import git

from afresh.errors import InvalidArgumentError, NotFoundError, SourceFilesError

ACQUIRE = [{"path": "billing/locks.py", "symbol": "Lock.acquire"}]


def act(desk, id_, action, note="", **arguments):
    return desk.ask("memory_exploration_verify", id=id_, action=action, note=note, **arguments)


def history(desk, id_):
    return [(item.action, item.note) for item in desk.ask("memo", id=id_).history]


def test_nothing_but_a_verification_or_a_new_recording_refreshes(desk, locks):
    id_ = record(desk, ACQUIRE).id
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.2")})
    commit(desk.root, "wait longer")
    desk.ask("stale", diff=True)
    desk.ask("stale", base="HEAD~1")
    desk.ask("memo", id=id_)
    desk.ask("memo_diff", id=id_)
    recalled(desk, at="HEAD")
    desk.ask("recall", query=QUESTION)
    desk.ask("workspace_status")
    record(desk, ACQUIRE, question="Something else?")
    assert recalled(desk).impact == "edited"
    assert desk.ask("memo", id=id_).updated_at == recalled(desk).updated_at
    record(desk, ACQUIRE)
    assert recalled(desk).status == "fresh"


def test_a_verification_is_kept_with_its_note_and_taken_back_and_given_again(desk, locks):
    id_ = record(desk, ACQUIRE).id
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.2")})
    verified = act(desk, id_, "verify", "half as often, still polling")
    assert (verified.status, verified.action, verified.retired) == ("fresh", "verify", False)
    assert history(desk, id_) == [("verify", "half as often, still polling")]
    assert act(desk, id_, "undo", "not so fast").status == "stale"
    assert recalled(desk).impact == "edited"
    assert act(desk, id_, "undo").status == "fresh"
    assert recalled(desk).status == "fresh"
    assert [action for action, _ in history(desk, id_)] == ["verify", "undo", "undo"]


def test_after_a_verification_changes_count_from_there(desk, locks):
    id_ = record(desk, ACQUIRE).id
    write(desk.root, {"billing/locks.py": "# first\n" + LOCKS.replace("0.1", "0.2")})
    act(desk, id_, "verify")
    write(desk.root, {"billing/locks.py": "# first\n" + LOCKS.replace("sleep(0.1)", "sleep(0.2)  # seconds")})
    memo = recalled(desk)
    assert (memo.impact, the_span(memo).start_line) == ("cosmetic", 6)
    # What was recorded first is no measure any more.
    write(desk.root, {"billing/locks.py": LOCKS})
    assert recalled(desk).impact == "edited"


def test_a_verification_keeps_how_each_span_was_cited(desk, locks):
    quote = "while not self.table.claim(name, self.owner):"
    cited = [
        {"path": "billing/locks.py", "start_line": 5, "end_line": 6},
        {"path": "billing/locks.py", "quote": quote},
        {"path": "billing/locks.py", "symbol": "stale_locks"},
        "main.py",
    ]
    id_ = record(desk, cited).id
    write(desk.root, {"billing/locks.py": "# first\n# second\n" + LOCKS})
    files = {file.path: file.spans for file in act(desk, id_, "verify").files}
    lines, quoted, symbol = files["billing/locks.py"]
    assert (lines.start_line, lines.end_line, lines.symbol, lines.quote) == (7, 8, None, None)
    assert (quoted.quote, quoted.start_line) == (quote, 10)
    assert symbol.symbol == "stale_locks"
    assert files["main.py"] == []


def test_a_verification_follows_a_symbol_into_another_file_and_the_rest_stays(desk, locks):
    id_ = record(desk, [*ACQUIRE, {"path": "billing/locks.py", "symbol": "stale_locks"}]).id
    write(desk.root, {"billing/locks.py": LOCKS.replace(STALE_LOCKS, "").rstrip() + "\n"})
    write(desk.root, {"billing/reports.py": '"""Reports."""\n\n\n' + STALE_LOCKS})
    verified = act(desk, id_, "verify")
    assert [(file.path, [span.symbol for span in file.spans]) for file in verified.files] == [
        ("billing/locks.py", ["Lock.acquire"]),
        ("billing/reports.py", ["stale_locks"]),
    ]
    assert recalled(desk).status == "fresh"


def test_a_verification_derives_again_what_the_conclusion_names(desk, locks):
    named = "`stale_locks` lists what nobody gave back."
    id_ = record(desk, ["billing/locks.py"], conclusion=named).id
    write(desk.root, {"billing/locks.py": "# first\n" + LOCKS})
    (file,) = act(desk, id_, "verify").files
    (span,) = file.spans
    assert (span.symbol, span.derived, span.start_line) == ("stale_locks", True, 20)
    git(desk.root, "mv", "billing/locks.py", "billing/mutexes.py")
    (file,) = act(desk, id_, "verify").files
    assert (file.path, file.spans[0].symbol) == ("billing/mutexes.py", "stale_locks")


def test_what_is_gone_cannot_be_verified_and_nothing_changes(desk, locks):
    id_ = record(desk, [*ACQUIRE, {"path": "billing/locks.py", "symbol": "stale_locks"}]).id
    write(desk.root, {"billing/locks.py": LOCKS.replace(STALE_LOCKS, "").rstrip() + "\n"})
    before = desk.ask("memo", id=id_)
    with pytest.raises(SourceFilesError, match=r"locks\.py stale_locks.*retire it\. Nothing was changed"):
        act(desk, id_, "verify")
    after = desk.ask("memo", id=id_)
    assert (after.updated_at, after.history, after.impact) == (before.updated_at, [], "gone")


def test_what_cannot_be_read_cannot_be_verified_and_nothing_changes(desk, locks, tmp_path):
    id_ = record(desk, ACQUIRE).id
    (tmp_path / "outside.py").write_text(LOCKS, encoding="utf-8")
    locks.unlink()
    locks.symlink_to(tmp_path / "outside.py")
    with pytest.raises(SourceFilesError, match=r"billing/locks\.py"):
        act(desk, id_, "verify")
    assert history(desk, id_) == []


def test_a_retired_conclusion_is_out_of_every_list_until_that_is_undone(desk, locks):
    id_ = record(desk, ACQUIRE).id
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.2")})
    assert act(desk, id_, "retire", "nobody asks").retired
    assert desk.ask("memory_exploration_recall", question=QUESTION, project="shop").results == []
    assert desk.ask("stale").items == []
    with pytest.raises(InvalidArgumentError, match="retired"):
        act(desk, id_, "verify")
    assert not act(desk, id_, "undo").retired
    assert (recalled(desk).impact, [item.id for item in desk.ask("stale").items]) == ("edited", [id_])
    assert history(desk, id_) == [("retire", "nobody asks"), ("undo", "")]


def test_a_new_recording_of_the_question_brings_back_a_retired_one_and_undo_retires_it(desk, locks):
    id_ = record(desk, ACQUIRE).id
    act(desk, id_, "retire")
    again = record(desk, ACQUIRE, conclusion="It still polls.")
    assert (again.id, again.replaced, recalled(desk).conclusion) == (id_, True, "It still polls.")
    assert act(desk, id_, "undo").retired
    assert desk.ask("memo", id=id_).conclusion == "It polls the table until the timeout."


def test_a_recording_in_place_of_another_can_be_undone_with_its_files(desk, locks):
    id_ = record(desk, ACQUIRE).id
    record(desk, [{"path": "main.py"}], conclusion="By main.")
    assert recalled(desk).files == ["main.py"]
    act(desk, id_, "undo")
    memo = recalled(desk)
    assert (memo.files, memo.conclusion) == (["billing/locks.py"], "It polls the table until the timeout.")
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.2")})
    assert recalled(desk).impact == "edited"


def test_old_bytes_of_an_undone_verification_are_still_there(desk, locks):
    id_ = record(desk, ACQUIRE).id
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.2")})
    act(desk, id_, "verify")
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.3")})
    act(desk, id_, "undo")
    lines = desk.ask("memo_diff", id=id_).files[0].hunks[0].lines
    assert [line.text.strip() for line in lines if line.kind == "-"] == ["self.sleep(0.1)"]


@pytest.mark.parametrize("action", ["verify", "retire", "undo"])
def test_an_unknown_id_is_named(desk, action):
    with pytest.raises(NotFoundError, match="no memo 4711"):
        act(desk, 4711, action)


def test_nothing_to_undo_is_said(desk, locks):
    id_ = record(desk, ACQUIRE).id
    with pytest.raises(InvalidArgumentError, match="nothing to undo"):
        act(desk, id_, "undo")
