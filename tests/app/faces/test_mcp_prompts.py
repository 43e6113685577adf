"""Prompts over the real SDK, in both eras: arguments, what they put before a model, and completion."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from tests.app.faces.doubles import RESULTS, ServiceDouble

from afresh.contracts import ContextResult, ExploreResult, Result
from afresh.engine.calls import Call, Caller
from afresh.errors import KeeperLostError
from afresh.faces.mcp_prompts import PROMPTS, listed_prompts
from afresh.faces.mcp_server import INSTRUCTIONS, _tools, make_server
from afresh.verbs import TOOLS, ContentsResult

Mode = Literal["auto", "legacy"]
MODES: tuple[Mode, ...] = ("auto", "legacy")
CALLER = Caller(cwd=Path("/srv/shop"), client="unknown", kind="agent")

GIVEN: Mapping[str, dict[str, str]] = {
    "remember": {"content": "Invoices are in cents.", "type": "decision", "path": "billing"},
    "recall": {"question": "why cents", "project": "shop"},
    "explore": {"question": "how are locks taken", "project": "shop"},
    "answer": {"question": "who approved it", "project": "shop"},
    "stale": {"project": "shop"},
    "handoff": {"focus": "locks", "project": "shop"},
}


def talk(service: ServiceDouble, mode: Mode, use: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        with anyio.fail_after(30):
            async with Client(make_server(service, CALLER), mode=mode) as client:
                await use(client)

    anyio.run(run)


def get(name: str, given: dict[str, str], service: ServiceDouble, mode: Mode = "auto") -> list[Any]:
    """The contents of a prompt's messages."""
    found: list[Any] = []

    async def use(client: Client) -> None:
        result = await client.get_prompt(name, given)
        assert {message.role for message in result.messages} == {"user"}
        found.extend(message.content for message in result.messages)

    talk(service, mode, use)
    return found


def fixed(result: Result) -> Callable[[Mapping[str, Any], Call], Result]:
    return lambda _arguments, _call: result


@pytest.mark.parametrize("mode", MODES)
def test_the_six_prompts_are_listed_with_titles_and_arguments(mode: Mode) -> None:
    async def use(client: Client) -> None:
        listed = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in listed] == list(GIVEN)
        for prompt in listed:
            assert prompt.title
            assert prompt.description
            assert {argument.name for argument in prompt.arguments or ()} == set(GIVEN[prompt.name])
            assert all(argument.description for argument in prompt.arguments or ())
        with pytest.raises(MCPError, match="first page"):
            await client.list_prompts(cursor="2")

    talk(ServiceDouble(), mode, use)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", GIVEN)
def test_a_prompt_puts_what_was_given_before_the_model_and_writes_nothing(name: str, mode: Mode) -> None:
    service = ServiceDouble()
    first, *pages = get(name, GIVEN[name], service, mode)
    assert isinstance(first, types.TextContent)
    for key, value in GIVEN[name].items():
        assert value in first.text or (key == "project" and name == "recall")
    for page in pages:
        assert isinstance(page, types.EmbeddedResource)
        assert page.resource.uri.startswith("afresh://")
        assert isinstance(page.resource, types.TextResourceContents)
        assert page.resource.text.startswith("# ")
    writing = {verb.name for verb in TOOLS if not verb.read_only}
    assert {verb for verb, _ in service.calls} & writing == set()
    named = {word.strip(".,;:()`'") for word in first.text.split() if word.startswith("memory_")}
    assert {word for word in named if "_" in word} <= {verb.name for verb in TOOLS}


def test_what_is_relevant_is_put_before_the_model_fenced() -> None:
    held = RESULTS["recall_context"]
    assert isinstance(held, ContextResult)
    service = ServiceDouble()
    (text,) = get("recall", {"question": "why cents"}, service)
    assert held.text in text.text
    assert service.calls == [("recall_context", {"query": "why cents"})]
    empty = held.model_copy(update={"items": [], "text": ""})
    (text,) = get("recall", {"question": "why cents"}, ServiceDouble({"recall_context": fixed(empty)}))
    assert "nothing relevant" in text.text


def test_conclusions_come_whole_with_how_they_stand() -> None:
    held = RESULTS["memory_exploration_recall"]
    assert isinstance(held, ExploreResult)
    service = ServiceDouble()
    first, *pages = get("explore", GIVEN["explore"], service)
    assert [page.resource.uri for page in pages] == [f"afresh://memo/{memo.id}" for memo in held.results[:3]]
    for memo in held.results:
        assert f"memo {memo.id}: {memo.status}" in first.text
    nothing = held.model_copy(update={"results": [], "fresh": 0, "stale": 0})
    answers = {"memory_exploration_recall": fixed(nothing)}
    (text,) = get("explore", GIVEN["explore"], ServiceDouble(answers))
    assert "Nothing was concluded" in text.text
    assert "memory_exploration_record" in text.text


@pytest.mark.parametrize("name", ["explore", "answer", "stale", "handoff"])
def test_the_project_is_the_workspaces_unless_named(name: str) -> None:
    given = {key: value for key, value in GIVEN[name].items() if key != "project"}
    service = ServiceDouble()
    first = get(name, given, service)[0]
    assert service.calls[0] == ("contents", {})
    assert "'shop'" in first.text
    nowhere = ContentsResult(projects=["bank", "shop"], project=None, root=None, memos=[])

    async def use(client: Client) -> None:
        with pytest.raises(MCPError, match="no known project; name one, of: bank, shop") as caught:
            await client.get_prompt(name, given)
        assert caught.value.error.code == types.INVALID_PARAMS

    talk(ServiceDouble({"contents": fixed(nowhere)}), "auto", use)


@pytest.mark.parametrize("mode", MODES)
def test_what_can_not_be_composed_is_told_with_what_there_is(mode: Mode) -> None:
    def lost(_arguments: Mapping[str, Any], _call: Call) -> Result:
        raise KeeperLostError("the keeper went away; try again")

    async def use(client: Client) -> None:
        for name, given, code, words in (
            ("forget", {}, types.INVALID_PARAMS, "no prompt 'forget'; there are: remember, recall"),
            ("recall", {}, types.INVALID_PARAMS, "recall needs question"),
            ("recall", {"question": "  "}, types.INVALID_PARAMS, "recall needs question"),
            ("recall", {"question": "a", "colour": "b"}, types.INVALID_PARAMS, "no argument 'colour'"),
            (
                "remember",
                {"content": "a", "type": "x"},
                types.INVALID_PARAMS,
                "'x' is none of fact, decision",
            ),
            ("recall", {"question": "a"}, types.INTERNAL_ERROR, "try again"),
        ):
            with pytest.raises(MCPError) as caught:
                await client.get_prompt(name, given)
            assert caught.value.error.code == code
            assert words in caught.value.error.message

    talk(ServiceDouble({"recall_context": lost}), mode, use)


@pytest.mark.parametrize("mode", MODES)
def test_arguments_of_prompts_are_completed(mode: Mode) -> None:
    service = ServiceDouble()

    async def use(client: Client) -> None:
        async def complete(name: str, argument: str, value: str, **given: str) -> types.Completion:
            ref = types.PromptReference(name=name)
            asked = {"name": argument, "value": value}
            return (await client.complete(ref, asked, context_arguments=given or None)).completion

        found = await complete("recall", "project", "sh")
        assert (found.values, found.total, found.has_more) == (["shop", "shop-2"], 2, False)
        await complete("remember", "type", "de")
        await complete("remember", "path", "bil", project="bank")
        free = await complete("recall", "question", "why")
        assert (free.values, free.total) == ([], 0)
        with pytest.raises(MCPError, match="no argument 'path'; there are: question, project"):
            await complete("recall", "path", "")
        with pytest.raises(MCPError, match="no prompt 'forget'"):
            await complete("forget", "path", "")

    talk(service, mode, use)
    assert service.calls == [
        ("complete", {"what": "project", "prefix": "sh"}),
        ("complete", {"what": "type", "prefix": "de"}),
        ("complete", {"what": "path", "prefix": "bil", "project": "bank"}),
    ]


@pytest.mark.filterwarnings("ignore:open_binary is deprecated:DeprecationWarning")
def test_what_each_session_pays_for_is_under_nine_thousand_tokens() -> None:
    import bpe_openai

    encoding = bpe_openai.get_encoding("o200k_base")

    def tokens(items: list[Any]) -> int:
        shown = [item.model_dump(mode="json", by_alias=True, exclude_none=True) for item in items]
        return len(encoding.encode(json.dumps(shown, ensure_ascii=False, separators=(",", ":"))))

    total = tokens(_tools()) + tokens(listed_prompts()) + len(encoding.encode(INSTRUCTIONS))
    assert 4000 < total < 9000
    assert len(PROMPTS) == 6
