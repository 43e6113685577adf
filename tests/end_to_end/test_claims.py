"""Notes about real code, half of which is deleted under a watch and between two commands: `afresh claims`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rich
from tests.benchmarks.planted_claims import delete, judged, notes_about, write_notes
from tests.end_to_end.sandbox import AFRESH, Sandbox
from tests.repositories import git

from afresh import client as clients
from afresh.settings import load


def events(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert process.stdout is not None
    for line in iter(process.stdout.readline, ""):
        yield json.loads(line)


def test_the_dead_are_found_in_notes_and_none_of_the_living_is_called_dead(
    sandbox: Sandbox,
) -> None:
    package = Path(str(rich.__file__)).parent
    for source in package.glob("*.py"):
        (sandbox.root / "rich").mkdir(exist_ok=True)
        (sandbox.root / "rich" / source.name).write_bytes(source.read_bytes())
    git(sandbox.root, "add", ".")
    git(sandbox.root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "rich")
    notes = notes_about(sandbox.root, 40, seed=1)
    assert sandbox.run("index").returncode == 0
    with clients.connect(load(sandbox.env), cwd=sandbox.root, client="test", kind="cli") as client:
        places = write_notes(sandbox.root, notes, client)
    alive = sandbox.run("claims")
    assert alive.returncode == 0 and "No dead claims" in alive.stdout, alive.stdout
    watch = subprocess.Popen(
        [AFRESH, "watch", "--json"], cwd=sandbox.root, env=sandbox.env, stdout=subprocess.PIPE, text=True
    )
    try:
        told = events(watch)
        assert any(event["kind"] == "watch" and event["mode"] != "off" for event in told)
        waiting = set(delete(sandbox.root, notes[:20]))
        assert len(waiting) == 10
        for event in told:
            waiting -= set(event.get("paths", ()))
            if not waiting:
                break
    finally:
        watch.send_signal(2)
        watch.wait(timeout=20)
        assert watch.stdout is not None
        watch.stdout.close()
    delete(sandbox.root, notes[20:])
    found = sandbox.run("claims", "--json")
    assert found.returncode == 1, found.stderr
    missed, alarms = judged(json.loads(found.stdout), notes, places)
    assert alarms == []
    assert len(missed) <= 2
    shown = sandbox.run("claims")
    assert shown.returncode == 1
    assert "CLAUDE.md\n" in shown.stdout and "memory #" in shown.stdout


def test_claims_of_a_folder_that_nobody_indexed_are_refused_with_what_to_do(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    done = sandbox.run("--in-process", "claims", cwd=tmp_path / "elsewhere")
    assert done.returncode == 2 and "index it first" in done.stderr
    gone = sandbox.run("--in-process", "claims", "--root", str(tmp_path / "nowhere"))
    assert gone.returncode == 2 and "is in no known project" in gone.stderr
