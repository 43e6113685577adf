"""What a walk through a syntax tree has written so far, and the ways in which it writes.

`stream` walks; `stream_forms` decides what of the tree is mere form.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import tree_sitter

from afresh_indexer.form_tables import ERROR, Tables
from afresh_indexer.leaf_gaps import blank

OPEN = b"\x02"
"""With the number of a kind the beginning of a node; what follows `LEAF` then is a leaf's text."""
LEAF = b"\x1f"
CLOSE = b"\x03"
"""The end of a node; its beginning is `\\x02` and the number of its kind."""
EXACT = b"\x05"
"""Stands before source that is in the stream byte for byte."""
LITERAL = b"\x04"
NOTED = -1
"""Stands on the stack of kinds for a node whose end has to be noted; `open` has its kind."""
TRANSPARENT = -2
"""The kind of parentheses that are form."""
OUTERMOST_ERROR = -1
INNER_ERROR = -2
ROW_OF_SEVERAL = -3
"""Stands with a row of several expressions, of which a last comma is form."""
ROW_OF_ONE = -4
"""With a row that only its comma tells from an expression."""


@dataclass(slots=True)
class Mark:
    """A watched node and its tokens in the stream."""

    node: tree_sitter.Node
    kind: str
    """The node's."""
    parent: int
    """The index of the watched node around it, or -1."""
    first: int
    end: int = -1
    """The tokens `[first:end]` are the node's own."""


@dataclass(slots=True)
class Stream:
    """The stream of one source."""

    tokens: list[bytes]
    marks: list[Mark]
    """In the order in which their nodes begin, outer ones first."""
    starts: list[int] = field(default_factory=list)
    """The start of each token, where positions were asked for."""
    ends: list[int] = field(default_factory=list)
    exact: bool = False
    """The grammar left text out of its leaves, so that only the source's own bytes tell two sources apart."""

    def sha256(self, data: bytes, first: int, end: int, start_byte: int, end_byte: int) -> str:
        """The hash of the tokens `[first:end]`, which came from `data[start_byte:end_byte]`."""
        if self.exact:
            return hashlib.sha256(EXACT + data[start_byte:end_byte]).hexdigest()
        return hashlib.sha256(b"\0".join(self.tokens[first:end])).hexdigest()


class Writer:
    """The state of one walk, with what all ways to deal with a node have in common."""

    def __init__(
        self, tables: Tables, tree: tree_sitter.Tree, data: bytes, positions: bool, skipped: frozenset[int]
    ) -> None:
        self.tables = tables
        self.data = data
        self.positions = positions
        self.skipped = skipped
        self.cursor = tree.walk()
        self.has_error = tree.root_node.has_error
        keeps = tables.form.keeps_comments
        self.all_comments = keeps is not None and keeps.search(data) is not None
        self.out: list[bytes] = []
        self.marks: list[Mark] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.covered = 0
        """Bytes of the source that are in leaves."""
        self.hidden_blank = 0
        """White space in leaves, less what of it the stream shows."""
        self.stack: list[int] = []
        """The kinds of the nodes that are open, or NOTED."""
        self.open: list[tuple[int, int]] = []
        """For each NOTED: its kind, and the index of its mark."""
        self.in_function = [False]
        """For each mark that is open, whether what is inside of it is inside a function."""
        self.before_error: tuple[int, int, int] | None = None
        self.simple_strings: list[bool] = []

    def _place(self, node: tree_sitter.Node | None, opened: bool) -> None:
        """Note where the tokens that were just added come from; an end mark stands at its node's end."""
        while node is not None and len(self.starts) < len(self.out):
            closing = self.out[len(self.starts)] == CLOSE
            self.starts.append(node.end_byte if closing else node.start_byte)
            self.ends.append(node.start_byte if opened else node.end_byte)

    def _end(self) -> None:
        """Close a node whose end has to be noted, or parentheses that are form."""
        kind, index = self.open.pop()
        if kind == TRANSPARENT:
            return
        if index == ROW_OF_SEVERAL and self.out[-1] == b",":
            self._take_back(1)
        self.out.append(CLOSE)
        if index >= 0:
            self.marks[index].end = len(self.out)
            self.in_function.pop()
        elif self.before_error is not None and index == OUTERMOST_ERROR:
            self.covered, hidden, first = self.before_error
            self.hidden_blank = hidden - blank(b"\0".join(self.out[first:]))
            self.before_error = None

    def _leaf(self, kind: int, text: bytes) -> None:
        self.out.append(self.tables.leaves[kind] + text)
        self.covered += len(text)

    def _hidden(self, text: bytes, shown: bytes = b"") -> None:
        """Count a leaf's text, of which the stream shows something else."""
        self.covered += len(text)
        self.hidden_blank += blank(text) - blank(shown)

    def _descend(self, node: tree_sitter.Node, kind: int) -> int | None:
        """Do as with an ordinary node."""
        if self.cursor.goto_first_child():
            self.out.append(self.tables.texts[kind])
            return kind
        return self._opaque(node, kind)

    def _opaque(self, node: tree_sitter.Node, kind: int) -> int | None:
        self._leaf(kind, self._text(node))
        return None

    def _text(self, node: tree_sitter.Node) -> bytes:
        return self.data[node.start_byte : node.end_byte]

    def _parent(self) -> int:
        if not self.stack:
            return ERROR
        return self.stack[-1] if self.stack[-1] != NOTED else self.open[-1][0]

    def _take_back(self, count: int) -> None:
        """Take back the last tokens."""
        out = self.out
        del out[len(out) - count :], self.starts[len(out) - count :], self.ends[len(out) - count :]
