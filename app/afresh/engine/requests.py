"""What agents and editors asked, as it was written down."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Literal

from pydantic import JsonValue

from afresh.activity_verbs import (
    RequestArguments,
    RequestResult,
    RequestsArguments,
    RequestsResult,
    RequestSummary,
    RunningCall,
)
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.store import requests
from afresh.store.requests import Request, Wanted


def listed(
    engine: Engine, arguments: RequestsArguments, running: Sequence[RunningCall], *, kept: bool, days: int
) -> RequestsResult:
    """A page of requests, newest first, with those that run now."""
    wanted = Wanted(client=arguments.client, tool=arguments.tool, failed=arguments.failed)
    with engine.store.read() as cursor:
        found = requests.page(cursor, wanted, before=arguments.before, limit=arguments.limit)
        total = requests.count(cursor, wanted)
    return RequestsResult(
        requests=[summary(request) for request in found],
        total=total,
        running=[call for call in running if matches(arguments.client, arguments.tool, call)],
        kept=kept,
        days=days,
    )


def request(engine: Engine, arguments: RequestArguments, _call: Call) -> RequestResult:
    """One request, whole. Raises NotFoundError."""
    with engine.store.read() as cursor:
        found = requests.get(cursor, arguments.id)
    arguments_cut = len(found.arguments) < found.arguments_length
    result_cut = found.result is not None and len(found.result) < found.result_length
    return RequestResult(
        id=found.id,
        client=found.client,
        kind=_kind(found.kind),
        cwd=found.cwd,
        session=found.session,
        tool=found.tool,
        asked=found.asked,
        outcome=found.outcome,
        arguments=_value(found.arguments, arguments_cut),
        arguments_length=found.arguments_length,
        arguments_cut=arguments_cut,
        result=None if found.result is None else _value(found.result, result_cut),
        result_length=found.result_length,
        result_cut=result_cut,
        error_kind=found.error_kind,
        error=found.error,
        redacted=found.redacted,
        started_at=found.started_at,
        elapsed_ms=found.elapsed_ms,
    )


def summary(request: Request) -> RequestSummary:
    """A request as a list shows it."""
    return RequestSummary(
        id=request.id,
        client=request.client,
        kind=_kind(request.kind),
        cwd=request.cwd,
        session=request.session,
        tool=request.tool,
        asked=request.asked,
        outcome=request.outcome,
        arguments_length=request.arguments_length,
        result_length=request.result_length,
        error_kind=request.error_kind,
        started_at=request.started_at,
        elapsed_ms=request.elapsed_ms,
    )


def matches(client: str | None, tool: str | None, call: RunningCall | RequestSummary) -> bool:
    """Whether a call is one of those that are asked for."""
    return (client is None or client.lower() in call.client.lower()) and tool in (None, call.tool)


def _value(text: str, cut: bool) -> JsonValue:
    if cut:
        return text
    value: JsonValue = json.loads(text)
    return value


def _kind(kind: str) -> Literal["agent", "cli"]:
    return "agent" if kind == "agent" else "cli"
