"""The protocol's types, made here and nowhere else, with columns as clients count them.

Everything else counts lines from 1 and columns in code points; the protocol counts lines from 0 and columns
in the units that were agreed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.workspace import PositionCodec, TextDocument

from afresh_lsp import texts
from afresh_lsp.knowledge import Claim, Definition, Item, Lines
from afresh_lsp.uris import uri_of

SOURCE = "afresh"
_SEVERITIES = {
    "gone": types.DiagnosticSeverity.Warning,
    "edited": types.DiagnosticSeverity.Warning,
    "moved": types.DiagnosticSeverity.Information,
    "docs_only": types.DiagnosticSeverity.Information,
}
_HUNKS_AT_MOST = 20
"""Diagnostics of one conclusion in one file."""
_RELATED_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class Client:
    """What a client can, as far as it matters here."""

    name: str = "lsp"
    configuration: bool = False
    markdown: bool = False
    related: bool = False
    code_description: bool = False
    literal_actions: bool = False
    show_document: bool = False
    content: bool = False
    progress: bool = False
    lens_refresh: bool = False
    hint_refresh: bool = False
    link_tooltips: bool = False


def client_of(params: types.InitializeParams) -> Client:
    """From what a client says of itself when it connects."""
    can = params.capabilities
    workspace, text, window = can.workspace, can.text_document, can.window
    hover = text.hover if text else None
    diagnostics = text.publish_diagnostics if text else None
    actions = text.code_action if text else None
    links = text.document_link if text else None
    return Client(
        name=params.client_info.name if params.client_info else "lsp",
        configuration=bool(workspace and workspace.configuration),
        markdown=bool(hover and types.MarkupKind.Markdown in (hover.content_format or ())),
        related=bool(diagnostics and diagnostics.related_information),
        code_description=bool(diagnostics and diagnostics.code_description_support),
        literal_actions=bool(actions and actions.code_action_literal_support),
        show_document=bool(window and window.show_document and window.show_document.support),
        content=bool(workspace and workspace.text_document_content),
        progress=bool(window and window.work_done_progress),
        lens_refresh=bool(workspace and workspace.code_lens and workspace.code_lens.refresh_support),
        link_tooltips=bool(links and links.tooltip_support),
        hint_refresh=bool(workspace and workspace.inlay_hint and workspace.inlay_hint.refresh_support),
    )


@dataclass(frozen=True, slots=True)
class Text:
    """A text's lines, and how its client counts columns."""

    lines: Sequence[str]
    codec: PositionCodec

    def position(self, line: int, column: int) -> types.Position:
        """Of a line from 1 and a column in code points; inside the text also where those are not."""
        index = min(max(line - 1, 0), max(len(self.lines) - 1, 0))
        if line - 1 > index:
            column = 0
        shown = self.lines[index].rstrip("\r\n") if self.lines else ""
        units = self.codec.client_num_units(shown[: min(column, len(shown))])
        return types.Position(line=index, character=units)

    def span(self, line: int, start: int, end: int) -> types.Range:
        """Of columns in one line."""
        return types.Range(self.position(line, start), self.position(line, end))

    def whole(self, lines: Lines) -> types.Range:
        """Of lines, without the white space that they begin and end with.

        Where lines were only taken out it is the whole of the line behind which they stood.
        """
        if lines.end < lines.start:
            line = min(max(lines.start - 1, 1), max(len(self.lines), 1))
            lines = Lines(line, line)
        first, last = self.line(lines.start), self.line(lines.end).rstrip()
        start = self.position(lines.start, len(first) - len(first.lstrip()))
        end = self.position(lines.end, len(last))
        if (end.line, end.character) < (start.line, start.character):
            end = start
        return types.Range(start, end)

    def line(self, number: int) -> str:
        """A line from 1, without its end; empty where there is none."""
        return self.lines[number - 1].rstrip("\r\n") if 1 <= number <= len(self.lines) else ""

    def place(self, position: types.Position) -> tuple[int, int]:
        """The line from 1, and the column in code points, of a client's position."""
        line = self.line(position.line + 1)
        units = 0
        for column, character in enumerate(line):
            if units >= position.character:
                return position.line + 1, column
            units += self.codec.client_num_units(character)
        return position.line + 1, len(line)


def text_of(document: TextDocument) -> Text:
    """An open text."""
    return Text(document.lines, document.position_codec)


# --- lenses, hovers, hints --------------------------------------------------------------------------------


def lens(text: Text, line: int, title: str, command: str, arguments: Sequence[object]) -> types.CodeLens:
    """A lens above a line."""
    return types.CodeLens(
        range=text.span(line, 0, 0),
        command=types.Command(title=title, command=command, arguments=list(arguments)),
    )


def hover(text: Text, line: int, start: int, end: int, shown: str, *, markdown: bool) -> types.Hover:
    """A hover over columns of a line."""
    kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, shown), text.span(line, start, end))


def hint(text: Text, line: int, label: str, tooltip: str) -> types.InlayHint:
    """A hint at the end of a line."""
    return types.InlayHint(
        position=text.position(line, len(text.line(line))), label=label, tooltip=tooltip, padding_left=True
    )


# --- diagnostics ------------------------------------------------------------------------------------------


def severity(impact: str | None) -> types.DiagnosticSeverity:
    """How loudly an impact is told."""
    return _SEVERITIES.get(impact or "", types.DiagnosticSeverity.Hint)


def stale(text: Text, item: Item, client: Client, link: str) -> list[types.Diagnostic]:
    """A stale conclusion on the very lines that made it so; none where this file is what it was."""
    if item.change is None:
        return []
    places = [place.lines for place in item.places if place.lines is not None]
    where = list(item.hunks) or places[:1] or [Lines(1, 1)]
    related = None
    if client.related:
        related = [
            types.DiagnosticRelatedInformation(
                location=types.Location(uri_of(other.path), _line(other.line)),
                message=texts.impact_said(other.change) if other.change is not None else "unchanged",
            )
            for other in item.others[:_RELATED_AT_MOST]
        ]
    return [
        types.Diagnostic(
            range=text.whole(lines),
            message=texts.message(item),
            severity=severity(item.change),
            code=f"{item.kind}-{item.change}",
            code_description=types.CodeDescription(link) if client.code_description else None,
            source=SOURCE,
            related_information=related or None,
            data={"kind": item.kind, "id": item.id},
        )
        for lines in where[:_HUNKS_AT_MOST]
    ]


def dead(text: Text, claim: Claim) -> types.Diagnostic:
    """Something that is named and is there no more."""
    hint = f" Probably meant: {claim.suggestion}." if claim.suggestion is not None else ""
    return types.Diagnostic(
        range=text.span(claim.line, claim.start, claim.end),
        message=f"{texts.plain(claim.dead or '', 300)}.{hint}",
        severity=types.DiagnosticSeverity.Warning,
        code=f"dead-{claim.kind}",
        source=SOURCE,
    )


def published(
    uri: str, version: int | None, found: Sequence[types.Diagnostic]
) -> types.PublishDiagnosticsParams:
    """The diagnostics of one text."""
    return types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=list(found))


# --- actions ----------------------------------------------------------------------------------------------


def action(
    title: str,
    client: Client,
    *,
    command: str | None = None,
    arguments: Sequence[object] = (),
    edits: Mapping[str, Sequence[types.TextEdit]] | None = None,
    fixes: Sequence[types.Diagnostic] = (),
    preferred: bool = False,
) -> types.CodeAction | types.Command | None:
    """Something that can be done; None for an edit that this client can't be offered."""
    made = None
    if command is not None:
        made = types.Command(title=title, command=command, arguments=list(arguments))
    if not client.literal_actions:
        return made
    return types.CodeAction(
        title=title,
        kind=types.CodeActionKind.QuickFix if fixes or edits else types.CodeActionKind.Empty,
        diagnostics=list(fixes) or None,
        is_preferred=preferred or None,
        edit=types.WorkspaceEdit(changes={uri: list(each) for uri, each in edits.items()}) if edits else None,
        command=made,
    )


def edit(text: Text, line: int, start: int, end: int, new: str) -> types.TextEdit:
    """Other text for columns of a line."""
    return types.TextEdit(text.span(line, start, end), new)


def overlaps(one: types.Range, other: types.Range) -> bool:
    """Whether two ranges touch."""
    starts = (one.start.line, one.start.character), (other.start.line, other.start.character)
    ends = (one.end.line, one.end.character), (other.end.line, other.end.character)
    return starts[0] <= ends[1] and starts[1] <= ends[0]


# --- places -----------------------------------------------------------------------------------------------


def _line(line: int) -> types.Range:
    start = types.Position(max(line - 1, 0), 0)
    return types.Range(start, start)


def location(path: Path, line: int | None) -> types.Location:
    """The beginning of a line of a file, from 1."""
    return types.Location(uri_of(path), _line(line or 1))


def locations(found: Iterable[Definition]) -> list[types.Location]:
    """Where a name is defined."""
    return [location(one.path, one.lines.start) for one in found]


def link(text: Text, claim: Claim, target: str, client: Client) -> types.DocumentLink:
    """A link from a citation to what it cites."""
    return types.DocumentLink(
        range=text.span(claim.line, claim.start, claim.end),
        target=target,
        tooltip=claim.target_symbol if client.link_tooltips else None,
    )


def found_symbol(name: str, container: str, uri: str, line: int) -> types.SymbolInformation:
    """A memory among the workspace's symbols."""
    return types.SymbolInformation(
        location=types.Location(uri, _line(line)),
        name=name,
        kind=types.SymbolKind.String,
        container_name=container,
    )


def completions(
    text: Text, line: int, start: int, end: int, names: Iterable[tuple[str, str, str]], *, complete: bool
) -> types.CompletionList:
    """What can be written between two columns: (kind, text, detail)."""
    kinds = {
        "file": types.CompletionItemKind.File,
        "folder": types.CompletionItemKind.Folder,
        "symbol": types.CompletionItemKind.Reference,
    }
    where = text.span(line, start, end)
    return types.CompletionList(
        is_incomplete=not complete,
        items=[
            types.CompletionItem(
                label=name,
                kind=kinds[kind],
                detail=detail or None,
                filter_text=name,
                text_edit=types.TextEdit(where, name),
                insert_text=name,
            )
            for kind, name, detail in names
        ],
    )


# --- messages, progress, settings -------------------------------------------------------------------------


def told(message: str, level: str = "info") -> types.ShowMessageParams:
    """A message for the user."""
    kinds = {
        "info": types.MessageType.Info,
        "warning": types.MessageType.Warning,
        "error": types.MessageType.Error,
    }
    return types.ShowMessageParams(type=kinds[level], message=message)


def logged(message: str) -> types.LogMessageParams:
    """A message for the client's log."""
    return types.LogMessageParams(type=types.MessageType.Warning, message=message)


def settings_wanted() -> types.ConfigurationParams:
    """The question for this server's settings."""
    return types.ConfigurationParams([types.ConfigurationItem(section=SOURCE)])


def document_wanted(uri: str) -> types.ShowDocumentParams:
    """The request to show a document."""
    return types.ShowDocumentParams(uri=uri, take_focus=True)


def begun(title: str) -> types.WorkDoneProgressBegin:
    return types.WorkDoneProgressBegin(title=title, cancellable=True)


def reported(event: Mapping[str, Any]) -> types.WorkDoneProgressReport:
    """An event of a verb that takes time."""
    done, total = event.get("done"), event.get("total")
    part = isinstance(done, int) and isinstance(total, int) and total > 0
    return types.WorkDoneProgressReport(
        message=str(event.get("message") or event.get("phase") or event.get("kind") or ""),
        percentage=min(100, 100 * done // total) if part else None,  # type: ignore[operator]
        cancellable=True,
    )


def ended(message: str) -> types.WorkDoneProgressEnd:
    return types.WorkDoneProgressEnd(message=message)


# --- pages ------------------------------------------------------------------------------------------------


def content(text: str) -> types.TextDocumentContentResult:
    """The text of a page."""
    return types.TextDocumentContentResult(text)


def content_changed(uri: str) -> types.TextDocumentContentRefreshParams:
    """A page has another text."""
    return types.TextDocumentContentRefreshParams(uri)


def with_pages(result: types.InitializeResult, scheme: str) -> types.InitializeResult:
    """What this server can, with its pages, which pygls knows nothing of."""
    if result.capabilities.workspace is not None:
        result.capabilities.workspace.text_document_content = types.TextDocumentContentOptions([scheme])
    return result
