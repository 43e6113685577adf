from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from afresh.store import Store, files, symbols
from afresh_indexer.records import FileRecord, Outline, Symbol

NOW = datetime(2026, 3, 1, tzinfo=UTC)
A, B = "a" * 64, "b" * 64
LANGUAGES = {A: "python", B: "python"}


def symbol(name: str, start: int = 1, kind: str = "function") -> Symbol:
    return Symbol(kind, name, f"Outer.{name}", start, start + 1, start, start + 9, f"s-{name}", f"t-{name}")


def put(store: Store, *outlines: Outline) -> None:
    with store.write() as tx:
        symbols.put_outlines(tx, outlines, LANGUAGES)


def index(store: Store, checkout: int, **paths: str) -> None:
    records = [FileRecord(path, 1, 1, 1, 1, sha, sha, "python", 1) for path, sha in paths.items()]
    with store.write() as tx:
        files.apply(tx, checkout, changed=records, removed=(), excluded=(), included_again=(), now=NOW)


def test_the_table_holds_exactly_the_records_fields() -> None:
    assert list(symbols._TYPES) == [field.name for field in dataclasses.fields(Symbol)]


def test_an_outline_comes_back_in_its_order(store: Store) -> None:
    outline = Outline("x.py", A, (symbol("z", 1), symbol("a", 5), symbol("z", 9)))
    put(store, outline)
    with store.read() as cursor:
        assert symbols.symbols_of(cursor, A, "python") == list(outline.symbols)
        assert symbols.outline_of(cursor, "x.py", A, "python") == outline
        assert symbols.outline_of(cursor, "x.py", A, "go") is None
        assert symbols.symbols_of(cursor, B, "python") == []


def test_a_parser_that_gave_up_is_remembered_and_a_changed_file_is_not(store: Store) -> None:
    put(store, Outline("x.py", A, (), "took too long"), Outline("y.py", B, (), symbols.CHANGED))
    with store.read() as cursor:
        assert symbols.outline_of(cursor, "x.py", A, "python") == Outline("x.py", A, (), "took too long")
        assert symbols.outline_of(cursor, "y.py", B, "python") is None


def test_an_outline_that_comes_again_takes_the_earlier_ones_place(store: Store) -> None:
    put(store, Outline("x.py", A, (symbol("old"),)), Outline("y.py", B, (symbol("kept"),)))
    put(store, Outline("x.py", A, (symbol("new"),)))
    with store.read() as cursor:
        assert [s.name for s in symbols.symbols_of(cursor, A, "python")] == ["new"]
        assert [s.name for s in symbols.symbols_of(cursor, B, "python")] == ["kept"]
        assert cursor.execute("SELECT count(*) FROM symbols").one() == (2,)


@pytest.mark.parametrize(
    ("by", "value"),
    [("name", "f"), ("qualified_name", "Outer.f"), ("source_sha256", "s-f"), ("tokens_sha256", "t-f")],
)
def test_a_definition_is_found_in_every_current_file_with_its_content(
    store: Store, by: symbols.SymbolKey, value: str
) -> None:
    put(store, Outline("x", A, (symbol("f"), symbol("g"))), Outline("y", B, (symbol("f", 7),)))
    index(store, 1, one=A, two=A, three=B)
    index(store, 2, elsewhere=A)
    with store.read() as cursor:
        assert symbols.find(cursor, 1, by, value) == [
            ("one", symbol("f")),
            ("three", symbol("f", 7)),
            ("two", symbol("f")),
        ]
        assert symbols.find(cursor, 1, by, "other") == []


def test_definitions_are_counted_by_kind_for_one_checkout(store: Store) -> None:
    put(store, Outline("x", A, (symbol("f"), symbol("g"), symbol("C", kind="class"))))
    index(store, 1, one=A, two=A)
    with store.read() as cursor:
        assert symbols.counts(cursor, 1) == {"function": 4, "class": 2}
        assert symbols.counts(cursor, 2) == {}


def test_outlines_of_contents_that_no_file_has_are_pruned(store: Store) -> None:
    put(store, Outline("x", A, (symbol("f"),)), Outline("y", B, (symbol("g"),)))
    index(store, 1, one=A)
    with store.write() as tx:
        assert symbols.prune(tx) == 1
        assert symbols.prune(tx) == 0
    with store.read() as cursor:
        assert cursor.execute("SELECT name FROM symbols").rows() == [("f",)]
