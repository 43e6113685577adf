"""Export and import: a whole store goes through JSON Lines and comes back."""

from __future__ import annotations

import json

import pytest
from tests.app.engine.conftest import Clock, Desk, open_engine

from afresh.engine.calls import Call, Caller
from afresh.engine.dispatch import ANSWERS
from afresh.errors import InvalidArgumentError
from afresh.verbs import ExportArguments


def exported(desk, **arguments):
    rows = []
    call = Call(Caller(cwd=desk.root), emit=lambda event: rows.append(event["row"]))
    ANSWERS["export"](desk.engine, ExportArguments(**arguments), call)
    return rows


@pytest.fixture
def other(tmp_path, workspace, embedder):
    clock = Clock()
    clock.forward(days=30)
    with open_engine(tmp_path / "other-home", clock, embedder) as engine:
        yield Desk(engine, clock, workspace)


def lines(rows):
    return [json.dumps(row) for row in rows]


def without_ids(rows):
    kept = []
    for row in json.loads(json.dumps(rows)):
        for state in (row, *(item.get("before", {}) for item in row.get("history", []))):
            state.pop("id", None)
            state.pop("superseded_by", None)
        kept.append(row)
    return sorted(kept, key=lambda row: json.dumps(row, sort_keys=True))


def test_everything_but_vectors_goes_round(desk, other):
    old = desk.ask("memory_save", content="Deploys happen on Fridays.", type="decision", tags=["ops"])
    new = desk.ask("memory_save", content="Deploys happen on Tuesdays.", type="decision", supersedes=old.id)
    desk.ask("memory_update", id=new.id, path="ops/deploys", reason="filed")
    gone = desk.ask("memory_save", content="A mistake.", files=["main.py"])
    desk.ask("memory_delete", id=gone.id)
    desk.ask(
        "memory_exploration_record", question="What?", conclusion="That.", project="shop", files=["main.py"]
    )
    desk.ask(
        "memory_exploration_record", question="what", conclusion="Else.", project="shop", files=["main.py"]
    )
    rows = exported(desk)
    result = other.ask("import", lines=lines(rows))
    assert result.bad == [] and result.created == 4
    assert without_ids(exported(other)) == without_ids(rows)
    (found,) = other.ask("recall", query="when do deploys happen").result.memories
    assert found.content == "Deploys happen on Tuesdays." and found.source.kind == "agent"
    assert (
        other.ask("memory_exploration_recall", question="what", project="shop").results[0].status == "fresh"
    )
    again = other.ask("import", lines=lines(rows))
    assert (again.created, again.updated) == (0, 0)


def test_rows_of_one_transfer_find_each_other_over_several_calls(desk, other):
    old = desk.ask("memory_save", content="The limit is ten.")
    desk.ask("memory_save", content="The limit is twenty.", supersedes=old.id)
    parts = [[line] for line in lines(exported(desk))]
    for n, part in enumerate(parts):
        other.ask("import", lines=part, first_line=n + 1, transfer="t", last=n == len(parts) - 1)
    assert [m.content for m in other.ask("recall", query="limit").result.memories] == ["The limit is twenty."]


def test_only_kind_project_and_content_are_needed(desk):
    row = {"kind": "memory", "project": "shop", "content": "Bare but findable.", "external_id": "x1"}
    assert desk.ask("import", lines=[json.dumps(row)]).created == 1
    row["content"] = "Bare, changed and findable."
    assert desk.ask("import", lines=[json.dumps(row)]).updated == 1
    (found,) = desk.ask("recall", query="bare findable", project="shop").result.memories
    assert found.content == "Bare, changed and findable."
    assert (found.source.kind, found.source.external_id) == ("import", "x1")


def test_a_bad_line_is_reported_with_its_number_and_the_rest_goes_in(desk):
    good = json.dumps({"kind": "memory", "project": "shop", "content": "Good."})
    sent = [
        good,
        "not json",
        json.dumps({"kind": "memory", "project": "shop"}),
        "",
        json.dumps({"kind": "mystery"}),
    ]
    result = desk.ask("import", lines=sent, first_line=10)
    assert result.created == 1
    assert [bad.line for bad in result.bad] == [11, 12, 14]
    assert "content" in result.bad[1].error and "mystery" in result.bad[2].error


def test_strict_refuses_the_whole_call(desk):
    good = json.dumps({"kind": "memory", "project": "shop", "content": "Good."})
    with pytest.raises(InvalidArgumentError, match="line 2: not JSON"):
        desk.ask("import", lines=[good, "nonsense"], strict=True)
    assert desk.ask("projects").projects == []


def test_a_secret_in_an_import_is_redacted(desk):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    row = {"kind": "memory", "project": "shop", "content": f"Token {secret}.", "tags": [secret]}
    assert desk.ask("import", lines=[json.dumps(row)]).redacted
    assert secret not in json.dumps(exported(desk))


def test_an_export_of_one_project_has_only_its_rows(desk):
    desk.ask("memory_save", content="Here.")
    desk.ask("memory_save", content="There.", project="other")
    assert [row["content"] for row in exported(desk, project="other") if row["kind"] == "memory"] == [
        "There."
    ]
