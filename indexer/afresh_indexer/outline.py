"""Gives the outline of a source: its definitions, with their names, their ranges and their hashes.

The tree is walked once. The walk writes the normalised tokens of the whole file and where each definition
begins and ends in them, so that a definition inside a definition costs a hash and no second walk.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import tree_sitter

from afresh_indexer.definition_rules import Rule, Scope
from afresh_indexer.definitions import ATTRIBUTE, DEFINITIONS, WRAPPER
from afresh_indexer.form_tables import Watch, Watched
from afresh_indexer.languages import has_grammar
from afresh_indexer.parsing import MAX_BYTES, PARSE_SECONDS, NotParsedError, parse
from afresh_indexer.records import Outline, Symbol
from afresh_indexer.stream import read_stream
from afresh_indexer.stream_state import Mark, Stream

Row = tuple[str, str, str, int, int, int, int, str, str]
"""The fields of a Symbol, in their order."""

_CODE = frozenset(("function", "method", "class", "constructor"))


def outline(
    path: str,
    data: bytes,
    language: str | None,
    *,
    sha256: str | None = None,
    max_bytes: int = MAX_BYTES,
    seconds: float = PARSE_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Outline:
    """The definitions in `data`, in the order in which they begin; outer ones come before inner ones.

    Functions, methods, classes and other types, modules, macros, constants and variables of modules, and
    fields; no parameters, local variables or imports. Overloads share a qualified name. A syntax error costs
    only what could not be parsed. A language without a grammar has an empty outline; a source that can't be
    parsed at all (over `max_bytes`, over `seconds`, not text) has one with an `error`. `sha256` is that of
    `data`, if known.
    """
    digest = hashlib.sha256(data).hexdigest() if sha256 is None else sha256
    rows, error = outline_rows(path, data, language, max_bytes=max_bytes, seconds=seconds, clock=clock)
    return Outline(path, digest, tuple(Symbol(*row) for row in rows), error)


def outline_rows(
    path: str,
    data: bytes,
    language: str | None,
    *,
    max_bytes: int = MAX_BYTES,
    seconds: float = PARSE_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[list[Row], str | None]:
    """What `outline` gives, as plain rows that are quick to make and to send, and the error."""
    if language is None or not has_grammar(language):
        return [], None
    try:
        tree = parse(data, language, path=path, max_bytes=max_bytes, seconds=seconds, clock=clock)
    except NotParsedError as error:
        return [], str(error)
    stream = read_stream(tree, data, language, path=path, watched=_watched(language))
    return list(_Definitions(DEFINITIONS[language], stream, data).rows()), None


@cache
def _watched(language: str) -> Watched:
    return frozenset(
        Watch(
            kind,
            rule.starts,
            rule.local or rule.local_functions or rule.scope is not Scope.NONE,
            _inside(rule),
        )
        for kind, rule in DEFINITIONS[language].items()
    )


def _inside(rule: Rule) -> bool | None:
    """Whether what is inside such a node is surely inside a function; None where that is open."""
    if rule.scope is Scope.NONE or rule.refine_scope is not None:
        return None if rule.scope is Scope.NONE else False
    return rule.scope is Scope.FUNCTION


@dataclass(slots=True)
class _Place:
    """What is around a definition."""

    names: tuple[str, ...]
    """Of the definitions that enclose it."""
    scope: Scope
    seen: set[str] = field(default_factory=set)
    """Names for which a repetition is no new definition."""


class _Range(NamedTuple):
    start_byte: int
    end_byte: int
    start_line: int
    first: int
    end: int


class _Definitions:
    """Turns the marks of one walk into symbols."""

    def __init__(self, rules: Mapping[str, Rule], stream: Stream, data: bytes) -> None:
        self.stream = stream
        self.data = data
        self.marks = stream.marks
        self.file = _Place((), Scope.MODULE)
        self.rules: list[Rule] = []
        self.places: list[_Place] = []
        """What each mark is for those inside of it."""
        self.wrapped = [0] * len(self.marks)
        """How many definitions and wrappers are directly inside each mark."""
        for mark in self.marks:
            rule = rules[mark.kind]
            self.rules.append(rule)
            self.places.append(self._place(mark, rule))
            if mark.parent >= 0 and (rule is WRAPPER or rule.kind):
                self.wrapped[mark.parent] += 1

    def rows(self) -> Iterator[Row]:
        """All definitions, in the order in which they begin."""
        attributes: dict[int, _Range] = {}
        for index, mark in enumerate(self.marks):
            rule = self.rules[index]
            if rule is ATTRIBUTE:
                attributes[mark.parent] = self._joined(attributes.get(mark.parent), self._own_range(mark))
                continue
            attribute = attributes.pop(mark.parent, None) if attributes else None
            if rule.parts is not None:
                yield from self._parts(index, rule.parts(mark.node, self.data))
            elif rule.kind:
                yield from self._named(index, attribute)

    def _place(self, mark: Mark, rule: Rule) -> _Place:
        outer = self._outer(mark)
        if rule.scope is Scope.NONE and not rule.encloses:
            return outer
        own = (rule.names if rule.scope_names is None else rule.scope_names)(mark.node, self.data)[:1]
        scope = outer.scope if rule.scope is Scope.NONE else rule.scope
        if rule.refine_scope is not None and outer.scope is not Scope.FUNCTION:
            scope = rule.refine_scope(mark.node)
        return _Place((*outer.names, *own), scope)

    def _outer(self, mark: Mark) -> _Place:
        return self.file if mark.parent < 0 else self.places[mark.parent]

    def _named(self, index: int, attribute: _Range | None) -> Iterator[Row]:
        mark, rule = self.marks[index], self.rules[index]
        outer = self._outer(mark)
        if rule.lifted and mark.parent >= 0:
            outer = self._outer(self.marks[mark.parent])
        in_type = outer.scope is Scope.TYPE
        if rule.only_in_type and not in_type:
            return
        kind = rule.member if in_type and rule.member else rule.kind
        if rule.refine is not None:
            kind = rule.refine(mark.node, kind, self.data)
        if outer.scope is Scope.FUNCTION and not rule.local and not (rule.local_functions and kind in _CODE):
            return
        names = rule.names(mark.node, self.data)
        if not names:
            return
        where = self._joined(attribute, self._range(index))
        end_byte, tokens = where.end_byte, None
        for name in names:
            if rule.first_only:
                if name in outer.seen:
                    continue
                outer.seen.add(name)
            if tokens is None:
                tokens = self.stream.sha256(self.data, where.first, where.end, where.start_byte, end_byte)
            source = self.data[where.start_byte : end_byte]
            yield (
                kind,
                name.rpartition(".")[2] or name,
                ".".join((*outer.names, name)),
                where.start_line,
                where.start_line + source.count(b"\n"),
                where.start_byte,
                end_byte,
                hashlib.sha256(source).hexdigest(),
                tokens,
            )

    def _parts(self, index: int, parts: list[tuple[str, tree_sitter.Node]]) -> Iterator[Row]:
        """Rows for nodes that are a single word, which no mark was made for."""
        outer = self._outer(self.marks[index])
        for name, node in parts:
            source = self.data[node.start_byte : node.end_byte]
            digest = hashlib.sha256(source).hexdigest()
            line = node.start_point.row + 1
            qualified = ".".join((*outer.names, name))
            kind = self.rules[index].kind
            yield kind, name, qualified, line, line, node.start_byte, node.end_byte, digest, digest

    def _range(self, index: int) -> _Range:
        """The definition's own range, or that of what wraps it alone."""
        mark = self.marks[index]
        while mark.parent >= 0 and self.rules[mark.parent] is WRAPPER:
            if self.wrapped[mark.parent] != 1:
                break
            mark = self.marks[mark.parent]
        return self._own_range(mark)

    def _own_range(self, mark: Mark) -> _Range:
        start, end = mark.node.start_byte, mark.node.end_byte
        if self.data[end - 1 : end].isspace():
            end -= len(self.data[start:end]) - len(self.data[start:end].rstrip())
        return _Range(start, end, mark.node.start_point.row + 1, mark.first, mark.end)

    def _joined(self, attribute: _Range | None, own: _Range) -> _Range:
        """Both as one, if nothing stands between them but comments."""
        if attribute is None or attribute.end != own.first:
            return own
        return _Range(attribute.start_byte, own.end_byte, attribute.start_line, attribute.first, own.end)
