"""What is said over a connection: JSON lines in UTF-8.

The client's first line is a `Hello`; the keeper answers it with one line. Then, in mode `rpc`:

    -> {"id": 1, "verb": "recall", "arguments": {…}}        a call; many may be in flight
    <- {"id": 1, "event": {…}}                              any number
    <- {"id": 1, "result": {…}}                             one of these two ends it
    <- {"id": 1, "error": {"kind": …, "message": …}}
    -> {"id": 1, "cancel": true}                            takes a call back

and in mode `mcp` the lines of the Model Context Protocol, both ways. An error whose `ran` is false says that
the call was not begun, so that it may be sent again to the next keeper.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from afresh.errors import BY_KIND, AfreshError, InvalidArgumentError, UsageError

if TYPE_CHECKING:
    import socket

PROTOCOL = 1
"""The version of this page."""
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one line; a longer one is refused, and with it the connection."""
_CHUNK = 256 * 1024


class Hello(NamedTuple):
    """Who connects, and what for."""

    mode: Literal["rpc", "mcp"]
    version: str
    """Of afresh on the client's side; a keeper of another version steps down or says so."""
    cwd: str | None
    client: str
    kind: Literal["agent", "cli"]
    attach: bool = False
    """Whether the client works in its `cwd`, which is then watched as long as it is connected."""
    control: bool = False
    """Only asks after the keeper or stops it; served whatever its version."""
    token: str = ""

    def line(self) -> bytes:
        """The first line of a connection."""
        return encode(
            {
                "afresh": PROTOCOL,
                "mode": self.mode,
                "version": self.version,
                "cwd": self.cwd,
                "client": self.client,
                "kind": self.kind,
                "attach": self.attach,
                "control": self.control,
                "token": self.token,
            }
        )

    @classmethod
    def parse(cls, line: bytes) -> Hello:
        """Read a first line. Raises UsageError for one that isn't a hello of this protocol."""
        try:
            sent = json.loads(line)
        except (ValueError, RecursionError):
            sent = None
        if not isinstance(sent, dict) or sent.get("afresh") != PROTOCOL:
            raise UsageError(
                f"not a hello of protocol {PROTOCOL}: {shown(line)}; connect with afresh's client"
            )
        mode, kind, cwd = sent.get("mode"), sent.get("kind"), sent.get("cwd")
        if mode not in ("rpc", "mcp") or kind not in ("agent", "cli") or not isinstance(cwd, str | None):
            raise UsageError(f"a hello with values that this keeper doesn't know: {shown(line)}")
        return cls(
            mode=mode,
            version=str(sent.get("version", "")),
            cwd=cwd,
            client=str(sent.get("client", "unknown"))[:200],
            kind=kind,
            attach=sent.get("attach") is True,
            control=sent.get("control") is True,
            token=str(sent.get("token", "")),
        )


class Lines:
    """Cuts a stream of bytes into lines."""

    def __init__(self, longest: int = LONGEST_LINE) -> None:
        self._longest = longest
        self._parts: list[bytes] = []
        self._held = 0

    def feed(self, data: bytes) -> list[bytes | None]:
        """The lines that `data` completes, without their ends; None stands for one that is too long.

        A line that is too long is not kept, so that its sender can't fill the memory.
        """
        *complete, rest = data.split(b"\n")
        lines: list[bytes | None] = [line if len(line) <= self._longest else None for line in complete]
        if lines and self._held:
            fits = self._held + len(complete[0]) <= self._longest
            lines[0] = b"".join([*self._parts, complete[0]]) if fits else None
            self._parts.clear()
            self._held = 0
        if rest:
            self._held += len(rest)
            if self._held <= self._longest:
                self._parts.append(rest)
            else:
                self._parts.clear()
        return lines


class LineStream:
    """The lines that come in over a socket."""

    def __init__(self, stream: socket.socket, longest: int = LONGEST_LINE) -> None:
        self._stream = stream
        self._longest = longest
        self._lines = Lines(longest)
        self._ready: deque[bytes | None] = deque()

    def __iter__(self) -> Iterator[bytes]:
        """Yield lines until the other side ends; may be taken up again after a break.

        Raises OSError for a connection that broke, TimeoutError included, and InvalidArgumentError for a
        line that is too long.
        """
        while True:
            while self._ready:
                yield self._checked(self._ready.popleft())
            data = self._stream.recv(_CHUNK)
            if not data:
                return
            self._ready.extend(self._lines.feed(data))

    def has_lines(self) -> bool:
        """Whether a line is here already, so that waiting for the socket would be in vain."""
        return bool(self._ready)

    def take(self) -> list[bytes]:
        """Receive once: the lines that are complete now, maybe none.

        Raises EOFError at the end, else as iterating does.
        """
        if not self._ready:
            data = self._stream.recv(_CHUNK)
            if not data:
                raise EOFError
            self._ready.extend(self._lines.feed(data))
        lines = [self._checked(line) for line in self._ready]
        self._ready.clear()
        return lines

    def _checked(self, line: bytes | None) -> bytes:
        if line is None:
            raise too_long(self._longest)
        return line


def encode(message: Mapping[str, Any]) -> bytes:
    """One line."""
    try:
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        # A path that isn't UTF-8 holds half characters; as escapes they arrive unharmed.
        return json.dumps(message, separators=(",", ":")).encode("utf-8") + b"\n"


def error_body(error: AfreshError) -> dict[str, Any]:
    """An error as it travels."""
    return {"kind": error.kind, "message": error.message}


def error_from(body: object) -> AfreshError:
    """The error that travelled, of its own class where this side knows it."""
    if not isinstance(body, dict):
        return AfreshError(
            f"the keeper answered with an error that can't be read: {shown(repr(body).encode())}"
        )
    return BY_KIND.get(str(body.get("kind")), AfreshError)(str(body.get("message", "unknown error")))


def too_long(longest: int) -> InvalidArgumentError:
    """The error for a line beyond the bound."""
    return InvalidArgumentError(
        f"one message may have {longest:,} bytes and this one has more; send the content in smaller parts"
    )


def shown(line: bytes, length: int = 60) -> str:
    """The start of a line, fit for an error's text."""
    text = line[:length].decode("utf-8", "replace")
    return repr(text) + ("…" if len(line) > length else "")


def message_of(line: bytes) -> Mapping[str, Any]:
    """The JSON-RPC message in a line; an empty one where it holds none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def id_of(message: Mapping[str, Any]) -> Hashable:
    """The id of a JSON-RPC message, telling 1 from "1"; None for a message without."""
    number = message.get("id")
    return (type(number).__name__, number) if isinstance(number, str | int) else None
