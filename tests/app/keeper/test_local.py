"""The engine within the calling process."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.app.keeper.double import BOUND, DoubleService, eventually, open_double, starting

from afresh.client import connect
from afresh.errors import (
    CancelledCallError,
    KeeperUnavailableError,
    StoreHeldError,
    StoreVersionError,
    UsageError,
)
from afresh.keeper.election import Lock, noted_holder
from afresh.keeper.local import LocalHost, open_local
from afresh.settings import Settings


def open_here(settings: Settings) -> LocalHost:
    return open_local(settings, cwd=Path("/w"), client="cli", kind="cli", opener=open_double)


def test_a_call_is_answered_in_this_process(sandbox: Settings) -> None:
    with open_here(sandbox) as host:
        answer = host.call("recall", {"value": ["ü", 1]})
        assert (answer["pid"], answer["echo"], answer["cwd"]) == (os.getpid(), ["ü", 1], "/w")
        assert answer["transport"] == "in process"
        assert isinstance(host.service, DoubleService)
    assert host.service.closed


def test_events_come_in_order_in_the_callers_thread(sandbox: Settings) -> None:
    rows: list[int] = []
    threads: set[threading.Thread] = set()

    def take(event: Mapping[str, Any]) -> None:
        rows.append(event["row"]["number"])
        threads.add(threading.current_thread())

    with open_here(sandbox) as host:
        assert host.call("export", {"do": "rows", "times": 9000}, on_event=take)["verb"] == "export"
    assert rows == list(range(9000))
    assert threads == {threading.current_thread()}


def test_errors_are_raised_as_they_are(sandbox: Settings) -> None:
    with open_here(sandbox) as host:
        with pytest.raises(UsageError, match="asked wrongly"):
            host.call("recall", {"do": "refuse"})
        with pytest.raises(ZeroDivisionError):
            host.call("recall", {"do": "break"})


def test_a_call_is_taken_back_by_its_caller_by_time_and_by_an_interrupt(sandbox: Settings) -> None:
    def interrupt(_event: Mapping[str, Any]) -> None:
        raise KeyboardInterrupt

    with open_here(sandbox) as host, ThreadPoolExecutor(1) as threads:
        cancelled = threading.Event()
        call = threads.submit(host.call, "watch", {"do": "hold"}, cancelled=cancelled)
        eventually((sandbox.home / "began").exists)
        cancelled.set()
        with pytest.raises(CancelledCallError):
            call.result(BOUND)
        with pytest.raises(KeeperUnavailableError, match=r"0\.05 s"):
            host.call("recall", {"do": "hold"}, timeout=0.05)
        with pytest.raises(KeyboardInterrupt):
            host.call("export", {"do": "rows", "times": 100_000}, on_event=interrupt)
        assert host.call("recall", {"value": 1})["echo"] == 1


def test_two_of_them_do_not_share_a_data_folder(sandbox: Settings) -> None:
    with open_here(sandbox):
        noted = noted_holder(sandbox.lock)
        assert noted is not None
        assert noted.in_process
        with pytest.raises(StoreHeldError, match="--in-process"):
            open_here(sandbox)
    open_here(sandbox).close()


def test_a_running_keeper_is_named_with_what_to_do(sandbox: Settings) -> None:
    with connect(sandbox, cwd=None, client="t", kind="cli", starting=starting()) as client:
        pid = client.call("recall", {})["pid"]
        with pytest.raises(StoreHeldError, match=f"process {pid} .*afresh keeper stop"):
            open_here(sandbox)


def test_a_client_that_meets_one_says_so_instead_of_waiting_forever(sandbox: Settings) -> None:
    how = starting(patience=0.1)
    with open_here(sandbox), pytest.raises(KeeperUnavailableError, match="--in-process"):
        connect(sandbox, cwd=None, client="t", kind="cli", starting=how)


def test_a_store_that_cannot_be_opened_leaves_the_folder_free(sandbox: Settings) -> None:
    (sandbox.home / "open-fails").touch()
    with pytest.raises(StoreVersionError):
        open_here(sandbox)
    lock = Lock.acquire(sandbox.lock)
    assert lock is not None
    lock.release()
