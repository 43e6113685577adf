"""A marked block of our own in a file of someone else's: Lua, Lisp, TOML, Markdown.

Between the marks stands only what `afresh install` wrote, so that taking it out needs no understanding of
the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BEGIN, _END = "afresh: begin", "afresh: end"


@dataclass(frozen=True, slots=True)
class Marks:
    """How a language writes a comment of one line."""

    before: str
    after: str = ""

    @property
    def begin(self) -> str:
        return f"{self.before}{_BEGIN} (written by `afresh install`){self.after}"

    @property
    def end(self) -> str:
        return f"{self.before}{_END}{self.after}"


HASH = Marks("# ")
LUA = Marks("-- ")
LISP = Marks(";; ")
MARKDOWN = Marks("<!-- ", " -->")


def put(text: str, marks: Marks, body: str) -> str:
    """The text with the block: at its old place where it has one, else at the end, after an empty line."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join([marks.begin, *body.rstrip("\n").split("\n"), marks.end]) + newline
    found = _block(marks).search(text)
    if found is not None:
        ending = "" if found[0].endswith("\n") else newline
        return text[: found.start()] + block.removesuffix(ending or "\0") + text[found.end() :]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{block}"


def remove(text: str, marks: Marks) -> str:
    """The text without the block and the empty line that was put before it."""
    found = _block(marks).search(text)
    if found is None:
        return text
    before = text[: found.start()]
    for gap in ("\r\n", "\n"):
        if before.endswith(gap * 2):
            before = before.removesuffix(gap)
            break
    return before + text[found.end() :]


def has(text: str, marks: Marks) -> bool:
    """Whether the block is there."""
    return _block(marks).search(text) is not None


def _block(marks: Marks) -> re.Pattern[str]:
    begin = re.escape(f"{marks.before}{_BEGIN}")
    return re.compile(
        rf"^{begin}[^\r\n]*\r?\n.*?^{re.escape(marks.end)}[ \t]*(?:\r?\n|\Z)", flags=re.MULTILINE | re.DOTALL
    )
