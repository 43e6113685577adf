"""Completion over MCP: how a prompt's argument or a resource's address goes on while one types."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from afresh.engine.calls import Call, Caller, Service
from afresh.errors import AfreshError
from afresh.faces.mcp_prompts import known_prompt
from afresh.faces.mcp_resources import refused
from afresh.faces.resource_kinds import KINDS, kind_of
from afresh.verbs import CompleteResult

_Context = ServerRequestContext[dict[str, Any], Any]


class Completion:
    """The completion of one connection; what is near its caller comes first."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._service = service
        self._caller = caller

    async def complete(self, _context: _Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        given = dict(params.context.arguments or {}) if params.context is not None else {}
        what = _what(params.ref, params.argument.name)
        if what is None:
            return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))
        asked: dict[str, Any] = {"what": what, "prefix": params.argument.value}
        if what != "project" and given.get("project"):
            asked["project"] = given["project"]
        found = await self._ask(asked)
        return types.CompleteResult(
            completion=types.Completion(
                values=found.values, total=found.total, has_more=found.total > len(found.values)
            )
        )

    async def _ask(self, arguments: Mapping[str, Any]) -> CompleteResult:
        cancelled = threading.Event()
        call = Call(caller=self._caller, cancelled=cancelled)
        try:
            found = await anyio.to_thread.run_sync(
                partial(self._service.call, "complete", arguments, call), abandon_on_cancel=True
            )
        except anyio.get_cancelled_exc_class():
            cancelled.set()
            raise
        except AfreshError as error:
            raise refused(error) from None
        assert isinstance(found, CompleteResult)
        return found


def _what(ref: types.ResourceTemplateReference | types.PromptReference, name: str) -> str | None:
    """What the verb `complete` completes the argument with; None for free text.

    Raises MCPError for what there is not, and says what there is.
    """
    if isinstance(ref, types.PromptReference):
        prompt = known_prompt(ref.name)
        argument = next((argument for argument in prompt.arguments if argument.name == name), None)
        if argument is None:
            known = ", ".join(argument.name for argument in prompt.arguments)
            raise _wrong(f"{prompt.name} has no argument {name!r}; there are: {known}")
        return argument.completes
    kind = kind_of(ref.uri)
    if kind is None:
        known = ", ".join(kind.template for kind in KINDS)
        raise _wrong(f"there is no resource template {ref.uri!r}; there are: {known}")
    if name != kind.variable:
        raise _wrong(f"{kind.template} has no argument {name!r}, but {kind.variable!r}")
    return kind.completes


def _wrong(message: str) -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message=message)
