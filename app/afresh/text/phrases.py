"""Names in a text, and what a text is about by its first words.

A question often needs a second text that the first one merely names: who was the mother of Lothair, and when
did she die? Texts say at their beginning what they are about (a title, a heading, the subject of the first
sentence), so the terms there are indexed a second time, marked as the lead, and a name that a good text
mentions leads to the text that begins with it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from afresh.text.tokens import TermCounts, count_terms, hash_term, terms

LEAD_TERMS = 8
"""So many terms at the beginning say what a text is about."""
MAX_PHRASES = 64
"""So many names of a text are followed."""

_READ = 2_000
_LEAD_READ = 400
_SMALL = r"(?:of|the|de|du|del|von|van|der|la|le|&)"
_NAME = re.compile(rf"[A-Z][\w'’\-]*(?:\s+(?:{_SMALL}\s+){{0,2}}[A-Z][\w'’\-]*)*")


def phrases(text: str) -> list[tuple[str, ...]]:
    """The terms of each run of capitalised words, first occurrence first, each once."""
    found: dict[tuple[str, ...], None] = {}
    for match in _NAME.finditer(text[:_READ]):
        if named := _named(match.group()):
            found[named] = None
        if len(found) == MAX_PHRASES:
            break
    return list(found)


@lru_cache(maxsize=16_384)
def _named(words: str) -> tuple[str, ...]:
    return tuple(terms(words))


@lru_cache(maxsize=16_384)
def lead_hash(term: str) -> int:
    """The hash of a term where it stands in a lead; no term of a text has it."""
    return hash_term(f"^{term}")


def document_terms(text: str) -> TermCounts:
    """Count the terms of a text for an index, its lead included.

    A lead's terms have the frequency 0: they are found by `LexicalIndex.having` and change no score.
    """
    import numpy as np

    counted = count_terms(text)
    lead = dict.fromkeys(terms(text[:_LEAD_READ])[:LEAD_TERMS])
    hashes = np.concatenate((counted.hashes, np.array([lead_hash(term) for term in lead], np.uint64)))
    unique, first = np.unique(hashes, return_index=True)
    frequencies = np.concatenate((counted.frequencies, np.zeros(len(lead), np.uint16)))
    return TermCounts(unique, frequencies[first], counted.length)
