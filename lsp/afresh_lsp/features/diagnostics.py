"""Diagnostics: stale conclusions on the lines that made them so, and what documents name that is no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from afresh_lsp import translator
from afresh_lsp.features.memory_pages import page_of
from afresh_lsp.files import OpenFile
from afresh_lsp.knowledge import Knowledge

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer


def register(server: AfreshServer) -> None:
    """Publish whenever something else is known."""

    def publish(file: OpenFile, known: Knowledge) -> None:
        found = diagnose(server, file.uri, known)
        version = server.documents.get_text_document(file.uri).version
        # Of another version they are told again: the client may have moved what it shows as the text moved.
        if (version, found) != file.shown:
            file.shown = version, found
            server.text_document_publish_diagnostics(translator.published(file.uri, version, found))

    def again() -> None:
        for file in server.files.all():
            publish(file, file.known)

    server.files.show.append(publish)
    server.on_options.append(again)


def diagnose(server: AfreshServer, uri: str, known: Knowledge) -> list[types.Diagnostic]:
    """All diagnostics of one open text."""
    if not server.options.diagnostics:
        return []
    text = server.shown(uri)
    found: list[types.Diagnostic] = []
    for item in known.items:
        if item.stale and server.options.shows(item.change):
            link = server.link(page_of(server.pages, item)) if server.client.code_description else ""
            found += translator.stale(text, item, server.client, link)
    if server.options.judges(known.note_kind):
        found += [translator.dead(text, claim) for claim in known.claims if claim.dead is not None]
    return found
