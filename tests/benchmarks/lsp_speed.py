"""The language server: its first answer, diagnostics after an edit of a long file, and many open files."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
from tests.benchmarks.figures import Figure, p50, p95, timed
from tests.benchmarks.sandboxes import home

from afresh import client as clients
from afresh.settings import Settings

RUNS = 15
EDITS = 40
LINES = 5_000
FILES = 200
ROUNDS = 5
_SERVER = (sys.executable, "-P", "-m", "afresh", "lsp")
_VERSION = (sys.executable, "-P", "-m", "afresh", "--version")
_MEGABYTE = 1024 * 1024


class Editor:
    """A client of the server that sends what it has and waits for what it needs."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(_SERVER, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._last = 0

    def send(self, method: str, params: object, *, asks: bool = False) -> int:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if asks:
            self._last += 1
            message["id"] = self._last
        body = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()
        return self._last

    def until(self, wanted: Callable[[Mapping[str, Any]], bool]) -> Mapping[str, Any]:
        """The next message of that kind."""
        assert self.process.stdout is not None
        while True:
            length = int(self.process.stdout.readline().partition(b":")[2])
            while self.process.stdout.readline().strip():
                continue
            message: dict[str, Any] = json.loads(self.process.stdout.read(length))
            if wanted(message):
                return message

    def ask(self, method: str, params: object) -> Any:
        number = self.send(method, params, asks=True)
        return self.until(lambda message: message.get("id") == number and "method" not in message)["result"]

    def initialize(self, folder: Path) -> None:
        folders = [{"uri": folder.as_uri(), "name": folder.name}]
        self.ask("initialize", {"processId": None, "capabilities": {}, "workspaceFolders": folders})

    def open(self, uri: str, text: str) -> None:
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        self.send("textDocument/didOpen", {"textDocument": item})

    def change(self, uri: str, version: int, text: str) -> None:
        document = {"uri": uri, "version": version}
        self.send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def published(self, uri: str, version: int) -> Mapping[str, Any]:
        """The diagnostics of a version of a text."""
        return self.until(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics"
                and message["params"]["uri"] == uri
                and message["params"].get("version") == version
            )
        )

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=30)


def run(_data: Path | None = None) -> Iterator[Figure]:
    """Measure in a data folder of its own."""
    with tempfile.TemporaryDirectory() as temporary, home() as settings:
        folder = Path(temporary).resolve() / "shop"
        folder.mkdir()
        yield from _first_answer(folder)
        yield from _edits(folder, settings)


def _first_answer(folder: Path) -> Iterator[Figure]:
    def once() -> None:
        editor = Editor(folder)
        editor.initialize(folder)
        times.append(time.perf_counter() - started[0])
        spent = psutil.Process(editor.process.pid).cpu_times()
        work.append(spent.user + spent.system)
        editor.process.kill()
        editor.process.wait()
        for stream in (editor.process.stdin, editor.process.stdout):
            assert stream is not None
            stream.close()

    version = p50(timed(lambda: subprocess.run(_VERSION, check=True, capture_output=True), RUNS))
    times: list[float] = []
    work: list[float] = []
    started = [0.0]
    for _ in range(RUNS + 1):
        started[0] = time.perf_counter()
        once()
    note = f"`afresh --version` took {version * 1000:.0f} ms here"
    yield Figure("`afresh lsp` from spawn to initialize, p50", p50(times[1:]) * 1000, "ms", 400, note)
    yield Figure("processor time of that", p50(work[1:]) * 1000, "ms", 400, "what a quiet machine waits")
    yield Figure("the same, over `afresh --version`", p50(times[1:]) / version, "x")


def _edits(folder: Path, settings: Settings) -> Iterator[Figure]:
    long = "".join(f"def f{n}(a, b):\n    c = a + b * {n}\n    return c\n\n\n" for n in range(LINES // 5))
    (folder / "long.py").write_text(long, encoding="utf-8")
    for number in range(FILES):
        (folder / f"m{number}.py").write_text(_module(number, 0), encoding="utf-8")
    with clients.connect(settings, cwd=folder, client="bench", kind="cli") as keeper:
        keeper.call("index", {"path": str(folder)})
        cited = [{"path": "long.py", "symbol": f"f{n}"} for n in range(0, LINES // 5, 100)]
        _record(keeper, "What do they add?", cited)
        for number in range(FILES):
            _record(keeper, f"What does m{number} do?", [{"path": f"m{number}.py", "symbol": "run"}])
        pid = keeper.keeper_pid
    editor = Editor(folder)
    editor.initialize(folder)
    editor.send("initialized", {})
    uri = (folder / "long.py").as_uri()
    editor.open(uri, long)
    editor.published(uri, 1)
    taken: list[float] = []
    for number in range(1, EDITS + 1):
        text = f"# {number}\n" + long.replace("c = a + b * 500\n", f"c = a - b * {number}\n")
        began = time.perf_counter()
        editor.change(uri, number + 1, text)
        found = editor.published(uri, number + 1)["params"]["diagnostics"]
        taken.append(time.perf_counter() - began)
        assert any(one["range"]["start"]["line"] == 2502 for one in found), found
    what = f"diagnostics after an edit, {LINES:,} lines, the pause of 80 ms included"
    yield Figure(f"{what}: p50", p50(taken) * 1000, "ms", 300)
    yield Figure(f"{what}: p95", p95(taken) * 1000, "ms")
    yield from _many(editor, folder, pid)
    editor.end()


def _many(editor: Editor, folder: Path, pid: int | None) -> Iterator[Figure]:
    uris = [(folder / f"m{number}.py").as_uri() for number in range(FILES)]
    server = psutil.Process(editor.process.pid)
    keeper = psutil.Process(pid)
    for number, uri in enumerate(uris):
        editor.open(uri, _module(number, 0))
        editor.published(uri, 1)
    sizes: list[tuple[int, int]] = []
    for turn in range(1, ROUNDS + 1):
        for number, uri in enumerate(uris):
            editor.change(uri, turn + 1, _module(number, turn))
            editor.published(uri, turn + 1)
        sizes.append((server.memory_info().rss, keeper.memory_info().rss))
    grown = [(last - first) / _MEGABYTE for first, last in zip(sizes[0], sizes[-1], strict=True)]
    edits = FILES * (ROUNDS - 1)
    yield Figure(f"server with {FILES} open files, resident", sizes[-1][0] / _MEGABYTE, "MB")
    yield Figure(f"growth of the server over {edits} further edits of them", grown[0], "MB", 4)
    yield Figure("growth of the keeper meanwhile", grown[1], "MB")


def _module(number: int, turn: int) -> str:
    return f"def run(a):\n    return a + {number} * {turn}\n\n\ndef rest():\n    return {number}\n"


def _record(keeper: clients.Client, question: str, cited: list[dict[str, str]]) -> None:
    keeper.call(
        "memory_exploration_record",
        {"question": question, "conclusion": "It adds.", "project": "shop", "files": cited},
    )
