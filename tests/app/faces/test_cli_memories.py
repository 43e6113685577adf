"""save, recall, get, update, delete: what they send, what they show, how they end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.app.faces.command_line import run
from tests.app.faces.doubles import FRESH, RECORD, RESULTS, EngineDouble, recalled, remembered

from afresh.contracts import GetResult


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sent(*argv: str, **options: Any) -> dict[str, Any]:
    """The arguments of the one call that a command made."""
    engine = EngineDouble()
    outcome = run(*argv, engine=engine, **options)
    assert outcome.code == 0, outcome.err
    ((_verb, arguments),) = engine.calls
    return arguments


def test_a_save_sends_what_was_given_and_nothing_else() -> None:
    assert sent("save", "a fact") == {"content": "a fact", "type": "fact"}


def test_a_save_takes_every_argument_of_the_tool(workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    arguments = sent(
        *("save", "Use locks.", "--type", "decision", "--memory-type", "semantic", "--path", "billing/locks"),
        *("--tag", "a", "--tag", "b", "--files", "a.py:1-1", "--files", "gone.py#B.c", "--project", "shop"),
        *("--branch", "main", "--event-time", "2026-05-01T10:00:00Z", "--supersedes", "5"),
        *("--expires-in-days", "3", "--agent-id", "me", "--agent-instance-id", "i", "--session-id", "s"),
    )
    assert arguments == {
        "content": "Use locks.",
        "type": "decision",
        "memory_type": "semantic",
        "path": "billing/locks",
        "tags": ["a", "b"],
        "files": [
            {"path": str(workspace / "a.py"), "start_line": 1, "end_line": 1},
            {"path": "gone.py", "symbol": "B.c"},
        ],
        "project": "shop",
        "branch": "main",
        "event_time": "2026-05-01T10:00:00Z",
        "supersedes": 5,
        "expires_in_days": 3,
        "agent_id": "me",
        "agent_instance_id": "i",
        "session_id": "s",
    }


def test_a_dash_saves_what_stdin_holds() -> None:
    assert sent("save", "-", stdin="zwei\nZeilen é\n".encode())["content"] == "zwei\nZeilen é"


def test_stdin_that_is_no_text_is_refused() -> None:
    outcome = run("save", "-", stdin=b"\xff\xfe")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("afresh: content: stdin is not UTF-8 text")


def test_a_save_tells_its_number_what_was_redacted_and_what_is_near() -> None:
    assert run("save", "a").out == (
        "Saved #7 (fact) in shop.\n"
        "   Secrets were redacted: aws_access_key (1).\n"
        "   Near it stand, to supersede or to leave:\n"
        "   #5 (0.81) Locks time out after 5 s.\n"
    )


def test_a_save_of_what_is_known_says_so() -> None:
    known = RESULTS["memory_save"].model_copy(
        update={"created": False, "duplicate_of": 7, "near": [], "redacted": []}
    )
    outcome = run("save", "a", engine=EngineDouble({"memory_save": known}))
    assert outcome.out == "Already saved as #7 in shop; nothing was added.\n"


def test_a_recall_needs_no_quotes_and_sends_only_what_was_given() -> None:
    assert sent("recall", "how", "are", "locks", "taken") == {"query": "how are locks taken", "limit": 5}


@pytest.mark.parametrize("option", ["--type", "--memory-type"])
def test_a_recall_takes_every_argument_of_the_tool(option: str) -> None:
    arguments = sent(
        *("recall", "locks", "--project", "%", "--limit", "9", option, "procedural", "--path-filter", "a/%"),
        *("--agent-id", "me", "--agent-instance-id", "i", "--only-own", "--include-superseded", "--explain"),
    )
    assert arguments == {
        "query": "locks",
        "project": "%",
        "limit": 9,
        "memory_type": "procedural",
        "path_filter": "a/%",
        "agent_id": "me",
        "agent_instance_id": "i",
        "only_own": True,
        "include_superseded": True,
        "explain": True,
    }


def test_a_recall_shows_each_memory_with_its_freshness_and_its_place() -> None:
    outcome = run("recall", "locks")
    assert outcome.out == (
        "1. #7 decision  billing/locks  score 0.83\n"
        "   Locks are taken in the order of account ids.\n"
        "   ▲ stale (2 changed, 1 missing): edited\n"
        "   from docs/LOCKS.md:14\n"
        "   3 hours ago (2026-05-01 11:00 UTC) in shop [locking]\n"
    )


def test_superseded_and_expired_memories_are_marked() -> None:
    old = remembered(superseded_by=9, expired=True, freshness=FRESH)
    outcome = run("recall", "locks", engine=EngineDouble({"recall": recalled(old)}))
    assert "superseded by #9  expired\n" in outcome.out
    assert "● fresh\n" in outcome.out


def test_nothing_relevant_ends_with_1_and_shows_the_nearest_apart() -> None:
    engine = EngineDouble({"recall": recalled(nearest=[remembered()])})
    outcome = run("recall", "quarks", engine=engine)
    assert outcome.code == 1
    assert outcome.out == (
        "Nothing relevant is remembered.\n"
        "The nearest, which are not answers:\n"
        "  ~ #7 Locks are taken in the order of account ids.\n"
        "    from docs/LOCKS.md:14\n"
    )
    assert run("recall", "quarks", "--json", engine=engine).code == 1


def test_an_explanation_shows_steps_and_parts() -> None:
    engine = EngineDouble({"recall": recalled(remembered(), explain=True)})
    outcome = run("recall", "locks", "--explain", engine=engine)
    assert outcome.out.endswith(
        "\n\nHow it was found\n  lexical  0.4 ms  3 terms\n  #7  0.834  lexical +0.500 dense +0.334\n"
    )


def test_a_long_memory_is_shown_in_part_and_says_how_much_is_left() -> None:
    long = remembered(content="\n".join(f"line {number}" for number in range(40)))
    outcome = run("recall", "locks", engine=EngineDouble({"recall": recalled(long)}))
    assert "   line 11\n   … 28 more lines\n" in outcome.out


def test_a_memory_can_not_drive_the_terminal() -> None:
    wild = remembered(content="\x1b[2J\x07wiped\r\u202e", path="\x1b]0;x", tags=["\x9b"], project="\x1b")
    outcome = run("recall", "locks", engine=EngineDouble({"recall": recalled(wild)}), terminal=False)
    assert "␛[2J␇wiped␍\\u202e" in outcome.out
    assert not set(outcome.out) & {"\x1b", "\x07", "\x9b", "\r", "\u202e"}


def test_on_a_terminal_styles_are_the_only_escapes() -> None:
    wild = remembered(content="[red]\x1b[2J[/red] :smile:")
    engine = EngineDouble({"recall": recalled(wild)})
    outcome = run("recall", "locks", engine=engine, terminal=True, environment=[("TERM", "xterm-256color")])
    assert "\x1b[" in outcome.out
    assert "\x1b[2J" not in outcome.out
    assert "[red]␛[2J[/red] :smile:" in outcome.out


def test_no_color_is_honoured_on_a_terminal() -> None:
    environment = [("TERM", "xterm-256color"), ("NO_COLOR", "1")]
    outcome = run("recall", "locks", terminal=True, environment=environment)
    assert "\x1b[3" not in outcome.out
    assert "▲ stale" in outcome.out


def test_get_asks_for_each_id_and_ends_with_1_where_one_is_missing() -> None:
    engine = EngineDouble({"memory_get": GetResult(memories=[RECORD], missing=[8, 9])})
    outcome = run("get", "7", "8", "9", "--history", engine=engine)
    assert engine.calls == [("memory_get", {"ids": [7, 8, 9], "history": True})]
    assert (outcome.code, outcome.err) == (1, "no memory has the id 8, 9\n")
    assert outcome.out == (
        "#7 decision  billing/locks  ● fresh\n"
        "   Locks are taken in the order of account ids.\n"
        "   Else two transfers block each other.\n"
        "   project  shop\n"
        "   saved    3 hours ago (2026-05-01 11:00 UTC)\n"
        "   updated  just now (2026-05-01 14:00 UTC), version 2\n"
        "   branch   main\n"
        "   tags     locking\n"
        "   source   agent\n"
        "   cites    bank.py  sha256 abababababab  Bank.transfer (lines 3-9)\n"
        "   version 1, until just now (2026-05-01 14:00 UTC): it was wrong\n"
        "      Locks are taken in any order.\n"
    )


def test_an_update_sends_what_was_given() -> None:
    assert sent(
        *("update", "7", "--content", "new", "--type", "lesson", "--tag", "a", "--path", "b"),
        *("--expires-in-days", "4", "--reason", "why"),
    ) == {
        "id": 7,
        "content": "new",
        "type": "lesson",
        "tags": ["a"],
        "path": "b",
        "expires_in_days": 4,
        "reason": "why",
    }


def test_an_update_can_take_all_tags_away_or_empty_the_path() -> None:
    assert sent("update", "7", "--no-tags") == {"id": 7, "tags": []}
    assert sent("update", "7", "--path", "") == {"id": 7, "path": ""}


def test_a_deletion_says_how_it_is_undone() -> None:
    engine = EngineDouble()
    outcome = run("delete", "7", "--reason", "wrong", engine=engine)
    assert engine.calls == [("memory_delete", {"id": 7, "reason": "wrong"})]
    assert outcome.out == "Deleted #7 in shop. `afresh delete 7 --undo` brings it back.\n"


def test_an_undone_deletion_is_told() -> None:
    back = RESULTS["memory_delete"].model_copy(update={"deleted": False, "deleted_at": None})
    engine = EngineDouble({"memory_delete": back})
    outcome = run("delete", "7", "--undo", engine=engine)
    assert engine.calls == [("memory_delete", {"id": 7, "undo": True})]
    assert outcome.out == "Brought back #7 in shop.\n"
