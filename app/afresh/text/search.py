"""One search: what the indexes say about each document, put together, cut at the floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from afresh.text.calibration import BUNDLED_SCALE, Calibration
from afresh.text.days import named_days
from afresh.text.lexical import LexicalScores, LexicalSnapshot
from afresh.text.ranking import Evidence, Judged, Weights, fused, judge
from afresh.text.surroundings import FOLLOWED, Texts, best_neighbour, led_to, on_days, strongest
from afresh.text.threads import Links, seen
from afresh.text.tokens import count_terms, has_word, hash_term, latin_share, names
from afresh.text.vectors import UNKNOWN, VectorSnapshot

Exact = Callable[[NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.float32]]]
"""Gives the stored floats of documents: the document of each chunk, and float32 [chunks, dim]."""

RESCORED = 50
"""So many are scored again from the stored floats; the true ten were always among them."""

_RUNNERS_UP = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found."""

    doc_id: int
    score: float
    """0..1; from 0.5 it is relevant."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """`dense`, `lexical`, `relevant`, and where they say anything `context`, `day` and `names`: together the
    score; empty unless asked for."""
    cosine: float | None = None
    """With the best chunk; None where there is no vector."""
    coverage: float = 0.0
    """Share of the query's weight in words that the document has."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search found, best first."""

    hits: tuple[Hit, ...]
    """The relevant ones, then the nearest of the others."""
    relevant: int
    """How many of the first hits are above the floor; 0 means that nothing relevant is known."""
    retrieval: Literal["hybrid", "lexical"]
    considered: int
    """How many documents the search could see."""
    generation: int

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """What is below the floor."""
        return self.hits[self.relevant :]


@dataclass(frozen=True, slots=True)
class View:
    """One moment of the corpus, and what one search may see of it."""

    ids: NDArray[np.int64]
    mask: NDArray[np.bool_]
    lexical: LexicalSnapshot
    vectors: VectorSnapshot
    links: Links | None
    days: NDArray[np.int32]
    generation: int

    @property
    def visible(self) -> int:
        """How many documents that is."""
        return int(np.count_nonzero(self.mask))


@dataclass(frozen=True, slots=True)
class Asked:
    """What is searched for, and how."""

    text: str
    vector: NDArray[np.float32] | None
    said: str
    """The whole question; `text` may leave out its words about time."""
    k: int
    exact: Exact | None
    texts: Texts | None
    explain: bool


def search(view: View, asked: Asked, calibration: Calibration, weights: Weights) -> Ranking:
    """Rank what the view shows."""
    if not has_word(asked.text):
        return Ranking((), 0, "lexical", view.visible, view.generation)
    links = seen(view.links, view.mask)
    words = view.lexical.scores(count_terms(asked.text), view.mask, links)
    cosine = _cosines(view, asked, calibration)
    known = cosine[view.mask & (cosine > UNKNOWN)]
    retrieval: Literal["hybrid", "lexical"] = "hybrid" if len(known) else "lexical"
    # A neighbour's words find a document too, where nothing else is there to find it by.
    rows = np.flatnonzero(view.mask if len(known) else view.mask & (words.context > 0))
    if not len(rows):
        return Ranking((), 0, retrieval, view.visible, view.generation)
    unnamed, known_names, unknown_names = _names(asked.text, view)
    whole = _Search(
        words=words,
        cosine=cosine,
        unnamed=unnamed,
        embedded=len(known),
        background=float(known.mean()) if len(known) else 0.0,
        runners_up=_runners_up(known),
        unknown_names=unknown_names,
        known_names=known_names,
        near=np.zeros(len(view.mask)),
        on_day=on_days(named_days(asked.said), view.days),
        led_to=np.zeros(len(view.mask)),
    )
    order = np.zeros(len(view.mask))
    order[rows] = np.add(*fused(whole.evidence(rows), weights))
    if links is not None:
        whole.near[:] = best_neighbour(order, links, weights.reach)
    order += weights.near_by * whole.near + weights.on_day * whole.on_day
    if asked.texts is not None:
        whole.led_to[:] = _led_to(view, asked, asked.texts, rows, order)
        order += weights.led_to * whole.led_to
    wanted = max(RESCORED, asked.k)
    # Words alone can pass the floor below many middling cosines, so the best by words are judged too.
    best = np.union1d(strongest(order[rows], wanted), strongest(words.coverage[rows], RESCORED))
    rows = rows[best]
    if asked.exact is not None and asked.vector is not None and len(known):
        _rescore(cosine, rows, view, asked.exact, asked.vector, calibration)
    judged = judge(whole.evidence(rows), weights)
    # Equal scores: the younger document first, so that two runs agree.
    places = np.lexsort((-view.ids[rows], -judged.score))[: asked.k]
    hits = tuple(
        Hit(
            doc_id=int(view.ids[rows[i]]),
            score=round(float(judged.score[i]), 6),
            parts=_parts(judged, int(i)) if asked.explain else {},
            cosine=None if cosine[rows[i]] <= UNKNOWN else round(float(cosine[rows[i]]), 6),
            coverage=round(float(words.coverage[rows[i]]), 6),
        )
        for i in places
    )
    relevant = int(np.count_nonzero(judged.relevant[places]))
    return Ranking(hits, relevant, retrieval, view.visible, view.generation)


@dataclass(frozen=True, slots=True)
class _Search:
    """What the indexes say about all rows."""

    words: LexicalScores
    cosine: NDArray[np.float32]
    unnamed: NDArray[np.bool_]
    embedded: int
    background: float
    runners_up: float
    unknown_names: int
    known_names: int
    near: NDArray[np.float64]
    on_day: NDArray[np.float64]
    led_to: NDArray[np.float64]

    def evidence(self, rows: NDArray[np.int64]) -> Evidence:
        cosine = self.cosine[rows]
        return Evidence(
            cosine=np.where(cosine > UNKNOWN, cosine, np.float32(np.nan)),
            bm25=self.words.bm25[rows],
            coverage=self.words.coverage[rows],
            context=self.words.context[rows],
            near=self.near[rows],
            on_day=self.on_day[rows],
            led_to=self.led_to[rows],
            matched=self.words.matched[rows],
            unnamed=self.unnamed[rows],
            terms=self.words.terms,
            known=self.words.known,
            best_bm25=float(self.words.bm25.max()),
            embedded=self.embedded,
            background=self.background,
            runners_up=self.runners_up,
            unknown_names=self.unknown_names,
            known_names=self.known_names,
        )


def _cosines(view: View, asked: Asked, calibration: Calibration) -> NDArray[np.float32]:
    if asked.vector is None or not (calibration.every_script or latin_share(asked.text) >= 0.5):
        return np.full(len(view.mask), UNKNOWN, np.float32)
    found = view.vectors.scores(asked.vector, len(view.mask), view.mask)
    return np.where(found > UNKNOWN, calibration.on_scale(found), UNKNOWN)


def _led_to(
    view: View, asked: Asked, texts: Texts, rows: NDArray[np.int64], order: NDArray[np.float64]
) -> NDArray[np.float64]:
    first = rows[strongest(order[rows], FOLLOWED)]
    first = first[np.lexsort((-view.ids[first], -order[first]))]
    read = texts(np.sort(view.ids[first]))
    highest = max(float(order[first[0]]), 1e-9)
    best = [
        (int(row), float(order[row]) / highest, read[int(view.ids[row])])
        for row in first
        if int(view.ids[row]) in read
    ]
    return led_to(asked.text, best, view.lexical, view.mask)


def _names(text: str, view: View) -> tuple[NDArray[np.bool_], int, int]:
    """Which rows lack a name that the query has; how many of its names some row has, and how many none."""
    lacking = np.zeros(len(view.mask), np.bool_)
    known = unknown = 0
    for terms in names(text):
        having = np.zeros(len(view.mask), np.bool_)
        for term in terms:
            having[view.lexical.having(hash_term(term))] = True
        lacking |= ~having
        if bool((having & view.mask).any()):
            known += 1
        else:
            unknown += 1
    return lacking, known, unknown


def _runners_up(cosines: NDArray[np.float32]) -> float:
    """Mean of the second to sixth best; what a small store lacks of them counts as unrelated."""
    best = np.full(_RUNNERS_UP + 1, BUNDLED_SCALE.unrelated, np.float32)
    found = cosines[strongest(cosines, len(best))]
    best[: len(found)] = np.sort(found)[::-1]
    return float(best[1:].mean())


def _rescore(
    cosine: NDArray[np.float32],
    rows: NDArray[np.int64],
    view: View,
    exact: Exact,
    query: NDArray[np.float32],
    calibration: Calibration,
) -> None:
    """Put the exact cosines of these rows in the place of the approximate ones."""
    rows = rows[cosine[rows] > UNKNOWN]
    by_id = rows[np.argsort(view.ids[rows])]
    owners, vectors = exact(view.ids[by_id])
    if not len(owners):
        return
    at = np.searchsorted(view.ids[by_id], owners)
    ours = at < len(by_id)
    ours[ours] = view.ids[by_id][at[ours]] == owners[ours]
    best = np.full(len(by_id), UNKNOWN, np.float32)
    np.maximum.at(best, at[ours], (vectors @ query)[ours])
    # A vector that went away since the view was taken keeps its approximation.
    found = best > UNKNOWN
    cosine[by_id[found]] = calibration.on_scale(best[found])


def _parts(judged: Judged, at: int) -> Mapping[str, float]:
    """What a score is made of; what says nothing of it is left out, but for the first three."""
    parts = {"dense": round(float(judged.dense[at]), 6), "lexical": round(float(judged.lexical[at]), 6)}
    around = {"context": judged.near, "day": judged.on_day, "names": judged.led_to}
    parts |= {name: round(float(part[at]), 6) for name, part in around.items() if part[at] > 0}
    # Last, so that rounding doesn't keep the parts from adding up.
    parts["relevant"] = round(round(float(judged.score[at]), 6) - sum(parts.values()), 6)
    return parts
