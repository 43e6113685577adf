"""Finds source that stands between the leaves of a syntax tree, where a stream of tokens would not show it.

Grammars leave white space out of their leaves, and some leave out more: parts of strings, signs that the
tree's structure tells of. A stream is only as good as its leaves are complete, so each file is checked.
"""

from __future__ import annotations

import re

import tree_sitter

from afresh_indexer.form_tables import WHOLE, Tables

_WHITE_SPACE = b" \t\r\n\f\v"
_NOTHING_SEEN = re.compile(r"[\s\\\ufeff]*\Z")


def blank(text: bytes) -> int:
    """How many bytes are white space, or a backslash before a line break."""
    blank = len(text) - len(text.translate(None, _WHITE_SPACE))
    return blank + text.count(b"\\\n") + text.count(b"\\\r\n")


def leaves_are_complete(tree: tree_sitter.Tree, data: bytes, tables: Tables) -> bool:
    """Whether only white space stands between the leaves; the thorough form of the count in the walk."""
    cursor = tree.walk()
    position = 0
    while (node := cursor.node) is not None:
        if _gap_is_seen(data[position : node.start_byte], tables):
            return False
        whole = tables.actions[node.kind_id] in WHOLE
        if not whole and cursor.goto_first_child():
            position = max(position, node.start_byte)
            continue
        position = max(position, node.end_byte)
        while not cursor.goto_next_sibling():
            parent_end = position
            if not cursor.goto_parent():
                return not _gap_is_seen(data[position:], tables)
            if (parent := cursor.node) is not None:
                parent_end = parent.end_byte
            if _gap_is_seen(data[position:parent_end], tables):
                return False
            position = max(position, parent_end)
    return True


def _gap_is_seen(gap: bytes, tables: Tables) -> bool:
    """Whether a stretch between leaves has text in it that the stream does not tell of."""
    if not gap or gap.isspace():
        return False
    rest = gap.translate(None, tables.form.unseen)
    return _NOTHING_SEEN.match(rest.decode("utf-8", "replace")) is None
