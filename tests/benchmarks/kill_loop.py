"""A hundred `kill -9` of the keeper in the middle of four clients' streams of saves: what was lost."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from tests.benchmarks.figures import Figure
from tests.benchmarks.sandboxes import home

from afresh import client as clients
from afresh.settings import Settings

KILLS = 100
CLIENTS = 4
_INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "kills", "version": "1"},
}


def run(data: Path | None) -> Iterator[Figure]:
    """Each client saves over `afresh mcp`, never restarted; what isn't acknowledged is saved again."""
    with home() as settings:
        chance = random.Random(42)
        streams = [_Stream(settings, n) for n in range(CLIENTS)]
        for stream in streams:
            stream.start()
        for stream in streams:
            stream.first.wait(timeout=60)
        for _ in range(KILLS):
            before = sum(len(stream.acknowledged) for stream in streams)
            deadline = time.monotonic() + 60
            while sum(len(s.acknowledged) for s in streams) < before + 3 and time.monotonic() < deadline:
                time.sleep(0.005)
            time.sleep(chance.random() * 0.05)
            _kill(settings)
        for stream in streams:
            stream.stop.set()
        for stream in streams:
            stream.join(timeout=120)
        ids = {id_: text for stream in streams for id_, text in stream.acknowledged}
        lost = 0
        with clients.connect(settings, cwd=settings.home, client="kills", kind="cli") as client:
            wanted = sorted(ids)
            for start in range(0, len(wanted), 50):
                part = wanted[start : start + 50]
                found = client.call("memory_get", {"ids": part})["memories"]
                kept = {memory["id"]: memory["content"] for memory in found}
                lost += sum(kept.get(id_) != ids[id_] for id_ in part)
        yield Figure(f"acknowledged saves lost in {KILLS} kills, {len(ids):,} saves", lost, "saves", 0)
        yield Figure(
            "clients that had to be restarted", sum(s.failed is not None for s in streams), "clients", 0
        )
        yield Figure("keepers afterwards", len(list(_keepers(settings))), "processes", 1)
        yield Figure("saves that were answered with `try again`", sum(s.retried for s in streams), "saves")


class _Stream(threading.Thread):
    """One agent that saves without pause."""

    def __init__(self, settings: Settings, number: int) -> None:
        super().__init__(daemon=True)
        self._settings = settings
        self._number = number
        self.acknowledged: list[tuple[int, str]] = []
        self.retried = 0
        self.failed: BaseException | None = None
        self.first = threading.Event()
        self.stop = threading.Event()

    def run(self) -> None:
        command = [str(Path(sys.executable).parent / "afresh"), "mcp"]
        pump = subprocess.Popen(
            command,
            cwd=self._settings.home.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(os.environ),
        )
        try:
            self._save_until_stopped(pump)
        except (OSError, ValueError, KeyError) as error:
            self.failed = error
        finally:
            assert pump.stdin is not None
            pump.stdin.close()
            pump.wait(timeout=60)

    def _save_until_stopped(self, pump: subprocess.Popen[bytes]) -> None:
        exchange = _Exchange(pump)
        exchange.ask("initialize", _INITIALIZE)
        exchange.tell("notifications/initialized")
        number = 0
        while not self.stop.is_set():
            text = f"Client {self._number} noted fact {number}: {random.Random(number).random()}"
            arguments = {"content": text, "project": "kills"}
            answer = exchange.ask("tools/call", {"name": "memory_save", "arguments": arguments})
            result = answer.get("result")
            if result is None or result.get("isError"):
                self.retried += 1
                continue
            self.acknowledged.append((result["structuredContent"]["id"], text))
            self.first.set()
            number += 1


class _Exchange:
    """JSON-RPC over a pump's pipes, one request at a time."""

    def __init__(self, pump: subprocess.Popen[bytes]) -> None:
        assert pump.stdin is not None and pump.stdout is not None
        self._in, self._out = pump.stdin, pump.stdout
        self._id = 0

    def tell(self, method: str) -> None:
        self._send({"jsonrpc": "2.0", "method": method})

    def ask(self, method: str, params: dict[str, object]) -> dict[str, dict[str, object]]:
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        while True:
            line = self._out.readline()
            if not line:
                raise OSError("the pump ended")
            message = json.loads(line)
            if message.get("id") == self._id:
                return message

    def _send(self, message: dict[str, object]) -> None:
        self._in.write(json.dumps(message).encode() + b"\n")
        self._in.flush()


def _keepers(settings: Settings) -> Iterator[psutil.Process]:
    for process in psutil.process_iter():
        try:
            if process.cmdline()[-2:] == ["keeper", "run"] and process.environ().get("AFRESH_HOME") == str(
                settings.home
            ):
                yield process
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue


def _kill(settings: Settings) -> None:
    for process in list(_keepers(settings)):
        process.kill()
        process.wait(timeout=10)
