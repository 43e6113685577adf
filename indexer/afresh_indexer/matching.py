"""Finds a definition again in a new version of its file: under its name among overloads, or under another.

A name that is still there is the definition, whatever its body is now. Only where the name is gone are
bodies compared, and then a claim needs lines that were kept in place, or a body that says enough.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

from afresh_indexer.compare import compare
from afresh_indexer.hunks import LineMap
from afresh_indexer.likeness import TELLING_WORDS, Shape, likeness, shape_of
from afresh_indexer.records import Symbol
from afresh_indexer.source import Source
from afresh_indexer.verdicts import Content

IN_PLACE_FLOOR = 0.5
"""A definition whose name changed and half of whose lines stayed in place is claimed from here on."""
RENAME_FLOOR = 0.65
"""The same without lines that stayed."""
OUTER_MARGIN = 0.1
"""How much less like a definition may be than one inside of it, and be preferred to that."""
_CODE = frozenset({"function", "method", "constructor", "property", "macro"})
_TYPES = frozenset({"class", "struct", "enum", "interface", "trait", "union", "type", "module"})


@dataclass(frozen=True, slots=True)
class Renamed:
    """A definition that is in the file under another name."""

    symbol: Symbol
    likeness: float
    content: Content


class Matcher:
    """Matches the definitions of two versions of one file."""

    def __init__(self, old: Source, new: Source, line_map: LineMap) -> None:
        self.old = old
        self.new = new
        self.map = line_map
        self._shapes: dict[tuple[bool, int, int], Shape] = {}
        self._pairs: dict[str, dict[Symbol, Symbol]] = {}
        self._renamed: dict[Symbol, Renamed | None] = {}

    def same_name(self, symbol: Symbol) -> Symbol | None:
        """The new definition of an old one's name that is the same one, told from its overloads."""
        name = symbol.qualified_name
        if name not in self._pairs:
            self._pairs[name] = self._paired(self.old.by_name.get(name, ()), self.new.by_name.get(name, ()))
        return self._pairs[name].get(symbol)

    def renamed(self, symbol: Symbol) -> Renamed | None:
        """The new definition that an old one became whose name is gone; None where none is like it enough."""
        if symbol not in self._renamed:
            self._renamed[symbol] = None
            self._renamed[symbol] = self._with_parent(symbol) or self._by_body(symbol)
        return self._renamed[symbol]

    def likeness_of(self, symbol: Symbol, candidate: Symbol) -> float:
        """How alike an old and a new definition are, their own names apart."""
        return likeness(self._shape(symbol, old=True), self._shape(candidate, old=False))

    def _shape(self, symbol: Symbol, *, old: bool) -> Shape:
        key = (old, symbol.start_byte, symbol.end_byte)
        if key not in self._shapes:
            source = self.old if old else self.new
            self._shapes[key] = shape_of(source.source_of(symbol), source.language, (symbol.name,))
        return self._shapes[key]

    def _paired(self, olds: Sequence[Symbol], news: Sequence[Symbol]) -> dict[Symbol, Symbol]:
        if len(olds) == 1 and len(news) == 1:
            return {olds[0]: news[0]}
        pairs: dict[Symbol, Symbol] = {}
        left, free = list(olds), list(news)

        def pair(old: Symbol, new: Symbol) -> None:
            pairs[old] = new
            left.remove(old)
            free.remove(new)

        for kind in ("source_sha256", "tokens_sha256"):
            for old in olds:
                if old in left:
                    same = [new for new in free if getattr(new, kind) == getattr(old, kind)]
                    if same:
                        pair(old, max(same, key=partial(self._kept_share, old)))
        scored = sorted(
            (
                (self._overload_score(old, new), -i, -j)
                for i, old in enumerate(olds)
                for j, new in enumerate(news)
                if old in left and new in free
            ),
            reverse=True,
        )
        for _, i, j in scored:
            old, new = olds[-i], news[-j]
            if old in left and new in free:
                pair(old, new)
        return pairs

    def _overload_score(self, symbol: Symbol, candidate: Symbol) -> float:
        """How likely two overloads are one; a declaration and one with a body hardly are."""
        bodies = [
            source.source_of(one).endswith(b"}")
            for source, one in ((self.old, symbol), (self.new, candidate))
        ]
        same_kind = 2.0 if bodies[0] == bodies[1] else 0.0
        return same_kind + self._kept_share(symbol, candidate) + self.likeness_of(symbol, candidate)

    def _kept_share(self, symbol: Symbol, candidate: Symbol) -> float:
        """The part of an old definition's lines, blank ones apart, that stand in a new one now."""
        kept = total = 0
        for line in range(symbol.start_line, symbol.end_line + 1):
            if self.old.lines[line - 1].strip():
                total += 1
                now = self.map.to_new(line)
                kept += now is not None and candidate.start_line <= now <= candidate.end_line
        return kept / total if total else 0.0

    def _with_parent(self, symbol: Symbol) -> Renamed | None:
        """A member of a definition that was renamed itself."""
        parent, dot, own = symbol.qualified_name.rpartition(".")
        if not dot or parent in self.new.by_name or parent not in self.old.by_name:
            return None
        moved = self.renamed(self.old.by_name[parent][0])
        if moved is None:
            return None
        members = self.new.by_name.get(f"{moved.symbol.qualified_name}.{own}", ())
        if not members:
            return None
        best = max(members, key=lambda member: self.likeness_of(symbol, member))
        return Renamed(best, self.likeness_of(symbol, best), content_of(self.old, symbol, self.new, best))

    def _by_body(self, symbol: Symbol) -> Renamed | None:
        group = group_of(symbol)
        pool = [
            candidate
            for candidate in self.new.symbols
            if candidate.qualified_name not in self.old.by_name and group_of(candidate) == group
        ]
        if not pool or group == "value":
            return None
        scored = sorted(
            ((self.likeness_of(symbol, candidate), index) for index, candidate in enumerate(pool)),
            key=lambda scored: (scored[0], self._kept_share(symbol, pool[scored[1]])),
            reverse=True,
        )
        for score, index in scored:
            if score < IN_PLACE_FLOOR:
                return None
            candidate = pool[index]
            if self._is_another(symbol, candidate, score):
                continue
            in_place = self._kept_share(symbol, candidate) >= 0.5
            words = len(self._shape(symbol, old=True).words)
            telling = words >= TELLING_WORDS
            same = score >= 1.0 and candidate.name == symbol.name and words >= TELLING_WORDS // 2
            if in_place or same or (telling and score >= RENAME_FLOOR):
                candidate = self._outer(symbol, candidate, score, pool)
                return Renamed(candidate, score, content_of(self.old, symbol, self.new, candidate))
        return None

    def _is_another(self, symbol: Symbol, candidate: Symbol, score: float) -> bool:
        """Whether a candidate is likelier to be what another definition became whose name is gone, too."""
        return any(
            self.likeness_of(other, candidate) > score
            for other in self._lost.get(group_of(symbol), ())
            if other is not symbol and not is_around(other, symbol) and not is_around(symbol, other)
        )

    @cached_property
    def _lost(self) -> dict[str, list[Symbol]]:
        """The old definitions whose name is gone, by their group."""
        lost: dict[str, list[Symbol]] = {}
        for symbol in self.old.symbols:
            if symbol.qualified_name not in self.new.by_name:
                lost.setdefault(group_of(symbol), []).append(symbol)
        return lost

    def _outer(self, symbol: Symbol, best: Symbol, score: float, pool: Sequence[Symbol]) -> Symbol:
        """The definition around the likeliest one, if the lost one had some inside as well."""
        if score >= 1.0 or not has_inner(self.old, symbol):
            return best
        around = (other for other in pool if is_around(other, best))
        return next((one for one in around if self.likeness_of(symbol, one) >= score - OUTER_MARGIN), best)


def is_around(outer: Symbol, inner: Symbol) -> bool:
    """Whether one definition is inside another."""
    return outer is not inner and outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte


def has_inner(source: Source, symbol: Symbol) -> bool:
    """Whether other definitions stand inside of one."""
    return any(is_around(symbol, other) for other in source.symbols)


def is_same_name(one: str, other: str) -> bool:
    """Whether two names are one but for what makes them private."""
    return one == other or (one.strip("_").lower() == other.strip("_").lower() != "")


def group_of(symbol: Symbol) -> Literal["code", "type", "value"]:
    """Kinds of which one can become the other: a function that becomes a method is the same one still."""
    if symbol.kind in _CODE:
        return "code"
    return "type" if symbol.kind in _TYPES else "value"


def content_of(old: Source, symbol: Symbol, new: Source, now: Symbol) -> Content:
    """How a definition that moved differs from what it was, its own name apart."""
    before, after = _renaming(old, symbol, symbol.name, now.name), _renaming(new, now, symbol.name, now.name)
    there, here = (_end(symbol, old, before), _end(now, new, after))
    if before.data[symbol.start_byte : there] == after.data[now.start_byte : here]:
        return "identical"
    if symbol.tokens_sha256 == now.tokens_sha256:
        return "cosmetic"
    places = (symbol.start_byte, there), (now.start_byte, here)
    difference = compare(before, places[0], after, places[1], whole_nodes=True)
    return "changed" if difference in ("docs_only", "edited") else "cosmetic"


def _renaming(source: Source, symbol: Symbol, name: str, new_name: str) -> Source:
    """A source with one name put for another in one definition, so that two can be compared without it."""
    if name == new_name:
        return source
    own = _with_name(source.source_of(symbol), name, new_name)
    data = source.data[: symbol.start_byte] + own + source.data[symbol.end_byte :]
    return Source(data, source.language, source.path)


def _end(symbol: Symbol, source: Source, renamed: Source) -> int:
    return symbol.end_byte + len(renamed.data) - len(source.data)


def _with_name(source: bytes, name: str, new_name: str) -> bytes:
    pattern = rb"(?<![\w\x80-\xff])%b(?![\w\x80-\xff])" % re.escape(name.encode())
    return re.sub(pattern, lambda _: new_name.encode(), source)
