"""`afresh up` on a real tree, twice; where its files go; and the same with no network at all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from tests.end_to_end.sandbox import AFRESH
from tests.repositories import git


def python_project(root: Path, files: int) -> None:
    """A repository of real source files: packages of this environment."""
    packages = Path(sysconfig.get_path("purelib"))
    taken = 0
    for name in ("pydantic", "rich", "click", "mcp", "anyio", "starlette", "hypothesis", "numpy", "pip"):
        for path in sorted((packages / name).rglob("*.py")):
            target = root / name / path.relative_to(packages / name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            taken += 1
        if taken >= files:
            break
    assert taken >= files
    (root / "CLAUDE.md").write_text("# Rules\n\n## Releases\n\nTag releases on Tuesdays only.\n", "utf-8")
    (root / "logo.bin").write_bytes(b"\x89\0\1\2" * 500)
    (root / ".gitignore").write_text("build/\n", "utf-8")
    (root / "build").mkdir()
    (root / "build" / "out.py").write_text("x = 1\n", "utf-8")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "start")


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "real"
    python_project(root, 1_000)
    return root


def tree(*tops: Path) -> set[str]:
    return {str(path) for top in tops for path in top.rglob("*")}


def test_up_indexes_a_real_project_and_recalls_a_note_and_the_second_run_reads_nothing(sandbox, project):
    done = sandbox.run("up", "--once", str(project), timeout=110)
    assert done.returncode == 0, done.stderr
    for part in ("python", "symbols", "1 binary", "CLAUDE.md:"):
        assert part in done.stdout
    first = sandbox.json("index", str(project))
    again = sandbox.run("up", "--once", str(project), timeout=110)
    assert again.returncode == 0 and "no file was opened" in again.stdout
    assert first["read"] == 0 and first["excluded"] == {"binary": 1} and first["ignored"] == 1


def test_a_scan_with_nothing_changed_changes_no_row(sandbox):
    stamps = []
    for _ in range(2):
        assert sandbox.run("index").returncode == 0
        assert sandbox.run("keeper", "stop").returncode == 0
        stamps.append(rows_of(sandbox))
    assert stamps[0] == stamps[1] and len(stamps[0]) == 4


def rows_of(sandbox):
    from datetime import UTC, datetime

    from afresh.store.database import Store

    sandbox.until_no_keeper()
    store = Store.open(sandbox.home / "afresh.duckdb", clock=lambda: datetime.now(UTC))
    try:
        with store.read() as cursor:
            return cursor.execute("SELECT * FROM files ORDER BY path").rows()
    finally:
        store.close()


def test_files_appear_only_in_the_data_folder_and_the_sockets(sandbox, tmp_path):
    house, temporary = tmp_path / "house", tmp_path / "tmp"
    house.mkdir()
    temporary.mkdir()
    sandbox.extra.update(HOME=str(house), TMPDIR=str(temporary), XDG_CACHE_HOME=str(house / "cache"))
    before = tree(sandbox.root, house, temporary)
    assert sandbox.run("up", "--once").returncode == 0
    assert sandbox.run("save", "Locks are exclusive.", "--files", "billing/locks.py").returncode == 0
    assert sandbox.run("record", "What is main?", "A print.", "--files", "main.py").returncode == 0
    assert sandbox.run("recall", "are locks exclusive").returncode == 0
    sandbox.kill_keeper()
    assert tree(sandbox.root, house, temporary) == before


def test_everything_works_with_no_network_at_all(sandbox):
    probe = subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip("this system lets nobody make a network namespace")
    embed = (
        "from afresh import client, settings; "
        "client.connect(settings.load(), cwd=None, client='test', kind='cli').call('embed', {})"
    )
    script = (
        f'"{AFRESH}" up --once && "{AFRESH}" save "Totals are in cents." && '
        f'"{sys.executable}" -c "{embed}" && '
        f'"{AFRESH}" recall "which unit do totals have" --json && "{AFRESH}" keeper stop'
    )
    done = subprocess.run(
        ["unshare", "-rn", "sh", "-c", script],
        cwd=sandbox.root,
        env=sandbox.env,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("{")]
    result = json.loads(line)["result"]
    assert result["retrieval"] == "hybrid" and result["memories"][0]["content"] == "Totals are in cents."


def test_up_without_a_terminal_goes_on_watching_until_it_is_interrupted(sandbox):
    process = subprocess.Popen(
        [AFRESH, "up"],
        cwd=sandbox.root,
        env=sandbox.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines = iter(process.stdout.readline, "")
    try:
        assert any("watching by" in line for line in lines)
        (sandbox.root / "billing" / "new.py").write_text("N = 1\n", "utf-8")
        assert any("billing/new.py" in line for line in lines)
    finally:
        process.send_signal(2)
        process.wait(timeout=20)
        process.stdout.close()
    assert process.returncode in (0, 130)


def test_a_folder_that_is_not_a_repository_is_indexed_too(sandbox, tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("def f(): ...\n", "utf-8")
    (plain / ".gitignore").write_text("*.log\n", "utf-8")
    (plain / "x.log").write_text("x", "utf-8")
    result = sandbox.json("index", str(plain))
    assert (result["files"], result["symbols"], result["ignored"]) == (2, 1, 1)
    assert not (plain / ".git").exists() and {path.name for path in plain.iterdir()} == {
        ".gitignore",
        "a.py",
        "x.log",
    }


def test_a_data_folder_inside_the_workspace_is_not_indexed(sandbox):
    sandbox.home = sandbox.root / "data"
    assert sandbox.run("status").returncode == 0
    assert sandbox.json("index")["files"] == 4


def test_another_data_folder_has_a_keeper_of_its_own(sandbox, tmp_path):
    assert sandbox.run("save", "In the first folder.").returncode == 0
    other = str(tmp_path / "other")
    assert sandbox.run("--home", other, "save", "In the second folder.").returncode == 0
    try:
        assert sandbox.json("status")["memories"]["total"] == 1
        found = sandbox.run("--home", other, "recall", "in the second folder")
        assert "In the second folder." in found.stdout
    finally:
        sandbox.run("--home", other, "keeper", "stop")
    assert sandbox.json("status")["memories"]["total"] == 1
