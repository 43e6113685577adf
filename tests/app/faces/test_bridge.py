"""The pump as agents start it: a real process, real keepers over a service of the tests' own, raw lines."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.app.conftest import keepers_of
from tests.app.keeper import double
from tests.app.keeper.double import BOUND, eventually

from afresh import settings
from afresh.faces import bridge
from afresh.keeper import connect, election, spawn
from afresh.keeper.wire import Hello
from afresh.settings import Settings

HELLO = Hello(mode="mcp", version="1", cwd="/", client="mcp", kind="agent")

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "agent", "version": "1"},
}


class Agent:
    """The other end of a pump's pipes."""

    def __init__(self, settings: Settings, *, modern: bool = False) -> None:
        self.modern = modern
        self.settings = settings
        self.process = subprocess.Popen(
            [sys.executable, "-P", double.__file__, "afresh", "mcp"],
            env=spawn.keeper_environment(settings, os.environ),
            cwd=settings.runtime,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.came: queue.Queue[Any] = queue.Queue()
        self._last = 0
        self._seen: list[Any] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.came.put(json.loads(line))
        self.came.put(None)

    def send(self, message: Any) -> None:
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        self._last += 1
        sent = {**(params or {}), **({"_meta": META} if self.modern else {})}
        self.send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": sent})
        return self._last

    def tool(self, what: str, name: str = "recall") -> int:
        return self.request("tools/call", {"name": name, "arguments": {"query": what}})

    def next(self) -> Any:
        return self.came.get(timeout=BOUND)

    def answer(self, number: int) -> dict[str, Any]:
        message = self.next()
        assert message["id"] == number, message
        assert isinstance(message, dict)
        return message

    def open(self, *, live: bool = True) -> None:
        """Begin as a client of this era does, and wait for the real session unless that doesn't matter."""
        if self.modern:
            assert "result" in self.answer(self.request("server/discover"))
        else:
            assert "result" in self.answer(self.request("initialize", INITIALIZE))
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert not live or self.pid() > 0

    def pid(self) -> int:
        """Which keeper answers."""
        return int(self.answer(self.tool("echo"))["result"]["structuredContent"]["pid"])

    def kill_keeper(self) -> None:
        (keeper,) = keepers_of(self.settings.home)
        keeper.kill()
        keeper.wait(BOUND)

    def end(self) -> tuple[int, str]:
        """Close the input; the exit code, and what was said on standard error."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        code = self.process.wait(BOUND)
        return code, self.process.stderr.read().decode()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(BOUND)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                continue


@pytest.fixture(params=["handshake", "modern"])
def agent(sandbox: Settings, request: pytest.FixtureRequest) -> Iterator[Agent]:
    opened = Agent(sandbox, modern=request.param == "modern")
    yield opened
    opened.close()


@pytest.fixture
def legacy(sandbox: Settings) -> Iterator[Agent]:
    opened = Agent(sandbox)
    yield opened
    opened.close()


def test_an_agent_is_served_from_its_first_line_on(agent: Agent) -> None:
    agent.open()
    tools = agent.answer(agent.request("tools/list"))["result"]["tools"]
    assert "recall" in {tool["name"] for tool in tools}
    content = agent.answer(agent.tool("echo"))["result"]["structuredContent"]
    assert content["cwd"] == str(agent.settings.runtime)
    assert content["kind"] == "agent"
    assert content["attached"] == [str(agent.settings.runtime)]
    assert agent.end() == (0, "")


def test_over_tcp_it_is_the_same(either: Settings) -> None:
    agent = Agent(either)
    agent.open()
    assert agent.end() == (0, "")
    agent.close()


def test_the_first_answers_do_not_wait_for_the_service_nor_come_twice(agent: Agent) -> None:
    (agent.settings.home / "open-late").touch()
    if agent.modern:
        first = agent.request("server/discover")
    else:
        first = agent.request("initialize", INITIALIZE)
        agent.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    listed = agent.request("tools/list")
    called = agent.tool("echo")
    assert "result" in agent.answer(first)
    assert agent.answer(listed)["result"]["tools"]
    (agent.settings.home / "open-now").touch()
    assert agent.answer(called)["result"]["structuredContent"]["verb"] == "recall"
    # Had the session's own answers been passed on, they would stand before this one.
    assert "result" in agent.answer(agent.request("tools/list"))


def test_calls_in_flight_when_the_keeper_dies_are_answered_with_try_again(agent: Agent) -> None:
    agent.open()
    before = agent.pid()
    held = [agent.tool("hold"), agent.tool("hold")]
    eventually((agent.settings.home / "began").exists)
    agent.kill_keeper()
    for number in held:
        error = agent.answer(number)["error"]
        assert error["code"] == -32000
        assert error["data"] == {"retry": True}
        assert "try again" in error["message"]
    after = agent.pid()
    assert after != before
    assert agent.end() == (0, "")


def test_the_conversation_goes_on_at_every_new_keeper(agent: Agent) -> None:
    agent.open()
    pids = {agent.pid()}
    for _ in range(2):
        agent.kill_keeper()
        pids.add(agent.pid())
    assert len(pids) == 3
    assert agent.end() == (0, "")


def test_lines_sent_while_there_is_no_keeper_are_held_in_order(legacy: Agent) -> None:
    legacy.open()
    (legacy.settings.home / "open-late").touch()
    legacy.kill_keeper()
    numbers = [legacy.request("ping") for _ in range(20)]
    (legacy.settings.home / "open-now").touch()
    answered = [legacy.next() for _ in numbers]
    # Those that had left before the loss showed are answered with an error, first.
    assert sorted(message["id"] for message in answered) == numbers
    kept = [message["id"] for message in answered if "result" in message]
    assert kept == sorted(kept)


def test_a_handshake_that_was_lost_is_answered_by_the_next_keeper() -> None:
    session = bridge._Session()
    line = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}).encode()
    session.sending(json.loads(line), line)
    session.lost()
    assert session.answers == []
    assert session.replay() == [line]
    assert session.received(b'{"jsonrpc":"2.0","id":0,"result":{}}')
    session.lost()
    assert session.replay() == [line]
    assert not session.received(b'{"jsonrpc":"2.0","id":0,"result":{}}')


def test_subscriptions_to_resources_are_repeated_and_their_answers_swallowed() -> None:
    session = bridge._Session()
    lines = [
        json.dumps(
            {"jsonrpc": "2.0", "id": n, "method": f"resources/{what}", "params": {"uri": uri}}
        ).encode()
        for n, what, uri in ((1, "subscribe", "a"), (2, "subscribe", "b"), (3, "unsubscribe", "a"))
    ]
    for number, line in enumerate(lines, 1):
        session.sending(json.loads(line), line)
        assert session.received(b'{"jsonrpc":"2.0","id":%d,"result":{}}' % number)
    pending = json.dumps(
        {"jsonrpc": "2.0", "id": "x", "method": "resources/subscribe", "params": {"uri": "c"}}
    ).encode()
    session.sending(json.loads(pending), pending)
    session.lost()
    (answer,) = session.answers
    assert json.loads(answer)["id"] == "x"
    assert session.replay() == [lines[1]], "one whose answer is an error was not made"
    assert session.received(b'{"jsonrpc":"2.0","method":"notifications/resources/updated"}')
    assert not session.received(b'{"jsonrpc":"2.0","id":2,"result":{}}')
    told = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "b"}}
    assert [json.loads(line) for line in session.answers[1:]] == [told], "nobody watched meanwhile"
    assert session.received(b'{"jsonrpc":"2.0","id":2,"result":{}}')


def test_streams_of_notifications_are_opened_anew_and_their_start_swallowed() -> None:
    session = bridge._Session()
    line = json.dumps(
        {"jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen", "params": {"_meta": META}}
    ).encode()
    start = json.dumps(
        {
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": {
                "_meta": {"io.modelcontextprotocol/subscriptionId": 5},
                "notifications": {"resourceSubscriptions": ["a", "b"], "resourcesListChanged": True},
            },
        }
    ).encode()
    session.sending(json.loads(line), line)
    assert session.received(start)
    assert not session.waits(), "a stream is nothing to wait for at the end"
    session.lost()
    assert session.answers == []
    assert session.replay() == [line]
    assert not session.received(start)
    told = [json.loads(line) for line in session.answers]
    assert [(item["method"].partition("/")[2], item["params"].get("uri")) for item in told] == [
        ("resources/updated", "a"),
        ("resources/updated", "b"),
        ("resources/list_changed", None),
    ]
    assert all(item["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": 5} for item in told)
    assert session.received(start)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    session.sending(cancel, json.dumps(cancel).encode())
    assert session.replay() == []


def test_a_subscription_holds_at_the_next_keeper_and_is_told_that_it_may_have_missed_something(
    agent: Agent,
) -> None:
    agent.open()
    uri = "afresh://memo/7"
    if agent.modern:
        wanted = {"resourceSubscriptions": [uri, "afresh://nothing/7"], "toolsListChanged": True}
        stream = agent.request("subscriptions/listen", {"notifications": wanted})
        started = agent.next()
        assert started["method"] == "notifications/subscriptions/acknowledged"
        assert started["params"]["notifications"] == {"resourceSubscriptions": [uri]}
        assert started["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": stream}
        first = agent.next()
    else:
        asked = agent.request("resources/subscribe", {"uri": uri})
        # What turned while it subscribed may be told before the answer.
        first, answered = sorted((agent.next(), agent.next()), key=lambda message: "id" in message)
        assert (answered["id"], answered["result"]) == (asked, {})
    assert first["params"]["uri"] == uri, "the double tells of what is asked about"
    agent.kill_keeper()
    # Once by the pump, and once by the double at the new keeper: what turns there arrives.
    for _ in range(2):
        told = agent.next()
        assert (told["method"], told["params"]["uri"]) == ("notifications/resources/updated", uri)
    assert agent.pid() > 0
    assert agent.end() == (0, "")


def test_answers_are_told_from_requests_of_the_server_and_ids_by_their_type() -> None:
    assert bridge._answered(b'{"jsonrpc":"2.0","id":7,"result":{"id":8}}') == ("int", 7)
    assert bridge._answered(b'{"jsonrpc":"2.0","id":"7","error":{}}') == ("str", "7")
    assert bridge._answered(b'{"result":{}, "id": 7}') == ("int", 7)
    assert bridge._answered(b'{"jsonrpc":"2.0","id":7,"method":"elicitation/create"}') is None
    assert bridge._answered(b'{"jsonrpc":"2.0","method":"notifications/progress"}') is None
    assert bridge._answered(b"no json") is None


def test_a_call_that_the_agent_took_back_is_not_waited_for_at_the_end(legacy: Agent) -> None:
    legacy.open()
    number = legacy.tool("hold")
    eventually((legacy.settings.home / "began").exists)
    legacy.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    eventually((legacy.settings.home / "cancelled").exists)
    assert legacy.end()[0] == 0


def test_answers_in_flight_come_before_the_end(legacy: Agent) -> None:
    legacy.open()
    number = legacy.tool("wait")
    eventually((legacy.settings.home / "began").exists)
    assert legacy.process.stdin is not None
    legacy.process.stdin.close()
    (legacy.settings.home / "go-on").touch()
    assert "result" in legacy.answer(number)
    assert legacy.next() is None
    assert legacy.process.wait(BOUND) == 0


def test_lines_that_are_no_messages_harm_nothing(legacy: Agent) -> None:
    legacy.open()
    for line in (b"no json", b"[]", b'"x"', b"", b"\xff\xfe", b"[" * 50_000):
        legacy.send(line)
    number = legacy.request("ping")
    while (message := legacy.next())["id"] != number:
        assert "error" in message
    assert "result" in message


def test_a_line_beyond_the_bound_is_refused_and_the_next_one_served(legacy: Agent) -> None:
    legacy.open(live=False)
    legacy.send(
        b'{"jsonrpc":"2.0","id":99,"method":"ping","params":{"x":"' + b"x" * (64 * 1024 * 1024) + b'"}}'
    )
    refused = legacy.next()
    assert refused["id"] is None
    assert "67,108,864" in refused["error"]["message"]
    assert "result" in legacy.answer(legacy.request("ping"))


def test_a_large_message_passes_both_ways(legacy: Agent) -> None:
    legacy.open()
    big = "é" * (2 * 1024 * 1024)
    number = legacy.request("tools/call", {"name": "recall", "arguments": {"query": "echo", "value": big}})
    assert legacy.answer(number)["result"]["structuredContent"]["echo"] == big


def test_a_keeper_that_cannot_open_its_store_is_told_to_the_agent_who_may_ask_again(legacy: Agent) -> None:
    fails = legacy.settings.home / "open-fails"
    fails.touch()
    (legacy.settings.home / "open-late").touch()
    assert "result" in legacy.answer(legacy.request("initialize", INITIALIZE))
    legacy.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    number = legacy.tool("echo")
    (legacy.settings.home / "open-now").touch()
    assert "newer afresh" in json.dumps(legacy.answer(number))
    fails.unlink()
    eventually(lambda: "stopped" in legacy.settings.log.read_text(encoding="utf-8"))
    assert legacy.pid() > 0


def test_a_keeper_that_cannot_be_started_is_told_on_each_request(legacy: Agent) -> None:
    legacy.settings.runtime.chmod(0o755)
    try:
        for number in (legacy.request("initialize", INITIALIZE), legacy.request("ping")):
            error = legacy.answer(number)["error"]
            assert "chmod 700" in error["message"]
            assert error["data"] == {"kind": "keeper_unavailable"}
        code, said = legacy.end()
        assert code == 0
        assert "chmod 700" in said
    finally:
        legacy.settings.runtime.chmod(0o700)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_pump(legacy: Agent, number: signal.Signals) -> None:
    legacy.open(live=False)
    legacy.process.send_signal(number)
    assert legacy.process.wait(BOUND) == 128 + number


def test_the_pump_ends_when_nobody_reads_it(sandbox: Settings) -> None:
    reader, writer = os.pipe()
    with subprocess.Popen(
        [sys.executable, "-P", double.__file__, "afresh", "mcp"],
        env=spawn.keeper_environment(sandbox, os.environ),
        stdin=subprocess.PIPE,
        stdout=writer,
    ) as pump:
        os.close(writer)
        assert pump.stdin is not None
        initialize = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        pump.stdin.write(json.dumps(initialize).encode() + b"\n")
        pump.stdin.flush()
        assert os.read(reader, 1)
        os.close(reader)
        pump.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n')
        pump.stdin.flush()
        assert pump.wait(BOUND) == 0


def test_the_pump_ends_with_its_parent_though_its_input_stays_open(sandbox: Settings) -> None:
    ours, theirs = socket.socketpair()
    start = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[1:], stdin=0, stdout=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True)\n"
        "os.wait()\n"
    )
    with (
        ours,
        theirs,
        subprocess.Popen(
            [sys.executable, "-c", start, sys.executable, "-P", double.__file__, "afresh", "mcp"],
            env=spawn.keeper_environment(sandbox, os.environ),
            stdin=theirs,
            stdout=subprocess.PIPE,
        ) as parent,
    ):
        assert parent.stdout is not None
        pump = psutil.Process(int(parent.stdout.readline()))
        eventually(lambda: keepers_of(sandbox.home) != [])
        parent.kill()
        parent.wait(BOUND)
        eventually(lambda: not pump.is_running() or pump.status() == psutil.STATUS_ZOMBIE)


def test_the_pump_imports_next_to_nothing() -> None:
    listed = subprocess.run(
        [sys.executable, "-c", "import sys, afresh.faces.bridge; print(*sys.modules)"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split()
    heavy = {"pydantic", "mcp", "mcp_types", "duckdb", "numpy", "asyncio", "argparse", "click", "subprocess"}
    heavy |= {"dataclasses", "inspect", "pathlib", "logging", "hashlib", "random", "secrets"}
    assert heavy & set(listed) == set()
    assert {name for name in listed if name.startswith("afresh.")} <= {
        *("afresh.errors", "afresh.faces", "afresh.faces.bridge", "afresh.keeper"),
        *("afresh.keeper.connect", "afresh.keeper.election"),
        *("afresh.keeper.system", "afresh.keeper.transport", "afresh.keeper.wire"),
    }


@pytest.mark.parametrize(
    "environ",
    [
        {"AFRESH_HOME": "/a/b"},
        {"AFRESH_HOME": "/a/../b/"},
        {"AFRESH_HOME": "relative"},
        {"HOME": "/home/somebody"},
        {"HOME": "/home/somebody", "XDG_DATA_HOME": "/data"},
        {"HOME": "/home/somebody", "XDG_DATA_HOME": ""},
        {"HOME": "/home/somebody", "AFRESH_HOME": "~/there"},
        {"HOME": "/home/somebody", "AFRESH_HOME": ""},
    ],
    ids=str,
)
def test_the_short_way_looks_where_the_settings_say_or_nowhere(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def note(path: str) -> None:
        looked.append(path)

    monkeypatch.setattr(election, "noted_holder", note)
    assert connect.reach_known(environ, HELLO) is None
    monkeypatch.setenv("HOME", environ.get("HOME", "/root"))
    assert looked in ([], [str(settings.load(environ).lock)])
    assert looked or any(value.startswith("~") for value in environ.values()) or "XDG_DATA_HOME" in environ


def test_options_name_the_workspace_and_bad_ones_are_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert bridge._options([]) == (str(Path.cwd()), False)
    assert bridge._options(["--root", str(tmp_path)]) == (str(tmp_path), False)
    assert bridge._options([f"--root={tmp_path}", "--in-process"]) == (str(tmp_path), True)
    for arguments, said in (
        (["--rot", "x"], "--rot"),
        (["--root"], "needs a folder"),
        (["--root", str(tmp_path / "none")], str(tmp_path / "none")),
    ):
        assert bridge.main(arguments) == 2
        captured = capfd.readouterr()
        assert captured.out == ""
        assert said in captured.err
