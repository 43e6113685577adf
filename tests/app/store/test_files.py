from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

from afresh.store import Store, files, symbols
from afresh_indexer.records import Excluded, ExcludedReason, FileRecord, Outline

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def record(path: str, content: str = "a", **fields: object) -> FileRecord:
    values = {
        "path": path,
        "size": 10,
        "mtime_ns": 10**18 + 1,
        "ctime_ns": 10**18 + 2,
        "inode": 2**64 - 1,
        "sha256": content * 64,
        "eol_sha256": content * 64,
        "language": "python",
        "hashed_at_ns": 10**18 + 3,
        **fields,
    }
    return FileRecord(**values)  # type: ignore[arg-type]


def apply(store: Store, checkout: int = 1, now: datetime = NOW, **batch: object) -> None:
    parts = {"changed": (), "removed": (), "excluded": (), "included_again": (), **batch}
    with store.write() as tx:
        files.apply(tx, checkout, now=now, **parts)  # type: ignore[arg-type]


def known(store: Store, checkout: int = 1) -> dict[str, FileRecord]:
    with store.read() as cursor:
        return files.known(cursor, checkout)


def test_the_tables_hold_exactly_the_records_fields() -> None:
    assert list(files._FILE_TYPES) == [field.name for field in dataclasses.fields(FileRecord)]
    assert list(files._EXCLUDED_TYPES) == [field.name for field in dataclasses.fields(Excluded)]


def test_files_are_known_as_they_were_read(store: Store) -> None:
    one, two = record("src/ü 'x'.py"), record("README", language=None, mtime_ns=-5)
    apply(store, changed=(one, two))
    assert known(store) == {one.path: one, two.path: two}
    assert known(store)["README"].language is None
    assert hash(known(store)["README"]) == hash(two)


def test_nothing_is_known_of_a_checkout_before_its_first_batch(store: Store) -> None:
    assert known(store) == {}


def test_many_files_are_known_as_they_were_read(store: Store) -> None:
    many = tuple(record(f"f{n}.py", language="go" if n % 2 else None, size=n) for n in range(3000))
    apply(store, changed=many)
    assert known(store) == {item.path: item for item in many}


def test_a_batch_changes_and_removes_only_what_it_names(store: Store) -> None:
    apply(store, changed=(record("a"), record("b"), record("c")))
    apply(store, changed=(record("b", "f"),), removed=("c", "never there"))
    assert known(store) == {"a": record("a"), "b": record("b", "f")}


def test_two_checkouts_do_not_mix(store: Store) -> None:
    apply(store, 1, changed=(record("a"),))
    apply(store, 2, changed=(record("a", "b"),))
    apply(store, 1, removed=("a",))
    assert known(store, 1) == {}
    assert known(store, 2) == {"a": record("a", "b")}


def test_a_row_that_stays_what_it_was_keeps_its_stamp(store: Store) -> None:
    apply(store, changed=(record("same"), record("touched"), record("changed")))
    batch = (record("same"), record("touched", mtime_ns=5), record("changed", "d"))
    apply(store, changed=batch, now=LATER)
    with store.read() as cursor:
        stamps = dict(cursor.execute("SELECT path, indexed_at FROM files").rows())  # type: ignore[arg-type]
    later = LATER.replace(tzinfo=None)
    assert stamps == {"same": NOW.replace(tzinfo=None), "touched": later, "changed": later}


def test_a_path_that_a_batch_names_twice_is_there_once(store: Store) -> None:
    apply(store, changed=(record("a"), record("a", "b")))
    assert known(store) == {"a": record("a", "b")}


def test_excluded_paths_are_kept_with_reason_and_stamps_until_they_are_included(store: Store) -> None:
    binary = Excluded("x.bin", ExcludedReason.BINARY, "NUL at 3", 9, 1, 2, 3, 4)
    link = Excluded("l", ExcludedReason.LINK)
    apply(store, excluded=(binary, link))
    with store.read() as cursor:
        assert files.excluded(cursor, 1) == {"l": link, "x.bin": binary}
        assert type(files.excluded(cursor, 1)["l"].reason) is ExcludedReason
    apply(store, changed=(record("x.bin"),), included_again=("x.bin",))
    with store.read() as cursor:
        assert list(files.excluded(cursor, 1)) == ["l"]


def test_counts_tell_languages_and_reasons(store: Store) -> None:
    apply(
        store,
        changed=(record("a"), record("b"), record("c", language="go"), record("d", language=None)),
        excluded=(Excluded("x", ExcludedReason.BINARY), Excluded("y", ExcludedReason.BINARY)),
    )
    with store.read() as cursor:
        counts = files.counts(cursor, 1)
        nothing = files.counts(cursor, 2)
    assert (counts.files, counts.bytes) == (4, 40)
    assert dict(counts.languages) == {"python": 2, "go": 1}
    assert dict(counts.excluded) == {"binary": 2}
    assert (nothing.files, nothing.bytes, dict(nothing.languages)) == (0, 0, {})


def test_a_file_waits_for_its_outline_until_its_content_has_one(store: Store) -> None:
    apply(
        store,
        changed=(
            record("a.py"),
            record("copy.py"),
            record("b.py", "b"),
            record("c.md", "c", language="markdown"),
        ),
    )
    grammars = {"python", "go"}
    with store.read() as cursor:
        waiting = files.outdated_outlines(cursor, 1, grammars)
        assert files.outlines_missing(cursor, 1, grammars) == 3
    assert waiting == [
        ("a.py", "a" * 64, "python"),
        ("b.py", "b" * 64, "python"),
        ("copy.py", "a" * 64, "python"),
    ]
    with store.write() as tx:
        symbols.put_outlines(tx, [Outline("a.py", "a" * 64, ())], {"a" * 64: "python"})
    with store.read() as cursor:
        assert [path for path, _, _ in files.outdated_outlines(cursor, 1, grammars)] == ["b.py"]
    apply(store, changed=(record("a.py", "e"),))
    with store.read() as cursor:
        assert [path for path, _, _ in files.outdated_outlines(cursor, 1, grammars)] == ["a.py", "b.py"]
        assert files.outdated_outlines(cursor, 1, set()) == []
