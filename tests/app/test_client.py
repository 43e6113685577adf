"""The verbs through a real keeper's process, over a small service of the tests' own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.app.conftest import keepers_of
from tests.app.keeper.double import BOUND, COMMAND, eventually, starting

from afresh.client import REPEATABLE, Client, connect
from afresh.errors import (
    AfreshError,
    CancelledCallError,
    InvalidArgumentError,
    KeeperLostError,
    KeeperUnavailableError,
    NotFoundError,
    UsageError,
)
from afresh.settings import Settings
from afresh.verbs import VERBS


def open_client(settings: Settings, *, start: bool = True, attach: bool = False, **changes: Any) -> Client:
    return connect(
        settings,
        cwd=Path("/somewhere"),
        client="test",
        kind="agent",
        start=start,
        attach=attach,
        starting=starting(**changes),
    )


def test_a_call_is_answered_and_carries_who_asks(either: Settings) -> None:
    with open_client(either) as client:
        answer = client.call("recall", {"value": {"text": "ünïcode 日本", "n": [1, None, 0.5]}})
    assert answer["echo"] == {"text": "ünïcode 日本", "n": [1, None, 0.5]}
    assert (answer["cwd"], answer["client"], answer["kind"]) == ("/somewhere", "test", "agent")
    assert answer["transport"] == either.transport
    assert answer["pid"] == client.keeper_pid != os.getpid()


def test_events_come_in_order_and_in_the_callers_thread(either: Settings) -> None:
    came: list[int] = []
    threads: set[threading.Thread] = set()

    def take(event: Mapping[str, Any]) -> None:
        came.append(event["row"]["number"])
        threads.add(threading.current_thread())

    with open_client(either) as client:
        answer = client.call("export", {"do": "rows", "times": 6000, "size": 500}, on_event=take)
    assert answer["verb"] == "export"
    assert came == list(range(6000))
    assert threads == {threading.current_thread()}


def test_a_call_may_be_made_from_within_an_event_of_another(sandbox: Settings) -> None:
    with open_client(sandbox) as client:
        inner: list[Any] = []

        def ask(event: Mapping[str, Any]) -> None:
            if event["row"]["number"] == 0:
                inner.append(client.call("recall", {"value": 7})["echo"])

        client.call("export", {"do": "rows", "times": 9000, "size": 100}, on_event=ask)
    assert inner == [7]


def test_many_threads_share_one_connection(either: Settings) -> None:
    with open_client(either) as client, ThreadPoolExecutor(8) as threads:
        answers = threads.map(lambda n: client.call("recall", {"value": n})["echo"], range(200))
        assert list(answers) == list(range(200))
        assert client.call("keeper_status", {})["clients"] == 1


def test_a_quick_call_does_not_wait_behind_long_ones(sandbox: Settings) -> None:
    with open_client(sandbox) as client, ThreadPoolExecutor(4) as threads:
        held = [threads.submit(client.call, "index", {"do": "wait"}) for _ in range(4)]
        eventually((sandbox.home / "began").exists)
        assert client.call("recall", {"value": 1}, timeout=BOUND)["echo"] == 1
        client.call("recall", {"do": "release"})
        assert [call.result(BOUND)["verb"] for call in held] == ["index"] * 4


def test_errors_arrive_as_what_they_are(either: Settings) -> None:
    with open_client(either) as client:
        with pytest.raises(UsageError, match="ünïcode 日本"):
            client.call("recall", {"do": "refuse"})
        with pytest.raises(NotFoundError, match="nothing there"):
            client.call("recall", {"do": "miss"})
        with pytest.raises(AfreshError, match="internal error in recall") as raised:
            client.call("recall", {"do": "break"})
        assert "secret-content" not in raised.value.message


def test_a_call_is_taken_back_from_another_thread(either: Settings) -> None:
    cancelled = threading.Event()
    with open_client(either) as client, ThreadPoolExecutor(1) as threads:
        call = threads.submit(client.call, "watch", {"do": "hold"}, cancelled=cancelled)
        eventually((either.home / "began").exists)
        cancelled.set()
        with pytest.raises(CancelledCallError):
            call.result(BOUND)


def test_a_call_that_takes_too_long_is_taken_back(sandbox: Settings) -> None:
    with open_client(sandbox) as client:
        client.call("recall", {})
        with pytest.raises(KeeperUnavailableError, match=r"0\.2 s"):
            client.call("recall", {"do": "hold"}, timeout=0.2)
        eventually((sandbox.home / "cancelled").exists)
        assert client.call("recall", {"value": 1})["echo"] == 1


def test_a_client_that_leaves_takes_its_calls_and_its_workspace_with_it(either: Settings) -> None:
    with open_client(either) as watcher, open_client(either) as other, ThreadPoolExecutor(1) as threads:
        attached = open_client(either, attach=True)
        eventually(lambda: watcher.call("recall", {})["attached"] == ["/somewhere"])
        call = threads.submit(other.call, "watch", {"do": "hold"})
        eventually((either.home / "began").exists)
        other.close()
        with pytest.raises(KeeperLostError, match="closed"):
            call.result(BOUND)
        eventually((either.home / "cancelled").exists)
        attached.close()
        eventually(lambda: watcher.call("recall", {})["attached"] == [])
        eventually(lambda: watcher.call("keeper_status", {})["clients"] == 1)


def test_a_message_that_is_too_large_is_refused_before_it_is_sent(sandbox: Settings) -> None:
    with open_client(sandbox) as client:
        with pytest.raises(InvalidArgumentError, match="67,108,864"):
            client.call("import", {"value": "x" * (64 * 1024 * 1024)})
        big = "y" * (3 * 1024 * 1024)
        assert client.call("import", {"value": big})["echo"] == big


def test_reading_goes_on_with_a_new_keeper_and_writing_says_try_again(either: Settings) -> None:
    with open_client(either) as client:
        first = client.call("recall", {})["pid"]
        with pytest.raises(KeeperLostError, match="memory_save"):
            client.call("memory_save", {"do": "die"})
        second = client.call("memory_save", {"do": "append", "id": 1})["pid"]
        assert second != first
        psutil.Process(second).kill()
        third = client.call("recall", {})["pid"]
        assert third not in (first, second)
        with pytest.raises(KeeperLostError, match="recall"):
            client.call("recall", {"do": "die"})


def test_an_export_that_gave_rows_away_is_not_begun_again(sandbox: Settings) -> None:
    rows: list[Any] = []

    def kill(event: Mapping[str, Any]) -> None:
        if not rows:
            psutil.Process(client.keeper_pid).kill()
        rows.append(event)

    with open_client(sandbox) as client, pytest.raises(KeeperLostError):
        client.call("export", {"do": "rows", "times": 50_000, "size": 1000}, on_event=kill)
    assert 0 < len(rows) < 50_000


def test_verbs_that_may_be_begun_twice_are_those_that_only_read_or_come_to_the_same() -> None:
    only_read = {name for name, verb in VERBS.items() if verb.read_only}
    assert only_read | {"index", "watch", "embed"} == REPEATABLE


def test_what_was_acknowledged_is_there_however_often_the_keeper_is_killed(sandbox: Settings) -> None:
    acknowledged: list[int] = []
    number = 0
    with open_client(sandbox) as client:
        for round_ in range(20):
            wanted = len(acknowledged) + round_ % 5
            keeper = psutil.Process(client.keeper_pid)

            def kill(wanted: int = wanted, keeper: psutil.Process = keeper) -> None:
                eventually(lambda: len(acknowledged) >= wanted)
                keeper.kill()

            killer = threading.Thread(target=kill)
            killer.start()
            while killer.is_alive():
                number += 1
                try:
                    client.call("memory_save", {"do": "append", "id": number})
                except KeeperLostError:
                    continue
                acknowledged.append(number)
            client.call("recall", {})
    stored = [int(line) for line in (sandbox.home / "acknowledged").read_text(encoding="utf-8").split()]
    assert set(acknowledged) <= set(stored)
    assert len(stored) == len(set(stored)), "something was done twice"
    assert len(acknowledged) >= 20


@pytest.mark.slow
def test_fifty_clients_that_start_at_once_end_with_one_keeper(either: Settings) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from afresh.client import connect\n"
        "from afresh.keeper.connect import Starting\n"
        "from afresh.settings import load\n"
        f"how = Starting(command={COMMAND!r}, patience=60.0)\n"
        "client = connect(load(), cwd=Path('/'), client='one', kind='cli', starting=how)\n"
        "print(client.call('recall', {})['pid'], flush=True)\n"
        "sys.stdin.read()\n"
    )
    environment = {
        **os.environ,
        "AFRESH_HOME": str(either.home),
        "AFRESH_RUNTIME": str(either.runtime),
        "AFRESH_TRANSPORT": either.transport,
    }
    clients = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", script],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(50)
    ]
    pids = set()
    for process in clients:
        assert process.stdout is not None
        pids.add(int(process.stdout.readline()))
    assert len(pids) == 1
    eventually(lambda: [keeper.pid for keeper in keepers_of(either.home)] == list(pids))
    for process in clients:
        process.communicate(timeout=BOUND)
        assert process.returncode == 0


def test_without_a_keeper_only_asking_starts_none(sandbox: Settings) -> None:
    with pytest.raises(KeeperUnavailableError, match="no keeper runs"):
        open_client(sandbox, start=False)
    assert keepers_of(sandbox.home) == []


def test_a_client_that_only_asks_after_the_keeper_may_do_that_alone(either: Settings) -> None:
    with open_client(either), open_client(either, start=False) as control:
        status = control.call("keeper_status", {})
        assert status["clients"] == 1
        assert status["transport"] == either.transport
        with pytest.raises(UsageError, match="keeper_status and keeper_stop"):
            control.call("recall", {})
        assert control.call("keeper_stop", {}) == {"pid": status["pid"], "stopping": True}
        eventually(lambda: keepers_of(either.home) == [])
        assert (either.home / "closed").exists()


def test_a_keeper_that_listens_elsewhere_is_found_through_the_lock(sandbox: Settings) -> None:
    with open_client(sandbox) as here:
        moved = sandbox.runtime / "moved"
        for other in (replace(sandbox, transport="tcp"), replace(sandbox, runtime=moved)):
            with open_client(other) as there:
                assert there.call("recall", {})["pid"] == here.call("recall", {})["pid"]


def test_clients_that_find_no_keeper_wait_a_random_moment_before_they_start_one(sandbox: Settings) -> None:
    waits: list[float] = []
    pause = threading.Event()

    def wait(seconds: float) -> None:
        waits.append(seconds)
        pause.wait(seconds)

    with open_client(sandbox, chance=lambda: 0.5, wait=wait):
        assert waits[0] == pytest.approx(0.025)
    waits.clear()
    with open_client(sandbox, chance=lambda: 0.5, wait=wait):
        assert waits == []
