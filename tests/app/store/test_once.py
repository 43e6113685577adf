"""What a checkout held once: noted when a row goes, settled when the new outlines are there."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from afresh.store import Store, files, once, symbols
from afresh_indexer.records import FileRecord, Outline, Symbol

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def record(path: str, content: str, language: str | None = "python") -> FileRecord:
    return FileRecord(path, 1, 1, 1, 1, content, content, language, 1)


def apply(
    store: Store, *changed: FileRecord, removed: tuple[str, ...] = (), checkout: int = 1, minutes: int = 0
) -> None:
    with store.write() as tx:
        files.apply(
            tx,
            checkout,
            changed=changed,
            removed=removed,
            excluded=(),
            included_again=(),
            now=NOW + timedelta(minutes=minutes),
        )


def outline(store: Store, content: str, *names: str) -> None:
    found = tuple(Symbol("function", name, name, 1, 1, 0, 1, "s", "t") for name in names)
    with store.write() as tx:
        symbols.put_outlines(tx, [Outline("", content, found)], {content: "python"})


def settle(store: Store, checkout: int = 1, **bounds: int) -> None:
    with store.write() as tx:
        once.settle(tx, checkout, **bounds)


def remembered(store: Store, checkout: int = 1) -> tuple[set[str], dict[str, list[str]], int]:
    with store.read() as cursor:
        names = once.names(cursor, checkout)
        return set(once.paths(cursor, checkout)), names, once.unsettled(cursor, checkout)


def rows(store: Store) -> list[tuple[object, ...]]:
    with store.read() as cursor:
        return cursor.execute("SELECT path, qualified_name FROM once_symbols ORDER BY ALL").rows()


def test_a_first_index_has_nothing_to_remember(store: Store) -> None:
    apply(store, record("a.py", "1"), record("b.py", "2"))
    outline(store, "1", "f")
    assert remembered(store) == (set(), {}, 0)


def test_what_a_replaced_content_defined_is_remembered_at_once(store: Store) -> None:
    apply(store, record("a.py", "1"))
    outline(store, "1", "f", "g")
    apply(store, record("a.py", "2"))
    assert remembered(store) == ({"a.py"}, {"a.py": ["f", "g"]}, 1)


def test_a_removed_file_is_remembered_with_what_it_defined(store: Store) -> None:
    apply(store, record("a.py", "1"), record("notes.txt", "2", language=None))
    outline(store, "1", "f")
    apply(store, removed=("a.py", "notes.txt", "never there"))
    assert remembered(store) == ({"a.py", "notes.txt"}, {"a.py": ["f"]}, 2)
    settle(store)
    assert remembered(store) == ({"a.py", "notes.txt"}, {"a.py": ["f"]}, 0)


def test_settled_is_only_what_is_gone(store: Store) -> None:
    apply(store, record("a.py", "1"), record("b.py", "b"))
    outline(store, "1", "stays", "goes")
    apply(store, record("a.py", "2"), removed=("b.py",))
    apply(store, record("b.py", "b"))
    outline(store, "2", "stays", "comes")
    settle(store)
    assert remembered(store) == (set(), {"a.py": ["goes"]}, 0)


def test_without_an_outline_of_the_new_content_all_of_the_old_is_remembered(store: Store) -> None:
    apply(store, record("a.py", "1"))
    outline(store, "1", "f", "g")
    apply(store, record("a.py", "2"))
    settle(store)
    assert remembered(store)[1] == {"a.py": ["f", "g"]}


def test_touching_a_file_and_a_text_without_definitions_leave_no_note(store: Store) -> None:
    apply(store, record("a.py", "1"), record("notes.txt", "2", language=None))
    touched = FileRecord("a.py", 1, 99, 99, 1, "1", "1", "python", 99)
    apply(store, touched, record("notes.txt", "3", language=None))
    assert remembered(store) == (set(), {}, 0)


def test_each_name_and_path_is_remembered_once(store: Store) -> None:
    for content in ("1", "2", "3"):
        apply(store, record("a.py", content), record("b.py", content))
        outline(store, content, "f")
        apply(store, removed=("a.py", "b.py"))
        settle(store)
    assert rows(store) == [("a.py", "f"), ("b.py", "f")]
    with store.read() as cursor:
        assert cursor.execute("SELECT count(*) FROM once_paths").one() == (2,)


def test_names_survive_the_pruning_of_their_outlines(store: Store) -> None:
    apply(store, record("a.py", "1"), record("b.py", "2"))
    apply(store, record("a.py", "1"), checkout=2)
    outline(store, "1", "f")
    outline(store, "2", "g")
    apply(store, removed=("a.py", "b.py"))
    apply(store, removed=("a.py",), checkout=2)
    with store.write() as tx:
        assert symbols.prune(tx) == 2
    assert remembered(store) == ({"a.py", "b.py"}, {"a.py": ["f"], "b.py": ["g"]}, 0)
    assert remembered(store, 2) == ({"a.py"}, {"a.py": ["f"]}, 0)


def test_checkouts_remember_apart(store: Store) -> None:
    apply(store, record("a.py", "1"))
    apply(store, record("a.py", "1"), checkout=2)
    outline(store, "1", "f")
    apply(store, removed=("a.py",))
    settle(store)
    settle(store, 2)
    assert remembered(store) == ({"a.py"}, {"a.py": ["f"]}, 0)
    assert remembered(store, 2) == (set(), {}, 0)


def test_the_oldest_go_when_there_are_too_many(store: Store) -> None:
    for n in range(6):
        apply(store, record(f"f{n}.py", f"c{n}"), minutes=n)
        outline(store, f"c{n}", "x", "y")
        apply(store, removed=(f"f{n}.py",), minutes=n)
        settle(store, paths_at_most=4, names_at_most=10)
    paths, names, _ = remembered(store)
    # The fifth path was one too many for four, and three stayed; so did nine names of twelve.
    assert paths == {"f2.py", "f3.py", "f4.py", "f5.py"}
    assert sum(map(len, names.values())) == 9
    assert "f0.py" not in names and names["f5.py"] == ["x", "y"]


def test_a_transaction_that_fails_notes_nothing(store: Store) -> None:
    apply(store, record("a.py", "1"))
    outline(store, "1", "f")
    try:
        with store.write() as tx:
            files.apply(tx, 1, changed=(), removed=("a.py",), excluded=(), included_again=(), now=NOW)
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert remembered(store) == (set(), {}, 0)


def test_names_of_current_files_are_those_that_were_parsed(store: Store) -> None:
    apply(store, record("a.py", "1"), record("copy.py", "1"), record("empty.py", "2"), record("new.py", "3"))
    outline(store, "1", "f", "g")
    outline(store, "2")
    with store.write() as tx:
        symbols.put_outlines(tx, [Outline("", "4", (), "gave up")], {"4": "python"})
    apply(store, record("bad.py", "4"))
    with store.read() as cursor:
        found = {path: sorted(names) for path, names in symbols.names_by_path(cursor, 1).items()}
    assert found == {"a.py": ["f", "g"], "copy.py": ["f", "g"], "empty.py": []}
