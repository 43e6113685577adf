"""Completion of paths and definitions in documents that are written for agents and people."""

from __future__ import annotations

import os
import posixpath
import re
from typing import TYPE_CHECKING

from lsprotocol import types

from afresh_lsp import translator

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer

_TOKEN = re.compile(r"[\w./@~+-]*$")
_AFTER = re.compile(r"[\w./+-]*")
_AT_MOST = 100


def register(server: AfreshServer) -> None:
    """Complete what was begun in a document."""
    options = types.CompletionOptions(trigger_characters=["/", "`", "@", "."])

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    async def complete(params: types.CompletionParams) -> types.CompletionList | None:
        uri = params.text_document.uri
        file = server.files.get(uri)
        if not server.options.completion or file is None or file.path is None:
            return None
        known = file.known if file.known.project is not None else await server.files.knowledge(uri)
        if known.note_kind is None or known.root is None or known.path is None:
            return None
        text = server.shown(uri)
        line, column = text.place(params.position)
        written = text.line(line)
        start, end, token = token_at(written, column)
        in_link = written[:start].endswith("](")
        folder = posixpath.dirname(known.path) if in_link or token.startswith("./") else ""
        prefix = posixpath.join(folder, token.removeprefix("./")) if folder else token.removeprefix("./")
        arguments = {"path": str(file.path), "prefix": prefix, "limit": _AT_MOST}
        answer = await server.ask("code_names", arguments, file.folder)
        if answer is None:
            return None
        names = []
        for one in answer["names"]:
            if in_link and one["kind"] == "symbol":
                continue
            name = _relative(one["name"], folder) if folder else one["name"]
            names.append((one["kind"], name, one["path"] if one["kind"] == "symbol" else ""))
        return translator.completions(text, line, start, end, names, complete=answer["complete"])


def token_at(line: str, column: int) -> tuple[int, int, str]:
    """The columns of the name or path around a column, and what of it stands before the column."""
    before = _TOKEN.search(line[:column])
    token = before.group() if before is not None else ""
    start = column - len(token)
    if token.startswith("@"):
        start, token = start + 1, token[1:]
    behind = _AFTER.match(line, column)
    return start, behind.end() if behind is not None else column, token


def _relative(path: str, folder: str) -> str:
    shown = os.path.relpath(path, folder).replace(os.sep, "/")
    return f"{shown}/" if path.endswith("/") else shown
