"""What the Stale screen does: lists, judges, acts, takes back, filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.tui import diffs, stale_answers
from tests.tui.frozen import app, settled
from textual.message import Message
from textual.pilot import Pilot
from textual.widgets import Static

from afresh.errors import KeeperLostError, SourceFilesError, StoreError
from afresh_tui import editor
from afresh_tui.app import AfreshApp
from afresh_tui.messages import KeeperBack, WorkspaceChanged
from afresh_tui.screens.stale import StaleScreen
from afresh_tui.scripted import ScriptedEngine

pytestmark = pytest.mark.anyio
MEMO = {
    "id": 12,
    "project": "shop",
    "root": "/home/ada/shop",
    "question": "How does a lock wait, and for how long?",
    "conclusion": "acquire polls every 0.1 s.",
    "status": "stale",
    "retired_at": None,
    "recorded_at": "2026-02-08T10:00:00Z",
    "updated_at": "2026-02-08T10:00:00Z",
    "files": [
        {
            "path": "billing/locks.py",
            "sha256": "0" * 64,
            "size": 900,
            "spans": [{"start_line": 9, "end_line": 16, "symbol": "Lock.acquire", "derived": False}],
        },
    ],
    "changed_files": ["billing/locks.py"],
    "missing_files": [],
    "unverifiable_files": [],
    "impact": "edited",
    "details": None,
    "history": [],
}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def verified(action: str) -> dict[str, Any]:
    return {
        "id": 12,
        "action": action,
        "status": "fresh",
        "updated_at": "2026-03-01T12:00:00Z",
        "files": [],
        "retired": action == "retire",
    }


def screen_of(pilot: Pilot[Any]) -> StaleScreen:
    screen = pilot.app.screen
    assert isinstance(screen, StaleScreen)
    return screen


def said(pilot: Pilot[Any]) -> list[str]:
    return [str(notice.message) for notice in pilot.app._notifications]


def message(screen: StaleScreen) -> str:
    return str(screen.query_one("#stale-message", Static).content)


async def press(pilot: Pilot[Any], *keys: str) -> StaleScreen:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
    return screen_of(pilot)


class InTerminal(AfreshApp):
    """An app whose terminal can be handed over, as a real one."""

    @contextmanager
    def suspend(self) -> Iterator[None]:
        yield


def with_terminal(over: ScriptedEngine, **changes: Any) -> InTerminal:
    made = app(over, first="stale", **changes)
    made.__class__ = InTerminal
    assert isinstance(made, InTerminal)
    return made


async def test_the_gravest_comes_first_and_its_changes_are_shown() -> None:
    over = stale_answers.over()
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert screen.state == "full"
        assert screen.item is not None
        assert (screen.item.kind, screen.item.id) == ("memo", 7)
        assert [change.path for change in screen.diff.changes] == ["billing/retry.py"]
        assert over.calls("memo_diff") == [{"id": 7}]


async def test_the_diff_of_a_memory_is_asked_for_as_one() -> None:
    over = stale_answers.over()
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = await press(pilot, "right_square_bracket", "right_square_bracket")
        assert over.calls("memory_diff") == [{"id": 44}]
        assert not screen.can("verify")
        assert screen.can("retire")


async def test_a_verified_conclusion_leaves_the_list_and_undo_brings_it_back() -> None:
    left = [item for item in stale_answers.ITEMS if item["id"] != 7]
    over = stale_answers.over(
        stale=[stale_answers.stale(), stale_answers.stale(left), stale_answers.stale()],
        memory_exploration_verify=[verified("verify"), verified("undo")],
    )
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        assert not screen_of(pilot).can("undo")
        screen = await press(pilot, "v")
        assert screen.listing.count == 3
        assert screen.item is not None
        assert screen.item.id == 12
        screen = await press(pilot, "u")
        assert screen.listing.count == 4
        assert [call["action"] for call in over.calls("memory_exploration_verify")] == ["verify", "undo"]
        assert [call["id"] for call in over.calls("memory_exploration_verify")] == [7, 7]
        assert not screen.can("undo")
        assert said(pilot)[0] == "Verified “Who retries a failed payment?”; u takes it back"


async def test_a_conclusion_is_retired_and_a_memory_is_deleted_both_to_be_undone() -> None:
    deleted = {"id": 44, "project": "shop", "deleted": True, "deleted_at": "2026-03-01T12:00:00Z"}
    over = stale_answers.over(memory_exploration_verify=verified("retire"), memory_delete=deleted)
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await press(pilot, "d")
        assert over.calls("memory_exploration_verify") == [{"id": 7, "action": "retire"}]
        screen = await press(pilot, "right_square_bracket")
        assert screen.item is not None
        assert screen.item.kind == "memory"
        await press(pilot, "d")
        assert over.calls("memory_delete") == [{"id": 44}]
        await press(pilot, "u", "u")
        assert over.calls("memory_delete")[1:] == [{"id": 44, "undo": True}]
        assert over.calls("memory_exploration_verify")[1:] == [{"id": 7, "action": "undo"}]


async def test_what_cannot_be_verified_stays_and_the_reason_is_told() -> None:
    refused = SourceFilesError("memo 7 can't be verified, because what it rests on is gone: billing/retry.py")
    over = stale_answers.over(memory_exploration_verify=refused)
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = await press(pilot, "v")
        assert screen.listing.count == 4
        assert not screen.can("undo")
        assert said(pilot) == [refused.message]


async def test_without_an_editor_recording_anew_says_how_to_set_one() -> None:
    over = stale_answers.over()
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await press(pilot, "r", "o")
        assert all("no editor is set" in told and "EDITOR" in told for told in said(pilot))
        assert over.calls("memo") == []


async def test_an_edited_conclusion_is_recorded_for_the_lines_as_they_are_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []

    def run(command: list[str]) -> int:
        path = Path(command[-1])
        text = path.read_text(encoding="utf-8")
        seen.append(text)
        path.write_text(text.replace("0.1 s", "a tenth of the timeout"), encoding="utf-8")
        return 0

    monkeypatch.setattr(editor, "run_editor", run)
    recorded = {
        "recorded": True,
        "id": 12,
        "project": "shop",
        "root": "/home/ada/shop",
        "question": MEMO["question"],
        "recorded_at": "2026-02-08T10:00:00Z",
        "updated_at": "2026-03-01T12:00:00Z",
        "files": [],
        "replaced": True,
        "semantic_index": True,
    }
    over = stale_answers.over(
        memo=MEMO,
        memory_exploration_record=recorded,
        memory_exploration_verify=verified("undo"),
    )
    async with with_terminal(over, editor="vim").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = await press(pilot, "right_square_bracket", "r")
        assert "billing/locks.py#Lock.acquire" in seen[0]
        assert over.calls("memory_exploration_record") == [
            {
                "question": MEMO["question"],
                "conclusion": "acquire polls every a tenth of the timeout.",
                "project": "shop",
                "root": "/home/ada/shop",
                "files": [{"path": "billing/locks.py", "symbol": "Lock.acquire"}],
            }
        ]
        assert screen.can("undo")
        await press(pilot, "u")
        assert over.calls("memory_exploration_verify") == [{"id": 12, "action": "undo"}]


async def test_a_memory_recorded_anew_replaces_the_old_one_with_its_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(command: list[str]) -> int:
        path = Path(command[-1])
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("64 by 64", "96 by 96"), encoding="utf-8")
        return 0

    monkeypatch.setattr(editor, "run_editor", run)
    memory = {
        **dict.fromkeys(("branch", "agent_id", "agent_instance_id", "session_id", "event_time")),
        **dict.fromkeys(("expires_at", "superseded_by", "deleted_at", "freshness", "history")),
        "id": 44,
        "project": "shop",
        "content": "The logo is drawn at 64 by 64.",
        "type": "fact",
        "memory_type": "semantic",
        "path": "design",
        "tags": ["logo"],
        "created_at": "2026-02-27T10:00:00Z",
        "updated_at": "2026-02-27T10:00:00Z",
        "version": 1,
        "source": {"kind": "agent"},
        "files": [{"path": "assets/logo.svg", "sha256": "0" * 64, "size": 10, "spans": []}],
    }
    saved = {
        "id": 45,
        "project": "shop",
        "type": "fact",
        "created": True,
        "duplicate_of": None,
        "redacted": [],
        "supersedes": 44,
        "near": [],
    }
    over = stale_answers.over(memory_get={"memories": [memory], "missing": []}, memory_save=saved)
    async with with_terminal(over, editor="vim").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = await press(pilot, "right_square_bracket", "right_square_bracket", "r")
        (sent,) = over.calls("memory_save")
        assert (sent["content"], sent["supersedes"]) == ("The logo is drawn at 96 by 96.", 44)
        assert (sent["files"], sent["tags"]) == ([{"path": "assets/logo.svg"}], ["logo"])
        assert not screen.can("undo")


async def test_a_text_that_came_back_as_it_was_records_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor, "run_editor", lambda _command: 0)
    over = stale_answers.over(memo=MEMO)
    async with with_terminal(over, editor="vim").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await press(pilot, "right_square_bracket", "r")
        assert over.calls("memory_exploration_record") == []
        assert said(pilot) == ["Nothing was changed. Verify it if it holds as it is."]


async def test_where_the_terminal_cannot_be_handed_over_the_editor_is_named() -> None:
    over = stale_answers.over(memo=MEMO)
    async with app(over, first="stale", editor="vim").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await press(pilot, "right_square_bracket", "r")
        assert said(pilot) == ["vim needs the terminal, which can't be handed over here"]


async def test_the_file_is_opened_at_the_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(editor, "run_editor", lambda command: started.append(command) or 0)
    file = tmp_path / "billing" / "locks.py"
    file.parent.mkdir()
    file.write_text(diffs.NEW, encoding="utf-8")
    item = {**stale_answers.LOCKS, "root": str(tmp_path)}
    over = stale_answers.over([item])
    async with with_terminal(over, editor="vim").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        await press(pilot, "o", "n", "o")
        assert started == [["vim", "+9", str(file)], ["vim", "+33", str(file)]]
        file.write_bytes(b"\0\1")
        await press(pilot, "o")
        assert said(pilot) == ["billing/locks.py is binary now; it is not opened"]


async def test_the_filter_takes_words_authors_and_paths() -> None:
    async with app(stale_answers.over(), first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = await press(pilot, "slash", *"path:locks")
        assert [item.id for item in screen._items] == [12, 31]
        screen.filter_input.value = "author:ada impact:gone"
        await settled(pilot)
        assert [item.id for item in screen._items] == [7]
        screen.filter_input.value = "author:nobody"
        await settled(pilot)
        assert screen.item is None
        assert screen.diff.changes == ()
        screen = await press(pilot, "escape")
        assert len(screen._items) == 4
        assert screen.focused is screen.listing


async def test_going_from_change_to_change_ends_at_the_last() -> None:
    async with app(stale_answers.over([stale_answers.LOCKS]), first="stale").run_test(
        size=(120, 36)
    ) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert screen.diff.current == (1, 2)
        await press(pilot, "n")
        assert screen.diff.current == (2, 2)
        await press(pilot, "n")
        assert screen.diff.current == (2, 2)
        await press(pilot, "p", "p")
        assert screen.diff.current == (1, 2)


async def test_zoom_gives_the_changes_the_width_that_splits_them() -> None:
    async with app(stale_answers.over(), first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert screen.diff.mode == "unified"
        await press(pilot, "z")
        assert screen.diff.mode == "split"
        assert not screen.listing.display or screen.listing.size.width == 0
        await press(pilot, "escape")
        assert screen.diff.mode == "unified"


async def test_nothing_stale_and_nothing_recorded_are_told_apart() -> None:
    over = stale_answers.over(stale=[stale_answers.stale([]), stale_answers.stale([], judged=0, fresh=0)])
    async with app(over, first="stale").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert screen.state == "empty"
        assert "Nothing is stale" in message(screen)
        assert not screen.can("verify")
        await press(pilot, "ctrl+r")
        assert "Nothing was recorded yet" in message(screen)


async def test_how_far_the_judging_is_can_be_seen() -> None:
    over = stale_answers.over()
    shown: list[str] = []

    def judge(_arguments: Mapping[str, Any], tell: Any) -> dict[str, Any]:
        tell({"kind": "progress", "phase": "judge", "done": 120, "total": 500})
        screen = shop.screen
        assert isinstance(screen, StaleScreen)
        shown.append(message(screen))
        return stale_answers.stale()

    over.answers["stale"] = judge
    shop = app(over, first="stale")
    async with shop.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "120 of 500" in shown[0]
        assert screen_of(pilot).state == "full"


async def test_a_failure_is_told_in_place_of_the_list_and_can_be_tried_again() -> None:
    over = stale_answers.over(stale=[StoreError("the disk is full"), stale_answers.stale()])
    async with app(over, first="stale").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert screen.state == "error"
        assert "the disk is full" in message(screen)
        await press(pilot, "ctrl+r")
        assert screen.state == "full"


async def test_when_a_new_keeper_answers_everything_is_judged_again_and_the_place_kept() -> None:
    over = stale_answers.over()
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = await press(pilot, "G")
        over.answers["stale"] = KeeperLostError("the keeper went away")
        screen.reload()
        await settled(pilot)
        assert screen.listing.count == 4
        over.answers["stale"] = stale_answers.stale()
        screen.post_message(KeeperBack(4712))
        await settled(pilot)
        assert screen.item is not None
        assert screen.item.id == 31
        assert len(over.calls("stale")) >= 3


async def test_a_changed_workspace_is_judged_again_once_for_many_changes() -> None:
    over = stale_answers.over()
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        gate = over.hold("stale")
        screen_of(pilot).post_message(WorkspaceChanged({"kind": "change"}))
        await pilot.pause()
        for _ in range(20):
            screen_of(pilot).post_message(WorkspaceChanged({"kind": "change"}))
        await pilot.pause()
        gate.set()
        await settled(pilot)
        assert len(over.calls("stale")) == 3


async def test_what_is_judged_again_and_comes_out_the_same_stays_where_its_reader_is() -> None:
    over = stale_answers.over([stale_answers.LOCKS])
    async with app(over, first="stale").run_test(size=(120, 20)) as pilot:
        await settled(pilot)
        screen = await press(pilot, "n")
        place = screen.diff.scroll_offset.y
        assert (screen.diff.current, place > 0) == ((2, 2), True)
        screen.post_message(WorkspaceChanged({"kind": "change"}))
        await settled(pilot)
        assert len(over.calls("memo_diff")) == 2
        assert (screen.diff.current, screen.diff.scroll_offset.y) == ((2, 2), place)


async def test_what_changed_while_another_screen_was_seen_is_judged_on_return() -> None:
    over = stale_answers.over()
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        await pilot.press("2")
        await settled(pilot)
        screen.post_message(WorkspaceChanged({"kind": "change"}))
        screen.post_message(WorkspaceChanged({"kind": "watch", "mode": "native"}))
        await settled(pilot)
        assert len(over.calls("stale")) == 1
        await pilot.press("3")
        await settled(pilot)
        assert len(over.calls("stale")) == 2


async def test_five_hundred_stale_conclusions_are_walked_without_asking_for_their_diffs_at_once() -> None:
    items = [
        stale_answers.item(number, f"Question {number}?", f"Conclusion {number}.") for number in range(500)
    ]
    over = stale_answers.over(items)
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert screen.listing.count == 500
        assert len(over.calls("memo_diff")) == 1
        await press(pilot, "G")
        assert screen.item is not None
        assert screen.item.id == 499
        assert len(over.calls("memo_diff")) == 2


async def test_the_diff_that_comes_late_for_another_conclusion_is_not_shown() -> None:
    over = stale_answers.over()
    async with app(over, first="stale").run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        gate = over.hold("memo_diff")
        await pilot.press("right_square_bracket")
        await pilot.pause()
        await pilot.press("right_square_bracket")
        await pilot.pause()
        gate.set()
        await settled(pilot)
        screen = screen_of(pilot)
        assert screen.item is not None
        assert screen.item.id == 44
        assert [change.path for change in screen.diff.changes] == ["assets/logo.svg"]
        assert [asked.arguments for asked in over.cancelled] == [{"id": 12}]


async def test_every_act_has_a_key_and_a_method() -> None:
    seen: list[Message] = []
    async with app(stale_answers.over(), first="stale").run_test(
        size=(120, 36), message_hook=seen.append
    ) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert all(hasattr(screen, f"action_{act.name}") for act in screen.ACTS)
        assert len({act.key for act in screen.ACTS}) == len(screen.ACTS)
        screen = await press(pilot, "a", "w", "s", "y")
        assert (screen.diff.cited_only, screen.diff.wrap, screen.diff.mode) == (False, False, "split")
        assert any("HunkChanged" in type(one).__qualname__ for one in seen)
        assert pilot.app.clipboard.startswith("-def retry")
