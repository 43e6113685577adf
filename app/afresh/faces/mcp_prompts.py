"""Prompts over MCP: the slash commands of editors' palettes.

A prompt never writes: what it finds is put before the model together with what to do about it, and whatever
is to be saved the model saves by a tool, so that the client asks its user as for any call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, get_args

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from afresh.contracts import ContextResult, ExploreResult, Result, SaveType
from afresh.engine.calls import Call, Caller, Service
from afresh.errors import AfreshError, UnknownProjectError
from afresh.faces import resource_kinds
from afresh.faces.mcp_resources import refused
from afresh.faces.resource_kinds import MIME_TYPE, Address
from afresh.verbs import ContentsResult

_EMBEDDED = 3
"""Conclusions that a prompt carries whole."""

_Context = ServerRequestContext[dict[str, Any], Any]
_Ask = Callable[[str, Mapping[str, Any]], Result]
_Given = Mapping[str, str]
_Blocks = Sequence[types.ContentBlock]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a prompt."""

    name: str
    description: str
    required: bool = False
    completes: Literal["project", "type", "path"] | None = None
    """What the verb `complete` completes it with."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One slash command."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    compose: Callable[[_Ask, _Given], _Blocks]
    """What is put before the model; called in a worker thread."""


class Prompts:
    """The prompts of one connection, seen from where its caller works."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._service = service
        self._caller = caller

    async def listed(
        self, _context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        if params is not None and params.cursor:
            raise _wrong(f"unknown cursor {params.cursor!r}: all prompts stand on the first page")
        return types.ListPromptsResult(prompts=listed_prompts())

    async def get(self, _context: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt = known_prompt(params.name)
        given = _checked(prompt, params.arguments or {})
        cancelled = threading.Event()
        call = Call(caller=self._caller, cancelled=cancelled)

        def ask(verb: str, arguments: Mapping[str, Any]) -> Result:
            return self._service.call(verb, arguments, call)

        try:
            blocks = await anyio.to_thread.run_sync(
                partial(prompt.compose, ask, given), abandon_on_cancel=True
            )
        except anyio.get_cancelled_exc_class():
            cancelled.set()
            raise
        except AfreshError as error:
            raise refused(error) from None
        return types.GetPromptResult(
            description=prompt.description,
            messages=[types.PromptMessage(role="user", content=block) for block in blocks],
        )


def known_prompt(name: str) -> Prompt:
    """The prompt of that name. Raises MCPError that lists what prompts there are."""
    found = next((prompt for prompt in PROMPTS if prompt.name == name), None)
    if found is None:
        known = ", ".join(prompt.name for prompt in PROMPTS)
        raise _wrong(f"there is no prompt {name!r}; there are: {known}")
    return found


@cache
def listed_prompts() -> list[types.Prompt]:
    """As clients list them."""
    return [
        types.Prompt(
            name=prompt.name,
            title=prompt.title,
            description=prompt.description,
            arguments=[
                types.PromptArgument(
                    name=argument.name, description=argument.description, required=argument.required
                )
                for argument in prompt.arguments
            ],
        )
        for prompt in PROMPTS
    ]


def _checked(prompt: Prompt, sent: _Given) -> _Given:
    """What was given; an empty value is none. Raises MCPError for unknown and missing arguments."""
    known = [argument.name for argument in prompt.arguments]
    for name in sent:
        if name not in known:
            raise _wrong(f"{prompt.name} has no argument {name!r}; there are: {', '.join(known)}")
    given = {name: value.strip() for name, value in sent.items() if value.strip()}
    for argument in prompt.arguments:
        if argument.required and argument.name not in given:
            raise _wrong(f"{prompt.name} needs {argument.name}: {argument.description}")
    return given


def _wrong(message: str) -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message=message)


# --- what each puts before the model ------------------------------------------------------------------


def _remember(_ask: _Ask, given: _Given) -> _Blocks:
    kinds = get_args(SaveType)
    kind = given.get("type")
    if kind is not None and kind not in kinds:
        raise _wrong(f"type: {kind!r} is none of {', '.join(kinds)}")
    how = f"type {kind}" if kind else f"the type that fits best ({', '.join(kinds)})"
    where = f", path {given['path']}" if "path" in given else ""
    return [
        _text(
            f"Save this with memory_save, {how}{where}:\n\n{given['content']}\n\n"
            "Keep the reason with it, and cite in `files` the code that it rests on. If `near` shows an "
            "older "
            "memory that this one replaces, save it with `supersedes`. Tell me the id."
        )
    ]


def _recall(ask: _Ask, given: _Given) -> _Blocks:
    question = given["question"]
    found = ask("recall_context", {"query": question, **_only(given, "project")})
    assert isinstance(found, ContextResult)
    if not found.items:
        return [
            _text(f"{question}\n\nMemory holds nothing relevant to this. Say so, before you look elsewhere.")
        ]
    return [
        _text(
            f"{question}\n\nAnswer from what memory holds, and name the ids that you used. If it isn't "
            "enough, "
            f"say what is missing; memory_recall_iterative searches in several steps.\n\n{found.text}"
        )
    ]


def _explore(ask: _Ask, given: _Given) -> _Blocks:
    question, project = given["question"], _project(ask, given)
    found = ask("memory_exploration_recall", {"question": question, "project": project})
    assert isinstance(found, ExploreResult)
    after = (
        f"Then record what you concluded: memory_exploration_record, project {project!r}, with this question "
        "and the files, lines or symbols that you read."
    )
    if not found.results:
        return [_text(f"{question}\n\nNothing was concluded about this before. Read the code. {after}")]
    shown = [
        f"- memo {memo.id}: {memo.status}{f' ({memo.impact})' if memo.impact else ''}"
        for memo in found.results
    ]
    intro = (
        f"{question}\n\nThis was concluded before, the likeliest first. Rely on what is fresh without "
        "reading "
        "again. Of what is stale read only the changed files, then memory_exploration_verify if it still "
        "holds. "
        f"If none of it answers, read the code. {after}"
    )
    pages = [_page(ask, resource_kinds.memo(memo.id)) for memo in found.results[:_EMBEDDED]]
    return [_text("\n".join([intro, "", *shown])), *pages]


def _answer(ask: _Ask, given: _Given) -> _Blocks:
    project = _project(ask, given)
    return [
        _text(
            f"Call memory_answer for project {project!r} with this query:\n\n{given['question']}\n\n"
            "Give me its answer with the quotes and the ids they come from, and its caveat if there is "
            "one. If "
            "it is insufficient, tell me what is missing, and don't fill the gap by guessing."
        )
    ]


def _stale(ask: _Ask, given: _Given) -> _Blocks:
    project = _project(ask, given)
    return [
        _text(
            f"This is what project {project!r} knows and what no longer rests on the code it was learned "
            "from. "
            "Go through it, the gravest first: read what changed, then memory_exploration_verify with verify "
            "if it still holds and with retire if it is false now, or memory_exploration_record with the "
            "same "
            "question if the answer changed. For memories use memory_update, or memory_save with "
            "`supersedes`."
        ),
        _page(ask, resource_kinds.stale_of(project)),
    ]


def _handoff(ask: _Ask, given: _Given) -> _Blocks:
    project = _project(ask, given)
    focus = f", above all about: {given['focus']}" if "focus" in given else ""
    return [
        _text(
            f"Hand this session over to the next one{focus}.\n\n"
            "1. Save with memory_save each decision, lesson, convention and solution of this session that "
            "isn't "
            "saved yet, one at a time, with its reason and files.\n"
            f"2. Record with memory_exploration_record, project {project!r}, what you concluded from reading "
            "code.\n"
            "3. Settle what went stale below and what you know about: verify, record again, or retire.\n"
            "4. Save one memory of type fact, path handoff, tag handoff: what is done, what is open, what "
            "comes "
            "next, with the ids of the above. Show it to me."
        ),
        _page(ask, resource_kinds.stale_of(project)),
    ]


def _project(ask: _Ask, given: _Given) -> str:
    """The project that was given, else the workspace's. Raises UnknownProjectError where there is none."""
    if "project" in given:
        return given["project"]
    found = ask("contents", {})
    assert isinstance(found, ContentsResult)
    if found.project is None:
        known = ", ".join(found.projects) or "none yet"
        raise UnknownProjectError(f"this folder is in no known project; name one, of: {known}")
    return found.project


def _only(given: _Given, *names: str) -> dict[str, str]:
    return {name: given[name] for name in names if name in given}


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)


def _page(ask: _Ask, address: Address) -> types.ContentBlock:
    result = ask(address.kind.verb, address.kind.arguments(address.value))
    contents = types.TextResourceContents(
        uri=address.uri, mime_type=MIME_TYPE, text=address.kind.page(result)
    )
    return types.EmbeddedResource(type="resource", resource=contents)


_PROJECT = Argument("project", "Default: the workspace's.", completes="project")
_QUESTION = Argument("question", "In your words.", required=True)

PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        "remember",
        "Remember",
        "Save something for later sessions.",
        (
            Argument("content", "What to remember, with its reason.", required=True),
            Argument("type", "decision, lesson, …; default: what fits.", completes="type"),
            Argument("path", "Logical place, such as billing/locks.", completes="path"),
        ),
        _remember,
    ),
    Prompt(
        "recall",
        "Recall",
        "Put what memory holds about a question before the model.",
        (_QUESTION, _PROJECT),
        _recall,
    ),
    Prompt(
        "explore",
        "Explore",
        "What was concluded about the code before, and whether it still stands, before files are read.",
        (_QUESTION, _PROJECT),
        _explore,
    ),
    Prompt(
        "answer",
        "Answer",
        "An answer from saved records alone, with quotes.",
        (_QUESTION, _PROJECT),
        _answer,
    ),
    Prompt("stale", "Stale", "Go through what no longer rests on its code.", (_PROJECT,), _stale),
    Prompt(
        "handoff",
        "Hand off",
        "Save and record what this session learned, for the next one.",
        (Argument("focus", "What the next session is about."), _PROJECT),
        _handoff,
    ),
)
"""In the order that palettes show them."""
