"""Every tool over the real SDK, in both eras of the protocol, with a double of the engine."""

from __future__ import annotations

import json
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import anyio
import jsonschema  # type: ignore[import-untyped]
import mcp_types as types
import pytest
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from tests.app.faces.doubles import RESULTS, ServiceDouble

from afresh import __version__
from afresh.contracts import Result
from afresh.engine.calls import Call, Caller
from afresh.errors import BY_KIND, InvalidArgumentError
from afresh.faces.mcp_server import INSTRUCTIONS, make_server
from afresh.faces.tool_schemas import input_schema, output_schema
from afresh.verbs import TOOLS

META = "io.modelcontextprotocol/"
Sending = MemoryObjectSendStream[SessionMessage | Exception]
Receiving = MemoryObjectReceiveStream[SessionMessage]
Mode = Literal["auto", "legacy"]
MODES: tuple[Mode, ...] = ("auto", "legacy")
CALLER = Caller(cwd=Path("/srv/shop"), client="unknown", kind="agent")

ARGUMENTS: Mapping[str, dict[str, Any]] = {
    "memory_save": {"content": "a", "files": ["a.py", {"path": "b.py", "symbol": "B.c"}]},
    "memory_update": {"id": 7, "content": "b"},
    "memory_delete": {"id": 7},
    "memory_get": {"ids": [7]},
    "recall": {"query": "locks", "limit": 3},
    "recall_context": {"query": "locks", "max_tokens": 500},
    "memory_recall_iterative": {"query": "locks", "max_iters": 2},
    "memory_answer": {"query": "locks", "project": "shop", "limit": 3},
    "memory_exploration_record": {"question": "q", "conclusion": "c", "project": "shop", "files": ["a.py"]},
    "memory_exploration_recall": {"question": "q", "project": "shop"},
    "memory_exploration_verify": {"id": 3, "action": "verify"},
    "workspace_status": {},
}

Use = Callable[[Client], Awaitable[None]]


def talk(service: ServiceDouble, mode: Mode, use: Use) -> None:
    """One client's session with a server of its own, bounded in time."""

    async def run() -> None:
        with anyio.fail_after(30):
            info = types.Implementation(name="test-editor", version="1")
            async with Client(make_server(service, CALLER), mode=mode, client_info=info) as client:
                await use(client)

    anyio.run(run)


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


@pytest.mark.parametrize("mode", MODES)
def test_the_tools_are_listed_with_titles_annotations_and_valid_schemas(mode: Mode) -> None:
    async def use(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [verb.name for verb in TOOLS]
        for tool, verb in zip(listed, TOOLS, strict=True):
            assert tool.title == verb.title
            assert tool.description == verb.description
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is verb.read_only
            hints = (tool.annotations.destructive_hint, tool.annotations.idempotent_hint)
            assert hints == ((None, None) if verb.read_only else (verb.destructive, verb.idempotent))
            assert tool.annotations.open_world_hint is False
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            assert tool.output_schema is not None
            jsonschema.Draft202012Validator.check_schema(tool.output_schema)

    talk(ServiceDouble(), mode, use)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("tool", [verb.name for verb in TOOLS])
def test_every_tool_answers_the_same_json_twice_and_under_its_output_schema(tool: str, mode: Mode) -> None:
    service = ServiceDouble()

    async def use(client: Client) -> None:
        # The SDK's client checks the result against the listed output schema and raises if it differs.
        await client.list_tools()
        result = await client.call_tool(tool, ARGUMENTS[tool])
        assert not result.is_error
        assert result.structured_content == RESULTS[tool].model_dump(mode="json")
        text = text_of(result)
        assert json.loads(text) == result.structured_content
        assert text == json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))

    talk(service, mode, use)
    assert service.calls == [(tool, ARGUMENTS[tool])]


@pytest.mark.parametrize("mode", MODES)
def test_a_null_is_an_argument_that_was_not_given(mode: Mode) -> None:
    service = ServiceDouble()

    async def use(client: Client) -> None:
        await client.call_tool("recall", {"query": "a", "project": None, "limit": None, "colour": None})

    talk(service, mode, use)
    assert service.calls == [("recall", {"query": "a", "colour": None})]


@pytest.mark.parametrize("mode", MODES)
def test_a_foreseen_error_is_a_tool_error_with_its_text(mode: Mode) -> None:
    for kind in BY_KIND.values():

        def fail(_arguments: Mapping[str, Any], _call: Call, kind: type[Exception] = kind) -> Result:
            raise kind("limit: must be at most 50; got 51")

        async def use(client: Client) -> None:
            result = await client.call_tool("recall", {"query": "a"})
            assert result.is_error
            assert text_of(result) == "limit: must be at most 50; got 51"
            assert result.structured_content is None

        talk(ServiceDouble({"recall": fail}), mode, use)


@pytest.mark.parametrize("mode", MODES)
def test_an_unforeseen_error_is_logged_and_its_text_kept_from_the_client(
    mode: Mode, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_arguments: Mapping[str, Any], _call: Call) -> Result:
        raise ZeroDivisionError("inner workings")

    async def use(client: Client) -> None:
        result = await client.call_tool("recall", {"query": "a"})
        assert result.is_error
        assert text_of(result).startswith("internal error in recall, see the log")
        assert "inner workings" not in text_of(result)

    talk(ServiceDouble({"recall": fail}), mode, use)
    assert "ZeroDivisionError: inner workings" in caplog.text


@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_tool_is_the_protocols_error_and_names_the_known_ones(mode: Mode) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("forget_everything", {})
        assert caught.value.error.code == types.INVALID_PARAMS
        assert "forget_everything" in caught.value.error.message
        assert "memory_save" in caught.value.error.message

    talk(ServiceDouble(), mode, use)


@pytest.mark.parametrize("mode", MODES)
def test_a_page_of_tools_that_does_not_exist_is_refused(mode: Mode) -> None:
    async def use(client: Client) -> None:
        with pytest.raises(MCPError) as caught:
            await client.list_tools(cursor="2")
        assert caught.value.error.code == types.INVALID_PARAMS

    talk(ServiceDouble(), mode, use)


@pytest.mark.parametrize("mode", MODES)
def test_a_call_is_made_in_the_name_of_the_client(mode: Mode) -> None:
    service = ServiceDouble()

    async def use(client: Client) -> None:
        await client.call_tool("workspace_status", {})

    talk(service, mode, use)
    assert service.callers == [Caller(cwd=Path("/srv/shop"), client="test-editor", kind="agent")]


@pytest.mark.parametrize("mode", MODES)
def test_events_become_progress_that_only_grows_and_ends_with_the_last_one(mode: Mode) -> None:
    def answer(_arguments: Mapping[str, Any], call: Call) -> Result:
        call.emit({"kind": "progress", "phase": "scan", "done": 5, "total": 10, "message": "scanning"})
        call.emit({"kind": "progress", "phase": "scan", "done": 10, "total": 10, "message": "scanning"})
        call.emit({"kind": "progress", "phase": "embed", "done": 1, "total": 4, "message": "embedding"})
        call.emit({"kind": "note", "message": "nearly there"})
        return RESULTS["recall"]

    seen: list[tuple[float, float | None, str | None]] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append((progress, total, message))

    async def use(client: Client) -> None:
        await client.call_tool("recall", {"query": "a"}, progress_callback=note)
        await anyio.wait_all_tasks_blocked()

    talk(ServiceDouble({"recall": answer}), mode, use)
    assert seen[-1] == (12.0, None, "nearly there")
    assert [done for done, _, _ in seen] == sorted({done for done, _, _ in seen})


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_emits_thousands_of_events_is_never_held_up_by_the_client(mode: Mode) -> None:
    def answer(_arguments: Mapping[str, Any], call: Call) -> Result:
        for done in range(20_000):
            call.emit({"kind": "progress", "phase": "scan", "done": done, "total": 20_000})
        return RESULTS["recall"]

    seen: list[float] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        seen.append(progress)

    async def use(client: Client) -> None:
        await client.call_tool("recall", {"query": "a"}, progress_callback=note)
        await anyio.wait_all_tasks_blocked()

    talk(ServiceDouble({"recall": answer}), mode, use)
    assert seen[-1] == 19_999
    assert len(seen) < 20_000


@pytest.mark.parametrize("mode", MODES)
def test_a_cancelled_request_tells_the_verb_and_the_connection_goes_on(mode: Mode) -> None:
    running, stopped = threading.Event(), threading.Event()

    def answer(_arguments: Mapping[str, Any], call: Call) -> Result:
        running.set()
        if call.cancelled.wait(20):
            stopped.set()
        call.check()
        return RESULTS["recall"]

    async def use(client: Client) -> None:
        async with anyio.create_task_group() as tasks:

            async def ask() -> None:
                await client.call_tool("recall", {"query": "a"})

            tasks.start_soon(ask)
            assert await anyio.to_thread.run_sync(running.wait, 20)
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(stopped.wait, 20)
        assert not (await client.call_tool("workspace_status", {})).is_error

    talk(ServiceDouble({"recall": answer}), mode, use)


class Wire:
    """A connection as the keeper's: JSON both ways, in the era of its first request."""

    def __init__(self, era: str, to_server: Sending, from_server: Receiving) -> None:
        self._meta: dict[str, Any] = {}
        self._to_server = to_server
        self._from_server = from_server
        if era == "modern":
            self._meta = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}

    async def send(self, method: str, number: int | None = None, **params: Any) -> None:
        params["_meta"] = {**self._meta, **params.get("_meta", {})}
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if number is not None:
            message["id"] = number
        line = json.dumps(message)
        await self._to_server.send(
            SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
        )

    async def receive(self) -> dict[str, Any]:
        sent = (await self._from_server.receive()).message.model_dump_json(by_alias=True, exclude_unset=True)
        message: dict[str, Any] = json.loads(sent)
        return message


def on_the_wire(service: ServiceDouble, era: str, use: Callable[[Wire], Awaitable[None]]) -> None:
    """A conversation in JSON with a real server, bounded in time."""

    async def run() -> None:
        to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](8)
        server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](8)
        server = make_server(service, CALLER)
        with anyio.fail_after(30):
            async with to_server, from_server, anyio.create_task_group() as tasks:
                tasks.start_soon(
                    server.run, server_reads, server_writes, server.create_initialization_options()
                )
                wire = Wire(era, to_server, from_server)
                if era == "handshake":
                    info = {"name": "test-editor", "version": "1"}
                    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
                    await wire.send("initialize", 0, **opening)
                    await wire.receive()
                    await wire.send("notifications/initialized")
                await use(wire)
                await to_server.aclose()

    anyio.run(run)


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_a_request_that_is_cancelled_on_the_wire_stops_its_verb_and_is_never_answered(era: str) -> None:
    running, stopped = threading.Event(), threading.Event()

    def answer(_arguments: Mapping[str, Any], call: Call) -> Result:
        running.set()
        if call.cancelled.wait(20):
            stopped.set()
        return RESULTS["recall"]

    async def use(wire: Wire) -> None:
        await wire.send("tools/call", 1, name="recall", arguments={"query": "a"})
        assert await anyio.to_thread.run_sync(running.wait, 20)
        await wire.send("notifications/cancelled", requestId=1, reason="no longer wanted")
        assert await anyio.to_thread.run_sync(stopped.wait, 20)
        await wire.send("tools/call", 2, name="workspace_status", arguments={})
        answered = await wire.receive()
        assert (answered["id"], answered["result"]["isError"]) == (2, False)

    on_the_wire(ServiceDouble({"recall": answer}), era, use)


@pytest.mark.parametrize("era", ["handshake", "modern"])
def test_progress_is_sent_under_the_clients_token_before_the_answer_and_never_without_one(era: str) -> None:
    def answer(_arguments: Mapping[str, Any], call: Call) -> Result:
        call.emit({"kind": "progress", "phase": "scan", "done": 1, "total": 2, "message": "half"})
        return RESULTS["recall"]

    async def use(wire: Wire) -> None:
        asked: dict[str, Any] = {"name": "recall", "arguments": {"query": "a"}}
        await wire.send("tools/call", 1, **asked, _meta={"progressToken": "t"})
        told, answered = await wire.receive(), await wire.receive()
        assert told["method"] == "notifications/progress"
        assert told["params"] == {"progressToken": "t", "progress": 1.0, "total": 2.0, "message": "half"}
        assert answered["id"] == 1
        await wire.send("tools/call", 2, **asked)
        assert (await wire.receive())["id"] == 2

    on_the_wire(ServiceDouble({"recall": answer}), era, use)


@pytest.mark.parametrize("mode", MODES)
def test_a_slow_call_holds_up_no_other(mode: Mode) -> None:
    running, release = threading.Event(), threading.Event()

    def slow(_arguments: Mapping[str, Any], _call: Call) -> Result:
        running.set()
        assert release.wait(20)
        return RESULTS["recall"]

    async def use(client: Client) -> None:
        async with anyio.create_task_group() as tasks:

            async def ask() -> None:
                assert not (await client.call_tool("recall", {"query": "a"})).is_error

            tasks.start_soon(ask)
            assert await anyio.to_thread.run_sync(running.wait, 20)
            assert not (await client.call_tool("workspace_status", {})).is_error
            release.set()

    service = ServiceDouble({"recall": slow})
    talk(service, mode, use)
    assert threading.get_ident() not in service.threads


@pytest.mark.parametrize("mode", MODES)
def test_the_server_says_who_it_is_and_announces_what_it_does(mode: Mode) -> None:
    async def use(client: Client) -> None:
        assert client.server_info is not None
        assert (client.server_info.name, client.server_info.version) == ("afresh", __version__)
        assert client.instructions == INSTRUCTIONS
        (icon,) = client.server_info.icons or ()
        assert icon.src.startswith("data:image/svg+xml;base64,")
        offered = client.server_capabilities.model_dump(exclude_none=True)
        assert offered == {
            "tools": {"list_changed": False},
            "prompts": {"list_changed": False},
            "resources": {"subscribe": True, "list_changed": True},
            "completions": {},
        }

    talk(ServiceDouble(), mode, use)


def test_the_instructions_are_short_and_name_only_tools_that_exist() -> None:
    assert len(INSTRUCTIONS.split()) < 120
    named = {word.strip(".,;:") for word in INSTRUCTIONS.split() if word.startswith("memory_")}
    assert named <= {verb.name for verb in TOOLS}
    assert named >= {"memory_save", "memory_exploration_record", "memory_exploration_verify"}
    assert " recall " in INSTRUCTIONS


@pytest.mark.parametrize("verb", TOOLS, ids=lambda verb: verb.name)
def test_a_schema_means_what_the_contract_means_without_what_a_model_need_not_read(verb: Any) -> None:
    arguments, result = input_schema(verb.arguments), output_schema(verb.result)
    for schema in (arguments, result):
        text = json.dumps(schema)
        assert '"title"' not in text
        assert len(text) < len(json.dumps(verb.arguments.model_json_schema())) or schema is result
    assert '"null"' not in json.dumps(arguments)
    assert arguments["additionalProperties"] is False
    assert set(arguments["properties"]) == set(verb.arguments.model_fields)
    required = {name for name, field in verb.arguments.model_fields.items() if field.is_required()}
    assert set(arguments.get("required", ())) == required
    assert set(result["properties"]) == set(verb.result.model_fields)
    jsonschema.validate(RESULTS[verb.name].model_dump(mode="json"), result)
    jsonschema.validate(ARGUMENTS[verb.name], arguments)


def test_a_definition_that_is_used_twice_stays_one() -> None:
    schema = output_schema(next(verb for verb in TOOLS if verb.name == "recall").result)
    assert list(schema["$defs"]) == ["RecalledMemory"]


def test_what_an_output_schema_forbids_is_refused() -> None:
    schema = output_schema(next(verb for verb in TOOLS if verb.name == "memory_save").result)
    wrong = {**RESULTS["memory_save"].model_dump(mode="json"), "duplicate_of": "7"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema)


def test_a_bad_argument_is_told_by_the_engine_and_reaches_the_model() -> None:
    def refuse(_arguments: Mapping[str, Any], _call: Call) -> Result:
        raise InvalidArgumentError("query is required")

    async def use(client: Client) -> None:
        result = await client.call_tool("recall", {"query": None})
        assert result.is_error
        assert text_of(result) == "query is required"

    service = ServiceDouble({"recall": refuse})
    talk(service, "auto", use)
    assert service.calls == [("recall", {})]
