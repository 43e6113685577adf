"""Hovers: the memories about the symbol under the cursor, with how they stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from afresh_lsp import texts, translator
from afresh_lsp.features.memory_pages import page_of
from afresh_lsp.knowledge import Claim, Item, Knowledge, items_of

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer

_WORD = re.compile(r"[^\W\d]\w*")
_SHORTEST = 3
"""Letters of a name that is looked up in the whole project."""


def register(server: AfreshServer) -> None:
    """Answer with what is known about a name."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        if not server.options.hover:
            return None
        uri = params.text_document.uri
        known = await server.files.knowledge(uri)
        text = server.shown(uri)
        line, column = text.place(params.position)
        claim = _claim_at(known, line, column)
        if claim is not None:
            start, end, name = claim.start, claim.end, claim.target_symbol
        else:
            start, end = word_at(text.line(line), column)
            name = text.line(line)[start:end] or None
        items = here(known, line, name)
        if not items and name is not None and len(name) >= _SHORTEST and known.project is not None:
            items = await _named(server, uri, name)
        if not items:
            return None
        return translator.hover(
            text,
            line,
            start,
            end,
            _shown(server, name or known.path or "", items),
            markdown=server.client.markdown,
        )


def word_at(line: str, column: int) -> tuple[int, int]:
    """Where the identifier around a column begins and ends; the column itself where there is none."""
    for word in _WORD.finditer(line):
        if word.start() <= column <= word.end():
            return word.span()
    return column, column


def here(known: Knowledge, line: int, name: str | None) -> Sequence[Item]:
    """What is known in this file about a name at a line: of a cited symbol, or of cited lines around it."""
    found: list[Item] = []
    for item in known.items:
        for place in item.places:
            if place.symbol is not None:
                about = name is not None and place.symbol.rpartition(".")[2] == name.rpartition(".")[2]
            else:
                about = place.lines is not None and place.lines.holds(line)
            if about:
                found.append(item)
                break
    return found


async def _named(server: AfreshServer, uri: str, name: str) -> Sequence[Item]:
    file = server.files.get(uri)
    if file is None or file.path is None:
        return ()
    arguments = {"path": str(file.path), "name": name, "buffers": server.files.unsaved(None)}
    answer = await server.ask("symbol_knowledge", arguments, file.folder)
    return items_of(answer) if answer is not None else ()


def _claim_at(known: Knowledge, line: int, column: int) -> Claim | None:
    at = [one for one in known.claims if one.line == line and one.start <= column <= one.end]
    return next((one for one in at if one.target_symbol is not None), None)


def _shown(server: AfreshServer, name: str, items: Sequence[Item]) -> str:
    at_most = server.options.hover_items
    if not server.client.markdown:
        return texts.hover_plain(name, items, at_most)
    links = (server.link(page_of(server.pages, item)) for item in items)
    return texts.hover(name, items, at_most, links)
