"""A text as bridging reads it: its words, what it is about, and the names in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from afresh.text.phrases import LEAD_TERMS
from afresh.text.tokens import terms

READ_CHARACTERS = 2_000
"""Of a text; names further down seldom lead anywhere."""
_BEGINNING = 400
LONGEST_NAME = 6
"""Words of a name of which parts are names too."""

_CAPITAL = r"(?:[A-Z]\.|[^\W\d_a-z][\w’'\-]*)"
_SMALL = r"(?:of|the|de|and|von|van|der|den|la|le|du|del|da|di|al|bin|ibn|in|to|for|at|on|&)"
_NAME = re.compile(rf"{_CAPITAL}(?:\s+(?:{_SMALL}\s+){{0,2}}{_CAPITAL})*(?:\s+\d+\b)?")
_IDENTIFIER = re.compile(
    r"\b(?:[A-Za-z_]\w*(?:(?:\.|::|->|/)\w+)+|[a-z]+(?:_[a-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+"
    r"|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+)\b"
)
"""Symbols, paths and compound names: of code, whatever case they begin with."""
_QUOTED = re.compile(r"`([^\W\d][\w.:]*)(?:\(\))?`")
"""A name between backticks is one of code, however it is written."""
_WORD = re.compile(r"\w+(?:[.\-/'’]\w+)*")
_POSSESSIVE = re.compile(r"['’]s$|['’]$")

Name = tuple[str, tuple[str, ...], int, int]
"""As it is written, its terms, its first and its last word."""


@dataclass(frozen=True)
class Passage:
    """A text, read once for all that is asked of it."""

    id: int
    text: str

    @cached_property
    def words(self) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
        """Start, end and terms of each word."""
        return tuple(
            (word.start(), word.end(), terms_of(word.group()))
            for word in _WORD.finditer(self.text[:READ_CHARACTERS])
        )

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All its terms, each once."""
        return frozenset(term for _, _, own in self.words for term in own)

    @cached_property
    def beginning(self) -> tuple[str, ...]:
        """Its first terms, repetitions included."""
        found: list[str] = []
        for word in _WORD.finditer(self.text[:_BEGINNING]):
            found.extend(terms_of(word.group()))
            if len(found) >= 2 * LEAD_TERMS:
                break
        return tuple(found)

    @cached_property
    def lead(self) -> tuple[str, ...]:
        """The terms of its beginning, each once: what it is about."""
        return tuple(dict.fromkeys(self.beginning))[:LEAD_TERMS]

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """Names and identifiers, and parts of long ones: of "King Eric of Sweden" also "Eric of Sweden"."""
        starts = {start: at for at, (start, _, _) in enumerate(self.words)}
        text = self.text[:READ_CHARACTERS]
        found: list[Name] = []
        for match in _NAME.finditer(text):
            inside = list(_WORD.finditer(text, match.start(), match.end()))[:LONGEST_NAME]
            for first, opening in enumerate(inside):
                for closing in inside[first:]:
                    if len(inside) > 1 and closing is opening:
                        continue
                    if not opening.group()[0].isupper() or closing.group()[0].islower():
                        continue
                    name = _POSSESSIVE.sub("", text[opening.start() : closing.end()])
                    at, to = starts.get(opening.start()), starts.get(closing.start())
                    if at is not None and to is not None and (phrase := terms_of(name)):
                        found.append((name, phrase, at, to))
        for match in _IDENTIFIER.finditer(text):
            at = starts.get(match.start())
            if at is not None and (phrase := terms_of(match.group())):
                found.append((match.group(), phrase, at, at))
        return tuple(found)

    def begins_with(self, phrase: tuple[str, ...]) -> bool:
        """Whether its first terms are those of a name."""
        return set(phrase).issubset(self.beginning[: len(phrase)])


def identifiers(text: str) -> list[str]:
    """The symbols, paths and compound names of code in a text, each once."""
    quoted = [match.group(1) for match in _QUOTED.finditer(text)]
    return list(dict.fromkeys([*quoted, *(match.group() for match in _IDENTIFIER.finditer(text))]))


def term_words(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Each word of a text with its terms."""
    return [(word, terms_of(word)) for word in _WORD.findall(text)]


@lru_cache(maxsize=32_768)
def terms_of(text: str) -> tuple[str, ...]:
    """The terms of a word or a name; kept, because texts share most of their words."""
    return tuple(terms(text))
