"""Bridges: names that one text brings in and that lead on to the next, found without a language model.

"When did Lothair II's mother die?" names one person; the text that begins with his name names his mother,
and the text that begins with hers has the answer. So three things are read off the texts:

- an **anchor** is a text that begins with what the question names: it is meant, whatever else is like it;
- a **bridge** is a name in a good text. Which of all its names matters is read off the open part of the
  question, the words that the text's own beginning doesn't have ("director", "born"): they stand near the
  right one ("directed by …"), and the text that it leads to has the others;
- of two texts that begin with the same words of the question, the second says little new.

Everything here is a pure function of texts and of what `Leads` says of the corpus.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from afresh.text.leads import Leads, Phrase
from afresh.text.passages import Passage, term_words
from afresh.text.tokens import terms

_LEAST_WEIGHT = 0.36
"""A name or word that weighs less says nothing; of the weight of a term that only one text has."""
_FULL_WEIGHT = 1.45
"""A name of this weight, summed over its terms, is surely one thing's own."""
_MOST_TARGETS = 6
"""Texts that a name leads to, beyond which it says nothing."""
_LOOKED_AT = 40
"""Of so many of the strongest names it is read where they lead."""

Texts = Callable[[Collection[int]], Mapping[int, str]]
"""Gives texts by id; those that are gone are left out."""


@dataclass(frozen=True, slots=True)
class Weights:
    """Every number that bridging uses; one setting for whatever is asked."""

    anchor: float = 0.6
    """What a text gains by beginning with what the question names, by the share of the question's weight."""
    parents: int = 6
    """Names are taken from so many of the best texts."""
    reach: float = 4.0
    """Words from a name at which the question's words count 1/e of what they count beside it."""
    unrelated: float = 0.1
    """What a name counts that has none of the question's words near it."""
    rival: float = 0.5
    """How much the best name of a text puts its others down: 0 not at all, 1 wholly."""
    followed: int = 8
    """So many of the strongest bridges have a say in the ranking."""
    led_to: float = 3.0
    """What a text gains by the bridge that leads to it, …"""
    uncovered: float = 0.5
    """… before it is counted how much of the open part of the question it has."""
    elsewhere: float = 0.4
    """What is left of a bridge whose name stands not at its target's very beginning."""
    mentioned: float = 0.3
    """What is left of a bridge to a text that only mentions the name."""
    later: float = 0.2
    """What is left of a text's score that only a follow-up search found."""
    least: float = 0.02
    """Weaker bridges are not worth a search."""
    repeated: float = 0.5
    """What a text loses that begins with the same words of the question as a better one."""


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage and how good it is; about 0..1."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class Bridge:
    """A name that a text brings in and the question lacks, and where it leads."""

    name: str
    phrase: Phrase
    parent: Passage
    targets: tuple[tuple[int, float], ...]
    """The texts that it leads to, and how surely to each, best first."""

    @property
    def strength(self) -> float:
        return self.targets[0][1]


class Question:
    """A question with the weight of each of its terms."""

    def __init__(self, text: str, leads: Leads, texts: Texts) -> None:
        self.text = text
        self.leads = leads
        self._texts = texts
        self._read: dict[int, Passage] = {}
        self.named: dict[int, list[tuple[str, Phrase, float]]] = {}
        """The names of each text that was a parent, with what of the open part stands near them."""
        self.weights: Mapping[str, float] = leads.weights(dict.fromkeys(terms(text)))
        self.total = sum(self.weights.values()) or 1.0

    def passages(self, ids: Collection[int]) -> dict[int, Passage]:
        """The texts with these ids, each read once."""
        missing = [id_ for id_ in ids if id_ not in self._read]
        if missing:
            self._read |= {id_: Passage(id_, text) for id_, text in self._texts(missing).items()}
        return {id_: self._read[id_] for id_ in ids if id_ in self._read}

    def anchored(self, passage: Passage) -> dict[str, float]:
        """The run of the question's terms that a text begins with, each with its share of the weight, 0..1.

        Empty where none of them is rare: a conversation's turns all begin with its speakers.
        """
        run: dict[str, float] = {}
        for term in passage.beginning:
            if term not in self.weights:
                break
            run[term] = self.weights[term] / self.total
        least = _LEAST_WEIGHT * self.leads.heaviest
        return run if any(self.weights[term] >= least for term in run) else {}

    def anchor(self, passage: Passage) -> float:
        """How much of the question a text begins with, 0..1."""
        return sum(self.anchored(passage).values())

    def open_part(self, parent: Passage) -> dict[str, float]:
        """The terms that a text's beginning doesn't have, with their weights."""
        about = set(parent.lead)
        return {term: weight for term, weight in self.weights.items() if term not in about}

    def open_words(self, parents: Sequence[Passage]) -> list[str]:
        """The words that none of these texts is about, as they are written."""
        about = {term for parent in parents for term in parent.lead}
        found: list[str] = []
        for word, own in term_words(self.text):
            asked = [term for term in own if term in self.weights]
            if asked and not about.issuperset(asked):
                found.append(word)
        return found

    def covered(self, passage: Passage) -> float:
        """Share of the question's weight, 0..1, that a text has."""
        known = passage.vocabulary
        return sum(weight for term, weight in self.weights.items() if term in known) / self.total


def linked(
    question: Question, scored: Sequence[Scored], weights: Weights = DEFAULT
) -> tuple[list[Scored], list[Bridge]]:
    """All texts in one order, and the bridges that made it, strongest first."""
    values = _values(question, scored, (), weights)
    found = bridges(question, [Scored(item.passage, values[item.passage.id]) for item in scored], weights)
    return fused(question, scored, found, weights), found


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A name on its way to being a bridge."""

    place: int
    """Of its text among the parents."""
    name: str
    phrase: Phrase
    related: float
    targets: tuple[int, ...] = ()
    begins: bool = False
    """The targets begin with it, or else mention it."""


def bridges(question: Question, trusted: Sequence[Scored], weights: Weights = DEFAULT) -> list[Bridge]:
    """The names that lead on from the texts that are trusted most, strongest first, each once."""
    parents = sorted(trusted, key=lambda item: (-item.score, item.passage.id))[: weights.parents]
    usable = _leading_on(
        question, parents, [c for at, item in enumerate(parents) for c in _named(question, at, item, weights)]
    )
    best = [max((c.related for c in usable if c.place == at), default=1.0) for at in range(len(parents))]

    def sureness(candidate: _Candidate) -> float:
        """Of a name before it is known where it leads: trust in its text, and its place among rivals."""
        rival = candidate.related / best[candidate.place]
        own: float = candidate.related ** (1 - weights.rival) * rival**weights.rival
        return max(parents[candidate.place].score, 0.0) * own

    usable = sorted(usable, key=lambda candidate: -sureness(candidate))[:_LOOKED_AT]
    read = question.passages({id_ for candidate in usable for id_ in candidate.targets})
    having = question.leads.terms_of(list(read), list(question.weights))
    found: dict[Phrase, Bridge] = {}
    for candidate in usable:
        parent = parents[candidate.place]
        sure = sureness(candidate)
        open_part = question.open_part(parent.passage)
        total = sum(open_part.values()) or 1.0
        placed = []
        for id_ in candidate.targets:
            if (target := read.get(id_)) is None:
                continue
            share = weights.elsewhere if candidate.begins else weights.mentioned
            if target.begins_with(candidate.phrase):
                share = 1.0
            has = sum(weight for term, weight in open_part.items() if term in having[id_]) / total
            placed.append((id_, sure * share * (weights.uncovered + has) / (weights.uncovered + 1.0)))
        placed.sort(key=lambda pair: (-pair[1], pair[0]))
        earlier = found.get(candidate.phrase)
        if placed and (earlier is None or earlier.strength < placed[0][1]):
            found[candidate.phrase] = Bridge(candidate.name, candidate.phrase, parent.passage, tuple(placed))
    return sorted(found.values(), key=lambda bridge: (-bridge.strength, bridge.name))


def _named(question: Question, place: int, item: Scored, weights: Weights) -> list[_Candidate]:
    """The names of one text that the question lacks, and how much of its open part stands near each."""
    found = question.named.get(item.passage.id)
    if found is None:
        found = question.named[item.passage.id] = _names_in(question, item.passage, weights)
    return [_Candidate(place, name, phrase, related) for name, phrase, related in found]


def _names_in(question: Question, parent: Passage, weights: Weights) -> list[tuple[str, Phrase, float]]:
    open_part = question.open_part(parent)
    total = sum(open_part.values()) or 1.0
    near = [
        (at, term, open_part[term])
        for at, (_, _, own) in enumerate(parent.words)
        for term in own
        if term in open_part
    ]
    asked = set(question.weights)
    return [
        (name, phrase, weights.unrelated + _related(near, first, last, weights.reach) / total)
        for name, phrase, first, last in parent.names
        if not asked.issuperset(phrase)
    ]


def _leading_on(
    question: Question, parents: Sequence[Scored], candidates: Sequence[_Candidate]
) -> list[_Candidate]:
    """Those that lead to few other texts; the rarer the name and the fewer they are, the more it counts."""
    phrases = {candidate.phrase for candidate in candidates}
    # One more than counts, since the text that has the name may be among them.
    leading = question.leads.leading(phrases, _MOST_TARGETS + 1)
    rest = [phrase for phrase in phrases if len(phrase) > 1 and phrase not in leading]
    mentioning = question.leads.mentioning(rest, _MOST_TARGETS + 1)
    heavy = question.leads.weights({term for phrase in phrases for term in phrase})
    usable = []
    for candidate in candidates:
        weight = sum(heavy[term] for term in set(candidate.phrase)) / question.leads.heaviest
        begins = candidate.phrase in leading
        found = leading[candidate.phrase] if begins else mentioning.get(candidate.phrase)
        if found is None or weight < _LEAST_WEIGHT:
            continue
        others = tuple(id_ for id_ in found if id_ != parents[candidate.place].passage.id)
        if 0 < len(others) <= _MOST_TARGETS:
            sure = min(1.0, weight / _FULL_WEIGHT) / (1.0 + math.log(len(others)))
            usable.append(
                _Candidate(
                    candidate.place,
                    candidate.name,
                    candidate.phrase,
                    candidate.related * sure,
                    others,
                    begins,
                )
            )
    return usable


def fused(
    question: Question, scored: Sequence[Scored], found: Sequence[Bridge], weights: Weights = DEFAULT
) -> list[Scored]:
    """One order of all texts: their own scores, what leads to them, and less for saying the same again."""
    values = _values(question, scored, found, weights)
    led = {id_ for bridge in found[: weights.followed] for id_, _ in bridge.targets}
    left = sorted(scored, key=lambda item: (-values[item.passage.id], -item.passage.id))
    said: set[str] = set()
    order: list[Scored] = []
    while left:
        best, best_value = 0, -math.inf
        for at, item in enumerate(left):
            value = values[item.passage.id]
            if value <= best_value:
                # Sorted, and repetition only takes away: none of the others can be better.
                break
            if item.passage.id not in led:
                run = question.anchored(item.passage)
                value -= weights.repeated * sum(share for term, share in run.items() if term in said)
            if value > best_value:
                best, best_value = at, value
        item = left.pop(best)
        order.append(Scored(item.passage, best_value))
        said.update(question.anchored(item.passage))
    return order


def _values(
    question: Question, scored: Sequence[Scored], found: Sequence[Bridge], weights: Weights
) -> dict[int, float]:
    """What each text is worth before repetition is looked at."""
    led: dict[int, float] = {}
    for bridge in found[: weights.followed]:
        for id_, sure in bridge.targets:
            led[id_] = max(led.get(id_, 0.0), sure)
    return {
        item.passage.id: item.score
        + weights.anchor * question.anchor(item.passage)
        + weights.led_to * led.get(item.passage.id, 0.0)
        for item in scored
    }


def _related(near: Collection[tuple[int, str, float]], first: int, last: int, reach: float) -> float:
    """The weight of the question's words around a name, each word at its nearest."""
    best: dict[str, float] = {}
    for at, term, weight in near:
        distance = first - at if at < first else max(at - last, 0)
        value = weight * math.exp(-distance / reach)
        if value > best.get(term, 0.0):
            best[term] = value
    return sum(best.values())
