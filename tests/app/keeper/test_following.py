"""The verb `follow`: one stream of what turns and what changes, until it is taken back."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.repositories import git

from afresh.engine.calls import Call, Caller
from afresh.keeper.service import OpenService, open_service
from afresh.settings import Settings

BOUND = 30.0


class Follower:
    """A caller that follows, and what it was told."""

    def __init__(self, service: OpenService, root: Path) -> None:
        self._told: queue.Queue[Mapping[str, Any]] = queue.Queue()
        self._call = Call(Caller(cwd=root), self._told.put)
        self._results: queue.Queue[Any] = queue.Queue()
        self._thread = threading.Thread(
            target=lambda: self._results.put(service.call("follow", {}, self._call)), daemon=True
        )
        self._thread.start()

    def until(self, kind: str) -> Mapping[str, Any]:
        while True:
            event = self._told.get(timeout=BOUND)
            if event["kind"] == kind:
                return event

    def leave(self) -> int:
        self._call.cancelled.set()
        told: int = self._results.get(timeout=BOUND).told
        return told


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "locks.py").write_text("def acquire():\n    return True\n", encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    return root


@pytest.fixture
def service(tmp_path: Path, root: Path) -> Iterator[OpenService]:
    home = tmp_path / "home"
    home.mkdir()
    opened = open_service(Settings(home=home, runtime=home, embed_model="none"), in_process=True)
    opened.call("index", {"path": str(root)}, Call(Caller(cwd=root)))
    yield opened
    opened.close()


def ask(service: OpenService, root: Path, verb: str, **arguments: Any) -> Any:
    return service.call(verb, arguments, Call(Caller(cwd=root)))


def test_what_is_recorded_edited_and_verified_is_told_with_what_it_cites(service: OpenService, root: Path):
    follower = Follower(service, root)
    assert follower.until("following")["project"] == "shop"
    follower.until("watch")
    recorded = ask(
        service,
        root,
        "memory_exploration_record",
        question="Why?",
        conclusion="So.",
        project="shop",
        files=["locks.py"],
    )
    told = follower.until("turned")
    assert (told["memos"], told["cited"], told["all"]) == ([recorded.id], ["locks.py"], False)
    (root / "locks.py").write_text("def acquire():\n    return False\n", encoding="utf-8")
    assert follower.until("turned")["memos"] == [recorded.id]
    assert follower.until("change")["paths"] == ["locks.py"]
    ask(service, root, "memory_exploration_verify", id=recorded.id, action="verify")
    assert follower.until("turned")["memos"] == [recorded.id]
    assert follower.leave() >= 5


def test_a_memory_that_cites_a_file_is_told_too(service: OpenService, root: Path):
    follower = Follower(service, root)
    follower.until("following")
    saved = ask(service, root, "memory_save", content="Locks hold.", files=["locks.py"])
    told = follower.until("turned")
    assert (told["memories"], told["cited"]) == ([saved.id], ["locks.py"])
    follower.leave()


def test_who_works_in_no_project_follows_all_the_same(service: OpenService, tmp_path: Path):
    follower = Follower(service, tmp_path)
    assert follower.until("following")["project"] is None
    follower.leave()
