"""memory_answer: a question answered from records alone, every claim with a quote that stands in one.

Search, look for what contradicts, draft, prove the quotes, look once for what is missing, check, store. With
a language model the reader drafts and is believed as far as its quotes are found; without one, or where it
fails, whole sentences are quoted. It refuses rather than guess.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from afresh.contracts import (
    AnswerArguments,
    AnswerClaim,
    AnswerResult,
    AnswerVerification,
    Draft,
    MissingRelation,
    Negative,
    NegativeEvidence,
)
from afresh.engine import negative, stored_answers
from afresh.engine.answer_search import Record, Searching
from afresh.engine.bridging import BridgePlanner
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.evidence import Evidence
from afresh.engine.excerpts import Excerpt, fitted
from afresh.engine.extracting import Similarity, extracted, missing, refused
from afresh.engine.llm_access import CONFIGURED
from afresh.engine.negative import HARD, Conflict, Judgement, Sentence, standing
from afresh.engine.proofs import cite, proved
from afresh.engine.reader import MOST_CALLS, Reader
from afresh.errors import LlmError, LlmOutputError
from afresh.llm.prompts import ReaderMissing, Reading
from afresh.text.corpus import Hit
from afresh.text.coverage import Coverage
from afresh.text.tokens import has_word

STEPS = ("search", "contradictions", "draft", "followup", "verification")
"""What is announced, in this order; a follow-up and a verification only where there is one."""
_CHECKED = ("supported", "inferred")
_CALLS_OF_A_DRAFT = 2
"""One to read and one to check; a second draft is only begun with so many left."""


@dataclass(slots=True)
class _Course:
    """One answer on its way."""

    engine: Engine
    arguments: AnswerArguments
    call: Call
    searching: Searching
    coverage: Coverage
    reader: Reader | None
    began: float = field(default_factory=time.perf_counter)
    note: str | None = None
    records: list[Record] = field(default_factory=list)
    """All that the searches brought, best first."""
    hits: list[Hit] = field(default_factory=list)
    inverted: str = ""
    opposing: list[Record] = field(default_factory=list)
    """What only the contradiction search brought."""
    judgement: Judgement = field(default_factory=lambda: Judgement(0.0, "nothing was found to contradict"))
    scorer: str = "rules"
    followup: str | None = None

    def announce(self, step: str, told: str) -> None:
        done = STEPS.index(step) + 1
        self.call.emit(
            {
                "kind": "answer_step",
                "done": done,
                "total": len(STEPS),
                "message": f"{done} of {len(STEPS)}: {step}, {told}",
                "step": {
                    "name": step,
                    "told": told,
                    "elapsed_ms": round((time.perf_counter() - self.began) * 1000, 3),
                },
            }
        )

    def lost(self, error: LlmError) -> None:
        """Go on without what the model was asked for; without the model where it isn't there."""
        self.note = f"the language model failed, so that rules took its place: {error.message}"
        if not isinstance(error, LlmOutputError):
            self.spent = self.reader
            self.reader = None

    spent: Reader | None = None
    """The reader that failed, for its counts."""

    @property
    def held(self) -> Reader | None:
        """The reader, though it may have failed."""
        return self.reader or self.spent


@dataclass(frozen=True, slots=True)
class _Drafted:
    draft: Draft
    mode: str
    verification: AnswerVerification | None


def answer(engine: Engine, arguments: AnswerArguments, call: Call) -> AnswerResult:
    """Answer one call, and store the answer.

    Raises UnknownProjectError and CancelledCallError.
    """
    searching = Searching(engine, arguments, call)
    course = _Course(
        engine, arguments, call, searching, searching.coverage(arguments.query), _reader(engine, call)
    )
    started_at = engine.clock()
    course.records, course.hits = searching.find(arguments.query, "search")
    course.announce("search", f"{len(course.records)} found")
    _look_for_contradictions(course)
    excerpts, before = _handed_on(course)
    if (
        engine.preferences.contradiction_policy == "abstain"
        and course.judgement.decision == "hard_contradict"
    ):
        lacks = missing(course.coverage, [excerpt.text for excerpt in excerpts])
        drafted = _Drafted(refused(lacks, course.judgement.rationale), _mode(course), None)
        course.announce("draft", "refused, because records contradict each other")
    else:
        drafted = _draft(course, excerpts, before)
        if drafted.draft.missing is not None and arguments.followup and _follow_up(course, drafted.draft):
            excerpts, before = _handed_on(course)
            drafted = _draft(course, excerpts, before)
        drafted = _verified(course, drafted, excerpts, before)
    result = _result(course, drafted, excerpts)
    call.check()
    id_ = stored_answers.keep(
        engine,
        arguments,
        result,
        excerpts,
        searching.workspace,
        model=_model(course),
        prompts=course.held.prompts if course.held is not None else [],
        answered_at=started_at,
        elapsed_ms=round((time.perf_counter() - course.began) * 1000, 3),
    )
    return result.model_copy(update={"answer_id": id_})


def _reader(engine: Engine, call: Call) -> Reader | None:
    asker = engine.llm.asker(CONFIGURED, calls=MOST_CALLS, cancelled=call.cancelled)
    return None if asker is None else Reader(asker, engine.llm.context_tokens)


def _mode(course: _Course) -> str:
    return "llm" if course.reader is not None else "extractive"


def _model(course: _Course) -> str | None:
    return course.held.model if course.held is not None else None


# --- contradictions -----------------------------------------------------------------------------------


def _look_for_contradictions(course: _Course) -> None:
    """The second search, and how gravely what was found disagrees."""
    query = course.arguments.query
    course.inverted = negative.inverted(query)
    if course.records and course.reader is not None:
        try:
            asked = course.reader.invert(query)
            course.inverted = asked if has_word(asked) else course.inverted
        except LlmError as error:
            course.lost(error)
    found, _ = course.searching.find(course.inverted, "negative")
    known = {record.id for record in course.records}
    if course.records:
        course.opposing = [record for record in found if record.id not in known]
        course.judgement = _judged(course)
    course.announce(
        "contradictions",
        f"{len(found)} found, {course.judgement.decision.replace('_', ' ')} "
        f"({course.judgement.score:.2f}, by {course.scorer})",
    )


def _judged(course: _Course) -> Judgement:
    """By the model, where it is to judge and can; else by the rules."""
    both = [*course.records, *course.opposing]
    excerpts = fitted(both, course.coverage, course.arguments.max_bytes)
    course.scorer = "rules"
    if course.engine.preferences.contradiction_scorer != "rules" and course.reader is not None:
        if len(excerpts) < 2:
            return Judgement(0.0, "a single record contradicts nothing")
        try:
            weighed = course.reader.weigh(course.arguments.query, excerpts)
        except LlmError as error:
            course.lost(error)
        else:
            course.scorer = "llm"
            told = " ".join(weighed.rationale.split()) or "judged by the language model"
            return negative.between(excerpts, weighed.ids, weighed.score, told, course.coverage)
    return negative.judged(excerpts, course.coverage)


# --- what the reader gets -----------------------------------------------------------------------------


def _handed_on(course: _Course) -> tuple[list[Excerpt], Mapping[int, Record]]:
    """The evidence: what was found, with both sides of each contradiction and what records replaced."""
    sides = {
        side.excerpt.id
        for conflict in course.judgement.conflicts
        for side in (conflict.newer, conflict.older)
    }
    if course.judgement.decision != "no_contradiction" and not course.judgement.conflicts:
        # A model that named no records has both lists before it.
        sides = {record.id for record in course.opposing[:2]}
    opposing = [record for record in course.opposing if record.id in sides]
    first, rest = course.records[:1], course.records[1:]
    pool = [*first, *opposing, *rest]
    before = course.searching.replaced(pool, {record.id for record in pool})
    order: list[Record] = []
    for record in pool:
        order.append(record)
        if record.id in before:
            order.append(before[record.id])
    needed = {*sides, *(record.id for record in first), *(r.id for r in before.values())}
    left = course.arguments.limit - sum(record.id in needed for record in order)
    kept = []
    for record in order:
        if record.id in needed:
            kept.append(record)
        elif left > 0:
            left -= 1
            kept.append(record)
    return fitted(kept, course.coverage, course.arguments.max_bytes), before


def _follow_up(course: _Course, draft: Draft) -> bool:
    """One more search for what is missing; whether it brought anything."""
    if not course.records:
        return False
    if course.reader is not None and course.reader.left < _CALLS_OF_A_DRAFT:
        return False
    asked = _followup_query(course, draft.missing)
    if asked is None:
        return False
    course.followup = asked
    found, _ = course.searching.find(asked, "followup")
    known = {record.id for record in course.records}
    new = [record for record in found if record.id not in known]
    # What leads on comes right after the best, so that the bound on records doesn't cut it off.
    course.records = [*course.records[:2], *new[:3], *course.records[2:], *new[3:]]
    course.opposing = [record for record in course.opposing if record.id not in {r.id for r in new}]
    if new and course.scorer == "rules":
        course.judgement = _judged_again(course)
    course.announce("followup", f"{asked}: {len(new)} new")
    return bool(new)


def _judged_again(course: _Course) -> Judgement:
    excerpts = fitted([*course.records, *course.opposing], course.coverage, course.arguments.max_bytes)
    return negative.judged(excerpts, course.coverage)


def _followup_query(course: _Course, lacks: MissingRelation | None) -> str | None:
    """What the reader lacks or, without one, the name that leads on from what was found."""
    if course.reader is not None and lacks is not None:
        words = " ".join(f"{lacks.subject} {lacks.relation} {lacks.time}".split())
        return words if has_word(words) else None
    evidence = Evidence(course.engine, course.searching.ids, course.arguments.query)
    evidence.add(course.hits)
    return BridgePlanner(evidence).following()


# --- drafts -------------------------------------------------------------------------------------------


def _draft(course: _Course, excerpts: Sequence[Excerpt], before: Mapping[int, Record]) -> _Drafted:
    """By the reader, where there is one and something to read; else by quoting."""
    course.call.check()
    drafted = None
    if course.reader is not None and excerpts:
        try:
            disagreement = course.judgement.rationale if course.judgement.score >= HARD else ""
            reading = course.reader.read(course.arguments.query, excerpts, disagreement)
        except LlmError as error:
            course.lost(error)
        else:
            drafted = _read(course, reading, excerpts, before)
    if drafted is None:
        drafted = _quoted(course, excerpts, before)
    course.announce("draft", f"{drafted.draft.status}, {len(drafted.draft.claims)} claims")
    return drafted


def _quoted(course: _Course, excerpts: Sequence[Excerpt], before: Mapping[int, Record]) -> _Drafted:
    draft = extracted(excerpts, course.coverage, course.judgement.conflicts, before, _similarity(course))
    return _Drafted(draft, "extractive", None)


def _similarity(course: _Course) -> Similarity | None:
    embedder = course.engine.model.embedder
    if embedder is None:
        return None
    question = embedder.query(course.arguments.query)

    def likeness(texts: Sequence[str]) -> list[float]:
        return [float(value) for value in embedder.passages(texts) @ question]

    return likeness


def _read(
    course: _Course, reading: Reading, excerpts: Sequence[Excerpt], before: Mapping[int, Record]
) -> _Drafted | None:
    """What of the reader's draft is proved; None where it follows a record that a newer one contradicts."""
    lacks = _lacking(course, reading.missing, excerpts)
    found = proved(reading.claims, excerpts)
    if reading.status == "insufficient" or not found.claims:
        why = None
        if reading.status != "insufficient":
            why = "no quote of the draft stands in the records"
        return _Drafted(refused(lacks, why), "llm", None)
    claims = list(found.claims)
    cited = {citation.source_id for claim in claims for citation in claim.citations}
    conflicts = [conflict for conflict in course.judgement.conflicts if conflict.score >= HARD]
    if any(c.older.excerpt.id in cited and c.newer.excerpt.id not in cited for c in conflicts):
        course.note = (
            "the language model followed a record that a newer one contradicts; sentences are quoted"
        )
        return None
    text = reading.answer.strip()
    if found.dropped or not text:
        # What is said in a claim that was dropped must not stand in the answer.
        text = " ".join(dict.fromkeys(_said(claim) for claim in claims))
    text = _with_replaced(text, claims, cited, excerpts, conflicts, before)
    return _Drafted(
        Draft(
            status=reading.status,
            answer=text,
            claims=claims,
            missing=lacks if reading.status == "partial" else None,
            rejection=None,
        ),
        "llm",
        None,
    )


def _said(claim: AnswerClaim) -> str:
    said = claim.event.strip() or claim.citations[0].quote.strip()
    return said if said[-1:] in ".!?…" else f"{said}."


def _lacking(course: _Course, said: ReaderMissing | None, excerpts: Iterable[Excerpt]) -> MissingRelation:
    if said is not None and has_word(f"{said.subject} {said.relation}"):
        return MissingRelation(subject=said.subject, relation=said.relation, time=said.time)
    return missing(course.coverage, [excerpt.text for excerpt in excerpts])


def _with_replaced(
    text: str,
    claims: list[AnswerClaim],
    cited: set[int],
    excerpts: Sequence[Excerpt],
    conflicts: Sequence[Conflict],
    before: Mapping[int, Record],
) -> str:
    """The answer with what its newest records replaced named, each in a claim of its own."""
    by_id = {excerpt.id: excerpt for excerpt in excerpts}
    older: dict[int, Sentence] = {}
    for conflict in conflicts:
        newer, sentence = conflict.newer.excerpt.id, standing(conflict.older, by_id)
        if newer not in cited or sentence is None:
            continue
        held = older.get(newer)
        if held is None or held.excerpt.record.age < sentence.excerpt.record.age:
            older[newer] = sentence
    for newer, record in before.items():
        excerpt = by_id.get(record.id)
        if newer in cited and excerpt is not None and excerpt.sentences:
            older.setdefault(newer, Sentence(excerpt, *excerpt.sentences[0]))
    for newer, sentence in older.items():
        record = sentence.excerpt.record
        if record.id in cited and f"#{record.id}" in text:
            continue
        told = f"#{newer} replaced #{record.id} of {record.day}: “{negative.shown(sentence.text)}”"
        text = f"{text}\n{told}"
        claims.append(
            AnswerClaim(
                subject="",
                event=told,
                time=record.day,
                modality="negated",
                citations=[cite(sentence.excerpt, sentence.start, sentence.end)],
            )
        )
    return text


# --- verification -------------------------------------------------------------------------------------


def _verified(
    course: _Course, drafted: _Drafted, excerpts: Sequence[Excerpt], before: Mapping[int, Record]
) -> _Drafted:
    """The second pass: by the reader for what a reader wrote; a quoted sentence is its own proof."""
    if drafted.draft.status not in _CHECKED:
        return drafted
    if drafted.mode == "llm" and course.reader is not None:
        by_id = {excerpt.id: excerpt for excerpt in excerpts}
        quotes = [
            (by_id[citation.source_id], citation.quote)
            for claim in drafted.draft.claims
            for citation in claim.citations
        ]
        try:
            checked = course.reader.check(course.arguments.query, drafted.draft.answer, quotes)
        except LlmError as error:
            course.lost(error)
            drafted = _quoted(course, excerpts, before)
            if drafted.draft.status not in _CHECKED:
                return drafted
        else:
            reason = " ".join(checked.reason.split())
            verification = AnswerVerification(supported=checked.supported, reason=reason)
            course.announce("verification", "supported" if checked.supported else "not supported")
            if checked.supported:
                return _Drafted(drafted.draft, drafted.mode, verification)
            lacks = missing(course.coverage, [excerpt.text for excerpt in excerpts])
            rejection = reason or "the quotes don't say what the draft says"
            return _Drafted(refused(lacks, rejection), drafted.mode, verification)
    course.announce("verification", "every sentence is a record's own")
    return _Drafted(
        drafted.draft,
        drafted.mode,
        AnswerVerification(supported=True, reason="every sentence stands word for word in its record"),
    )


# --- the result ---------------------------------------------------------------------------------------


def _result(course: _Course, drafted: _Drafted, excerpts: Sequence[Excerpt]) -> AnswerResult:
    draft = drafted.draft
    caveat = negative.caveat(course.judgement) if draft.status != "insufficient" else None
    return AnswerResult(
        answer=draft.answer if caveat is None else f"{draft.answer}\n\nCaveat: {caveat}",
        draft=draft,
        verification=drafted.verification,
        search_calls=course.searching.calls,
        followup_query=course.followup,
        evidence=[excerpt.evidence() for excerpt in excerpts],
        negative=_negative(course, excerpts) if course.records else None,
        caveat=caveat,
        mode="llm" if drafted.mode == "llm" else "extractive",
        llm_calls=course.held.calls if course.held is not None else 0,
        answer_id=0,
        note=course.note,
    )


def _negative(course: _Course, excerpts: Sequence[Excerpt]) -> Negative:
    judgement = course.judgement
    ids = list(dict.fromkeys(conflict.older.excerpt.id for conflict in judgement.conflicts))
    if not ids and judgement.decision != "no_contradiction":
        ids = [record.id for record in course.opposing]
    handed = {excerpt.id: excerpt for excerpt in excerpts}
    return Negative(
        inverted_query=course.inverted,
        negative_evidence=[
            NegativeEvidence(
                id=id_, content=handed[id_].text, created_at=handed[id_].record.memory.created_at
            )
            for id_ in ids
            if id_ in handed
        ],
        contradiction_score=judgement.score,
        decision=judgement.decision,
        rationale=judgement.rationale,
        scorer="llm" if course.scorer == "llm" else "rules",
    )
