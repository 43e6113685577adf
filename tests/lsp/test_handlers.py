"""The handlers, over a double of the engine: what they ask and show, also when things go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.double import BOUND, EVERYTHING, Editor, ScriptedEngine, claim, knowledge, known, place, stale

from afresh.errors import KeeperLostError, KeeperUnavailableError, SourceFilesError

LOCKS = "class Lock:\n    def acquire(self):\n        return True\n"
FILE = "/shop/billing/locks.py"
URI = f"file://{FILE}"
DOCUMENT = {"textDocument": {"uri": URI}}


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(BOUND):
            await test()

    asyncio.run(bounded())


def editor(tmp_path: Path, **answers: Any) -> Editor:
    answers.setdefault("file_knowledge", knowledge(stale()))
    return Editor(ScriptedEngine(answers), tmp_path / "pages")


def hovered(line: int, character: int) -> dict[str, Any]:
    return {**DOCUMENT, "position": {"line": line, "character": character}}


def test_the_unsaved_text_is_what_is_asked_about(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        shop.open(URI, LOCKS)
        await shop.diagnostics(URI)
        change = {
            "range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}},
            "text": "# é😀\n",
        }
        shop.change(URI, 2, change)
        await shop.ask("textDocument/codeLens", DOCUMENT)
        asked = shop.engine.asked("file_knowledge")[-1]
        assert asked == {"path": FILE, "text": LOCKS.replace("    def", "# é😀\n    def")}

    run(test)


def test_an_edit_behind_a_form_feed_lands_in_its_line(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        shop.open(URI, "a\x0cb\u2028c\nsecond 😀 x\n")
        where = {"line": 1, "character": 10}
        shop.change(URI, 2, {"range": {"start": where, "end": {"line": 1, "character": 11}}, "text": "y"})
        await shop.ask("textDocument/codeLens", DOCUMENT)
        assert shop.engine.asked("file_knowledge")[-1]["text"] == "a\x0cb\u2028c\nsecond 😀 y\n"

    run(test)


def test_lenses_count_for_the_file_and_for_each_cited_part(tmp_path: Path) -> None:
    async def test() -> None:
        memory = known(kind="memory", id=7, places=[])
        shop = editor(tmp_path, file_knowledge=knowledge(stale(), known(id=2), memory))
        await shop.start()
        shop.open(URI, LOCKS)
        lenses = await shop.ask("textDocument/codeLens", DOCUMENT)
        assert [(one["range"]["start"]["line"], one["command"]["title"]) for one in lenses] == [
            (0, "3 memories · 1 stale"),
            (1, "2 memories · 1 stale"),
        ]
        assert lenses[1]["command"]["arguments"] == [[["memo", 1], ["memo", 2]]]

    run(test)


def test_a_lens_opens_what_it_counts_as_a_page(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        shop.open(URI, LOCKS)
        (lens, _) = await shop.ask("textDocument/codeLens", DOCUMENT)
        await shop.ask("workspace/executeCommand", lens["command"])
        shown = await shop.until(lambda one: one.get("method") == "window/showDocument")
        assert shown["params"]["uri"] == "afresh:///memo-1.md"
        page = await shop.ask("workspace/textDocumentContent", {"uri": "afresh:///memo-1.md"})
        assert "acquire always succeeds" in page["text"] and "stale: its code was edited" in page["text"]

    run(test)


def test_a_page_quotes_what_was_recalled_and_loads_nothing(tmp_path: Path) -> None:
    async def test() -> None:
        text = "See `billing/locks.py`.\n# Forged\n![x](http://evil.example/p) <img src=x>\x1b[31m"
        shop = editor(tmp_path, file_knowledge=knowledge(known(text=text)))
        await shop.start()
        shop.open(URI, LOCKS)
        await shop.ask("textDocument/codeLens", DOCUMENT)
        await shop.ask("workspace/executeCommand", {"command": "afresh.show", "arguments": [[["memo", 1]]]})
        page = (await shop.ask("workspace/textDocumentContent", {"uri": "afresh:///memo-1.md"}))["text"]
        assert "> See `billing/locks.py`.\n> # Forged\n> !\\[x]" in page
        assert "<img" not in page and "\x1b" not in page

    run(test)


def test_a_page_is_a_file_for_a_client_that_asks_for_no_text(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start(capabilities={"window": {"showDocument": {"support": True}}})
        shop.open(URI, LOCKS)
        await shop.ask("textDocument/codeLens", DOCUMENT)
        await shop.ask("workspace/executeCommand", {"command": "afresh.show", "arguments": [[["memo", 1]]]})
        shown = await shop.until(lambda one: one.get("method") == "window/showDocument")
        page = tmp_path / "pages" / "memo-1.md"
        assert shown["params"]["uri"] == page.as_uri()
        assert "How do locks work?" in page.read_text(encoding="utf-8")
        await shop.ask("shutdown", None)
        assert not page.exists()

    run(test)


def test_a_hover_shows_what_is_known_of_the_symbol_under_the_cursor_alone(tmp_path: Path) -> None:
    async def test() -> None:
        none = {"project": "shop", "root": "/shop", "places": [], "known": []}
        shop = editor(tmp_path, symbol_knowledge=none)
        await shop.start()
        shop.open(URI, LOCKS)
        found = await shop.ask("textDocument/hover", hovered(1, 10))
        assert "How do locks work?" in found["contents"]["value"]
        assert "stale: its code was edited" in found["contents"]["value"]
        assert found["range"]["start"] == {"line": 1, "character": 8}
        assert await shop.ask("textDocument/hover", hovered(0, 7)) is None
        assert await shop.ask("textDocument/hover", hovered(99, 0)) is None

    run(test)


def test_a_hover_over_a_use_asks_for_the_name_in_the_whole_project(tmp_path: Path) -> None:
    async def test() -> None:
        found = {"project": "shop", "root": "/shop", "places": [], "known": [known(title="Held *how* long?")]}
        shop = editor(tmp_path, file_knowledge=knowledge(), symbol_knowledge=found)
        await shop.start()
        shop.open(URI, "lock.acquire()\n")
        shown = await shop.ask("textDocument/hover", hovered(0, 6))
        assert shop.engine.asked("symbol_knowledge")[0]["name"] == "acquire"
        assert "Held \\*how\\* long?" in shown["contents"]["value"]

    run(test)


def test_what_was_recalled_formats_nothing_and_loads_nothing(tmp_path: Path) -> None:
    async def test() -> None:
        text = "![x](http://evil.example/p.png) <img src=x> [run](command:do)\x1b[31m\u202e"
        shop = editor(tmp_path, file_knowledge=knowledge(known(text=text)))
        await shop.start()
        shop.open(URI, LOCKS)
        shown = (await shop.ask("textDocument/hover", hovered(1, 10)))["contents"]["value"]
        for bad in ("![x]", "](command", "\x1b", "\u202e"):
            assert bad not in shown
        assert "\\<img" in shown

    run(test)


def test_a_client_without_markdown_gets_plain_text(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start(capabilities={})
        shop.open(URI, LOCKS)
        shown = await shop.ask("textDocument/hover", hovered(1, 10))
        assert shown["contents"]["kind"] == "plaintext"
        assert "**" not in shown["contents"]["value"]

    run(test)


def test_a_question_that_the_text_has_overtaken_is_taken_back(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        shop.engine.held["file_knowledge"] = asyncio.Event()
        shop.open(URI, LOCKS)
        lens = shop.begin("textDocument/codeLens", DOCUMENT)
        await asyncio.sleep(0)
        for version in range(2, 6):
            shop.change(URI, version, {"text": LOCKS * version})
            shop.begin("textDocument/hover", hovered(1, 10))
            await asyncio.sleep(0)
        shop.engine.held["file_knowledge"].set()
        assert (await shop.answer(lens))["result"][0]["command"]["title"] == "1 memory · 1 stale"
        assert len(shop.engine.cancelled) >= 3
        assert shop.engine.asked("file_knowledge")[-1]["text"] == LOCKS * 5

    run(test)


def test_a_client_that_cancels_everything_is_told_so_and_the_next_request_is_answered(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        shop.engine.held |= {"file_knowledge": asyncio.Event(), "recall": asyncio.Event()}
        shop.open(URI, LOCKS)
        methods = {
            "textDocument/codeLens": DOCUMENT,
            "textDocument/hover": hovered(1, 10),
            "textDocument/documentLink": DOCUMENT,
            "textDocument/definition": hovered(1, 10),
            "workspace/executeCommand": {"command": "afresh.recall", "arguments": ["locks"]},
        }
        numbers = [shop.begin(method, params) for method, params in methods.items()]
        await asyncio.sleep(0)
        for number in numbers:
            shop.notify("$/cancelRequest", {"id": number})
            shop.notify("$/cancelRequest", {"id": number})
        for number in numbers:
            assert (await shop.answer(number))["error"]["code"] == -32800
        assert "recall" in shop.engine.cancelled
        shop.engine.held["file_knowledge"].set()
        assert len(await shop.ask("textDocument/codeLens", DOCUMENT)) == 2

    run(test)


def test_diagnostics_go_when_the_conclusion_was_verified_elsewhere(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start({"shop": tmp_path})
        uri = (tmp_path / "billing" / "locks.py").as_uri()
        shop.open(uri, LOCKS)
        await shop.diagnostics(uri, lambda found: len(found) == 1)
        shop.engine.answers["file_knowledge"] = knowledge(known())
        assert shop.engine.news is not None
        shop.engine.news(
            tmp_path, {"kind": "turned", "memos": [1], "memories": [], "cited": [], "all": False}
        )
        await shop.diagnostics(uri, lambda found: found == [])
        await shop.until(lambda one: one.get("method") == "workspace/codeLens/refresh")

    run(test)


@pytest.mark.parametrize(
    ("event", "asked"),
    [
        ({"kind": "turned", "memos": [9], "memories": [], "cited": ["billing/locks.py"]}, True),
        ({"kind": "turned", "memos": [9], "memories": [], "cited": ["billing/other.py"]}, False),
        ({"kind": "turned", "memos": [], "memories": [], "cited": [], "all": True}, True),
        ({"kind": "turned", "memos": [9], "memories": [], "cited": [], "skipped": 3}, True),
        ({"kind": "change", "paths": ["billing/locks.py"], "changed": 1, "removed": 0}, True),
        ({"kind": "change", "paths": ["other.py"], "changed": 1, "removed": 0}, False),
        ({"kind": "change", "paths": ["other.py"], "changed": 400, "removed": 0}, True),
        ({"kind": "following", "project": "shop"}, True),
        ({"kind": "watch", "mode": "native", "reason": ""}, False),
    ],
)
def test_news_has_only_those_files_asked_again_that_it_may_be_about(
    tmp_path: Path, event: dict[str, Any], asked: bool
) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start({"shop": tmp_path})
        uri = (tmp_path / "billing" / "locks.py").as_uri()
        shop.open(uri, LOCKS)
        await shop.diagnostics(uri, lambda found: len(found) == 1)
        before = len(shop.engine.asked("file_knowledge"))
        assert shop.engine.news is not None
        shop.engine.news(tmp_path, event)
        assert any(file.timer is not None for file in shop.server.files.all()) is asked
        await shop.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
        assert len(shop.engine.asked("file_knowledge")) == before + asked

    run(test)


def test_an_unsaved_file_goes_along_when_another_one_is_judged(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        other = "file:///shop/main.py"
        shop.open(URI, LOCKS)
        shop.open(other, "import billing\n")
        await shop.diagnostics(other)
        assert "buffers" not in shop.engine.asked("file_knowledge")[-1]
        shop.change(other, 2, {"text": "import nothing\n"})
        await shop.ask("textDocument/codeLens", {"textDocument": {"uri": other}})

        def along() -> bool:
            last = shop.engine.asked("file_knowledge")[-1]
            return last["path"] == FILE and last.get("buffers") == [
                {"path": "/shop/main.py", "text": "import nothing\n"}
            ]

        await shop.engine.until(along)

    run(test)


def test_the_actions_of_a_stale_conclusion_and_of_a_selection(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        shop.open(URI, LOCKS)
        where = {"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 8}}
        asked = {**DOCUMENT, "range": where, "context": {"diagnostics": []}}
        found = await shop.ask("textDocument/codeAction", asked)
        assert [one["command"]["command"] for one in found] == [
            "afresh.verify",
            "afresh.diff",
            "afresh.rerecord",
            "afresh.retire",
        ]
        assert found[0]["diagnostics"][0]["message"].startswith("Stale conclusion")
        where = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
        found = await shop.ask("textDocument/codeAction", {**asked, "range": where})
        assert found[-1]["command"] == {
            "title": "Record a conclusion about this selection",
            "command": "afresh.record",
            "arguments": [{"uri": URI, "start_line": 1, "end_line": 1}],
        }
        only = {"diagnostics": [], "only": ["refactor"]}
        assert await shop.ask("textDocument/codeAction", {**asked, "context": only}) == []

    run(test)


def test_a_dead_path_in_an_agent_file_is_told_and_changed(tmp_path: Path) -> None:
    async def test() -> None:
        document = knowledge(
            path="CLAUDE.md", note_kind="agent_file", claims=[claim(start_column=4, end_column=19)]
        )
        shop = editor(tmp_path, file_knowledge=document)
        await shop.start()
        uri = "file:///shop/CLAUDE.md"
        shop.open(uri, "é😀 `billing/gone.py`\n", "markdown")
        (found,) = await shop.diagnostics(uri, lambda found: len(found) == 1)
        assert found["range"]["start"] == {"line": 0, "character": 5}
        asked = {"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": [found]}}
        fix = (await shop.ask("textDocument/codeAction", asked))[0]
        assert fix["edit"]["changes"][uri] == [{"range": found["range"], "newText": "billing/locks.py"}]
        assert fix["isPreferred"] is True

    run(test)


def test_dead_claims_of_documentation_are_shown_when_asked_for(tmp_path: Path) -> None:
    async def test() -> None:
        document = knowledge(path="docs/a.md", note_kind="documentation", claims=[claim()])
        shop = editor(tmp_path, file_knowledge=document)
        await shop.start()
        uri = "file:///shop/docs/a.md"
        shop.open(uri, "See: billing/gone.py\n", "markdown")
        assert await shop.diagnostics(uri) == []
        shop.replies["workspace/configuration"] = [{"deadClaims": "documents"}]
        shop.notify("workspace/didChangeConfiguration", {"settings": None})
        await shop.diagnostics(uri, lambda found: len(found) == 1)

    run(test)


def test_a_citation_leads_to_the_code(tmp_path: Path) -> None:
    async def test() -> None:
        living = claim(dead=None, suggestion=None, replacement=None, target=FILE, target_line=2)
        shop = editor(
            tmp_path, file_knowledge=knowledge(note_kind="agent_file", claims=[living, claim(line=2)])
        )
        await shop.start()
        shop.open(URI, "See: billing/locks.py\nOld: billing/gone.py\n", "markdown")
        (link,) = await shop.ask("textDocument/documentLink", DOCUMENT)
        assert link["target"] == f"{URI}#L2"
        (place_,) = await shop.ask("textDocument/definition", hovered(0, 8))
        assert (place_["uri"], place_["range"]["start"]["line"]) == (URI, 1)
        assert await shop.ask("textDocument/definition", hovered(1, 8)) == []

    run(test)


def test_paths_are_completed_in_documents_alone(tmp_path: Path) -> None:
    async def test() -> None:
        names = [
            {"kind": "file", "name": "billing/locks.py", "path": "billing/locks.py"},
            {"kind": "symbol", "name": "Lock.acquire", "path": "billing/locks.py"},
        ]
        shop = editor(
            tmp_path,
            file_knowledge=knowledge(path="docs/a.md", note_kind="documentation"),
            code_names={"names": names, "complete": True},
        )
        await shop.start()
        uri = "file:///shop/docs/a.md"
        shop.open(uri, "é😀 `billing/lo` and [x](../bil)\n", "markdown")
        asked = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 14}}
        found = await shop.ask("textDocument/completion", asked)
        assert [one["label"] for one in found["items"]] == ["billing/locks.py", "Lock.acquire"]
        assert found["items"][0]["textEdit"]["range"]["start"] == {"line": 0, "character": 5}
        assert shop.engine.asked("code_names")[0]["prefix"] == "billing/l"
        link = {**asked, "position": {"line": 0, "character": 31}}
        found = await shop.ask("textDocument/completion", link)
        assert shop.engine.asked("code_names")[1]["prefix"] == "docs/../bil"
        assert [one["label"] for one in found["items"]] == ["../billing/locks.py"]
        shop.engine.answers["file_knowledge"] = knowledge()
        shop.open(URI, "billing/lo\n")
        assert await shop.ask("textDocument/completion", hovered(0, 9)) is None

    run(test)


def test_hints_are_off_until_they_are_asked_for(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        shop.open(URI, LOCKS)
        asked = {
            **DOCUMENT,
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}},
        }
        assert await shop.ask("textDocument/inlayHint", asked) == []
        shop.replies["workspace/configuration"] = [{"inlayHints": True}]
        shop.notify("workspace/didChangeConfiguration", {"settings": {}})
        await shop.until(lambda one: one.get("method") == "workspace/inlayHint/refresh")
        (hint,) = await shop.ask("textDocument/inlayHint", asked)
        assert (hint["position"], hint["label"]) == ({"line": 1, "character": 22}, "1 memory · 1 stale")

    run(test)


def test_verify_asks_the_engine_and_never_with_unsaved_text(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path, memory_exploration_verify={"id": 1, "status": "fresh"})
        await shop.start()
        shop.open(URI, LOCKS)
        await shop.diagnostics(URI, lambda found: len(found) == 1)
        shop.change(URI, 2, {"text": LOCKS * 2})
        command = {"command": "afresh.verify", "arguments": [{"kind": "memo", "id": 1}]}
        assert await shop.ask("workspace/executeCommand", command) is None
        assert shop.messages()[-1] == "afresh: locks.py has unsaved changes; save, then verify"
        assert shop.engine.asked("memory_exploration_verify") == []
        shop.notify("textDocument/didSave", DOCUMENT)
        shop.engine.answers["file_knowledge"] = knowledge(known())
        assert (await shop.ask("workspace/executeCommand", command))["status"] == "fresh"
        await shop.diagnostics(URI, lambda found: found == [])

    run(test)


def test_a_memory_is_verified_by_citing_its_files_anew(tmp_path: Path) -> None:
    async def test() -> None:
        span = {"start_line": 2, "end_line": 3, "symbol": "Lock.acquire", "quote": None, "derived": False}
        memory = {
            "id": 4,
            "content": "Locks hold.",
            "type": "decision",
            "project": "shop",
            "files": [{"path": "billing/locks.py", "spans": [span]}],
        }
        shop = editor(
            tmp_path,
            memory_get={"memories": [memory], "missing": []},
            memory_save={"id": 4, "created": False},
        )
        await shop.start()
        command = {"command": "afresh.verify", "arguments": [["memory", 4]]}
        await shop.ask("workspace/executeCommand", command)
        (saved,) = shop.engine.asked("memory_save")
        assert saved["files"] == [{"path": "billing/locks.py", "symbol": "Lock.acquire"}]

    run(test)


@pytest.mark.parametrize(
    "sent", [None, "x", [], {"kind": "run", "id": 1}, {"kind": "memo", "id": True}, ["memo"]]
)
def test_a_command_with_wrong_arguments_says_what_it_wants(tmp_path: Path, sent: object) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        for command in ("afresh.verify", "afresh.retire", "afresh.diff", "afresh.rerecord"):
            asked = {"command": command, "arguments": [sent]}
            assert await shop.ask("workspace/executeCommand", asked) is None
            assert shop.messages()[-1].startswith('afresh: say which: {"kind": "memo" or "memory"')
        assert {verb for verb, *_ in shop.engine.calls} == set()

    run(test)


def test_what_the_engine_refuses_is_shown_in_its_own_words(tmp_path: Path) -> None:
    async def test() -> None:
        refused = SourceFilesError("memo 1 can't be verified, because what it rests on is gone")
        shop = editor(tmp_path, memory_exploration_verify=refused)
        await shop.start()
        command = {"command": "afresh.verify", "arguments": [1]}
        for _attempt in range(2):
            await shop.ask("workspace/executeCommand", command)
        assert shop.messages() == [f"afresh: {refused.message}"] * 2

    run(test)


def test_a_recall_is_a_page_and_its_result(tmp_path: Path) -> None:
    async def test() -> None:
        memory = {
            "id": 3,
            "type": "fact",
            "content": "Cents.",
            "created_at": "2026-03-01T12:00:00Z",
            "freshness": None,
            "source": {"kind": "agent", "path": None, "line": None},
        }
        result = {
            "query": "money",
            "count": 1,
            "memories": [memory],
            "nothing_relevant": False,
            "nearest": [],
        }
        shop = editor(tmp_path, recall={"result": result})
        await shop.start()
        asked = {"command": "afresh.recall", "arguments": ["money"]}
        assert (await shop.ask("workspace/executeCommand", asked))["count"] == 1
        page = await shop.ask("workspace/textDocumentContent", {"uri": "afresh:///recall.md"})
        assert "Cents\\." in page["text"]
        await shop.ask("workspace/executeCommand", {"command": "afresh.recall", "arguments": []})
        assert shop.messages()[-1].startswith("afresh: give a query")

    run(test)


def test_an_answer_is_a_page_with_what_limits_it(tmp_path: Path) -> None:
    async def test() -> None:
        answer = {
            "answer": "In cents.",
            "caveat": "An older record says euros.",
            "note": None,
            "evidence": [],
        }
        shop = editor(tmp_path, memory_answer=answer)
        await shop.start({"shop": tmp_path})
        asked = {"command": "afresh.answer", "arguments": ["how is money kept?"]}
        assert await shop.ask("workspace/executeCommand", asked) == answer
        assert shop.engine.asked("memory_answer") == [{"query": "how is money kept?", "project": "shop"}]
        page = await shop.ask("workspace/textDocumentContent", {"uri": "afresh:///answer.md"})
        assert "In cents" in page["text"] and "An older record says euros" in page["text"]

    run(test)


def test_progress_is_shown_and_its_end_always(tmp_path: Path) -> None:
    async def test() -> None:
        answer = {"project": "shop", "root": "/shop", "judged": 4, "items": []}
        shop = editor(tmp_path, stale=answer)
        await shop.start()
        await shop.ask("workspace/executeCommand", {"command": "afresh.stale", "arguments": []})
        shown = [one["params"]["value"]["kind"] for one in shop.sent if one.get("method") == "$/progress"]
        assert shown == ["begin", "report", "end"] or shown == ["begin", "end"]
        shop.replies["window/workDoneProgress/create"] = RuntimeError("no room")
        assert (
            await shop.ask("workspace/executeCommand", {"command": "afresh.stale", "arguments": []}) == answer
        )

    run(test)


def test_cancelling_the_progress_takes_the_call_back(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path, stale={"items": []})
        await shop.start()
        shop.engine.held["stale"] = asyncio.Event()
        number = shop.begin("workspace/executeCommand", {"command": "afresh.stale", "arguments": []})
        begun = await shop.until(lambda one: one.get("method") == "$/progress")
        shop.notify("window/workDoneProgress/cancel", {"token": begun["params"]["token"]})
        assert (await shop.answer(number))["error"]["code"] == -32800
        assert shop.engine.cancelled == ["stale"]
        shown = [one["params"]["value"]["kind"] for one in shop.sent if one.get("method") == "$/progress"]
        assert shown == ["begin", "end"]

    run(test)


def test_a_draft_is_recorded_when_it_is_saved_with_all_its_parts(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path, memory_exploration_record={"id": 12})
        await shop.start()
        shop.open(URI, LOCKS)
        sent = {"uri": URI, "start_line": 2, "end_line": 3}
        await shop.ask("workspace/executeCommand", {"command": "afresh.record", "arguments": [sent]})
        shown = await shop.until(lambda one: one.get("method") == "window/showDocument")
        (draft,) = (tmp_path / "pages" / "drafts").iterdir()
        assert shown["params"]["uri"] == draft.as_uri()
        text = draft.read_text(encoding="utf-8")
        assert "- billing/locks.py:2-3\n" in text
        shop.open(draft.as_uri(), text, "markdown")
        shop.notify("textDocument/didSave", {"textDocument": {"uri": draft.as_uri()}})
        await shop.until(lambda one: "not recorded yet" in str(one.get("params")))
        assert shop.engine.asked("memory_exploration_record") == []
        written = text.replace("# Question\n", "# Question\n\nWhy?").replace(
            "# Conclusion\n", "# Conclusion\n\nSo."
        )
        shop.change(draft.as_uri(), 2, {"text": written})
        shop.notify("textDocument/didSave", {"textDocument": {"uri": draft.as_uri()}})
        await shop.until(lambda one: "recorded as memo 12" in str(one.get("params")))
        assert shop.engine.asked("memory_exploration_record") == [
            {
                "question": "Why?",
                "conclusion": "So.",
                "files": [{"path": "billing/locks.py", "start_line": 2, "end_line": 3}],
                "project": "shop",
                "root": "/shop",
            }
        ]
        await shop.ask("shutdown", None)
        assert draft.exists()

    run(test)


def test_to_record_again_opens_the_conclusion_with_its_files_where_they_are_now(tmp_path: Path) -> None:
    async def test() -> None:
        span = {"start_line": 2, "end_line": 3, "symbol": None, "quote": None, "derived": False}
        derived = {**span, "derived": True}
        memo = {
            "question": "How?",
            "conclusion": "Thus.",
            "project": "shop",
            "root": "/shop",
            "files": [
                {"path": "billing/locks.py", "spans": [span, derived]},
                {"path": "main.py", "spans": []},
            ],
            "details": [
                {
                    "path": "billing/locks.py",
                    "moved_to": None,
                    "spans": [{**span, "moved_to": None, "now_start_line": 5, "now_end_line": 6}],
                }
            ],
        }
        shop = editor(tmp_path, memo=memo)
        await shop.start()
        await shop.ask("workspace/executeCommand", {"command": "afresh.rerecord", "arguments": [1]})
        (draft,) = (tmp_path / "pages" / "drafts").iterdir()
        text = draft.read_text(encoding="utf-8")
        assert "How?" in text and "Thus." in text
        assert "- billing/locks.py:5-6\n- main.py\n" in text

    run(test)


def test_symbols_of_the_workspace_are_memories_of_every_folder(tmp_path: Path) -> None:
    async def test() -> None:
        memo = {
            "id": 1,
            "question": "How do locks work?",
            "status": "stale",
            "files": ["billing/locks.py"],
            "details": [{"spans": [{"now_start_line": 7}]}],
        }
        shop = editor(
            tmp_path,
            file_knowledge=lambda sent: knowledge(root=str(Path(sent["path"]).parent)),
            memory_exploration_recall={"results": [memo]},
            recall=KeeperUnavailableError("the keeper doesn't answer"),
        )
        first, second = tmp_path / "one", tmp_path / "two"
        first.mkdir()
        second.mkdir()
        await shop.start({"one": first, "two": second})
        found = await shop.ask("workspace/symbol", {"query": "locks"})
        assert [(one["name"], one["containerName"], one["location"]["uri"]) for one in found] == [
            ("How do locks work?", "stale conclusion 1", (folder / "billing/locks.py").as_uri())
            for folder in (first, second)
        ]
        assert found[0]["location"]["range"]["start"]["line"] == 6
        assert set(shop.messages()) == {"afresh: the keeper doesn't answer"}
        assert await shop.ask("workspace/symbol", {"query": "  "}) == []

    run(test)


# --- bad input --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "vscode-notebook-cell:/shop/a.ipynb#X1",
        "file:///C:/shop/locks.py",
        "file:///c%3A/shop/locks.py",
        "file://server/share/locks.py",
        "C:\\shop\\locks.py",
        "file:///shop/with%00nul.py",
        "file:",
        "",
        "file://[broken/x.py",
    ],
)
def test_a_document_that_is_no_file_here_has_nothing_and_breaks_nothing(tmp_path: Path, uri: str) -> None:
    async def test() -> None:
        shop = editor(tmp_path, file_knowledge=knowledge(project=None, root=None, path=None))
        await shop.start()
        shop.open(uri, LOCKS)
        document = {"textDocument": {"uri": uri}}
        position = {**document, "position": {"line": 1, "character": 10}}
        shop.change(uri, 2, {"text": LOCKS * 2})
        assert await shop.ask("textDocument/codeLens", document) == []
        assert await shop.ask("textDocument/hover", position) is None
        assert await shop.ask("textDocument/definition", position) == []
        assert await shop.ask("textDocument/documentLink", document) == []
        assert await shop.ask("textDocument/completion", position) is None
        where = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
        actions = {**document, "range": where, "context": {"diagnostics": []}}
        assert await shop.ask("textDocument/codeAction", actions) == []
        shop.notify("textDocument/didSave", document)
        shop.notify("textDocument/didClose", document)
        assert await shop.ask("textDocument/codeLens", document) == []
        assert shop.messages() == []

    run(test)


@pytest.mark.parametrize("name", ["with space.py", "100%.py", "a;b.py", "q?#.py", "é😀.py", "%41.py"])
def test_names_that_a_uri_escapes_are_asked_about_as_they_are(tmp_path: Path, name: str) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        path = Path("/shop") / name
        shop.open(path.as_uri(), LOCKS)
        assert len(await shop.ask("textDocument/codeLens", {"textDocument": {"uri": path.as_uri()}})) == 2
        assert shop.engine.asked("file_knowledge")[0]["path"] == str(path)
        assert await shop.diagnostics(path.as_uri(), lambda found: len(found) == 1)

    run(test)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ("everything", "the settings must be an object, not 'everything'; the defaults apply"),
        ([1], "the settings must be an object, not [1]; the defaults apply"),
        ({"codeLens": "yes"}, "afresh.codeLens is 'yes'; it must be true or false"),
        ({"delay": -1}, "afresh.delay is -1; it must be a whole number from 0 to 10000"),
        ({"delay": True}, "afresh.delay is True; it must be a whole number from 0 to 10000"),
        ({"hoverItems": 2.5}, "afresh.hoverItems is 2.5; it must be a whole number from 1 to 50"),
        ({"leastImpact": ["edited"]}, "afresh.leastImpact is ['edited']; it must be one of eol_only,"),
        ({"nonsense": 1}, "afresh.nonsense is no setting; known ones: codeLens,"),
    ],
)
def test_bad_settings_are_reported_and_the_good_ones_beside_them_apply(
    tmp_path: Path, sent: Any, told: str
) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        both = {**sent, "inlayHints": True} if isinstance(sent, dict) else sent
        shop.replies["workspace/configuration"] = [both]
        await shop.start()
        await shop.until(lambda one: one.get("method") == "window/showMessage")
        assert len(shop.messages()) == 1
        assert shop.messages()[0].startswith(f"afresh: {told}")
        assert shop.server.options.inlay_hints is isinstance(sent, dict)
        assert shop.server.options.code_lens is True

    run(test)


def test_settings_come_at_the_start_from_a_client_that_is_never_asked(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start(capabilities={}, options={"afresh": {"codeLens": False}})
        shop.open(URI, LOCKS)
        assert await shop.ask("textDocument/codeLens", DOCUMENT) == []
        shop.notify("workspace/didChangeConfiguration", {"settings": {"afresh": {"codeLens": True}}})
        assert len(await shop.ask("textDocument/codeLens", DOCUMENT)) == 2

    run(test)


def test_a_client_that_refuses_to_tell_its_settings_gets_the_defaults(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        shop.replies["workspace/configuration"] = RuntimeError("not implemented")
        await shop.start()
        noted = await shop.until(lambda one: one.get("method") == "window/logMessage")
        assert "refuses to tell its settings" in noted["params"]["message"]
        shop.open(URI, LOCKS)
        assert len(await shop.ask("textDocument/codeLens", DOCUMENT)) == 2

    run(test)


def test_folders_come_and_go_and_the_deepest_one_is_asked(tmp_path: Path) -> None:
    async def test() -> None:
        outer, inner = tmp_path / "outer", tmp_path / "outer" / "inner"
        inner.mkdir(parents=True)
        shop = editor(tmp_path)
        await shop.start({"outer": outer})
        uri = (inner / "a.py").as_uri()
        shop.open(uri, LOCKS)
        await shop.diagnostics(uri, lambda found: len(found) == 1)
        assert shop.engine.opened == [outer]
        event = {"added": [{"uri": inner.as_uri(), "name": "inner"}], "removed": []}
        shop.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        await shop.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
        assert shop.engine.opened == [outer, inner]
        assert [folder for verb, _, folder in shop.engine.calls][-1] == inner
        event = {"added": [], "removed": [{"uri": outer.as_uri(), "name": "outer"}]}
        shop.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        assert shop.engine.opened == [inner]

    run(test)


def test_a_folder_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start({"gone": tmp_path / "gone", "here": tmp_path})
        await shop.ask("workspace/symbol", {"query": ""})
        assert shop.engine.opened == [tmp_path]

    run(test)


def test_an_engine_that_fails_is_told_once_and_what_was_known_stays(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        shop.open(URI, LOCKS)
        await shop.diagnostics(URI, lambda found: len(found) == 1)
        shop.engine.answers["file_knowledge"] = KeeperLostError("the keeper went away; try again")
        for version in range(2, 5):
            shop.change(URI, version, {"text": LOCKS * version})
            assert len(await shop.ask("textDocument/codeLens", DOCUMENT)) == 2
        assert shop.messages() == ["afresh: the keeper went away; try again"]
        shop.engine.answers["file_knowledge"] = knowledge(known())
        shop.change(URI, 9, {"text": LOCKS})
        await shop.diagnostics(URI, lambda found: found == [])
        shop.engine.answers["file_knowledge"] = KeeperLostError("the keeper went away; try again")
        shop.change(URI, 10, {"text": LOCKS * 2})
        await shop.ask("textDocument/codeLens", DOCUMENT)
        assert len(shop.messages()) == 2

    run(test)


def test_messages_that_are_no_protocol_are_survived(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        shop.notify(
            "textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": []}
        )
        shop.notify("textDocument/didClose", {"textDocument": {"uri": "file:///never/opened"}})
        shop.notify("$/nonsense", {"a": 1})
        number = shop.begin("workspace/executeCommand", {"command": "rm", "arguments": []})
        assert (await shop.answer(number))["error"]["code"] == -32602
        shop.open(URI, LOCKS)
        assert len(await shop.ask("textDocument/codeLens", DOCUMENT)) == 2

    run(test)


def test_two_hundred_files_that_are_closed_again_leave_nothing_behind(tmp_path: Path) -> None:
    async def test() -> None:
        shop = editor(tmp_path)
        await shop.start()
        uris = [f"file:///shop/m{number}.py" for number in range(200)]
        for uri in uris:
            shop.open(uri, LOCKS)
        for uri in uris:
            await shop.diagnostics(uri, lambda found: len(found) == 1)
        for uri in uris:
            shop.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            await shop.diagnostics(uri, lambda found: found == [])
        assert list(shop.server.files.all()) == []
        assert shop.server.documents.text_documents == {}

    run(test)


def test_every_setting_of_the_least_impact_is_kept(tmp_path: Path) -> None:
    async def test() -> None:
        form = known(status="stale", impact="cosmetic", change="cosmetic", places=[place(now="cosmetic")])
        shop = editor(tmp_path, file_knowledge=knowledge(form))
        shop.replies["workspace/configuration"] = [{"leastImpact": "edited"}]
        await shop.start(capabilities=EVERYTHING)
        shop.open(URI, LOCKS)
        assert await shop.diagnostics(URI) == []
        shop.replies["workspace/configuration"] = [{"leastImpact": "cosmetic"}]
        shop.notify("workspace/didChangeConfiguration", {"settings": None})
        await shop.diagnostics(URI, lambda found: len(found) == 1)

    run(test)
