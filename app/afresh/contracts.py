"""Every tool's arguments and results as types: defined here and nowhere else.

Arguments come from outside and are checked strictly: unknown names, wrong types and values out of bounds
are refused with a text that names the argument, the bound and what was sent. Results are built by the
engine from these types, so that the schemas which agents are shown can't differ from what they get.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal, Self, get_args

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

SaveType = Literal["fact", "decision", "solution", "lesson", "convention"]
MemoryType = Literal["episodic", "identity", "procedural", "semantic", "working"]
RecallType = Literal[
    "%",
    "auto",
    "episodic",
    "identity",
    "procedural",
    "semantic",
    "working",
    "fact",
    "decision",
    "solution",
    "lesson",
    "convention",
]
Status = Literal["fresh", "stale"]
Impact = Literal["eol_only", "elsewhere", "cosmetic", "docs_only", "moved", "edited", "gone"]
SpanState = Literal["unchanged", "eol_only", "elsewhere", "cosmetic", "docs_only", "moved", "edited", "gone"]

SAVE_TYPES: tuple[str, ...] = get_args(SaveType)
MEMORY_TYPES: tuple[str, ...] = get_args(MemoryType)

MEMORY_TYPE_OF: Mapping[str, MemoryType] = {
    "fact": "semantic",
    "decision": "semantic",
    "solution": "procedural",
    "lesson": "procedural",
    "convention": "procedural",
}
"""The memory type of a save that names none."""


def rfc3339(moment: datetime) -> str:
    """A moment as RFC 3339 in UTC with `Z`, fractions only where there are some."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


Time = Annotated[
    datetime,
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]


class Arguments(BaseModel):
    """What a caller sends."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Result(BaseModel):
    """What a caller gets."""

    model_config = ConfigDict(frozen=True)


# --- shared parts -------------------------------------------------------------------------------------


class CitedFile(Arguments):
    """A source, or a part of one: by lines, by symbol, or by a quote that stands in it."""

    path: str = Field(min_length=1, max_length=1024)
    start_line: int | None = Field(None, ge=1)
    end_line: int | None = Field(None, ge=1)
    symbol: str | None = Field(None, min_length=1, max_length=500, description="qualified: Command.invoke")
    quote: str | None = Field(None, min_length=1, max_length=20_000)

    @model_validator(mode="after")
    def _one_way_to_cite(self) -> CitedFile:
        if (self.start_line is None) != (self.end_line is None):
            raise ValueError("start_line and end_line go together")
        if self.start_line is not None and self.end_line is not None and self.end_line < self.start_line:
            raise ValueError(f"end_line {self.end_line} is before start_line {self.start_line}")
        return self


Citation = Annotated[
    CitedFile,
    BeforeValidator(
        lambda sent: {"path": sent} if isinstance(sent, str) else sent, json_schema_input_type=str | CitedFile
    ),
]
"""A path alone cites the whole file."""


def _rfc3339_text(sent: object) -> object:
    if isinstance(sent, str) and not _DATE_TIME.match(sent):
        raise ValueError("must be RFC 3339 with an offset, such as 2026-03-01T12:00:00Z")
    if sent is not None and not isinstance(sent, str | datetime):
        raise ValueError("must be a text, RFC 3339 with an offset, such as 2026-03-01T12:00:00Z")
    return sent


_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d")


Moment = Annotated[
    AwareDatetime,
    Field(strict=False),
    BeforeValidator(_rfc3339_text, json_schema_input_type=str),
]
"""A time as a caller sends it: RFC 3339 with an offset, and no number of seconds."""
CitedFiles = list[Citation]


def _moment_or_nothing(sent: object) -> object:
    checked = _rfc3339_text(sent) if sent != "" else ""
    if not isinstance(checked, str) or not checked:
        return checked
    moment = datetime.fromisoformat(checked)
    if moment.tzinfo is None:
        raise ValueError("must be RFC 3339 with an offset, such as 2026-03-01T12:00:00Z")
    return moment


def _iso_or_nothing(sent: object) -> object:
    if not isinstance(sent, str) or sent == "":
        return sent
    try:
        return datetime.fromisoformat(sent)
    except ValueError:
        raise ValueError("must be ISO 8601, such as 2026-03-01T12:00:00Z or 2026-03-01") from None


OptionalMoment = Annotated[
    datetime | Literal[""], BeforeValidator(_moment_or_nothing, json_schema_input_type=str)
]
"""A time, RFC 3339 with an offset; the empty text means not given."""
OptionalIsoTime = Annotated[
    datetime | Literal[""], BeforeValidator(_iso_or_nothing, json_schema_input_type=str)
]
"""A time in any form of ISO 8601; without an offset it is one of the owner's timezone."""
LONGEST_WINDOW = timedelta(days=90)


class Source(Result):
    """Where a memory came from."""

    kind: Literal["agent", "cli", "file", "import", "git"]
    path: str | None = None
    line: int | None = None
    external_id: str | None = None


class Freshness(Result):
    """Whether the files that a memory cites are what they were."""

    status: Status
    impact: Impact | None = None
    changed_files: list[str]
    missing_files: list[str]


class Redaction(Result):
    kind: str
    count: int


class Near(Result):
    id: int
    score: float
    content: str


# --- 1 to 4: memories ---------------------------------------------------------------------------------


class SaveArguments(Arguments):
    content: str = Field(min_length=1, max_length=100_000, description="One idea that stands by itself.")
    type: SaveType = Field("fact", description="What kind of thing it is.")
    project: Name | None = Field(None, description="Default: the project of the working directory.")
    memory_type: MemoryType | None = Field(None, description="Default: from type. working: for a few days.")
    path: str = Field("", max_length=1024, description="Logical place, such as billing/locks.")
    tags: list[Annotated[str, StringConstraints(min_length=1, max_length=100)]] = Field(
        [], max_length=50, description="Words to find it by."
    )
    branch: str | None = Field(None, max_length=1024, description="Default: the checkout's.")
    event_time: Moment | None = Field(
        None, description="When it happened: RFC 3339 with offset. Default: now"
    )
    files: CitedFiles = Field([], max_length=200, description="Sources that it rests on; hashed now.")
    supersedes: int | None = Field(None, description="Id of the memory that this one replaces.")
    agent_id: Name | None = Field(None, description="Who saves.")
    agent_instance_id: Name | None = None
    session_id: Name | None = None
    expires_in_days: int | None = Field(
        None, ge=1, le=3650, description="Default: never; working ones after 7."
    )


class SaveResult(Result):
    id: int
    project: str
    type: SaveType
    created: bool
    duplicate_of: int | None
    redacted: list[Redaction]
    supersedes: int | None
    near: list[Near]


class UpdateArguments(Arguments):
    id: int
    content: str | None = Field(None, min_length=1, max_length=100_000, description="The whole text anew.")
    type: SaveType | None = None
    tags: list[Annotated[str, StringConstraints(min_length=1, max_length=100)]] | None = Field(
        None, max_length=50, description="All of them anew."
    )
    path: str | None = Field(None, max_length=1024)
    expires_in_days: int | None = Field(None, ge=1, le=3650)
    reason: str = Field("", max_length=2000, description="Kept in the history.")


class UpdateResult(Result):
    id: int
    project: str
    updated_at: Time
    version: int
    redacted: list[Redaction]


class DeleteArguments(Arguments):
    id: int
    reason: str = Field("", max_length=2000)
    undo: bool = Field(False, description="Bring a deleted memory back.")


class DeleteResult(Result):
    id: int
    project: str
    deleted: bool
    deleted_at: Time | None


class GetArguments(Arguments):
    ids: list[int] = Field(min_length=1, max_length=50)
    history: bool = Field(False, description="With earlier states, and deleted ones too.")


class MemoryVersion(Result):
    """An earlier state of a memory."""

    version: int
    content: str
    type: str
    path: str
    tags: list[str]
    expires_at: Time | None
    changed_at: Time
    reason: str


class CitedSpan(Result):
    start_line: int
    end_line: int
    symbol: str | None = None
    quote: str | None = None
    derived: bool = False
    """It was not given but found in the conclusion's own words."""


class CitedSource(Result):
    path: str
    sha256: str
    size: int
    spans: list[CitedSpan]


class MemoryRecord(Result):
    """A whole memory."""

    id: int
    project: str
    content: str
    type: str
    memory_type: str
    path: str
    tags: list[str]
    branch: str | None
    agent_id: str | None
    agent_instance_id: str | None
    session_id: str | None
    created_at: Time
    updated_at: Time
    event_time: Time | None
    expires_at: Time | None
    superseded_by: int | None
    deleted_at: Time | None
    version: int
    source: Source
    files: list[CitedSource]
    freshness: Freshness | None
    history: list[MemoryVersion] | None


class GetResult(Result):
    memories: list[MemoryRecord]
    missing: list[int]


# --- 5: recall ----------------------------------------------------------------------------------------


class SearchArguments(Arguments):
    """What recall and recall_context have in common."""

    query: str = Field(min_length=1, max_length=8000, description="Question or search text.")
    project: Name | None = Field(
        None, description="Default: the project of the working directory; % for all."
    )
    since: OptionalMoment = Field("", description="RFC 3339 with offset; the window is [since, until).")
    until: OptionalMoment = Field("", description="RFC 3339 with offset; at most 90 days after since.")
    owner_timezone: str = Field(
        "", max_length=200, description="IANA name, needed for words such as yesterday; never guessed."
    )
    reference_time: OptionalIsoTime = Field("", description="Now, for relative words. Default: the clock.")
    temporal_axis_mode: Literal["", "recorded", "event", "auto"] = Field(
        "", description="When it was saved, or happened. Default auto: when it happened, if that is known."
    )
    time_order: Literal["", "asc", "desc"] = Field("", description="Default: by relevance.")
    query_mode: Literal["", "topic", "activity_log"] = Field(
        "", description="activity_log: a feed of everything in the window; needs since and until."
    )
    memory_type: RecallType = Field("%", description="% for all, auto: read off the query.")
    path_filter: str = Field("%", min_length=1, max_length=1024, description="LIKE pattern over paths.")
    prefer_working: bool = Field(False, description="Working memories first.")
    agent_id: Name | None = Field(None, description="Who asks.")
    agent_instance_id: Name | None = None
    only_own: bool = Field(False, description="Only what that agent saved.")
    session_id: Name | None = Field(None, description="With prefer_working: that session's before others'.")
    include_superseded: bool = Field(False, description="Superseded and expired ones too, marked.")
    hypothetical_answer: str = Field(
        "", max_length=8000, description="A guess at the answer, searched beside the query."
    )
    explain: bool = Field(False, description="Scores by part and the steps taken.")

    @model_validator(mode="after")
    def _goes_together(self) -> Self:
        if self.only_own and self.agent_id is None and self.agent_instance_id is None:
            raise ValueError("only_own needs agent_id or agent_instance_id: it says whose memories are meant")
        if self.since and self.until:
            if self.until <= self.since:
                raise ValueError(
                    f"until must be after since: until is {rfc3339(self.until)}, since {rfc3339(self.since)}"
                )
            if self.until - self.since > LONGEST_WINDOW:
                days = (self.until - self.since) / timedelta(days=1)
                raise ValueError(
                    f"since and until may be 90 days apart at most, not {days:.6g}; ask for one part after "
                    "the other"
                )
        return self


class RecallArguments(SearchArguments):
    limit: int = Field(5, ge=1, le=50)
    cursor: str | None = Field(
        None, min_length=1, max_length=2000, description="next_cursor of a feed, for its next page."
    )


class ContextArguments(SearchArguments):
    max_tokens: int = Field(2000, ge=100, le=32_000, description="Budget; never exceeded.")


class RecalledMemory(Result):
    id: int
    type: str
    memory_type: str
    project: str
    path: str
    content: str
    score: float
    tags: list[str]
    agent_id: str | None
    branch: str | None
    created_at: Time
    updated_at: Time
    event_time: Time | None
    source: Source
    superseded_by: int | None
    expired: bool = False
    freshness: Freshness | None


class Window(Result):
    since: Time | None = None
    until: Time | None = None
    source: Literal["explicit", "inferred"] | None = None
    timezone: str | None = None
    note: str | None = None


class ExplainedHit(Result):
    id: int
    score: float
    parts: dict[str, float]
    """Contributions by part; they add up to the score."""


class ExplainStep(Result):
    step: str
    detail: str
    elapsed_ms: float


class Explain(Result):
    hits: list[ExplainedHit]
    steps: list[ExplainStep]


class Recall(Result):
    query: str
    count: int
    memories: list[RecalledMemory]
    nothing_relevant: bool
    nearest: list[RecalledMemory]
    """What came closest, when nothing was relevant."""
    window: Window
    mode: Literal["topic", "activity_log"]
    order: Literal["relevance", "asc", "desc"]
    next_cursor: str | None
    retrieval: Literal["hybrid", "lexical"]
    retrieval_note: str | None = None
    """Why it is lexical: no model, or vectors that are still on their way."""
    explain: Explain | None


class RecallResult(Result):
    result: Recall


# --- 6: a pack for a prompt ---------------------------------------------------------------------------


class ContextItem(Result):
    id: int
    score: float
    tokens: int


class ContextResult(Result):
    text: str
    items: list[ContextItem]
    """In the order in which they stand in the text."""
    tokens: int
    """Of the whole text; never more than the budget."""
    omitted: int
    """Relevant ones that the budget or repetition left out."""
    window: Window


# --- 7: iterative recall ------------------------------------------------------------------------------

Ending = Literal["converged", "max_iters", "no_progress", "decomposer_empty", "search_error", "planner_error"]
"""How an iterative recall ended; see `afresh.engine.iterate`."""
Origin = Literal["decomposer", "planner"]


class IterateArguments(Arguments):
    query: str = Field(min_length=1, description="A question that may need several searches.")
    project: Name | None = Field(
        None, description="Default: the project of the working directory; % for all."
    )
    max_iters: int = Field(4, ge=1, le=12, description="Searches at most.")
    k_per_iter: int = Field(10, ge=1, le=50, description="Hits taken of each search.")
    llm_model: str = Field(
        "configured",
        min_length=1,
        max_length=200,
        description="A model's name, or none: plan without a language model.",
    )


class EvidenceItem(Result):
    """A memory that was found, with its place in the fused ranking of all searches as its score."""

    id: int
    type: str
    project: str
    content: str
    score: float
    created_at: Time
    event_time: Time | None
    source: Source


class PlannerUsed(Result):
    kind: Literal["llm", "bridge"]
    model: str | None
    note: str | None = None
    """Why it is this one, where that wasn't asked for."""


class Iteration(Result):
    iter: int
    sub_query: str
    origin: Origin
    hits_returned: int
    new_evidence_ids: list[int]
    partial_answer: str
    planner_done: bool
    planner_next_query: str | None
    planner_parse_attempts: int
    planner_error: str | None
    elapsed_ms: float


class Provenance(Result):
    run_id: int
    """For `afresh run` and the resource afresh://run/{id}."""
    planner: PlannerUsed
    iters: list[Iteration]
    elapsed_ms: float
    evidence_count: int
    llm_calls: int
    error: str | None = None
    """What went wrong, of search_error and planner_error."""


class IterateResult(Result):
    query: str
    iterations_used: int
    terminated_reason: Ending
    sub_queries: list[str]
    partial_answers: list[str]
    evidence_count: int
    evidence: list[EvidenceItem]
    """All of it, best first, no id twice."""
    provenance: Provenance


# --- 8: answers ----------------------------------------------------------------------------------------

AnswerStatus = Literal["supported", "inferred", "partial", "insufficient"]
Modality = Literal["asserted", "planned", "negated", "inferred"]
ContradictionDecision = Literal["no_contradiction", "soft_contradict", "hard_contradict"]


class AnswerArguments(Arguments):
    query: str = Field(min_length=1, description="The question.")
    project: Name = Field(description="Never assumed; % for all.")
    branch: str | None = Field(
        None, min_length=1, max_length=1024, description="Leaves out what was saved on other branches."
    )
    type: Literal["all", "fact", "decision", "solution", "lesson", "convention"] = "all"
    limit: int = Field(10, ge=1, le=20, description="Records of each search.")
    max_bytes: int = Field(24_000, ge=512, le=24_000, description="UTF-8 of evidence handed to the reader.")
    followup: bool = Field(True, description="One more search for a relation that is missing.")


class QuoteCitation(Result):
    """A quote that stands in a source: content[start:end], code points, end exclusive."""

    source_id: int
    quote: str
    start: int
    end: int


class AnswerClaim(Result):
    subject: str
    event: str
    time: str
    modality: Modality
    citations: list[QuoteCitation]


class MissingRelation(Result):
    subject: str
    relation: str
    time: str


class Draft(Result):
    status: AnswerStatus
    answer: str
    claims: list[AnswerClaim]
    missing: MissingRelation | None
    rejection: str | None
    """Why it is refused."""


class AnswerVerification(Result):
    supported: bool
    reason: str


class AnswerEvidence(Result):
    id: int
    type: str
    project: str
    content: str
    created_at: Time
    event_time: Time | None
    source: Source
    cut: bool = False
    """The content is a part of the record."""
    superseded_by: int | None = None


class NegativeEvidence(Result):
    id: int
    content: str
    created_at: Time


class Negative(Result):
    """What speaks against the answer."""

    inverted_query: str
    negative_evidence: list[NegativeEvidence]
    contradiction_score: float
    decision: ContradictionDecision
    rationale: str
    scorer: Literal["llm", "rules"]


class AnswerResult(Result):
    answer: str
    draft: Draft
    verification: AnswerVerification | None
    search_calls: int
    followup_query: str | None
    evidence: list[AnswerEvidence]
    negative: Negative | None
    caveat: str | None
    mode: Literal["llm", "extractive"]
    llm_calls: int
    answer_id: int
    """For `afresh verify` and the resource afresh://answer/{id}."""
    note: str | None = None
    """Why it was answered in this mode, where a language model is configured and did not answer."""


# --- 9 and 10: exploration memos ----------------------------------------------------------------------


class RecordArguments(Arguments):
    question: str = Field(min_length=1, max_length=2000, description="As somebody would ask it next time.")
    conclusion: str = Field(
        min_length=1, max_length=20_000, description="The answer, complete without the files."
    )
    project: Name = Field(description="Its name; made if new. workspace_status tells it.")
    files: CitedFiles = Field(
        min_length=1,
        max_length=200,
        description="What it was read from: paths under root, or parts by lines, symbol or quote.",
    )
    root: str | None = Field(
        None, min_length=1, max_length=1024, description="Absolute; default: the working directory."
    )
    supersedes: int | None = Field(None, description="Id of a memo that this one replaces.")


class RecordedFile(Result):
    path: str
    sha256: str
    size: int
    spans: list[CitedSpan]


class RecordResult(Result):
    recorded: Literal[True] = True
    id: int
    project: str
    root: str
    question: str
    recorded_at: Time
    updated_at: Time
    files: list[RecordedFile]
    replaced: bool
    semantic_index: bool
    """Whether the question can be found by meaning already, not by its words alone."""
    redacted: list[Redaction] = []


class ExploreArguments(Arguments):
    question: str = Field(min_length=1, max_length=2000, description="In your own words.")
    project: Name = Field(description="Its name; workspace_status tells it.")
    root: str | None = Field(
        None, min_length=1, max_length=1024, description="Absolute; default: the working directory."
    )
    limit: int = Field(5, ge=1, le=50)
    include_stale: bool = Field(True, description="False: fresh ones alone.")


class MovedTo(Result):
    path: str
    symbol: str | None
    start_line: int
    end_line: int
    content: Literal["identical", "cosmetic", "changed"]


class SpanDetail(Result):
    start_line: int
    end_line: int
    """Lines as they were cited."""
    symbol: str | None
    now: SpanState
    moved_to: MovedTo | None = None
    now_start_line: int | None = None
    now_end_line: int | None = None
    """Where they stand now; null where they are gone."""
    likeness: float = 1.0
    """0..1: how much of the span is left."""
    derived: bool = False


class Commit(Result):
    id: str
    author: str
    date: Time
    subject: str


class FileDetail(Result):
    path: str
    change: Impact
    moved_to: MovedTo | None
    spans: list[SpanDetail]
    commit: Commit | None
    """The last commit that changed the cited lines; null where none did, or none can be named."""
    uncommitted: bool = False
    """The cited lines were changed in the work tree and that is not committed."""
    note: str | None = None
    """What the judgement could not rest on, such as old bytes that were not kept."""


class UnverifiableFile(Result):
    path: str
    reason: Literal["outside_root", "too_large", "unreadable"]


class ExploredMemo(Result):
    id: int
    question: str
    conclusion: str
    status: Status
    files: list[str]
    recorded_at: Time
    updated_at: Time
    changed_files: list[str]
    missing_files: list[str]
    unverifiable_files: list[UnverifiableFile] = []
    score: float
    impact: Impact | None
    details: list[FileDetail] | None


class ExploreResult(Result):
    question: str
    project: str
    root: str
    fresh: int
    stale: int
    results: list[ExploredMemo]
    left_out: int = 0
    """Stale ones that gave their places to fresh ones; 0 with include_stale."""
    retrieval: Literal["hybrid", "lexical"]
    gated: bool = False
    """True where more than 64 MB would have been hashed, so that size and timestamps decided for some."""
    at: str | None = None
    """The revision that it was judged at; null for the disk."""


class VerifyArguments(Arguments):
    id: int = Field(description="Of the conclusion.")
    action: Literal["verify", "retire", "undo"] = Field(
        description="verify: it still holds, as of now; retire: take it out of recall; undo the last change."
    )
    note: str = Field("", max_length=2000, description="Why; kept in the history.")


class VerifyResult(Result):
    id: int
    action: Literal["verify", "retire", "undo"]
    status: Status
    updated_at: Time
    files: list[RecordedFile] = []
    """What it rests on now."""
    retired: bool = False


# --- 12: status ---------------------------------------------------------------------------------------

Readiness = Literal["empty", "indexing", "ready_sparse", "ready_rich"]


class StatusArguments(Arguments):
    project: Name | None = Field(None, description="Default: that of root.")
    root: str | None = Field(
        None, min_length=1, max_length=1024, description="Absolute; default: the working directory."
    )


class FileCounts(Result):
    indexed: int
    pending: int
    excluded: int
    errors: int


class MemoryCounts(Result):
    total: int
    by_type: dict[str, int]


class MemoCounts(Result):
    fresh: int
    stale: int


class WatchStatus(Result):
    mode: Literal["native", "polling", "off"]
    lag_ms: float | None
    last_change: Time | None
    reason: str = ""


class ModelStatus(Result):
    id: str | None
    source: str
    """bundled, named, none, loading, or why there is none."""
    vectors_pending: int = 0


class LlmStatus(Result):
    provider: str | None
    model: str | None
    reachable: bool | None


class KeeperStatus(Result):
    pid: int
    version: str
    uptime_s: float
    database_bytes: int
    clients: int = 0
    transport: str = ""
    in_process: bool = False


class StatusResult(Result):
    project: str | None
    root: str | None
    readiness_state: Readiness
    files: FileCounts
    memories: MemoryCounts
    memos: MemoCounts
    watch: WatchStatus
    model: ModelStatus
    llm: LlmStatus
    keeper: KeeperStatus
    languages: dict[str, int] = {}
    symbols: int = 0
    excluded_by_reason: dict[str, int] = {}
    projects: list[str] = []
