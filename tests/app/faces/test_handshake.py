"""The recorded answers against the real server, message by message, over the keeper's own transport."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from tests.app.faces.doubles import ServiceDouble

from afresh.engine.calls import Caller
from afresh.faces import handshake
from afresh.faces.handshake import Handshake
from afresh.faces.mcp_server import make_server

Messages = list[dict[str, Any]]

CLIENT = {"name": "test-editor", "version": "1.2"}
META = "io.modelcontextprotocol/"


def server() -> Server[Any]:
    return make_server(ServiceDouble(), Caller())


def initialize(version: object = "2025-11-25", **params: Any) -> dict[str, Any]:
    return request(
        "initialize", protocolVersion=version, **{"capabilities": {}, "clientInfo": CLIENT, **params}
    )


def request(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, **({"params": params} if params else {})}


def modern(method: str, version: object = "2026-07-28", **params: Any) -> dict[str, Any]:
    meta = {f"{META}protocolVersion": version, f"{META}clientCapabilities": {}, f"{META}clientInfo": CLIENT}
    return request(method, **{"_meta": meta, **params})


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class _Lines:
    """The client's lines, one at a time: each waits for the answer to the one before it."""

    def __init__(self, messages: Messages) -> None:
        self._left = deque(messages)
        self._answered = anyio.Event()
        self._answered.set()
        self.answers: list[dict[str, Any] | None] = []

    def __aiter__(self) -> _Lines:
        return self

    async def __anext__(self) -> str:
        await self._answered.wait()
        if not self._left:
            raise StopAsyncIteration
        message = self._left.popleft()
        if "id" in message:
            self._answered = anyio.Event()
        return json.dumps(message) + "\n"

    async def write(self, line: str) -> None:
        self.answers.append(json.loads(line))
        self._answered.set()

    async def flush(self) -> None:
        return None


def answers_of_the_server(messages: Messages) -> list[dict[str, Any] | None]:
    """What the real server answers to each request, in order."""
    lines = _Lines(messages)

    async def run() -> None:
        with anyio.fail_after(30):
            async with stdio_server(stdin=lines, stdout=lines) as (reads, writes):  # type: ignore[arg-type]
                real = server()
                await real.run(reads, writes, real.create_initialization_options())

    anyio.run(run)
    return lines.answers


def numbered(messages: Messages) -> Messages:
    return [
        {**message, "id": at if at % 2 else f"call-{at}"} if "id" in message else message
        for at, message in enumerate(messages)
    ]


def conversations() -> Iterator[tuple[str, Messages]]:
    rest = [
        INITIALIZED,
        request("tools/list"),
        request("prompts/list"),
        request("resources/templates/list"),
        request("ping"),
        request("server/discover"),
    ]
    for version in (*HANDSHAKE_PROTOCOL_VERSIONS, "1999-01-01", *MODERN_PROTOCOL_VERSIONS):
        yield f"handshake with {version}", [initialize(version), *rest]
    yield "ping before the handshake", [request("ping"), initialize(), request("tools/list")]
    yield "a handshake that is repeated", [initialize("2024-11-05"), initialize("2025-06-18"), *rest]
    yield "a discovery without an envelope", [request("server/discover"), initialize(), request("tools/list")]
    real = {
        "roots": {"listChanged": True},
        "sampling": {},
        "elicitation": {"form": {}},
        "experimental": {"x": {"y": 1}},
    }
    full = {**CLIENT, "title": "Test", "websiteUrl": "https://example.org"}
    yield "a client that says much of itself", [initialize(capabilities=real, clientInfo=full), *rest]
    yield (
        "progress tokens",
        [initialize(_meta={"progressToken": 5}), request("tools/list", _meta={"progressToken": "a"})],
    )
    for version in MODERN_PROTOCOL_VERSIONS:
        yield (
            f"modern {version}",
            [
                modern(method, version)
                for method in (
                    "server/discover",
                    "tools/list",
                    "prompts/list",
                    "resources/templates/list",
                    "ping",
                    "tools/list",
                )
            ],
        )
    yield (
        "modern without the client's name",
        [
            modern(
                "tools/list",
                _meta={f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}},
            )
        ],
    )


@pytest.mark.parametrize(
    ("name", "messages"), list(conversations()), ids=lambda item: item if isinstance(item, str) else ""
)
def test_every_recorded_answer_is_the_real_servers(name: str, messages: Messages) -> None:
    messages = numbered(messages)
    begin = Handshake.load(Path("/nowhere"))
    given = [begin.reply(message) for message in messages]
    real = iter(answers_of_the_server(messages))
    for message, answer in zip(messages, given, strict=True):
        if "id" in message:
            assert answer == next(real), name
        else:
            assert answer is None


DOUBTFUL: dict[str, Messages] = {
    "a tool's call": [initialize(), request("tools/call", name="recall", arguments={"query": "a"})],
    "a page of tools": [initialize(), request("tools/list", cursor="2")],
    "a list of resources": [initialize(), request("resources/list")],
    "a page of prompts": [initialize(), request("prompts/list", cursor="2")],
    "a page of templates": [initialize(), request("resources/templates/list", cursor="2")],
    "a list before the handshake": [request("tools/list")],
    "an envelope on a handshake connection": [initialize(), modern("tools/list")],
    "a handshake on a modern connection": [modern("tools/list"), initialize()],
    "an unknown modern version": [modern("tools/list", "2031-01-01")],
    "an envelope without capabilities": [
        request("tools/list", _meta={f"{META}protocolVersion": "2026-07-28"})
    ],
    "a version that is no text": [modern("tools/list", 5)],
    "a handshake without a version": [initialize(None)],
    "a client without a name": [initialize(clientInfo={"version": "1"})],
    "capabilities that are a list": [initialize(capabilities=[])],
    "capabilities that are no flags": [initialize(capabilities={"roots": {"listChanged": "very"}})],
    "a token that is a list": [initialize(_meta={"progressToken": []})],
    "an unknown method": [initialize(), request("tools/forget")],
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_has_to_be_judged_is_left_to_the_real_session(name: str) -> None:
    begin = Handshake.load(Path("/nowhere"))
    assert [begin.reply(message) for message in DOUBTFUL[name]][-1] is None


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"jsonrpc": "2.0", "id": 1},
        {"jsonrpc": "1.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "id": True, "method": "ping"},
        {"jsonrpc": "2.0", "id": None, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
        {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []},
        {"jsonrpc": "2.0", "id": 1, "method": 5},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ],
)
def test_what_is_no_request_gets_no_answer_and_decides_nothing(message: dict[str, Any]) -> None:
    begin = Handshake.load(Path("/nowhere"))
    assert begin.reply(message) is None
    assert begin.reply(modern("tools/list")) is not None


def test_after_a_handshake_that_is_in_doubt_the_list_is_left_to_the_real_session_too() -> None:
    begin = Handshake.load(Path("/nowhere"))
    assert begin.reply(initialize()) is not None
    assert begin.reply(initialize(clientInfo=None)) is None
    assert begin.reply(request("tools/list")) is None


def test_two_connections_begin_each_for_itself(tmp_path: Path) -> None:
    one, other = Handshake.load(tmp_path), Handshake.load(tmp_path)
    assert one.reply(initialize()) is not None
    assert other.reply(modern("tools/list")) is not None
    assert one.reply(request("tools/list")) is not None


def test_the_packaged_answers_are_what_the_server_would_be_recorded_as_now() -> None:
    packaged = json.loads(Path(handshake.__file__).with_name("handshake.json").read_text(encoding="utf-8"))
    assert packaged == handshake.record(server), "run python -m afresh.faces.handshake"


def test_nothing_is_written_while_the_libraries_are_those_that_were_recorded_from(tmp_path: Path) -> None:
    def never() -> Server[Any]:
        raise AssertionError("the server was made although nothing changed")

    assert handshake.refresh(never, tmp_path) is False
    assert list(tmp_path.iterdir()) == []


def changed(monkeypatch: pytest.MonkeyPatch, mcp_version: str) -> None:
    real = handshake.installed_versions()
    monkeypatch.setattr(handshake, "installed_versions", lambda: {**real, "mcp": mcp_version})


def test_an_sdk_that_answers_the_same_writes_no_override(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(monkeypatch, "2.9.9")
    assert handshake.refresh(server, tmp_path) is False
    assert list(tmp_path.iterdir()) == []


def test_an_sdk_that_answers_otherwise_is_recorded_and_read_back_until_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other() -> Server[Any]:
        made = server()
        made.instructions = "other"
        return made

    cache = tmp_path / "new" / "cache"
    with monkeypatch.context() as patch:
        changed(patch, "2.9.9")
        assert handshake.refresh(other, cache) is True
        assert handshake.refresh(other, cache) is False, "it was recorded already"
        answer = Handshake.load(cache).reply(initialize())
        assert answer is not None
        assert answer["result"]["instructions"] == "other"
    assert handshake.refresh(server, cache) is False
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"versions": {"afresh": "0.0.0"}}', '{"versions": 5}']
)
def test_an_override_that_is_broken_or_of_another_release_is_passed_over(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / "handshake.json").write_text(content, encoding="utf-8")
    answer = Handshake.load(tmp_path).reply(initialize())
    assert answer is not None
    assert answer["result"]["serverInfo"]["name"] == "afresh"


def test_recording_anew_writes_a_file_that_reads_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "handshake.json"
    handshake.main(path)
    assert json.loads(path.read_text(encoding="utf-8")) == handshake.record(server)
    assert capsys.readouterr().out == "recorded handshake.json\n"
    assert [item.name for item in tmp_path.iterdir()] == ["handshake.json"]


def test_the_first_answers_need_the_standard_library_alone(tmp_path: Path) -> None:
    code = (
        "import json, sys; from pathlib import Path; before = set(sys.modules)\n"
        "from afresh.faces.handshake import Handshake\n"
        f"assert Handshake.load(Path({str(tmp_path)!r})).reply(json.loads({json.dumps(initialize())!r}))\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "new -= set(sys.stdlib_module_names)\n"
        "sys.exit(str(sorted(new)) if new != {'afresh'} else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
