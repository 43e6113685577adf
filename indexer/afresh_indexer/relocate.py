"""Finds where a definition, some lines or a whole file went that left its file: a claim, or none.

The less a source says, the more evidence a claim needs. A getter or an empty body is like a hundred others,
so that equal bytes alone prove nothing; a long body is known even when it was renamed and edited on the way.
What stood in its place before is a copy and never where something moved to. Everything is pure: the caller
chooses the files to look in, such as those that changed since, and gives their bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from afresh_indexer.compare import compare
from afresh_indexer.fingerprint import eol_free
from afresh_indexer.likeness import TELLING_WORDS, Shape, likeness, line_likeness, line_share, shape_of
from afresh_indexer.matching import OUTER_MARGIN, content_of, group_of, has_inner, is_around, is_same_name
from afresh_indexer.records import Symbol
from afresh_indexer.source import Source
from afresh_indexer.verdicts import CitedSpan, Content, MovedTo

SAME_NAME_FLOOR = 0.6
"""A definition of the same name is claimed from this likeness on."""
TELLING_LETTERS = 24
"""Lines of fewer letters in different words are not looked for."""
OWN_NAME_FLOOR = 0.5
"""The only one of that name, if this is made of several words."""
OTHER_NAME_FLOOR = 0.75
"""One of another name."""
MARGIN = 0.04
"""How much likelier than the next one a definition that changed must be."""
SAME_FILE_NAME_FLOOR = 0.5
"""A file of the same name elsewhere is claimed from this part of common lines on; git's own floor."""
OTHER_FILE_NAME_FLOOR = 0.6
GROWN_FLOOR = 0.3
"""A file beside it that grew meanwhile is claimed from here on, if it has GROWN_SHARE of the lost one."""
GROWN_SHARE = 0.75


_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W_a-zA-Z\d]+")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class CandidateFile:
    """A file to which something may have moved."""

    path: str
    data: bytes
    language: str | None
    before: bytes | None = None
    """What it was when the span was recorded; None where it was not there, or that is not known."""
    stood: bool = False
    """It was there when the span was recorded, whether or not it is known as what."""


@dataclass(frozen=True, slots=True)
class Relocation:
    """Where something went."""

    moved_to: MovedTo
    likeness: float
    """From 0 to 1."""


class _File:
    """A candidate, read once for all that is looked for."""

    def __init__(self, file: CandidateFile) -> None:
        self.now = Source(file.data, file.language, file.path)
        self.before = None if file.before is None else Source(file.before, file.language, file.path)
        self.stood = file.stood

    def may_be_older(self, candidate: str, lost: str) -> bool:
        """Whether a definition of another name may have stood here beside the lost one, as its sibling.

        Nothing tells where the file's past is not known; `rate3` and `rate4` are siblings in any case.
        """
        if self.before is not None or is_same_name(candidate, lost):
            return False
        return self.stood or _DIGITS.sub("", candidate) == _DIGITS.sub("", lost)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The definitions that are new there: of names that it had none of before, or fewer."""
        if self.before is None:
            return self.now.symbols
        stood = {name: len(named) for name, named in self.before.by_name.items()}
        return tuple(
            symbol
            for symbol in self.now.symbols
            if len(self.now.by_name[symbol.qualified_name]) > stood.get(symbol.qualified_name, 0)
        )

    @cached_property
    def shapes(self) -> dict[Symbol, Shape]:
        return {}

    def shape(self, symbol: Symbol) -> Shape:
        """What a definition is compared by."""
        if symbol not in self.shapes:
            self.shapes[symbol] = shape_of(self.now.source_of(symbol), self.now.language, (symbol.name,))
        return self.shapes[symbol]


@dataclass(frozen=True, slots=True)
class _Scored:
    likeness: float
    same_qualified: bool
    same_name: bool
    file: _File
    symbol: Symbol

    @property
    def rank(self) -> tuple[bool, float, bool, bool]:
        return (self.likeness >= 1.0, self.likeness, self.same_qualified, self.same_name)


class Relocator:
    """Looks for lost spans and files among some candidates."""

    def __init__(self, candidates: Iterable[CandidateFile]) -> None:
        self._candidates = tuple(candidates)
        self._files = tuple(_File(candidate) for candidate in self._candidates)
        self._parents: dict[Symbol, Relocation | None] = {}

    def span(self, old: bytes, language: str | None, path: str, span: CitedSpan) -> Relocation | None:
        """Where a span of `old` went; None where nothing is like it enough to claim it.

        A span with a symbol is looked for as a definition, another as lines that stand together as they did.
        """
        source = Source(old, language, path)
        if span.symbol is not None:
            named = source.by_name.get(span.symbol, ())
            symbol = min(named, key=lambda one: abs(one.start_line - span.start_line), default=None)
            if symbol is not None:
                return self._symbol(source, symbol)
        return self._lines(source, span)

    def file(self, old: bytes, language: str | None, path: str) -> Relocation | None:
        """Where a whole file went; None where nothing is like it enough, and for a file without words."""
        words = len(shape_of(old, language).words)
        found: list[tuple[float, bool, int, CandidateFile, Content]] = []
        own_name = PurePosixPath(path).name.lower()
        for candidate in self._candidates:
            same_name = PurePosixPath(candidate.path).name.lower() == own_name
            content, left = _file_content(old, language, path, candidate)
            floor = SAME_FILE_NAME_FLOOR if same_name else OTHER_FILE_NAME_FLOOR
            if candidate.before is not None and line_likeness(old, candidate.before) >= floor:
                continue
            is_like = left >= floor or (
                left >= GROWN_FLOOR
                and PurePosixPath(candidate.path).parent == PurePosixPath(path).parent
                and line_share(old, candidate.data) >= GROWN_SHARE
            )
            if candidate.stood and candidate.before is None and content == "changed":
                continue
            if is_like and words and (words >= TELLING_WORDS or (same_name and content != "changed")):
                found.append((left, same_name, _common_parts(path, candidate.path), candidate, content))
        found.sort(key=lambda one: one[:3], reverse=True)
        if not found or (len(found) > 1 and found[0][:3] == found[1][:3]):
            return None
        left, _, _, candidate, content = found[0]
        count = max(1, len(candidate.data.splitlines()))
        return Relocation(MovedTo(candidate.path, None, 1, count, content), left)

    def _symbol(self, old: Source, symbol: Symbol) -> Relocation | None:
        group = group_of(symbol)
        shape = shape_of(old.source_of(symbol), old.language, (symbol.name,))
        scored: list[_Scored] = []
        for file in self._files:
            if file.now.language != old.language:
                continue
            for candidate in file.symbols:
                if group_of(candidate) == group and not file.may_be_older(candidate.name, symbol.name):
                    score = self._score(shape, symbol, file, candidate)
                    if score >= OWN_NAME_FLOOR:
                        scored.append(
                            _Scored(
                                score,
                                candidate.qualified_name == symbol.qualified_name,
                                is_same_name(candidate.name, symbol.name),
                                file,
                                candidate,
                            )
                        )
        scored.sort(key=lambda one: (one.rank, _common_parts(old.path, one.file.now.path)), reverse=True)
        likely = [
            *scored[:1],
            *[one for one in scored[1:] if one.same_qualified][:1],
            *[one for one in scored[1:] if one.same_name][:1],
        ]
        if "." in symbol.qualified_name and self._is_defined(old.language, symbol.qualified_name):
            # Then a member of another class is not where it went.
            likely = [one for one in likely if one.same_qualified]
        best = next((one for one in likely if _is_enough(one, scored, shape, group)), None)
        if best is None:
            return self._with_parent(old, symbol)
        best = self._outer(old, symbol, best, scored)
        content = content_of(old, symbol, best.file.now, best.symbol)
        now = best.symbol
        moved_to = MovedTo(best.file.now.path, now.qualified_name, now.start_line, now.end_line, content)
        return Relocation(moved_to, best.likeness)

    def _is_defined(self, language: str | None, qualified_name: str) -> bool:
        """Whether a whole name stands in some file."""
        return any(
            qualified_name in file.now.by_name for file in self._files if file.now.language == language
        )

    def _with_parent(self, old: Source, symbol: Symbol) -> Relocation | None:
        """A member of a type that moved, whatever became of its own body there."""
        parent, _, name = symbol.qualified_name.rpartition(".")
        around = old.by_name.get(parent, ())
        if len(around) != 1 or group_of(around[0]) != "type":
            return None
        if around[0] not in self._parents:
            self._parents[around[0]] = self._symbol(old, around[0])
        moved = self._parents[around[0]]
        if moved is None or moved.moved_to.symbol is None:
            return None
        if moved.moved_to.symbol != parent and self._is_defined(old.language, parent):
            return None
        file = next(file for file in self._files if file.now.path == moved.moved_to.path)
        members = file.now.by_name.get(f"{moved.moved_to.symbol}.{name}", ())
        if len(members) != 1:
            return None
        now = members[0]
        content = content_of(old, symbol, file.now, now)
        place = MovedTo(file.now.path, now.qualified_name, now.start_line, now.end_line, content)
        left = likeness(shape_of(old.source_of(symbol), old.language, (symbol.name,)), file.shape(now))
        return Relocation(place, left)

    def _outer(self, old: Source, symbol: Symbol, best: _Scored, scored: Sequence[_Scored]) -> _Scored:
        """The definition around the likeliest one, if the lost one had some inside as well."""
        if best.likeness >= 1.0 or not has_inner(old, symbol):
            return best
        return next(
            (
                other
                for other in scored
                if other.file is best.file
                and is_around(other.symbol, best.symbol)
                and other.likeness >= best.likeness - OUTER_MARGIN
            ),
            best,
        )

    def _score(self, shape: Shape, symbol: Symbol, file: _File, candidate: Symbol) -> float:
        if symbol.tokens_sha256 == candidate.tokens_sha256:
            return 1.0
        length = symbol.end_byte - symbol.start_byte
        other = candidate.end_byte - candidate.start_byte
        # Two sources of which one is more than four times the other's length can't be alike enough.
        return 0.0 if max(length, other) > 4 * min(length, other) else likeness(shape, file.shape(candidate))

    def _lines(self, old: Source, span: CitedSpan) -> Relocation | None:
        wanted = old.lines[max(0, span.start_line - 1) : span.end_line]
        words = shape_of(b"\n".join(wanted), old.language).words
        if len(words) < TELLING_WORDS // 2 or sum(map(len, words)) < TELLING_LETTERS:
            return None
        places = [
            (file, start)
            for file in self._files
            if file.before is None or not _places(file.before.lines, wanted)
            for start in _places(file.now.lines, wanted)
        ]
        if len(places) == 1:
            file, start = places[0]
            end = start + len(wanted) - 1
            return Relocation(MovedTo(file.now.path, None, start, end, "identical"), 1.0)
        return self._reformatted(old, span) if not places and len(words) >= TELLING_WORDS else None

    def _reformatted(self, old: Source, span: CitedSpan) -> Relocation | None:
        """Lines whose tokens stand together in just one file, in another form."""
        tokens = old.tokens(*old.span(span.start_line, span.end_line))
        if not tokens:
            return None
        places = [
            (file, place)
            for file in self._files
            if file.now.language == old.language
            and (place := file.now.find_tokens(tokens, 0, len(file.now.data))) is not None
            and (file.before is None or file.before.find_tokens(tokens, 0, len(file.before.data)) is None)
        ]
        if len(places) != 1:
            return None
        file, (start, end) = places[0]
        first, last = file.now.line_at(start), file.now.line_at(max(start, end - 1))
        return Relocation(MovedTo(file.now.path, None, first, last, "cosmetic"), 1.0)


def _is_enough(best: _Scored, others: Sequence[_Scored], shape: Shape, group: str) -> bool:
    """Whether the evidence for a definition is enough to claim it, of all that are somewhat like it."""
    others = [other for other in others if not _is_part(other, best)]
    tied = [other for other in others if other.rank == best.rank]
    if tied and not (best.likeness >= 1.0 and best.same_name and _parts_of_name(best.symbol.name) > 1):
        return False
    words = len(shape.words) + (_parts_of_name(best.symbol.name) - 1 if best.same_name else 0)
    if words < TELLING_WORDS or group == "value":
        return best.likeness >= 1.0 and best.same_qualified and len(shape.words) >= TELLING_WORDS // 2
    if best.likeness < 1.0:
        near = [other for other in others if other.likeness > best.likeness - MARGIN]
        named = best.same_name, best.same_qualified
        if any((other.same_name, other.same_qualified) >= named for other in near):
            return False
    if not best.same_name:
        return best.likeness >= OTHER_NAME_FLOOR
    is_own = _parts_of_name(best.symbol.name) > 1 and not any(other.same_name for other in others)
    return best.likeness >= (OWN_NAME_FLOOR if is_own else SAME_NAME_FLOOR)


def _is_part(one: _Scored, other: _Scored) -> bool:
    """Whether two are the same definition, or one is inside the other."""
    if one.file is not other.file:
        return False
    return (
        one.symbol is other.symbol
        or is_around(one.symbol, other.symbol)
        or is_around(other.symbol, one.symbol)
    )


def _parts_of_name(name: str) -> int:
    """How many words a name is made of: `close` is one of many, `fromReadableStream` hardly."""
    return len(_NAME_PART.findall(name))


def _places(lines: Sequence[bytes], wanted: Sequence[bytes]) -> list[int]:
    """The lines, from 1, at which a block of lines begins."""
    anchor = max(range(len(wanted)), key=lambda index: len(wanted[index]))
    if wanted[anchor] not in lines:
        return []
    return [
        index - anchor + 1
        for index, line in enumerate(lines)
        if line == wanted[anchor]
        and index >= anchor
        and lines[index - anchor : index - anchor + len(wanted)] == wanted
    ]


def _file_content(old: bytes, language: str | None, path: str, file: CandidateFile) -> tuple[Content, float]:
    """How a file differs from another, and the part of both that is in common lines."""
    if file.data == old:
        return "identical", 1.0
    if eol_free(file.data) == eol_free(old):
        return "cosmetic", 1.0
    left = line_likeness(old, file.data)
    if left < SAME_FILE_NAME_FLOOR or language != file.language:
        return "changed", left
    one, other = Source(old, language, path), Source(file.data, language, file.path)
    difference = compare(one, (0, len(old)), other, (0, len(file.data)))
    return ("cosmetic", 1.0) if difference in ("unchanged", "cosmetic") else ("changed", left)


def _common_parts(path: str, other: str) -> int:
    """How many folders two paths share, from the root."""
    count = 0
    for one, two in zip(PurePosixPath(path).parent.parts, PurePosixPath(other).parent.parts, strict=False):
        if one != two:
            break
        count += 1
    return count
