"""Results in the contracts' shapes, and doubles of the engine that give them back and note what was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from afresh.answer_verbs import ChangedEvidence, VerifiedAnswer, VerifiedCitation
from afresh.contracts import (
    AnswerClaim,
    AnswerEvidence,
    AnswerResult,
    AnswerVerification,
    CitedSource,
    CitedSpan,
    Commit,
    ContextItem,
    ContextResult,
    DeleteResult,
    Draft,
    EvidenceItem,
    Explain,
    ExplainedHit,
    ExplainStep,
    ExploredMemo,
    ExploreResult,
    FileCounts,
    FileDetail,
    Freshness,
    GetResult,
    IterateResult,
    Iteration,
    KeeperStatus,
    LlmStatus,
    MemoCounts,
    MemoryCounts,
    MemoryRecord,
    MemoryVersion,
    ModelStatus,
    MovedTo,
    Near,
    Negative,
    NegativeEvidence,
    PlannerUsed,
    Provenance,
    QuoteCitation,
    Recall,
    RecalledMemory,
    RecallResult,
    RecordedFile,
    RecordResult,
    Redaction,
    Result,
    SaveResult,
    Source,
    SpanDetail,
    StatusResult,
    UpdateResult,
    VerifyResult,
    WatchStatus,
    Window,
)
from afresh.engine.calls import Call, Caller, Listener
from afresh.errors import NotFoundError
from afresh.settings import Settings
from afresh.verbs import (
    BackupResult,
    BadLine,
    Check,
    ClaimsResult,
    ComparedStep,
    CompleteResult,
    ContentsResult,
    DeadClaim,
    DiffHunk,
    DiffLine,
    DoctorResult,
    EmbeddingResult,
    ExcludedExample,
    ExportResult,
    FileDiff,
    ImportFromResult,
    ImportResult,
    IndexResult,
    ListedMemo,
    MemoDiffResult,
    MemoHistory,
    MemoResult,
    ProjectInfo,
    ProjectsResult,
    ReplayResult,
    Repository,
    RunHit,
    RunResult,
    StaleItem,
    StaleResult,
    StopResult,
    StoredEvidence,
    StoredIndex,
    StoredStep,
)

NOW = datetime(2026, 5, 1, 14, 0, tzinfo=UTC)
THEN = datetime(2026, 5, 1, 11, 0, tzinfo=UTC)
SHA = "ab" * 32

FRESH = Freshness(status="fresh", changed_files=[], missing_files=[])
STALE = Freshness(status="stale", impact="edited", changed_files=["a.py", "b.py"], missing_files=["c.py"])

MODEL = ModelStatus(id="all-MiniLM-L6-v2", source="bundled")
KEEPER = KeeperStatus(
    pid=4242, version="0.1.0", uptime_s=75.0, database_bytes=1_500_000, clients=2, transport="unix"
)


def remembered(**given: Any) -> RecalledMemory:
    """A recalled memory; fields that matter to a test are given."""
    return RecalledMemory(
        **{
            "id": 7,
            "type": "decision",
            "memory_type": "semantic",
            "project": "shop",
            "path": "billing/locks",
            "content": "Locks are taken in the order of account ids.",
            "score": 0.834,
            "tags": ["locking"],
            "agent_id": None,
            "branch": "main",
            "created_at": THEN,
            "updated_at": THEN,
            "event_time": None,
            "source": Source(kind="file", path="docs/LOCKS.md", line=14),
            "superseded_by": None,
            "freshness": STALE,
            **given,
        }
    )


def recalled(
    *memories: RecalledMemory, nearest: Sequence[RecalledMemory] = (), explain: bool = False
) -> RecallResult:
    return RecallResult(
        result=Recall(
            query="locks",
            count=len(memories),
            memories=list(memories),
            nothing_relevant=not memories,
            nearest=list(nearest),
            window=Window(),
            mode="topic",
            order="relevance",
            next_cursor=None,
            retrieval="hybrid",
            explain=Explain(
                hits=[ExplainedHit(id=7, score=0.834, parts={"lexical": 0.5, "dense": 0.334})],
                steps=[ExplainStep(step="lexical", detail="3 terms", elapsed_ms=0.4)],
            )
            if explain
            else None,
        )
    )


RECORD = MemoryRecord(
    id=7,
    project="shop",
    content="Locks are taken in the order of account ids.\nElse two transfers block each other.",
    type="decision",
    memory_type="semantic",
    path="billing/locks",
    tags=["locking"],
    branch="main",
    agent_id=None,
    agent_instance_id=None,
    session_id=None,
    created_at=THEN,
    updated_at=NOW,
    event_time=None,
    expires_at=None,
    superseded_by=None,
    deleted_at=None,
    version=2,
    source=Source(kind="agent"),
    files=[
        CitedSource(
            path="bank.py",
            sha256=SHA,
            size=120,
            spans=[CitedSpan(start_line=3, end_line=9, symbol="Bank.transfer")],
        )
    ],
    freshness=FRESH,
    history=[
        MemoryVersion(
            version=1,
            content="Locks are taken in any order.",
            type="decision",
            path="billing/locks",
            tags=[],
            expires_at=None,
            changed_at=NOW,
            reason="it was wrong",
        )
    ],
)

EXPLORED = ExploreResult(
    question="how are locks taken",
    project="shop",
    root="/srv/shop",
    fresh=1,
    stale=1,
    results=[
        ExploredMemo(
            id=3,
            question="How are locks taken?",
            conclusion="In the order of account ids.",
            status="fresh",
            files=["bank.py"],
            recorded_at=THEN,
            updated_at=THEN,
            changed_files=[],
            missing_files=[],
            score=1.0,
            impact=None,
            details=None,
        ),
        ExploredMemo(
            id=4,
            question="Who releases locks?",
            conclusion="The transfer itself.",
            status="stale",
            files=["bank.py", "old.py"],
            recorded_at=THEN,
            updated_at=THEN,
            changed_files=["bank.py"],
            missing_files=["old.py"],
            score=0.71,
            impact="edited",
            details=[
                FileDetail(
                    path="bank.py",
                    change="moved",
                    moved_to=MovedTo(
                        path="money.py", symbol=None, start_line=4, end_line=8, content="identical"
                    ),
                    spans=[SpanDetail(start_line=1, end_line=5, symbol=None, now="moved")],
                    commit=Commit(id="0123456789abcdef", author="Ada", date=THEN, subject="Move the bank"),
                )
            ],
        ),
    ],
    retrieval="hybrid",
)

INDEXED = IndexResult(
    project="shop",
    root="/srv/shop",
    files=120,
    bytes=2_400_000,
    added=100,
    changed=15,
    removed=5,
    read=115,
    symbols=900,
    languages={"python": 90, "go": 20},
    notes=12,
    excluded={"binary": 2, "too_large": 1, "unreadable": 0},
    excluded_examples=[ExcludedExample(path="logo.png", reason="binary", detail="it has a NUL byte")],
    ignored=40,
    ignore_source="git",
    outline_errors=1,
    hashed_s=0.31,
    outlined_s=1.2,
    elapsed_s=1.25,
    generation=1,
)
UNCHANGED = INDEXED.model_copy(update={"added": 0, "changed": 0, "removed": 0, "read": 0, "elapsed_s": 0.04})

STATUS = StatusResult(
    project="shop",
    root="/srv/shop",
    readiness_state="ready_rich",
    files=FileCounts(indexed=120, pending=0, excluded=3, errors=0),
    memories=MemoryCounts(total=12, by_type={"fact": 8, "decision": 4}),
    memos=MemoCounts(fresh=5, stale=2),
    watch=WatchStatus(mode="native", lag_ms=34.0, last_change=THEN),
    model=MODEL,
    llm=LlmStatus(provider=None, model=None, reachable=None),
    keeper=KEEPER,
    languages={"python": 90},
    symbols=900,
    excluded_by_reason={"binary": 2, "too_large": 1},
    projects=["shop"],
)

MEMO = MemoResult(
    id=3,
    project="shop",
    root="/srv/shop",
    question="How are locks taken?",
    conclusion="In the order of account ids.",
    status="fresh",
    retired_at=None,
    recorded_at=THEN,
    updated_at=NOW,
    files=[RecordedFile(path="bank.py", sha256=SHA, size=120, spans=[])],
    changed_files=[],
    missing_files=[],
    unverifiable_files=[],
    impact=None,
    details=None,
    history=[MemoHistory(version=1, conclusion="At random.", changed_at=NOW, action="replaced", note="")],
)

EDITED = FileDetail(
    path="bank.py",
    change="edited",
    moved_to=None,
    spans=[SpanDetail(start_line=3, end_line=9, symbol="Bank.transfer", now="edited")],
    commit=Commit(id="0123456789abcdef", author="Ada", date=THEN, subject="Lock in order"),
)
DIFF = FileDiff(
    path="bank.py",
    new_path="bank.py",
    change="edited",
    hunks=[
        DiffHunk(
            cited=True,
            old_start=3,
            old_lines=1,
            new_start=3,
            new_lines=1,
            lines=[DiffLine(kind="-", text="lock(a)"), DiffLine(kind="+", text="lock(b)")],
        )
    ],
    unified="--- a/bank.py\n+++ b/bank.py\n@@ -3 +3 @@\n-lock(a)\n+lock(b)\n",
    note=None,
)
STALE_ITEM = StaleItem(
    kind="memo",
    id=4,
    title="Who releases locks?",
    text="The transfer itself.",
    root="/srv/shop",
    files=["bank.py"],
    impact="edited",
    impact_at_base=None,
    changed_files=["bank.py"],
    missing_files=[],
    unverifiable_files=[],
    details=[EDITED],
    diffs=None,
    updated_at=THEN,
)

OLDER = "The lock times out after 5 s."
NEWER = "The lock times out after 30 s."
DRAFT = Draft(
    status="supported",
    answer=f"2026-05-01, fact #9: “{NEWER}” [1]\n    It replaced #7 of 2026-05-01: “{OLDER}” [2]",
    claims=[
        AnswerClaim(
            subject="lock",
            event=NEWER,
            time="2026-05-01",
            modality="asserted",
            citations=[QuoteCitation(source_id=9, quote=NEWER, start=0, end=len(NEWER))],
        ),
        AnswerClaim(
            subject="lock",
            event=OLDER,
            time="2026-05-01",
            modality="negated",
            citations=[QuoteCitation(source_id=7, quote=OLDER, start=0, end=len(OLDER))],
        ),
    ],
    missing=None,
    rejection=None,
)
CAVEAT = "records contradict each other."
ANSWERED = AnswerResult(
    answer=f"{DRAFT.answer}\n\nCaveat: {CAVEAT}",
    draft=DRAFT,
    verification=AnswerVerification(supported=True, reason="every sentence stands word for word"),
    search_calls=2,
    followup_query=None,
    evidence=[
        AnswerEvidence(
            id=id_,
            type="fact",
            project="shop",
            content=content,
            created_at=NOW,
            event_time=None,
            source=Source(kind="file", path="docs/locks.md", line=4),
        )
        for id_, content in ((9, NEWER), (7, OLDER))
    ],
    negative=Negative(
        inverted_query="lock time out not, no longer, instead",
        negative_evidence=[NegativeEvidence(id=7, content=OLDER, created_at=THEN)],
        contradiction_score=0.96,
        decision="hard_contradict",
        rationale="#9 says 30 s and #7 says 5 s",
        scorer="rules",
    ),
    caveat=CAVEAT,
    mode="extractive",
    llm_calls=0,
    answer_id=6,
)
VERIFIED = VerifiedAnswer(
    id=6,
    project="shop",
    query="when does the lock time out",
    branch=None,
    answered_at=THEN,
    answer=ANSWERED.answer,
    draft=DRAFT,
    verification=ANSWERED.verification,
    caveat=CAVEAT,
    decision="hard_contradict",
    mode="extractive",
    model=None,
    citations=[
        VerifiedCitation(
            number=1,
            source_id=9,
            quote=NEWER,
            start=0,
            end=len(NEWER),
            state="stands",
            superseded_by=11,
            expired=False,
            freshness=STALE,
        ),
        VerifiedCitation(
            number=2,
            source_id=7,
            quote=OLDER,
            start=0,
            end=len(OLDER),
            state="deleted",
            superseded_by=None,
            expired=False,
            freshness=None,
        ),
    ],
    evidence=[ChangedEvidence(id=9, state="unchanged"), ChangedEvidence(id=7, state="deleted")],
    quotes_stand=False,
    sources_current=False,
    search_calls=2,
    followup_query=None,
    llm_calls=0,
    prompt_hashes=[],
    elapsed_ms=21.0,
    note=None,
)

RESULTS: Mapping[str, Result] = {
    "memory_save": SaveResult(
        id=7,
        project="shop",
        type="fact",
        created=True,
        duplicate_of=None,
        redacted=[Redaction(kind="aws_access_key", count=1)],
        supersedes=None,
        near=[Near(id=5, score=0.81, content="Locks time out after 5 s.")],
    ),
    "memory_update": UpdateResult(id=7, project="shop", updated_at=NOW, version=2, redacted=[]),
    "memory_delete": DeleteResult(id=7, project="shop", deleted=True, deleted_at=NOW),
    "memory_get": GetResult(memories=[RECORD], missing=[]),
    "recall": recalled(remembered()),
    "recall_context": ContextResult(
        text="Data below.\n\n#7 · fact · 2026-03-01\n```text\nLocks time out after 5 s.\n```\n",
        items=[ContextItem(id=7, score=0.81, tokens=20)],
        tokens=24,
        omitted=1,
        window=Window(),
    ),
    "memory_exploration_record": RecordResult(
        id=3,
        project="shop",
        root="/srv/shop",
        question="How are locks taken?",
        recorded_at=NOW,
        updated_at=NOW,
        files=[RecordedFile(path="bank.py", sha256=SHA, size=120, spans=[])],
        replaced=False,
        semantic_index=True,
    ),
    "memory_exploration_recall": EXPLORED,
    "workspace_status": STATUS,
    "index": INDEXED,
    "watch": INDEXED,
    "projects": ProjectsResult(
        projects=[ProjectInfo(name="shop", roots=["/srv/shop"], memories=12, memos=7)]
    ),
    "memo": MEMO,
    "memory_exploration_verify": VerifyResult(
        id=3, action="verify", status="fresh", updated_at=NOW, files=MEMO.files, retired=False
    ),
    "memo_diff": MemoDiffResult(
        id=4,
        project="shop",
        root="/srv/shop",
        question="Who releases locks?",
        conclusion="The transfer itself.",
        status="stale",
        impact="edited",
        details=[EDITED],
        files=[DIFF],
    ),
    "memory_recall_iterative": IterateResult(
        query="who owns the ledger's writer",
        iterations_used=1,
        terminated_reason="max_iters",
        sub_queries=["who owns the ledger's writer"],
        partial_answers=["The ledger is written by Quillfeather."],
        evidence_count=1,
        evidence=[
            EvidenceItem(
                id=7,
                type="fact",
                project="shop",
                content="The ledger is written by Quillfeather.",
                score=0.83,
                created_at=NOW,
                event_time=None,
                source=Source(kind="file", path="docs/ledger.md", line=3),
            )
        ],
        provenance=Provenance(
            run_id=4,
            planner=PlannerUsed(kind="bridge", model=None),
            iters=[
                Iteration(
                    iter=1,
                    sub_query="who owns the ledger's writer",
                    origin="decomposer",
                    hits_returned=3,
                    new_evidence_ids=[7],
                    partial_answer="The ledger is written by Quillfeather.",
                    planner_done=False,
                    planner_next_query="Quillfeather owns",
                    planner_parse_attempts=1,
                    planner_error=None,
                    elapsed_ms=12.0,
                )
            ],
            elapsed_ms=13.0,
            evidence_count=1,
            llm_calls=0,
        ),
    ),
    "memory_answer": ANSWERED,
    "verify_answer": VERIFIED,
    "run": RunResult(
        id=4,
        project="shop",
        query="who owns the ledger's writer",
        max_iters=1,
        k_per_iter=10,
        llm_model="configured",
        planner="bridge",
        model=None,
        sub_queries=["who owns the ledger's writer"],
        terminated_reason="max_iters",
        error=None,
        iterations=[
            StoredStep(
                iter=1,
                sub_query="who owns the ledger's writer",
                origin="decomposer",
                hits=[RunHit(id=7, score=0.83)],
                new_evidence_ids=[7],
                partial_answer="The ledger is written by Quillfeather.",
                planner_done=False,
                planner_next_query="Quillfeather owns",
                planner_parse_attempts=1,
                planner_error=None,
                prompt_hashes=[],
                search_ms=9.0,
                planner_ms=3.0,
                elapsed_ms=12.0,
            )
        ],
        evidence=[
            StoredEvidence(id=7, score=0.83, content="The ledger is written by Quillfeather.", changed=True),
            StoredEvidence(id=8, score=0.5, content=None, changed=False),
        ],
        llm_calls=0,
        prompt_hashes=[],
        index=StoredIndex(generation=3, memories=20, latest_change="2026-01-01T00:00:00Z"),
        started_at=NOW,
        elapsed_ms=13.0,
        replay_of=None,
    ),
    "replay": ReplayResult(
        id=4,
        replay_id=5,
        same=False,
        terminated_reason="max_iters",
        terminated_reason_now="max_iters",
        iterations=[
            ComparedStep(
                iter=1,
                same=False,
                sub_query="who owns the ledger's writer",
                sub_query_now="who owns the ledger's writer",
                lost_hits=[8],
                new_hits=[],
                same_prompts=True,
            )
        ],
        lost_evidence=[8],
        new_evidence=[],
        same_order=True,
        same_index=False,
        changed_evidence=[],
    ),
    "claims": ClaimsResult(
        project="shop",
        root="/code/shop",
        documents=21,
        memories=4,
        dead=[
            DeadClaim(
                memory=3,
                source_path="docs/CLAUDE.md",
                line=24,
                kind="path",
                text="tasks/plan.md",
                reason="the workspace has no tasks/plan.md",
                suggestion=None,
                excerpt="Read `tasks/plan.md` first.",
            ),
            DeadClaim(
                memory=9,
                source_path="docs/CLAUDE.md",
                line=177,
                kind="symbol",
                text="Lock.release",
                reason="Lock.release was defined in billing/locks.py and is there no more",
                suggestion="billing/mutex.py: Mutex.release",
                excerpt="`Lock.release` in billing/locks.py",
            ),
            DeadClaim(
                memory=12,
                source_path=None,
                line=1,
                kind="command",
                text="make chekc",
                reason="make has nothing called chekc here",
                suggestion="make check",
                excerpt="Run `make chekc` before a release.",
            ),
        ],
        left_out=0,
        notes=[],
    ),
    "stale": StaleResult(
        project="shop",
        root="/srv/shop",
        repository=Repository(uri="https://code.example/shop.git", commit="0123456789abcdef", branch="topic"),
        at=None,
        base=None,
        judged=7,
        fresh=6,
        already_stale=0,
        items=[STALE_ITEM],
        skipped=[],
    ),
    "contents": ContentsResult(
        projects=["bank", "shop"],
        project="shop",
        root="/srv/shop",
        memos=[
            ListedMemo(id=4, question="Who releases locks?", status="stale", updated_at=THEN),
            ListedMemo(id=3, question="How are locks taken?", status="fresh", updated_at=NOW),
        ],
    ),
    "complete": CompleteResult(values=["shop", "shop-2"], total=2),
    "export": ExportResult(rows={"memory": 2, "memo": 1}),
    "import": ImportResult(created=2, updated=1, unchanged=0, bad=[], redacted=[]),
    "import_from": ImportFromResult(
        project="shop", created=2, updated=1, unchanged=0, removed=3, bad=[], redacted=[]
    ),
    "embed": EmbeddingResult(embedded=3, pending=0, model=MODEL),
    "backup": BackupResult(path="/srv/copy.duckdb", bytes=1_500_000),
    "doctor": DoctorResult(
        checks=[
            Check(name="database", state="ok", detail="1.5 MB"),
            Check(name="watch", state="warning", detail="polling", advice="raise the limit of watches"),
        ]
    ),
    "keeper_status": KEEPER,
    "keeper_stop": StopResult(pid=4242, stopping=True),
}
"""One result for each verb."""

BAD_LINE = BadLine

Answer = Callable[[Mapping[str, Any], Call], Result]


class Nobody:
    """An attachment to nothing."""

    def close(self) -> None:
        return None


class FollowingDouble:
    """A share in what turns; the test says what does, with `listener`."""

    def __init__(self, service: ServiceDouble, listener: Listener) -> None:
        self.listener = listener
        self.known: list[dict[str, list[Any]]] = []
        self.closed = False
        self._service = service

    def know(self, **asked: Iterable[Any]) -> None:
        self.known.append({what: list(values) for what, values in asked.items()})
        for values in asked.values():
            for value in values:
                if value in self._service.unknown:
                    raise NotFoundError(f"there is no {value}")

    def close(self) -> None:
        self.closed = True


class ServiceDouble:
    """A Service that answers with `RESULTS`, or as a test says, and notes every call."""

    def __init__(self, answers: Mapping[str, Answer] | None = None) -> None:
        self.answers = dict(answers or {})
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.callers: list[Caller] = []
        self.threads: list[int] = []
        self.followings: list[FollowingDouble] = []
        self.unknown: set[Any] = set()
        """Ids and names that don't exist."""

    def call(self, verb: str, arguments: Mapping[str, Any], call: Call) -> Result:
        self.calls.append((verb, dict(arguments)))
        self.callers.append(call.caller)
        self.threads.append(threading.get_ident())
        return self.answers[verb](arguments, call) if verb in self.answers else RESULTS[verb]

    def attach(self, caller: Caller) -> Nobody:
        self.callers.append(caller)
        return Nobody()

    def follow(self, caller: Caller, listener: Listener) -> FollowingDouble:
        following = FollowingDouble(self, listener)
        self.followings.append(following)
        return following


Reply = Result | Exception | Callable[[Mapping[str, Any]], Result]


class EngineDouble:
    """What the command line asks: answers with `RESULTS`, or as a test says, and notes everything."""

    def __init__(
        self, replies: Mapping[str, Reply] | None = None, events: Mapping[str, Any] | None = None
    ) -> None:
        self.replies = dict(replies or {})
        self.events = dict(events or {})
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.opened: list[dict[str, Any]] = []
        self.closed = 0

    def open_client(
        self,
        settings: Settings,
        *,
        cwd: Path,
        client: str,
        kind: str,
        start: bool = True,
    ) -> EngineDouble:
        self.opened.append(
            {
                "home": settings.home,
                "cwd": cwd,
                "client": client,
                "kind": kind,
                "start": start,
            }
        )
        if isinstance(failure := self.replies.get("open"), Exception):
            raise failure
        return self

    def open_local(self, settings: Settings, *, cwd: Path, client: str, kind: str) -> EngineDouble:
        self.opened.append({"home": settings.home, "cwd": cwd, "client": client, "kind": kind, "local": True})
        return self

    def call(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        *,
        on_event: Callable[[Mapping[str, Any]], None] | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]:
        self.calls.append((verb, dict(arguments)))
        for event in self.events.get(verb, ()):
            if isinstance(event, BaseException):
                raise event
            if on_event is not None:
                on_event(event)
        reply = self.replies[verb] if verb in self.replies else RESULTS[verb]
        if isinstance(reply, Exception):
            raise reply
        return (reply if isinstance(reply, Result) else reply(arguments)).model_dump(mode="json")

    def close(self) -> None:
        self.closed += 1
