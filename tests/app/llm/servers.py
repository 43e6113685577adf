"""A small server that speaks Ollama's and OpenAI's protocols, well or badly."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Fake:
    """What the server does with each request, in turn; the last one stays."""

    def __init__(self, *answers: Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]) -> None:
        self._answers = list(answers)
        self._guard = threading.Lock()
        self.asked: list[dict[str, Any]] = []
        self.arrived = threading.Event()
        self.hung_up = threading.Event()
        """Set when a client closed its connection before it had its answer."""
        self.host = ""

    def next(self, body: dict[str, Any]) -> Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]:
        with self._guard:
            self.asked.append(body)
            self.arrived.set()
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def says(text: str, *, done_reason: str = "stop") -> Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]:
    """A well-formed answer in the protocol of the path."""

    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if handler.path == "/api/chat":
            message = {"role": "assistant", "content": text}
            send(
                handler,
                200,
                {"model": body["model"], "message": message, "done": True, "done_reason": done_reason},
            )
            return
        reason = "length" if done_reason == "length" else "stop"
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
        send(
            handler,
            200,
            {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": body["model"],
                "choices": [choice],
            },
        )

    return answer


def fails(status: int, error: str) -> Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]:
    """An error of the server."""

    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        send(handler, status, {"error": error})

    return answer


def drops(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """The connection ends in the middle of an answer."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"message": {"content": "half')
    handler.close_connection = True


def rambles(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Talk without end about nothing; the server cuts it off at the limit of the request, as Ollama does."""
    words = ["Well,"] * int(body["options"]["num_predict"])
    says(" ".join(words), done_reason="length")(handler, body)


def drips(fake: Fake) -> Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]:
    """An answer that comes drop by drop and never ends, until the client hangs up."""

    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        try:
            while not fake.hung_up.wait(0.02):
                handler.wfile.write(b" ")
                handler.wfile.flush()
        except OSError:
            fake.hung_up.set()

    return answer


def waits(fake: Fake, seconds: float = 30.0) -> Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]:
    """Silence, until the client hangs up or the time is over."""

    def answer(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        handler.connection.settimeout(seconds)
        try:
            if handler.connection.recv(1) == b"":
                fake.hung_up.set()
        except OSError:
            fake.hung_up.set()

    return answer


def send(handler: BaseHTTPRequestHandler, status: int, body: dict[str, Any]) -> None:
    data = json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


@contextmanager
def serving(fake: Fake) -> Iterator[Fake]:
    """The server on a free port of the loopback, for the block."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            send(self, 200, {"version": "0"})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
            fake.next(body)(self, body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    fake.host = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
