from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh.errors import InvalidArgumentError
from afresh.store import Store, memories
from afresh.store.memories import Memory, MemoryFilter, NewMemory

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def new(content: str = "text", **fields: Any) -> NewMemory:
    values: dict[str, Any] = {
        "project_id": 1,
        "content": content,
        "content_sha256": content,
        "type": "fact",
        "memory_type": "semantic",
        **fields,
    }
    return NewMemory(**values)


def save(store: Store, *memory: NewMemory) -> list[int]:
    with store.write() as tx:
        return memories.insert(tx, memory, NOW)


def ids(store: Store, **wanted: Any) -> list[int]:
    with store.read() as cursor:
        found, _ = memories.filter_ids(cursor, MemoryFilter(**{"now": NOW, **wanted}))
    assert found.dtype == "int64"
    return [int(id_) for id_ in found]


def until(store: Store, **wanted: Any) -> datetime | None:
    with store.read() as cursor:
        return memories.filter_ids(cursor, MemoryFilter(**{"now": NOW, **wanted}))[1]


def test_deleted_ones_never_pass_and_superseded_and_expired_ones_only_when_asked_for(store: Store) -> None:
    plain, deleted, superseded, expired, expiring = save(
        store, new(), new(), new(), new(expires_at=NOW), new(expires_at=NOW + HOUR)
    )
    with store.write() as tx:
        memories.tombstone(tx, [deleted], None, NOW)
        memories.supersede(tx, superseded, plain, NOW)
    assert ids(store) == [plain, expiring]
    assert ids(store, include_superseded=True) == [plain, superseded, expired, expiring]


def test_ids_rise_although_changed_rows_stand_last(store: Store) -> None:
    saved = save(store, *(new(f"{n}", tags=("a",)) for n in range(20)))
    with store.write() as tx:
        memories.change(tx, saved[3], {"tags": ("b",)}, None, NOW)
    assert ids(store) == saved


def test_the_answer_holds_until_the_next_expiry_among_what_passes(store: Store) -> None:
    assert until(store) is None
    save(store, new(), new(expires_at=NOW + 2 * HOUR), new(expires_at=NOW + HOUR, project_id=2))
    save(store, new(expires_at=NOW - HOUR))
    assert until(store) == NOW + HOUR
    assert until(store, project_id=1) == NOW + 2 * HOUR
    assert until(store, project_id=1, now=NOW + 2 * HOUR) is None
    assert until(store, include_superseded=True) is None


def test_notes_from_files_are_those_of_the_checkout(store: Store) -> None:
    note = {"source_kind": "file"}
    mine, other, plain = save(store, new(checkout_id=1, **note), new(checkout_id=2, **note), new())
    assert ids(store, checkout_id=1) == [mine, plain]
    assert ids(store) == [mine, other, plain]


def test_who_saved_it_can_be_asked_for(store: Store) -> None:
    one, two, _ = save(
        store, new(agent_id="a", agent_instance_id="1"), new(agent_id="a", agent_instance_id="2"), new()
    )
    assert ids(store, agent_id="a") == [one, two]
    assert ids(store, agent_id="a", agent_instance_id="2") == [two]
    assert ids(store, agent_id="A") == []


PATHS = ["", "billing", "billing/locks", "billing_locks", "100%", "a\\b", "ü/x"]


@pytest.mark.parametrize(
    ("pattern", "passing"),
    [
        ("%", PATHS),
        ("", [""]),
        ("billing%", ["billing", "billing/locks", "billing_locks"]),
        ("billing_locks", ["billing/locks", "billing_locks"]),
        ("billing\\_locks", ["billing_locks"]),
        ("100\\%", ["100%"]),
        ("a\\\\b", ["a\\b"]),
        ("a\\", []),
        ("BILLING", []),
        ("_/x", ["ü/x"]),
        ("'; DROP TABLE memories; --", []),
    ],
)
def test_a_path_pattern_is_a_like_pattern_with_an_escape(
    store: Store, pattern: str, passing: list[str]
) -> None:
    saved = dict(zip(save(store, *(new(path=path) for path in PATHS)), PATHS, strict=True))
    assert [saved[id_] for id_ in ids(store, path=pattern)] == passing


def test_a_window_is_half_open_on_its_axis(store: Store) -> None:
    happened, only_saved = save(
        store, new(event_time=NOW - 9 * HOUR, created_at=NOW), new(created_at=NOW - 9 * HOUR)
    )
    window = {"since": NOW - 9 * HOUR, "until": NOW}
    assert ids(store, axis="recorded", **window) == [only_saved]
    assert ids(store, axis="event", **window) == [happened]
    assert ids(store, axis="auto", **window) == [happened, only_saved]
    assert ids(store, axis="recorded", until=NOW - 9 * HOUR) == []
    assert ids(store, axis="recorded", since=NOW) == [happened]


def test_a_window_without_an_offset_is_refused(store: Store) -> None:
    with pytest.raises(InvalidArgumentError, match="no UTC offset"):
        ids(store, since=datetime(2026, 1, 1))


NEW = st.builds(
    new,
    project_id=st.sampled_from([1, 2]),
    type=st.sampled_from(["fact", "lesson", "decision"]),
    memory_type=st.sampled_from(["semantic", "working"]),
    path=st.sampled_from(["", "a", "a/b", "b"]),
    agent_id=st.sampled_from([None, "x", "y"]),
    created_at=st.integers(-5, 5).map(lambda n: NOW + n * HOUR),
    event_time=st.one_of(st.none(), st.integers(-5, 5).map(lambda n: NOW + n * HOUR)),
    expires_at=st.one_of(st.none(), st.integers(-5, 5).map(lambda n: NOW + n * HOUR)),
    source_kind=st.sampled_from(["agent", "file"]),
    checkout_id=st.sampled_from([1, 2]),
)
MOMENT = st.one_of(st.none(), st.integers(-6, 6).map(lambda n: NOW + n * HOUR))
FILTER = st.builds(
    MemoryFilter,
    now=st.just(NOW),
    project_id=st.sampled_from([None, 1, 2]),
    checkout_id=st.sampled_from([None, 1]),
    types=st.sampled_from([(), ("fact",), ("fact", "lesson")]),
    memory_types=st.sampled_from([(), ("working",)]),
    path=st.sampled_from(["%", "a%", "a"]),
    agent_id=st.sampled_from([None, "x"]),
    include_superseded=st.booleans(),
    since=MOMENT,
    until=MOMENT,
    axis=st.sampled_from(["recorded", "event", "auto"]),
)


def moment(memory: Memory, axis: str) -> datetime | None:
    if axis == "recorded":
        return memory.created_at
    return memory.event_time or (memory.created_at if axis == "auto" else None)


def passes(memory: Memory, wanted: MemoryFilter) -> bool:
    when = moment(memory, wanted.axis)
    pattern = re.escape(wanted.path).replace("%", ".*")
    return all(
        (
            wanted.project_id in (None, memory.project_id),
            wanted.checkout_id is None
            or memory.source_kind != "file"
            or memory.checkout_id == wanted.checkout_id,
            not wanted.types or memory.type in wanted.types,
            not wanted.memory_types or memory.memory_type in wanted.memory_types,
            re.fullmatch(pattern, memory.path) is not None,
            wanted.agent_id in (None, memory.agent_id),
            wanted.include_superseded or memory.expires_at is None or memory.expires_at > wanted.now,
            wanted.since is None or (when is not None and when >= wanted.since),
            wanted.until is None or (when is not None and when < wanted.until),
        )
    )


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    saved=st.lists(NEW, min_size=1, max_size=12),
    wanted=FILTER,
    page=st.integers(1, 4),
    descending=st.booleans(),
)
def test_filter_and_feed_agree_with_their_definition(
    store: Store, saved: list[NewMemory], wanted: MemoryFilter, page: int, descending: bool
) -> None:
    with store.write() as tx:
        tx.execute("DELETE FROM memories")
        everything = memories.get(tx, memories.insert(tx, saved, NOW))
        expected = [memory for memory in everything if passes(memory, wanted)]
        assert [int(i) for i in memories.filter_ids(tx, wanted)[0]] == [memory.id for memory in expected]
        dated = [(moment(memory, wanted.axis), memory.id) for memory in expected]
        in_order = sorted(((at, id_) for at, id_ in dated if at is not None), reverse=descending)
        given: list[tuple[datetime, int]] = []
        while more := memories.feed(
            tx, wanted, limit=page, descending=descending, after=given[-1] if given else None
        ):
            assert len(more) <= page
            given += more
        assert given == in_order
