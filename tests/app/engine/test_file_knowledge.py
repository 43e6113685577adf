"""What is known of one file: its text in the editor counts, wherever the conclusion was recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from afresh.engine.buffers import as_saved
from afresh.errors import InvalidArgumentError

LOCKS = "billing/locks.py"


LOCKS_TEXT = """\
class Lock:
    def acquire(self):
        return True

    def release(self):
        return None
"""


def record(desk, question: str = "How do locks work?", **more: object) -> int:
    arguments = {
        "conclusion": "They hold.",
        "project": "shop",
        "files": [{"path": LOCKS, "symbol": "Lock.acquire"}, "main.py"],
        **more,
    }
    return desk.ask("memory_exploration_record", question=question, **arguments).id


def text_of(desk, path: str = LOCKS) -> str:
    return (desk.root / path).read_text(encoding="utf-8")


def ask(desk, path: str = LOCKS, **more: object):
    return desk.ask("file_knowledge", path=str(desk.root / path), **more)


@pytest.fixture
def desk(lexical_desk):
    lexical_desk.ask("memory_save", content="A seed, so that the checkout is known.")
    return lexical_desk


def test_a_fresh_conclusion_stands_at_its_symbol_with_its_other_files(desk):
    id_ = record(desk)
    found = ask(desk)
    (item,) = found.known
    assert (item.kind, item.id, item.status, item.impact, item.change) == ("memo", id_, "fresh", None, None)
    assert [(place.symbol, place.start_line) for place in item.places] == [("Lock.acquire", 2)]
    assert [(other.path, other.change) for other in item.others] == [(str(desk.root / "main.py"), None)]
    assert (found.project, found.path) == ("shop", LOCKS)


def test_an_unsaved_text_is_judged_and_the_disk_stays_what_it_is(desk):
    record(desk)
    text = text_of(desk)
    changed = "# é😀\n\n" + text.replace("return True", "return 1")
    (item,) = ask(desk, text=changed).known
    assert (item.status, item.impact, item.change) == ("stale", "edited", "edited")
    assert [(one.start_line, one.end_line) for one in item.hunks] == [(5, 5)]
    assert (item.places[0].start_line, item.places[0].now) == (4, "edited")
    assert text_of(desk) == text
    assert ask(desk).known[0].status == "fresh"
    assert ask(desk, text=text).known[0].status == "fresh"


def test_a_text_that_was_taken_back_in_the_editor_counts_before_the_disk(desk):
    record(desk)
    text = text_of(desk)
    (desk.root / LOCKS).write_text(text.replace("True", "False"), encoding="utf-8")
    assert ask(desk).known[0].status == "stale"
    assert ask(desk, text=text).known[0].status == "fresh"


def test_a_change_outside_of_what_is_cited_has_no_hunk(desk):
    record(desk)
    (item,) = ask(desk, text=text_of(desk) + "\n\nX = 1\n").known
    assert (item.status, item.change, item.hunks) == ("stale", "elsewhere", [])
    assert item.places[0].now == "unchanged"


def test_lines_that_were_taken_out_leave_an_empty_run(desk):
    record(desk, files=[LOCKS])
    (item,) = ask(desk, text=text_of(desk).replace("        return True\n", "")).known
    assert [(one.start_line, one.end_line) for one in item.hunks] == [(3, 2)]


def test_another_unsaved_file_makes_a_shared_conclusion_stale(desk):
    record(desk)
    buffers = [{"path": str(desk.root / "main.py"), "text": "print('other')\n"}]
    (item,) = ask(desk, buffers=buffers).known
    assert (item.status, item.change) == ("stale", None)
    assert item.others[0].change == "edited"


def test_a_memory_that_cites_the_file_is_known_and_one_that_was_deleted_is_not(desk):
    saved = desk.ask("memory_save", content="Locks are reentrant.", project="shop", files=[LOCKS]).id
    (item,) = ask(desk).known
    assert (item.kind, item.id, item.title) == ("memory", saved, "Locks are reentrant.")
    desk.ask("memory_delete", id=saved)
    assert ask(desk).known == []


def test_what_was_retired_is_not_known(desk):
    desk.ask("memory_exploration_verify", id=record(desk), action="retire")
    assert ask(desk).known == []


def test_a_conclusion_that_was_recorded_below_the_top_is_known(desk):
    root = str(desk.root / "billing")
    record(desk, files=["locks.py"], root=root)
    assert len(ask(desk).known) == 1
    # Another file of that name is another file.
    (desk.root / "locks.py").write_text("", encoding="utf-8")
    assert ask(desk, "locks.py").known == []


def test_a_file_reached_through_a_link_is_the_file(desk, tmp_path: Path):
    record(desk)
    (tmp_path / "link").symlink_to(desk.root)
    path = tmp_path / "link" / "billing" / "locks.py"
    assert len(desk.ask("file_knowledge", path=str(path)).known) == 1


def test_a_part_that_went_to_another_file_says_where(desk):
    record(desk, files=[{"path": LOCKS, "symbol": "Lock.release"}])
    text = text_of(desk)
    start = text.index("    def release")
    moved = text[start:]
    (desk.root / "billing" / "other.py").write_text(f"class Other:\n{moved}", encoding="utf-8")
    (item,) = ask(desk, text=text[:start]).known
    (place,) = item.places
    assert place.start_line is None or place.now in ("gone", "edited")
    assert item.hunks, "the lines are shown where they stood"


def test_a_file_outside_of_every_project_has_nothing_and_stays_out(desk, tmp_path: Path):
    stray = tmp_path / "stray" / "a.py"
    stray.parent.mkdir()
    stray.write_text("x = 1\n", encoding="utf-8")
    found = desk.ask("file_knowledge", path=str(stray), text="x = 2\n")
    assert (found.project, found.root, found.known) == (None, None, [])
    assert [one.name for one in desk.ask("projects").projects] == ["shop"]


@pytest.mark.parametrize("path", ["billing/locks.py", "C:\\a.py", "/a\0b"])
def test_a_path_that_is_not_absolute_is_refused(desk, path: str):
    with pytest.raises(InvalidArgumentError, match="must be absolute"):
        desk.ask("file_knowledge", path=path)


def test_a_file_that_is_not_there_is_known_by_its_text_and_a_folder_is_none(desk):
    record(desk, files=[LOCKS])
    (desk.root / LOCKS).unlink()
    (gone,) = ask(desk).known
    assert (gone.impact, gone.hunks) == ("gone", [])
    (kept,) = ask(desk, text=LOCKS_TEXT).known
    assert kept.status == "fresh"
    assert ask(desk, "billing").known == []


def test_a_name_is_known_from_wherever_it_is_used(desk):
    record(desk)
    main = str(desk.root / "main.py")
    for name in ("acquire", "Lock.acquire"):
        (item,) = desk.ask("symbol_knowledge", path=main, name=name).known
        assert item.title == "How do locks work?"
    assert desk.ask("symbol_knowledge", path=main, name="quire").known == []
    changed = text_of(desk).replace("return True", "return 1")
    buffers = [{"path": str(desk.root / LOCKS), "text": changed}]
    (item,) = desk.ask("symbol_knowledge", path=main, name="acquire", buffers=buffers).known
    assert item.status == "stale"


def test_a_memory_about_a_name_is_known_too(desk):
    cited = [{"path": LOCKS, "symbol": "Lock.release"}]
    desk.ask("memory_save", content="release never fails.", project="shop", files=cited)
    (item,) = desk.ask("symbol_knowledge", path=str(desk.root / "main.py"), name="release").known
    assert item.kind == "memory"


@pytest.mark.parametrize(
    ("disk", "text", "saved"),
    [
        (None, "é\n", "é\n".encode()),
        (b"a\r\nb\r\n", "a\nb\n", b"a\r\nb\r\n"),
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\nb\n", "a\r\nc\r\n", b"a\nc\n"),
        (b"a\rb\r", "a\nc\n", b"a\rc\r"),
        (b"a\nb\r\n", "a\nb\n", b"a\nb\r\n"),
        (b"\xef\xbb\xbfa\n", "a\n", b"\xef\xbb\xbfa\n"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        ("é\n".encode("cp1252"), "é\n", "é\n".encode("cp1252")),
        ("é\n".encode("cp1252"), "éa\n", "éa\n".encode("cp1252")),
        ("é\n".encode("cp1252"), "é😀\n", "é😀\n".encode()),
        (b"", "", b""),
        (b"a", "a\n", b"a\n"),
        (b"a\n", "\ud800\n", b"\xed\xa0\x80\n"),
    ],
)
def test_a_text_is_saved_as_its_file_was(disk: bytes | None, text: str, saved: bytes) -> None:
    assert as_saved(text, disk) == saved
