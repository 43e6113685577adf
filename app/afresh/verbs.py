"""Every verb of the engine in one list: what agents are offered as tools, and what the other faces ask for.

The faces are made from this list, so that a verb is described in one place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from afresh.activity_verbs import (
    ActivityArguments,
    ActivityResult,
    ClientsResult,
    ExcludedArguments,
    ExcludedResult,
    FollowRequestsArguments,
    FollowRequestsResult,
    RequestArguments,
    RequestResult,
    RequestsArguments,
    RequestsResult,
)
from afresh.answer_verbs import VerifiedAnswer, VerifyAnswerArguments
from afresh.contracts import (
    AnswerArguments,
    AnswerResult,
    Arguments,
    ContextArguments,
    ContextResult,
    DeleteArguments,
    DeleteResult,
    Ending,
    ExploreArguments,
    ExploreResult,
    FileDetail,
    GetArguments,
    GetResult,
    Impact,
    IterateArguments,
    IterateResult,
    KeeperStatus,
    ModelStatus,
    Name,
    RecallArguments,
    RecalledMemory,
    RecallResult,
    RecallType,
    RecordArguments,
    RecordedFile,
    RecordResult,
    Redaction,
    Result,
    SaveArguments,
    SaveResult,
    Status,
    StatusArguments,
    StatusResult,
    Time,
    UnverifiableFile,
    UpdateArguments,
    UpdateResult,
    VerifyArguments,
    VerifyResult,
    Window,
)
from afresh.knowledge_verbs import (
    CodeNamesArguments,
    CodeNamesResult,
    FileKnowledgeArguments,
    FileKnowledgeResult,
    FollowArguments,
    FollowResult,
    SymbolKnowledgeArguments,
    SymbolKnowledgeResult,
)

# --- verbs without a tool: what the command line and the other faces ask the keeper ----------------------


class IndexArguments(Arguments):
    path: str = Field(min_length=1, max_length=4096, description="Absolute.")
    project: Name | None = None
    force: bool = Field(False, description="Also `/`, or the home folder.")
    history: int | None = Field(
        None,
        ge=0,
        le=100_000,
        description="Keep the messages of that many commits as memories, and of later ones; 0 ends it.",
    )


class ExcludedExample(Result):
    path: str
    reason: str
    detail: str


class IndexResult(Result):
    project: str
    root: str
    files: int
    bytes: int
    added: int
    changed: int
    removed: int
    read: int
    """Files whose content was opened; 0 where nothing changed."""
    symbols: int
    languages: dict[str, int]
    notes: int
    commits: int = 0
    """Commit messages that were taken in, where the history is followed."""
    excluded: dict[str, int]
    excluded_examples: list[ExcludedExample]
    ignored: int
    """Entries that ignore rules leave out, a folder counting once."""
    ignore_source: str
    """Who decided what is ignored: git, or what stands in for it."""
    outline_errors: int
    hashed_s: float
    """Seconds until every file's hash was current."""
    outlined_s: float
    """Seconds until every outline was."""
    elapsed_s: float
    generation: int


class NoArguments(Arguments):
    pass


class ExportArguments(Arguments):
    project: Name | None = Field(None, description="Default: all projects.")


class ExportResult(Result):
    rows: dict[str, int]


class ImportArguments(Arguments):
    """Lines of a JSON Lines file; a file is sent in several calls and each call is one transaction."""

    lines: list[str] = Field(max_length=5000)
    first_line: int = Field(1, ge=1)
    project: Name | None = Field(None, description="For rows that name none.")
    strict: bool = Field(False, description="Refuse the whole call for one bad line.")
    transfer: str | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="The same in all calls of one file, so that rows find each other.",
    )
    last: bool = Field(True, description="Whether no more lines of this transfer come.")


class BadLine(Result):
    line: int
    error: str


class ImportResult(Result):
    created: int
    updated: int
    unchanged: int
    bad: list[BadLine]
    redacted: list[Redaction]


ForeignSource = Literal["claude", "basic-memory", "mcp-memory"]


class ImportFromArguments(Arguments):
    """Memories of another program, read where they are."""

    source: ForeignSource
    path: str = Field(min_length=1, max_length=4096, description="Absolute.")
    project: Name | None = Field(None, description="Default: the project of the working directory.")
    strict: bool = Field(False, description="Import nothing where something can't be read.")


class ImportFromResult(Result):
    project: str
    created: int
    updated: int
    unchanged: int
    removed: int
    """Imported before, and gone from there since."""
    bad: list[str]
    """What could not be read or taken in, each with its place."""
    redacted: list[Redaction]


class EmbeddingResult(Result):
    embedded: int
    pending: int
    model: ModelStatus


class ProjectInfo(Result):
    name: str
    roots: list[str]
    memories: int
    memos: int


class ProjectsResult(Result):
    projects: list[ProjectInfo]


class ExploreAtArguments(ExploreArguments):
    at: str = Field(min_length=1, max_length=1024, description="A branch, a tag or a commit.")


class MemoArguments(Arguments):
    id: int
    root: str | None = Field(None, min_length=1, max_length=1024)
    at: str | None = Field(None, min_length=1, max_length=1024)


class MemoHistory(Result):
    version: int
    conclusion: str
    changed_at: Time
    action: str
    note: str


class MemoResult(Result):
    id: int
    project: str
    root: str
    question: str
    conclusion: str
    status: Status
    retired_at: Time | None
    recorded_at: Time
    updated_at: Time
    files: list[RecordedFile]
    changed_files: list[str]
    missing_files: list[str]
    unverifiable_files: list[UnverifiableFile]
    impact: Impact | None
    details: list[FileDetail] | None
    history: list[MemoHistory]


class DiffLine(Result):
    kind: Literal[" ", "-", "+"]
    text: str


class DiffHunk(Result):
    """A run of changed lines with some around them; numbers as in a unified diff."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: list[DiffLine]
    cited: bool
    """Whether it touches what is cited; the others only share the file."""


class FileDiff(Result):
    """What changed in one cited file since it was recorded, or in a part of it that went elsewhere."""

    path: str
    part: str | None = None
    """The symbol or lines that are compared with their new place; null for the whole file."""
    new_path: str | None
    """Where it is now, if that is another path; null also where it is gone."""
    change: Impact
    hunks: list[DiffHunk]
    unified: str
    """The same as text; empty where there is none to show."""
    note: str | None
    """Why there is none, or what it can't show."""


class MemoDiffResult(Result):
    id: int
    project: str
    root: str
    question: str
    conclusion: str
    status: Status
    impact: Impact | None
    details: list[FileDetail]
    files: list[FileDiff]


class MemoryDiffResult(Result):
    id: int
    project: str
    root: str
    content: str
    status: Status
    impact: Impact | None
    details: list[FileDetail]
    files: list[FileDiff]


class StaleArguments(Arguments):
    project: Name | None = None
    root: str | None = Field(None, min_length=1, max_length=1024)
    at: str | None = Field(None, min_length=1, max_length=1024, description="Judge this revision.")
    staged: bool = Field(False, description="Judge what is staged.")
    base: str | None = Field(
        None,
        min_length=1,
        max_length=1024,
        description="Only what went stale, or staler, since then.",
    )
    diff: bool = Field(False, description="With the changed lines.")
    index_file: str | None = Field(None, max_length=4096, description="Of git, as a hook is told it.")


class StaleItem(Result):
    """A conclusion, or a memory with cited files, that no longer rests on what it was learned from."""

    kind: Literal["memo", "memory"]
    id: int
    title: str
    """The question, or a memory's first line."""
    text: str
    """The conclusion, or the memory."""
    root: str
    files: list[str]
    impact: Impact
    impact_at_base: Impact | None
    """What it was at `base`; null where it was fresh there."""
    changed_files: list[str]
    missing_files: list[str]
    unverifiable_files: list[UnverifiableFile]
    details: list[FileDetail]
    diffs: list[FileDiff] | None
    updated_at: Time


class Skipped(Result):
    kind: Literal["memo", "memory"]
    id: int
    reason: str


class Repository(Result):
    """What was judged, as version control names it."""

    uri: str | None
    """Where it comes from, without names and passwords."""
    commit: str | None
    """The commit that was judged, or that the work tree or the index stands on."""
    branch: str | None


class StaleResult(Result):
    project: str
    root: str
    """The top of the checkout that was judged."""
    repository: Repository | None
    at: str | None
    """The revision that was judged, `index` for what is staged; null for the disk."""
    base: str | None
    """The commit that it was compared with."""
    judged: int
    fresh: int
    already_stale: int
    """Not listed: as stale at `base` as now."""
    items: list[StaleItem]
    """The gravest first."""
    skipped: list[Skipped]
    """Not judged, and why."""


class ContentsArguments(Arguments):
    project: Name | None = Field(None, description="Default: the project of the working directory.")


class ListedMemo(Result):
    id: int
    question: str
    status: Status
    updated_at: Time


class ContentsResult(Result):
    """What there is to read, without its text."""

    projects: list[str]
    """All of them, by name."""
    project: str | None
    """Whose memos these are; null where the caller works in none."""
    root: str | None
    memos: list[ListedMemo]
    """Stale ones first, then the newest."""


class CompleteArguments(Arguments):
    what: Literal["project", "type", "path", "memory", "memo", "run", "answer"]
    prefix: str = Field("", max_length=1024)
    project: Name | None = Field(None, description="Whose come first; default: the workspace's.")
    limit: int = Field(100, ge=1, le=100)


class CompleteResult(Result):
    values: list[str]
    total: int
    """How many begin so, more than `values` has where the limit was reached."""


class ClaimsArguments(Arguments):
    project: Name | None = Field(None, description="Default: the workspace's.")
    root: str | None = Field(
        None, min_length=1, max_length=1024, description="The checkout to judge against, absolute."
    )


class DeadClaim(Result):
    """Something that a note names and that the workspace has no more."""

    memory: int
    """The saved memory, or the note of the document that holds the line."""
    source_path: str | None
    """The document, relative to the root; None for a saved memory."""
    line: int
    """From 1, in the document or in the memory's text."""
    kind: Literal["path", "symbol", "commit", "command"]
    text: str
    reason: str
    suggestion: str | None
    """What is there and was probably meant."""
    excerpt: str
    """The line, or its beginning."""


class ClaimsResult(Result):
    project: str
    root: str
    documents: int
    """How many were read."""
    memories: int
    """Saved ones, as many as were read."""
    dead: list[DeadClaim]
    left_out: int
    """Further dead claims, that the answer has no room for."""
    notes: list[str]
    """What could not be judged, and why."""


class BrowseArguments(Arguments):
    project: Name | None = Field(
        None, description="Default: the project of the working directory; % for all."
    )
    memory_type: RecallType = "%"
    path_filter: str = Field("%", min_length=1, max_length=1024, description="LIKE pattern over paths.")
    time_words: str = Field("", max_length=200, description="Such as last week; they need owner_timezone.")
    owner_timezone: str = Field("", max_length=200, description="IANA name.")
    offset: int = Field(0, ge=0, lt=2**31)
    limit: int = Field(100, ge=1, le=200)


class BrowseResult(Result):
    total: int
    """How many there are in all."""
    offset: int
    memories: list[RecalledMemory]
    """From the offset on, the newest first; their score is 0."""
    window: Window


class RunArguments(Arguments):
    id: int


class RunHit(Result):
    id: int
    score: float


class StoredStep(Result):
    """One iteration as it went; times are milliseconds."""

    iter: int
    sub_query: str
    origin: Literal["decomposer", "planner"]
    hits: list[RunHit]
    new_evidence_ids: list[int]
    partial_answer: str
    planner_done: bool
    planner_next_query: str | None
    planner_parse_attempts: int
    planner_error: str | None
    prompt_hashes: list[str]
    search_ms: float
    planner_ms: float
    elapsed_ms: float


class StoredEvidence(Result):
    id: int
    score: float
    content: str | None
    """As it reads now; null where it was deleted."""
    changed: bool
    """Whether it reads otherwise than it did then."""


class StoredIndex(Result):
    """What was searched; two runs over equal ones searched the same."""

    generation: int
    memories: int
    latest_change: str


class RunResult(Result):
    """An iterative recall as it went. Secrets in it are redacted."""

    id: int
    project: str
    query: str
    max_iters: int
    k_per_iter: int
    llm_model: str
    planner: Literal["llm", "bridge"]
    model: str | None
    sub_queries: list[str]
    terminated_reason: Ending
    error: str | None
    iterations: list[StoredStep]
    evidence: list[StoredEvidence]
    llm_calls: int
    prompt_hashes: list[str]
    index: StoredIndex
    started_at: Time
    elapsed_ms: float
    replay_of: int | None


class RunsArguments(Arguments):
    project: Name | None = Field(None, description="Default: the workspace's; % for all.")
    before: int | None = Field(
        None, ge=0, lt=2**63, description="Only runs with a smaller id: the next page."
    )
    after: int | None = Field(
        None, ge=0, lt=2**63, description="Only runs with a larger id: what came since."
    )
    limit: int = Field(50, ge=1, le=200)


class ListedRun(Result):
    """A run without its steps; `run` has the whole of it."""

    id: int
    project: str
    """`%` for a run over all projects."""
    query: str
    planner: Literal["llm", "bridge"]
    model: str | None
    terminated_reason: Ending
    iterations: int
    evidence_count: int
    llm_calls: int
    started_at: Time
    elapsed_ms: float
    replay_of: int | None


class RunsResult(Result):
    runs: list[ListedRun]
    """The newest first: a project's, and those over all projects."""
    more: bool
    """Whether further ones fit the question than the limit let through."""


class ComparedStep(Result):
    """One iteration of a run beside the same one of its replay; null where only one of them has it."""

    iter: int
    same: bool
    sub_query: str | None
    sub_query_now: str | None
    lost_hits: list[int]
    new_hits: list[int]
    same_prompts: bool


class ReplayResult(Result):
    """A run beside a new one of the same arguments."""

    id: int
    replay_id: int
    same: bool
    """The steps, the ending and the evidence in its order are equal."""
    terminated_reason: Ending
    terminated_reason_now: Ending
    iterations: list[ComparedStep]
    lost_evidence: list[int]
    new_evidence: list[int]
    same_order: bool
    same_index: bool
    """The project's memories are what they were; the generation, which each process counts anew, aside."""
    changed_evidence: list[int]
    """Found by both, and reads otherwise now."""


class StopResult(Result):
    pid: int
    stopping: bool


class BackupArguments(Arguments):
    to: str = Field(min_length=1, max_length=4096, description="Absolute path of a file that doesn't exist.")


class BackupResult(Result):
    path: str
    bytes: int


class Check(Result):
    """One line of the doctor's report."""

    name: str
    state: Literal["ok", "warning", "error"]
    detail: str
    advice: str = ""


class DoctorArguments(Arguments):
    root: str | None = Field(None, min_length=1, max_length=1024)


class DoctorResult(Result):
    checks: list[Check]


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing that the engine does, as every face offers it."""

    name: str
    arguments: type[Arguments]
    result: type[Result]
    title: str = ""
    """For people, where the verb is an agent's tool."""
    description: str = ""
    """For agents: what it does, when to use it, when to use which sibling instead, what it costs."""
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    tool: bool = False
    """Whether agents are offered it over MCP."""


TOOLS: tuple[Verb, ...] = (
    Verb(
        "memory_save",
        SaveArguments,
        SaveResult,
        "Save a memory",
        "Save one thing worth knowing in later sessions: a decision with its reason, a lesson, a "
        "convention, a fact, how a problem was solved. Call it when you learn or decide such a thing; "
        "`supersedes` puts it in an older one's place. With `files`, later recalls say whether the code it "
        "rests on still stands. The same content is stored once; similar ones come back in `near`. Secrets "
        "are redacted. For an answer found by reading code use memory_exploration_record; to correct a "
        "text use memory_update. Milliseconds; once it answers, it is on disk.",
        read_only=False,
        tool=True,
    ),
    Verb(
        "memory_update",
        UpdateArguments,
        UpdateResult,
        "Update a memory",
        "Correct a memory in place, by its id; only what is given changes, and the earlier state stays in "
        "its history. For mistakes and labels. When something new replaces what was true once, use "
        "memory_save with `supersedes`, so that both stay; for what should never have been saved use "
        "memory_delete.",
        read_only=False,
        tool=True,
    ),
    Verb(
        "memory_delete",
        DeleteArguments,
        DeleteResult,
        "Delete a memory",
        "Take a memory out of every recall, by its id, or bring a deleted one back with `undo: true`. For "
        "what should never have been saved. Prefer memory_update for a mistake, and memory_save with "
        "`supersedes` for what was true once. To take back a change to a conclusion about code use "
        "memory_exploration_verify.",
        read_only=False,
        destructive=True,
        tool=True,
    ),
    Verb(
        "memory_get",
        GetArguments,
        GetResult,
        "Read memories by id",
        "Read memories whole, by their ids, in the order asked; with `history`, also what they said "
        "before. Ids come from recall and memory_save. To search use recall. Ids of conclusions about code "
        "are others: memory_exploration_recall shows those.",
        tool=True,
    ),
    Verb(
        "recall",
        RecallArguments,
        RecallResult,
        "Recall memories",
        "Search saved memories and the workspace's agent files and documentation, by meaning and by words; "
        "or list all of a time span with query_mode `activity_log`. Call it before you decide something, "
        "or need a convention, a reason or a lesson. Each result has its source and, where it cites files, "
        "whether they changed. `nothing_relevant` means no answer; `nearest` then isn't one either. For "
        "conclusions from reading code use memory_exploration_recall; for one text to work from, "
        "recall_context; for an answer in words, memory_answer. Milliseconds, no language model.",
        tool=True,
    ),
    Verb(
        "recall_context",
        ContextArguments,
        ContextResult,
        "Recall as context for a prompt",
        "What is relevant to a task as one Markdown text within max_tokens: without repetition, grouped by "
        "path, each item fenced as data with id, date and freshness. Call it once at the start of a task, "
        "or to fill a prompt. For single results with scores use recall. Tokens are counted from above. "
        "Milliseconds, no language model.",
        tool=True,
    ),
    Verb(
        "memory_recall_iterative",
        IterateArguments,
        IterateResult,
        "Recall in several steps",
        "Evidence for a question that no single memory answers: it searches, looks what is missing and "
        "searches for that, up to max_iters times. Evidence comes ranked, with the course of the run; only "
        "terminated_reason `converged` means that the planner had enough, and errors keep what was found. "
        "Plans with the configured language model (seconds a step), without one by names that lead from "
        "text to text (milliseconds). For a plain question use recall; for an answer in words "
        "memory_answer.",
        tool=True,
    ),
    Verb(
        "memory_answer",
        AnswerArguments,
        AnswerResult,
        "Answer from memory",
        "Answer a question in words from saved records alone, each claim with a quote that stands word for "
        "word in the evidence. It looks for contradictions, lets the newest record decide and names the "
        "one it replaced, and says `insufficient`, with what is missing, rather than guess. With a "
        "language model it drafts and checks (up to eight calls, seconds each); without one it quotes "
        "whole sentences (milliseconds). The answer is stored under answer_id. For the records themselves "
        "use recall; for several searches memory_recall_iterative; for how code works "
        "memory_exploration_recall.",
        read_only=False,
        idempotent=False,
        tool=True,
    ),
    Verb(
        "memory_exploration_record",
        RecordArguments,
        RecordResult,
        "Record a conclusion about code",
        "Record what you concluded from reading code, with the files, lines, symbols or quotes that you "
        "read; they are hashed now, and memory_exploration_recall then tells whether the conclusion still "
        "stands. Call it after each exploration of more than a file or two, and when an answer changed: "
        "the same question replaces its conclusion, which stays in the history. If any file can't be read, "
        "nothing is stored. For knowledge that rests on no file use memory_save.",
        read_only=False,
        tool=True,
    ),
    Verb(
        "memory_exploration_recall",
        ExploreArguments,
        ExploreResult,
        "Recall conclusions about code",
        "What was concluded about the code before, each judged from the disk at this moment. Call it "
        "before you read files to answer a question about code. `fresh`: every file is byte for byte what "
        "it was, so rely on it without reading; `stale`: read only changed_files and missing_files again, "
        "`impact` says how bad it is. Nothing found: read, then memory_exploration_record. For decisions "
        "and conventions use recall. Milliseconds, no language model.",
        tool=True,
    ),
    Verb(
        "memory_exploration_verify",
        VerifyArguments,
        VerifyResult,
        "Verify, retire or undo a conclusion",
        "Settle a conclusion about code after you looked at what changed: `verify` says that it still "
        "holds, and takes the files as they are now; `retire` takes one that is false out of recall; "
        "`undo` takes the last of these back. Only this and a new record make a stale conclusion fresh. If "
        "the answer changed, use memory_exploration_record with the same question instead. For memories "
        "use memory_update and memory_delete.",
        read_only=False,
        idempotent=False,
        tool=True,
    ),
    Verb(
        "workspace_status",
        StatusArguments,
        StatusResult,
        "Status of the workspace",
        "What is indexed, pending and remembered for a project, its name, how many conclusions are fresh "
        "and stale, whether the watch is live and which model searches. Call it when results surprise you "
        "or you need the project's name, not before each call.",
        tool=True,
    ),
)

VERBS: Mapping[str, Verb] = {
    verb.name: verb
    for verb in (
        *TOOLS,
        Verb("index", IndexArguments, IndexResult, read_only=False),
        Verb("watch", IndexArguments, IndexResult, read_only=False),
        Verb("projects", NoArguments, ProjectsResult),
        Verb("explore_at", ExploreAtArguments, ExploreResult),
        Verb("memo", MemoArguments, MemoResult),
        Verb("memo_diff", MemoArguments, MemoDiffResult),
        Verb("memory_diff", MemoArguments, MemoryDiffResult),
        Verb("stale", StaleArguments, StaleResult),
        Verb("contents", ContentsArguments, ContentsResult),
        Verb("complete", CompleteArguments, CompleteResult),
        Verb("claims", ClaimsArguments, ClaimsResult),
        Verb("file_knowledge", FileKnowledgeArguments, FileKnowledgeResult),
        Verb("symbol_knowledge", SymbolKnowledgeArguments, SymbolKnowledgeResult),
        Verb("code_names", CodeNamesArguments, CodeNamesResult),
        Verb("follow", FollowArguments, FollowResult),
        Verb("verify_answer", VerifyAnswerArguments, VerifiedAnswer),
        Verb("browse", BrowseArguments, BrowseResult),
        Verb("run", RunArguments, RunResult),
        Verb("runs", RunsArguments, RunsResult),
        Verb("replay", RunArguments, ReplayResult),
        Verb("export", ExportArguments, ExportResult),
        Verb("import", ImportArguments, ImportResult, read_only=False),
        Verb("import_from", ImportFromArguments, ImportFromResult, read_only=False),
        Verb("embed", NoArguments, EmbeddingResult, read_only=False),
        Verb("backup", BackupArguments, BackupResult, read_only=False),
        Verb("doctor", DoctorArguments, DoctorResult),
        Verb("requests", RequestsArguments, RequestsResult),
        Verb("request", RequestArguments, RequestResult),
        Verb("follow_requests", FollowRequestsArguments, FollowRequestsResult),
        Verb("clients", NoArguments, ClientsResult),
        Verb("activity", ActivityArguments, ActivityResult),
        Verb("excluded", ExcludedArguments, ExcludedResult),
        Verb("keeper_status", NoArguments, KeeperStatus),
        Verb("keeper_stop", NoArguments, StopResult, read_only=False),
    )
}
"""Every verb by its name, tools first."""
