"""Sentences of a text as ranges: what can be quoted whole.

Made for notes, documentation and chat as people write them: lines of a list or of a dialogue end a sentence,
a line that is merely wrapped doesn't, and neither does the stop of an abbreviation or of a version.
"""

from __future__ import annotations

import re

_BREAK = re.compile(
    r"[.!?…]+[\"'”’»)\]*_`]*(?=\s|$)"  # a stop, with what closes after it
    r"|[。！？]+[」』”’）]*"
    r"|\r?\n(?=[ \t]*\r?\n)"  # a paragraph's end
    r"|\r?\n(?=[ \t]*(?:[-*+•>|#]|\d{1,3}[.)][ \t]|```|[\w ]{1,30}:[ \t]))"  # a line that begins an item
    r"|\r?\n"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘])(?:\w|mr|mrs|ms|dr|prof|st|vs|cf|no|nos|fig|approx|resp|al|inc|ltd|co|jr|sr|dept"
    r"|est|e\.g|i\.e|u\.s|a\.m|p\.m|etc)\.$",
    re.IGNORECASE,
)
_OF_ITS_OWN = re.compile(r"\s*(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\|)")
_MARKER = re.compile(r"(?:#{1,6}|[-*+•>]|\d{1,3}[.)])[ \t]+")


def sentences(text: str) -> list[tuple[int, int]]:
    """The sentences of a text, (start, end) in code points, in their order and without white space around.

    Marks that begin an item or a heading are left out. Nothing but white space and such marks lies between.
    """
    found: list[tuple[int, int]] = []
    start = 0
    for match in _BREAK.finditer(text):
        if _ends(text, start, match):
            _take(found, text, start, match.end())
            start = match.end()
    _take(found, text, start, len(text))
    return found


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a sentence that began at `start` ends with this match."""
    sign = match.group()
    if sign[-1] == "\n":
        following = text[match.end() : match.end() + 40]
        if not following.strip() or not following[0].strip():
            # Before a blank line or an indented block.
            return True
        line = text[start : match.start()]
        return bool(_OF_ITS_OWN.match(line) or _OF_ITS_OWN.match(following) or _speaks(following))
    if sign[0] != ".":
        return True
    rest = text[match.end() : match.end() + 3].lstrip()
    if rest[:1].islower():
        return False
    return not _ABBREVIATION.search(text[max(start, match.end() - 12) : match.start() + 1])


def _speaks(line: str) -> bool:
    """Whether a line begins with who says it, or with a key."""
    return re.match(r"[\w ]{1,30}:[ \t]", line) is not None


def _take(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while marker := _MARKER.match(text, start, end):
        start = marker.end()
    while end > start and text[end - 1].isspace():
        end -= 1
    if any(sign.isalnum() for sign in text[start:end]):
        found.append((start, end))
