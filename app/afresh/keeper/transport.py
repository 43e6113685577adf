"""How bytes reach the keeper: a Unix socket in a private folder, or loopback TCP with a token.

Only the keeper that holds the lock makes either of them. It listens under a temporary name and renames
that into place, so that whoever finds the name finds a listener, and a dead keeper's socket is replaced.
"""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING, Literal, NamedTuple

from afresh.errors import KeeperUnavailableError
from afresh.keeper import system

if TYPE_CHECKING:
    from pathlib import Path

    from afresh.settings import Settings

_LONGEST = 103
"""Bytes of a Unix socket's path, without the closing zero, on the strictest system (macOS)."""
_BACKLOG = 512


class Address(NamedTuple):
    """Where a keeper listens."""

    kind: Literal["unix", "tcp"]
    name: str
    """The path of the socket, or of the file that holds port and token."""

    @property
    def path(self) -> Path:
        from pathlib import Path

        return Path(self.name)

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"

    @classmethod
    def parse(cls, text: str) -> Address | None:
        """Read what `str` wrote; None for anything else."""
        kind, _, name = text.partition(":")
        if kind == "unix" and name:
            return cls("unix", name)
        if kind == "tcp" and name:
            return cls("tcp", name)
        return None


class Secrets(NamedTuple):
    """What both sides of a TCP connection prove that they have read; empty on a Unix socket."""

    token: str = ""
    """Sent by the client."""
    proof: str = ""
    """Sent back by the keeper: another program that got hold of the port doesn't know it."""


class Listener(NamedTuple):
    """A keeper's listening socket under its name."""

    address: Address
    socket: socket.socket
    secrets: Secrets
    made: os.stat_result
    """The name as it was made."""

    def is_in_place(self) -> bool:
        """Whether clients can still find it: some systems clean their temporary folders."""
        try:
            return os.path.samestat(self.address.path.lstat(), self.made)
        except OSError:
            return False

    def close(self) -> None:
        """Take the name away first, so that nobody finds it and waits in vain; another's name stays."""
        if self.is_in_place():
            self.address.path.unlink(missing_ok=True)
        self.socket.close()


def address(settings: Settings) -> Address:
    """Where the keeper of these settings listens.

    Raises KeeperUnavailableError where a Unix socket is asked for and can't be had.
    """
    path = settings.runtime / "keeper.sock"
    usable = hasattr(socket, "AF_UNIX") and len(os.fsencode(path)) <= _LONGEST
    if settings.transport == "unix" and not usable:
        raise KeeperUnavailableError(
            f"AFRESH_TRANSPORT is unix, but the socket's path {path} is longer than {_LONGEST} bytes or this "
            "system has no Unix sockets; set AFRESH_RUNTIME to a shorter folder, or AFRESH_TRANSPORT to tcp"
        )
    if settings.transport == "tcp" or not usable:
        return Address("tcp", str(settings.runtime / "keeper.tcp"))
    return Address("unix", str(path))


def listen(settings: Settings) -> Listener:
    """Listen where clients look. Only the holder of the lock may call this.

    Raises KeeperUnavailableError where the folder can't be used.
    """
    where = address(settings)
    try:
        settings.runtime.mkdir(parents=True, mode=0o700, exist_ok=True)
        check_folder(str(settings.runtime))
        return _listen_unix(where) if where.kind == "unix" else _listen_tcp(where)
    except OSError as error:
        raise KeeperUnavailableError(
            f"the keeper can't listen in {settings.runtime} ({error.strerror or error}); "
            "make it writable, or set AFRESH_RUNTIME to another folder"
        ) from None


def connect(where: Address, timeout: float) -> tuple[socket.socket, Secrets]:
    """Connect to a keeper. Raises OSError where nobody listens, KeeperUnavailableError for a bad folder."""
    check_folder(os.path.dirname(where.name))  # noqa: PTH120 - see `system`
    if where.kind == "unix":
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        target: str | tuple[str, int] = where.name
        secrets = Secrets()
    else:
        try:
            with open(where.name, "rb") as file:  # noqa: PTH123 - see `system`
                noted = json.loads(file.read())
            target = ("127.0.0.1", int(noted["port"]))
            secrets = Secrets(str(noted["token"]), str(noted["proof"]))
        except (ValueError, KeyError, TypeError):
            raise ConnectionRefusedError(f"{where.name} names no port") from None
        stream = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        stream.settimeout(timeout)
        stream.connect(target)
        tune(stream)
    except BaseException:
        stream.close()
        raise
    return stream, secrets


def tune(stream: socket.socket) -> None:
    """Send small lines at once."""
    if stream.family == socket.AF_INET:
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def check_folder(folder: str) -> None:
    """Refuse a folder in which another user could have put a socket.

    Raises KeeperUnavailableError; OSError where there is no such folder.
    """
    problem = system.folder_problem(folder)
    if problem:
        raise KeeperUnavailableError(
            f"the folder {folder} is not safe for the keeper's socket: {problem}; "
            "or set AFRESH_RUNTIME to another folder"
        )


def _listen_unix(where: Address) -> Listener:
    temporary = where.path.with_name(f"k{os.getpid()}.new")
    temporary.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listening.bind(str(temporary))
        listening.listen(_BACKLOG)
        listening.setblocking(False)
        made = temporary.lstat()
        temporary.replace(where.path)
    except BaseException:
        listening.close()
        temporary.unlink(missing_ok=True)
        raise
    return Listener(where, listening, Secrets(), made)


def _listen_tcp(where: Address) -> Listener:
    # The module `secrets` would cost more than all of this; its source of randomness is the same.
    found = Secrets(os.urandom(16).hex(), os.urandom(16).hex())
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    temporary = where.path.with_name(f"k{os.getpid()}.new")
    try:
        listening.bind(("127.0.0.1", 0))
        listening.listen(_BACKLOG)
        listening.setblocking(False)
        content = {"port": listening.getsockname()[1], "token": found.token, "proof": found.proof}
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(content, file)
        made = temporary.lstat()
        temporary.replace(where.path)
    except BaseException:
        listening.close()
        temporary.unlink(missing_ok=True)
        raise
    return Listener(where, listening, found, made)
