"""Requests in the store: many at once, page by page, and gone when their time is over."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.app.store.conftest import START

from afresh.errors import NotFoundError
from afresh.store import Store, requests
from afresh.store.requests import Request, Wanted

ONE = Request(
    id=0,
    client="claude-code",
    kind="agent",
    cwd="/srv/shop",
    session="s1",
    tool="recall",
    asked="locks",
    outcome="2 memories",
    arguments='{"query":"locks"}',
    arguments_length=17,
    result='{"count":2}',
    result_length=11,
    error_kind=None,
    error=None,
    redacted=0,
    started_at=START,
    elapsed_ms=3.5,
)
FAILED = replace(
    ONE, client="Zed", tool="memory_save", result=None, result_length=0, error_kind="usage", error="no"
)


def put(store: Store, *items: Request) -> list[int]:
    with store.write(aside=True) as tx:
        return requests.put(tx, items)


def test_a_request_is_read_back_as_it_was_written(store: Store) -> None:
    ids = put(store, ONE, FAILED)
    assert ids == [1, 2]
    with store.read() as cursor:
        assert [requests.get(cursor, id_) for id_ in ids] == [replace(ONE, id=1), replace(FAILED, id=2)]
        with pytest.raises(NotFoundError, match="no request 3"):
            requests.get(cursor, 3)


def test_pages_go_from_the_newest_back_without_the_long_texts(store: Store) -> None:
    put(store, *[replace(ONE, asked=str(n)) for n in range(5)])
    with store.read() as cursor:
        first = requests.page(cursor, Wanted(), before=None, limit=2)
        second = requests.page(cursor, Wanted(), before=first[-1].id, limit=9)
        assert requests.count(cursor, Wanted()) == 5
    assert [item.asked for item in [*first, *second]] == ["4", "3", "2", "1", "0"]
    assert {(item.arguments, item.result, item.result_length) for item in first} == {("", "", 11)}


def test_a_page_holds_what_is_wanted_of_client_tool_and_outcome(store: Store) -> None:
    put(store, ONE, FAILED)
    for wanted, clients in (
        (Wanted(client="CLAUDE"), ["claude-code"]),
        (Wanted(client="%"), []),
        (Wanted(tool="memory_save"), ["Zed"]),
        (Wanted(failed=True), ["Zed"]),
        (Wanted(failed=False), ["claude-code"]),
        (Wanted(client="zed", failed=False), []),
    ):
        with store.read() as cursor:
            found = requests.page(cursor, wanted, before=None, limit=9)
            assert requests.count(cursor, wanted) == len(clients)
        assert [item.client for item in found] == clients


def test_what_is_too_old_goes_and_its_id_is_never_given_again(store: Store) -> None:
    put(store, ONE, replace(ONE, started_at=START + timedelta(days=2)))
    with store.write(aside=True) as tx:
        assert requests.purge(tx, START + timedelta(days=1)) == 1
        assert requests.purge(tx, START + timedelta(days=9)) == 1
        assert requests.purge(tx, START + timedelta(days=9)) == 0
    assert put(store, ONE) == [3]


def test_writing_them_down_leaves_what_is_kept_in_memory_valid(store: Store) -> None:
    before = store.generation
    put(store, ONE)
    assert store.generation == before
    with store.write() as tx:
        requests.put(tx, [ONE])
    assert store.generation == before + 1
