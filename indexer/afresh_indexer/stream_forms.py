"""Deals with the nodes of a syntax tree in which form may hide: what each leaves in the stream.

A method gives what to push when it went down into its node, and None when it dealt with all of it.
"""

from __future__ import annotations

import re

import tree_sitter

from afresh_indexer import quotes
from afresh_indexer.leaf_gaps import blank
from afresh_indexer.stream_state import (
    EXACT,
    INNER_ERROR,
    LITERAL,
    NOTED,
    ROW_OF_ONE,
    ROW_OF_SEVERAL,
    TRANSPARENT,
    Writer,
)

_OPENERS = frozenset((b",", b"(", b"[", b"{", b"<"))
_WHITE_RUN = re.compile(rb"\s*")
_NESTED = 20
"""How many parentheses around one another are looked through."""


class FormWriter(Writer):
    """Writes comments, strings, numbers, brackets, separators and rows without what is form of them."""

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

    def _string(self, node: tree_sitter.Node, kind: int) -> int | None:
        text = self._text(node)
        canonical = self.tables.strings[kind](text)
        escaped = b"\\" in text
        if canonical is not None and not (escaped and self._parent() in self.tables.unescaped):
            self.out.append(LITERAL + canonical)
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
                self.out.append(LITERAL + (b"t" if b"t" in text.lower() else b"f"))
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
        in_row = self.stack[-1:] == [NOTED] and self.open[-1][1] in (ROW_OF_SEVERAL, ROW_OF_ONE)
        if (parent == TRANSPARENT or in_row) and text in (b"(", b")"):
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
        self.open.append((row, ROW_OF_ONE if count == 1 else ROW_OF_SEVERAL))
        return NOTED

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
            self.stack[-1] = NOTED
            self.open.append((TRANSPARENT, INNER_ERROR))
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

    def _parentheses(self, node: tree_sitter.Node, kind: int) -> int | None:
        if self._are_form(node) and self.cursor.goto_first_child():
            self.open.append((TRANSPARENT, INNER_ERROR))
            return NOTED
        return self._descend(node, kind)

    def _are_form(self, node: tree_sitter.Node) -> bool:
        """Whether an expression's parentheses are in a place where they only repeat what the tree says."""
        parent = self._parent()
        if node.has_error:
            return False
        if parent != TRANSPARENT:
            fields = self.tables.loose.get(parent)
            if fields is None or (fields and self.cursor.field_name not in fields):
                return False
        inner = node
        for _ in range(_NESTED):
            within = [child for child in inner.named_children if not child.is_extra]
            if len(within) != 1:
                return False
            inner = within[0]
            if parent == TRANSPARENT or inner.kind_id != node.kind_id:
                return inner.kind_id != parent or parent not in self.tables.flat or _differ(node, inner)
        return False


def _differ(group: tree_sitter.Node, inner: tree_sitter.Node) -> bool:
    """Whether the operator in a group in parentheses is another than the one whose operand it is."""
    around = group.parent
    while around is not None and around.kind_id == group.kind_id:
        around = around.parent
    if around is None or around.kind_id != inner.kind_id:
        return False
    outer_sign, inner_sign = (node.child_by_field_name("operator") for node in (around, inner))
    return outer_sign is not None and inner_sign is not None and outer_sign.type != inner_sign.type
