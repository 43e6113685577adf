"""requests: what is asked, what is shown, and with which code it ends."""

from __future__ import annotations

import json
from typing import Any

from tests.app.faces.command_line import run
from tests.app.faces.doubles import NOW, THEN, EngineDouble

from afresh.activity_verbs import FollowRequestsResult, RequestResult, RequestsResult, RequestSummary
from afresh.errors import NotFoundError

RECALL = RequestSummary(
    id=12,
    client="claude-code",
    kind="agent",
    cwd="/srv/shop",
    session=None,
    tool="recall",
    asked="why no floats",
    outcome="2 memories",
    arguments_length=30,
    result_length=900,
    error_kind=None,
    started_at=NOW,
    elapsed_ms=3.46,
)
REFUSED = RECALL.model_copy(
    update={
        "id": 9,
        "client": "Zed",
        "tool": "memory_save",
        "asked": "",
        "outcome": "content is required",
        "error_kind": "invalid_arguments",
        "started_at": THEN.replace(day=28, month=4),
        "elapsed_ms": 1234.0,
    }
)
PAGE = RequestsResult(requests=[RECALL, REFUSED], total=2, running=[], kept=True, days=30)
WHOLE = RequestResult(
    id=12,
    client="claude-code",
    kind="agent",
    cwd="/srv/shop",
    session="s1",
    tool="recall",
    asked="why no floats",
    outcome="2 memories",
    arguments={"query": "why no floats"},
    arguments_length=25,
    arguments_cut=False,
    result={"count": 2},
    result_length=11,
    result_cut=False,
    error_kind=None,
    error=None,
    redacted=1,
    started_at=THEN,
    elapsed_ms=3.46,
)
ENDED: dict[str, Any] = {"kind": "call_ended", "number": 4, "request": RECALL.model_dump(mode="json")}
BEGAN: dict[str, Any] = {"kind": "call_began", "call": {"number": 4}}


def engine(**replies: Any) -> EngineDouble:
    told = {"requests": PAGE, "request": WHOLE, "follow_requests": FollowRequestsResult(told=1), **replies}
    return EngineDouble(told, events={"follow_requests": [BEGAN, ENDED, KeyboardInterrupt()]})


def test_requests_are_listed_with_the_latest_last() -> None:
    outcome = run("requests", engine=engine())
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == (
        "#9   04-28 11:00  Zed          memory_save   1.23 s                 ✖ content is required\n"
        "#12  14:00:00     claude-code  recall        3.5 ms  why no floats  2 memories\n"
    )


def test_what_is_left_out_is_counted_with_the_way_to_it() -> None:
    more = PAGE.model_copy(update={"total": 40})
    assert run("requests", engine=engine(requests=more)).out.endswith("38 more; older ones: --before 9\n")


def test_no_request_is_the_answer_no_and_a_log_that_is_off_says_so() -> None:
    none = PAGE.model_copy(update={"requests": [], "total": 0})
    outcome = run("requests", engine=engine(requests=none))
    assert (outcome.code, outcome.out[:21]) == (1, "No request is known: ")
    off = none.model_copy(update={"kept": False})
    assert run("requests", engine=engine(requests=off)).out == (
        "Requests are not kept: AFRESH_REQUESTS is off.\n"
    )


def test_filters_and_pages_are_asked_for_as_given() -> None:
    double = engine()
    words = ("--client", "claude", "--tool", "recall", "--failed", "--limit", "5", "--before", "9")
    run("requests", *words, engine=double)
    assert double.calls == [
        ("requests", {"client": "claude", "tool": "recall", "failed": True, "limit": 5, "before": 9})
    ]


def test_one_request_is_shown_with_all_that_was_sent_and_answered() -> None:
    double = engine()
    outcome = run("requests", "12", engine=double)
    assert double.calls == [("request", {"id": 12})]
    assert outcome.out == (
        "#12  recall\n"
        "  3 hours ago (2026-05-01 11:00 UTC), 3.5 ms\n"
        "  claude-code (agent) in /srv/shop, session s1\n"
        "  1 secret taken out\n"
        "\n"
        "arguments\n"
        '  {\n    "query": "why no floats"\n  }\n'
        "\n"
        "result\n"
        '  {\n    "count": 2\n  }\n'
    )


def test_a_failed_request_shows_its_error_and_a_cut_text_says_how_long_it_was() -> None:
    failed = WHOLE.model_copy(
        update={
            "arguments": '{"content":"' + "x" * 20,
            "arguments_cut": True,
            "arguments_length": 90_000,
            "result": None,
            "error_kind": "invalid_arguments",
            "error": "content: too \x1b[2J long",
        }
    )
    out = run("requests", "12", engine=engine(request=failed)).out
    assert "… cut: the whole had 90,000 characters\n" in out
    assert out.endswith("✖ invalid arguments\n  content: too ␛[2J long\n")


def test_a_request_that_is_gone_ends_with_one() -> None:
    outcome = run("requests", "3", engine=engine(request=NotFoundError("there is no request 3")))
    assert (outcome.code, outcome.err) == (1, "afresh: there is no request 3\n")


def test_the_json_is_the_result_and_nothing_else() -> None:
    assert json.loads(run("requests", "--json", engine=engine()).out) == PAGE.model_dump(mode="json")
    assert json.loads(run("requests", "12", "--json", engine=engine()).out) == WHOLE.model_dump(mode="json")


def test_following_shows_each_call_as_it_ends_until_interrupted() -> None:
    outcome = run("requests", "--follow", "--tool", "recall", engine=(double := engine()))
    assert outcome.code == 130
    assert (
        outcome.out.splitlines()[-1]
        == "#12  14:00:00  claude-code  recall   3.5 ms  why no floats  2 memories"
    )
    assert double.calls[-1] == ("follow_requests", {"tool": "recall"})
    failed = run("requests", "--follow", "--failed", engine=engine())
    assert failed.out.splitlines()[-1].startswith("#12  14:00:00     claude-code")


def test_following_as_json_is_one_event_a_line() -> None:
    outcome = run("requests", "--follow", "--json", engine=engine())
    assert [json.loads(row) for row in outcome.out.splitlines()] == [BEGAN, ENDED]


def test_following_one_request_is_wrong_usage() -> None:
    outcome = run("requests", "12", "--follow", engine=engine())
    assert (outcome.code, "leave it out" in outcome.err) == (2, True)
