"""The keeper's process: its start, its place, its end."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.app.conftest import keepers_of
from tests.app.keeper.double import BOUND, COMMAND, eventually, starting

from afresh import __version__
from afresh.client import Client, connect
from afresh.errors import (
    AfreshError,
    KeeperLostError,
    KeeperUnavailableError,
    StoreUnwritableError,
    StoreVersionError,
    UsageError,
)
from afresh.keeper import spawn, transport
from afresh.keeper.connect import reach
from afresh.keeper.election import noted_holder
from afresh.keeper.wire import Hello, LineStream, encode, error_from
from afresh.settings import Settings

HELLO = Hello(mode="rpc", version=__version__, cwd="/w", client="raw", kind="cli")


def open_client(settings: Settings, *, start: bool = True, attach: bool = False, **changes: Any) -> Client:
    return connect(
        settings,
        cwd=Path("/w"),
        client="test",
        kind="cli",
        attach=attach,
        start=start,
        starting=starting(**changes),
    )


def keeper_of(settings: Settings) -> psutil.Process:
    found = keepers_of(settings.home)
    assert len(found) == 1
    return found[0]


def is_gone(settings: Settings) -> bool:
    return keepers_of(settings.home) == []


@contextmanager
def raw(settings: Settings, line: bytes | None = None) -> Iterator[tuple[socket.socket, Iterator[bytes]]]:
    """A connection that says what it wants; the keeper runs already."""
    stream, secrets = transport.connect(transport.address(settings), BOUND)
    with stream:
        stream.sendall(HELLO._replace(token=secrets.token).line() if line is None else line)
        yield stream, iter(LineStream(stream))


def test_a_keeper_is_detached_from_whoever_starts_it(sandbox: Settings, tmp_path: Path) -> None:
    with open_client(sandbox) as client:
        answer = client.call("recall", {"do": "environment"})
        keeper = keeper_of(sandbox)
        assert answer["folder"] == os.sep
        assert os.getsid(keeper.pid) == keeper.pid != os.getsid(0)
        assert keeper.terminal() is None
        assert str(sandbox.log) in {file.path for file in keeper.open_files()}
        assert "AFRESH_HOME" in answer["environment"]


def test_a_keeper_gets_only_the_environment_that_it_needs(sandbox: Settings) -> None:
    given = {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_ALL": "C.UTF-8",
        "AFRESH_DOUBLE": "1",
        "AFRESH_HOME": "/another",
        "GIT_DIR": "/elsewhere/.git",
        "AWS_SECRET_ACCESS_KEY": "x",
        "PYTHONSTARTUP": "/x.py",
        "PYTHONPATH": os.pathsep.join(["relative", "/absolute", ""]),
        "https_proxy": "http://p",
    }
    kept = spawn.keeper_environment(sandbox, given)
    assert {"PATH", "HOME", "LC_ALL", "AFRESH_DOUBLE", "https_proxy"} <= set(kept)
    assert not {"GIT_DIR", "AWS_SECRET_ACCESS_KEY", "PYTHONSTARTUP"} & set(kept)
    assert kept["AFRESH_HOME"] == str(sandbox.home)
    assert kept["AFRESH_IDLE_EXIT"] == "60.0"
    entries = kept["PYTHONPATH"].split(os.pathsep)
    assert entries[:2] == [str(Path.cwd() / "relative"), "/absolute"]
    assert all(Path(entry).is_absolute() for entry in entries)


def test_the_command_of_a_keeper_reads_as_what_it_is() -> None:
    command = spawn.keeper_command()
    assert command[0] == sys.executable
    assert " ".join(command).endswith("afresh keeper run")
    assert "-P" in command or "-I" in command


def test_a_second_keeper_leaves_quietly(either: Settings) -> None:
    with open_client(either) as client:
        first = client.call("recall", {})["pid"]
        environment = spawn.keeper_environment(either, os.environ)
        second = subprocess.run(COMMAND, env=environment, capture_output=True, timeout=BOUND, check=False)
        assert (second.returncode, second.stdout, second.stderr) == (0, b"", b"")
        assert client.call("recall", {})["pid"] == first


def test_files_of_a_keeper_are_for_its_owner_alone(either: Settings) -> None:
    with open_client(either) as client:
        client.call("memory_save", {"do": "append", "id": 1})
        for path in (either.log, either.lock, either.home / "acknowledged", transport.address(either).path):
            assert path.stat().st_mode & 0o077 == 0, path


def test_a_keeper_that_was_killed_is_replaced_and_its_socket_too(either: Settings) -> None:
    with open_client(either) as client:
        pid = client.call("recall", {})["pid"]
        keeper_of(either).kill()
        eventually(lambda: is_gone(either))
        assert transport.address(either).path.exists()
    with open_client(either) as client:
        assert client.call("recall", {})["pid"] != pid


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_keeper_in_order(either: Settings, number: signal.Signals) -> None:
    with open_client(either) as client:
        client.call("recall", {})
        keeper_of(either).send_signal(number)
        eventually(lambda: is_gone(either))
    assert (either.home / "closed").exists()
    assert list(either.runtime.iterdir()) == []
    assert noted_holder(either.lock) is None
    assert number.name in either.log.read_text(encoding="utf-8")


def test_a_stopping_keeper_finishes_running_calls_and_begins_no_more(sandbox: Settings) -> None:
    with open_client(sandbox) as helper, raw(sandbox) as (stream, lines):
        next(lines)
        stream.sendall(encode({"id": 1, "verb": "recall", "arguments": {"do": "wait"}}))
        eventually((sandbox.home / "began").exists)
        pid = helper.call("keeper_stop", {})["pid"]
        eventually(lambda: not transport.address(sandbox).path.exists())
        stream.sendall(encode({"id": 2, "verb": "memory_save", "arguments": {"do": "append", "id": 1}}))
        refused = json.loads(next(lines))
        assert refused["id"] == 2
        assert refused["error"]["ran"] is False
        assert isinstance(error_from(refused["error"]), KeeperLostError)
        assert psutil.pid_exists(pid)
        (sandbox.home / "go-on").touch()
        finished = json.loads(next(lines))
        assert (finished["id"], finished["result"]["verb"]) == (1, "recall")
    eventually(lambda: is_gone(sandbox))


def test_a_stopping_keeper_takes_endless_calls_back(sandbox: Settings) -> None:
    with open_client(sandbox), raw(sandbox) as (stream, lines):
        next(lines)
        stream.sendall(encode({"id": "w", "verb": "watch", "arguments": {"do": "hold"}}))
        eventually((sandbox.home / "began").exists)
        keeper_of(sandbox).terminate()
        ended = json.loads(next(lines))
        assert (ended["id"], ended["error"]["kind"]) == ("w", "cancelled")
        assert next(lines, None) is None
    eventually(lambda: is_gone(sandbox))


def test_a_keeper_without_clients_leaves_and_the_next_client_gets_another(either: Settings) -> None:
    settings = replace(either, idle_exit=0.2)
    with open_client(settings) as client:
        first = client.call("recall", {})["pid"]
    eventually(lambda: is_gone(settings))
    assert (settings.home / "closed").exists()
    with open_client(settings) as client:
        assert client.call("recall", {})["pid"] != first


def test_a_keeper_stays_while_a_client_is_connected_or_its_service_is_busy(sandbox: Settings) -> None:
    settings = replace(sandbox, idle_exit=0.1)
    client = open_client(settings)
    client.call("recall", {})
    keeper = keeper_of(settings)
    busy = settings.home / "busy"
    busy.touch()
    # Longer than idle_exit, with a client; then without one, but busy.
    with pytest.raises(psutil.TimeoutExpired):
        keeper.wait(0.5)
    client.close()
    with pytest.raises(psutil.TimeoutExpired):
        keeper.wait(0.5)
    busy.unlink()
    keeper.wait(BOUND)


def test_clients_are_accepted_while_the_service_opens_and_answered_in_order(either: Settings) -> None:
    (either.home / "open-late").touch()
    with open_client(either) as client, raw(either) as (stream, lines):
        assert json.loads(next(lines))["ok"] is True
        assert client.call("keeper_status", {})["clients"] == 2
        for number in range(3):
            stream.sendall(encode({"id": number, "verb": "recall", "arguments": {"value": number}}))
        (either.home / "open-now").touch()
        answers = [json.loads(next(lines)) for _ in range(3)]
        assert {answer["id"]: answer["result"]["echo"] for answer in answers} == {0: 0, 1: 1, 2: 2}


def test_a_call_taken_back_while_the_service_opens_is_not_begun(sandbox: Settings) -> None:
    (sandbox.home / "open-late").touch()
    with open_client(sandbox), raw(sandbox) as (stream, lines):
        next(lines)
        stream.sendall(encode({"id": 1, "verb": "memory_save", "arguments": {"do": "append", "id": 1}}))
        stream.sendall(encode({"id": 1, "cancel": True}))
        assert json.loads(next(lines))["error"]["kind"] == "cancelled"
        (sandbox.home / "open-now").touch()
        stream.sendall(encode({"id": 2, "verb": "recall"}))
        assert "result" in json.loads(next(lines))
    assert not (sandbox.home / "acknowledged").exists()


def test_calls_wait_until_the_workspace_of_their_client_is_known(either: Settings) -> None:
    (either.home / "attach-late").touch()
    with open_client(either, attach=True) as here, open_client(either) as elsewhere:
        answers: list[Mapping[str, Any]] = []
        first = threading.Thread(target=lambda: answers.append(here.call("recall", {})))
        first.start()
        eventually((either.home / "attaching").exists)
        assert elsewhere.call("recall", {})["attached"] == []
        assert answers == []
        (either.home / "attach-now").touch()
        first.join(BOUND)
        assert [len(answer["attached"]) for answer in answers] == [1]


def test_a_service_that_cannot_be_opened_is_told_to_every_client_and_the_keeper_leaves(
    either: Settings,
) -> None:
    (either.home / "open-late").touch()
    (either.home / "open-fails").touch()
    with open_client(either) as client, raw(either) as (stream, lines):
        next(lines)
        stream.sendall(encode({"id": 1, "verb": "recall"}))
        (either.home / "open-now").touch()
        with pytest.raises(StoreVersionError, match="newer afresh"):
            client.call("recall", {})
        assert isinstance(error_from(json.loads(next(lines))["error"]), StoreVersionError)
        eventually(lambda: is_gone(either))
    assert "newer afresh" in either.log.read_text(encoding="utf-8")


def test_a_defect_while_opening_is_told_without_its_contents_and_logged_with_them(sandbox: Settings) -> None:
    (sandbox.home / "open-breaks").touch()
    with (
        pytest.raises(KeeperUnavailableError, match="failed while opening") as raised,
        open_client(sandbox) as client,
    ):
        client.call("recall", {})
    assert "secret-content" not in raised.value.message
    assert str(sandbox.log) in raised.value.message
    assert "ZeroDivisionError" in sandbox.log.read_text(encoding="utf-8")


def test_a_foreign_holder_of_the_lock_is_named_and_left_alone(sandbox: Settings) -> None:
    hold = (
        "import fcntl, sys\n"
        "file = open(sys.argv[1], 'a')\n"
        "fcntl.flock(file, fcntl.LOCK_EX)\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(sandbox.lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(KeeperUnavailableError, match=f"process {other.pid} ") as raised:
            open_client(sandbox, patience=0.3)
        assert "fcntl.flock" in raised.value.message, "its command line is named"
        assert other.poll() is None


def test_a_keeper_that_hangs_is_waited_for_then_named(sandbox: Settings) -> None:
    with open_client(sandbox) as client:
        pid = client.call("recall", {})["pid"]
    with sandbox.lock.open("a") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    keeper = keeper_of(sandbox)
    transport.address(sandbox).path.unlink()
    keeper.suspend()
    try:
        with pytest.raises(KeeperUnavailableError, match=f"process {pid} .*keeper run"):
            open_client(sandbox, patience=0.1)
    finally:
        keeper.resume()


def test_a_keeper_that_cannot_listen_says_so_to_whoever_started_it(sandbox: Settings) -> None:
    sandbox.runtime.chmod(0o755)
    with pytest.raises(KeeperUnavailableError, match="chmod 700"):
        open_client(sandbox)
    sandbox.runtime.chmod(0o700)
    (sandbox.runtime / "keeper.sock").mkdir()
    with pytest.raises(KeeperUnavailableError, match="can't listen in"):
        open_client(sandbox)
    assert is_gone(sandbox)


def test_a_data_folder_that_cannot_be_made_is_named(sandbox: Settings, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnwritableError, match="AFRESH_HOME"):
        open_client(replace(sandbox, home=tmp_path / "file" / "home"))


def test_a_keeper_that_ends_at_its_start_is_told_with_its_last_words(sandbox: Settings) -> None:
    sandbox.log.write_text("an old line\n", encoding="utf-8")
    with pytest.raises(KeeperUnavailableError, match="code 7: out of luck") as raised:
        open_client(sandbox, command=(sys.executable, "-c", "import sys; print('out of luck'); sys.exit(7)"))
    assert "an old line" not in raised.value.message
    with pytest.raises(KeeperUnavailableError, match="can't be started"):
        open_client(sandbox, command=("/no/such/program",))


def test_a_keeper_whose_name_was_cleaned_away_listens_anew(either: Settings) -> None:
    with open_client(either) as client:
        pid = client.call("recall", {})["pid"]
        transport.address(either).path.unlink()
        eventually(transport.address(either).path.exists)
        with open_client(either, start=False) as other:
            assert other.call("keeper_status", {})["pid"] == pid


def test_a_keeper_whose_lock_was_taken_away_leaves(sandbox: Settings) -> None:
    with open_client(sandbox) as client:
        client.call("recall", {})
        sandbox.lock.unlink()
        eventually(lambda: is_gone(sandbox))


def test_a_keeper_of_another_version_makes_room_for_a_lone_client(either: Settings) -> None:
    with open_client(either) as client:
        client.call("recall", {})
    with open_client(either, start=False) as control:
        eventually(lambda: control.call("keeper_status", {})["clients"] == 0)
    old = keeper_of(either)
    with pytest.raises(KeeperUnavailableError, match="no keeper runs"):
        reach(either, HELLO._replace(version="9.9.9"), start=False)
    old.wait(BOUND)
    assert "9.9.9" in either.log.read_text(encoding="utf-8")


def test_a_keeper_of_another_version_stays_with_its_clients_and_says_what_to_do(either: Settings) -> None:
    with open_client(either) as client:
        with pytest.raises(KeeperUnavailableError, match="afresh keeper stop") as raised:
            reach(either, HELLO._replace(version="9.9.9"), start=False)
        assert "1 other client" in raised.value.message
        assert __version__ in raised.value.message
        assert "9.9.9" in raised.value.message
        reach(either, HELLO._replace(version="9.9.9", control=True), start=False).stream.close()
        assert client.call("recall", {"value": 1})["echo"] == 1


def test_a_wrong_token_is_refused(sandbox: Settings) -> None:
    settings = replace(sandbox, transport="tcp")
    with open_client(settings) as client:
        for token in ("", "0" * 32, "ü"):
            with raw(settings, HELLO._replace(token=token).line()) as (_, lines):
                answer = json.loads(next(lines))
                assert answer["ok"] is False
                assert isinstance(error_from(answer["error"]), UsageError)
                assert next(lines, None) is None
        assert client.call("keeper_status", {})["clients"] == 1


def test_another_program_on_the_port_of_a_dead_keeper_is_not_taken_for_one(sandbox: Settings) -> None:
    settings = replace(sandbox, transport="tcp")
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        noted = {"port": stranger.getsockname()[1], "token": "t", "proof": "p"}
        (settings.runtime / "keeper.tcp").write_text(json.dumps(noted), encoding="utf-8")
        stranger.settimeout(BOUND)

        def imitate() -> None:
            stream, _ = stranger.accept()
            with stream:
                stream.recv(4096)
                stream.sendall(encode({"ok": True, "pid": 1, "version": __version__, "proof": "wrong"}))

        threads = [threading.Thread(target=imitate) for _ in range(2)]
        for thread in threads:
            thread.start()
        with open_client(settings) as client:
            assert client.call("recall", {})["pid"] not in (1, os.getpid())
        for thread in threads:
            thread.join(BOUND)


@pytest.mark.parametrize(
    "line",
    [b"GET / HTTP/1.1\r\n\r\n", b'{"afresh":1,"mode":"smtp","kind":"cli"}\n', b"\x16\x03\x01\n"],
    ids=["http", "mode", "tls"],
)
def test_what_is_no_hello_is_answered_with_an_error_and_a_close(either: Settings, line: bytes) -> None:
    with open_client(either), raw(either, line) as (_, lines):
        answer = json.loads(next(lines))
        assert answer["ok"] is False
        assert answer["error"]["kind"] == "usage"
        assert next(lines, None) is None


def test_bad_calls_are_answered_one_by_one_and_the_connection_goes_on(either: Settings) -> None:
    with open_client(either), raw(either) as (stream, lines):
        next(lines)
        for sent, number, said in (
            (b"no json\n", None, "no json"),
            (b"[1]\n", None, "[1]"),
            (b'{"verb":"recall"}\n', None, "id"),
            (b'{"id":1}\n', 1, "verb"),
            (b'{"id":2,"verb":"recall","arguments":[]}\n', 2, "arguments"),
            (b"[" * 100_000 + b"\n", None, "[["),
        ):
            stream.sendall(sent)
            answer = json.loads(next(lines))
            assert answer["id"] == number
            assert answer["error"]["kind"] == "invalid_arguments"
            assert said in answer["error"]["message"]
        stream.sendall(b'{"id":9,"cancel":true}\n{"id":3,"verb":"recall","arguments":{"value":3}}\n')
        assert json.loads(next(lines))["result"]["echo"] == 3


def test_an_id_in_flight_is_not_used_twice(sandbox: Settings) -> None:
    with open_client(sandbox), raw(sandbox) as (stream, lines):
        next(lines)
        stream.sendall(encode({"id": 1, "verb": "recall", "arguments": {"do": "hold"}}) * 2)
        assert "in flight" in json.loads(next(lines))["error"]["message"]
        stream.sendall(encode({"id": 1, "cancel": True}))
        assert json.loads(next(lines))["error"]["kind"] == "cancelled"


def test_no_argument_and_no_content_is_logged(sandbox: Settings) -> None:
    with open_client(sandbox) as client:
        client.call("recall", {"value": "a-private-thing"})
        with pytest.raises(AfreshError):
            client.call("recall", {"do": "refuse", "value": "a-private-thing"})
    assert "a-private-thing" not in sandbox.log.read_text(encoding="utf-8")
