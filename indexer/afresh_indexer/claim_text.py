"""Takes Markdown or plain text apart into what may claim something: words, code spans, links and fences.

Offsets count Unicode code points of the whole text, so that a claim can be shown where it stands. A document
is not rendered: what matters is where code begins and ends, and in which sentence a piece stands.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

PieceKind = Literal["word", "code", "link", "fence", "tree"]

_FENCE = re.compile(r"[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})[ \t]*([\w+#.-]*)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*)")
_ITEM = re.compile(r"([ \t>]*)(?:[-*+]|\d+[.)])[ \t]+")
_CODE = re.compile(r"(?<!`)(`{1,8})(?!`)(.{1,400}?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(
    r"!?\[[^\[\]]{0,300}(?:\[[^\[\]]{0,200}\][^\[\]]{0,200}){0,3}\]"
    r"\(\s{0,9}<?([^()<>\s]{0,300}(?:\([^()\s]{0,99}\)[^()<>\s]{0,200}){0,3})>?[^()]{0,200}\)"
)
_REFERENCE = re.compile(r"^[ \t]*\[[^\]]+\]:[ \t]*<?([^\s<>]+)>?", re.MULTILINE)
_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s`)>\]]+|\b(?:mailto|data):\S+")
_WORD = re.compile(
    r"[^\s\"'“”‘’«»,;|()\[\]]+(?:(?:\[[\w.-]+\]|\([\w.-]+\))[^\s\"'“”‘’«»,;|()\[\]]*)*(?:\(\))?"
)
_SENTENCE_END = re.compile(r"(?<![eE]\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<=[.!?;])[\"')*_]*\s+")

CONTEXT = 240
"""Code points of a sentence that are looked at on either side of a piece."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text, with what stands around it in its sentence."""

    kind: PieceKind
    """`tree` is a fence that draws folders and files."""
    text: str
    start: int
    before: str
    """Of its sentence, what stands before the piece; for a fence the line that leads to it."""
    after: str
    lead: str
    """The line ending in a colon that introduces the list that the piece stands in; empty for none."""
    heading: str
    info: str = ""
    """The language that a fence names."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that belong together: a paragraph, a list item, a table row, a heading."""

    start: int
    end: int
    lead: str
    heading: str


class LineStarts:
    """Gives the line, from 1, of an offset."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def line(self, offset: int) -> int:
        return bisect_right(self._starts, offset)


def pieces(text: str) -> Iterator[Piece]:
    """All pieces of a text, in the order of its blocks."""
    text = _without_comments(text)
    for block in _blocks(text):
        if isinstance(block, Piece):
            yield block
        else:
            yield from _pieces_of(text, block)


def _without_comments(text: str) -> str:
    """The text with blanks for its comments, so that offsets stay what they are."""
    parts: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts += [text[at:start], re.sub(r"[^\n]", " ", text[start : end + 3])]
        at = end + 3
    return "".join([*parts, text[at:]])


def _blocks(text: str) -> Iterator[_Block | Piece]:
    offset = 0
    start: int | None = None
    heading = lead = last = ""
    fence: tuple[str, str, int] | None = None

    def closed(end: int) -> Iterator[_Block]:
        if start is not None:
            yield _Block(start, end, lead, heading)

    for line in text.splitlines(keepends=True):
        bare = line.strip()
        marker = _FENCE.match(line)
        if fence is not None:
            opener, info, inside = fence
            if marker and bare.startswith(opener) and not bare.strip(opener[0]):
                yield _fence(text[inside:offset], inside, info, last, heading)
                fence = None
        elif marker:
            yield from closed(offset)
            start = None
            fence = (marker.group(1), marker.group(2), offset + len(line))
        elif not bare:
            yield from closed(offset)
            start = None
        else:
            title = _HEADING.match(line)
            item = _ITEM.match(line)
            if title or item or bare.startswith("|") or start is None:
                yield from closed(offset)
                start = offset
                if title:
                    heading, lead = title.group(1), ""
                elif not item and not line.startswith((" ", "\t", "|")):
                    lead = ""
            last = bare
            if bare.endswith(":") and not item:
                lead = bare
        offset += len(line)
    if fence is not None:
        yield _fence(text[fence[2] :], fence[2], fence[1], last, heading)
    yield from closed(offset)


def _fence(body: str, start: int, info: str, last: str, heading: str) -> Piece:
    drawn = sum(bool(re.search(r"[├└]──|\|--|`--|\+--", line)) for line in body.splitlines()) >= 2
    return Piece("tree" if drawn else "fence", body, start, last, "", "", heading, info)


def _pieces_of(text: str, block: _Block) -> Iterator[Piece]:
    body = text[block.start : block.end]
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(body)), len(body)]

    def piece(kind: PieceKind, start: int, end: int) -> Piece:
        at = bisect_right(ends, start) - 1
        after = ends[at + 1] if at + 1 < len(ends) else len(body)
        return Piece(
            kind,
            body[start:end],
            block.start + start,
            body[max(ends[at], start - CONTEXT) : start],
            body[end : max(end, min(after, end + CONTEXT))],
            block.lead,
            block.heading,
        )

    for found in _CODE.finditer(body):
        yield piece("code", *found.span(2))
    rest = _CODE.sub(lambda found: " " * len(found.group()), body)
    for pattern in (_LINK, _REFERENCE):
        for found in pattern.finditer(rest):
            yield piece("link", *found.span(1))
        # Its words remain: a link often shows the path that it leads to.
        rest = pattern.sub(_without_target, rest)
    rest = _URL.sub(lambda found: " " * len(found.group()), rest)
    for found in _WORD.finditer(rest):
        yield piece("word", *found.span())


def _without_target(link: re.Match[str]) -> str:
    text, (start, end) = link.group(), link.span(1)
    return text[: start - link.start()] + " " * (end - start) + text[end - link.start() :]
