"""Open texts, cut into lines as the protocol cuts them.

pygls cuts where Python's `splitlines` does, also at form feeds and Unicode's separators, so that every edit
below one of these would land in a wrong line.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import Any

from lsprotocol import types
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.workspace import TextDocument, Workspace

from afresh_lsp.translator import with_pages
from afresh_lsp.uris import SCHEME

_LINE = re.compile("[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def lines_of(text: str) -> Sequence[str]:
    """The lines of a text with their ends: LF, CRLF or CR."""
    return tuple(_LINE.findall(text))


class Document(TextDocument):
    """An open text."""

    @property
    def lines(self) -> Sequence[str]:
        return lines_of(self.source)


class Documents(Workspace):
    """The open texts."""

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> Document:
        return Document(
            doc_uri,
            source=source,
            version=version,
            language_id=language_id,
            sync_kind=self._sync_kind,
            position_codec=self._position_codec,
        )


class Protocol(LanguageServerProtocol):
    """The protocol over such texts, with pages that a client can ask for."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        result = yield from super().lsp_initialize(params)
        workspace = params.capabilities.workspace
        return with_pages(result, SCHEME) if workspace and workspace.text_document_content else result

    @property
    def workspace(self) -> Documents:
        made = super().workspace
        if isinstance(made, Documents):
            return made
        exact = Documents(
            made.root_uri,
            types.TextDocumentSyncKind.Incremental,
            list(made.folders.values()),
            made.position_encoding,
        )
        self._workspace = exact
        return exact
