"""Lines, hellos and errors as they travel."""

from __future__ import annotations

import json
import socket

import pytest

from afresh.errors import (
    BY_KIND,
    AfreshError,
    InvalidArgumentError,
    KeeperLostError,
    StoreHeldError,
    UsageError,
)
from afresh.keeper.gate import NotBegunError
from afresh.keeper.wire import Hello, Lines, LineStream, encode, error_body, error_from

HELLO = Hello(mode="mcp", version="1", cwd="/ä", client="c", kind="agent", attach=True, token="t")


def test_lines_come_out_whole_however_the_bytes_were_cut() -> None:
    text = b"one\n\n" + "zwölf\n".encode() + b"x" * 300 + b"\nlast"
    for size in (1, 2, 7, 64, 1000):
        lines = Lines()
        found: list[bytes | None] = []
        for start in range(0, len(text), size):
            found += lines.feed(text[start : start + size])
        assert found == [b"one", b"", "zwölf".encode(), b"x" * 300]
        assert lines.feed(b"\n") == [b"last"]


def test_a_line_that_is_too_long_is_skipped_and_the_next_one_read() -> None:
    for size in (3, 1000):
        lines = Lines(longest=10)
        found: list[bytes | None] = []
        text = b"0123456789\n0123456789x\nnext\n" + b"y" * 100 + b"\nend\n"
        for start in range(0, len(text), size):
            found += lines.feed(text[start : start + size])
        assert found == [b"0123456789", None, b"next", None, b"end"]


def test_a_stream_of_lines_refuses_a_line_that_is_too_long_and_names_the_bound() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"short\n" + b"z" * 50 + b"\n")
        lines = iter(LineStream(ours, longest=40))
        assert next(lines) == b"short"
        with pytest.raises(InvalidArgumentError, match="40 bytes"):
            next(lines)


def test_a_stream_says_that_lines_are_here_which_no_wait_would_show() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"a\nb\nc\n")
        lines = LineStream(ours)
        assert next(iter(lines)) == b"a"
        assert lines.has_lines()
        assert lines.take() == [b"b", b"c"]
        assert not lines.has_lines()
        theirs.close()
        with pytest.raises(EOFError):
            lines.take()


def test_a_hello_arrives_as_it_was_sent() -> None:
    assert Hello.parse(HELLO.line()) == HELLO


@pytest.mark.parametrize(
    "line",
    [
        b"GET / HTTP/1.1",
        b"[]",
        b"{}",
        b'{"afresh": 2}',
        b'{"afresh": 1, "mode": "smtp", "kind": "cli"}',
        b'{"afresh": 1, "mode": "rpc", "kind": "admin"}',
        b'{"afresh": 1, "mode": "rpc", "kind": "cli", "cwd": 7}',
        b"\xff\xfe",
        b"[" * 100_000,
    ],
    ids=lambda line: line[:12].decode("utf-8", "replace"),
)
def test_what_is_no_hello_is_refused_and_shown(line: bytes) -> None:
    with pytest.raises(UsageError, match="hello"):
        Hello.parse(line)


def test_every_error_arrives_as_its_own_class() -> None:
    for kind, error_type in BY_KIND.items():
        arrived = error_from(json.loads(encode(error_body(error_type(f"about {kind}")))))
        assert type(arrived) is error_type
        assert arrived.message == f"about {kind}"
    assert type(error_from(error_body(NotBegunError("x")))) is KeeperLostError


def test_an_error_of_a_kind_unknown_here_is_still_an_error_with_its_text() -> None:
    arrived = error_from({"kind": "from_the_future", "message": "what to do"})
    assert type(arrived) is AfreshError
    assert arrived.message == "what to do"
    assert "can't be read" in error_from(["?"]).message
    assert isinstance(error_from({"kind": "store_held", "message": "m"}), StoreHeldError)


def test_half_characters_of_a_foreign_path_arrive_unharmed() -> None:
    path = b"/tmp/\xff".decode("utf-8", "surrogateescape")
    assert json.loads(encode({"cwd": path}))["cwd"] == path
