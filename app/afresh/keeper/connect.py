"""Reaching the keeper from another process: connect, or start one and wait."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from afresh.errors import AfreshError, KeeperUnavailableError
from afresh.keeper import election, system, transport
from afresh.keeper.wire import Hello, LineStream, error_from, shown

if TYPE_CHECKING:
    from pathlib import Path

    from afresh.settings import Settings

LOCK_NAME = "keeper.lock"
"""As in `Settings.lock`."""
_HELLO_S = 5.0
"""Seconds that a keeper has to answer a hello."""
_AGAIN_S = 0.3
"""Seconds after which another keeper is started, if one that was there has gone meanwhile."""
_SLOW = 3.0
"""How many times the patience a keeper gets that runs and doesn't listen yet."""
_LOG_LINES = 5


def _chance() -> float:
    """A number from 0 to below 1; `random` would be imported for this alone, on the path of every start."""
    return int.from_bytes(os.urandom(4), "big") / 2**32


class Starting(NamedTuple):
    """How a keeper is started and waited for; tests set other values."""

    command: Sequence[str] = ()
    """Empty: the real one."""
    patience: float = 10.0
    """Seconds until a keeper must listen."""
    spread: float = 0.05
    """Clients that find no keeper wait a random part of so many seconds before they start one."""
    chance: Callable[[], float] = _chance
    wait: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


class Link(NamedTuple):
    """An accepted connection."""

    stream: socket.socket
    lines: LineStream
    pid: int
    version: str


def reach(settings: Settings, hello: Hello, *, start: bool = True, starting: Starting | None = None) -> Link:
    """Connect to the keeper of the data folder; where none runs, start one if that is wanted.

    Raises KeeperUnavailableError where none answers and none can be started, and whatever the keeper
    refuses the hello with.
    """
    how = starting or Starting()
    link = _try_all(settings, hello)
    if link is not None:
        return link
    if not start:
        raise KeeperUnavailableError(f"no keeper runs for {settings.home}")
    how.wait(how.chance() * how.spread)
    return _start_and_wait(settings, hello, how)


def reach_known(environ: Mapping[str, str], hello: Hello) -> Link | None:
    """Connect to a keeper that runs already, without reading any settings; None where that isn't so easy.

    The lock's file in the data folder says where it listens. The data folder follows from the environment
    alone, by the rule of `afresh.settings`, which takes longer to import than all of this.
    """
    home = environ.get("AFRESH_HOME", "")
    if not home and sys.platform not in ("win32", "darwin") and "XDG_DATA_HOME" not in environ:
        above = environ.get("HOME", "")
        home = f"{above}/.local/share/afresh" if above else ""
    if not home or home.startswith("~"):
        return None
    noted = election.noted_holder(os.path.join(os.path.abspath(home), LOCK_NAME))  # noqa: PTH100, PTH118
    where = transport.Address.parse(noted.address) if noted is not None else None
    return _try(where, hello) if where is not None else None


def _start_and_wait(settings: Settings, hello: Hello, how: Starting) -> Link:
    from afresh.keeper import spawn

    began = how.clock()
    log_size = _size(settings.log)
    command = tuple(how.command) or spawn.keeper_command()
    process: system.Process | None = None
    started = began
    pause = 0.004
    while True:
        link = _try_all(settings, hello)
        if link is not None:
            return link
        now = how.clock()
        code = process.poll() if process is not None else 0
        if code is None:
            # Ours is on its way.
            late = now - began > how.patience * _SLOW
        elif code != 0:
            raise KeeperUnavailableError(
                f"the keeper ended with code {code}: {_log_tail(settings.log, log_size)}"
            )
        else:
            # Ours found another that holds the lock: that one is about to listen, or about to end.
            patience = how.patience * (_SLOW if _runs(settings) else 1.0)
            late = process is not None and now - began > patience
            if not late and (process is None or now - started > _AGAIN_S):
                process = spawn.start(settings, command, os.environ)
                started = now
        if late:
            raise _late(settings, now - began, log_size)
        how.wait(pause)
        pause = min(pause * 1.3, 0.1)


def _try_all(settings: Settings, hello: Hello) -> Link | None:
    where = transport.address(settings)
    link = _try(where, hello)
    if link is not None:
        return link
    # A keeper that was started under another environment listens elsewhere, and the lock's file says where.
    noted = election.noted_holder(settings.lock)
    elsewhere = transport.Address.parse(noted.address) if noted is not None else None
    return _try(elsewhere, hello) if elsewhere is not None and elsewhere != where else None


def _try(where: transport.Address, hello: Hello) -> Link | None:
    """Connect and introduce ourselves; None where no keeper of ours is there.

    Raises what the keeper refuses us with.
    """
    try:
        stream, secrets = transport.connect(where, _HELLO_S)
    except PermissionError as error:
        raise KeeperUnavailableError(
            f"{where.name} can't be reached ({error.strerror}); make it yours, or set AFRESH_RUNTIME to "
            "another folder"
        ) from None
    except OSError:
        return None
    link: Link | None = None
    try:
        stream.sendall(hello._replace(token=secrets.token).line())
        lines = LineStream(stream)
        answer = next(iter(lines), None)
        if answer is not None:
            link = _judge(answer, secrets, stream, lines)
    except OSError:
        return None
    finally:
        if link is None:
            stream.close()
    return link


def _judge(
    answer: bytes, secrets: transport.Secrets, stream: socket.socket, lines: LineStream
) -> Link | None:
    try:
        said: Any = json.loads(answer)
    except ValueError:
        said = None
    if not isinstance(said, dict) or "ok" not in said:
        return None
    if said["ok"] is not True:
        if said.get("retry") is True:
            return None
        raise error_from(said.get("error"))
    if said.get("proof", "") != secrets.proof:
        # Another program got the port of a keeper that is gone.
        return None
    stream.settimeout(None)
    return Link(stream, lines, int(said.get("pid", 0)), str(said.get("version", "")))


def _runs(settings: Settings) -> bool:
    noted = election.noted_holder(settings.lock)
    return noted is not None and system.is_running(noted.pid)


def _late(settings: Settings, waited: float, log_size: int) -> AfreshError:
    lock = election.Lock.acquire(settings.lock)
    if lock is not None:
        lock.release()
        return KeeperUnavailableError(
            f"the keeper didn't answer in {waited:.0f} s: {_log_tail(settings.log, log_size)}"
        )
    noted = election.noted_holder(settings.lock)
    who = election.describe_holder(settings.lock)
    if noted is not None and noted.in_process:
        advice = "it runs with --in-process; wait until it has ended"
    else:
        advice = "if it hangs, end it yourself and try again"
    return KeeperUnavailableError(
        f"{who} holds {settings.lock} and didn't answer in {waited:.0f} s; {advice}"
    )


def _log_tail(path: Path, size_before: int) -> str:
    """The last lines that were logged since, or where to look."""
    try:
        with path.open("rb") as file:
            file.seek(size_before if size_before <= _size(path) else 0)
            lines = [line for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        lines = []
    return "\n".join(lines[-_LOG_LINES:]) if lines else f"its log {shown(os.fsencode(path), 200)} is empty"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
