"""The answer to `initialize` that is given before the server is loaded."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.lsp.double import EVERYTHING

from afresh import __version__
from afresh_lsp.early import Front, answer
from afresh_lsp.rehearsal import initialized


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.parametrize(
    "capabilities",
    [
        {},
        EVERYTHING,
        {"general": {"positionEncodings": ["utf-8", "utf-16"]}},
        {"general": {"positionEncodings": ["utf-7", "utf-32"]}},
        {"general": {"positionEncodings": ["utf-7"]}},
        {"general": {"positionEncodings": []}, "workspace": {"fileOperations": {"willRename": True}}},
        {"workspace": {"textDocumentContent": {"dynamicRegistration": True}}, "notebookDocument": None},
    ],
    ids=lambda sent: json.dumps(sent)[:60],
)
def test_it_is_what_the_server_itself_says(capabilities: Mapping[str, Any]) -> None:
    assert answer({"capabilities": capabilities}, __version__) == initialized(capabilities)


def test_the_server_reads_every_byte_and_its_own_answer_is_not_sent_again() -> None:
    first = framed({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {"capabilities": {}}})
    rest = framed({"jsonrpc": "2.0", "method": "initialized", "params": {}})
    out = io.BytesIO()
    front = Front(io.BytesIO(first + rest), out, "1")
    front.begin()
    sent = json.loads(out.getvalue().partition(b"\r\n\r\n")[2])
    assert (sent["id"], sent["result"]["serverInfo"]["version"]) == ("a", "1")
    read = front.readline() + front.readline() + front.read(7)
    while more := front.read(5):
        read += more
    assert read == first + rest
    before = out.getvalue()
    front.write(framed({"jsonrpc": "2.0", "id": "a", "method": "workspace/configuration"}))
    asked = out.getvalue()
    assert len(asked) > len(before), "a request of the server's own may have the same id"
    front.write(framed({"jsonrpc": "2.0", "id": "a", "result": {}}))
    assert out.getvalue() == asked
    front.write(framed({"jsonrpc": "2.0", "id": "a", "result": {}}))
    assert out.getvalue() > asked, "only once"


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"Content-Length: 5\r\n\r\n{bad}",
        b"Content-Length: 999999999999\r\n\r\n{}",
        framed([1, 2]),
        framed({"jsonrpc": "2.0", "id": 1, "method": "shutdown"}),
        framed({"jsonrpc": "2.0", "method": "initialize", "params": {"capabilities": {}}}),
        framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": []}),
        framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": "all"}}),
    ],
)
def test_what_is_no_initialize_is_left_to_the_server(sent: bytes) -> None:
    out = io.BytesIO()
    front = Front(io.BytesIO(sent), out, "1")
    front.begin()
    assert out.getvalue() == b""
    assert front.read(len(sent) + 1) == sent
