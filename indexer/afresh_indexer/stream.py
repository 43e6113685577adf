"""Walks a syntax tree once and writes it down as a stream of tokens in which mere form has vanished.

The stream is the tree in preorder, less what `forms` names as form: comments, white space, separators of
statements, trailing commas, and parentheses around what is a whole expression anyway; strings stand in
one kind of quote mark. Because the tree's structure is in it, equal streams have equal trees: Python's
indentation, a line break that ends a statement in JavaScript or Go, and the grouping that removed
parentheses made are all kept apart. Where a grammar leaves text out of its leaves, the source stands in
the stream as it is.

The walk also notes where the nodes that a caller watches begin and end in the stream, so that every
definition of a file is hashed from one list.
"""

from __future__ import annotations

import hashlib
import re
from codecs import BOM_UTF8
from dataclasses import dataclass, field

import tree_sitter

from afresh_indexer import form_tables as actions_of
from afresh_indexer import quotes
from afresh_indexer.form_tables import ERROR, Tables, Watched, tables_of
from afresh_indexer.leaf_gaps import blank, leaves_are_complete

CLOSE = b"\x03"
"""The end of a node; its beginning is `\\x02` and the number of its kind."""
EXACT = b"\x05"
"""Stands before source that is in the stream byte for byte."""

_LITERAL = b"\x04"
_OPENERS = frozenset((b",", b"(", b"[", b"{", b"<"))
_WHITE_RUN = re.compile(rb"\s*")
_NOTED = -1
"""Stands on the stack of kinds for a node whose end has to be noted; `open` has its kind."""
_TRANSPARENT = -2
"""The kind of parentheses that are form."""
_NESTED = 20
"""How many parentheses around one another are looked through."""
_MARKS_DEEP = 64
"""Watched nodes inside more than so many others get no mark: each mark's tokens are hashed by themselves."""
_OUTERMOST_ERROR = -1
_INNER_ERROR = -2
_ROW = -3
"""Stands with a row of several expressions, of which a last comma is form."""
_ROW_OF_ONE = -4
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


def read_stream(
    tree: tree_sitter.Tree,
    data: bytes,
    language: str,
    *,
    path: str = "",
    watched: Watched = frozenset(),
    positions: bool = False,
    skipped: frozenset[int] = frozenset(),
) -> Stream:
    """Walk the tree of `data` and give its stream, with a Mark for each node that is `watched`.

    With `positions` the tokens' starts and ends are there too. `skipped` are the starts of expression
    statements that are left out.
    """
    tables = tables_of(language, path.lower().endswith(".tsx"), watched, bool(skipped))
    walk = _Walk(tables, tree, data, positions, skipped)
    walk.run()
    stream = Stream(walk.out, walk.marks, walk.starts, walk.ends)
    in_leaves = blank(b"\0".join(walk.out)) + walk.hidden_blank
    mark = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    if walk.covered + mark + blank(data) - in_leaves != len(data):
        stream.exact = not leaves_are_complete(tree, data, tables)
    return stream


class _Walk:
    """The state of one walk. Ordinary words and signs are dealt with in `run`, the rest by a method each."""

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
        """The kinds of the nodes that are open, or _NOTED."""
        self.open: list[tuple[int, int]] = []
        """For each _NOTED: its kind, and the index of its mark."""
        self.in_function = [False]
        """For each mark that is open, whether what is inside of it is inside a function."""
        self.before_error: tuple[int, int, int] | None = None
        self.simple_strings: list[bool] = []
        self.handlers = {
            actions_of.COMMENT: self._comment,
            actions_of.OPAQUE: self._opaque,
            actions_of.STRING: self._string,
            actions_of.PARENTHESES: self._parentheses,
            actions_of.BRACKET: self._bracket,
            actions_of.SEPARATOR: self._separator,
            actions_of.QUOTE: self._quote,
            actions_of.INTERPOLATION: self._interpolation,
            actions_of.VARYING: self._varying,
            actions_of.UNSURE: self._varying,
            actions_of.WATCHED: self._watched,
            actions_of.BROKEN: self._broken,
            actions_of.MARKUP: self._markup,
            actions_of.ENTITY: self._entity,
            actions_of.NUMBER: self._number,
            actions_of.ROW: self._row,
            actions_of.HEAD: self._head,
            actions_of.OWN_BRACKETS: self._own_brackets,
            actions_of.PARAMETERS: self._parameters,
        }

    def run(self) -> None:
        """Walk the whole tree; iteratively, since source may be nested deeper than any stack.

        A handler gives what to push when it went down into its node, and None when it dealt with all of it.
        """
        tables = self.tables
        fixed = tables.fixed_in_errors if self.has_error else tables.fixed
        actions = tables.actions_in_errors if self.has_error else tables.actions
        opened, words, delicate = tables.opened, tables.words, tables.delicate
        texts, leaves = tables.texts, tables.leaves
        bracket, unsure = actions_of.BRACKET, actions_of.UNSURE
        data, out, stack, positions = self.data, self.out, self.stack, self.positions
        append, push, pop = out.append, stack.append, stack.pop
        handlers, cursor, covered = self.handlers, self.cursor, 0
        down, across, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
        while (node := cursor.node) is not None:
            kind = node.kind_id
            if (text := fixed[kind]) is not None:
                append(text)
                covered += len(text)
            elif (text := words[kind]) is not None:
                start, end = node.start_byte, node.end_byte
                append(text + data[start:end])
                covered += end - start
            elif (text := opened[kind]) is not None:
                if down():
                    append(text)
                    push(kind)
                    if positions:
                        self._place(node, True)
                    continue
                start, end = node.start_byte, node.end_byte
                append(leaves[kind] + data[start:end])
                covered += end - start
            elif (
                (action := actions[kind]) == bracket
                and stack[-1] >= 0
                and out[-1] != b","
                and stack[-1] not in delicate
            ) or (action == unsure and not node.is_missing):
                text = texts[kind]
                append(text)
                covered += len(text)
            else:
                self.covered = covered
                pushed = handlers[action](node, kind)
                covered = self.covered
                if pushed is not None:
                    push(pushed)
                    if positions:
                        self._place(node, True)
                    continue
            if positions:
                self._place(node, False)
            while not across():
                if not up():
                    self.covered = covered
                    return
                if pop() >= 0:
                    append(CLOSE)
                else:
                    self.covered = covered
                    self._end()
                    covered = self.covered
                if positions:
                    self._place(cursor.node, False)

    def _place(self, node: tree_sitter.Node | None, opened: bool) -> None:
        """Note where the tokens that were just added come from; an end mark stands at its node's end."""
        while node is not None and len(self.starts) < len(self.out):
            closing = self.out[len(self.starts)] == CLOSE
            self.starts.append(node.end_byte if closing else node.start_byte)
            self.ends.append(node.start_byte if opened else node.end_byte)

    def _end(self) -> None:
        """Close a node whose end has to be noted, or parentheses that are form."""
        kind, index = self.open.pop()
        if kind == _TRANSPARENT:
            return
        if index == _ROW and self.out[-1] == b",":
            self._take_back(1)
        self.out.append(CLOSE)
        if index >= 0:
            self.marks[index].end = len(self.out)
            self.in_function.pop()
        elif self.before_error is not None and index == _OUTERMOST_ERROR:
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

    def _text(self, node: tree_sitter.Node) -> bytes:
        return self.data[node.start_byte : node.end_byte]

    def _parent(self) -> int:
        if not self.stack:
            return ERROR
        return self.stack[-1] if self.stack[-1] != _NOTED else self.open[-1][0]

    def _comment(self, node: tree_sitter.Node, kind: int) -> None:
        text = self._text(node)
        kept = self.all_comments or self._is_directive(node, text)
        if kept and self.tables.names[kind] != "line_continuation":
            self._leaf(kind, text)
        else:
            self._hidden(text)

    def _is_directive(self, node: tree_sitter.Node, text: bytes) -> bool:
        if node.start_byte == 0 and text.startswith(b"#!"):
            return True
        directives = self.tables.form.directives
        if directives is None or directives.match(text) is None:
            return False
        return (
            self.tables.form.directive_lines is None
            or node.start_point.row < self.tables.form.directive_lines
        )

    def _opaque(self, node: tree_sitter.Node, kind: int) -> int | None:
        self._leaf(kind, self._text(node))
        return None

    def _string(self, node: tree_sitter.Node, kind: int) -> int | None:
        text = self._text(node)
        canonical = self.tables.strings[kind](text)
        escaped = b"\\" in text
        if canonical is not None and not (escaped and self._parent() in self.tables.unescaped):
            self.out.append(_LITERAL + canonical)
            if escaped or b"\r" in text or text[0] != text[-1] or kind in self.tables.string_rows:
                self._hidden(text, canonical)
            else:
                self.covered += len(text)
            return None
        if self.tables.names[kind] in self.tables.form.opaque:
            return self._opaque(node, kind)
        pushed = self._descend(node, kind)
        if pushed is not None and kind not in self.tables.string_rows:
            self.simple_strings.append(quotes.is_simple_python_string(text))
        return pushed

    def _quote(self, node: tree_sitter.Node, kind: int) -> None:
        """An f-string's prefix and quote marks: the marks are form where nothing inside depends on them."""
        text = self._text(node)
        if not self.simple_strings or not self.simple_strings[-1]:
            self._leaf(kind, text)
        else:
            self._hidden(text)
            if self.tables.names[kind] == "string_start":
                self.out.append(_LITERAL + (b"t" if b"t" in text.lower() else b"f"))
        if self.tables.names[kind] == "string_end" and self.simple_strings:
            self.simple_strings.pop()

    def _interpolation(self, node: tree_sitter.Node, kind: int) -> int | None:
        """`{x = }` shows its own source, white space and all."""
        return self._opaque(node, kind) if b"=" in self._text(node) else self._descend(node, kind)

    def _markup(self, node: tree_sitter.Node, kind: int) -> None:
        text = self._text(node)
        before, after = (
            self.data[max(0, node.start_byte - 1) : node.start_byte],
            self.data[node.end_byte : node.end_byte + 1],
        )
        if before == b";" or after == b"&":
            self._leaf(kind, text)
            return
        flowed = quotes.jsx_text(text)
        self._hidden(text, flowed)
        if flowed:
            self.out.append(self.tables.leaves[kind] + flowed)

    def _entity(self, node: tree_sitter.Node, kind: int) -> None:
        """A character reference between tags: line breaks beside it have a meaning, and may be in no leaf."""
        self._leaf(kind, self._text(node))
        gap = _WHITE_RUN.match(self.data, node.end_byte)
        if gap is not None and self.data[gap.end() : gap.end() + 1] == b"&":
            self.out.append(EXACT + gap[0].strip(b" ") + b".")
            self.hidden_blank -= blank(self.out[-1])

    def _bracket(self, node: tree_sitter.Node, kind: int) -> None:
        """A bracket or comma that may be form, or that may end what has a trailing comma."""
        text, out, parent, tables = self.tables.texts[kind], self.out, self._parent(), self.tables
        if node.is_missing:
            out.append(EXACT + text)
            return
        self.covered += len(text)
        in_row = self.stack[-1:] == [_NOTED] and self.open[-1][1] in (_ROW, _ROW_OF_ONE)
        if (parent == _TRANSPARENT or in_row) and text in (b"(", b")"):
            return
        trailing = text not in _OPENERS and out[-1] == b"," and out[-2] not in _OPENERS
        if trailing and parent in tables.trailing:
            self._take_back(1)
        if (parent, text) not in tables.dropped:
            out.append(text)

    def _separator(self, node: tree_sitter.Node, kind: int) -> None:
        """A sign that is form but in some parents, where it tells parts apart."""
        sign = self.tables.texts[kind]
        if node.is_missing:
            self.out.append(EXACT + sign)
            return
        self.covered += len(sign)
        if self._parent() in self.tables.kept:
            self.out.append(sign)

    def _varying(self, node: tree_sitter.Node, kind: int) -> None:
        """A word whose spelling may vary in blanks, or one that is missing."""
        shown = self.tables.texts[kind]
        if node.is_missing:
            self.out.append(EXACT + shown)
            return
        self.out.append(shown)
        self._hidden(self._text(node), shown)

    def _watched(self, node: tree_sitter.Node, kind: int) -> int | None:
        if node.start_byte in self.skipped and self.tables.names[kind] == "expression_statement":
            self._hidden(self._text(node))
            return None
        watch = self.tables.watched.get(kind)
        if (
            watch is None
            or len(self.in_function) > _MARKS_DEEP
            or (self.in_function[-1] and not watch.local)
            or (watch.starts and not self.data.startswith(watch.starts, node.start_byte))
        ):
            return self._descend(node, kind)
        parent = next((index for _, index in reversed(self.open) if index >= 0), -1)
        mark = Mark(node, watch.kind, parent, len(self.out))
        self.marks.append(mark)
        pushed = self._descend(node, kind)
        if pushed is None:
            mark.end = len(self.out)
            return None
        self.open.append((kind, len(self.marks) - 1))
        self.in_function.append(self.in_function[-1] if watch.is_function is None else watch.is_function)
        return _NOTED

    def _broken(self, node: tree_sitter.Node, kind: int) -> int | None:
        """What could not be parsed stands in the stream exactly; definitions in it are found all the same."""
        text = self._text(node)
        self.out.append(EXACT + text)
        if not self.cursor.goto_first_child():
            self.covered += len(text)
            return None
        if self.before_error is None:
            self.before_error = (self.covered + len(text), self.hidden_blank, len(self.out))
            self.open.append((kind, _OUTERMOST_ERROR))
        else:
            self.open.append((kind, _INNER_ERROR))
        return _NOTED

    def _parentheses(self, node: tree_sitter.Node, kind: int) -> int | None:
        if self._are_form(node) and self.cursor.goto_first_child():
            self.open.append((_TRANSPARENT, _INNER_ERROR))
            return _NOTED
        return self._descend(node, kind)

    def _are_form(self, node: tree_sitter.Node) -> bool:
        """Whether an expression's parentheses are in a place where they only repeat what the tree says."""
        parent = self._parent()
        if node.has_error:
            return False
        if parent != _TRANSPARENT:
            fields = self.tables.loose.get(parent)
            if fields is None or (fields and self.cursor.field_name not in fields):
                return False
        inner = node
        for _ in range(_NESTED):
            within = [child for child in inner.named_children if not child.is_extra]
            if len(within) != 1:
                return False
            inner = within[0]
            if parent == _TRANSPARENT or inner.kind_id != node.kind_id:
                return inner.kind_id != parent or parent not in self.tables.flat or _differ(node, inner)
        return False

    def _take_back(self, count: int) -> None:
        """Take back the last tokens."""
        out = self.out
        del out[len(out) - count :], self.starts[len(out) - count :], self.ends[len(out) - count :]

    def _number(self, node: tree_sitter.Node, kind: int) -> None:
        self._leaf(kind, self._text(node).lower())

    def _row(self, node: tree_sitter.Node, kind: int) -> int | None:
        """Expressions with commas between them, which are one value with parentheses or without."""
        count = sum(not child.is_extra for child in node.named_children)
        if count == 1 and all(child.type != "," for child in node.children):
            return self._descend(node, kind)
        if not self.cursor.goto_first_child():
            return self._opaque(node, kind)
        row = self.tables.rows[kind]
        self.out.append(self.tables.texts[row])
        self.open.append((row, _ROW_OF_ONE if count == 1 else _ROW))
        return _NOTED

    def _head(self, node: tree_sitter.Node, kind: int) -> None:
        """A word before a name; empty parentheses behind the name are passed over."""
        self._varying(node, kind)
        name = node.next_sibling
        brackets = None if name is None else name.next_sibling
        if (
            name is None
            or brackets is None
            or self.tables.words[name.kind_id] is None
            or brackets.type != "argument_list"
            or brackets.child_count != 2
            or brackets.has_error
        ):
            return
        if self.positions:
            self._place(node, False)
        self.cursor.goto_next_sibling()
        self._leaf(name.kind_id, self._text(name))
        if self.positions:
            self._place(name, False)
        self.cursor.goto_next_sibling()
        self._hidden(self._text(brackets))

    def _own_brackets(self, node: tree_sitter.Node, kind: int) -> int | None:
        """What needs no parentheses of a call around its own, if it is all that is between them."""
        out = self.out
        if (
            not self.has_error
            and self.stack[-1] >= 0
            and self.tables.names[self.stack[-1]] == "argument_list"
            and out[-1] == b"("
            and out[-2] == self.tables.texts[self.stack[-1]]
            and node.parent is not None
            and node.parent.child_count == 3
        ):
            self._take_back(2)
            self.stack[-1] = _NOTED
            self.open.append((_TRANSPARENT, _INNER_ERROR))
        return self._descend(node, kind)

    def _parameters(self, node: tree_sitter.Node, kind: int) -> int | None:
        """The parameters of a function, whose parentheses are form if there is nothing but one name."""
        inner = node.named_child(0) if node.named_child_count == 1 else None
        if inner is not None and inner.type == "required_parameter" and inner.child_count == 1:
            inner = inner.named_child(0)
        if (
            inner is None
            or inner.type != "identifier"
            or node.child_count != 3
            or self._parent() not in self.tables.single_in
            or node.has_error
        ):
            return self._descend(node, kind)
        text = self._text(inner)
        self.out.append(self.tables.leaves[inner.kind_id] + text)
        self._hidden(self._text(node), text)
        return None


def _differ(group: tree_sitter.Node, inner: tree_sitter.Node) -> bool:
    """Whether the operator in a group in parentheses is another than the one whose operand it is."""
    around = group.parent
    while around is not None and around.kind_id == group.kind_id:
        around = around.parent
    if around is None or around.kind_id != inner.kind_id:
        return False
    outer_sign, inner_sign = (node.child_by_field_name("operator") for node in (around, inner))
    return outer_sign is not None and inner_sign is not None and outer_sign.type != inner_sign.type
