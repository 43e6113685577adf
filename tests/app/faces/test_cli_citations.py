"""How a --files value is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from afresh.errors import InvalidArgumentError
from afresh.faces.cli_citations import absolute, citation, under


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.py", "odd:10-20", "odd#name.py", "x#y"):
        (tmp_path / name).write_text("", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("written", "cited"),
    [
        ("a.py", {"path": "a.py"}),
        ("a.py:3", {"path": "a.py", "start_line": 3, "end_line": 3}),
        ("a.py:3-9", {"path": "a.py", "start_line": 3, "end_line": 9}),
        ("a.py#Command.invoke", {"path": "a.py", "symbol": "Command.invoke"}),
        ("a.py#operator#", {"path": "a.py", "symbol": "operator#"}),
        ("a.py#", {"path": "a.py#"}),
        ("odd:10-20", {"path": "odd:10-20"}),
        ("odd:10-20:3-4", {"path": "odd:10-20", "start_line": 3, "end_line": 4}),
        ("odd#name.py", {"path": "odd#name.py"}),
        ("odd#name.py#C.d", {"path": "odd#name.py", "symbol": "C.d"}),
        ("x#y#z", {"path": "x#y", "symbol": "z"}),
        ("gone.py", {"path": "gone.py"}),
        ("gone.py:1-2", {"path": "gone.py", "start_line": 1, "end_line": 2}),
        ("gone.py#C", {"path": "gone.py", "symbol": "C"}),
        ("#C", {"path": "#C"}),
        ("a.py:x-y", {"path": "a.py:x-y"}),
        ("C:\\a.py:7", {"path": "C:\\a.py", "start_line": 7, "end_line": 7}),
    ],
)
def test_a_citation_is_read_as_path_lines_or_symbol(
    folder: Path, written: str, cited: dict[str, Any]
) -> None:
    assert citation(written, folder) == cited


@pytest.mark.parametrize("written", ["", "a.py:0", "a.py:5-4", "a.py:0-3"])
def test_a_citation_that_can_not_be_is_refused_by_name(folder: Path, written: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"--files {written}" if written else "--files is empty"):
        citation(written, folder)


def test_a_path_is_given_relative_to_the_root(folder: Path) -> None:
    sub = folder / "sub"
    sub.mkdir()
    (sub / "b.py").write_text("", encoding="utf-8")
    assert under(folder, sub, {"path": "b.py", "symbol": "B"}) == {"path": "sub/b.py", "symbol": "B"}
    assert under(folder, sub, {"path": "../a.py"}) == {"path": "a.py"}
    assert under(folder, sub, {"path": "a.py"}) == {"path": "a.py"}, "it leads nowhere from here"
    assert under(sub, folder, {"path": "a.py"}) == {"path": str(folder / "a.py")}, "outside stays absolute"


def test_a_link_is_cited_under_its_own_path(folder: Path) -> None:
    (folder / "link.py").symlink_to("a.py")
    assert under(folder, folder, {"path": "link.py"}) == {"path": "link.py"}
    assert absolute(folder, {"path": "link.py"}) == {"path": str(folder / "link.py")}


def test_a_path_that_leads_nowhere_is_left_as_it_was_written(folder: Path) -> None:
    assert absolute(folder, {"path": "gone.py"}) == {"path": "gone.py"}
