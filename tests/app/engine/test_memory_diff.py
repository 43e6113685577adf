"""What changed in the files that a memory cites."""

from __future__ import annotations

import pytest
from tests.app.engine.conftest import Desk

from afresh.errors import NotFoundError

INVOICE = "billing/invoice.py"


def save(desk: Desk, *files: object) -> int:
    saved = desk.ask("memory_save", content="Totals are plain sums.", files=list(files))
    return int(saved.id)


def test_the_lines_that_changed_in_a_cited_file_are_told(lexical_desk: Desk) -> None:
    id_ = save(lexical_desk, {"path": INVOICE, "symbol": "total"})
    path = lexical_desk.root / INVOICE
    path.write_text("def total(lines):\n    return sum(lines) * 1.19\n", encoding="utf-8")

    told = lexical_desk.ask("memory_diff", id=id_)

    assert (told.status, told.impact, told.content) == ("stale", "edited", "Totals are plain sums.")
    (file,) = told.files
    assert [(line.kind, line.text) for line in file.hunks[0].lines] == [
        (" ", "def total(lines):"),
        ("-", "    return sum(lines)"),
        ("+", "    return sum(lines) * 1.19"),
    ]
    assert file.hunks[0].cited


def test_a_memory_whose_files_are_the_same_is_fresh_and_has_no_diff(lexical_desk: Desk) -> None:
    told = lexical_desk.ask("memory_diff", id=save(lexical_desk, INVOICE))
    assert (told.status, told.impact, told.files) == ("fresh", None, [])


def test_a_memory_that_cites_nothing_is_fresh(lexical_desk: Desk) -> None:
    assert lexical_desk.ask("memory_diff", id=save(lexical_desk)).status == "fresh"


def test_a_memory_that_is_not_there_is_named(lexical_desk: Desk) -> None:
    with pytest.raises(NotFoundError, match="no memory 404"):
        lexical_desk.ask("memory_diff", id=404)
