"""What is asked of a stored answer: whether its quotes still stand, and whether their records do."""

from __future__ import annotations

from typing import Literal

from afresh.contracts import (
    AnswerVerification,
    Arguments,
    ContradictionDecision,
    Draft,
    Freshness,
    Result,
    Time,
)


class VerifyAnswerArguments(Arguments):
    id: int


class VerifiedCitation(Result):
    """A quote of a stored answer, and how it stands now."""

    number: int
    """From 1, as in the answer."""
    source_id: int
    quote: str
    start: int
    end: int
    """Its place in the whole record, code points; where it is now, if it moved."""
    state: Literal["stands", "moved", "changed", "deleted"]
    superseded_by: int | None
    """What replaced its record since."""
    expired: bool
    freshness: Freshness | None
    """Of the files that the record cites."""


class ChangedEvidence(Result):
    id: int
    state: Literal["unchanged", "changed", "deleted"]


class VerifiedAnswer(Result):
    """A stored answer, proved again. Secrets in it are redacted."""

    id: int
    project: str
    query: str
    branch: str | None
    answered_at: Time
    answer: str
    draft: Draft
    """As it was given; its citations count from the beginning of the evidence of then."""
    verification: AnswerVerification | None
    caveat: str | None
    decision: ContradictionDecision | None
    mode: Literal["llm", "extractive"]
    model: str | None
    citations: list[VerifiedCitation]
    evidence: list[ChangedEvidence]
    quotes_stand: bool
    """Every quote stands in its record."""
    sources_current: bool
    """No quoted record was deleted, replaced or has expired since, and none cites files that changed."""
    search_calls: int
    followup_query: str | None
    llm_calls: int
    prompt_hashes: list[str]
    elapsed_ms: float
    note: str | None
