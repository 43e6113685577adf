"""An answer with its citations, for pictures and behaviour of the Answers screen."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from tests.tui.frozen import NOW

CENTS = (
    "Invoices are totalled in integer cents, decided after the rounding bug of May.\n"
    "\n"
    "Floats lost a cent on every 3,000th invoice. The report converts to euros only when it is printed, and "
    "never before."
)
RATES = "Currency rates are read once a day \x1b[31mfrom the bank\x1b[0m, at 06:00 UTC; till then yesterday's"
FIRST = "Invoices are totalled in integer cents"
SECOND = "The report converts to euros only when it is printed"
THIRD = "at 06:00 UTC"


def record(id_: int, content: str, days: float, **changes: Any) -> dict[str, Any]:
    """A record that was read."""
    return {
        "id": id_,
        "type": "decision",
        "project": "shop",
        "content": content,
        "created_at": (NOW - timedelta(days=days)).isoformat(),
        "event_time": None,
        "source": {"kind": "agent", "path": None, "line": None, "external_id": None},
        "cut": False,
        "superseded_by": None,
        **changes,
    }


def citation(source_id: int, content: str, quote: str) -> dict[str, Any]:
    """A quote with its place."""
    start = content.index(quote)
    return {"source_id": source_id, "quote": quote, "start": start, "end": start + len(quote)}


def claim(event: str, *citations: dict[str, Any]) -> dict[str, Any]:
    """What is said, and by which quotes."""
    return {
        "subject": "invoices",
        "event": event,
        "time": "",
        "modality": "asserted",
        "citations": list(citations),
    }


def answer(**changes: Any) -> dict[str, Any]:
    """A supported answer with three citations of two records."""
    return {
        "answer": "Invoices are totalled in integer cents and shown in euros only in print.",
        "draft": {
            "status": "supported",
            "answer": "Invoices are totalled in integer cents and shown in euros only in print.",
            "claims": [
                claim("totalled in cents", citation(12, CENTS, FIRST)),
                claim("converted in print", citation(12, CENTS, SECOND), citation(31, RATES, THIRD)),
            ],
            "missing": None,
            "rejection": None,
        },
        "verification": {"supported": True, "reason": "each statement is a record's own"},
        "search_calls": 2,
        "followup_query": None,
        "evidence": [
            record(12, CENTS, 64),
            record(
                31,
                RATES,
                2,
                source={"kind": "file", "path": "docs/rates.md", "line": 14, "external_id": None},
            ),
        ],
        "negative": None,
        "caveat": None,
        "mode": "llm",
        "llm_calls": 3,
        "answer_id": 5,
        "note": None,
        **changes,
    }


CAVEAT = "an older record says that totals are floats"
CONTRADICTED = answer(
    answer=f"Invoices are totalled in integer cents.\n\nCaveat: {CAVEAT}",
    caveat=CAVEAT,
    negative={
        "inverted_query": "invoices are not totalled in cents",
        "negative_evidence": [
            {
                "id": 3,
                "content": "Totals are floats, rounded half up.",
                "created_at": (NOW - timedelta(days=400)).isoformat(),
            }
        ],
        "contradiction_score": 0.44,
        "decision": "soft_contradict",
        "rationale": "one says cents, the other floats",
        "scorer": "rules",
    },
)
REFUSED = answer(
    answer="Not enough information",
    draft={
        "status": "insufficient",
        "answer": "",
        "claims": [],
        "missing": {"subject": "invoices", "relation": "are sent by", "time": "2025"},
        "rejection": "no record says who sends them",
    },
    verification=None,
    evidence=[],
    mode="extractive",
    llm_calls=0,
    note="the language model failed, so that rules took its place: no answer within 60 s",
)


def steps(arguments: Mapping[str, Any], emit: Any) -> dict[str, Any]:
    """Tells two steps, then answers."""
    for name, told, elapsed in (("search", "8 found", 14.0), ("contradictions", "none, 0.00", 31.5)):
        emit(
            {
                "kind": "answer_step",
                "done": 1,
                "total": 5,
                "message": "",
                "step": {"name": name, "told": told, "elapsed_ms": elapsed},
            }
        )
    return answer()


def verified(*states: str, **changes: Any) -> dict[str, Any]:
    """The answer proved again; the state of each of its quotes."""
    given = answer()
    quotes = [quote for made in given["draft"]["claims"] for quote in made["citations"]]
    told = states or ("stands", "stands", "stands")
    return {
        **{key: given[key] for key in ("answer", "draft", "verification", "caveat", "mode", "search_calls")},
        **{"id": 5, "project": "shop", "query": "why cents", "branch": None, "decision": None},
        **{"answered_at": NOW.isoformat(), "model": "qwen3:8b", "followup_query": None, "llm_calls": 3},
        "citations": [
            {
                "number": number,
                **quote,
                "state": state,
                "superseded_by": None,
                "expired": False,
                "freshness": None,
            }
            for number, (quote, state) in enumerate(zip(quotes, told, strict=True), 1)
        ],
        "evidence": [{"id": 12, "state": "unchanged"}, {"id": 31, "state": "unchanged"}],
        "quotes_stand": set(told) <= {"stands", "moved"},
        "sources_current": set(told) <= {"stands", "moved"},
        "prompt_hashes": [],
        "elapsed_ms": 900.0,
        "note": None,
        **changes,
    }


ANSWERS: Mapping[str, Any] = {"memory_answer": answer(), "verify_answer": verified()}
