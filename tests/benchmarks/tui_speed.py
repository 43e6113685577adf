"""The terminal UI on a real terminal: from its start to the first paint, and from a key to what it paints."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, p50, p95, timed
from tests.benchmarks.recall_speed import fill
from tests.benchmarks.sandboxes import home, texts

from afresh import client as clients
from afresh.text.embedding import load_bundled

STARTS = 11
KEYS = 80
SIZE = 100_000
_QUIET_S = 0.4
"""A terminal on which nothing was painted for so long is at rest."""
_BOUND_S = 60.0


class Terminal:
    """The screens on a terminal of 80 columns and 24 rows."""

    def __init__(self, root: Path, environ: dict[str, str]) -> None:
        self._ours, its = pty.openpty()
        termios.tcsetwinsize(its, (24, 80))
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "afresh", "tui"],
            cwd=root,
            env=environ,
            stdin=its,
            stdout=its,
            stderr=its,
        )
        os.close(its)

    def until(self, text: bytes) -> float:
        """Seconds from the start until a text was painted."""
        read = b""
        while text not in read:
            read += self._read(_BOUND_S)
        return time.perf_counter() - self.began

    def rest(self) -> None:
        """Wait until nothing is painted any more."""
        while select.select([self._ours], [], [], _QUIET_S)[0]:
            self._read(0)

    def paint_after(self, key: bytes) -> float:
        """Seconds from a key until the paint that it brings has come."""
        began = time.perf_counter()
        os.write(self._ours, key)
        self._read(_BOUND_S)
        return time.perf_counter() - began

    def close(self) -> None:
        """Leave, as a person does."""
        os.write(self._ours, b"\x11")
        while self._process.poll() is None:
            if select.select([self._ours], [], [], 0.05)[0]:
                try:
                    os.read(self._ours, 65536)
                except OSError:
                    break
        self._process.wait(30)
        os.close(self._ours)

    def press(self, key: bytes) -> None:
        """Press a key, and wait until nothing is painted any more."""
        os.write(self._ours, key)
        self.rest()

    def _read(self, bound: float) -> bytes:
        assert select.select([self._ours], [], [], bound)[0], "nothing was painted"
        return os.read(self._ours, 1 << 20)


def run(data: Path | None) -> Iterator[Figure]:
    """Starts are processes of their own; keys go to one that lists 100,000 memories and to its box."""
    with (
        tempfile.TemporaryDirectory(prefix="afc-", ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryDirectory(prefix="afw-") as workspace,
        # As in an installation: compiled once.
        home(PYTHONPYCACHEPREFIX=folder, PYTHONDONTWRITEBYTECODE="", TERM="xterm-256color") as settings,
    ):
        root = Path(workspace)
        environ = {**os.environ, "AFRESH_TUI_BLINK": "off", "AFRESH_TUI_LIVE": "off"}
        environ.pop("NO_COLOR", None)
        bare = timed(lambda: subprocess.run([sys.executable, "-P", "-c", ""], check=True), STARTS)
        starts = []
        for _ in range(STARTS):
            terminal = Terminal(root, environ)
            starts.append(terminal.until(b"Iterations"))
            terminal.close()
        yield Figure("an interpreter that does nothing, p50", 1000 * p50(bare), "ms")
        # The first one compiled.
        yield Figure("start to first paint, p50", 1000 * p50(starts[1:]), "ms", 700)
        embedder = load_bundled(settings.models)
        corpus = texts(SIZE)
        fill(settings, corpus, embedder.model_id, embedder.dim)
        with clients.connect(settings, cwd=root, client="bench", kind="cli") as client:
            client.call("index", {"path": str(root), "project": "bench"})
            client.call("embed", {})
            client.call("recall", {"query": "warm", "project": "bench"})
        terminal = Terminal(root, environ)
        try:
            yield from _keys(terminal)
        finally:
            terminal.close()


def _keys(terminal: Terminal) -> Iterator[Figure]:
    terminal.until(b"100,000 memories")
    terminal.rest()
    word = b"invoice ledger cache retry "
    typed = [terminal.paint_after(word[n % len(word) : n % len(word) + 1]) for n in range(KEYS)]
    terminal.press(b"\x15")
    terminal.press(b"\r")
    # Down, a page down, up, a page up: each of them moves, and the four end where they began.
    moves = (b"\x1b[B", b"\x1b[6~", b"\x1b[A", b"\x1b[5~")
    moved = []
    for n in range(KEYS):
        terminal.rest()
        moved.append(terminal.paint_after(moves[n % 4]))
    jumped = []
    for n in range(20):
        terminal.rest()
        jumped.append(terminal.paint_after((b"\x1b[F", b"\x1b[H")[n % 2]))
    yield Figure(f"a letter typed to its paint, {SIZE:,} memories, p50", 1000 * p50(typed), "ms")
    yield Figure(f"a letter typed to its paint, {SIZE:,} memories, p95", 1000 * p95(typed), "ms", 50)
    yield Figure("an arrow or a page in the list to its paint, p95", 1000 * p95(moved), "ms", 50)
    yield Figure("from the first memory to the last and back, p95", 1000 * p95(jumped), "ms", 50)
