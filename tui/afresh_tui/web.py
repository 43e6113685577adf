"""The screens in a browser, on loopback alone; needs the extra `web`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afresh.errors import AfreshError, UsageError

if TYPE_CHECKING:
    from aiohttp import web

HOST = "127.0.0.1"


def serve(root: Path, screen: str, port: int) -> int:
    """Serve the screens over a workspace until interrupted; the exit code.

    Raises UsageError where the extra isn't installed, and AfreshError where the port is taken.
    """
    try:
        server = make_server(root, screen, port)
    except ImportError:
        raise UsageError("--web needs the extra `web`: install afresh[web]") from None
    try:
        server.serve()
    except OSError as error:
        raise AfreshError(
            f"can't listen on {HOST}:{port} ({error.strerror or error}); name another with --port"
        ) from None
    return 0


def make_server(root: Path, screen: str, port: int) -> Any:
    """The server, not listening yet. Raises ImportError where the extra isn't installed."""
    from aiohttp import web
    from textual_serve.server import Server

    own = (f"{HOST}:{port}", f"localhost:{port}")

    @web.middleware
    async def same_origin(request: web.Request, handler: Any) -> web.StreamResponse:
        """Refuse what another page in the browser asks: its terminal would be ours."""
        origin = request.headers.get("Origin", "")
        if request.host not in own or (origin and origin.removeprefix("http://") not in own):
            raise web.HTTPForbidden(text="only pages from this address may use the terminal")
        answered: web.StreamResponse = await handler(request)
        return answered

    class LoopbackServer(Server):
        async def _make_app(self) -> web.Application:
            made: web.Application = await super()._make_app()
            made.middlewares.append(same_origin)
            return made

    command = [sys.executable, "-P", "-m", "afresh", "tui", str(root), "--screen", screen]
    return LoopbackServer(shlex.join(command), host=HOST, port=port, title="afresh")
