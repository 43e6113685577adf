"""What every answer must hold, whoever wrote it."""

from __future__ import annotations

from afresh.contracts import AnswerResult


def proves_its_quotes(result: AnswerResult) -> None:
    """Each claim has a citation, and each citation stands in the evidence as it is returned."""
    evidence = {item.id: item.content for item in result.evidence}
    assert len(evidence) == len(result.evidence)
    for claim in result.draft.claims:
        assert claim.citations
        for citation in claim.citations:
            assert evidence[citation.source_id][citation.start : citation.end] == citation.quote
