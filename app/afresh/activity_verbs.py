"""What goes on around the engine: what agents asked, who is connected, what changed, what was left out."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from afresh.contracts import Arguments, Result, Time


class RequestsArguments(Arguments):
    client: str | None = Field(None, min_length=1, max_length=200, description="A part of its name.")
    tool: str | None = Field(None, min_length=1, max_length=200)
    failed: bool | None = Field(None, description="Only those that failed, or only those that did not.")
    before: int | None = Field(None, description="Only older ones than the request with this id.")
    limit: int = Field(50, ge=1, le=500)


class FollowRequestsArguments(Arguments):
    """Tells `call_began` and `call_ended` events until it is taken back."""

    client: str | None = Field(None, min_length=1, max_length=200, description="A part of its name.")
    tool: str | None = Field(None, min_length=1, max_length=200)


class RequestArguments(Arguments):
    id: int


class RequestSummary(Result):
    """One call of a tool, without what was sent and answered."""

    id: int
    client: str
    kind: Literal["agent", "cli"]
    cwd: str | None
    session: str | None
    tool: str
    asked: str
    """What it is about, on one line: its question or text, or the ids that it names."""
    outcome: str
    """What came of it, on one line; the error where it failed."""
    arguments_length: int
    """Characters of the JSON."""
    result_length: int
    error_kind: str | None
    """Null where it was answered."""
    started_at: Time
    elapsed_ms: float


class RunningCall(Result):
    """One that has not ended yet."""

    number: int
    """The same in its events."""
    client: str
    kind: Literal["agent", "cli"]
    tool: str
    started_at: Time


class RequestsResult(Result):
    requests: list[RequestSummary]
    """Newest first."""
    total: int
    """How many match, on all pages."""
    running: list[RunningCall]
    kept: bool
    """Whether calls are written down."""
    days: int
    """For how long."""


class RequestResult(Result):
    """One call, whole as far as it was kept."""

    id: int
    client: str
    kind: Literal["agent", "cli"]
    cwd: str | None
    session: str | None
    tool: str
    asked: str
    outcome: str
    arguments: JsonValue
    """As sent, without secrets; the beginning of its JSON as a text where it was too long to keep."""
    arguments_length: int
    arguments_cut: bool
    result: JsonValue
    """The same for what was answered; null where the call failed."""
    result_length: int
    result_cut: bool
    error_kind: str | None
    error: str | None
    redacted: int
    """How many secrets were taken out."""
    started_at: Time
    elapsed_ms: float


class FollowRequestsResult(Result):
    told: int
    """How many calls were told of."""


class ConnectedClient(Result):
    """Whoever has a connection to the keeper."""

    client: str
    """The name that an agent's program gave itself, else what connected."""
    kind: Literal["agent", "cli"]
    mode: Literal["rpc", "mcp"]
    cwd: str | None
    since: Time
    watching: bool
    """Whether the workspace that it works in is watched for it."""


class ClientsResult(Result):
    clients: list[ConnectedClient]
    """The longest connected first."""


class ActivityArguments(Arguments):
    root: str | None = Field(None, min_length=1, max_length=1024, description="Default: of the workspace.")
    limit: int = Field(100, ge=1, le=100)


class WorkspaceChange(Result):
    """One batch that the watch brought in."""

    at: Time
    paths: list[str]
    """At most twenty."""
    changed: int
    removed: int
    commits: int
    lag_ms: float | None
    """From the change on the disk to its row."""


class CallSpeed(Result):
    """Calls of the last minute, small talk aside. Milliseconds within the keeper."""

    last_minute: int
    p50_ms: float | None
    p95_ms: float | None


class IndexSpeed(Result):
    """What was read into the index since the keeper started."""

    files: int
    bytes: int
    seconds: float


class ActivityResult(Result):
    root: str | None
    changes: list[WorkspaceChange]
    """Newest first; kept while the keeper runs."""
    calls: CallSpeed
    indexing: IndexSpeed
    embedded: int
    """Texts that got vectors since the keeper started."""


class ExcludedArguments(Arguments):
    project: str | None = Field(None, min_length=1, max_length=200, description="Default: the workspace's.")
    root: str | None = Field(None, min_length=1, max_length=1024)
    reason: str | None = Field(None, min_length=1, max_length=100)
    offset: int = Field(0, ge=0)
    limit: int = Field(500, ge=1, le=5000)


class ExcludedFile(Result):
    path: str
    reason: str
    detail: str


class ExcludedResult(Result):
    project: str | None
    root: str | None
    files: list[ExcludedFile]
    """By path."""
    total: int
    by_reason: dict[str, int]
