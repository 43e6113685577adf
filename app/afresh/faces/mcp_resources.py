"""Resources over MCP: listed page by page, read through the engine's verbs."""

from __future__ import annotations

import base64
import binascii
import json
import logging
import threading
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from afresh.contracts import GetResult, Result, rfc3339
from afresh.engine.calls import Call, Caller, Service
from afresh.engine.fencing import visible
from afresh.errors import AfreshError, NotFoundError, UsageError
from afresh.faces import resource_kinds
from afresh.faces.resource_kinds import KINDS, MIME_TYPE, Address, address_of
from afresh.verbs import ContentsResult, ListedMemo

logger = logging.getLogger(__name__)

PAGE = 50
"""Resources on one page of the list."""
_SIZING_S = 0.25
"""Seconds that a page of the list may take longer so that sizes stand in it; the rest go without."""
_TITLE = 120
_BOTH: list[types.Role] = ["user", "assistant"]
ICON = types.Icon(
    src="data:image/svg+xml;base64,"
    + base64.b64encode(
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">'
        b'<circle cx="8" cy="8" r="7" fill="#2a7"/>'
        b'<path d="M4.5 8.5 7 11l4.5-5.5" fill="none" stroke="#fff" stroke-width="2"/></svg>'
    ).decode(),
    mime_type="image/svg+xml",
    sizes=["any"],
)
"""A tick: what was learned still stands. In the text itself, so that no palette has to fetch it."""

_Context = ServerRequestContext[dict[str, Any], Any]
_Place = tuple[int, int | str]
"""Where something stands in the list: its section, then its name or the negative of its id."""


class Resources:
    """The resources of one connection, seen from where its caller works."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._service = service
        self._caller = caller

    async def templates(
        self, _context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        if params is not None and params.cursor:
            raise _wrong(f"unknown cursor {params.cursor!r}: all templates stand on the first page")
        return types.ListResourceTemplatesResult(resource_templates=_templates())

    async def listed(
        self, _context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """What is stale comes first: each project's list, then the workspace's stale memos, then its others.

        Memories, and memos of other projects, are many: the templates and their completion lead there.
        """
        after = _place_of(params.cursor) if params is not None and params.cursor else None
        found = await self._ask("contents", {})
        assert isinstance(found, ContentsResult)
        entries = [(place, entry) for place, entry in _entries(found) if after is None or place > after]
        page = entries[:PAGE]
        sized = await self._sized([entry for _, entry in page], found.project)
        return types.ListResourcesResult(
            resources=sized,
            next_cursor=_cursor(page[-1][0]) if len(entries) > PAGE else None,
        )

    async def read(
        self, _context: _Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        address = known_address(params.uri)
        result = await self._ask(address.kind.verb, address.kind.arguments(address.value))
        if isinstance(result, GetResult) and result.missing:
            raise refused(NotFoundError(f"there is no memory {address.value}, or it was deleted"))
        text = address.kind.page(result)
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=params.uri, mime_type=MIME_TYPE, text=text)]
        )

    async def _sized(self, entries: list[types.Resource], project: str | None) -> list[types.Resource]:
        """The entries with the size of what a read of each gives, as far as that is found out in time."""
        here = resource_kinds.stale_of(project).uri if project is not None else None
        with anyio.move_on_after(_SIZING_S):
            for at, entry in enumerate(entries):
                address = known_address(entry.uri)
                if address.kind.variable == "project" and entry.uri != here:
                    # What is stale elsewhere takes longer to find out, and is asked for less.
                    continue
                try:
                    result = await self._ask(address.kind.verb, address.kind.arguments(address.value))
                except MCPError:
                    continue
                entries[at] = entry.model_copy(update={"size": len(address.kind.page(result).encode())})
        return entries

    async def _ask(self, verb: str, arguments: Mapping[str, Any]) -> Result:
        cancelled = threading.Event()
        call = Call(caller=self._caller, cancelled=cancelled)
        try:
            return await anyio.to_thread.run_sync(
                partial(self._service.call, verb, arguments, call), abandon_on_cancel=True
            )
        except anyio.get_cancelled_exc_class():
            cancelled.set()
            raise
        except AfreshError as error:
            raise refused(error) from None


def known_address(uri: str) -> Address:
    """The resource that a URI names. Raises MCPError that lists what URIs there are."""
    address = address_of(uri)
    if address is None:
        known = ", ".join(kind.template for kind in KINDS)
        raise _wrong(f"there is no resource {uri!r}; there are: {known}")
    return address


def refused(error: AfreshError) -> MCPError:
    """An error of the engine as the protocol tells it."""
    code = types.INVALID_PARAMS if isinstance(error, NotFoundError | UsageError) else types.INTERNAL_ERROR
    return MCPError(code=code, message=error.message, data={"kind": error.kind})


def _wrong(message: str) -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message=message)


@cache
def _templates() -> list[types.ResourceTemplate]:
    return [
        types.ResourceTemplate(
            uri_template=kind.template,
            name=kind.verb.replace("_", "-"),
            title=kind.title,
            description=kind.description,
            mime_type=MIME_TYPE,
            annotations=types.Annotations(audience=_BOTH),
            icons=[ICON],
        )
        for kind in KINDS
    ]


def _entries(found: ContentsResult) -> list[tuple[_Place, types.Resource]]:
    """Everything that is listed, in order."""
    entries: list[tuple[_Place, types.Resource]] = [
        ((0, name), _stale_list(name, here=name == found.project)) for name in sorted(found.projects)
    ]
    entries += [
        ((1 if memo.status == "stale" else 2, -memo.id), _memo(memo, found.project)) for memo in found.memos
    ]
    return sorted(entries, key=lambda entry: entry[0])


def _stale_list(project: str, *, here: bool) -> types.Resource:
    return types.Resource(
        uri=resource_kinds.stale_of(project).uri,
        name=f"stale-{project}",
        title=f"Stale in {_title(project)}",
        description="Conclusions and memories whose files changed since, gravest first.",
        mime_type=MIME_TYPE,
        annotations=types.Annotations(audience=_BOTH, priority=1.0 if here else 0.3),
    )


def _memo(memo: ListedMemo, project: str | None) -> types.Resource:
    return types.Resource(
        uri=resource_kinds.memo(memo.id).uri,
        name=f"memo-{memo.id}",
        title=_title(memo.question),
        description=f"{memo.status.capitalize()} conclusion in {_title(project or '')}",
        mime_type=MIME_TYPE,
        annotations=types.Annotations(
            audience=_BOTH,
            priority=0.9 if memo.status == "stale" else 0.5,
            last_modified=rfc3339(memo.updated_at),
        ),
    )


def _title(text: str) -> str:
    line = " ".join(visible(text).split())
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1]}…"


def _cursor(place: _Place) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


def _place_of(cursor: str) -> _Place:
    try:
        section, key = json.loads(base64.b64decode(cursor.encode(), altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error):
        section, key = None, None
    if (section == 0 and isinstance(key, str)) or (section in (1, 2) and isinstance(key, int)):
        return section, key
    raise _wrong(f"unknown cursor {cursor!r}; use next_cursor of the page before, or none")
