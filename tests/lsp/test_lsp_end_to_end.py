"""The installed command as an editor starts it, over a real keeper that watches the workspace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient, make_test_lsp_client
from tests.end_to_end.sandbox import AFRESH, Sandbox
from tests.lsp.conftest import CONCLUSION
from tests.repositories import git

from afresh.client import connect
from afresh.keeper.local import open_local
from afresh.settings import load

BOUND = 100.0
RELEASE = {"path": "billing/locks.py", "symbol": "Lock.release"}
CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(
        configuration=True, code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
    ),
    window=types.WindowClientCapabilities(show_document=types.ShowDocumentClientCapabilities(support=True)),
    text_document=types.TextDocumentClientCapabilities(
        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
        code_action=types.CodeActionClientCapabilities(
            code_action_literal_support=types.ClientCodeActionLiteralOptions(
                types.ClientCodeActionKindOptions([types.CodeActionKind.QuickFix])
            )
        ),
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
    ),
)


class Editor:
    """A client of the server, and the texts that it has open."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self._versions: dict[str, int] = {}
        self._refreshed = asyncio.Event()

        @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def refresh(_params: None) -> None:
            self._refreshed.set()

    def open(self, path: Path) -> str:
        uri = path.as_uri()
        self._versions[uri] = 1
        language = "markdown" if path.suffix == ".md" else "python"
        item = types.TextDocumentItem(uri, language, 1, path.read_text(encoding="utf-8"))
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def write(self, uri: str, text: str) -> None:
        self._versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def diagnostics(
        self, uri: str, wanted: Callable[[list[types.Diagnostic]], bool]
    ) -> list[types.Diagnostic]:
        """The diagnostics of a text, once they are as wanted."""
        while not (uri in self.client.diagnostics and wanted(list(self.client.diagnostics[uri]))):
            await self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(self.client.diagnostics[uri])

    async def lenses(self, uri: str) -> list[str]:
        found = await self.client.text_document_code_lens_async(
            types.CodeLensParams(types.TextDocumentIdentifier(uri))
        )
        return [lens.command.title for lens in found or () if lens.command is not None]

    async def until_lenses(self, uri: str, wanted: list[str]) -> None:
        """Wait until the lenses are these; the server says when they may be."""
        while True:
            self._refreshed.clear()
            if await self.lenses(uri) == wanted:
                return
            await self._refreshed.wait()

    async def shown(self) -> str:
        """The document that the server asked to show."""
        while not self.client.shown_documents:
            await self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return self.client.shown_documents[0].uri

    async def command(self, name: str, *arguments: object) -> object:
        return await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(name, list(arguments))
        )

    def told(self) -> list[str]:
        return [message.message for message in self.client.messages]


@asynccontextmanager
async def editor(
    shop: Sandbox, *folders: Path, capabilities: types.ClientCapabilities = CAPABILITIES
) -> AsyncIterator[Editor]:
    """A server that was started in the workspace."""
    client: LanguageClient = make_test_lsp_client()
    roots = folders or (shop.root,)
    await client.start_io(AFRESH, "lsp", env=shop.env, cwd=str(shop.root))
    await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            workspace_folders=[types.WorkspaceFolder(root.as_uri(), root.name) for root in roots],
        )
    )
    try:
        yield Editor(client)
    finally:
        await client.shutdown_session()
        await client.stop()


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(BOUND):
            await test()

    asyncio.run(bounded())


def ask(shop: Sandbox, verb: str, **arguments: Any) -> dict[str, Any]:
    """What another client would ask the same keeper."""
    with connect(load(shop.env), cwd=shop.root, client="test", kind="cli") as other:
        return other.call(verb, arguments)


def is_one(found: list[types.Diagnostic]) -> bool:
    return len(found) == 1


def is_none(found: list[types.Diagnostic]) -> bool:
    return not found


def test_an_edit_is_stale_before_it_is_saved_and_fresh_again_when_it_is_undone(shop: Sandbox) -> None:
    async def test() -> None:
        async with editor(shop) as vim:
            path = shop.root / "billing" / "locks.py"
            text = path.read_text(encoding="utf-8")
            uri = vim.open(path)
            assert await vim.lenses(uri) == ["1 memory", "1 memory"]
            vim.write(uri, "# é😀\n" + text.replace("return True", "return 1"))
            (found,) = await vim.diagnostics(uri, is_one)
            assert (found.range.start.line, found.range.start.character, found.range.end.character) == (
                3,
                8,
                16,
            )
            assert found.related_information is not None
            assert found.related_information[0].location.uri == (shop.root / "main.py").as_uri()
            assert path.read_text(encoding="utf-8") == text
            vim.write(uri, text)
            await vim.diagnostics(uri, is_none)
            assert (await asyncio.to_thread(ask, shop, "memo", id=1))["status"] == "fresh"

    run(test)


def test_what_another_client_does_is_seen_at_once(shop: Sandbox) -> None:
    async def test() -> None:
        async with editor(shop) as vim:
            path = shop.root / "billing" / "locks.py"
            uri = vim.open(path)
            await vim.diagnostics(uri, is_none)
            release = {**CONCLUSION, "question": "What does release do?", "files": [RELEASE]}
            await asyncio.to_thread(ask, shop, "memory_exploration_record", **release)
            await vim.until_lenses(uri, ["2 memories", "1 memory", "1 memory"])
            # Another program writes the file, and the editor takes it in.
            text = path.read_text(encoding="utf-8").replace("return None", "return 0")
            path.write_text(text, encoding="utf-8")
            vim.write(uri, text)
            vim.client.text_document_did_save(
                types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
            )
            await vim.diagnostics(uri, lambda found: any("release" in one.message for one in found))
            for id_ in (1, 2):
                await asyncio.to_thread(ask, shop, "memory_exploration_verify", id=id_, action="verify")
            await vim.diagnostics(uri, is_none)

    run(test)


def test_a_change_on_the_disk_of_another_cited_file_turns_the_lens(shop: Sandbox) -> None:
    async def test() -> None:
        async with editor(shop) as vim:
            uri = vim.open(shop.root / "billing" / "locks.py")
            assert await vim.lenses(uri) == ["1 memory", "1 memory"]
            (shop.root / "main.py").write_text("x = 1\n", encoding="utf-8")
            await vim.until_lenses(uri, ["1 memory · 1 stale", "1 memory · 1 stale"])
            await vim.diagnostics(uri, is_none)

    run(test)


def test_an_unsaved_text_counts_for_the_conclusions_that_other_open_files_share(shop: Sandbox) -> None:
    async def test() -> None:
        async with editor(shop) as vim:
            locks = vim.open(shop.root / "billing" / "locks.py")
            main = vim.open(shop.root / "main.py")
            await vim.diagnostics(locks, is_none)
            await vim.diagnostics(main, is_none)
            vim.write(main, "lock.release()\n")
            await vim.diagnostics(main, is_one)
            await vim.until_lenses(locks, ["1 memory · 1 stale", "1 memory · 1 stale"])
            closed = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(main))
            vim.client.text_document_did_close(closed)
            await vim.until_lenses(locks, ["1 memory", "1 memory"])

    run(test)


def test_a_dead_path_comes_and_goes_with_its_file_and_the_text(shop: Sandbox) -> None:
    async def test() -> None:
        async with editor(shop) as vim:
            path = shop.root / "CLAUDE.md"
            uri = vim.open(path)
            await vim.diagnostics(uri, is_none)
            (shop.root / "core").mkdir()
            git(shop.root, "mv", "billing/locks.py", "core/locks.py")
            found = await vim.diagnostics(uri, lambda found: len(found) >= 2)
            assert "billing/locks.py was in the workspace and is there no more" in found[0].message
            before = "- é😀 Locks are in `".encode("utf-16-le")
            assert found[0].range.start.character == len(before) // 2
            asked = types.CodeActionParams(
                types.TextDocumentIdentifier(uri), found[0].range, types.CodeActionContext([found[0]])
            )
            assert found[0].message.endswith("Probably meant: core/locks.py.")
            actions = await vim.client.text_document_code_action_async(asked)
            assert actions and isinstance(actions[0], types.CodeAction) and actions[0].edit is not None
            (edit,) = (actions[0].edit.changes or {})[uri]
            assert (edit.range, edit.new_text) == (found[0].range, "core/locks.py")
            text = path.read_text(encoding="utf-8").replace("billing/locks.py", "core/locks.py")
            vim.write(uri, text)
            await vim.diagnostics(uri, is_none)
            links = await vim.client.text_document_document_link_async(
                types.DocumentLinkParams(types.TextDocumentIdentifier(uri))
            )
            assert {str(link.target).partition("#")[0] for link in links or ()} == {
                (shop.root / "core" / "locks.py").as_uri()
            }

    run(test)


def test_the_diff_is_a_file_in_our_own_folder(shop: Sandbox) -> None:
    async def test() -> None:
        async with editor(shop) as vim:
            path = shop.root / "billing" / "locks.py"
            path.write_text(path.read_text(encoding="utf-8").replace("True", "False"), encoding="utf-8")
            uri = vim.open(path)
            await vim.diagnostics(uri, is_one)
            text = await vim.command("afresh.diff", {"kind": "memo", "id": 1})
            assert "-        return True\n+        return False\n" in str(text)
            shown = Path((await vim.shown()).removeprefix("file://"))
            assert shown.read_text(encoding="utf-8") == text
            assert shown.is_relative_to(shop.home / "cache")
        assert not shown.exists()

    run(test)


def test_a_keeper_that_dies_while_a_request_is_open_is_replaced(shop: Sandbox) -> None:
    async def test() -> None:
        async with editor(shop) as vim:
            path = shop.root / "billing" / "locks.py"
            uri = vim.open(path)
            await vim.diagnostics(uri, is_none)
            for number in range(2):
                (keeper,) = shop.keepers()
                vim.write(uri, path.read_text(encoding="utf-8").replace("True", f"{number}"))
                asked = asyncio.ensure_future(vim.lenses(uri))
                await asyncio.sleep(0)
                keeper.kill()
                await asyncio.to_thread(keeper.wait, 10)
                assert (await asked)[0] in ("1 memory · 1 stale", "1 memory")
                await vim.diagnostics(uri, is_one)
                await vim.until_lenses(uri, ["1 memory · 1 stale", "1 memory · 1 stale"])
            # What turns is heard from the new one as well.
            await asyncio.to_thread(ask, shop, "memory_exploration_verify", id=1, action="retire")
            await vim.diagnostics(uri, is_none)

    run(test)


def test_two_folders_of_one_editor_have_each_their_own_project(shop: Sandbox, tmp_path: Path) -> None:
    async def test() -> None:
        other = tmp_path / "other project 100%"
        other.mkdir()
        (other / "a b.py").write_text("def pay():\n    return 1\n", encoding="utf-8")
        git(other, "init", "-q", "-b", "main")
        with open_local(load(shop.env), cwd=other, client="test", kind="cli") as host:
            host.call("index", {"path": str(other)})
            pays = {
                "question": "Who pays?",
                "project": other.name,
                "files": [{"path": "a b.py", "symbol": "pay"}],
            }
            host.call("memory_exploration_record", {**CONCLUSION, **pays})
        async with editor(shop, shop.root, other) as vim:
            one, two = vim.open(shop.root / "billing" / "locks.py"), vim.open(other / "a b.py")
            assert await vim.lenses(one) == ["1 memory", "1 memory"]
            assert await vim.lenses(two) == ["1 memory", "1 memory"]
            vim.write(two, "def pay():\n    return 2\n")
            (found,) = await vim.diagnostics(two, is_one)
            assert "Who pays?" in found.message
            await vim.diagnostics(one, is_none)
            symbols = await vim.client.workspace_symbol_async(types.WorkspaceSymbolParams("who pays"))
            assert [symbol.name for symbol in symbols or ()] == ["Who pays?"]

    run(test)


def test_a_file_outside_of_every_project_has_nothing_and_becomes_none(shop: Sandbox, tmp_path: Path) -> None:
    async def test() -> None:
        stray = tmp_path / "elsewhere" / "locks.py"
        stray.parent.mkdir()
        stray.write_text("class Lock:\n    def acquire(self): ...\n", encoding="utf-8")
        async with editor(shop) as vim:
            uri = vim.open(stray)
            assert await vim.lenses(uri) == []
            await vim.diagnostics(uri, is_none)
            known = await asyncio.to_thread(ask, shop, "projects")
            assert [one["name"] for one in known["projects"]] == ["shop"]

    run(test)


@pytest.mark.parametrize("ends", ["kill", "close"])
def test_no_server_outlives_its_editor(shop: Sandbox, ends: str) -> None:
    async def test() -> None:
        process = await asyncio.create_subprocess_exec(
            AFRESH,
            "lsp",
            env=shop.env,
            cwd=shop.root,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdin is not None and process.stdout is not None
        body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
        process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        assert b"Content-Length" in await process.stdout.readline()
        if ends == "close":
            process.stdin.close()
        else:
            # As when the editor is killed: its end of both pipes goes.
            process.stdin.close()
            process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
        await process.wait()
        assert not psutil.pid_exists(process.pid)

    run(test)


def test_over_tcp_for_whoever_debugs(shop: Sandbox) -> None:
    done = shop.run("lsp", "--tcp", "99999")
    assert (done.returncode, "99999" in done.stderr) == (2, True)
    done = shop.run("lsp", "--tcp", "0", "--stdio")
    assert done.returncode == 2 and "exclude each other" in done.stderr
    done = shop.run("--in-process", "lsp")
    assert done.returncode == 2 and "--in-process" in done.stderr
