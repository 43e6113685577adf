"""What a person can get wrong, and what a machine can: a clear text, the right exit code, nothing lost."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
import subprocess

import pytest
from tests.end_to_end.sandbox import AFRESH, Sandbox


def refused(done, *parts: str, code: int = 2) -> None:
    told = done.stdout + done.stderr
    assert done.returncode == code, told
    assert "Traceback" not in told
    for part in parts:
        assert part in told, told


def without_rights(sandbox: Sandbox, *arguments: str):
    """Run the command under the permissions that root, who often runs this suite, may ignore."""
    if os.geteuid() != 0:
        return sandbox.run(*arguments)
    # In a user namespace of its own a process owns what root owns, and may override nothing.
    return subprocess.run(
        ["unshare", "--user", AFRESH, *arguments],
        cwd=sandbox.root,
        env=sandbox.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_path_that_is_not_there(sandbox):
    refused(sandbox.run("index", "nowhere"), "nowhere")
    refused(sandbox.run("up", "--once", "nowhere"), "nowhere")


def test_a_file_instead_of_a_folder(sandbox):
    refused(sandbox.run("index", "main.py"), "main.py", "folder")


def test_the_root_and_the_home_folder_need_force(sandbox, tmp_path):
    refused(sandbox.run("index", "/"), "--force")
    sandbox.kill_keeper()
    sandbox.extra["HOME"] = str(tmp_path)
    refused(sandbox.run("index", str(tmp_path)), "home", "--force")


def test_wrong_values_are_named(sandbox):
    refused(sandbox.run("recall", "x", "--limit", "51"), "51")
    refused(sandbox.run("recall", "x", "--project", "nothing-here"), "nothing-here")
    refused(sandbox.run("save", ""), "content")
    refused(sandbox.run("record", "q", "c", "--files", "missing.py"), "missing.py")
    refused(sandbox.run("nonsense"), "nonsense")
    sandbox.extra["AFRESH_WATCH"] = "sometimes"
    refused(sandbox.run("status"), "AFRESH_WATCH", "sometimes")


def test_links_that_loop_and_odd_bytes_are_counted_not_fatal(sandbox):
    root = sandbox.root
    (root / "loop").symlink_to(root / "loop")
    (root / "up").symlink_to(root)
    (root / "latin.txt").write_bytes(b"caf\xe9\n")
    (root / "nul.dat").write_bytes(b"a\0b")
    huge = root / "huge.sql"
    with huge.open("wb") as file:
        file.truncate(2 * 1024**3)
    os.mkfifo(root / "pipe")
    result = sandbox.json("index")
    assert result["files"] == 5
    assert result["excluded"]["too_large"] == 1 and result["excluded"]["binary"] == 1
    assert result["excluded"]["link"] == 2
    assert sandbox.json("index")["read"] == 0


def test_a_file_without_permission_is_shown_and_the_rest_goes_in(sandbox):
    locked = sandbox.root / "secret.py"
    locked.write_text("x = 1\n", "utf-8")
    locked.chmod(0)
    done = without_rights(sandbox, "index", str(sandbox.root), "--json")
    assert done.returncode == 0, done.stderr
    assert '"unreadable":1' in done.stdout.replace(" ", "")


def test_a_database_from_a_newer_version_is_refused_and_kept(sandbox):
    from datetime import UTC, datetime

    from afresh.store.database import Store

    store = Store.open(sandbox.home / "afresh.duckdb", clock=lambda: datetime.now(UTC))
    with store.write() as tx:
        tx.execute("INSERT INTO schema_migrations VALUES (999, now()::TIMESTAMP)")
    store.close()
    before = (sandbox.home / "afresh.duckdb").read_bytes()
    refused(sandbox.run("status"), "newer", "999", code=3)
    sandbox.until_no_keeper()
    assert (sandbox.home / "afresh.duckdb").read_bytes() == before


def test_a_damaged_database_is_set_aside_and_work_goes_on(sandbox):
    sandbox.home.mkdir()
    (sandbox.home / "afresh.duckdb").write_bytes(b"this is no database" * 1000)
    done = sandbox.run("save", "After the damage.")
    assert done.returncode == 0, done.stderr
    kept = [path for path in sandbox.home.rglob("*damaged*") if path.is_file()]
    assert kept and kept[0].read_bytes().startswith(b"this is no database")
    assert "damaged" in sandbox.run("doctor").stdout


def test_a_data_folder_that_cannot_be_written_is_named(sandbox, tmp_path):
    blocked = tmp_path / "file-in-the-way"
    blocked.write_text("x", "utf-8")
    sandbox.home = blocked / "home"
    refused(sandbox.run("status"), "file-in-the-way", code=3)


def test_a_read_only_data_folder_is_named(sandbox):
    sandbox.home.mkdir()
    sandbox.home.chmod(0o555)
    refused(without_rights(sandbox, "status"), str(sandbox.home), "writable", code=3)


def test_a_full_disk_refuses_a_save_and_loses_nothing(sandbox):
    sandbox.home.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", str(sandbox.home)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip("only root can mount a small disk to fill")
    try:
        kept = sandbox.json("save", "Before the disk was full.")["id"]
        filler = sandbox.home / "filler"
        dice, acknowledged = random.Random(1), [kept]
        for _attempt in range(20):
            for size in (65536, 4096, 1):
                with filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
                    while True:
                        file.write(b"\1" * size)
            # Nothing that would shrink when it is packed.
            full = sandbox.run("save", dice.randbytes(45_000).hex(), "--json")
            if full.returncode != 0:
                break
            # The keeper folded its log between the two, which gave room.
            acknowledged.append(json.loads(full.stdout)["id"])
        refused(full, "full", code=3)
        filler.unlink()
        found = sandbox.json("get", *map(str, acknowledged))["memories"]
        assert [memory["id"] for memory in found] == acknowledged
        assert found[0]["content"] == "Before the disk was full."
        assert sandbox.run("save", "After there was room again.").returncode == 0
    finally:
        sandbox.kill_keeper()
        subprocess.run(["umount", str(sandbox.home)], check=False)


def test_a_stale_socket_is_replaced(sandbox):
    assert sandbox.run("status").returncode == 0
    sandbox.kill_keeper()
    assert any(path.is_socket() for path in sandbox.runtime.rglob("*"))
    assert sandbox.run("status").returncode == 0


def test_a_port_that_another_program_took_over_is_not_mistaken_for_a_keeper(sandbox):
    sandbox.extra["AFRESH_TRANSPORT"] = "tcp"
    assert sandbox.run("status").returncode == 0
    sandbox.kill_keeper()
    (address,) = [
        path for path in sandbox.runtime.rglob("*") if path.is_file() and "port" in path.read_text("utf-8")
    ]
    port = json.loads(address.read_text("utf-8"))["port"]
    with socket.create_server(("127.0.0.1", port)):
        assert sandbox.run("status").returncode == 0


def test_a_secret_stands_nowhere_in_the_data_folder(sandbox):
    aws = "AKIA" + "Q4RT7YPLKM2ZX8VN"
    secret_key = "q9Jx2Vw7Lp4Rz8Tn1Bd6" + "Hs3Kf0Yg5Mc+Ua/Qe2Io"
    token = "ghp_" + "x7Tq2Lk9Vb4Nc8Zr1Md6Ws3Ey5Uh0Ja7Pf2G"
    pem = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + ("MIIEpAIBAAKCAQEA7bq0" * 3 + "\n") * 6 + "-----END RSA "
    text = f"Deploy with {aws} and aws_secret_access_key = {secret_key}.\n{token}\n{pem}PRIVATE KEY-----\n"
    saved = sandbox.json("save", text)
    assert sum(item["count"] for item in saved["redacted"]) >= 3
    (sandbox.root / "notes.py").write_text(f'TOKEN = "{token}"\n', "utf-8")
    done = sandbox.run("record", f"Where is {token} used?", f"In {aws}.", "--files", "notes.py")
    assert done.returncode == 0, done.stderr
    raw = b"".join(path.read_bytes() for path in sandbox.home.rglob("*") if path.is_file())
    sandbox.run("keeper", "stop")
    sandbox.until_no_keeper()
    raw += b"".join(path.read_bytes() for path in sandbox.home.rglob("*") if path.is_file())
    for secret in (aws, secret_key, token, "MIIEpAIBAAKCAQEA7bq0"):
        assert secret.encode() not in raw
