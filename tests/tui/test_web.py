"""The screens in a browser: only pages from the server's own address may use the terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from afresh.errors import AfreshError, UsageError
from afresh_tui import web


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:8421"}, 200),
        ({"Origin": "http://127.0.0.1:8421"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1:9999"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "https://127.0.0.1:8421"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_what_another_page_or_name_asks_is_refused(
    headers: dict[str, str], status: int, tmp_path: Path
) -> None:
    async def ask() -> None:
        made = await web.make_server(tmp_path, "recall", 8421)._make_app()
        async with TestClient(TestServer(made)) as client:
            # An accepted socket would start the command; a refused one shows that the rule comes before.
            for path in ("/", "/ws") if status == 403 else ("/",):
                sent = {"Host": "127.0.0.1:8421", **headers}
                async with client.get(path, headers=sent) as answer:
                    assert answer.status == status

    asyncio.run(ask())


def test_its_command_is_this_installation_over_that_folder_and_screen(tmp_path: Path) -> None:
    server = web.make_server(tmp_path / "a b", "stale", 8421)
    assert server.command.endswith(f" -P -m afresh tui '{tmp_path}/a b' --screen stale")
    assert server.host == "127.0.0.1"


def test_a_missing_extra_and_a_taken_port_are_said_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> object:
        raise ImportError("No module named 'textual_serve'")

    class Taken:
        def serve(self) -> None:
            raise OSError(98, "Address already in use")

    monkeypatch.setattr(web, "make_server", missing)
    with pytest.raises(UsageError, match=r"afresh\[web\]"):
        web.serve(tmp_path, "recall", 8421)
    monkeypatch.setattr(web, "make_server", lambda *_: Taken())
    with pytest.raises(AfreshError, match=r"8421.*already in use.*--port"):
        web.serve(tmp_path, "recall", 8421)
