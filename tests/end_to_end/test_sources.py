"""What a workspace says of itself follows its files under the watch, seen from outside."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.end_to_end.sandbox import AFRESH
from tests.repositories import git

ANN = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
ADR = """\
# 1. Keep orders in SQLite

Date: 2024-03-05

## Status

Accepted

## Decision

Orders are kept in SQLite, one file a shop.
"""


class Watch:
    """The events of one `afresh watch --json`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._events: queue.Queue[dict[str, object]] = queue.Queue()
        self._process = process
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._events.put(json.loads(line))

    def until(self, wanted) -> dict[str, object]:
        while True:
            event = self._events.get(timeout=60)
            if wanted(event):
                return event

    def changed(self, path: str) -> dict[str, object]:
        return self.until(lambda event: event["kind"] == "change" and path in event["paths"])


@contextmanager
def watching(sandbox) -> Iterator[Watch]:
    process = subprocess.Popen(
        [AFRESH, "watch", "--json"],
        cwd=sandbox.root,
        env=sandbox.env,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        watch = Watch(process)
        watch.until(lambda event: event["kind"] == "watch" and event["mode"] == "native")
        # What happened before is brought in by a look at everything, which comes before any event.
        (sandbox.root / "ready.txt").write_text("ready\n", "utf-8")
        watch.changed("ready.txt")
        yield watch
    finally:
        process.terminate()
        process.wait(timeout=20)
        assert process.stdout is not None
        process.stdout.close()


def recalled(sandbox, query: str, *more: str):
    return sandbox.json("recall", query, "--limit", "20", *more)["result"]["memories"]


def write_sources(sandbox) -> None:
    root = sandbox.root
    (root / "CLAUDE.md").write_text(
        "# Shop\n\n## Rules\n\n- Run make test before each commit.\n"
        "- Deploy from the main branch on Tuesdays.\n",
        "utf-8",
    )
    (root / ".gitignore").write_text("CLAUDE.local.md\n.cursor/\n", "utf-8")
    (root / "CLAUDE.local.md").write_text("- My sandbox account is called turquoise.\n", "utf-8")
    (root / ".cursor" / "rules").mkdir(parents=True)
    (root / ".cursor" / "rules" / "sql.mdc").write_text(
        "---\ndescription: SQL style\nglobs: *.sql\n---\n\n- Keywords in SQL are written in capitals.\n",
        "utf-8",
    )
    (root / "docs" / "adr").mkdir(parents=True)
    (root / "docs" / "adr" / "0001-orders.md").write_text(ADR, "utf-8")
    sandbox.until_model()


@pytest.mark.timeout(180)
def test_an_edited_line_is_superseded_and_found_anew_within_a_second(sandbox):
    write_sources(sandbox)
    path = sandbox.root / "CLAUDE.md"
    with watching(sandbox) as watch:
        (old,) = [m for m in recalled(sandbox, "when do we deploy") if "Deploy from" in m["content"]]
        assert (old["source"]["path"], old["source"]["line"]) == ("CLAUDE.md", 6)
        text = path.read_text("utf-8")
        took = []
        for day in ("Mondays", "Fridays", "Sundays"):
            started = time.monotonic()
            path.write_text(text.replace("main branch on Tuesdays", f"release branch on {day}"), "utf-8")
            watch.changed("CLAUDE.md")
            took.append(time.monotonic() - started)
            found = [
                m["content"] for m in recalled(sandbox, "when do we deploy") if "Deploy from" in m["content"]
            ]
            assert found == [f"CLAUDE.md > Shop > Rules\n\n- Deploy from the release branch on {day}."]
        everything = recalled(sandbox, "when do we deploy", "--include-superseded")
        (before,) = [m for m in everything if m["id"] == old["id"]]
        assert before["superseded_by"] in [m["id"] for m in everything]
        # The quickest of three: the bound is for the watch, not for whatever else this machine does.
        assert min(took) < 1.0, took


@pytest.mark.timeout(180)
def test_a_deleted_decision_leaves_recall_and_stays_in_history(sandbox):
    write_sources(sandbox)
    path = sandbox.root / "docs" / "adr" / "0001-orders.md"
    with watching(sandbox) as watch:
        found = [m for m in recalled(sandbox, "where are orders kept") if "SQLite, one" in m["content"]]
        (decision,) = found
        assert (decision["type"], decision["tags"]) == ("decision", ["status:accepted"])
        assert decision["event_time"] == "2024-03-05T00:00:00Z"
        (path.parent / "0002-orders.md").write_text(
            ADR.replace("1. Keep orders in SQLite", "2. Keep orders in DuckDB")
            .replace("SQLite, one", "DuckDB, one")
            .replace("Accepted", "Accepted\n\nSupersedes [1. Keep orders](0001-orders.md)"),
            "utf-8",
        )
        watch.changed("docs/adr/0002-orders.md")
        paths = {m["path"] for m in recalled(sandbox, "where are orders kept") if "adr" in m["path"]}
        assert paths == {"docs/adr/0002-orders.md"}
        path.unlink()
        watch.changed("docs/adr/0001-orders.md")
        again = recalled(sandbox, "where are orders kept", "--include-superseded")
        assert decision["id"] not in [m["id"] for m in again]
    (record,) = sandbox.json("get", str(decision["id"]), "--history")["memories"]
    assert record["deleted_at"] is not None
    assert [version["reason"] for version in record["history"]][-1] == "its file is gone"


@pytest.mark.timeout(180)
def test_agent_files_that_git_ignores_are_known_and_followed(sandbox):
    write_sources(sandbox)
    with watching(sandbox) as watch:
        (mine,) = [m for m in recalled(sandbox, "sandbox account") if "turquoise" in m["content"]]
        assert mine["path"] == "CLAUDE.local.md"
        rule = sandbox.root / ".cursor" / "rules" / "sql.mdc"
        rule.write_text(rule.read_text("utf-8").replace("in capitals", "in small letters"), "utf-8")
        watch.changed(".cursor/rules/sql.mdc")
        found = [
            m["content"]
            for m in recalled(sandbox, "how are SQL keywords written")
            if "Keywords" in m["content"]
        ]
        assert found == [".cursor/rules/sql.mdc\n\n- Keywords in SQL are written in small letters."]


@pytest.mark.timeout(180)
def test_commits_are_remembered_for_who_asks_and_follow_the_branch(sandbox):
    write_sources(sandbox)
    assert sandbox.json("index")["commits"] == 0
    git(sandbox.root, "add", ".")
    git(sandbox.root, *ANN, "commit", "-q", "-m", "Round totals half to even, as auditors asked")
    assert sandbox.json("index", "--history", "10")["commits"] == 2
    with watching(sandbox) as watch:
        git(sandbox.root, *ANN, "commit", "-q", "--allow-empty", "-m", "Locks are released by a finalizer")
        watch.until(lambda event: event["kind"] == "change" and "1 commit" in event["message"])
        (found,) = [m for m in recalled(sandbox, "how are locks released") if m["source"]["kind"] == "git"]
        assert found["source"]["external_id"] == git(sandbox.root, "rev-parse", "HEAD").strip()
    refused = sandbox.run("index", "--history", "-1")
    assert refused.returncode == 2 and "--history" in refused.stderr


def test_another_programs_memories_come_in_once_and_follow(sandbox, tmp_path):
    memory = tmp_path / "-home-me-shop" / "memory"
    memory.mkdir(parents=True)
    index = memory / "MEMORY.md"
    index.write_text("# Lessons\n\n- Never restart the broker during a sale.\n", "utf-8")
    command = ("import", "--from", "claude", str(memory))
    assert sandbox.json(*command)["created"] == 1
    assert sandbox.json(*command)["unchanged"] == 1
    index.write_text("# Lessons\n\n- Never restart the broker on a Monday.\n", "utf-8")
    assert sandbox.json(*command)["updated"] == 1
    (found,) = [m for m in recalled(sandbox, "restart the broker") if "broker" in m["content"]]
    assert found["content"] == "Lessons\n\n- Never restart the broker on a Monday."
    refused = sandbox.run("import", "--from", "claude", str(tmp_path / "nowhere"))
    assert refused.returncode == 2 and "nowhere doesn't exist" in refused.stderr
