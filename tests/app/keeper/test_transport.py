"""Where the keeper listens, and who may."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from afresh.errors import KeeperUnavailableError
from afresh.keeper import transport
from afresh.keeper.transport import Address
from afresh.settings import Settings


def test_a_listener_is_found_under_its_name_and_gone_after_its_end(either: Settings) -> None:
    listener = transport.listen(either)
    where = transport.address(either)
    assert listener.address == where
    assert Address.parse(str(where)) == where
    assert listener.is_in_place()
    stream, secrets = transport.connect(where, 5.0)
    stream.close()
    assert secrets == listener.secrets
    assert [path.name for path in either.runtime.iterdir()] == [where.path.name]
    listener.close()
    assert list(either.runtime.iterdir()) == []
    with pytest.raises(OSError):
        transport.connect(where, 5.0)


def test_a_name_left_by_the_dead_is_replaced(either: Settings) -> None:
    dead = transport.listen(either)
    dead.socket.close()
    assert dead.address.path.exists()
    with pytest.raises(OSError):
        transport.connect(dead.address, 5.0)
    alive = transport.listen(either)
    stream, _ = transport.connect(alive.address, 5.0)
    stream.close()
    dead.close()
    assert alive.is_in_place(), "the dead one's end took the other's name away"
    alive.close()


def test_tcp_listens_on_loopback_and_keeps_its_secrets_to_its_owner(sandbox: Settings) -> None:
    listener = transport.listen(replace(sandbox, transport="tcp"))
    assert listener.socket.getsockname()[0] == "127.0.0.1"
    assert listener.address.path.stat().st_mode & 0o777 == 0o600
    noted = json.loads(listener.address.path.read_text(encoding="utf-8"))
    assert len({noted["token"], noted["proof"]}) == 2
    assert min(len(noted["token"]), len(noted["proof"])) == 32
    listener.close()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"port": "x", "token": "", "proof": ""}'])
def test_a_broken_token_file_is_nobody_listening(sandbox: Settings, content: str) -> None:
    path = sandbox.runtime / "keeper.tcp"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(OSError):
        transport.connect(Address("tcp", str(path)), 5.0)


def test_a_path_too_long_for_a_socket_goes_by_tcp_unless_unix_was_asked_for(
    sandbox: Settings, tmp_path: Path
) -> None:
    far = tmp_path / ("long" * 30)
    automatic = replace(sandbox, transport="auto", runtime=far)
    assert transport.address(automatic).kind == "tcp"
    listener = transport.listen(automatic)
    listener.close()
    with pytest.raises(KeeperUnavailableError, match="AFRESH_RUNTIME"):
        transport.address(replace(automatic, transport="unix"))
    assert transport.address(replace(sandbox, transport="auto")).kind == "unix"


def test_a_folder_that_others_may_enter_is_refused_on_both_sides(either: Settings) -> None:
    listener = transport.listen(either)
    either.runtime.chmod(0o750)
    for use in (lambda: transport.listen(either), lambda: transport.connect(listener.address, 5.0)):
        with pytest.raises(KeeperUnavailableError, match=f"chmod 700 {either.runtime}"):
            use()
    either.runtime.chmod(0o700)
    listener.close()


def test_a_link_in_the_folders_place_is_refused(sandbox: Settings) -> None:
    there = sandbox.runtime / "there"
    there.mkdir(mode=0o700)
    link = sandbox.runtime / "link"
    link.symlink_to(there)
    with pytest.raises(KeeperUnavailableError, match="not a folder"):
        transport.listen(replace(sandbox, runtime=link))


def test_a_folder_that_others_may_replace_is_refused(sandbox: Settings) -> None:
    above = sandbox.runtime / "above"
    above.mkdir()
    above.chmod(0o777)
    with pytest.raises(KeeperUnavailableError, match="0777"):
        transport.listen(replace(sandbox, runtime=above / "mine"))


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root may give a folder away")
def test_a_folder_of_another_user_is_refused(sandbox: Settings) -> None:
    theirs = sandbox.runtime / "theirs"
    theirs.mkdir(mode=0o700)
    os.chown(theirs, 12345, -1)
    with pytest.raises(KeeperUnavailableError, match="12345"):
        transport.listen(replace(sandbox, runtime=theirs))


def test_a_folder_that_cannot_be_made_is_named_with_what_to_do(sandbox: Settings) -> None:
    (sandbox.runtime / "file").touch()
    with pytest.raises(KeeperUnavailableError, match="AFRESH_RUNTIME"):
        transport.listen(replace(sandbox, runtime=sandbox.runtime / "file" / "below"))


def test_addresses_are_read_only_as_they_were_written() -> None:
    assert Address.parse("unix:/a:b/c") == Address("unix", "/a:b/c")
    assert Address.parse("carrier pigeon") is None
    assert Address.parse("tcp:") is None


def test_small_lines_leave_at_once_over_tcp(sandbox: Settings) -> None:
    listener = transport.listen(replace(sandbox, transport="tcp"))
    stream, _ = transport.connect(listener.address, 5.0)
    assert stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    stream.close()
    listener.close()
