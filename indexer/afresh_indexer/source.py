"""One version of a file, read as far as questions about it go: lines, then a scan, then a syntax tree."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate

import tree_sitter

from afresh_indexer.languages import has_grammar
from afresh_indexer.lexing import LEXES, Scan
from afresh_indexer.outline import outline
from afresh_indexer.parsing import NotParsedError, parse
from afresh_indexer.records import Symbol
from afresh_indexer.stream import read_stream
from afresh_indexer.stream_state import CLOSE, EXACT, LEAF, OPEN, Stream
from afresh_indexer.tokens import docstring_ranges

_BINARY_WITHIN = 8000
"""Git's rule: a file with a NUL byte in its first so many is no text."""


class Source:
    """The bytes of one version, with what was found out about them. Lines count from 1, offsets from 0."""

    def __init__(self, data: bytes, language: str | None, path: str) -> None:
        self.data = data
        self.language = language
        self.path = path

    @cached_property
    def is_binary(self) -> bool:
        return b"\0" in self.data[:_BINARY_WITHIN]

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines without their ends."""
        return self.data.splitlines()

    @cached_property
    def _offsets(self) -> list[int]:
        return list(accumulate(map(len, self.data.splitlines(keepends=True)), initial=0))

    @property
    def line_count(self) -> int:
        return len(self._offsets) - 1

    def clamp(self, start_line: int, end_line: int) -> tuple[int, int]:
        """The part of a range of lines that is there; its end is before its start where none is."""
        return max(1, start_line), min(end_line, self.line_count)

    def span(self, start_line: int, end_line: int) -> tuple[int, int]:
        """The offsets of whole lines, the last one's end included."""
        last = len(self._offsets) - 1
        start = self._offsets[min(max(start_line - 1, 0), last)]
        return start, max(start, self._offsets[min(max(end_line, 0), last)])

    def line_at(self, offset: int) -> int:
        """The line in which an offset is."""
        return max(1, bisect_right(self._offsets, offset, hi=max(1, len(self._offsets) - 1)))

    @cached_property
    def scan(self) -> Scan | None:
        """None for a language whose comments a scan can't tell."""
        if self.language is None or self.language not in LEXES or self.is_binary:
            return None
        return Scan(self.data, self.language)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The definitions; none where the language has no grammar or the source can't be parsed."""
        return outline(self.path, self.data, self.language).symbols

    @cached_property
    def by_name(self) -> dict[str, list[Symbol]]:
        """The definitions by qualified name, in order; overloads share one."""
        named: dict[str, list[Symbol]] = {}
        for symbol in self.symbols:
            named.setdefault(symbol.qualified_name, []).append(symbol)
        return named

    def source_of(self, symbol: Symbol) -> bytes:
        """A definition's own bytes."""
        return self.data[symbol.start_byte : symbol.end_byte]

    def tokens(
        self, start: int, end: int, *, docstrings: bool = True, whole_nodes: bool = False
    ) -> list[bytes] | None:
        """The normalised tokens between two offsets, as `tokens.token_stream` gives them.

        With `whole_nodes` without the marks of nodes around the one that is there.
        None where the language has no grammar or the source can't be parsed.
        """
        whole = start <= 0 and end >= len(self.data)
        if docstrings:
            stream = self._whole_stream if whole else self._stream
        else:
            stream = self._whole_stream_without_docstrings if whole else self._stream_without_docstrings
        if stream is None:
            return None
        if stream.exact:
            return [EXACT + self.data[start:end]]
        if whole:
            return stream.tokens
        tokens = self._tokens_between(stream, start, end)
        return _balanced(tokens) if whole_nodes else tokens

    def _tokens_between(self, stream: Stream, start: int, end: int) -> list[bytes]:
        """The tokens of a range; of one that reaches over its start or its end, the part inside as it stands.

        Lines of a long string or a template would have no token otherwise.
        """
        indexes = _between(stream, start, end)
        tokens = [stream.tokens[index] for index in indexes]
        if indexes and stream.ends[indexes[-1]] > end:
            tokens[-1] = EXACT + self.data[stream.starts[indexes[-1]] : end]
        before = bisect_left(stream.starts, start) - 1
        if before >= 0 and stream.ends[before] > start:
            tokens.insert(0, EXACT + self.data[start : min(end, stream.ends[before])])
        return tokens

    def find_tokens(self, wanted: Sequence[bytes], start: int, end: int) -> tuple[int, int] | None:
        """Where between two offsets a run of tokens stands, as offsets; None unless it is there just once."""
        stream = self._stream
        if stream is None or stream.exact or not wanted:
            return None
        indexes: Sequence[int]
        if start <= 0 and end >= len(self.data):
            indexes, text = range(len(stream.tokens)), self._joined_tokens
        else:
            indexes = _between(stream, start, end)
            text = _joined(stream.tokens[index] for index in indexes)
        run = _joined(wanted)
        at = text.find(run)
        if at < 0 or text.find(run, at + 1) >= 0:
            return None
        first = text.count(b"\0", 0, at)
        found = indexes[first : first + len(wanted)]
        return stream.starts[found[0]], max(stream.ends[index] for index in found)

    @cached_property
    def _joined_tokens(self) -> bytes:
        return b"" if self._stream is None else _joined(self._stream.tokens)

    @cached_property
    def has_docstrings(self) -> bool:
        """Whether the language has docstrings that are no comments, and the source could be parsed."""
        return self.language == "python" and self._tree is not None

    @cached_property
    def _tree(self) -> tree_sitter.Tree | None:
        if self.language is None or not has_grammar(self.language):
            return None
        try:
            return parse(self.data, self.language, path=self.path)
        except NotParsedError:
            return None

    @cached_property
    def _docstrings(self) -> frozenset[int]:
        if not self.has_docstrings:
            return frozenset()
        return frozenset(start for start, _ in docstring_ranges(self.data, "python", path=self.path))

    @cached_property
    def _stream(self) -> Stream | None:
        return self._read(frozenset(), positions=True)

    @cached_property
    def _stream_without_docstrings(self) -> Stream | None:
        return self._read(self._docstrings, positions=True) if self._docstrings else self._stream

    @cached_property
    def _whole_stream(self) -> Stream | None:
        """Without the places of the tokens, which take as long to note as the tokens to read."""
        return self._read(frozenset(), positions=False)

    @cached_property
    def _whole_stream_without_docstrings(self) -> Stream | None:
        return self._read(self._docstrings, positions=False) if self._docstrings else self._whole_stream

    def _read(self, skipped: frozenset[int], *, positions: bool) -> Stream | None:
        if self._tree is None or self.language is None:
            return None
        return read_stream(
            self._tree, self.data, self.language, path=self.path, positions=positions, skipped=skipped
        )


def _balanced(tokens: list[bytes]) -> list[bytes]:
    """The tokens of one node, without the marks of nodes around it that begin or end where it does."""
    ends: dict[int, int] = {}
    opened: list[int] = []
    last = len(tokens)
    for index, token in enumerate(tokens):
        if token[:1] == OPEN and LEAF not in token:
            opened.append(index)
        elif token == CLOSE:
            if not opened:
                last = index
                break
            ends[opened.pop()] = index
    first = 0
    while first < last and opened and first == opened[0]:
        del opened[0]
        first += 1
    while ends.get(first) == last - 1 and ends.get(first + 1) == last - 2:
        first, last = first + 1, last - 1
    return tokens[first:last]


def _joined(tokens: Iterable[bytes]) -> bytes:
    """Tokens with a mark before each and behind the last."""
    return b"\0".join((b"", *tokens, b""))


def _between(stream: Stream, start: int, end: int) -> list[int]:
    """The indexes of the tokens of a range: a mark of structure counts where its node begins, or ends."""
    found: list[int] = []
    for index in range(bisect_left(stream.starts, start), len(stream.tokens)):
        at = stream.starts[index]
        if at > end:
            break
        if start < at if stream.tokens[index] == CLOSE else at < end:
            found.append(index)
    return found
