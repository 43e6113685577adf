"""Reads the sections of a Markdown document; markdown-it tells a heading from what only looks like one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from afresh_indexer.note_blocks import Block, Section

_COMMENT = re.compile(r"\s*(?:<!--(?:(?!-->).)*-->\s*)+\Z", re.DOTALL)
_LINK_TARGET = re.compile(r" {0,3}\[[^\]]+\]:\s*\S|\s*\Z")
_WHOLE = frozenset(("fence", "code_block", "html_block"))


def markdown_sections(lines: list[str], first: int) -> Iterator[Section]:
    """The sections from line `first` (from 0) on, in order.

    Headings inside quotations and lists are no headings. Comments and the targets of links are no text.
    """
    parsed = _parser().parse("\n".join(lines[first:]))
    nodes = [node for node in SyntaxTreeNode(parsed).children if node.map is not None]
    level, title, heading = 0, "", (first, first)
    blocks: list[SyntaxTreeNode] = []
    for node in nodes:
        if node.type != "heading":
            blocks.append(node)
            continue
        place = _lines(node, first)
        yield Section(level, title, _blocks(blocks, heading[1], place[0], first, lines), heading)
        level, title, heading, blocks = int(node.tag[1:]), _title(node), place, []
    yield Section(level, title, _blocks(blocks, heading[1], len(lines), first, lines), heading)


@cache
def _parser() -> MarkdownIt:
    """Blocks only: what stands inside of a paragraph is of no interest, and can be slow to parse."""
    return MarkdownIt("commonmark").enable("table").disable("inline")


@cache
def _inline_parser() -> MarkdownIt:
    return MarkdownIt("commonmark")


def _lines(node: SyntaxTreeNode, first: int) -> tuple[int, int]:
    begin, end = node.map or (0, 0)
    return begin + first, end + first


def _title(heading: SyntaxTreeNode) -> str:
    """The heading's text without its markup."""
    source = " ".join(child.content for child in heading.children).replace("\n", " ")
    inline = _inline_parser().parseInline(source)
    return " ".join("".join(_texts(inline)).split())


def _texts(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type in ("text", "code_inline"):
            yield token.content
        elif token.type in ("softbreak", "hardbreak"):
            yield " "
        if token.children:
            yield from _texts(token.children)


def _blocks(
    nodes: Sequence[SyntaxTreeNode], start: int, end: int, first: int, lines: list[str]
) -> tuple[Block, ...]:
    """The nodes as blocks that cover all the lines from `start` to `end`, so that nothing between is lost."""
    if not nodes:
        return (_between(start, end, lines),) if start < end else ()
    starts = [start, *(_lines(node, first)[0] for node in nodes[1:])]
    ends = [*starts[1:], end]
    found: list[Block] = []
    for node, begin, stop in zip(nodes, starts, ends, strict=True):
        own_end = min(_lines(node, first)[1], stop)
        while own_end < stop and not lines[own_end].strip():
            own_end += 1
        hidden = node.type == "html_block" and _COMMENT.match("\n".join(lines[begin:own_end])) is not None
        parts = _parts(node, begin, own_end, first, lines)
        found.append(Block(begin, own_end, parts, node.type in _WHOLE, hidden, node.type == "bullet_list"))
        if own_end < stop:
            found.append(_between(own_end, stop, lines))
    return tuple(found)


def _between(start: int, end: int, lines: list[str]) -> Block:
    """Lines that are no block to Markdown: nothing, or the targets of links, which are not for readers."""
    return Block(start, end, hidden=all(map(_LINK_TARGET.match, lines[start:end])))


def _parts(node: SyntaxTreeNode, begin: int, stop: int, first: int, lines: list[str]) -> tuple[Block, ...]:
    """Where a list may be cut: its items, and in these their paragraphs, inner lists and code."""
    if node.type not in ("bullet_list", "ordered_list", "list_item"):
        return ()
    inner = [child for child in node.children if child.map is not None]
    return _blocks(inner, begin, stop, first, lines) if len(inner) > 1 or node.type != "list_item" else ()
