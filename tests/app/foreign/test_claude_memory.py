"""Claude Code's memory folder, as memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from afresh.errors import InvalidArgumentError
from afresh.foreign.claude import read_claude

INDEX = """\
# Memory

- [Money](money.md) — how totals are made
- Always answer in English, also to German mails.

## Build

The build needs CMake 3.28 or newer.
"""
TOPIC = """\
---
name: money-rounding
description: totals are rounded half to even
type: feedback
---

Round half to even.

**Why:** the auditors asked for it.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    memory = tmp_path / "-home-me-shop" / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text(INDEX, encoding="utf-8")
    (memory / "money.md").write_text(TOPIC, encoding="utf-8")
    return memory


def by_id(path: Path) -> dict[str, dict[str, object]]:
    return {row["external_id"]: row for row in read_claude(path).rows}


def test_an_index_is_cut_into_its_items_and_its_pointers_are_left_out(folder: Path) -> None:
    rows = by_id(folder)
    assert list(rows) == [
        "claude:-home-me-shop/MEMORY.md#Memory",
        "claude:-home-me-shop/MEMORY.md#Memory > Build",
        "claude:-home-me-shop/money.md",
    ]
    first = rows["claude:-home-me-shop/MEMORY.md#Memory"]
    assert first["content"] == "Memory\n\n- Always answer in English, also to German mails."
    assert first["source"] == {"kind": "import", "path": "MEMORY.md", "line": 4}


def test_a_topic_with_a_header_is_one_memory_of_its_kind(folder: Path) -> None:
    topic = by_id(folder)["claude:-home-me-shop/money.md"]
    assert topic["content"] == (
        "money-rounding: totals are rounded half to even\n\nRound half to even.\n\n"
        "**Why:** the auditors asked for it."
    )
    assert (topic["type"], topic["memory_type"], topic["tags"]) == ("convention", "procedural", ["feedback"])
    assert topic["path"] == "money"


def test_the_project_folder_that_has_the_memory_is_as_good(folder: Path) -> None:
    assert read_claude(folder.parent).rows == read_claude(folder).rows


def test_a_pointer_to_a_file_that_is_not_there_is_kept(folder: Path) -> None:
    (folder / "money.md").unlink()
    assert "[Money](money.md)" in str(by_id(folder)["claude:-home-me-shop/MEMORY.md#Memory"]["content"])


@pytest.mark.parametrize("what", ["missing", "file.md", "empty"])
def test_a_path_without_memories_is_refused_by_name(tmp_path: Path, what: str) -> None:
    (tmp_path / "file.md").write_text("x", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidArgumentError, match=what):
        read_claude(tmp_path / what)
