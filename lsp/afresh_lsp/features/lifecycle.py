"""The beginning and the end, the editor's folders and texts, and its settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from afresh_lsp import options, translator
from afresh_lsp.uris import path_of

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer


def register(server: AfreshServer) -> None:
    """Handle what every editor sends."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.client = translator.client_of(params)
        sent = params.initialization_options
        _use(server, sent.get("afresh", sent) if isinstance(sent, Mapping) else sent)
        server.files.folders = _folders(server)

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        server.engine.listen(server.files.news)
        for folder in server.files.folders:
            server.engine.open(folder)
        await _configure(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration(params: types.DidChangeConfigurationParams) -> None:
        sent: Any = params.settings
        if server.client.configuration:
            await _configure(server)
        elif isinstance(sent, Mapping):
            _use(server, sent.get("afresh", sent))
        else:
            _use(server, sent)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(_params: types.DidChangeWorkspaceFoldersParams) -> None:
        before, server.files.folders = server.files.folders, _folders(server)
        for folder in before:
            if folder not in server.files.folders:
                server.engine.leave(folder)
        for folder in server.files.folders:
            if folder not in before:
                server.engine.open(folder)
        server.files.placed_anew()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.files.opened(uri, path_of(uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.files.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.files.saved(params.text_document.uri)
        for each in server.on_saved:
            await each(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.files.closed(uri)
        server.text_document_publish_diagnostics(translator.published(uri, None, ()))

    @server.feature(types.SHUTDOWN)
    def shutdown(_params: None) -> None:
        server.files.close()
        server.engine.close()
        server.pages.close()


def _folders(server: AfreshServer) -> list[Path]:
    """The editor's folders that are on this disk, links resolved as their files' names are not."""
    documents = server.documents
    uris = [folder.uri for folder in documents.folders.values()]
    if not uris and documents.root_uri is not None:
        uris = [documents.root_uri]
    paths = [path_of(uri) for uri in uris]
    return list(dict.fromkeys(path for path in paths if path is not None and path.is_dir()))


async def _configure(server: AfreshServer) -> None:
    """Ask the client for its settings, if it has any to give."""
    if not server.client.configuration:
        return
    try:
        sent = await server.workspace_configuration_async(translator.settings_wanted())
    except JsonRpcException as error:
        server.note(f"the client refuses to tell its settings: {error.message}")
        return
    _use(server, sent[0] if sent else None)


def _use(server: AfreshServer, sent: object) -> None:
    before = server.options
    server.options, problems = options.read(sent)
    if problems:
        server.say("; ".join(problems), "warning")
    if server.options != before:
        for changed in server.on_options:
            changed()
