"""The answer to `initialize`, given before the protocol's types are loaded.

These are some seven hundred classes, which take longer to make than an editor should wait for its first
answer. What this server can hardly depends on the client, so that the answer is kept as JSON; the request is
then given to the server as well, and its own answer, which is the same, is not sent a second time.

`python -m afresh_lsp.early` writes the JSON anew; a test holds it equal to what the server says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

KEPT = Path(__file__).with_suffix(".json")
_LENGTH = re.compile(rb"content-length:\s*(\d+)", re.IGNORECASE)
_ENCODINGS = ("utf-8", "utf-16", "utf-32")
_LONGEST = 64 * 1024 * 1024


def answer(params: Mapping[str, Any], version: str) -> dict[str, Any]:
    """The result of `initialize` for what a client says of itself."""
    result: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    result["serverInfo"]["version"] = version
    can = params.get("capabilities")
    wanted = _within(can, "general", "positionEncodings")
    offered = [one for one in wanted if one in _ENCODINGS] if isinstance(wanted, list) else []
    result["capabilities"]["positionEncoding"] = offered[0] if offered else "utf-16"
    if _within(can, "workspace", "textDocumentContent") is None:
        del result["capabilities"]["workspace"]["textDocumentContent"]
    return result


def _within(found: object, *names: str) -> object:
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


class Front:
    """Standard input and output of a server whose first request is answered here."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO, version: str) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._version = version
        self._ahead = b""
        """What was read and the server has not."""
        self._answered: object = None
        """The id of the request that was answered here."""

    def begin(self) -> None:
        """Read the first message, and answer it if it is `initialize`."""
        header: list[bytes] = []
        while line := self._stdin.readline():
            header.append(line)
            if not line.strip():
                break
        self._ahead = b"".join(header)
        found = _LENGTH.search(self._ahead)
        if found is None or int(found.group(1)) > _LONGEST:
            return
        body = self._stdin.read(int(found.group(1)))
        self._ahead += body
        try:
            message = json.loads(body)
        except ValueError:
            return
        if (
            not isinstance(message, dict)
            or message.get("method") != "initialize"
            or message.get("id") is None
        ):
            return
        params = message.get("params")
        if isinstance(params, dict) and isinstance(params.get("capabilities"), dict):
            result = answer(params, self._version)
            self._answered = message["id"]
            self._send({"jsonrpc": "2.0", "id": self._answered, "result": result})

    # --- as the server's standard input ---------------------------------------------------------------

    def readline(self) -> bytes:
        if not self._ahead:
            return self._stdin.readline()
        line, mark, self._ahead = self._ahead.partition(b"\n")
        return line + mark

    def read(self, size: int) -> bytes:
        if not self._ahead:
            return self._stdin.read(size)
        taken, self._ahead = self._ahead[:size], self._ahead[size:]
        return taken if len(taken) == size else taken + self._stdin.read(size - len(taken))

    # --- as its standard output -----------------------------------------------------------------------

    def write(self, data: bytes) -> int:
        if self._answered is not None and self._is_the_answer(data):
            self._answered = None
            return len(data)
        return self._stdout.write(data)

    def flush(self) -> None:
        self._stdout.flush()

    def close(self) -> None:
        self._stdout.close()

    def _is_the_answer(self, data: bytes) -> bool:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        return "method" not in message and message.get("id") == self._answered

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps(message, separators=(",", ":")).encode()
        self._stdout.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._stdout.flush()


def _write() -> None:
    """Ask a server what it can for a client that can everything that matters, and keep that."""
    from afresh_lsp.rehearsal import initialized

    result = initialized({"workspace": {"textDocumentContent": {}}})
    result["serverInfo"]["version"] = ""
    text = json.dumps(result, ensure_ascii=False, indent=1, sort_keys=True)
    KEPT.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    _write()
