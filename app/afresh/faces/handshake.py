"""The first answers of an MCP session, given from JSON before the SDK is loaded.

Loading the SDK takes most of a second, and a client waits for three answers before it shows any tool:
`initialize` or `server/discover`, then `tools/list`. They never depend on the database, so they are
recorded from the real server once for each release, and read back here with the standard library alone.
Whatever this module isn't sure about it leaves to the real session, by answering None.

`python -m afresh.faces.handshake` records them anew.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_PACKAGED = Path(__file__).with_name("handshake.json")
_OVERRIDE = "handshake.json"

_META_PREFIX = "io.modelcontextprotocol/"
_VERSION_KEY = f"{_META_PREFIX}protocolVersion"
_CAPABILITIES_KEY = f"{_META_PREFIX}clientCapabilities"
_CLIENT_KEY = f"{_META_PREFIX}clientInfo"
_METHODS = ("server/discover", "tools/list", "prompts/list", "resources/templates/list", "ping")
"""Those whose answers are the same at any time; a list of resources is not."""

Message = Mapping[str, Any]


class Handshake:
    """The beginning of one connection: give it each message of the client, in order.

    The first request decides the era, as it does in the real session; in the handshake era `initialize`
    also decides the version that later answers are shaped for.
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._table = table
        self._era: str | None = None
        self._version: str | None = None

    @classmethod
    def load(cls, cache_folder: Path) -> Handshake:
        """What was recorded: the override in the cache folder if it is of this release, else the packaged."""
        return cls(_override(cache_folder) or _packaged())

    def reply(self, message: Message) -> dict[str, Any] | None:
        """The real server's answer to this message; None where the real session has to give it.

        A message without an answer here still counts: after a request that this can't judge, everything
        that depends on it is left to the real session too.
        """
        method, number = message.get("method"), message.get("id")
        if not isinstance(method, str) or not _is_id(number) or message.get("jsonrpc") != "2.0":
            return None
        params = message.get("params")
        if params is None:
            params = {}
        if not isinstance(params, dict):
            return None
        if self._era is None:
            modern = method != "initialize" and _VERSION_KEY in _mapping(params.get("_meta"))
            self._era = "modern" if modern else "handshake"
        outcome = self._modern(method, params) if self._era == "modern" else self._legacy(method, params)
        return None if outcome is None else {"jsonrpc": "2.0", "id": number, **outcome}

    def _legacy(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        known: Mapping[str, Any] = self._table["handshake"]
        if method == "initialize":
            self._version = None
            if not _is_initialize(params):
                return None
            asked = params["protocolVersion"]
            self._version = asked if asked in known else self._table["latest"]
            return self._recorded(known[self._version], method)
        if not _is_plain(params) or _VERSION_KEY in _mapping(params.get("_meta")):
            return None
        # These two are answered before the handshake too, and the same in every version.
        version = self._table["latest"] if method in ("ping", "server/discover") else self._version
        return self._recorded(known[version], method) if version else None

    def _modern(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        meta = _mapping(params.get("_meta"))
        version = meta.get(_VERSION_KEY)
        by_method = self._table["modern"].get(version) if isinstance(version, str) else None
        if by_method is None or not _is_plain(params):
            return None
        if not _is_capabilities(meta.get(_CAPABILITIES_KEY)):
            return None
        if _CLIENT_KEY in meta and not _is_implementation(meta[_CLIENT_KEY]):
            return None
        return self._recorded(by_method, method)

    def _recorded(self, by_method: Mapping[str, int], method: str) -> Mapping[str, Any] | None:
        at = by_method.get(method)
        return None if at is None else self._table["outcomes"][at]


def refresh(server_factory: Callable[[], Server[Any]], cache_folder: Path) -> bool:
    """Record anew if the installed libraries are others than those that were recorded from.

    Writes an override into the cache folder where the answers differ, and takes an old one away where
    they don't; returns whether it wrote. Call it once the SDK is loaded, from a thread without an event
    loop. Raises OSError if the cache folder can't be written.
    """
    packaged, override = _packaged(), _override(cache_folder)
    versions = installed_versions()
    if (override or packaged)["versions"] == versions:
        return False
    table = record(server_factory)
    path = cache_folder / _OVERRIDE
    if _answers(table) == _answers(packaged):
        path.unlink(missing_ok=True)
        return False
    cache_folder.mkdir(parents=True, exist_ok=True)
    _write(path, table)
    return True


def record(server_factory: Callable[[], Server[Any]]) -> dict[str, Any]:
    """Every answer of the real server that `Handshake` gives, with the versions that it was recorded from."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION
    from mcp_types.version import MODERN_PROTOCOL_VERSIONS as MODERN

    client = {"name": "recorder", "version": "0"}
    outcomes: list[dict[str, Any]] = []

    def kept(requests: list[dict[str, Any]]) -> dict[str, int]:
        by_method: dict[str, int] = {}
        for request, outcome in zip(requests, _exchange(server_factory(), requests), strict=True):
            if outcome not in outcomes:
                outcomes.append(outcome)
            by_method[request["method"]] = outcomes.index(outcome)
        return by_method

    handshake = {}
    for version in HANDSHAKE_PROTOCOL_VERSIONS:
        opening = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        handshake[version] = kept(
            [{"method": "initialize", "params": opening}, *({"method": method} for method in _METHODS)]
        )
    modern = {}
    for version in MODERN:
        meta = {_VERSION_KEY: version, _CLIENT_KEY: client, _CAPABILITIES_KEY: {}}
        modern[version] = kept([{"method": method, "params": {"_meta": meta}} for method in _METHODS])
    return {
        "versions": installed_versions(),
        "latest": LATEST_HANDSHAKE_VERSION,
        "handshake": handshake,
        "modern": modern,
        "outcomes": outcomes,
    }


def main(path: Path = _PACKAGED) -> None:
    """Record the packaged answers anew."""
    from afresh.contracts import Result
    from afresh.engine.calls import Attachment, Call, Caller, Following, Listener
    from afresh.faces.mcp_server import make_server

    class NoService:
        def call(self, verb: str, arguments: Mapping[str, Any], call: Call) -> Result:
            raise AssertionError(f"the handshake calls no verb; got {verb}")

        def attach(self, caller: Caller) -> Attachment:
            raise AssertionError("the handshake attaches nobody")

        def follow(self, caller: Caller, listener: Listener) -> Following:
            raise AssertionError("the handshake follows nothing")

    _write(path, record(lambda: make_server(NoService(), Caller())))
    sys.stdout.write(f"recorded {path.name}\n")


def _exchange(server: Server[Any], requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each request's `result` or `error`, all asked on one connection."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    answers: list[dict[str, Any]] = []

    async def run() -> None:
        to_server, server_reads = anyio.create_memory_object_stream[SessionMessage | Exception](1)
        server_writes, from_server = anyio.create_memory_object_stream[SessionMessage](1)
        async with to_server, from_server, anyio.create_task_group() as tasks:
            options = server.create_initialization_options()
            tasks.start_soon(server.run, server_reads, server_writes, options)
            for number, request in enumerate(requests):
                line = json.dumps({"jsonrpc": "2.0", "id": number, **request})
                await to_server.send(
                    SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
                )
                answer = await from_server.receive()
                sent = json.loads(answer.message.model_dump_json(by_alias=True, exclude_unset=True))
                answers.append({key: sent[key] for key in ("result", "error") if key in sent})
            await to_server.aclose()

    anyio.run(run)
    return answers


def installed_versions() -> dict[str, str]:
    """The versions of everything that has a say in the answers."""
    from importlib.metadata import version

    from afresh import __version__

    return {"afresh": __version__, **{name: version(name) for name in ("mcp", "mcp-types", "pydantic")}}


def _packaged() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(_PACKAGED.read_text(encoding="utf-8"))
    return table


def _override(cache_folder: Path) -> Mapping[str, Any] | None:
    from afresh import __version__

    try:
        table = json.loads((cache_folder / _OVERRIDE).read_text(encoding="utf-8"))
        return table if table["versions"]["afresh"] == __version__ else None
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _answers(table: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in table.items() if key != "versions"}


def _write(path: Path, table: Mapping[str, Any]) -> None:
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    beside.replace(path)


# --- is a message shaped so that the real server would accept it? -----------------------------------------


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_plain(params: Mapping[str, Any]) -> bool:
    """Nothing but metadata: no cursor, no argument that would have to be judged."""
    return all(name == "_meta" for name in params) and _is_meta(params.get("_meta", {}))


def _is_meta(meta: object) -> bool:
    return isinstance(meta, dict) and _is_id(meta.get("progressToken", ""))


def _is_initialize(params: Mapping[str, Any]) -> bool:
    return (
        _is_text(params.get("protocolVersion"))
        and _is_capabilities(params.get("capabilities"))
        and _is_implementation(params.get("clientInfo"))
        and _is_meta(params.get("_meta", {}))
    )


def _is_implementation(value: object) -> bool:
    info = _mapping(value)
    optional = ("title", "description", "websiteUrl")
    return (
        _is_text(info.get("name"))
        and _is_text(info.get("version"))
        and all(_is_text(info[name]) for name in optional if info.get(name) is not None)
        and all(_is_text(_mapping(icon).get("src")) and len(icon) == 1 for icon in info.get("icons") or ())
    )


def _is_capabilities(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(item, dict) and (name in ("experimental", "extensions") or _is_flags(item))
        for name, item in value.items()
    )


def _is_flags(value: object) -> bool:
    return isinstance(value, bool) or (isinstance(value, dict) and all(map(_is_flags, value.values())))


if __name__ == "__main__":
    main()
