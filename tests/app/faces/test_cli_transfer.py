"""export, import, backup: nothing is lost, nothing is half there, and bad lines are told by number."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.app.faces.command_line import Full, run
from tests.app.faces.doubles import MODEL, EngineDouble

from afresh.contracts import Redaction
from afresh.errors import InvalidArgumentError, StoreFullError
from afresh.verbs import BadLine, EmbeddingResult, ExportResult, ImportFromResult, ImportResult

ROWS = [
    {"kind": "memory", "project": "shop", "content": "é\n漢\u2028"},
    {"kind": "memory", "project": "shop", "content": "b"},
    {"kind": "memo", "project": "shop", "question": "q"},
]
EVENTS = {"export": [{"kind": "row", "row": row} for row in ROWS]}


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# --- export -----------------------------------------------------------------------------------------------


def test_an_export_writes_one_object_a_line_and_says_how_many(workspace: Path) -> None:
    engine = EngineDouble(events=EVENTS)
    outcome = run("export", "out.jsonl", "--project", "shop", engine=engine)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == "exported 3 rows to out.jsonl (memory 2, memo 1)\n"
    assert engine.calls == [("export", {"project": "shop"})]
    text = (workspace / "out.jsonl").read_text(encoding="utf-8")
    assert [json.loads(row) for row in text.removesuffix("\n").split("\n")] == ROWS
    assert [path.name for path in workspace.iterdir()] == ["out.jsonl"]


def test_an_export_to_stdout_is_rows_alone() -> None:
    outcome = run("export", "-", engine=EngineDouble(events=EVENTS))
    assert [json.loads(row) for row in outcome.out.removesuffix("\n").split("\n")] == ROWS
    assert outcome.err == "exported 3 rows to stdout (memory 2, memo 1)\n"


@pytest.mark.parametrize(
    "engine",
    [
        EngineDouble({"export": StoreFullError("full")}, EVENTS),
        EngineDouble({"export": ExportResult(rows={"memory": 4})}, EVENTS),
        EngineDouble(events={"export": [*EVENTS["export"], KeyboardInterrupt()]}),
    ],
    ids=["an engine that fails", "a row that is lacking", "an interrupt"],
)
def test_an_export_that_is_not_whole_leaves_what_was_there(workspace: Path, engine: EngineDouble) -> None:
    (workspace / "out.jsonl").write_text("before\n", encoding="utf-8")
    outcome = run("export", "out.jsonl", engine=engine)
    assert outcome.code in (3, 130)
    assert (workspace / "out.jsonl").read_text(encoding="utf-8") == "before\n"
    assert [path.name for path in workspace.iterdir()] == ["out.jsonl"]


def test_an_export_that_lost_a_row_says_so() -> None:
    engine = EngineDouble({"export": ExportResult(rows={"memory": 4})}, EVENTS)
    outcome = run("export", "out.jsonl", engine=engine)
    assert outcome.err.startswith("afresh: the export is incomplete: 3 of 4 rows arrived")


def test_an_export_into_a_folder_that_is_not_there_names_the_file(workspace: Path) -> None:
    outcome = run("export", "none/out.jsonl", engine=EngineDouble(events=EVENTS))
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err == "afresh: can't export to none/out.jsonl: No such file or directory\n"


def test_a_disk_that_is_full_is_a_failure_and_not_a_crash() -> None:
    outcome = run("export", "-", engine=EngineDouble(events=EVENTS), stdout=Full())
    assert (outcome.code, outcome.err) == (3, "afresh: can't write the export: No space left on device\n")


# --- import -----------------------------------------------------------------------------------------------


def accept(arguments: Mapping[str, Any]) -> ImportResult:
    """What an engine does that takes every line as a new row, except those that say `bad`."""
    first: int = arguments["first_line"]
    bad = [
        BadLine(line=first + at, error="content is required")
        for at, text in enumerate(arguments["lines"])
        if "bad" in text
    ]
    if bad and arguments.get("strict"):
        raise InvalidArgumentError(f"line {bad[0].line}: content is required")
    created = len(arguments["lines"]) - len(bad)
    return ImportResult(
        created=created, updated=0, unchanged=0, bad=bad, redacted=[Redaction(kind="pem", count=1)]
    )


def importer() -> EngineDouble:
    return EngineDouble({"import": accept})


def imports(engine: EngineDouble) -> list[dict[str, Any]]:
    return [arguments for verb, arguments in engine.calls if verb == "import"]


def test_an_import_sends_the_lines_and_waits_for_the_vectors(workspace: Path) -> None:
    (workspace / "in.jsonl").write_text('{"a": 1}\n{"b": 2}', encoding="utf-8")
    engine = importer()
    outcome = run("import", "in.jsonl", "--project", "shop", engine=engine)
    assert (outcome.code, outcome.err) == (0, "")
    assert [verb for verb, _ in engine.calls] == ["import", "embed"]
    (sent,) = imports(engine)
    assert sent.pop("transfer")
    assert sent == {"lines": ['{"a": 1}', '{"b": 2}'], "first_line": 1, "last": True, "project": "shop"}
    assert outcome.out == "2 created, 0 updated, 0 unchanged\n   Secrets were redacted: pem (1).\n"


def test_an_import_does_not_wait_where_that_is_asked_or_nothing_is_new() -> None:
    engine = importer()
    run("import", "-", "--no-wait", engine=engine, stdin=b'{"a": 1}\n')
    assert [verb for verb, _ in engine.calls] == ["import"]
    same = ImportResult(created=0, updated=0, unchanged=1, bad=[], redacted=[])
    engine = EngineDouble({"import": same})
    run("import", "-", engine=engine, stdin=b'{"a": 1}\n')
    assert [verb for verb, _ in engine.calls] == ["import"]


def test_an_import_of_nothing_asks_nothing() -> None:
    engine = importer()
    outcome = run("import", "-", engine=engine, stdin=b"\n\n")
    assert (outcome.code, engine.calls) == (0, [])
    assert outcome.out == "0 created, 0 updated, 0 unchanged\n"


def test_vectors_that_are_still_to_come_are_told() -> None:
    pending = EmbeddingResult(
        embedded=0, pending=2, model=MODEL.model_copy(update={"id": None, "source": "none"})
    )
    engine = EngineDouble({"import": accept, "embed": pending})
    assert run("import", "-", engine=engine, stdin=b'{"a": 1}\n').err == "2 vectors to come: none\n"


def test_bad_lines_are_told_with_their_own_numbers_and_the_rest_goes_in() -> None:
    text = '\ufeff{"a": 1}\n\n"bad"\n'.encode() + b"\xff\xfe\n" + b'{"c": 3}\r\n"bad"\n'
    engine = importer()
    outcome = run("import", "-", engine=engine, stdin=text)
    assert outcome.code == 1
    assert outcome.err == (
        "line 3: content is required\nline 4: not UTF-8 (invalid start byte)\nline 6: content is required\n"
    )
    assert outcome.out.startswith("2 created, 0 updated, 0 unchanged, 3 bad lines left out\n")
    assert imports(engine)[0]["lines"] == ['{"a": 1}', '"bad"', '{"c": 3}', '"bad"']


def test_json_reports_the_whole_import() -> None:
    outcome = run("import", "-", "--json", engine=importer(), stdin=b'{"a": 1}\n"bad"\n')
    assert outcome.code == 1
    assert json.loads(outcome.out) == {
        "created": 1,
        "updated": 0,
        "unchanged": 0,
        "bad": [{"line": 2, "error": "content is required"}],
        "redacted": [{"kind": "pem", "count": 1}],
    }


def test_very_many_bad_lines_are_counted_after_the_first_fifty() -> None:
    outcome = run("import", "-", engine=importer(), stdin=b'"bad"\n' * 60)
    assert outcome.err.count("content is required") == 50
    assert outcome.err.endswith("and 10 more bad lines\n")


def test_a_large_file_is_sent_in_several_calls_that_number_on() -> None:
    engine = importer()
    outcome = run("import", "-", engine=engine, stdin=b'{"a": 1}\n' * 4100)
    assert [(item["first_line"], len(item["lines"])) for item in imports(engine)] == [
        (1, 2000),
        (2001, 2000),
        (4001, 100),
    ]
    assert [item["last"] for item in imports(engine)] == [False, False, True]
    assert len({item["transfer"] for item in imports(engine)}) == 1
    assert outcome.out.startswith("4,100 created")


def test_long_lines_are_sent_in_calls_of_at_most_eight_megabytes() -> None:
    engine = importer()
    run("import", "-", "--no-wait", engine=engine, stdin=(b"x" * 3_000_000 + b"\n") * 3 + b"y" * 9_000_000)
    assert [(item["first_line"], len(item["lines"])) for item in imports(engine)] == [(1, 2), (3, 1), (4, 1)]


def test_a_strict_import_stops_at_the_first_bad_line_and_names_it() -> None:
    engine = importer()
    outcome = run("import", "-", "--strict", engine=engine, stdin=b'{"a": 1}\n\n\n"bad"\n')
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "afresh: line 4: content is required\n"
    assert all(item["strict"] for item in imports(engine))


def test_a_strict_import_stops_at_bytes_that_are_no_text() -> None:
    engine = importer()
    outcome = run("import", "-", "--strict", engine=engine, stdin=b'{"a": 1}\n\xff\n{"b": 2}\n')
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "afresh: line 2: not UTF-8 (invalid start byte); the lines before it went in\n"
    assert [item["lines"] for item in imports(engine)] == [['{"a": 1}']]


def test_progress_of_an_import_counts_bytes_and_then_vectors() -> None:
    embedding = [{"kind": "progress", "phase": "embed", "done": 1, "total": 2, "message": "1 text to embed"}]
    engine = EngineDouble({"import": accept}, {"embed": embedding})
    outcome = run("import", "-", engine=engine, stdin=b'{"a": 1}\n', seconds_apart=2.0)
    assert outcome.err == "importing: 9\nembedding: 1 of 2\n"


# --- import of other programs' ---------------------------------------------------------------------------


def taken_in(*bad: str) -> ImportFromResult:
    return ImportFromResult(
        project="shop", created=2, updated=1, unchanged=0, removed=3, bad=list(bad), redacted=[]
    )


def test_another_programs_memories_are_read_where_they_are_and_waited_for(workspace: Path) -> None:
    engine = EngineDouble({"import_from": taken_in()})
    outcome = run("import", "--from", "claude", "memory", "--project", "shop", engine=engine)
    arguments = {"source": "claude", "project": "shop", "path": str(workspace / "memory")}
    assert engine.calls == [("import_from", arguments), ("embed", {})]
    assert (outcome.code, outcome.out) == (0, "2 created, 1 updated, 0 unchanged, 3 removed\n")


def test_entries_that_could_not_be_read_are_told_and_end_with_1() -> None:
    bad = [f"line {number}: not JSON" for number in range(60)]
    engine = EngineDouble({"import_from": taken_in(*bad)})
    outcome = run("import", "--from", "mcp-memory", "memory.json", "--no-wait", engine=engine)
    assert outcome.code == 1
    assert outcome.err.startswith("line 0: not JSON\n")
    assert outcome.err.endswith("and 10 more bad entries\n")
    assert outcome.out == "2 created, 1 updated, 0 unchanged, 3 removed, 60 entries left out\n"


def test_another_program_is_not_read_from_stdin_and_an_unknown_one_is_refused() -> None:
    outcome = run("import", "--from", "claude", "-", engine=EngineDouble())
    assert (outcome.code, outcome.err) == (
        2,
        "afresh: --from reads a file or a folder: give its path, not -\n",
    )
    outcome = run("import", "--from", "mem0", "x", engine=EngineDouble())
    assert outcome.code == 2 and "'mem0'" in outcome.err and "basic-memory" in outcome.err


# --- backup -----------------------------------------------------------------------------------------------


def test_a_backup_goes_to_the_file_that_was_named(workspace: Path) -> None:
    engine = EngineDouble()
    outcome = run("backup", "copy.duckdb", engine=engine)
    assert engine.calls == [("backup", {"to": str(workspace / "copy.duckdb")})]
    assert outcome.out == "Backed up to /srv/copy.duckdb (1.5 MB).\n"


def test_a_backup_without_a_name_goes_into_the_data_folder_under_the_time(tmp_path: Path) -> None:
    engine = EngineDouble()
    run("backup", engine=engine, home=tmp_path)
    assert engine.calls == [("backup", {"to": str(tmp_path / "backup-20260501-140000.duckdb")})]
