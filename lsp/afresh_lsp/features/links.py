"""Document links and definitions: from a citation in a document or a memory to the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from afresh_lsp import translator
from afresh_lsp.uris import uri_of

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer


def register(server: AfreshServer) -> None:
    """Lead there."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def links(params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        uri = params.text_document.uri
        known = await server.files.knowledge(uri)
        text = server.shown(uri)
        return [
            translator.link(text, claim, uri_of(claim.target, claim.target_line), server.client)
            for claim in known.claims
            if claim.target is not None
        ]

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> list[types.Location]:
        uri = params.text_document.uri
        known = await server.files.knowledge(uri)
        if not known.claims:
            return []
        line, column = server.shown(uri).place(params.position)
        at = [
            claim
            for claim in known.claims
            if claim.target is not None and claim.line == line and claim.start <= column <= claim.end
        ]
        # Of a path with a definition behind it the narrower one is meant.
        at.sort(key=lambda claim: claim.end - claim.start)
        return [translator.location(claim.target, claim.target_line) for claim in at[:1] if claim.target]
