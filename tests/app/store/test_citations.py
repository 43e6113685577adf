from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from afresh.store import Span, Store, citations
from afresh.store.citations import Citation, FileCitation
from afresh.store.spans import dump_spans, load_spans
from afresh_indexer.records import FileRecord

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SPANS = st.builds(
    Span,
    start_line=st.integers(1, 10**6),
    end_line=st.integers(1, 10**6),
    symbol=st.none() | TEXT,
    quote=st.none() | TEXT,
    source_sha256=st.none() | TEXT,
    tokens_sha256=st.none() | TEXT,
    derived=st.booleans(),
)


def cited(path: str, *spans: Span, sha256: str = "a" * 64) -> FileCitation:
    record = FileRecord(path, 7, 10**18, 10**18 + 1, 2**64 - 1, sha256, "e" * 64, "python", 10**18 + 2)
    return FileCitation.of_record(record, spans)


@given(spans=st.lists(SPANS, max_size=4))
def test_spans_come_back_from_their_text(spans: list[Span]) -> None:
    assert load_spans(dump_spans(spans)) == tuple(spans)


@given(spans=st.lists(SPANS, max_size=3))
def test_files_come_back_from_their_text(spans: list[Span]) -> None:
    files = (cited("ü/x.py", *spans), FileCitation("plain", "s", "s", 0, 0, 0, 0, 0))
    assert citations.load_files(citations.dump_files(files)) == files


def test_a_file_that_is_only_path_hash_and_size_can_be_taken_in() -> None:
    file = citations.file_from_row({"path": "p", "sha256": "s", "size": 3})
    assert file == FileCitation("p", "s", "s", 3, 0, 0, 0, 0)


def test_cited_files_come_back_in_their_order_with_their_root(store: Store) -> None:
    span = Span(3, 9, "Lock.acquire", None, "s" * 64, "t" * 64, True)
    files = (cited("z.py", span), cited("a.py"))
    with store.write() as tx:
        citations.put(tx, 1, "/code/app", files)
        citations.put(tx, 2, "/code/lib", [cited("b.py", Span(1, 1))])
    with store.read() as cursor:
        found = citations.of(cursor, [1, 2, 3])
    assert found == {1: Citation("/code/app", files), 2: Citation("/code/lib", (cited("b.py", Span(1, 1)),))}


def test_new_citations_take_the_place_of_the_old(store: Store) -> None:
    with store.write() as tx:
        citations.put(tx, 1, "/r", [cited("a"), cited("b")])
        citations.put(tx, 1, "/s", [cited("c")])
        assert citations.of(tx, [1]) == {1: Citation("/s", (cited("c"),))}
        citations.put(tx, 1, "/s", [])
        assert citations.of(tx, [1]) == {}


def test_memories_and_memos_of_one_id_do_not_mix(store: Store) -> None:
    with store.write() as tx:
        citations.put_all(tx, "memory", {1: Citation("/r", (cited("a"),))})
        citations.put_all(tx, "memo", {1: Citation("/r", (cited("b"),)), 2: Citation("/r", (cited("a"),))})
        assert citations.of(tx, [1], "memo")[1].files == (cited("b"),)
        assert citations.citing(tx, "memo", ["a", "b"]) == [(1, "b"), (2, "a")]
        assert citations.citing(tx, "memory", ["a", "b"]) == [(1, "a")]
        citations.remove(tx, "memo", [1, 2])
        assert citations.of(tx, [1], "memory")[1].files == (cited("a"),)
        assert citations.citing(tx, "memo", ["a", "b"]) == []
