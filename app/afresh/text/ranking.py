"""One order and one floor out of two kinds of evidence.

**Order.** A document's score is its cosine plus its coverage (the share of the query's weight in words that
it has) times its BM25 score in the best one of this search. On LoCoMo this finds a little more than a sum
of standardised scores, on HotpotQA the same, and it needs no statistics, which a store of five memories
can't give: a word in common by accident has little coverage and so little say, however rare it is there.

**Floor.** The order says what is nearest, not whether anything is near. A document is relevant when its
cosine passes a threshold, or when it has most of the query's weight in words, or some of both. The
threshold knows that

- the best of many unrelated documents lies higher than the best of few;
- a query about something never saved is made of words that the store has seldom seen;
- the longer a question, the less any sentence resembles it;
- a document that lacks a name which the query has (a proper name, an identifier) must be closer.

The numbers were chosen on one half of `tests/data/relevance` and are tested on the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Weights:
    """Every number that ranking uses."""

    floor: float = 0.30
    """The cosine from which a document is relevant, among `floor_size` documents."""
    floor_size: int = 125
    floor_below: float = 0.04
    """How much lower the floor lies for each e-fold fewer documents …"""
    floor_above: float = 0.018
    """… and how much higher for each e-fold more."""
    floor_range: tuple[float, float] = (0.20, 0.40)
    known: float = 0.10
    """How much lower the floor lies for a query whose words the store all knows, against one of which it
    knows half; as much higher where it knows none."""
    length: tuple[float, int, int] = (0.01, 4, 8)
    """How much lower the floor lies for each word of the query beyond the second number, up to the third: a
    long question is near to nothing as a whole."""
    unnamed: float = 0.08
    """How much closer a document must be that lacks a name which the query has."""
    lift: float = 0.05
    """What a document gains that is near enough by meaning, lest words in common by chance pass before it."""
    lift_width: float = 0.10
    """The lift comes gradually, over so much cosine about the floor."""
    companion: float = 0.3
    """Once one document passed the floor, those are relevant too whose place in the order is at least this
    share of the best one's: the subject is known then, and evidence seldom comes alone."""
    lexical_floor: float = 0.6
    """Coverage that is relevant whatever the cosine."""
    mixed_floor: float = 0.4
    """Coverage that is relevant with a cosine of `mixed_slack` below the floor."""
    mixed_slack: float = 0.08
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


@dataclass(frozen=True, slots=True)
class Judged:
    """Scores 0..1 and what they are made of; arrays of one length."""

    score: NDArray[np.float64]
    """From 0.5 where relevant, below otherwise; 1.0 for the query's own text."""
    dense: NDArray[np.float64]
    lexical: NDArray[np.float64]
    relevant: NDArray[np.bool_]


def fused(evidence: Evidence, weights: Weights = DEFAULT) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The dense and the lexical part of the order, which add up to 0..1."""
    relative = evidence.bm25.astype(np.float64) / max(evidence.best_bm25, 1e-9)
    if not evidence.embedded:
        # Where words are all there is, coverage has less to hold down.
        return np.zeros(len(relative)), np.clip(np.sqrt(evidence.coverage) * relative, 0.0, 1.0)
    lexical = np.clip(evidence.coverage * relative, 0.0, 1.0)
    cosine = np.where(np.isnan(evidence.cosine), evidence.background, evidence.cosine).astype(np.float64)
    beyond = cosine - weights.unnamed * evidence.unnamed - floor(evidence, weights)
    lift = weights.lift * np.clip(beyond / weights.lift_width + 0.5, 0.0, 1.0)
    whole = 2.0 + weights.lift
    return (np.clip(cosine, 0.0, 1.0) + lift) / whole, lexical / whole


def judge(evidence: Evidence, weights: Weights = DEFAULT) -> Judged:
    """Score the candidates and say which are relevant: always the first ones of the order, or none."""
    dense, lexical = fused(evidence, weights)
    order = dense + lexical
    passing = _passing(evidence, weights)
    if bool(passing.any()):
        relevant = order >= min(weights.companion * float(order.max()), float(order[passing].min()))
    else:
        relevant = passing
    # Relevance decides the half of the scale and the order the place within: one number tells both.
    return Judged(np.where(relevant, 0.5, 0.0) + 0.5 * order, 0.5 * dense, 0.5 * lexical, relevant)


def floor(evidence: Evidence, weights: Weights = DEFAULT) -> float:
    """The cosine from which a document is relevant in this search."""
    folds = float(np.log(max(evidence.embedded, 1) / weights.floor_size))
    lowest, highest = weights.floor_range
    height = weights.floor + folds * (weights.floor_below if folds < 0 else weights.floor_above)
    each, usual, most = weights.length
    return (
        min(max(height, lowest), highest)
        - weights.known * (evidence.known - 0.5)
        - each * (min(evidence.terms, most) - usual)
    )


def _passing(evidence: Evidence, weights: Weights) -> NDArray[np.bool_]:
    """Which documents are relevant by themselves."""
    # One word in common is an accident, unless it is all that was asked.
    enough = (evidence.matched >= 2) | ((evidence.matched > 0) & (evidence.matched >= evidence.terms))
    covered = np.where(enough, evidence.coverage, 0.0)
    blind = np.isnan(evidence.cosine)
    cosine = np.where(blind, -1.0, evidence.cosine) - weights.unnamed * evidence.unnamed
    needed = floor(evidence, weights)
    return np.where(
        blind,
        (covered >= weights.lexical_only_floor) | (evidence.coverage >= weights.lexical_only_single),
        (cosine >= needed)
        | (covered >= weights.lexical_floor)
        | ((covered >= weights.mixed_floor) & (cosine >= needed - weights.mixed_slack)),
    ).astype(np.bool_)
