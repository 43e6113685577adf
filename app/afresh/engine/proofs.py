"""A reader's claims with their quotes proved: what stands in no record is not said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from afresh.contracts import AnswerClaim, QuoteCitation
from afresh.engine.excerpts import Excerpt
from afresh.llm.prompts import ReaderClaim

_TELLING = 12
"""Characters from which on a quote is looked for in another record than the named one."""


@dataclass(frozen=True, slots=True)
class Proved:
    """What is left of a reader's claims."""

    claims: tuple[AnswerClaim, ...]
    dropped: int
    """Claims without a quote that stands."""
    repaired: int
    """Quotes that stood there in another form."""


def proved(claims: Sequence[ReaderClaim], excerpts: Sequence[Excerpt]) -> Proved:
    """Find each quote in the record that it names or, where that isn't a known one, in whichever has it.

    Claims of the same words become one with several citations.
    """
    kept: dict[tuple[str, str, str, str], AnswerClaim] = {}
    dropped = repaired = 0
    for claim in claims:
        found = _citation(claim, excerpts)
        if found is None:
            dropped += 1
            continue
        citation, exact = found
        repaired += not exact
        key = (claim.subject, claim.event, claim.time, claim.modality)
        held = kept.get(key)
        citations = [*held.citations, citation] if held is not None else [citation]
        kept[key] = AnswerClaim(
            subject=claim.subject,
            event=claim.event,
            time=claim.time,
            modality=claim.modality,
            citations=list({(c.source_id, c.start, c.end): c for c in citations}.values()),
        )
    return Proved(tuple(kept.values()), dropped, repaired)


def cite(excerpt: Excerpt, start: int, end: int) -> QuoteCitation:
    """A span of an excerpt as a citation."""
    return QuoteCitation(source_id=excerpt.id, quote=excerpt.text[start:end], start=start, end=end)


def _citation(claim: ReaderClaim, excerpts: Sequence[Excerpt]) -> tuple[QuoteCitation, bool] | None:
    named = next((excerpt for excerpt in excerpts if excerpt.id == claim.source_id), None)
    if named is not None and (span := named.quotable.find(claim.quote)):
        return cite(named, span.start, span.end), span.how == "exact"
    for excerpt in excerpts:
        # A small model counts the records instead of reading their numbers; only what stands there word
        # for word, and isn't so short that it could stand anywhere, is taken from another than it named.
        if excerpt is named or (named is not None and len(claim.quote.strip()) < _TELLING):
            continue
        span = excerpt.quotable.find(claim.quote)
        if span is not None and span.how in ("exact", "form"):
            return cite(excerpt, span.start, span.end), span.how == "exact"
    return None
