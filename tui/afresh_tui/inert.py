"""Text of others as text that a terminal only shows. Pure.

A memory can't move the cursor, change colours, turn the reading direction or hide characters: whatever a
terminal would obey, or would show with a width that nobody can tell, becomes a visible sign for itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from unicodedata import category

_TAB = 4
_MARKS = 3
"""So many combining marks may stand on one character."""
_PLAIN = re.compile(r"[\n\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u205e\u3001-\ud7a3]*")
"""Text in which nothing needs a look: by far the most."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A text made inert, and where its characters went."""

    text: str
    _turned: tuple[int, ...] = ()
    """Offsets of the original from which the shown offset is shifted, ascending."""
    _shifts: tuple[int, ...] = ()

    def at(self, offset: int) -> int:
        """Where a character of the original stands in the shown text; code points."""
        turn = bisect_right(self._turned, offset) - 1
        return offset if turn < 0 else offset + self._shifts[turn]


def inert(text: object) -> str:
    """A text that only shows: line feeds stay, tabs are blanks, everything else that acts is made visible."""
    plain = str(text)
    return plain if _PLAIN.fullmatch(plain) else shown(plain).text


def shown(text: str) -> Shown:
    """The same with a map of its offsets, for quotes and matches that were found in the original."""
    if _PLAIN.fullmatch(text):
        return Shown(text)
    parts: list[str] = []
    turned: list[int] = []
    shifts: list[int] = []
    length = column = marks = 0
    for at, character in enumerate(text):
        sign = _sign(character, column, marks, at + 1 < len(text) and text[at + 1] == "\n")
        marks = marks + 1 if category(character) in ("Mn", "Me") else 0
        column = 0 if character == "\n" else column + len(sign)
        parts.append(sign)
        length += len(sign)
        if len(sign) != 1:
            turned.append(at + 1)
            shifts.append(length - at - 1)
    return Shown("".join(parts), tuple(turned), tuple(shifts))


def one_line(text: object, limit: int = 200) -> str:
    """The beginning of a text on one line, `limit` characters at most; widths are the widget's business."""
    # Much longer than what is shown, so that blanks may go, and far shorter than what a memory may have.
    flat = " ".join(inert(str(text)[: limit * 4]).split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


def _sign(character: str, column: int, marks: int, before_line_feed: bool) -> str:
    code = ord(character)
    if character == "\n" or 0x20 <= code < 0x7F:
        return character
    if character == "\t":
        return " " * (_TAB - column % _TAB)
    if character == "\r" and before_line_feed:
        return ""
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    kind = category(character)
    if kind in ("Mn", "Me"):
        if 0xFE00 <= code <= 0xFE0F:
            # They choose between two pictures of one character, and terminals differ in its width then.
            return ""
        return character if column and marks < _MARKS else _escape(code)
    if kind in ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"):
        return _escape(code)
    return " " if kind == "Zs" and code != 0x3000 else character


def _escape(code: int) -> str:
    return f"‹{code:02x}›" if code < 0x100 else f"‹{code:04x}›"
