"""Code actions: what can be done about a stale conclusion, a dead path, or the lines that are selected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from afresh_lsp import texts, translator
from afresh_lsp.features.commands import DIFF, RECORD, RERECORD, RETIRE, VERIFY
from afresh_lsp.knowledge import Item, Knowledge, Lines

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer

_Action = types.CodeAction | types.Command


def register(server: AfreshServer) -> None:
    """Offer them."""
    options = types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.Empty]
    )

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def actions(params: types.CodeActionParams) -> list[_Action]:
        uri = params.text_document.uri
        known = await server.files.knowledge(uri)
        if known.project is None:
            return []
        text = server.shown(uri)
        found: list[_Action | None] = []
        for item in known.items:
            if item.stale and _touches(text, item, params.range):
                found += _about(server, text, item)
        found += _dead_fixes(server, text, known, uri, params.range)
        found.append(_selection(server, text, uri, params.range))
        only = tuple(params.context.only or ())
        return [one for one in found if one is not None and _is_wanted(one, only)]


def _touches(text: translator.Text, item: Item, where: types.Range) -> bool:
    """Whether a stale conclusion is about lines that a range reaches."""
    lines: list[Lines] = [*item.hunks, *(place.lines for place in item.places if place.lines is not None)]
    return any(translator.overlaps(text.whole(one), where) for one in lines or [Lines(1, 1)])


def _about(server: AfreshServer, text: translator.Text, item: Item) -> list[_Action | None]:
    name = texts.plain(item.title, 60)
    fixes = translator.stale(text, item, server.client, "") if item.change is not None else []
    argument = [{"kind": item.kind, "id": item.id}]
    offered = [
        (f"Verify: still holds: {name}", VERIFY),
        (f"Show what changed under: {name}", DIFF),
        (f"Retire: {name}", RETIRE),
    ]
    if item.kind == "memo":
        offered.insert(2, (f"Record again: {name}", RERECORD))
    return [
        translator.action(
            title,
            server.client,
            command=command,
            arguments=argument,
            fixes=fixes if command == VERIFY else (),
        )
        for title, command in offered
    ]


def _dead_fixes(
    server: AfreshServer, text: translator.Text, known: Knowledge, uri: str, where: types.Range
) -> list[_Action | None]:
    found: list[_Action | None] = []
    for claim in known.claims:
        if claim.dead is None or claim.replacement is None:
            continue
        if translator.overlaps(text.span(claim.line, claim.start, claim.end), where):
            edit = translator.edit(text, claim.line, claim.start, claim.end, claim.replacement)
            found.append(
                translator.action(
                    f"Change to {texts.plain(claim.replacement, 80)}",
                    server.client,
                    edits={uri: [edit]},
                    fixes=[translator.dead(text, claim)],
                    preferred=True,
                )
            )
    return found


def _selection(server: AfreshServer, text: translator.Text, uri: str, where: types.Range) -> _Action | None:
    if where.start == where.end:
        return None
    start, _ = text.place(where.start)
    end, column = text.place(where.end)
    if column == 0 and end > start:
        end -= 1
    argument = {"uri": uri, "start_line": start, "end_line": end}
    return translator.action(
        "Record a conclusion about this selection", server.client, command=RECORD, arguments=[argument]
    )


def _is_wanted(one: _Action, only: tuple[str, ...]) -> bool:
    if not only or isinstance(one, types.Command):
        return True
    kind = str(getattr(one.kind, "value", one.kind) or "")
    return any(
        kind == wanted or kind.startswith(f"{wanted}.")
        for wanted in (str(getattr(o, "value", o)) for o in only)
    )
