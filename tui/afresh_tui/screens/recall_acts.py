"""What can be done to a memory on the Recall screen: open, copy, change, delete, save; and its filters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual import work
from textual.app import SuspendNotSupported
from textual.content import Content
from textual.widgets import Input

from afresh.errors import AfreshError, UsageError
from afresh_tui.editor import edited_text, editor_command, readable_text, run_editor
from afresh_tui.inert import one_line
from afresh_tui.recall_filters import MEMORY_TYPES, TYPES, Filters
from afresh_tui.screens.ask import ChooseScreen, LineScreen
from afresh_tui.screens.base import AfreshScreen
from afresh_tui.screens.memory_form import Draft, MemoryForm
from afresh_tui.wording import counted

if TYPE_CHECKING:
    from afresh.contracts import MemoryRecord
    from afresh_tui.memory_rows import Row

LONGEST = 100_000
"""Characters that a memory may have."""


class RecallActs(AfreshScreen):
    """The acts, over what the screen has: `current`, `record`, `filters`, `deleted` and a search."""

    if TYPE_CHECKING:
        filters: Filters
        record: MemoryRecord | None
        deleted: list[int]
        explaining: bool

        @property
        def current(self) -> Row | None: ...

        def search_again(self, *, keep: bool = False) -> Any: ...

        def explain_again(self, *_: Any) -> None: ...

    def can(self, name: str) -> bool:
        row = self.current if self.is_mounted else None
        match name:
            case "copy":
                return row is not None
            case "open_source":
                return row is not None and self._place_of_source() is not None
            case "edit" | "delete" | "replace":
                return row is not None and row.memory.source.kind not in ("file", "git")
            case "undo":
                return bool(self.deleted)
            case "clear_filters":
                return self.filters != Filters() and not isinstance(self.focused, Input)
        return True

    # --- its source and its text ----------------------------------------------------------------------

    def _place_of_source(self) -> tuple[str, int | None] | None:
        """Path and line of where a memory came from, else of the first file that it cites."""
        row = self.current
        if row is not None and row.memory.source.path:
            return row.memory.source.path, row.memory.source.line
        if (
            self.record is not None
            and row is not None
            and self.record.id == row.memory.id
            and self.record.files
        ):
            cited = self.record.files[0]
            return cited.path, cited.spans[0].start_line if cited.spans else None
        return None

    @work(exclusive=True, group="open")
    async def action_open_source(self) -> None:
        place, row = self._place_of_source(), self.current
        if place is None or row is None:
            return
        shown, line = place
        try:
            path = await self._root_of(row.memory.project) / shown
            readable_text(path, shown)
            self._edit_on_terminal(editor_command(self.conditions.editor, path, line))
        except AfreshError as error:
            self.fail(error)
        except OSError as error:
            self.fail(UsageError(f"the editor can't be started: {error.strerror or error}"))

    async def _root_of(self, project: str) -> Path:
        """The root of a project's checkout: the one that the app works in, if it is that project."""
        here = await self.place()
        if here.project == project and here.root is not None:
            return here.root
        known = await self.engine.ask("projects", {})
        roots = next((info.roots for info in known.projects if info.name == project), [])
        if not roots:
            raise UsageError(f"the project {project} has no folder on this machine")
        return Path(roots[0])

    def _edit_on_terminal(self, command: list[str]) -> int:
        if self.conditions.run_editor is not None:
            return self.conditions.run_editor(command)
        try:
            with self.app.suspend():
                return run_editor(command)
        except SuspendNotSupported:
            raise UsageError("no editor can be opened from here: this is no terminal of its own") from None

    def action_copy(self) -> None:
        row = self.current
        if row is not None:
            self.app.copy_to_clipboard(row.memory.content)
            self.say(f"Copied #{row.memory.id}: {counted(len(row.memory.content), 'character')}.")

    # --- changing -------------------------------------------------------------------------------------

    def action_new(self) -> None:
        self._write("A new memory", Draft("", "fact", ""), self._save)

    def action_edit(self) -> None:
        row = self.current
        if row is not None:
            id_, before = row.memory.id, self._draft_of(row)
            self._write(f"Memory #{id_}", before, lambda draft: self._update(id_, before, draft))

    def action_replace(self) -> None:
        row = self.current
        if row is not None:
            id_ = row.memory.id
            self._write(
                f"Replaces #{id_}", self._draft_of(row), lambda draft: self._save(draft, replaces=id_)
            )

    def _draft_of(self, row: Row) -> Draft:
        kind = row.memory.type if row.memory.type in TYPES else "fact"
        return Draft(row.memory.content.strip(), kind, row.memory.path)

    def _write(self, title: str, draft: Draft, then: Callable[[Draft], Any]) -> None:
        def written(given: Draft | None) -> None:
            if given is not None:
                then(given)

        form = MemoryForm(title, draft, edit=self._edited, check=checked, blink=self.conditions.blink)
        self.app.push_screen(form, written)

    def _edited(self, text: str) -> str | None:
        try:
            return edited_text(self.conditions.editor, text, self._edit_on_terminal)
        except AfreshError as error:
            self.fail(error)
        except OSError as error:
            self.fail(UsageError(f"the editor can't be started: {error.strerror or error}"))
        return None

    @work(group="write")
    async def _save(self, draft: Draft, replaces: int | None = None) -> None:
        arguments = {
            "content": draft.content,
            "type": draft.type,
            "path": draft.path or None,
            "project": None if self.filters.project in ("", "%") else self.filters.project,
            "supersedes": replaces,
        }
        try:
            saved = await self.engine.ask("memory_save", arguments)
        except AfreshError as error:
            self.fail(error)
            return
        redacted = sum(item.count for item in saved.redacted)
        told = f"Saved #{saved.id}." if saved.created else f"It is there already, as #{saved.id}."
        if replaces is not None and saved.created:
            told += f" It replaces #{replaces}."
        if redacted:
            told += f" {counted(redacted, 'secret')} taken out."
        self.say(told)
        self.search_again(keep=True)

    @work(group="write")
    async def _update(self, id_: int, before: Draft, draft: Draft) -> None:
        changed = {
            name: getattr(draft, name)
            for name in ("content", "type", "path")
            if getattr(draft, name) != getattr(before, name)
        }
        if not changed:
            return
        try:
            updated = await self.engine.ask("memory_update", {"id": id_, **changed})
        except AfreshError as error:
            self.fail(error)
            return
        self.say(f"Changed #{id_}: version {updated.version}.")
        self.record = None
        self.search_again(keep=True)

    @work(group="write")
    async def action_delete(self) -> None:
        row = self.current
        if row is None:
            return
        try:
            await self.engine.ask("memory_delete", {"id": row.memory.id})
        except AfreshError as error:
            self.fail(error)
            return
        self.deleted.append(row.memory.id)
        self.say(f"Deleted #{row.memory.id}; u brings it back.")
        self.search_again(keep=True)
        self.refresh_bindings()

    @work(group="write")
    async def action_undo(self) -> None:
        if not self.deleted:
            return
        id_ = self.deleted[-1]
        try:
            await self.engine.ask("memory_delete", {"id": id_, "undo": True})
        except AfreshError as error:
            self.fail(error)
            return
        self.deleted.pop()
        self.say(f"#{id_} is back.")
        self.search_again(keep=True)
        self.refresh_bindings()

    # --- filters and explain --------------------------------------------------------------------------

    def action_explain(self) -> None:
        self.explaining = not self.explaining
        self.explain_again()

    def action_clear_filters(self) -> None:
        self._filter(Filters())

    def action_filter_type(self) -> None:
        options = [("", Content("all"))]
        options += [(name, Content(name)) for name in TYPES]
        options += [(name, Content.assemble(name, ("  memory type", "$text-muted"))) for name in MEMORY_TYPES]
        self._choose("Type", options, self.filters.type, "type")

    @work(exclusive=True, group="choose")
    async def action_filter_project(self) -> None:
        try:
            known = await self.engine.ask("projects", {})
        except AfreshError as error:
            self.fail(error)
            return
        options = [("", Content("this workspace's")), ("%", Content("all projects"))]
        options += [
            (
                info.name,
                Content.assemble(
                    one_line(info.name, 40),
                    (f"  {counted(info.memories, 'memory', 'memories')}", "$text-muted"),
                ),
            )
            for info in known.projects
        ]
        self._choose("Project", options, self.filters.project, "project")

    def action_filter_path(self) -> None:
        about = "A place and what is below it, such as billing; % stands for anything. Empty: all."
        self._ask("Path", about, "path", "billing/locks")

    def action_filter_time(self) -> None:
        about = "A time in words: today, last week, since Monday, in Q3, Aug 10 to Sep 1. Empty: any."
        self._ask("When", about, "time", "last week")

    def _choose(self, title: str, options: list[tuple[str, Content]], current: str, name: str) -> None:
        def chosen(value: str | None) -> None:
            if value is not None:
                self._filter(replace(self.filters, **{name: value}))

        self.app.push_screen(ChooseScreen(title, options, current), chosen)

    def _ask(self, title: str, about: str, name: str, placeholder: str) -> None:
        def answered(value: str | None) -> None:
            if value is not None:
                self._filter(replace(self.filters, **{name: value}))

        page = LineScreen(
            title, about, getattr(self.filters, name), placeholder=placeholder, blink=self.conditions.blink
        )
        self.app.push_screen(page, answered)

    def _filter(self, filters: Filters) -> None:
        self.filters = filters
        self.search_again()
        self.refresh_bindings()


def checked(draft: Draft) -> str:
    """What is wrong with a draft; empty where it can be saved."""
    if not draft.content:
        return "There is no text to save."
    if len(draft.content) > LONGEST:
        return f"The text has {len(draft.content):,} characters; a memory may have {LONGEST:,}."
    return ""
