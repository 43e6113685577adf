"""What every command has in common: exit codes, streams, options before the command, and purity of --json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO, get_args
from unittest import mock

import click
import pytest
from tests.app.faces.command_line import Full, Stream, run
from tests.app.faces.doubles import RESULTS, EngineDouble

from afresh import __version__, contracts
from afresh.errors import BY_KIND, AfreshError, UnknownProjectError
from afresh.faces import cli_options
from afresh.faces.cli import commands

ANSWERED: dict[str, tuple[str, ...]] = {
    "memory_save": ("save", "a"),
    "recall": ("recall", "locks"),
    "memory_get": ("get", "7"),
    "memory_update": ("update", "7", "--path", "a/b"),
    "memory_delete": ("delete", "7"),
    "memory_exploration_record": ("record", "q", "c", "--files", "a.py", "--project", "shop"),
    "memory_exploration_recall": ("explore", "q", "--project", "shop"),
    "recall_context": ("context", "locks"),
    "memory_exploration_verify": ("memo", "verify", "3"),
    "memo": ("memo", "show", "3"),
    "memo_diff": ("memo", "show", "3", "--diff"),
    "index": ("index",),
    "workspace_status": ("status",),
    "projects": ("projects",),
    "doctor": ("doctor",),
    "backup": ("backup", "copy.duckdb"),
    "keeper_status": ("keeper", "status"),
    "keeper_stop": ("keeper", "stop"),
}
"""A command line for each verb whose result one command shows."""


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("verb", ANSWERED)
def test_json_is_the_result_on_one_line_and_nothing_else(verb: str) -> None:
    outcome = run(*ANSWERED[verb], "--json")
    assert outcome.code == 0
    assert json.loads(outcome.out) == RESULTS[verb].model_dump(mode="json")
    assert outcome.out.count("\n") == 1
    assert outcome.err == ""


@pytest.mark.parametrize("verb", ANSWERED)
def test_what_a_person_reads_is_plain_and_fits_80_columns(verb: str) -> None:
    outcome = run(*ANSWERED[verb])
    assert outcome.code == 0
    assert outcome.out
    assert "\x1b" not in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert outcome.err == ""


@pytest.mark.parametrize("verb", ANSWERED)
def test_the_engine_is_asked_once_opened_and_closed_again(verb: str, workspace: Path, tmp_path: Path) -> None:
    engine = EngineDouble()
    run(*ANSWERED[verb], engine=engine, home=tmp_path / "home")
    assert [name for name, _ in engine.calls if name != "projects" or verb == "projects"] == [verb]
    assert engine.opened == [
        {
            "home": tmp_path / "home",
            "cwd": workspace,
            "client": "cli",
            "kind": "cli",
            "start": not verb.startswith("keeper_"),
        }
    ]
    assert engine.closed == 1


@pytest.mark.parametrize("kind", BY_KIND)
def test_a_foreseen_error_is_told_on_stderr_and_its_exit_code_returned(kind: str) -> None:
    error = BY_KIND[kind]("the disk is full; make room")
    engine = EngineDouble({"workspace_status": error})
    outcome = run("status", engine=engine)
    assert (outcome.code, outcome.out) == (error.exit_code, "")
    assert outcome.err == "afresh: the disk is full; make room\n"
    assert engine.closed == 1


def test_every_exit_code_of_the_error_tree_is_one_that_is_documented() -> None:
    assert {kind.exit_code for kind in BY_KIND.values()} == {1, 2, 3, 130}


def test_an_engine_that_can_not_be_reached_is_a_failure_of_a_dependency() -> None:
    outcome = run("recall", "a", engine=EngineDouble({"open": BY_KIND["keeper_unavailable"]("no keeper")}))
    assert (outcome.code, outcome.out, outcome.err) == (3, "", "afresh: no keeper\n")


def test_an_unforeseen_error_says_where_its_traceback_was_kept(tmp_path: Path) -> None:
    outcome = run("status", engine=EngineDouble({"workspace_status": ZeroDivisionError("oh")}), home=tmp_path)
    kept = tmp_path / "last-error.log"
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == f"afresh: internal error: ZeroDivisionError: oh; its traceback is in {kept}\n"
    assert kept.read_text(encoding="utf-8").startswith("Traceback")


def test_an_output_that_can_not_be_written_is_a_failure_of_a_dependency() -> None:
    outcome = run("status", stdout=Full())
    assert (outcome.code, outcome.err) == (3, "afresh: can't write or read: No space left on device\n")


def test_an_unforeseen_error_is_told_even_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    engine = EngineDouble({"workspace_status": ZeroDivisionError("oh")})
    outcome = run("status", engine=engine, home=tmp_path / "file" / "home")
    assert (outcome.code, outcome.err) == (3, "afresh: internal error: ZeroDivisionError: oh\n")


def test_an_interrupt_ends_a_command_with_130_and_closes_the_engine() -> None:
    engine = EngineDouble(events={"workspace_status": [KeyboardInterrupt()]})
    outcome = run("status", engine=engine)
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "interrupted\n")
    assert engine.closed == 1


class Closed(Stream):
    """A pipe whose reader has left."""

    def write(self, _text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")

    def fileno(self) -> int:
        raise OSError("it has no number")


@pytest.mark.parametrize("argv", [("status",), ("status", "--json"), ("export", "-")])
def test_a_reader_that_left_ends_a_command_quietly(argv: tuple[str, ...]) -> None:
    broken: TextIO = Closed()
    row = {"kind": "row", "row": {"kind": "memory"}}
    outcome = run(*argv, engine=EngineDouble(events={"export": [row]}), stdout=broken)
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ((), "Usage: afresh"),
        (("forget",), "No such command 'forget'"),
        (("recall",), "there is nothing to search for"),
        (("recall", "a", "--limit", "many"), "'many' is not a valid integer"),
        (("recall", "a", "--type", "rumour"), "'rumour' is not one of"),
        (("recall", "a", "--colour", "red"), "No such option '--colour'"),
        (("get", "seven"), "'seven' is not a valid integer"),
        (("get",), "Missing argument 'ID...'"),
        (("save",), "Missing argument 'CONTENT'"),
        (("save", "a", "--type", "rumour"), "'rumour' is not one of"),
        (("update", "7"), "nothing to update"),
        (("update", "7", "--reason", "why not"), "nothing to update"),
        (("update", "7", "--tag", "a", "--no-tags"), "exclude each other"),
        (("record", "q", "c"), "Missing option '--files'"),
        (("record", "q", "c", "--files", ""), "--files is empty"),
        (("record", "q", "c", "--files", "a.py:9-3"), "--files a.py:9-3"),
        (("memo",), "Usage: afresh memo"),
        (("memo", "burn", "3"), "No such command 'burn'"),
        (("keeper",), "Usage: afresh keeper"),
        (("import",), "Missing argument 'FILE'"),
        (("import", "none.jsonl"), "there is no file none.jsonl"),
        (("import", "."), "can't read"),
        (("export", "."), "is a folder"),
        (("index", "none"), "none doesn't exist"),
        (("up", "none"), "none doesn't exist"),
        (("watch", "none"), "none doesn't exist"),
        (("--home", "", "status"), "--home"),
        (("--in-process", "keeper", "status"), "runs without a keeper"),
        (("--in-process", "keeper", "stop"), "runs without a keeper"),
        (("keeper", "run"), "write `afresh keeper run`"),
        (("mcp",), "write `afresh mcp`"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_is_wrong(argv: tuple[str, ...], told: str) -> None:
    outcome = run(*argv)
    assert (outcome.code, outcome.out) == (2, "")
    assert told in outcome.err
    assert "Traceback" not in outcome.err


def test_the_engine_runs_within_the_command_where_that_is_asked() -> None:
    engine = EngineDouble()
    assert run("--in-process", "status", engine=engine).code == 0
    assert [opened.get("local") for opened in engine.opened] == [True]


def test_home_is_another_data_folder(tmp_path: Path) -> None:
    engine = EngineDouble()
    assert run("--home", str(tmp_path / "other"), "status", engine=engine, home=tmp_path).code == 0
    assert engine.opened[0]["home"] == tmp_path / "other"


def test_a_setting_that_is_not_allowed_is_wrong_usage() -> None:
    outcome = run("status", environment=[("AFRESH_TRANSPORT", "pigeon")])
    assert outcome.code == 2
    assert outcome.err.startswith("afresh: AFRESH_TRANSPORT is 'pigeon'")


def test_the_version_is_told() -> None:
    assert run("--version").out == f"afresh {__version__}\n"


def walk(command: click.Command, trail: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        return [trail]
    return [
        trail,
        *(found for name, sub in command.commands.items() for found in walk(sub, (*trail, name))),
    ]


@pytest.mark.parametrize("trail", walk(commands), ids=" ".join)
def test_every_command_explains_itself_without_an_engine(trail: tuple[str, ...]) -> None:
    engine = EngineDouble()
    outcome = run(*trail, "--help", engine=engine)
    assert (outcome.code, outcome.err, engine.opened) == (0, "", [])
    assert outcome.out.startswith(f"Usage: {' '.join(('afresh', *trail))}")
    assert "..." not in outcome.out.partition("Commands:")[2], "a summary was cut; give it a short_help"


def test_the_values_that_options_take_are_the_contracts() -> None:
    assert cli_options.SAVE_TYPES == contracts.SAVE_TYPES
    assert cli_options.MEMORY_TYPES == contracts.MEMORY_TYPES
    assert set(cli_options.RECALL_TYPES) == set(get_args(contracts.RecallType))
    for name, values in (
        ("temporal_axis_mode", cli_options.TIME_AXES),
        ("time_order", cli_options.TIME_ORDERS),
        ("query_mode", cli_options.QUERY_MODES),
    ):
        allowed = get_args(contracts.RecallArguments.model_fields[name].annotation)
        assert {"", *values} == set(allowed)


def test_an_error_can_not_drive_the_terminal() -> None:
    outcome = run("status", engine=EngineDouble({"workspace_status": AfreshError("\x1b[2Jgone\x9b2J")}))
    assert outcome.err == "afresh: ␛[2Jgone\\x9b2J\n"


def test_json_holds_what_was_stored_and_still_can_not_drive_the_terminal() -> None:
    wild = "\x1b[2J\x9b2J\u202e\ud800é漢"
    engine = EngineDouble()
    with mock.patch.object(engine, "call", return_value={"question": wild}):
        outcome = run("status", "--json", engine=engine)
    assert outcome.out == '{"question":"\\u001b[2J\\u009b2J\\u202e\\ud800é漢"}\n'
    assert json.loads(outcome.out) == {"question": wild}


def test_a_project_that_is_not_known_is_wrong_usage() -> None:
    engine = EngineDouble({"recall": UnknownProjectError("there is no project 'x'. Known: shop.")})
    outcome = run("recall", "a", "--project", "x", engine=engine)
    assert (outcome.code, outcome.err) == (2, "afresh: there is no project 'x'. Known: shop.\n")


def test_the_doctor_tells_an_engine_that_can_not_be_asked_as_a_finding() -> None:
    engine = EngineDouble({"open": BY_KIND["store_held"]("held by process 7")})
    outcome = run("doctor", engine=engine)
    assert (outcome.code, outcome.err) == (3, "")
    assert outcome.out == "✖ error  engine  held by process 7\n"


def test_the_doctor_ends_with_1_where_a_check_found_an_error() -> None:
    checks = [{"name": "model", "state": "error", "detail": "broken", "advice": "reinstall"}]
    result = type(RESULTS["doctor"]).model_validate({"checks": checks})
    outcome = run("doctor", engine=EngineDouble({"doctor": result}))
    assert outcome.code == 1
    assert outcome.out == "✖ error  model  broken\n    → reinstall\n"


@pytest.mark.parametrize("action", ["status", "stop"])
def test_no_keeper_is_the_answer_no(action: str) -> None:
    engine = EngineDouble({"open": BY_KIND["keeper_unavailable"]("no keeper runs for /home")})
    outcome = run("keeper", action, engine=engine)
    assert (outcome.code, outcome.out, outcome.err) == (1, "", "no keeper runs for /home\n")
