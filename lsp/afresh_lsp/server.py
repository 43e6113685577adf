"""The language server: its state, and the features that stand on it."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from lsprotocol import converters
from pygls.lsp.server import LanguageServer

from afresh import __version__
from afresh.errors import AfreshError
from afresh_lsp import translator
from afresh_lsp.documents import Documents, Protocol
from afresh_lsp.engine import Engine
from afresh_lsp.features import FAMILIES
from afresh_lsp.files import Files
from afresh_lsp.options import Options
from afresh_lsp.pages import Page, Pages
from afresh_lsp.translator import Client, Text
from afresh_lsp.uris import page_uri, uri_of

_LOG = logging.getLogger(__name__)


class AfreshServer(LanguageServer):
    """One editor's server."""

    protocol: Protocol

    def __init__(self, engine: Engine, pages: Pages) -> None:
        super().__init__(
            "afresh", __version__, protocol_cls=Protocol, converter_factory=converters.get_converter
        )
        self.engine = engine
        self.pages = pages
        self.client = Client()
        self.options = Options()
        self.files = Files(self)
        self._failure: str | None = None
        self.on_options: list[Callable[[], None]] = []
        """Called when the options are others."""
        self.on_saved: list[Callable[[str], Awaitable[None]]] = []
        """Called with the URI of a text that was saved."""

    @property
    def documents(self) -> Documents:
        return self.protocol.workspace

    # --- what the open files ask ----------------------------------------------------------------------

    def text(self, uri: str) -> str:
        return self.documents.get_text_document(uri).source if self.files.get(uri) is not None else ""

    def shown(self, uri: str) -> Text:
        """An open text as the translator needs it; an empty one where it was closed meanwhile."""
        if self.files.get(uri) is None:
            return Text((), self.documents.position_codec)
        return translator.text_of(self.documents.get_text_document(uri))

    def delay(self) -> float:
        return self.options.delay / 1000

    def failed(self, error: AfreshError) -> None:
        """Say once what is wrong, until the engine answers again."""
        if error.message != self._failure:
            self._failure = error.message
            self.say(error.message, "warning")

    def answered(self) -> None:
        self._failure = None

    # --- talking to the user --------------------------------------------------------------------------

    def say(self, message: str, level: str = "info") -> None:
        self.window_show_message(translator.told(f"afresh: {message}", level))

    def note(self, message: str) -> None:
        self.window_log_message(translator.logged(f"afresh: {message}"))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """What nobody foresaw: the log has it, and the user isn't stopped by it."""
        _LOG.error("internal error", exc_info=error)
        self.note(f"internal error: {type(error).__name__}: {error}")

    # --- asking and showing ---------------------------------------------------------------------------

    async def ask(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        folder: Path | None = None,
        on_event: Callable[[Mapping[str, Any]], None] | None = None,
    ) -> dict[str, Any] | None:
        """The answer of the engine; None where it failed, which the user was told."""
        try:
            answer = await self.engine.call(verb, arguments, folder=folder, on_event=on_event)
        except AfreshError as error:
            self.failed(error)
            return None
        self.answered()
        return answer

    def link(self, page: Page) -> str:
        """A URI under which this client can open a page."""
        return page_uri(page.name) if self.client.content else uri_of(self.pages.write(page))

    def open(self, page: Page) -> None:
        """Show a page, as this client can."""
        uri = self.link(page)
        if self.client.content:
            self.workspace_text_document_content_refresh(translator.content_changed(uri))
        self.open_uri(uri, page.name)

    def open_uri(self, uri: str, name: str) -> None:
        """Show a document, or say where it is."""
        if not self.client.show_document:
            self.say(f"{name} is ready: {uri}")
            return
        # Nobody waits for the answer: some clients never give one.
        self.window_show_document(translator.document_wanted(uri))


def make_server(engine: Engine, pages: Pages) -> AfreshServer:
    """A server over an engine, with all its features."""
    server = AfreshServer(engine, pages)
    for family in FAMILIES:
        family.register(server)
    return server
