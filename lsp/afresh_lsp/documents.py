"""Open texts, cut into lines as the protocol cuts them.

pygls cuts where Python's `splitlines` does, also at form feeds and Unicode's separators, so that every edit
below one of these would land in a wrong line.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
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
        def made(uri: str) -> Document:
            return Document(
                uri,
                source=source,
                version=version,
                language_id=language_id,
                sync_kind=self._sync_kind,
                position_codec=self._position_codec,
            )

        try:
            return made(doc_uri)
        except ValueError:
            # What is no URI at all is a text all the same, of no file.
            text = made("untitled:")
            text.uri = doc_uri
            return text


class Protocol(LanguageServerProtocol):
    """The protocol over such texts, with pages that a client can ask for."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        result = yield from super().lsp_initialize(params)
        workspace = params.capabilities.workspace
        return with_pages(result, SCHEME) if workspace and workspace.text_document_content else result

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run a command in the request's own task, so that cancelling the request cancels the command.

        Raises JsonRpcInvalidParams for one that doesn't exist.
        """
        command = self.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams.of(ValueError(f"there is no command {params.command!r}"))
        return await command(*(params.arguments or ()))

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
