"""A keeper over a small service of its own, as a program and as what the tests need to talk to it.

    python double.py afresh keeper run      the keeper, with `DoubleService`
    python double.py afresh mcp             the pump, which starts such keepers

What the service does stands in the arguments of a call: `do`, or `query` for calls that come as tools.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afresh.settings import Settings

if TYPE_CHECKING:
    from afresh.activity_verbs import ConnectedClient
    from afresh.contracts import Result
    from afresh.engine.calls import Call, Caller, Listener
    from afresh.keeper.connect import Starting

COMMAND = (sys.executable, "-P", str(Path(__file__)), "afresh", "keeper", "run")
BOUND = 20.0
"""Seconds after which a wait has failed."""


def starting(**changes: Any) -> Starting:
    """Start keepers of this double."""
    from afresh.keeper.connect import Starting

    return Starting(command=COMMAND, patience=BOUND)._replace(**changes)


def eventually(holds: Callable[[], object], within: float = BOUND) -> None:
    """Wait until something holds; fail where it doesn't in time."""
    import time

    deadline = time.monotonic() + within
    pause = threading.Event()
    while not holds():
        assert time.monotonic() < deadline, "it didn't happen in time"
        pause.wait(0.01)


class Attached:
    def __init__(self, service: DoubleService, where: str) -> None:
        self.service = service
        self.where = where
        service.attached.append(where)

    def close(self) -> None:
        self.service.attached.remove(self.where)


class Followed:
    """Tells that what somebody asks about has turned, so that a test sees whom that reaches."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def know(self, *, memos: Iterable[int] = (), **_others: object) -> None:
        from afresh.engine.calls import News

        self._listener(News(memos=frozenset(memos)))

    def close(self) -> None:
        return None


class DoubleService:
    """Does what its calls say."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clients: Callable[[], int] = lambda: 0
        self.connected: Callable[[], list[ConnectedClient]] = list
        self.transport = ""
        self.attached: list[str] = []
        self.released = threading.Event()
        self.closed = False
        self._file = threading.Lock()

    def call(self, verb: str, arguments: Mapping[str, Any], call: Call) -> Result:
        from afresh.errors import NotFoundError, UsageError

        what = str(arguments.get("do") or arguments.get("query") or "echo")
        if what == "hold":
            self._mark("began")
            call.cancelled.wait(BOUND)
            self._mark("cancelled")
            call.check()
        elif what == "wait":
            self._mark("began")
            eventually(lambda: self.released.is_set() or (self.settings.home / "go-on").exists())
        elif what == "release":
            self.released.set()
        elif what == "progress":
            for done in range(arguments["times"]):
                call.emit({"kind": "progress", "phase": "scan", "done": done, "total": None, "message": ""})
        elif what == "changes":
            for done in range(arguments["times"]):
                call.emit({"kind": "change", "changed": done, "paths": ["x" * arguments.get("size", 0)]})
        elif what == "rows":
            for number in range(arguments["times"]):
                call.emit({"kind": "row", "row": {"number": number, "text": "x" * arguments.get("size", 0)}})
        elif what == "append":
            with self._file, (self.settings.home / "acknowledged").open("a", encoding="utf-8") as file:
                file.write(f"{arguments['id']}\n")
                file.flush()
                os.fsync(file.fileno())
        elif what == "die":
            os.kill(os.getpid(), 9)
        elif what == "refuse":
            raise UsageError("asked wrongly: ünïcode 日本")
        elif what == "miss":
            raise NotFoundError("nothing there")
        elif what == "break":
            raise ZeroDivisionError("secret-content")
        return self._answer(verb, arguments, call)

    def _answer(self, verb: str, arguments: Mapping[str, Any], call: Call) -> Result:
        return answer_type()(
            verb=verb,
            echo=arguments.get("value"),
            pid=os.getpid(),
            cwd=str(call.caller.cwd),
            client=call.caller.client,
            kind=call.caller.kind,
            attached=list(self.attached),
            clients=self.clients(),
            transport=self.transport,
            environment=sorted(os.environ) if arguments.get("do") == "environment" else [],
            folder=str(Path.cwd()),
        )

    def attach(self, caller: Caller) -> Attached:
        if (self.settings.home / "attach-late").exists():
            self._mark("attaching")
            eventually((self.settings.home / "attach-now").exists)
        return Attached(self, str(caller.cwd))

    def follow(self, caller: Caller, listener: Listener) -> Followed:
        return Followed(listener)

    def busy(self) -> bool:
        return (self.settings.home / "busy").exists()

    def close(self) -> None:
        self.closed = True
        self._mark("closed")

    def _mark(self, name: str) -> None:
        (self.settings.home / name).touch()


@cache
def answer_type() -> type[Result]:
    from afresh.contracts import Result

    class Answer(Result):
        verb: str
        echo: Any
        pid: int
        cwd: str
        client: str
        kind: str
        attached: list[str]
        clients: int
        transport: str
        environment: list[str]
        folder: str

    return Answer


def open_double(settings: Settings) -> DoubleService:
    """Opens at once, or as a file in the data folder says: late, or not at all."""
    from afresh.errors import StoreVersionError

    if (settings.home / "open-late").exists():
        eventually((settings.home / "open-now").exists)
    if (settings.home / "open-fails").exists():
        raise StoreVersionError("the database is from a newer afresh; install that one")
    if (settings.home / "open-breaks").exists():
        raise ZeroDivisionError("secret-content")
    return DoubleService(settings)


def main(words: list[str]) -> int:
    from afresh.errors import AfreshError
    from afresh.settings import load

    if words[:2] == ["afresh", "mcp"]:
        from afresh.faces.bridge import pump

        return pump(str(Path.cwd()), starting=starting())
    from afresh.keeper.process import run
    from afresh.keeper.serving import real_parts

    try:
        code = run(load(), lambda: replace(real_parts(), open_service=open_double))
    except AfreshError as error:
        os.write(2, f"{error.message}\n".encode())
        code = error.exit_code
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
