"""browse: all memories in the order in which they were saved, from any place in it."""

from __future__ import annotations

import pytest

from afresh.errors import InvalidArgumentError, UnknownProjectError


@pytest.fixture
def filled(lexical_desk):
    for n in range(12):
        kind = "decision" if n % 3 == 0 else "fact"
        place = "billing/locks" if n % 2 else "web_shop"
        lexical_desk.ask("memory_save", content=f"Memory number {n}.", type=kind, path=place)
        lexical_desk.clock.forward(days=1)
    return lexical_desk


def contents(found):
    return [int(memory.content.split()[-1].rstrip(".")) for memory in found.memories]


def test_the_newest_comes_first_and_every_stretch_is_where_it_belongs(filled):
    assert contents(filled.ask("browse")) == list(range(11, -1, -1))
    got = [contents(filled.ask("browse", offset=offset, limit=5)) for offset in (0, 5, 10, 12, 500)]
    assert got == [[11, 10, 9, 8, 7], [6, 5, 4, 3, 2], [1, 0], [], []]
    assert filled.ask("browse", offset=500).total == 12


def test_it_is_narrowed_by_type_path_and_time_words(filled):
    assert contents(filled.ask("browse", memory_type="decision")) == [9, 6, 3, 0]
    assert contents(filled.ask("browse", path_filter="web\\_shop%", limit=2)) == [10, 8]
    found = filled.ask("browse", time_words="yesterday", owner_timezone="UTC")
    assert contents(found) == [11]
    assert found.window.since is not None and found.total == 1


def test_deleted_and_superseded_memories_are_left_out_and_come_back(filled):
    newest = filled.ask("browse", limit=1).memories[0].id
    filled.ask("memory_delete", id=newest)
    assert filled.ask("browse").total == 11
    filled.ask("memory_delete", id=newest, undo=True)
    assert contents(filled.ask("browse", limit=1)) == [11]


def test_a_memory_with_cited_files_says_how_they_stand(filled):
    file = filled.root / "billing" / "locks.py"
    filled.ask("memory_save", content="Acquire returns True 12.", files=[{"path": str(file)}])
    assert filled.ask("browse", limit=1).memories[0].freshness.status == "fresh"
    file.write_text("gone = 1\n", encoding="utf-8")
    assert filled.ask("browse", limit=1).memories[0].freshness.status == "stale"


def test_an_unknown_project_and_a_bad_offset_are_refused(filled):
    with pytest.raises(UnknownProjectError, match="nowhere"):
        filled.ask("browse", project="nowhere")
    with pytest.raises(InvalidArgumentError, match="offset"):
        filled.ask("browse", offset=-1)
