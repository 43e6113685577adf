"""Runs a server over standard input and output, or over a loopback port for whoever debugs a client."""

from __future__ import annotations

import logging
import os
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from afresh import __version__
from afresh.settings import Settings
from afresh_lsp.early import Front

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer

_LOG_BYTES = 1024 * 1024


def serve_stdio(settings: Settings) -> int:
    """Serve until the editor leaves or its end of the pipe closes. Ends the process."""
    # Nothing but the protocol may reach standard output, whatever a library prints.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    front = Front(sys.stdin.buffer, out, __version__)
    try:
        front.begin()
    except BrokenPipeError:
        # The editor has gone before it heard anything.
        return 0
    server = _made(settings)
    stream = cast(BinaryIO, front)
    try:
        server.start_io(stream, stream)
    finally:
        _ended(server)
    logging.shutdown()
    # A thread that still waits for a keeper must not keep the process.
    os._exit(0)


def serve_tcp(settings: Settings, port: int) -> int:
    """Serve one client on a loopback port; the exit code. Raises OSError for a port that is taken."""
    server = _made(settings)
    try:
        server.start_tcp("127.0.0.1", port)
    finally:
        _ended(server)
    return 0


def _made(settings: Settings) -> AfreshServer:
    # Loaded only now: it takes longer than the first answer may.
    from afresh_lsp.engine import KeeperEngine
    from afresh_lsp.pages import Pages
    from afresh_lsp.server import make_server

    _log_to(settings.home / "lsp.log", settings.log_level)
    return make_server(KeeperEngine(settings), Pages(settings.cache / "editor"))


def _ended(server: AfreshServer) -> None:
    server.engine.close()
    server.pages.close()


def _log_to(path: Path, level: str) -> None:
    """Write the log to a file: standard error of a language server is a window of the editor."""
    handler: logging.Handler
    try:
        path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # It writes down every message at this level.
    logging.getLogger("pygls").setLevel(max(logging.WARNING, logging.getLogger().level))
