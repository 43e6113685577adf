"""The text of this server's own pages, for clients that ask for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from afresh_lsp import translator
from afresh_lsp.uris import page_name

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer


def register(server: AfreshServer) -> None:
    """Answer with a page."""

    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    def content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        name = page_name(params.uri)
        page = server.pages.get(name) if name is not None else None
        return translator.content(
            page.text if page is not None else f"{params.uri} is no page of afresh any more.\n"
        )
