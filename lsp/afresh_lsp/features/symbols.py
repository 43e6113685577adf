"""Workspace symbols: memories and conclusions, searched by meaning and by words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from afresh_lsp import texts, translator
from afresh_lsp.uris import uri_of

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer

_AT_MOST = 20


def register(server: AfreshServer) -> None:
    """Answer a search in every folder of the editor."""

    @server.feature(types.WORKSPACE_SYMBOL)
    async def symbols(params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
        query = params.query.strip()
        if not query:
            return []
        found = await asyncio.gather(*(_in(server, folder, query) for folder in server.files.folders))
        return [symbol for each in found for symbol in each]


async def _in(server: AfreshServer, folder: Path, query: str) -> list[types.SymbolInformation]:
    place = await server.ask("file_knowledge", {"path": str(folder / "-")}, folder)
    if place is None or place["project"] is None:
        return []
    root, project = Path(place["root"]), place["project"]
    asked = {"question": query[:2000], "project": project, "limit": _AT_MOST, "root": str(root)}
    memos, recalled = await asyncio.gather(
        server.ask("memory_exploration_recall", asked, folder),
        server.ask("recall", {"query": query[:8000], "limit": _AT_MOST}, folder),
    )
    found = [_memo(server, one, root) for one in memos["results"]] if memos is not None else []
    if recalled is not None:
        memories = recalled["result"]["memories"]
        cited = await _cited(server, folder, [one["id"] for one in memories if one["freshness"] is not None])
        found += [_memory(server, one, root, cited.get(one["id"])) for one in memories]
    return found


async def _cited(server: AfreshServer, folder: Path, ids: list[int]) -> Mapping[int, tuple[str, int]]:
    """The first file that each memory cites, and its line there."""
    if not ids:
        return {}
    got = await server.ask("memory_get", {"ids": ids}, folder)
    if got is None:
        return {}
    return {
        memory["id"]: (
            memory["files"][0]["path"],
            memory["files"][0]["spans"][0]["start_line"] if memory["files"][0]["spans"] else 1,
        )
        for memory in got["memories"]
        if memory["files"]
    }


def _memo(server: AfreshServer, one: Mapping[str, Any], root: Path) -> types.SymbolInformation:
    line = 1
    for detail in one["details"] or ():
        line = next((span["now_start_line"] for span in detail["spans"] if span["now_start_line"]), line)
        break
    container = f"{one['status']} conclusion {one['id']}"
    uri = uri_of(root / one["files"][0])
    return translator.found_symbol(texts.plain(one["question"], 200), container, uri, line)


def _memory(
    server: AfreshServer, one: Mapping[str, Any], root: Path, cited: tuple[str, int] | None
) -> types.SymbolInformation:
    fresh = one["freshness"]
    container = f"{fresh['status'] if fresh else one['type']} memory {one['id']}"
    source = one["source"]
    lines = [line.strip() for line in one["content"].splitlines() if line.strip()]
    # A document's notes begin with the headings that they stand under.
    title = next(iter(lines[-1:] if source["kind"] == "file" else lines), "")
    if cited is not None:
        uri, line = uri_of(root / cited[0]), cited[1]
    elif source["kind"] == "file" and source["path"]:
        uri, line = uri_of(root / source["path"]), source["line"] or 1
    else:
        page = server.pages.put(f"memory-{one['id']}.md", texts.quoted(one["content"]), root)
        uri, line = server.link(page), 1
    return translator.found_symbol(texts.plain(title, 200), container, uri, line)
