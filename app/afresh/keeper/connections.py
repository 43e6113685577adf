"""One client's connection in the keeper: its hello, its calls or its MCP session, and its end."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Hashable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from afresh.errors import (
    AfreshError,
    InvalidArgumentError,
    KeeperUnavailableError,
    UsageError,
)
from afresh.keeper.gate import LONG, Doorstep, Gate, NotBegunError
from afresh.keeper.outbox import Outbox, result_line
from afresh.keeper.pool import Pool
from afresh.keeper.sessions import EarlyAnswers, Sdk, Session
from afresh.keeper.transport import Secrets
from afresh.keeper.wire import Hello, LineStream, encode, error_body, shown

if TYPE_CHECKING:
    from afresh.activity_verbs import ConnectedClient
    from afresh.engine.calls import Attachment, Caller, Event

_LOG = logging.getLogger(__name__)
_HELLO_S = 10.0
"""Seconds that a client has for its first line."""
_PARTING_S = 2.0
"""Seconds that a client has to read the last words."""
_IN_FLIGHT = 256
"""Calls of one client at once."""


class House(Protocol):
    """What a connection needs of the keeper around it."""

    version: str
    secrets: Secrets
    gate: Gate
    sdk: Sdk
    quick: Pool
    long: Pool

    def status(self) -> dict[str, Any]: ...

    def stop(self, reason: str) -> None: ...

    def admit(self, connection: Connection) -> AfreshError | None: ...

    def left(self, connection: Connection) -> None: ...

    def early_answers(self) -> EarlyAnswers | None: ...


class Connection:
    """One client, served by a thread of its own."""

    def __init__(self, stream: socket.socket, house: House) -> None:
        self._stream = stream
        self._house = house
        self._outbox = Outbox(stream)
        self._guard = threading.Lock()
        self._calls: dict[Hashable, threading.Event] = {}
        self._answered = threading.Condition(self._guard)
        self._unanswered = 0
        self._session: Session | None = None
        self._doorstep = Doorstep(house.gate)
        self._attachment: Attachment | None = None
        self._closed = False
        self._since = datetime.now(UTC)
        self.hello: Hello | None = None
        """What the client said of itself, once it has."""

    def start(self) -> None:
        """Begin to serve, in a thread."""
        threading.Thread(target=self._serve, name="client", daemon=True).start()

    def shown(self) -> ConnectedClient | None:
        """The client as others are told of it; None for one that only asks after the keeper."""
        from afresh.activity_verbs import ConnectedClient

        hello = self.hello
        if hello is None or hello.control:
            return None
        named = self._session.client if self._session is not None else None
        with self._guard:
            attached = self._attachment is not None
        return ConnectedClient(
            client=named or hello.client,
            kind=hello.kind,
            mode=hello.mode,
            cwd=hello.cwd,
            since=self._since,
            watching=attached,
        )

    def fail(self, error: AfreshError) -> None:
        """The service can't be opened: tell this client, where it waits for something."""
        if self._session is not None:
            self._session.fail(error)

    def finish(self, timeout: float) -> None:
        """Send what is to be sent, for at most so many seconds each, and close.

        Calls may still be on their way to hear that they are not begun any more.
        """
        with self._answered:
            self._answered.wait_for(lambda: self._unanswered == 0, timeout)
        self._outbox.flush(timeout)
        self._outbox.abandon()

    # --- the connection's own thread ------------------------------------------------------------------

    def _serve(self) -> None:
        try:
            self._greet_and_serve()
        except (OSError, EOFError):
            _LOG.debug("a client went away")
        except AfreshError as error:
            self._part(error)
        except Exception:  # noqa: BLE001 - the edge; the log has the traceback
            _LOG.exception("a connection failed")
        finally:
            self._close()

    def _greet_and_serve(self) -> None:
        self._stream.settimeout(_HELLO_S)
        lines = LineStream(self._stream)
        first = next(iter(lines), None)
        if first is None:
            return
        hello = Hello.parse(first)
        self._check_token(hello)
        self.hello = hello
        refusal = self._house.admit(self)
        if refusal is not None:
            raise refusal
        self._stream.settimeout(None)
        if hello.mode == "mcp":
            # Before the answer goes out, so that the SDK loads while the client reads it.
            self._session = Session(
                self._doorstep, self._outbox, self._house.early_answers(), lambda: self._caller(hello)
            )
        status = self._house.status()
        self._outbox.put(
            encode(
                {
                    "ok": True,
                    "pid": status["pid"],
                    "version": self._house.version,
                    "proof": self._house.secrets.proof,
                }
            )
        )
        if hello.attach:
            self._house.quick.submit(lambda: self._attach(hello))
        else:
            self._doorstep.place()
        if self._session is not None:
            self._serve_session(lines, self._session)
        else:
            self._serve_calls(lines, hello)

    def _check_token(self, hello: Hello) -> None:
        token = self._house.secrets.token
        if token:
            from hmac import compare_digest

            if not compare_digest(token.encode(), hello.token.encode("utf-8", "replace")):
                raise UsageError(
                    "the token doesn't fit this keeper; connect through afresh, which reads it from the "
                    "keeper's folder"
                )

    def _serve_session(self, lines: LineStream, session: Session) -> None:
        error = self._house.gate.error
        if error is not None:
            session.fail(error)
        else:
            self._house.sdk.serve(session)
        for line in lines:
            session.take(line)

    def _serve_calls(self, lines: LineStream, hello: Hello) -> None:
        for line in lines:
            if not self._outbox.wait_for_room():
                return
            try:
                self._take(line, hello)
            except AfreshError as error:
                self._outbox.put(encode({"id": None, "error": error_body(error)}))

    # --- calls ----------------------------------------------------------------------------------------

    def _take(self, line: bytes, hello: Hello) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        number = message.get("id") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(number, int | str):
            raise InvalidArgumentError(f"not a call with an id, as one line of JSON: {shown(line)}")
        if message.get("cancel") is True:
            with self._guard:
                cancelled = self._calls.get(number)
            if cancelled is not None:
                cancelled.set()
            return
        try:
            self._begin(number, message, hello)
        except AfreshError as error:
            self._outbox.put(encode({"id": number, "error": error_body(error)}))

    def _begin(self, number: int | str, message: Mapping[str, Any], hello: Hello) -> None:
        verb, arguments = message.get("verb"), message.get("arguments", {})
        if not isinstance(verb, str) or not isinstance(arguments, dict):
            raise InvalidArgumentError("a call needs a verb, and its arguments as an object")
        if verb == "keeper_status":
            self._outbox.put(encode({"id": number, "result": self._house.status()}))
            return
        if verb == "keeper_stop":
            pid = self._house.status()["pid"]
            self._outbox.put(encode({"id": number, "result": {"pid": pid, "stopping": True}}))
            self._house.stop("asked to")
            return
        if hello.control:
            raise UsageError(f"this connection serves keeper_status and keeper_stop only, not {verb}")
        cancelled = threading.Event()
        with self._guard:
            if number in self._calls:
                raise InvalidArgumentError(f"a call with the id {number!r} is in flight; use another id")
            if len(self._calls) >= _IN_FLIGHT:
                raise InvalidArgumentError(f"{_IN_FLIGHT} calls are in flight; wait for one of them")
            self._calls[number] = cancelled
            self._unanswered += 1
        pool = self._house.long if verb in LONG else self._house.quick
        pool.submit(lambda: self._run(number, verb, arguments, cancelled, hello))

    def _run(
        self,
        number: int | str,
        verb: str,
        arguments: Mapping[str, Any],
        cancelled: threading.Event,
        hello: Hello,
    ) -> None:
        from afresh.engine.calls import Call

        def emit(event: Event) -> None:
            if self._calls.get(number) is cancelled:
                self._outbox.put_event(number, event)

        try:
            call = Call(caller=self._caller(hello), emit=emit, cancelled=cancelled)
            # One that waited in line while its client went away hasn't begun, and doesn't.
            call.check()
            result = self._doorstep.call(verb, arguments, call)
            line = result_line(number, result.model_dump_json())
        except NotBegunError as error:
            line = encode({"id": number, "error": {**error_body(error), "ran": False}})
        except AfreshError as error:
            line = encode({"id": number, "error": error_body(error)})
        except Exception:  # noqa: BLE001 - the edge; the log has the traceback
            _LOG.exception("the verb %s failed", verb)
            masked = AfreshError(f"internal error in {verb}; the keeper's log has the details")
            line = encode({"id": number, "error": error_body(masked)})
        with self._guard:
            self._calls.pop(number, None)
        self._outbox.forget(number)
        self._outbox.put(line)
        with self._answered:
            self._unanswered -= 1
            self._answered.notify_all()

    def _caller(self, hello: Hello) -> Caller:
        from afresh.engine.calls import Caller

        return Caller(cwd=Path(hello.cwd) if hello.cwd else None, client=hello.client, kind=hello.kind)

    # --- the workspace --------------------------------------------------------------------------------

    def _attach(self, hello: Hello) -> None:
        try:
            attachment = self._house.gate.attach(self._caller(hello))
        except AfreshError as error:
            _LOG.warning("a client's workspace isn't watched: %s", error.message)
            return
        except Exception:  # noqa: BLE001 - the edge; the log has the traceback
            _LOG.exception("a client's workspace isn't watched")
            return
        finally:
            self._doorstep.place()
        with self._guard:
            if not self._closed:
                self._attachment = attachment
                return
        attachment.close()

    # --- the end --------------------------------------------------------------------------------------

    def _part(self, error: AfreshError) -> None:
        """Say why the connection ends. Waits until the client has read it: a reset would take it back."""
        retry = isinstance(error, SteppingDownError | NotBegunError)
        self._outbox.put(encode({"ok": False, "retry": retry, "id": None, "error": error_body(error)}))
        self._outbox.flush(_PARTING_S)
        try:
            self._stream.shutdown(socket.SHUT_WR)
            self._stream.settimeout(_PARTING_S)
            while self._stream.recv(256 * 1024):
                continue
        except OSError:
            return  # It is gone, or it doesn't listen.

    def _close(self) -> None:
        with self._guard:
            self._closed = True
            running = list(self._calls.values())
            attachment, self._attachment = self._attachment, None
        for cancelled in running:
            cancelled.set()
        if self._session is not None:
            self._session.end()
        self._outbox.abandon()
        self._stream.close()
        self._house.left(self)
        if attachment is not None:
            attachment.close()


class SteppingDownError(KeeperUnavailableError):
    """The keeper makes room for one of the client's version: look for that one."""
