"""An engine that answers from a script, and an editor that speaks with a server in the same event loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from afresh.errors import NotFoundError
from afresh_lsp.pages import Pages
from afresh_lsp.server import AfreshServer, make_server

BOUND = 20.0
LSP = "2.0"

EVERYTHING: dict[str, Any] = {
    "workspace": {
        "configuration": True,
        "codeLens": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
        "textDocumentContent": {},
    },
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix"]}}},
    },
    "window": {"showDocument": {"support": True}, "workDoneProgress": True},
}
"""The capabilities of a client that can all that matters here."""


class ScriptedEngine:
    """Answers verbs from a script, and holds those back that a test wants held."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers: dict[str, Any] = dict(answers)
        self.calls: list[tuple[str, dict[str, Any], Path | None]] = []
        self.opened: list[Path] = []
        self.cancelled: list[str] = []
        self.held: dict[str, asyncio.Event] = {}
        self._called = asyncio.Condition()
        self.news: Callable[[Path, Mapping[str, Any]], None] | None = None
        self.closed = False

    def open(self, folder: Path) -> None:
        self.opened.append(folder)

    def leave(self, folder: Path) -> None:
        self.opened.remove(folder)

    def listen(self, news: Callable[[Path, Mapping[str, Any]], None]) -> None:
        self.news = news

    async def call(
        self, verb: str, arguments: Mapping[str, Any], *, folder: Path | None = None, on_event: Any = None
    ) -> dict[str, Any]:
        self.calls.append((verb, dict(arguments), folder))
        try:
            async with self._called:
                self._called.notify_all()
            if verb in self.held:
                await self.held[verb].wait()
        except asyncio.CancelledError:
            self.cancelled.append(verb)
            raise
        answer = self.answers.get(verb, NotFoundError(f"there is no verb {verb!r}"))
        if callable(answer):
            answer = answer(arguments)
        if isinstance(answer, Exception):
            raise answer
        if on_event is not None:
            on_event({"kind": "progress", "phase": "judge", "done": 1, "total": 2})
        return answer

    def close(self) -> None:
        self.closed = True

    async def until(self, wanted: Callable[[], bool]) -> None:
        """Wait, from call to call, until something holds."""
        async with asyncio.timeout(BOUND), self._called:
            await self._called.wait_for(wanted)

    def asked(self, verb: str) -> list[dict[str, Any]]:
        """The arguments of every call of a verb."""
        return [arguments for name, arguments, _ in self.calls if name == verb]


class Editor:
    """A client in the same loop. What the server sends is kept in order."""

    def __init__(self, engine: ScriptedEngine, folder: Path) -> None:
        self.engine = engine
        self.server: AfreshServer = make_server(engine, Pages(folder))
        self.server.protocol.set_writer(self)
        self.sent: list[dict[str, Any]] = []
        self.replies: dict[str, Any] = {
            "workspace/configuration": [None],
            "window/showDocument": {"success": True},
        }
        """What this client answers to the server's requests."""
        self._changed = asyncio.Condition()
        self._last = 0
        self._tasks: set[asyncio.Task[None]] = set()

    # --- what the server writes to --------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        self.sent.append(message)
        task = asyncio.get_running_loop().create_task(self._take(message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None: ...

    async def _take(self, message: dict[str, Any]) -> None:
        if "method" in message and "id" in message:
            reply = self.replies.get(message["method"])
            if isinstance(reply, Exception):
                error = {"code": -32601, "message": str(reply)}
                self._give({"jsonrpc": LSP, "id": message["id"], "error": error})
            else:
                self._give({"jsonrpc": LSP, "id": message["id"], "result": reply})
        async with self._changed:
            self._changed.notify_all()

    # --- what a test does with it -----------------------------------------------------------------------

    def _give(self, message: Mapping[str, Any]) -> None:
        text = json.dumps(message)
        self.server.protocol.handle_message(
            json.loads(text, object_hook=self.server.protocol.structure_message)
        )

    def notify(self, method: str, params: object) -> None:
        self._give({"jsonrpc": LSP, "method": method, "params": params})

    def begin(self, method: str, params: object) -> int:
        """Send a request; its number."""
        self._last += 1
        self._give({"jsonrpc": LSP, "id": self._last, "method": method, "params": params})
        return self._last

    async def answer(self, number: int) -> dict[str, Any]:
        """The response to a request, also if it is an error."""
        return await self.until(lambda one: one.get("id") == number and "method" not in one)

    async def ask(self, method: str, params: object) -> Any:
        """The result of a request. Fails for an error."""
        response = await self.answer(self.begin(method, params))
        assert "error" not in response, response
        return response["result"]

    async def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The newest message of that kind, once there is one."""

        def found() -> dict[str, Any] | None:
            return next((one for one in reversed(self.sent) if wanted(one)), None)

        async with asyncio.timeout(BOUND), self._changed:
            await self._changed.wait_for(lambda: found() is not None)
        message = found()
        assert message is not None
        return message

    async def start(
        self, folders: Mapping[str, Path] | None = None, capabilities: object = None, options: object = None
    ) -> dict[str, Any]:
        """Connect; what the server can."""
        params: dict[str, Any] = {
            "processId": None,
            "rootUri": None,
            "capabilities": EVERYTHING if capabilities is None else capabilities,
            "initializationOptions": options,
        }
        if folders is not None:
            params["workspaceFolders"] = [
                {"uri": path.as_uri(), "name": name} for name, path in folders.items()
            ]
        result: dict[str, Any] = await self.ask("initialize", params)
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, language: str = "python") -> None:
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, *changes: Mapping[str, Any]) -> None:
        document = {"uri": uri, "version": version}
        self.notify(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": [dict(one) for one in changes]},
        )

    async def diagnostics(
        self, uri: str, wanted: Callable[[list[dict[str, Any]]], bool] = lambda found: True
    ) -> list[dict[str, Any]]:
        """The newest diagnostics of a text, once they are as wanted."""

        def is_it(one: dict[str, Any]) -> bool:
            return self._newest(uri) is one and wanted(one["params"]["diagnostics"])

        message = await self.until(is_it)
        found: list[dict[str, Any]] = message["params"]["diagnostics"]
        return found

    def _newest(self, uri: str) -> dict[str, Any] | None:
        return next(
            (
                one
                for one in reversed(self.sent)
                if one.get("method") == "textDocument/publishDiagnostics" and one["params"]["uri"] == uri
            ),
            None,
        )

    def messages(self) -> list[str]:
        """What the user was told."""
        return [one["params"]["message"] for one in self.sent if one.get("method") == "window/showMessage"]


def known(**more: Any) -> dict[str, Any]:
    """A conclusion as the engine tells of it."""
    return {
        "kind": "memo",
        "id": 1,
        "title": "How do locks work?",
        "text": "acquire always succeeds",
        "status": "fresh",
        "impact": None,
        "updated_at": "2026-03-01T12:00:00Z",
        "root": "/shop",
        "change": None,
        "places": [place()],
        "hunks": [],
        "others": [],
        **more,
    }


def place(**more: Any) -> dict[str, Any]:
    """A cited part."""
    return {
        "symbol": "Lock.acquire",
        "start_line": 2,
        "end_line": 3,
        "now": "unchanged",
        "moved_to": None,
        **more,
    }


def stale(**more: Any) -> dict[str, Any]:
    """A conclusion whose code was edited in line 3."""
    return known(
        status="stale",
        impact="edited",
        change="edited",
        places=[place(now="edited")],
        hunks=[{"start_line": 3, "end_line": 3}],
        **more,
    )


def knowledge(*items: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """What `file_knowledge` answers."""
    return {
        "project": "shop",
        "root": "/shop",
        "path": "billing/locks.py",
        "note_kind": None,
        "known": list(items),
        "claims": [],
        "notes": [],
        **more,
    }


def claim(**more: Any) -> dict[str, Any]:
    """A dead path in a document."""
    return {
        "kind": "path",
        "text": "billing/gone.py",
        "line": 1,
        "start_column": 5,
        "end_column": 20,
        "target": None,
        "target_line": None,
        "target_symbol": None,
        "dead": "the workspace has no billing/gone.py",
        "suggestion": "billing/locks.py",
        "replacement": "billing/locks.py",
        **more,
    }
