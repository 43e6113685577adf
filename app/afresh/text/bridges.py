"""Bridges: names that one text brings in and that lead on to the next, found without a language model.

"When did Lothair II's mother die?" names one person, and the text about him names his mother. Which of all
the names in a text matters is read off the question: the part that the text's own subject doesn't cover
("mother", "die") stands near the right one. So a bridge is a name in a good text, and its strength is the
text's own place, the weight of the question's words around the name, and how few texts begin with it.

Everything here is a pure function of texts and of what `Leads` says of the corpus.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from afresh.text.leads import Leads, Phrase
from afresh.text.phrases import LEAD_TERMS
from afresh.text.tokens import terms

READ_CHARACTERS = 2_000
"""Of a text; names further down seldom lead anywhere."""
_LEAST_WEIGHT = 3.0
_FULL_WEIGHT = 12.0
"""A name of this weight (BM25's, summed over its terms) is surely one thing's own."""
_MOST_TARGETS = 6
"""Texts that begin with one name, beyond which the others are left out."""

_SMALL = r"(?:of|the|de|and|von|van|der|la|le|du|del|in|to|for|at|on|&)"
_NAME = re.compile(
    rf"[^\W\d_a-z][\w'’\-]*(?:\.(?=\s+[^\W\d_a-z]))?(?:\s+(?:{_SMALL}\s+){{0,2}}[^\W\d_a-z][\w'’\-]*(?:\.(?=\s+[^\W\d_a-z]))?)*"
)
_IDENTIFIER = re.compile(
    r"\b(?:[A-Za-z_]\w*(?:(?:\.|::|->|/)\w+)+|[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+"
    r"|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\b"
)
"""Symbols, paths and compound names: of code, whatever case they begin with."""
_WORD = re.compile(r"\w+(?:[.\-/'’]\w+)*")


@dataclass(frozen=True, slots=True)
class Weights:
    """Every number that bridging uses; one setting for whatever is asked."""

    parents: int = 6
    """Names are taken from so many of the best texts."""
    reach: float = 4.0
    """Words from a name at which the question's words count 1/e of what they count beside it."""
    unrelated: float = 0.1
    """What a name counts that has none of the question's words near it."""
    decay: float = 0.9
    """What each further place of its text leaves of a name's strength."""
    followed: int = 8
    """So many of the strongest bridges have a say in the ranking."""
    led_to: float = 4.0
    """What a text gains by the bridge that leads to it, …"""
    uncovered: float = 0.5
    """… before it is counted how much of the open part of the question it has."""
    elsewhere: float = 0.6
    """What is left of that where the name stands not at a text's very beginning but in its lead, …"""
    mentioned: float = 0.36
    """… or anywhere in it."""
    later: float = 0.5
    """What is left of a text's score that only a follow-up search found."""
    repeated: float = 0.15
    """What a text loses whose beginning repeats words of the question that a better one begins with."""


DEFAULT = Weights()


@dataclass(frozen=True)
class Passage:
    """A text, read once for all that is asked of it."""

    id: int
    text: str

    @cached_property
    def words(self) -> tuple[tuple[int, int, Phrase], ...]:
        """Start, end and terms of each word."""
        return tuple(
            (word.start(), word.end(), _terms(word.group()))
            for word in _WORD.finditer(self.text[:READ_CHARACTERS])
        )

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        return frozenset(terms(self.text))

    @cached_property
    def lead(self) -> Phrase:
        """The terms of its beginning, each once: what it is about."""
        found: dict[str, None] = {}
        for _, _, own in self.words:
            found.update(dict.fromkeys(own))
            if len(found) >= LEAD_TERMS:
                break
        return tuple(found)[:LEAD_TERMS]

    @cached_property
    def names(self) -> tuple[tuple[str, Phrase, int, int], ...]:
        """Each name or identifier as it is written, its terms, and its first and last word."""
        starts = [start for start, _, _ in self.words]
        found = []
        for pattern in (_NAME, _IDENTIFIER):
            for match in pattern.finditer(self.text[:READ_CHARACTERS]):
                phrase = _terms(match.group())
                inside = [at for at, start in enumerate(starts) if match.start() <= start < match.end()]
                if phrase and inside:
                    found.append((match.group(), phrase, inside[0], inside[-1]))
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage and how good it is, 0..1."""

    passage: Passage
    score: float


@dataclass(frozen=True, slots=True)
class Bridge:
    """A name that a text brings in and the question lacks."""

    name: str
    phrase: Phrase
    strength: float
    parent: Passage
    targets: tuple[int, ...]
    """The texts that begin with it."""


class Question:
    """A question with the weight of each of its terms."""

    def __init__(self, text: str, leads: Leads) -> None:
        self.text = text
        self.leads = leads
        self.weights: Mapping[str, float] = leads.weights(dict.fromkeys(terms(text)))
        self.total = sum(self.weights.values()) or 1.0

    def open_part(self, parent: Passage) -> dict[str, float]:
        """The terms that a text's beginning doesn't have, with their weights."""
        about = set(parent.lead)
        return {term: weight for term, weight in self.weights.items() if term not in about}

    def open_words(self, parents: Sequence[Passage]) -> list[str]:
        """The words that none of these texts is about, as they are written."""
        about = {term for parent in parents for term in parent.lead}
        found: list[str] = []
        for word in _WORD.findall(self.text):
            own = [term for term in _terms(word) if term in self.weights]
            if own and not about.issuperset(own):
                found.append(word)
        return found

    def covered(self, passages: Sequence[Passage]) -> float:
        """Share of the question's weight, 0..1, that these texts have together."""
        known = {term for passage in passages for term in passage.vocabulary}
        return sum(weight for term, weight in self.weights.items() if term in known) / self.total


def bridges(question: Question, ranked: Sequence[Scored], weights: Weights = DEFAULT) -> list[Bridge]:
    """The names that lead on from the best texts, strongest first, each once."""
    candidates: list[tuple[str, Phrase, float, Passage]] = []
    asked = set(question.weights)
    for place, item in enumerate(ranked[: weights.parents]):
        parent = item.passage
        open_part = question.open_part(parent)
        total = sum(open_part.values()) or 1.0
        near = [
            (at, term, open_part[term])
            for at, (_, _, own) in enumerate(parent.words)
            for term in own
            if term in open_part
        ]
        trust = max(item.score, 0.0) * weights.decay**place
        for name, phrase, first, last in parent.names:
            if asked.issuperset(phrase):
                continue
            related = _related(near, first, last, weights.reach) / total
            candidates.append((name, phrase, trust * (weights.unrelated + related), parent))
    leading = question.leads.leading({phrase for _, phrase, _, _ in candidates})
    heavy = question.leads.weights({term for phrase in leading for term in phrase})
    best: dict[Phrase, Bridge] = {}
    for name, phrase, strength, parent in candidates:
        found = leading.get(phrase)
        if found is None:
            continue
        weight = sum(heavy[term] for term in set(phrase))
        targets = tuple(int(id_) for id_ in found if id_ != parent.id)
        if weight < _LEAST_WEIGHT or not targets:
            continue
        sure = strength * min(1.0, weight / _FULL_WEIGHT) / (1.0 + math.log(len(targets)))
        if phrase not in best or best[phrase].strength < sure:
            best[phrase] = Bridge(name, phrase, sure, parent, targets[:_MOST_TARGETS])
    return sorted(best.values(), key=lambda bridge: (-bridge.strength, bridge.name))


def fused(
    question: Question, scored: Sequence[Scored], found: Sequence[Bridge], weights: Weights = DEFAULT
) -> list[Scored]:
    """One order of all texts: their own scores, what leads to them, and less for saying the same again."""
    led = _led_to(question, [item.passage for item in scored], found[: weights.followed], weights)
    values = {item.passage.id: item.score + weights.led_to * led.get(item.passage.id, 0.0) for item in scored}
    left = sorted(scored, key=lambda item: (-values[item.passage.id], item.passage.id))
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
                again = sum(question.weights.get(term, 0.0) for term in item.passage.lead if term in said)
                value -= weights.repeated * again / question.total
            if value > best_value:
                best, best_value = at, value
        item = left.pop(best)
        order.append(Scored(item.passage, best_value))
        said.update(item.passage.lead)
    return order


def _led_to(
    question: Question, passages: Sequence[Passage], found: Sequence[Bridge], weights: Weights
) -> dict[int, float]:
    """For each text that a bridge leads to, how surely."""
    led: dict[int, float] = {}
    for bridge in found:
        open_part = question.open_part(bridge.parent)
        total = sum(open_part.values()) or 1.0
        named = set(bridge.phrase)
        for passage in passages:
            if passage.id == bridge.parent.id or not named <= passage.vocabulary:
                continue
            if named.issubset(passage.lead[: len(bridge.phrase) + 1]):
                place = 1.0
            else:
                place = weights.elsewhere if passage.id in bridge.targets else weights.mentioned
            has = sum(weight for term, weight in open_part.items() if term in passage.vocabulary) / total
            value = bridge.strength * place * (weights.uncovered + has)
            led[passage.id] = max(led.get(passage.id, 0.0), value)
    return led


def _related(near: Collection[tuple[int, str, float]], first: int, last: int, reach: float) -> float:
    """The weight of the question's words around a name, each word at its nearest."""
    best: dict[str, float] = {}
    for at, term, weight in near:
        distance = first - at if at < first else max(at - last, 0)
        value = weight * math.exp(-distance / reach)
        if value > best.get(term, 0.0):
            best[term] = value
    return sum(best.values())


@lru_cache(maxsize=32_768)
def _terms(word: str) -> Phrase:
    return tuple(terms(word))
