"""What agents ask is written down behind their calls, without secrets and within bounds."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.app.keeper.double import BOUND, eventually

from afresh.activity_verbs import RequestResult, RequestsResult
from afresh.client import Client, connect
from afresh.engine.calls import Call, Caller
from afresh.errors import AfreshError, StoreFullError
from afresh.keeper.request_log import DAYS, LONGEST, RequestLog
from afresh.keeper.service import OpenService, open_service
from afresh.settings import Settings
from afresh.store import Store

AGENT = Caller(cwd=Path("/srv/shop"), client="claude-code", kind="agent")
SECRET = "AKIAIOSFODNN7EXAMPLE"
KEY = "ghp_" + "a1B2" * 10


@pytest.fixture
def service(tmp_path: Path) -> Iterator[OpenService]:
    home = tmp_path / "home"
    opened = open_service(Settings(home=home, runtime=home, embed_model="none"), in_process=True)
    yield opened
    opened.close()


def save(service: OpenService, caller: Caller = AGENT, **arguments: Any) -> None:
    service.call("memory_save", {"project": "shop", **arguments}, Call(caller))


def listed(service: OpenService, **arguments: Any) -> RequestsResult:
    result = service.call("requests", arguments, Call())
    assert isinstance(result, RequestsResult)
    return result


def shown(service: OpenService, id_: int) -> RequestResult:
    result = service.call("request", {"id": id_}, Call())
    assert isinstance(result, RequestResult)
    return result


def test_an_agents_call_is_listed_as_soon_as_it_is_asked_for(service: OpenService) -> None:
    save(service, content="Locks are taken in order.", session_id="s1")
    (request,) = listed(service).requests
    assert (request.client, request.kind, request.cwd) == ("claude-code", "agent", "/srv/shop")
    assert (request.tool, request.session, request.error_kind) == ("memory_save", "s1", None)
    assert (request.asked, request.outcome) == ("Locks are taken in order.", "saved #1")
    assert request.elapsed_ms > 0
    whole = shown(service, request.id)
    assert isinstance(whole.arguments, dict) and whole.arguments["content"] == "Locks are taken in order."
    assert isinstance(whole.result, dict) and whole.result["id"] == 1
    assert not whole.arguments_cut and not whole.result_cut and whole.redacted == 0


def test_what_people_ask_is_not_written_down_and_what_editors_ask_is(service: OpenService) -> None:
    for client in ("cli", "tui", "lsp"):
        service.call("recall", {"query": "x", "project": "%"}, Call(Caller(client=client, kind="cli")))
    service.call("projects", {}, Call(AGENT))
    assert [request.client for request in listed(service).requests] == ["lsp"]


def test_a_call_that_fails_is_written_down_with_its_error(service: OpenService) -> None:
    with pytest.raises(AfreshError):
        service.call("recall", {"query": "", "nope": KEY}, Call(AGENT))
    (request,) = listed(service, failed=True).requests
    whole = shown(service, request.id)
    assert request.error_kind == whole.error_kind == "invalid_arguments"
    assert whole.error is not None and "unknown argument 'nope'" in whole.error
    assert whole.result is None and request.outcome.startswith("query: ")
    assert KEY not in whole.model_dump_json()


def test_no_secret_of_a_call_reaches_the_disk(service: OpenService, tmp_path: Path) -> None:
    service.call("recall", {"query": f"who uses {SECRET}", "project": "%"}, Call(AGENT))
    save(service, content=f"the deploy key is {KEY}", tags=[KEY])
    requests = listed(service).requests
    for request in requests:
        whole = shown(service, request.id)
        text = whole.model_dump_json() + request.model_dump_json()
        assert SECRET not in text and KEY not in text
        assert whole.redacted > 0
    written = [file.read_bytes() for file in (tmp_path / "home").glob("afresh.duckdb*")]
    assert any(b"memory_save" in content for content in written)
    assert not any(secret.encode() in content for content in written for secret in (SECRET, KEY))


def test_long_texts_are_cut_to_their_bound_and_a_secret_at_the_cut_is_not_halved(
    service: OpenService,
) -> None:
    # Of the content's JSON so much is kept that the key would be cut in its middle.
    before = len('{"project":"shop","content":"')
    content = ("word " * LONGEST)[: LONGEST - before - 20] + f" {KEY} " + "z" * 20_000
    save(service, content=content)
    whole = shown(service, listed(service).requests[0].id)
    assert whole.arguments_cut and isinstance(whole.arguments, str) and len(whole.arguments) == LONGEST
    assert whole.arguments_length > LONGEST
    assert KEY[:8] not in whole.arguments


def test_a_request_can_be_followed_from_its_beginning_to_its_end(service: OpenService) -> None:
    events: queue.Queue[Any] = queue.Queue()
    stop = threading.Event()
    asked = {"tool": "memory_save"}
    results: list[Any] = []
    follower = threading.Thread(
        target=lambda: results.append(
            service.call("follow_requests", asked, Call(emit=events.put, cancelled=stop))
        )
    )
    follower.start()
    eventually(lambda: service.requests.followers == 1)
    service.call("recall", {"query": "x", "project": "%"}, Call(AGENT))
    save(service, content="Told at once.")
    began, ended = events.get(timeout=BOUND), events.get(timeout=BOUND)
    assert (began["kind"], began["call"]["tool"]) == ("call_began", "memory_save")
    assert (ended["kind"], ended["number"]) == ("call_ended", began["call"]["number"])
    assert ended["request"]["outcome"] == "saved #1"
    assert shown(service, ended["request"]["id"]).tool == "memory_save"
    stop.set()
    follower.join(BOUND)
    assert results[0].told == 1 and service.requests.followers == 0


def test_what_runs_is_listed_as_running(store: RequestLog) -> None:
    begun = store.begin(AGENT, "recall", {"query": "x"})
    assert begun is not None
    assert [call.tool for call in store.running()] == ["recall"]
    store.end(begun, None, ValueError("secret-content"))
    assert store.running() == []


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RequestLog]:
    with Store.open(tmp_path / "afresh.duckdb", clock=lambda: datetime.now(UTC)) as opened:
        log = RequestLog(opened, lambda: datetime.now(UTC), on=True)
        log.start()
        yield log
        log.close()


def test_an_unforeseen_error_is_told_without_its_text(store: RequestLog) -> None:
    begun = store.begin(AGENT, "recall", {"query": "x", "session_id": "\ud800"})
    assert begun is not None
    store.end(begun, None, ValueError("secret-content"))
    store.flush()
    with store.store.read() as cursor:
        row = cursor.execute("SELECT error_kind, error, session FROM requests").one()
    assert row == ("internal", "internal error: ValueError; the keeper's log has the details", "\\ud800")


def test_a_full_disk_loses_requests_and_never_a_call(store: RequestLog, monkeypatch: Any) -> None:
    def full(**_options: Any) -> Any:
        raise StoreFullError("the disk is full")

    monkeypatch.setattr(store.store, "write", full)
    for _ in range(3):
        begun = store.begin(AGENT, "recall", {"query": "x"})
        assert begun is not None
        store.end(begun, None, None)
    store.flush()
    monkeypatch.undo()
    begun = store.begin(AGENT, "recall", {"query": "after"})
    assert begun is not None
    store.end(begun, None, None)
    store.flush()
    with store.store.read() as cursor:
        assert cursor.execute("SELECT asked FROM requests").rows() == [("after",)]


def test_requests_go_after_thirty_days(tmp_path: Path) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    clock = [now]
    with Store.open(tmp_path / "afresh.duckdb", clock=lambda: clock[0]) as opened:
        log = RequestLog(opened, lambda: clock[0], on=True)
        log.start()
        for days in (0, 5):
            clock[0] = now + timedelta(days=days)
            begun = log.begin(AGENT, "recall", {"query": f"day {days}"})
            assert begun is not None
            log.end(begun, None, None)
        log.flush()
        clock[0] = now + timedelta(days=DAYS + 1)
        log.purge()
        with opened.read() as cursor:
            assert cursor.execute("SELECT asked FROM requests").rows() == [("day 5",)]
        log.close()


def test_switched_off_it_writes_nothing_down_and_says_so(tmp_path: Path) -> None:
    home = tmp_path / "home"
    settings = Settings(home=home, runtime=home, embed_model="none", requests=False)
    service = open_service(settings, in_process=True)
    try:
        save(service, content="Kept as a memory alone.")
        result = listed(service)
        assert (result.requests, result.total, result.kept) == ([], 0, False)
    finally:
        service.close()


def agent(settings: Settings, root: Path) -> Client:
    return connect(settings, cwd=root, client="claude-code", kind="agent")


def test_a_keeper_that_ends_has_written_down_what_it_answered(sandbox: Settings, tmp_path: Path) -> None:
    with agent(sandbox, tmp_path) as client:
        client.call("memory_save", {"content": "The last words.", "project": "shop"})
        client.call("keeper_stop", {})
    with connect(sandbox, cwd=tmp_path, client="cli", kind="cli") as client:
        (request,) = client.call("requests", {"client": "claude"})["requests"]
        whole = client.call("request", {"id": request["id"]})
    assert whole["arguments"] == {"content": "The last words.", "project": "shop"}
    assert json.dumps(whole["result"])


def test_whoever_is_connected_is_told_by_name_and_place(sandbox: Settings, tmp_path: Path) -> None:
    with (
        agent(sandbox, tmp_path) as client,
        connect(sandbox, cwd=tmp_path, client="tui", kind="cli") as other,
    ):
        client.call("projects", {})
        clients = other.call("clients", {})["clients"]
    assert [(c["client"], c["kind"], c["mode"], c["cwd"]) for c in clients] == [
        ("claude-code", "agent", "rpc", str(tmp_path)),
        ("tui", "cli", "rpc", str(tmp_path)),
    ]
