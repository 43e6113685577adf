"""What happens to lines whose reader is slow."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from tests.app.keeper.double import BOUND, eventually

from afresh.keeper.outbox import WAITING_EVENTS, Outbox, result_line
from afresh.keeper.wire import LineStream


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    theirs.settimeout(BOUND)
    with ours, theirs:
        yield ours, theirs


def clog(outbox: Outbox) -> int:
    """Fill the socket until lines stay behind; how many that took."""
    count = 0
    while outbox.flush(0):
        outbox.put(b'{"id":0,"result":"' + b"x" * 10_000 + b'"}\n')
        count += 1
    return count


def read(stream: socket.socket, wanted: int) -> list[dict[str, Any]]:
    lines = iter(LineStream(stream))
    return [json.loads(next(lines)) for _ in range(wanted)]


def test_lines_arrive_in_order_from_many_threads(ends: tuple[socket.socket, socket.socket]) -> None:
    outbox = Outbox(ends[0])

    def send(name: int) -> None:
        for number in range(200):
            outbox.put(b'{"id":%d,"n":%d,"pad":"%s"}\n' % (name, number, b"x" * 3000))

    threads = [threading.Thread(target=send, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    found = read(ends[1], 800)
    for name in range(4):
        assert [line["n"] for line in found if line["id"] == name] == list(range(200))
    assert outbox.flush(BOUND)
    outbox.abandon()


def test_progress_that_was_not_sent_is_replaced_by_newer_progress(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    outbox = Outbox(ends[0])
    before = clog(outbox)
    for done in range(5000):
        outbox.put_event(1, {"kind": "progress", "phase": "scan", "done": done})
        outbox.put_event(1, {"kind": "progress", "phase": "outline", "done": done})
    outbox.put(result_line(1, "{}"))
    found: list[dict[str, Any]] = []
    lines = iter(LineStream(ends[1]))
    while not found or found[-1].get("id") != 1 or "result" not in found[-1]:
        found.append(json.loads(next(lines)))
    events = [line["event"] for line in found if "event" in line]
    assert len(found) - len(events) == before + 1
    assert len(events) <= 6
    assert {event["phase"]: event["done"] for event in events} == {"scan": 4999, "outline": 4999}
    outbox.abandon()


def test_news_beyond_the_bound_is_dropped_oldest_first_and_counted(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    outbox = Outbox(ends[0])
    before = clog(outbox)
    for number in range(2000):
        outbox.put_event(1, {"kind": "change", "number": number})
    lines = iter(LineStream(ends[1]))
    for _ in range(before):
        next(lines)
    found = [json.loads(next(lines))["event"]]
    while found[-1]["number"] != 1999:
        found.append(json.loads(next(lines))["event"])
    # As many again may have been on their way out when the flood came.
    assert len(found) <= 2 * WAITING_EVENTS + 8
    outbox.put_event(1, {"kind": "change", "number": 2000})
    found.append(json.loads(next(lines))["event"])
    assert sum(event.get("skipped", 0) for event in found) == 2001 - len(found)
    outbox.abandon()


def test_data_waits_for_room_and_none_of_it_is_lost(ends: tuple[socket.socket, socket.socket]) -> None:
    outbox = Outbox(ends[0], full=100_000)
    sent = threading.Event()

    def send() -> None:
        for number in range(1000):
            outbox.put_event(1, {"kind": "row", "number": number, "pad": "x" * 2000})
        sent.set()

    threading.Thread(target=send, daemon=True).start()
    eventually(outbox.is_full)
    assert not sent.is_set()
    assert [line["event"]["number"] for line in read(ends[1], 1000)] == list(range(1000))
    assert sent.wait(BOUND)
    outbox.abandon()


def test_a_client_that_reads_nothing_is_given_up_in_the_end(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    outbox = Outbox(ends[0], full=1000, patience=0.1)
    clog(outbox)
    outbox.put(b"x" * 2000)
    assert not outbox.wait_for_room()
    outbox.put_event(1, {"kind": "row"})
    assert outbox.flush(0)


def test_sending_to_a_client_that_left_says_nothing(ends: tuple[socket.socket, socket.socket]) -> None:
    outbox = Outbox(ends[0])
    ends[1].close()
    for _ in range(3):
        outbox.put(b"{}\n")
        outbox.put_event(1, {"kind": "row"})
    assert outbox.flush(BOUND)
    assert not outbox.wait_for_room()
