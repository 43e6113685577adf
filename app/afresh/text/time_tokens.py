"""A text cut into words that know what they are: dates, clock times, numbers, words, or none of these."""

from __future__ import annotations

import re
from typing import NamedTuple

from afresh.text.time_words import COUNTED_UNITS, MONTHS, MONTHS_SHORT, WEEKDAYS, WEEKDAYS_SHORT

_CHUNK = re.compile(r"[^\s,;?!()\[\]{}<>\"“”„«»…|=]+|[,;?!]")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”")
_SHAPES = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("number", r"\d{1,6}"),
        ("ordinal", r"(\d{1,2})(?:st|nd|rd|th)"),
        ("date", r"\d{4}[-/]\d{1,2}[-/]\d{1,2}"),
        ("moment", r"\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:z|[+-]\d\d:?\d\d)?"),
        ("year_month", r"\d{4}-(?:0[1-9]|1[0-2])"),
        ("iso_week", r"\d{4}-?w\d\d"),
        ("year_quarter", r"\d{4}-?q[1-4]|q[1-4][-/']?\d{4}"),
        ("quarter", r"q[1-4]"),
        ("half", r"h[12]"),
        ("fiscal_year", r"fy'?(?:\d\d|\d{4})"),
        ("week_number", r"(?:w|kw|cw)\d{1,2}"),
        ("clock", r"\d{1,2}(?::\d\d)?(?:am|pm)|\d{1,2}:\d\d(?::\d\d)?"),
        ("local_date", r"\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}/\d{1,2}/\d{4}"),
    )
)
_WORD = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(rf"(\d{{1,5}})({'|'.join(sorted(COUNTED_UNITS, key=len, reverse=True))})")
_DATE_PIECE = re.compile(r"\d{1,2}(?:st|nd|rd|th)?|q[1-4]|\d{4}")
_FROM_PARTS = frozenset({"early", "mid", "late"})
_DATE_WORDS = MONTHS.keys() | MONTHS_SHORT.keys() | WEEKDAYS.keys() | WEEKDAYS_SHORT.keys() | _FROM_PARTS


class Word(NamedTuple):
    """A word of a query."""

    text: str
    """In small letters, without a possessive; for a shape as it stands."""
    kind: str
    """"word", "stop" (punctuation), "dash", "other" (code, versions, paths) or the name of a shape."""
    start: int
    end: int
    capital: bool
    possessive: bool


def words_of(query: str) -> list[Word]:
    """Cut a text into words; what stands in backticks or double quotes is talked about, not meant."""
    masked = _QUOTED.sub(lambda quoted: " " * len(quoted.group()), query)
    if not masked.strip(" ?.!"):
        masked = query.replace('"', " ")
    found: list[Word] = []
    for chunk in _CHUNK.finditer(masked):
        raw, start = chunk.group(), chunk.start()
        if raw in ",;?!":
            found.append(Word(raw, "stop", start, start + 1, False, False))
            continue
        if raw.isalpha() and raw.isascii() and masked[chunk.end() : chunk.end() + 1] not in ("(", "[", "="):
            found.append(Word(raw.lower(), "word", start, chunk.end(), raw[0].isupper(), False))
            continue
        code = masked[chunk.end() : chunk.end() + 1] in ("(", "[", "=")
        found.extend(_pieces(raw, start, code=code))
    return found


def _pieces(raw: str, start: int, *, code: bool) -> list[Word]:
    text = raw.rstrip(".:'’")
    leading = len(text) - len(text.lstrip("'’"))
    text, start = text[leading:], start + leading
    lower = text.casefold().replace("’", "'")
    ends = raw.endswith((".", ":"))
    if not text or len(lower) != len(text):
        return [Word(lower, "other", start, start + len(text), False, False)]
    if lower.replace(".", "") in ("am", "pm") and not code:
        return [Word(lower.replace(".", ""), "word", start, start + len(text), False, False)]
    if code:
        return [Word(lower, "other", start, start + len(text), False, False)]
    found: list[Word] = []
    for piece, kind, at in _split(lower):
        possessive = piece.endswith("'s")
        capital = text[at : at + 1].isupper()
        found.append(
            Word(piece.removesuffix("'s"), kind, start + at, start + at + len(piece), capital, possessive)
        )
    if ends:
        found.append(Word(".", "stop", start + len(text), start + len(text) + 1, False, False))
    return found


def _split(lower: str) -> list[tuple[str, str, int]]:
    """Cut at dashes between words and numbers of time; everything else stays whole."""
    kind = _kind(lower)
    if kind != "other":
        return [(lower, kind, 0)]
    if counted := _COUNTED.fullmatch(lower):
        return [(counted.group(1), "number", 0), (counted.group(2), "word", counted.start(2))]
    pieces = re.split(r"([-–—])", lower)
    names = pieces[::2]
    if len(pieces) < 3 or (
        pieces[1] == "-" and not all(name in _DATE_WORDS or _DATE_PIECE.fullmatch(name) for name in names)
    ):
        return [(lower, "other", 0)]
    found: list[tuple[str, str, int]] = []
    at = 0
    for index, piece in enumerate(pieces):
        if index % 2 and pieces[index - 1] not in _FROM_PARTS:
            found.append((piece, "dash", at))
        elif piece and not index % 2:
            found.append((piece, _kind(piece), at))
        at += len(piece)
    return found


def _kind(lower: str) -> str:
    if lower in ("-", "–", "—"):
        return "dash"
    if _WORD.fullmatch(lower.removesuffix("'s")):
        return "word"
    for kind, shape in _SHAPES:
        if shape.fullmatch(lower):
            return kind
    return "other"
