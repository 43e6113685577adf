"""Answers are kept, and proved again: which quotes still stand, and which of their records went stale."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, cast

from afresh.answer_verbs import (
    ChangedEvidence,
    VerifiedAnswer,
    VerifiedCitation,
    VerifyAnswerArguments,
)
from afresh.contracts import (
    AnswerArguments,
    AnswerResult,
    AnswerVerification,
    ContradictionDecision,
    Draft,
)
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.cited_freshness import CitedFreshness
from afresh.engine.core import Engine, Redactor
from afresh.engine.excerpts import Excerpt
from afresh.engine.workspaces import Workspace
from afresh.store import answers, citations, memories
from afresh.store.answers import Answer, Citation, Read
from afresh.store.memory_records import Memory
from afresh.text.quotes import Quotable

State = Literal["stands", "moved", "changed", "deleted"]


def keep(
    engine: Engine,
    arguments: AnswerArguments,
    result: AnswerResult,
    excerpts: Sequence[Excerpt],
    workspace: Workspace | None,
    *,
    model: str | None,
    prompts: Sequence[str],
    answered_at: datetime,
    elapsed_ms: float,
) -> int:
    """Store an answer; its id."""
    redact = Redactor()
    by_id = {excerpt.id: excerpt for excerpt in excerpts}
    cited = [
        Citation(
            citation.source_id,
            citation.start + by_id[citation.source_id].offset,
            citation.end + by_id[citation.source_id].offset,
            citation.quote,
            by_id[citation.source_id].record.memory.superseded_by,
        )
        for claim in result.draft.claims
        for citation in claim.citations
    ]
    negative = result.negative.model_dump(mode="json") if result.negative is not None else None
    if negative is not None:
        negative["negative_evidence"] = [item["id"] for item in negative["negative_evidence"]]
    with engine.write() as tx:
        id_ = answers.next_id(tx)
        answers.put(
            tx,
            Answer(
                id=id_,
                project_id=workspace.project.id if workspace else None,
                query=redact(arguments.query),
                branch=arguments.branch,
                type=arguments.type,
                answer=redact(result.answer),
                draft=_redacted(result.draft.model_dump(mode="json"), redact),
                verification=None
                if result.verification is None
                else _redacted(result.verification.model_dump(mode="json"), redact),
                negative=None if negative is None else _redacted(negative, redact),
                caveat=None if result.caveat is None else redact(result.caveat),
                mode=result.mode,
                model=model,
                note=None if result.note is None else redact(result.note),
                evidence=tuple(
                    Read(excerpt.id, excerpt.record.memory.content_sha256) for excerpt in excerpts
                ),
                citations=tuple(cited),
                search_calls=result.search_calls,
                followup_query=None if result.followup_query is None else redact(result.followup_query),
                llm_calls=result.llm_calls,
                prompts=tuple(prompts),
                answered_at=answered_at,
                elapsed_ms=elapsed_ms,
            ),
        )
    return id_


def verify_answer(engine: Engine, arguments: VerifyAnswerArguments, call: Call) -> VerifiedAnswer:
    """Prove a stored answer again, from its records as they are now.

    Raises NotFoundError.
    """
    with engine.store.read() as cursor:
        found = answers.get(cursor, arguments.id)
        ids = [citation.source_id for citation in found.citations] + [item.id for item in found.evidence]
        known = {memory.id: memory for memory in memories.get(cursor, ids)}
        cited = citations.of(cursor, list(known))
        project = workspaces.name_of(cursor, found.project_id, f"answer {found.id}")
    judge = CitedFreshness(engine, call)
    now = engine.clock()
    proved: list[VerifiedCitation] = []
    current = True
    for number, citation in enumerate(found.citations, start=1):
        memory = known.get(citation.source_id)
        state, start, end = _standing(citation, memory)
        freshness = None
        expired = memory is not None and memory.expires_at is not None and memory.expires_at <= now
        superseded_by = memory.superseded_by if memory is not None else None
        if memory is not None:
            freshness = judge.of(memory.project_id, cited.get(memory.id))
        since = superseded_by if superseded_by != citation.superseded_by else None
        current = current and memory is not None and not expired and since is None
        current = current and (freshness is None or freshness.status == "fresh")
        proved.append(
            VerifiedCitation(
                number=number,
                source_id=citation.source_id,
                quote=citation.quote,
                start=start,
                end=end,
                state=state,
                superseded_by=since,
                expired=expired,
                freshness=freshness,
            )
        )
    return VerifiedAnswer(
        id=found.id,
        project=project,
        query=found.query,
        branch=found.branch,
        answered_at=found.answered_at,
        answer=found.answer,
        draft=Draft.model_validate(found.draft),
        verification=None
        if found.verification is None
        else AnswerVerification.model_validate(found.verification),
        caveat=found.caveat,
        decision=None if found.negative is None else cast(ContradictionDecision, found.negative["decision"]),
        mode="llm" if found.mode == "llm" else "extractive",
        model=found.model,
        citations=proved,
        evidence=[
            ChangedEvidence(id=item.id, state=_changed(item, known.get(item.id))) for item in found.evidence
        ],
        quotes_stand=all(citation.state in ("stands", "moved") for citation in proved),
        sources_current=current,
        search_calls=found.search_calls,
        followup_query=found.followup_query,
        llm_calls=found.llm_calls,
        prompt_hashes=list(found.prompts),
        elapsed_ms=found.elapsed_ms,
        note=found.note,
    )


def _standing(citation: Citation, memory: Memory | None) -> tuple[State, int, int]:
    """How a quote stands in its record now, and where."""
    start, end = citation.start, citation.end
    if memory is None:
        return "deleted", start, end
    if memory.content[start:end] == citation.quote:
        return "stands", start, end
    span = Quotable(memory.content).find(citation.quote)
    if span is not None and span.how == "exact":
        return "moved", span.start, span.end
    return "changed", start, end


def _changed(item: Read, memory: Memory | None) -> Literal["unchanged", "changed", "deleted"]:
    if memory is None:
        return "deleted"
    return "unchanged" if memory.content_sha256 == item.content_sha256 else "changed"


def _redacted(value: Any, redact: Redactor) -> Any:
    """Every text of a JSON value redacted."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [_redacted(item, redact) for item in value]
    if isinstance(value, dict):
        return {name: _redacted(item, redact) for name, item in value.items()}
    return value
