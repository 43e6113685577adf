"""Colours of code in a diff: which part of a line is a keyword, a name or a comment.

A hunk is a piece of a file, so the lexer begins in the middle of it. A piece that ends a comment or a text
begun above it is lexed from inside of that, or everything behind would be coloured as its opposite.

Lexing is slow, a few milliseconds for ten lines. So lines are lexed in blocks, and never while a screen is
drawn: a block that was asked for is wanted, its lines are plain meanwhile, and whoever draws lexes what is
wanted between two frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, String, _TokenType
from pygments.util import ClassNotFound

BLOCK = 32
"""Lines that are lexed at once."""
_LEAD = 24
"""Lines before a block that are lexed with it, so that it begins in the right state."""
_MOST_WANTED = 12
"""Blocks; a screen shows half as many, old and new lines in turn."""
_LONGEST = 1000
"""Characters of a line that is still worth lexing."""

_TONES: Mapping[_TokenType, str] = {
    Comment: "comment",
    Comment.Preproc: "decorator",
    Keyword: "keyword",
    Keyword.Constant: "constant",
    Keyword.Type: "class",
    Literal: "constant",
    Name.Attribute: "constant",
    Name.Builtin: "builtin",
    Name.Class: "class",
    Name.Constant: "constant",
    Name.Decorator: "decorator",
    Name.Exception: "class",
    Name.Function: "function",
    Name.Tag: "keyword",
    Number: "number",
    Operator.Word: "keyword",
    String: "string",
    String.Doc: "comment",
}
TONES = ("plain", *sorted(set(_TONES.values())))
"""Every tone that a piece of code can have."""
_QUOTES = ('"""', "'''")


class Piece(NamedTuple):
    """Characters `start` to `end` (exclusive) of a line in one tone."""

    start: int
    end: int
    tone: str


Pieces = tuple[Piece, ...]


class Wanted:
    """Blocks that were asked for and aren't lexed, the latest last."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[Syntax, int], None] = {}

    def __bool__(self) -> bool:
        return bool(self._blocks)

    def add(self, syntax: Syntax, block: int) -> None:
        """Want a block; of those asked for long ago, which are out of sight by now, the oldest is dropped."""
        self._blocks.pop((syntax, block), None)
        self._blocks[syntax, block] = None
        if len(self._blocks) > _MOST_WANTED:
            del self._blocks[next(iter(self._blocks))]

    def lex_one(self) -> None:
        """Lex the block that was asked for last."""
        syntax, block = next(reversed(self._blocks))
        del self._blocks[syntax, block]
        syntax.lex(block)


class Syntax:
    """The tones of one side of a hunk."""

    def __init__(self, path: str, lines: Sequence[str], wanted: Wanted) -> None:
        """`path` says which language it is; of an unknown one every line is plain."""
        self._lexer = _lexer(path)
        self._lines = lines
        self._wanted = wanted
        self._blocks: dict[int, list[Pieces]] = {}

    def of(self, line: int) -> Pieces:
        """The pieces of a line, from 0, that are not plain; none while its block is only wanted."""
        if self._lexer is None:
            return ()
        block = line // BLOCK
        if block not in self._blocks:
            self._wanted.add(self, block)
            return ()
        return self._blocks[block][line % BLOCK]

    def lex(self, block: int) -> None:
        """Lex a block."""
        if self._lexer is not None:
            self._blocks[block] = self._lexed(self._lexer, block)

    def _lexed(self, lexer: Lexer, block: int) -> list[Pieces]:
        first = block * BLOCK
        lead = max(0, first - _LEAD)
        texts = [line if len(line) <= _LONGEST else "" for line in self._lines[lead : first + BLOCK]]
        opener = _opener(lexer, texts)
        source = "\n".join([*([opener] if opener else []), *texts])
        lines = list(_in_lines(lexer, source))
        begin = first - lead + bool(opener)
        found = lines[begin : begin + len(texts)]
        return found + [()] * (BLOCK - len(found))


@lru_cache(maxsize=64)
def _lexer(path: str) -> Lexer | None:
    try:
        return get_lexer_for_filename(path, stripnl=False, ensurenl=True)
    except ClassNotFound:
        return None


def _opener(lexer: Lexer, lines: Sequence[str]) -> str:
    """What the piece must have been begun with, if it begins within a comment or a text; else nothing."""
    if "Python" in lexer.name:
        return _open_quote(lines)
    text = "\n".join(lines)
    end = text.find("*/")
    if end >= 0 and not 0 <= text.find("/*") < end and "*/" in _ends_of(lexer):
        return "/*"
    return ""


def _open_quote(lines: Sequence[str]) -> str:
    for line in lines:
        found = [(line.find(quote), quote) for quote in _QUOTES if quote in line]
        if not found:
            continue
        at, quote = min(found)
        is_closed_again = line.count(quote) % 2 == 0
        before, after = line[:at].strip(), line[at + 3 :].strip()
        is_end = not is_closed_again and (not after or after[0] in ")],.:;%") and not _opens(before)
        return quote if is_end else ""
    return ""


def _opens(before: str) -> bool:
    """Whether what stands before a quote says that a text begins there."""
    return before.endswith(("=", "(", ",", "[", "{", "return", ":")) or before.lower() in (
        "r",
        "b",
        "f",
        "rb",
        "br",
    )


def _ends_of(lexer: Lexer) -> tuple[str, ...]:
    """The signs that end a comment in a language: told from a lexer by trying."""
    return _comment_ends(lexer.name, lexer)


@lru_cache(maxsize=64)
def _comment_ends(_name: str, lexer: Lexer) -> tuple[str, ...]:
    tokens = [kind for kind, text in lexer.get_tokens("/* a */") if text.strip()]
    return ("*/",) if tokens and all(kind in Comment for kind in tokens) else ()


def _in_lines(lexer: Lexer, source: str) -> Iterator[Pieces]:
    pieces: list[Piece] = []
    at = 0
    for kind, text in lexer.get_tokens(source):
        tone = _tone(kind)
        for number, part in enumerate(text.split("\n")):
            if number:
                yield tuple(pieces)
                pieces, at = [], 0
            if part and tone is not None:
                if pieces and pieces[-1].end == at and pieces[-1].tone == tone:
                    pieces[-1] = Piece(pieces[-1].start, at + len(part), tone)
                else:
                    pieces.append(Piece(at, at + len(part), tone))
            at += len(part)


@lru_cache(maxsize=512)
def _tone(kind: _TokenType) -> str | None:
    at: _TokenType | None = kind
    while at is not None:
        if at in _TONES:
            return _TONES[at]
        at = at.parent
    return None
