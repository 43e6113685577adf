"""One order and one floor out of two kinds of evidence.

**Order.** A document's score is its cosine plus its coverage (the share of the query's weight in words that
it has) times its BM25 score in the best one of this search. This needs no statistics, which a store of five
memories can't give: a word in common by accident has little coverage and so little say, however rare it is
there. To that comes what lies around a document: the best of its neighbours in a conversation, a day that the
query names, and a name that leads to it (`afresh.text.phrases`).

**Floor.** The order says what is nearest, not whether anything is near. Whether a document is relevant is
read from the odds that a logistic model gives, out of few and plain signs:

- how near it is, and how much nearer than the next five documents: where a question has its answer, one
  memory stands out, and where it has none, many are equally far;
- how much of the query's weight in words it has, and how much of it any document has: a query about something
  never saved is made of words that the store has seldom seen;
- whether the query names something (a proper name, an identifier) that occurs nowhere;
- how many documents there are, since the nearest of many lies nearer by chance.

Most of the query's words in one document are enough whatever the cosine. The numbers were fitted on
`tests/data/relevance/fields.jsonl`, on the even lines of the other sets there and on half of the
conversations of LoCoMo; the odd lines and the other half test them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Weights:
    """Every number that ranking uses."""

    odds: float = -3.7
    """Log-odds that a document is relevant, before anything is known about it …"""
    near: float = 11.4
    """… and what they gain by its cosine, …"""
    contrast: float = 7.3
    """… by how far it lies above the mean of the next five, …"""
    covered: float = 1.5
    """… by its coverage, …"""
    known: float = 1.0
    """… by the share of the query's weight whose words occur anywhere, …"""
    size: float = -0.36
    """… by each e-fold of documents, up to `size_up_to`; beyond that the contrast tells, …"""
    size_up_to: int = 125
    unknown_name: float = -2.2
    """… by each name in the query that occurs nowhere, up to two, …"""
    known_name: float = 0.8
    """… and by there being one that occurs."""
    unnamed: float = 0.08
    """How much closer a document must be that lacks a name which the query has."""
    lift: float = 0.05
    """What a document gains that is near enough by meaning, lest words in common by chance pass before it."""
    lift_width: float = 0.10
    """The lift comes gradually, over so much cosine about the floor."""
    near_by: float = 0.5
    """What a document gains by the best of its neighbours, up to `reach` to either side: evidence lies in one
    stretch of a conversation, and an answer seldom repeats what was asked."""
    reach: int = 2
    on_day: float = 0.3
    """What it gains by having happened on a day that the query names."""
    led_to: float = 0.7
    """What it gains by beginning with a name that leads to it."""
    companion: float = 0.3
    """Once one document passed the floor, those are relevant too whose place in the order is at least this
    share of the best one's: the subject is known then, and evidence seldom comes alone."""
    lexical_floor: float = 0.7
    """Coverage that is relevant whatever the cosine."""
    lexical_only_floor: float = 0.24
    """Coverage that is relevant where there is no vector to ask."""
    lexical_only_single: float = 0.35
    """The same where only one word is in common."""


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the indexes say about the candidates of one search; arrays of one length."""

    cosine: NDArray[np.float32]
    """Of the best chunk; NaN where a document has no vector, or where the query has none."""
    bm25: NDArray[np.float32]
    coverage: NDArray[np.float32]
    context: NDArray[np.float32]
    """Coverage with the neighbours' words; the same as `coverage` where nothing follows one another."""
    near: NDArray[np.float64]
    """What the best neighbour has of the order's first two parts."""
    on_day: NDArray[np.float64]
    """1 where the document happened on a day that the query names, less for a month, else 0."""
    led_to: NDArray[np.float64]
    """How surely a name leads here, 0..1: from the query, or from what it finds first."""
    matched: NDArray[np.uint8]
    unnamed: NDArray[np.bool_]
    """The query names something that this document doesn't."""
    terms: int
    """How many terms the query has."""
    known: float
    """Share of the query's weight, 0..1, whose words occur in any document that the search may see."""
    best_bm25: float
    """Over all that the search may see."""
    embedded: int
    """How many of these have a vector."""
    background: float
    """Their mean cosine: stands in for a vector that isn't there yet."""
    runners_up: float
    """Mean cosine of the five that come after the nearest."""
    unknown_names: int
    """How many names the query has that occur in no document that the search may see."""
    known_names: int
    """How many that occur."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Scores 0..1 and what they are made of; arrays of one length."""

    score: NDArray[np.float64]
    """From 0.5 where relevant, below otherwise; 1.0 for the query's own text."""
    dense: NDArray[np.float64]
    lexical: NDArray[np.float64]
    near: NDArray[np.float64]
    on_day: NDArray[np.float64]
    led_to: NDArray[np.float64]
    relevant: NDArray[np.bool_]


def fused(evidence: Evidence, weights: Weights = DEFAULT) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The dense and the lexical part of the order, before they are brought to a scale."""
    relative = evidence.bm25.astype(np.float64) / max(evidence.best_bm25, 1e-9)
    if not evidence.embedded:
        # Where words are all there is, coverage has less to hold down.
        return np.zeros(len(relative)), np.clip(np.sqrt(evidence.context) * relative, 0.0, 1.0)
    lexical = np.clip(evidence.context * relative, 0.0, 1.0)
    cosine = np.where(np.isnan(evidence.cosine), evidence.background, evidence.cosine).astype(np.float64)
    beyond = cosine - weights.unnamed * evidence.unnamed - floor(evidence, weights)
    lift = weights.lift * np.clip(beyond / weights.lift_width + 0.5, 0.0, 1.0)
    return np.clip(cosine, 0.0, 1.0) + lift, lexical


def judge(evidence: Evidence, weights: Weights = DEFAULT) -> Judged:
    """Score the candidates and say which are relevant: always the first ones of the order, or none."""
    dense, lexical = fused(evidence, weights)
    near = weights.near_by * evidence.near
    on_day = weights.on_day * evidence.on_day
    led_to = weights.led_to * evidence.led_to
    order = dense + lexical + near + on_day + led_to
    # The query's own text is the most that meaning and words can say; more than that is said by the others.
    most = (2.0 + weights.lift) if evidence.embedded else 1.0
    scale = 1.0 / max(most, float(order.max(initial=0.0)))
    order = order * scale
    passing = _passing(evidence, weights)
    if bool(passing.any()):
        relevant = order >= min(weights.companion * float(order.max()), float(order[passing].min()))
    else:
        relevant = passing
    # Relevance decides the half of the scale and the order the place within: one number tells both.
    half = 0.5 * scale
    return Judged(
        np.where(relevant, 0.5, 0.0) + 0.5 * order,
        half * dense,
        half * lexical,
        half * near,
        half * on_day,
        half * led_to,
        relevant,
    )


def floor(evidence: Evidence, weights: Weights = DEFAULT) -> float:
    """The cosine from which a document without a word in common is relevant in this search."""
    odds = (
        weights.odds
        + weights.known * evidence.known
        + weights.size * float(np.log(min(max(evidence.embedded, 1), weights.size_up_to)))
        + weights.unknown_name * min(evidence.unknown_names, 2)
        + weights.known_name * min(evidence.known_names, 1)
        - weights.contrast * evidence.runners_up
    )
    return -odds / (weights.near + weights.contrast)


def _passing(evidence: Evidence, weights: Weights) -> NDArray[np.bool_]:
    """Which documents are relevant by themselves."""
    # One word in common is an accident, unless it is all that was asked.
    enough = (evidence.matched >= 2) | ((evidence.matched > 0) & (evidence.matched >= evidence.terms))
    covered = np.where(enough, evidence.coverage, 0.0)
    around = np.where(enough, evidence.context, 0.0)
    blind = np.isnan(evidence.cosine)
    cosine = np.where(blind, -1.0, evidence.cosine)
    needed = floor(evidence, weights) - around * weights.covered / (weights.near + weights.contrast)
    return np.where(
        blind,
        (covered >= weights.lexical_only_floor) | (evidence.coverage >= weights.lexical_only_single),
        (cosine >= needed) | (covered >= weights.lexical_floor),
    ).astype(np.bool_)
