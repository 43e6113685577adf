"""The rows of an export as types: what `afresh import` takes from a line of JSON Lines.

Only kind, project and content are needed (for a memo: question, conclusion and files); what a row has
beyond these types is kept as it is, for it comes from an export of the same shape.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from afresh.contracts import MemoryType, SaveType
from afresh.errors import InvalidArgumentError

Tag = Annotated[str, StringConstraints(min_length=1, max_length=100)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="allow")

    project: str | None = Field(None, min_length=1, max_length=200)


class MemoryRow(_Row):
    kind: Literal["memory"]
    content: str = Field(min_length=1, max_length=100_000)
    external_id: str | None = Field(None, min_length=1, max_length=1024)
    type: SaveType = "fact"
    memory_type: MemoryType | None = None
    path: str | None = Field(None, max_length=1024)
    tags: list[Tag] | None = Field(None, max_length=50)
    branch: str | None = None
    event_time: AwareDatetime | None = None
    created_at: AwareDatetime | None = None
    agent_id: str | None = Field(None, max_length=200)
    source: dict[str, Any] | None = None


class MemoFileRow(BaseModel):
    model_config = ConfigDict(extra="allow")

    path: str = Field(min_length=1, max_length=1024)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    spans: list[dict[str, Any]] = []


class MemoRow(_Row):
    kind: Literal["memo"]
    question: str = Field(min_length=1, max_length=2000)
    conclusion: str = Field(min_length=1, max_length=20_000)
    files: list[MemoFileRow] = Field(min_length=1, max_length=200)
    root: str | None = None
    recorded_at: AwareDatetime | None = None


class ProjectRow(BaseModel):
    model_config = ConfigDict(extra="allow")

    kind: Literal["project"]
    name: str = Field(min_length=1, max_length=200)
    first_commits: list[Annotated[str, StringConstraints(pattern="^[0-9a-f]{40,64}$")]] = Field(
        [], max_length=1000
    )


class CheckoutRow(_Row):
    kind: Literal["checkout"]
    root: str = Field(min_length=1)


class SnapshotRow(BaseModel):
    model_config = ConfigDict(extra="allow")

    kind: Literal["snapshot"]
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    zstd: str


class HeaderRow(BaseModel):
    model_config = ConfigDict(extra="allow")

    kind: Literal["afresh"]
    format: int


_KINDS: dict[str, type[BaseModel]] = {
    "memory": MemoryRow,
    "memo": MemoRow,
    "project": ProjectRow,
    "checkout": CheckoutRow,
    "snapshot": SnapshotRow,
    "afresh": HeaderRow,
}


def parse_row(line: str) -> dict[str, Any]:
    """One line as a checked row, in JSON's own types.

    Raises InvalidArgumentError that says what is wrong with it.
    """
    try:
        row = json.loads(line)
    except ValueError as error:
        raise InvalidArgumentError(f"not JSON: {error}") from None
    if not isinstance(row, dict):
        raise InvalidArgumentError(f"must be an object; got {type(row).__name__}")
    kind = row.get("kind")
    model = _KINDS.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise InvalidArgumentError(f"kind must be one of {', '.join(_KINDS)}; got {kind!r}")
    try:
        model.model_validate(row)
    except ValidationError as error:
        told = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in told["loc"])
        raise InvalidArgumentError(f"{where}: {told['msg'][:1].lower()}{told['msg'][1:]}") from None
    return row
