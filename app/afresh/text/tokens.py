"""Text into terms: stems, identifiers in parts and whole, and bigrams where a script has no spaces.

The same rules read documents and queries, and nothing in a text is ever taken for an operator: a query is
words and nothing else. Terms are kept by a 64-bit hash, so that no dictionary has to be stored or locked.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

MAX_TERM_CHARACTERS = 64
"""A longer run (a hash chain, a data URL) is cut into pieces of this size: nobody types it as a word."""

MAX_NAMES = 16
"""So many names of a query are asked for in each document."""

_ENGLISH = """
    a about above after again all also am an and any are aren as at be because been before being below
    between both but by can could couldn did didn do does doesn doing don down during each few for from
    further had hadn has hasn have haven having he her here hers him his how i if in into is isn it its
    just ll me more most my no nor not now of off on once only or other our ours out over own re s same
    she should shouldn so some such t than that the their theirs them then there these they this those
    through to too under until up us ve very was wasn we were weren what when where which while who whom
    why will with won would wouldn you your yours
"""
STOP_WORDS = frozenset(_ENGLISH.split())
"""English words that say how a sentence is built, not what it is about. A text of nothing else keeps them."""

# A word may be joined by dots, dashes, slashes, apostrophes or double colons: identifiers, paths, versions.
_JOINTS = r"(?:[.\-/\\'’]|::)"
_ASCII = re.compile(rf"[A-Za-z](?:\+\+|#)(?!\w)|\w+(?:{_JOINTS}\w+)*", re.ASCII)
_SPLIT_JOINTS = re.compile(r"[.\-/\\'’]|::")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_OTHER_PARTS = re.compile(r"[^_0-9]+|[0-9]+")
_VERSION = re.compile(r"[vV]?(\d+(?:\.\d+)+)")
_DIACRITICS = re.compile("[\u0300-\u036f\u064b-\u065f\u0670\u0640]+")
# Scripts that are written without spaces, or whose words are best found by pairs of signs.
_UNSPACED = (
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u1100-\u11ff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003134f"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_SYMBOLS = "\u2190-\u2bff\U0001f000-\U0001faff"


@dataclass(frozen=True, slots=True)
class TermCounts:
    """The terms of one text by hash, for an index."""

    hashes: NDArray[np.uint64]
    """Sorted, each once."""
    frequencies: NDArray[np.uint16]
    """How often each occurs, in the order of `hashes`; saturates at 65,535."""
    length: int
    """All occurrences together: BM25's document length."""


_WORD = re.compile(r"\w+")
_LONGEST_WORD = 64


def has_word(text: str) -> bool:
    """Whether a text has anything that could be a word; signs, emoji and endless runs of letters are none.

    A model gives a vector to those too, and something always lies near it.
    """
    return any(len(word) <= _LONGEST_WORD for word in _WORD.findall(text))


def terms(text: str) -> list[str]:
    """Give the terms of a text in the order of their occurrence, repetitions included."""
    found: list[str] = []
    held_back: list[str] = []
    for raw in _raw(text):
        expanded = _expand(raw)
        if expanded:
            found.extend(expanded)
        elif not found:
            held_back.append(raw.casefold())
    return found or held_back


def count_terms(text: str) -> TermCounts:
    """Count the terms of a text by hash."""
    import numpy as np

    hashed: list[int] = []
    for raw in _raw(text):
        hashed.extend(_hashes(raw))
    if not hashed:
        hashed = [hash_term(term) for term in terms(text)]
    unique, counts = np.unique(np.array(hashed, dtype=np.uint64), return_counts=True)
    return TermCounts(unique, np.minimum(counts, 0xFFFF).astype(np.uint16), len(hashed))


def names(text: str) -> list[tuple[str, ...]]:
    """Give the terms of each word that names something: a proper name, an acronym, an identifier.

    A capital at the beginning of a sentence says nothing, and neither do capitals where most words have them.
    """
    words = [(word.group(), word.start()) for word in _ASCII.finditer(text)]
    if 2 * sum(raw != raw.lower() for raw, _ in words) > len(words):
        return []
    found: list[tuple[str, ...]] = []
    for raw, start in words:
        before = text[:start].rstrip()
        opening = not before or before[-1] in ".!?:;\"'([{`-*#>"
        inner = raw[1:] if opening else raw
        if inner != inner.lower() and (expanded := _expand(raw)):
            found.append(expanded)
    return found[:MAX_NAMES]


def latin_share(text: str) -> float:
    """Share of the letters that are Latin, 0..1; 1.0 where there are no letters."""
    if text.isascii():
        return 1.0
    letters = [sign for sign in text if sign.isalpha()]
    # Latin letters with their accents end at U+024F; ideographs stand for more than one letter each.
    return sum(sign < "\u0250" for sign in letters) / len(letters) if letters else 1.0


def hash_term(term: str) -> int:
    """Hash a term to 64 bits, the same on every machine and in every version (BLAKE2b)."""
    digest = hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def hash_terms(found: Iterable[str]) -> list[int]:
    """Hash each term, first occurrence first, each once."""
    return list(dict.fromkeys(hash_term(term) for term in found))


def _raw(text: str) -> Iterator[str] | list[str]:
    if text.isascii():
        return _ASCII.findall(text)
    folded = _DIACRITICS.sub("", unicodedata.normalize("NFKD", text))
    return _unicode_words().findall(unicodedata.normalize("NFKC", folded))


@cache
def _unicode_words() -> re.Pattern[str]:
    r"""`\w` leaves out combining signs, and so would cut Hindi, Thai and vocalised words in pieces."""
    marks: list[str] = []
    start: int | None = None
    for point in range(0x300, 0x20000):
        if unicodedata.category(chr(point))[0] == "M":
            start = point if start is None else start
        elif start is not None:
            marks.append(f"{chr(start)}-{chr(point - 1)}")
            start = None
    word = rf"[\w{''.join(marks)}]"
    return re.compile(rf"[A-Za-z](?:\+\+|#)(?!\w)|{word}+(?:{_JOINTS}{word}+)*|[{_SYMBOLS}]")


@lru_cache(maxsize=32_768)
def _hashes(raw: str) -> tuple[int, ...]:
    return tuple(hash_term(term) for term in _expand(raw))


def _expand(raw: str) -> tuple[str, ...]:
    """The terms of one run of word characters: nothing for a stop word."""
    if raw.isascii() and raw.isalpha() and (raw.islower() or raw.istitle()):
        return _word(raw.lower())
    if _UNSPACED_RUN.search(raw):
        return tuple(_with_unspaced(raw))
    return tuple(_identifier(raw))


def _with_unspaced(raw: str) -> Iterator[str]:
    at = 0
    for run in _UNSPACED_RUN.finditer(raw):
        yield from _identifier(raw[at : run.start()].strip(".-/\\'’:"))
        signs = run.group()
        yield from (signs[i : i + 2] for i in range(max(1, len(signs) - 1)))
        at = run.end()
    yield from _identifier(raw[at:].strip(".-/\\'’:"))


def _identifier(raw: str) -> Iterator[str]:
    if not raw:
        return
    if raw[-1] in "+#":
        yield raw.casefold()
        return
    if version := _VERSION.fullmatch(raw):
        number = version.group(1)
        yield number
        while number.count(".") > 1:
            number = number.rpartition(".")[0]
            yield number
        return
    pieces = [piece for piece in _SPLIT_JOINTS.split(raw) if piece]
    whole = raw.casefold().strip("_")
    parts = 0
    for piece in pieces:
        inner = _inner(piece)
        parts += len(inner)
        if len(inner) > 1 and len(pieces) > 1 and len(piece) <= MAX_TERM_CHARACTERS:
            yield piece.casefold().strip("_")
        for part in inner:
            yield from _word(part.casefold())
    if parts > 1 and len(whole) <= MAX_TERM_CHARACTERS and "'" not in whole and "’" not in whole:
        yield whole


def _inner(piece: str) -> list[str]:
    """Split at changes of case, digits and underscores."""
    if not piece.isascii():
        return _OTHER_PARTS.findall(piece)
    if piece.isalpha() and (piece.islower() or piece.istitle() or piece.isupper()):
        return [piece]
    return _PARTS.findall(piece)


def _word(word: str) -> tuple[str, ...]:
    if word in STOP_WORDS:
        return ()
    if len(word) > MAX_TERM_CHARACTERS:
        return tuple(word[i : i + MAX_TERM_CHARACTERS] for i in range(0, len(word), MAX_TERM_CHARACTERS))
    first = word[0]
    if first <= "z":
        stemmer = _stemmer("english") if first >= "a" and len(word) > 2 else None
    elif "\u0370" <= first <= "\u03ff":
        stemmer = _stemmer("greek")
    elif "\u0400" <= first <= "\u04ff":
        stemmer = _stemmer("russian")
    elif "\u0600" <= first <= "\u06ff":
        stemmer = _stemmer("arabic")
    else:
        stemmer = None
    return ((stemmer.stem_word(word) or word) if stemmer else word,)


@cache
def _stemmer(language: str) -> Any:
    from py_rust_stemmers import SnowballStemmer

    return SnowballStemmer(language)
