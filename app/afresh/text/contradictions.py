"""How strongly two statements contradict each other, by rule: the scorer for machines without a model.

Two statements contradict where they are about the same and differ in what can't differ: a number, a name, an
identifier, a denial, a word and its opposite. So a score is how much they share times the gravest difference.
Two denials take each other back ("not bad" and "good"), and what is merely worded otherwise, added or left
out weighs little. It knows English and code; elsewhere numbers, names and identifiers decide.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from afresh.text.oppositions import denies, opposed, restricts, stem, tells_change, widens
from afresh.text.tokens import STOP_WORDS


@dataclass(frozen=True, slots=True)
class Weights:
    """What each kind of difference counts, 0..1; one setting for whatever is compared."""

    same: float = 0.12
    """Two statements that differ in nothing that counts: what is left to tell them from unrelated ones."""
    number: float = 0.95
    denial: float = 0.95
    name: float = 0.75
    code: float = 0.75
    restriction: float = 0.6
    change: float = 0.55
    word: float = 0.45
    order: float = 0.35
    """The same names in another order."""
    swapped: float = 0.75
    """What a name that stands in the other's place is spared when shared words are counted."""
    apart: float = 0.8
    """What is left of a number or name that doesn't stand in the other's place."""
    added: float = 0.08
    """Something that only one of them says."""
    other_subject: float = 0.6
    """What is left of the score where they begin with other things."""
    other_speaker: float = 0.3
    """What is left where two people speak, each of their own."""


DEFAULT = Weights()

_FRAME = re.compile(
    r"^\s*(?:as of (?:[^:?]{2,40}:|[^:,?]{2,40},)"
    r"|\(?\d{4}-\d\d-\d\d\)?\s*[:,-]|(?:note|update|updated|correction)\s*:)\s*",
    re.IGNORECASE,
)
"""What says when a statement was made, not what it says."""
_TOKEN = re.compile(
    r"v?\d+(?:[.,:]\d+)*\+?%?"
    r"|[^\W\d](?:\w|[.\-/’'](?=\w)|::(?=\w)|\(\))*"
)
_NUMBER = re.compile(r"v?(\d+(?:[.,:]\d+)*)\+?%?")
_CODE = re.compile(r"\w+(?:[./_]|::)\w|\w+\(\)|[a-z]+[A-Z]|\w+\d")
_SENTENCE_END = frozenset(".!?:;\"'“‘(*-\n")
_COUNTED = """
    zero one/once two/twice three/thrice four five six seven eight nine ten eleven twelve thirteen fourteen
    fifteen sixteen seventeen eighteen nineteen twenty
"""
_NUMBER_WORDS = {
    word: str(value) for value, words in enumerate(_COUNTED.split()) for word in words.split("/")
}
_TIMELESS = """
    now currently today recently presently still already yet may might must shall us it's i'm that's there's
    let's
"""
_SMALL = (STOP_WORDS | frozenset(_TIMELESS.split())) - {"no", "nor", "not", "only"}
"""Words in which statements may differ and say the same."""
_CONTRACTED = {"can't": "can", "won't": "will", "shan't": "shall", "cannot": "can"}
_INSTEAD = {"rather": "than", "instead": "of"}
"""Words that deny what follows them, before these."""
_SPEAKER = re.compile(r"^\s*([^\W\d][\w. ]{0,29}):\s")
_CLAUSE = re.compile(r"[;,]|\b(?:but|while|whereas|although|instead)\b", re.IGNORECASE)
_MUCH_LONGER = 1.6
_SAME_WORD = 0.86
"""Likeness, 0..1, from which two longer words are one, written otherwise."""

Kind = Literal["number", "name", "code", "word"]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """How strongly two statements contradict, and in what."""

    score: float
    """0..1."""
    reason: str
    """For a person; empty where they differ in nothing that counts."""


@dataclass(frozen=True, slots=True)
class _Token:
    shown: str
    key: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class _Statement:
    tokens: tuple[_Token, ...]
    """What it is about: without small words and denials."""
    small: frozenset[str]
    denials: int
    passive: bool

    @property
    def keys(self) -> set[str]:
        return {token.key for token in self.tokens if token.kind != "number"}


@dataclass(frozen=True, slots=True)
class _Difference:
    weight: float
    told: str


def contradiction(one: str, other: str, weights: Weights = DEFAULT) -> Contradiction:
    """Score two statements, in either order."""
    one, other = _FRAME.sub("", one.strip()), _FRAME.sub("", other.strip())
    speaks, replies = _SPEAKER.match(one), _SPEAKER.match(other)
    if speaks and replies:
        found = contradiction(one[speaks.end() :], other[replies.end() :], weights)
        if speaks.group(1).casefold() == replies.group(1).casefold():
            return found
        return Contradiction(round(found.score * weights.other_speaker, 4), found.reason)
    a, b = _statement(one), _statement(other)
    best = _compared(a, b, weights)
    shorter, longer, text = (a, b, other) if len(a.tokens) <= len(b.tokens) else (b, a, one)
    if len(longer.tokens) > _MUCH_LONGER * max(len(shorter.tokens), 1):
        # One clause of the longer may deny what the other clauses merely go on from.
        for clause in _CLAUSE.split(text):
            part = _statement(clause)
            if part.denials and len(part.tokens) >= 2:
                found = _compared(shorter, part, weights)
                best = found if found.score > best.score else best
    return best


def _compared(a: _Statement, b: _Statement, weights: Weights) -> Contradiction:
    opposites = _opposites(a, b)
    turned = abs(a.denials - b.denials) + len(opposites)
    topic = _topic(a, b, opposites, weights)
    if not topic:
        return Contradiction(0.0, "")
    differences: list[_Difference] = []
    if turned % 2:
        told = " / ".join(opposites[0]) if opposites else "one denies what the other says"
        differences.append(_Difference(weights.denial, told))
    differences += _differences(a, b, {word for pair in opposites for word in pair}, weights)
    gravest = max(differences, key=lambda found: found.weight, default=_Difference(0.0, ""))
    score = topic * (weights.same + (1.0 - weights.same) * gravest.weight)
    return Contradiction(round(min(score, 1.0), 4), gravest.told)


def _topic(a: _Statement, b: _Statement, opposites: Sequence[tuple[str, str]], weights: Weights) -> float:
    """How much two statements are about the same, 0..1."""
    one, other = a.keys, b.keys
    if not one or not other:
        one, other = one | a.small, other | b.small
    if not one or not other:
        return 0.0
    again = {stem(left) for left, right in opposites} | {
        key for key in one - other if any(_alike(key, there) for there in other - one)
    }
    shared = len(one & other) + len(again & (one - other))
    if not shared:
        return 0.0
    # A name in the other's place is the difference itself, not a sign of another topic.
    left, right = (weights.swapped * len(keys) for keys in _swapped(a, b))
    either = max(len(one | other) - len(again & (one - other)) - left - right, shared)
    fewer = max(min(len(one) - left, len(other) - right), 1.0)
    topic = 0.5 * shared / either + 0.5 * min(shared / fewer, 1.0)
    begins_a, begins_b = ([token.key for token in s.tokens if token.kind != "number"][:2] for s in (a, b))
    if begins_a and begins_b and not set(begins_a) & (set(begins_b) | again):
        topic *= weights.other_subject
    return topic


def _swapped(a: _Statement, b: _Statement) -> tuple[set[str], set[str]]:
    """The names and identifiers that stand in each other's place."""
    found: tuple[set[str], set[str]] = set(), set()
    keys_a, keys_b = ([token.key for token in statement.tokens] for statement in (a, b))
    for tag, i, j, k, m in SequenceMatcher(None, keys_a, keys_b, autojunk=False).get_opcodes():
        left, right = a.tokens[i:j], b.tokens[k:m]
        if tag == "replace" and all(token.kind in ("name", "code") for token in (*left, *right)):
            found[0].update(token.key for token in left)
            found[1].update(token.key for token in right)
    return found[0] - b.keys, found[1] - a.keys


def _differences(
    a: _Statement, b: _Statement, opposed_words: set[str], weights: Weights
) -> Iterator[_Difference]:
    """What two statements say differently, part by part."""
    keys_a, keys_b = ([token.key for token in statement.tokens] for statement in (a, b))
    for tag, i, j, k, m in SequenceMatcher(None, keys_a, keys_b, autojunk=False).get_opcodes():
        left = [token for token in a.tokens[i:j] if token.shown.lower() not in opposed_words]
        right = [token for token in b.tokens[k:m] if token.shown.lower() not in opposed_words]
        if tag == "replace" and left and right:
            yield _replaced(left, right, weights)
        elif tag != "equal" and (left or right):
            yield _added(left or right, weights)
    kinds: tuple[tuple[Kind, float], ...] = (("number", weights.number), ("name", weights.name))
    for kind, weight in kinds:
        one, other = ({token.key for token in s.tokens if token.kind == kind} for s in (a, b))
        if one - other - set(keys_b) and other - one - set(keys_a):
            told = f"{_first(a, one - other)} / {_first(b, other - one)}"
            yield _Difference(weight * weights.apart, told)
    names_a, names_b = ([token.key for token in s.tokens if token.kind in ("name", "code")] for s in (a, b))
    if names_a != names_b and Counter(keys_a) == Counter(keys_b) and a.passive == b.passive:
        yield _Difference(weights.order, "the same names in another order")


def _replaced(left: Sequence[_Token], right: Sequence[_Token], weights: Weights) -> _Difference:
    """One part that stands where the other statement has another."""
    told = f"{' '.join(token.shown for token in left)[:60]} / {' '.join(t.shown for t in right)[:60]}"
    kinds: tuple[tuple[Kind, float], ...] = (
        ("number", weights.number),
        ("code", weights.code),
        ("name", weights.name),
    )
    for kind, weight in kinds:
        one = {token.key for token in left if token.kind == kind}
        other = {token.key for token in right if token.kind == kind}
        if one and other and not one & other:
            return _Difference(weight, told)
    if all(any(_alike(token.key, there.key) for there in right) for token in left):
        return _Difference(0.0, "")
    if any(token.kind == "name" for token in left) and any(token.kind == "name" for token in right):
        return _Difference(weights.word, told)
    return _Difference(max(weights.word, _added([*left, *right], weights).weight), told)


def _added(tokens: Sequence[_Token], weights: Weights) -> _Difference:
    """A part that only one statement has."""
    for token in tokens:
        word = token.shown.lower()
        if restricts(word):
            return _Difference(weights.restriction, f"only one says “{word}”")
        if tells_change(word):
            return _Difference(weights.change, f"only one says “{word}”")
    return _Difference(weights.added, "")


def _opposites(a: _Statement, b: _Statement) -> list[tuple[str, str]]:
    """Pairs of words that exclude each other, one of each statement, none used twice."""
    own = [token.shown.lower() for token in a.tokens if token.key not in b.keys and token.kind == "word"]
    others = [token.shown.lower() for token in b.tokens if token.key not in a.keys and token.kind == "word"]
    own += sorted(a.small - b.small)
    others += sorted(b.small - a.small)
    found = []
    for word in own:
        other = next((other for other in others if opposed(word, other)), None)
        if other is None and restricts(word):
            other = next((other for other in others if widens(other)), None)
        if other is not None:
            others.remove(other)
            found.append((word, other))
    return found


@lru_cache(maxsize=4_096)
def _statement(text: str) -> _Statement:
    raw: list[tuple[str, bool]] = []
    denials = 0
    for match in _TOKEN.finditer(text):
        word = match.group()
        before = text[: match.start()].rstrip(" `*_")
        opening = not before or before[-1] in _SENTENCE_END
        lower = word.lower().replace("’", "'")
        if lower.endswith("n't") or lower == "cannot":
            denials += 1
            word = _CONTRACTED.get(lower, lower.removesuffix("n't"))
        elif lower in _INSTEAD and text[match.end() :].lstrip()[:5].lower().startswith(_INSTEAD[lower]):
            denials += 1
            continue
        elif denies(lower):
            if lower != "nor":
                denials += 1
            continue
        raw.append((word.removesuffix("'s").removesuffix("’s"), opening))
    tokens, small = [], set()
    for at, (word, opening) in enumerate(raw):
        lower = word.lower()
        if lower in _SMALL:
            small.add(lower)
            continue
        following = raw[at + 1][0] if at + 1 < len(raw) else ""
        tokens.append(_token(word, opening, following))
    return _Statement(tuple(tokens), frozenset(small), denials, "by" in small)


def _token(word: str, opening: bool, following: str) -> _Token:
    lower = word.lower()
    if (number := _NUMBER.fullmatch(lower)) is not None:
        return _Token(word, number.group(1).replace(",", ""), "number")
    if lower in _NUMBER_WORDS:
        return _Token(word, _NUMBER_WORDS[lower], "number")
    if _CODE.search(word):
        return _Token(word, lower.removesuffix("()"), "code")
    # A capital at the beginning says nothing, unless the next word has one too.
    named = word[0].isupper() and (not opening or following[:1].isupper() or word[1:] != word[1:].lower())
    return _Token(word, stem(lower), "name" if named else "word")


@lru_cache(maxsize=16_384)
def _alike(one: str, other: str) -> bool:
    """Whether two words are one, with a slip or another ending."""
    if one == other:
        return True
    if min(len(one), len(other)) < 5 or any(map(str.isdigit, one + other)):
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_WORD


def _first(statement: _Statement, keys: set[str]) -> str:
    return next(token.shown for token in statement.tokens if token.key in keys)


def denied(text: str) -> bool:
    """Whether a statement denies something."""
    return _statement(text).denials % 2 == 1
