"""From the start of `afresh mcp` to its first answers, what the pump adds to a call, and who is elected."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from tests.benchmarks.figures import Figure, p50, p95, timed
from tests.benchmarks.sandboxes import home, texts

from afresh import client as clients
from afresh.keeper.local import open_local
from afresh.settings import Settings

RUNS = 25
_PUMP = (sys.executable, "-P", "-m", "afresh", "mcp")
_INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Agent:
    """A client of the pump that sends what it has and waits for what it needs."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            _PUMP, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self._last = 0

    def send(self, *messages: tuple[str, Any]) -> list[int]:
        """Requests, and notifications where the method says so, in one write; the requests' ids."""
        assert self.process.stdin is not None
        lines, numbers = [], []
        for method, params in messages:
            message = {"jsonrpc": "2.0", "method": method, "params": params}
            if not method.startswith("notifications/"):
                self._last += 1
                numbers.append(self._last)
                message["id"] = self._last
            lines.append(json.dumps(message).encode() + b"\n")
        self.process.stdin.write(b"".join(lines))
        return numbers

    def wait(self, numbers: Sequence[int]) -> list[Any]:
        assert self.process.stdout is not None
        missing, answers = set(numbers), []
        while missing:
            answer = json.loads(self.process.stdout.readline())
            if "method" in answer:
                continue  # Told without being asked.
            assert "result" in answer, answer
            missing.discard(answer.get("id"))
            answers.append(answer["result"])
        return answers

    def ask(self, method: str, params: Any) -> Any:
        return self.wait(self.send((method, params)))[0]

    def close(self) -> None:
        self.process.communicate(timeout=30)


def run(data: Path | None) -> Iterator[Figure]:
    """Milliseconds and counts; each start is a process of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="afc-", ignore_cleanup_errors=True) as folder,
        tempfile.TemporaryDirectory(prefix="afw-") as workspace,
    ):
        # As in an installation: compiled once. Also where this run's environment says not to.
        compiled = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        where = Path(workspace)
        with home(**compiled) as settings:
            bare = timed(lambda: subprocess.run([sys.executable, "-P", "-c", ""], check=True), RUNS)
            yield Figure("an interpreter that does nothing, p50", 1000 * p50(bare), "ms")
            yield from _running(settings, where)
            yield from _through_the_pump(settings, where)
        yield from _cold(compiled, where)
        with home(**compiled) as settings:
            yield from _elections(settings)
        with home(**compiled) as settings:
            yield from _kills(settings)


def _running(settings: Settings, folder: Path) -> Iterator[Figure]:
    with clients.connect(settings, cwd=folder, client="bench", kind="cli") as client:
        client.call("projects", {})
        taken = []
        for _ in range(RUNS):
            started = time.perf_counter()
            agent = Agent(folder)
            agent.ask("initialize", _INITIALIZE)
            taken.append(time.perf_counter() - started)
            agent.close()
    yield Figure("spawn to the first answer, keeper running, p50", 1000 * p50(taken), "ms", 80)
    yield Figure("the same, p95", 1000 * p95(taken), "ms")


def _through_the_pump(settings: Settings, folder: Path) -> Iterator[Figure]:
    arguments = {"ids": [1]}
    note = {"content": texts(1)[0], "project": "bench"}
    with home() as apart, open_local(apart, cwd=folder, client="bench", kind="cli") as host:
        from afresh.engine.calls import Call

        call = Call(caller=host.caller)
        host.service.call("memory_save", note, call)
        inside = timed(lambda: host.service.call("memory_get", arguments, call), 300, warm=20)
    agent = Agent(folder)
    agent.ask("initialize", _INITIALIZE)
    agent.send(("notifications/initialized", {}))
    agent.ask("tools/call", {"name": "memory_save", "arguments": note})
    ask = {"name": "memory_get", "arguments": arguments}
    outside = timed(lambda: agent.ask("tools/call", ask), 300, warm=20)
    agent.close()
    yield Figure("a call inside the keeper, p50", 1000 * p50(inside), "ms")
    yield Figure("what the pump and the session add, p50", 1000 * (p50(outside) - p50(inside)), "ms", 2)
    with clients.connect(settings, cwd=folder, client="bench", kind="cli") as client:
        direct = timed(lambda: client.call("memory_get", arguments), 300, warm=20)
    yield Figure("what the client's connection adds, p50", 1000 * (p50(direct) - p50(inside)), "ms")


def _cold(compiled: dict[str, str], folder: Path) -> Iterator[Figure]:
    listed, recalled = [], []
    for number in range(RUNS + 1):
        with home(**compiled):
            started = time.perf_counter()
            agent = Agent(folder)
            agent.wait(agent.send(("initialize", _INITIALIZE), ("tools/list", {})))
            first = time.perf_counter() - started
            agent.send(("notifications/initialized", {}))
            agent.ask(
                "tools/call", {"name": "recall", "arguments": {"query": "how do locks work", "project": "%"}}
            )
            if number:
                listed.append(first)
                recalled.append(time.perf_counter() - started)
            agent.close()
    yield Figure("spawn to initialize and tools/list, no keeper, p50", 1000 * p50(listed), "ms", 300)
    yield Figure("the same, p95", 1000 * p95(listed), "ms")
    yield Figure("spawn to the first recall, no keeper, p50", 1000 * p50(recalled), "ms", 1500)
    yield Figure("the same, p95", 1000 * p95(recalled), "ms")


def _elections(settings: Settings) -> Iterator[Figure]:
    script = (
        "import sys\n"
        "from afresh.client import connect\n"
        "from afresh.settings import load\n"
        "client = connect(load(), cwd=None, client='bench', kind='cli')\n"
        "print(client.call('keeper_status', {})['pid'], flush=True)\n"
        "sys.stdin.read()\n"
    )
    started = time.perf_counter()
    processes = [
        subprocess.Popen([sys.executable, "-P", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(50)
    ]
    pids = {int(process.stdout.readline()) for process in processes if process.stdout is not None}
    taken = time.perf_counter() - started
    running = _keepers(settings)
    for process in processes:
        process.communicate(timeout=60)
    yield Figure("keepers after 50 clients started at once", len(pids | running), "", 1)
    yield Figure("until all 50 were answered", 1000 * taken, "ms")


def _kills(settings: Settings) -> Iterator[Figure]:
    acknowledged: list[int] = []
    contents = iter(texts(10_000))
    kills = 40
    with clients.connect(settings, cwd=Path.cwd(), client="bench", kind="cli") as client:
        for round_ in range(kills):
            for _ in range(round_ % 7 + 1):
                # The connection may not have noticed yet that its keeper was killed.
                with suppress(clients.KeeperLostError):
                    saved = client.call("memory_save", {"content": next(contents), "project": "kills"})
                    acknowledged.append(saved["id"])
            with suppress(psutil.NoSuchProcess):
                psutil.Process(client.keeper_pid).kill()
        lost = 0
        for start in range(0, len(acknowledged), 50):
            asked = {"ids": acknowledged[start : start + 50]}
            lost += len(client.call("memory_get", asked)["missing"])
    yield Figure(f"saves lost of {len(acknowledged)} acknowledged, after {kills} kills", lost, "", 0)


def _keepers(settings: Settings) -> set[int]:
    found = set()
    for process in psutil.process_iter():
        try:
            words, environment = process.cmdline(), process.environ()
        except psutil.Error:
            continue
        if words[-2:] == ["keeper", "run"] and environment.get("AFRESH_HOME") == os.fspath(settings.home):
            found.add(process.pid)
    return found
