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

from codecs import BOM_UTF8

import tree_sitter

from afresh_indexer import form_tables as actions_of
from afresh_indexer.form_tables import Tables, Watched, tables_of
from afresh_indexer.leaf_gaps import blank, leaves_are_complete
from afresh_indexer.stream_forms import FormWriter
from afresh_indexer.stream_state import CLOSE, EXACT, INNER_ERROR, NOTED, OUTERMOST_ERROR, Mark, Stream

_MARKS_DEEP = 64
"""Watched nodes inside more than so many others get no mark: each mark's tokens are hashed by themselves."""


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
    # They refer to the walk, which would keep tree and tokens until the next collection of garbage.
    walk.handlers.clear()
    stream = Stream(walk.out, walk.marks, walk.starts, walk.ends)
    in_leaves = blank(b"\0".join(walk.out)) + walk.hidden_blank
    mark = len(BOM_UTF8) if data.startswith(BOM_UTF8) else 0
    if walk.covered + mark + blank(data) - in_leaves != len(data):
        stream.exact = not leaves_are_complete(tree, data, tables)
    return stream


class _Walk(FormWriter):
    """The walk itself. Ordinary words and signs are dealt with in `run`, the rest by a method each."""

    def __init__(
        self, tables: Tables, tree: tree_sitter.Tree, data: bytes, positions: bool, skipped: frozenset[int]
    ) -> None:
        super().__init__(tables, tree, data, positions, skipped)
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
        return NOTED

    def _broken(self, node: tree_sitter.Node, kind: int) -> int | None:
        """What could not be parsed stands in the stream exactly; definitions in it are found all the same."""
        text = self._text(node)
        self.out.append(EXACT + text)
        if not self.cursor.goto_first_child():
            self.covered += len(text)
            return None
        if self.before_error is None:
            self.before_error = (self.covered + len(text), self.hidden_blank, len(self.out))
            self.open.append((kind, OUTERMOST_ERROR))
        else:
            self.open.append((kind, INNER_ERROR))
        return NOTED
