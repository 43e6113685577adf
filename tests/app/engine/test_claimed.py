"""What a document in an editor names: where that leads, what is dead, and what to write instead."""

from __future__ import annotations

import pytest

from afresh.engine.calls import Call, Caller
from afresh.keeper.service import OpenService, open_service
from afresh.settings import Settings

RULES = "CLAUDE.md"


@pytest.fixture
def service(tmp_path, workspace):
    settings = Settings(home=tmp_path / "home", runtime=tmp_path / "home", embed_model="none", watch="off")
    settings.home.mkdir()
    opened: OpenService = open_service(settings, in_process=True)
    opened.call("index", {"path": str(workspace)}, Call(Caller(cwd=workspace)))
    yield opened
    opened.close()


def claims(service, workspace, text: str, path: str = RULES):
    arguments = {"path": str(workspace / path), "text": text}
    return service.call("file_knowledge", arguments, Call(Caller(cwd=workspace))).claims


def test_a_path_leads_to_its_file_and_to_the_line_that_is_named(service, workspace):
    first, second = claims(
        service, workspace, "é😀 See `billing/locks.py:5` and [it](billing/locks.py#L2).\n"
    )
    assert (first.target, first.target_line) == (str(workspace / "billing" / "locks.py"), 5)
    assert (first.line, first.start_column, first.end_column) == (1, 8, 26)
    assert (second.target, second.target_line) == (str(workspace / "billing" / "locks.py"), 2)


def test_a_symbol_leads_to_its_definition(service, workspace):
    (found,) = claims(service, workspace, "The rule holds for `Lock.release` too.\n")
    assert (found.target_symbol, found.target_line) == ("Lock.release", 5)


def test_a_dead_path_has_what_to_write_instead_in_the_way_it_is_written(service, workspace):
    (root,) = claims(service, workspace, "Locks are in `billing/lock.py:2`.\n")
    assert root.dead == "the workspace has no billing/lock.py"
    assert (root.suggestion, root.replacement) == ("billing/locks.py", "billing/locks.py:2")
    (up,) = claims(service, workspace, "Locks are in `./billing/lock.py`.\n")
    assert up.replacement == "./billing/locks.py"


def test_a_text_of_no_file_is_judged_against_the_root_that_is_named(service, workspace, tmp_path):
    arguments = {
        "path": str(tmp_path / "page.md"),
        "text": "In `billing/locks.py:3`.\n",
        "root": str(workspace),
    }
    found = service.call("file_knowledge", arguments, Call(Caller(cwd=workspace)))
    assert found.project is None
    assert [(one.target, one.target_line) for one in found.claims] == [
        (str(workspace / "billing" / "locks.py"), 3)
    ]


def test_names_are_completed_by_folder_by_file_and_by_definition(service, workspace):
    def names(prefix: str) -> list[str]:
        arguments = {"path": str(workspace / RULES), "prefix": prefix}
        answer = service.call("code_names", arguments, Call(Caller(cwd=workspace)))
        return [one.name for one in answer.names]

    assert "billing/" in names("bil")
    assert names("billing/lo") == ["billing/locks.py"]
    assert names("./billing/lo") == ["billing/locks.py"]
    assert names("docs/../billing/lo") == ["billing/locks.py"]
    assert "billing/locks.py" in names("loc")
    assert "Lock.acquire" in names("acq") and "Lock.acquire" in names("Lock.a")
    assert names("zzz") == []


def test_completions_say_when_there_are_more(service, workspace):
    arguments = {"path": str(workspace / RULES), "prefix": "", "limit": 1}
    answer = service.call("code_names", arguments, Call(Caller(cwd=workspace)))
    assert (len(answer.names), answer.complete) == (1, False)
