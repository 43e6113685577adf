"""The files that are open in the editor, and what is known of each as its text is now.

A question is asked once however many features want its answer, and taken back when the text changed again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from afresh.errors import AfreshError
from afresh_lsp.engine import Engine
from afresh_lsp.knowledge import Knowledge, knowledge_of
from afresh_lsp.pages import Pages

NOTHING = Knowledge()
_AT_ONCE = 4
"""Texts that are judged at once where nobody waits for a certain one."""
_SOON_S = 0.02
_TEXT_AT_MOST = 8 * 1024 * 1024
"""Characters of a text that is judged; longer ones are data."""
_BUFFERS_AT_MOST = 16 * 1024 * 1024
"""Characters of other unsaved texts that go along with a question."""


@dataclass(eq=False, slots=True)
class OpenFile:
    """One open text."""

    uri: str
    path: Path | None
    folder: Path | None
    """The folder of the editor that it is in."""
    root: Path | None = None
    """For a page of ours: the checkout that it tells of."""
    dirty: bool = False
    generation: int = 0
    """Another one with every change of what its judgement rests on."""
    known: Knowledge = NOTHING
    """What was known when last asked."""
    task: asyncio.Task[Knowledge] | None = None
    asked: int = -1
    """The generation that the task asks about."""
    timer: asyncio.TimerHandle | None = None
    shown: object = None
    """What was last shown of it, for whoever shows it."""


class Told(Protocol):
    """What the files need of the server around them."""

    engine: Engine
    pages: Pages

    def text(self, uri: str) -> str:
        """An open text as it is now."""

    def delay(self) -> float:
        """Seconds without a key before a text is judged."""

    def failed(self, error: AfreshError) -> None:
        """Tell the user that the engine failed."""

    def answered(self) -> None:
        """The engine answers."""


Shown = Callable[[OpenFile, Knowledge], None]


@dataclass(slots=True)
class Files:
    """All open files. Belongs to the event loop."""

    told: Told
    folders: list[Path] = field(default_factory=list)
    show: list[Shown] = field(default_factory=list)
    """Called with what is known of a file whenever that was asked anew."""
    _open: dict[str, OpenFile] = field(default_factory=dict)
    _running: set[asyncio.Task[None]] = field(default_factory=set)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_AT_ONCE))

    # --- what the editor does -------------------------------------------------------------------------

    def opened(self, uri: str, path: Path | None) -> OpenFile:
        page = self.told.pages.page_at(path) if path is not None else None
        file = OpenFile(uri, path, self.folder_of(path), root=page.root if page is not None else None)
        self._open[uri] = file
        self._judge_later(file, 0.0)
        return file

    def changed(self, uri: str) -> None:
        file = self._open.get(uri)
        if file is not None:
            file.dirty = True
            self._outdated(file)
            self._judge_later(file, self.told.delay(), spread=True)

    def saved(self, uri: str) -> None:
        file = self._open.get(uri)
        if file is not None:
            file.dirty = False
            self._outdated(file)
            self._judge_later(file, 0.0, spread=True)

    def closed(self, uri: str) -> None:
        file = self._open.pop(uri, None)
        if file is None:
            return
        _cancel(file)
        if file.dirty:
            # What it said instead of the disk is gone.
            self._others_of(file)

    def get(self, uri: str) -> OpenFile | None:
        return self._open.get(uri)

    def all(self) -> Iterable[OpenFile]:
        return list(self._open.values())

    def folder_of(self, path: Path | None) -> Path | None:
        """The folder of the editor that holds a path: the deepest."""
        holding = [folder for folder in self.folders if path is not None and path.is_relative_to(folder)]
        return max(holding, key=lambda folder: len(folder.parts), default=None)

    def placed_anew(self) -> None:
        """The editor's folders are others."""
        for file in self.all():
            file.folder = self.folder_of(file.path)
        self.refresh(self.all())

    # --- what is known --------------------------------------------------------------------------------

    async def knowledge(self, uri: str) -> Knowledge:
        """What is known of an open file, as its text is now; nothing of one that isn't open.

        Where the engine fails it is what was known before.
        """
        file = self._open.get(uri)
        while file is not None:
            task = self._task(file)
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if (current is not None and current.cancelling()) or not task.cancelled():
                    raise
                # The text changed meanwhile: then what it is now is asked about.
                file = self._open.get(uri)
        return NOTHING

    def unsaved(self, but: Path | None) -> list[dict[str, str]]:
        """The other texts that count instead of the disk."""
        found: list[dict[str, str]] = []
        room = _BUFFERS_AT_MOST
        for file in self._open.values():
            if file.dirty and file.path is not None and file.path != but and len(found) < 200:
                text = self.told.text(file.uri)
                room -= len(text)
                if room < 0:
                    break
                found.append({"path": str(file.path), "text": text})
        return found

    def refresh(self, files: Iterable[OpenFile]) -> None:
        """Ask again about files of which something else may be known."""
        for file in files:
            self._outdated(file)
            self._judge_later(file, _SOON_S)

    def news(self, folder: Path, event: Mapping[str, Any]) -> None:
        """Something was told of a folder."""
        here = [file for file in self.all() if file.folder == folder]
        match event.get("kind"):
            case "following":
                self.refresh(here)
            case "turned":
                self.refresh(here if event.get("all") or event.get("skipped") else _turned(here, event))
            case "change":
                self.refresh(here if event.get("skipped") or _is_long(event) else _touched(here, event))

    def close(self) -> None:
        """Ask nothing more."""
        for file in self.all():
            _cancel(file)
        for task in list(self._running):
            task.cancel()

    # --- asking ---------------------------------------------------------------------------------------

    def _outdated(self, file: OpenFile) -> None:
        file.generation += 1

    def _task(self, file: OpenFile) -> asyncio.Task[Knowledge]:
        if file.task is None or file.asked != file.generation:
            if file.task is not None:
                file.task.cancel()
            file.asked = file.generation
            file.task = asyncio.get_running_loop().create_task(self._ask(file))
        return file.task

    async def _ask(self, file: OpenFile) -> Knowledge:
        if file.path is None:
            return NOTHING
        text = self.told.text(file.uri)
        if len(text) > _TEXT_AT_MOST:
            return NOTHING
        arguments: dict[str, Any] = {"path": str(file.path), "text": text}
        if file.root is not None:
            arguments["root"] = str(file.root)
        if buffers := self.unsaved(file.path):
            arguments["buffers"] = buffers
        try:
            answer = await self.told.engine.call("file_knowledge", arguments, folder=file.folder)
        except AfreshError as error:
            self.told.failed(error)
            return file.known
        self.told.answered()
        file.known = knowledge_of(answer)
        if file.folder is None and file.known.root is not None:
            # It is in a project that the editor has not opened: what turns there is to be heard as well.
            file.folder = file.known.root
            self.told.engine.open(file.known.root)
        return file.known

    def _judge_later(self, file: OpenFile, delay: float, *, spread: bool = False) -> None:
        if file.timer is not None:
            file.timer.cancel()

        def begin() -> None:
            file.timer = None
            task = asyncio.get_running_loop().create_task(self._judge(file, spread=spread))
            self._running.add(task)
            task.add_done_callback(self._running.discard)

        file.timer = asyncio.get_running_loop().call_later(delay, begin)

    async def _judge(self, file: OpenFile, *, spread: bool) -> None:
        async with self._room:
            if self._open.get(file.uri) is not file:
                return
            known = await self.knowledge(file.uri)
        if self._open.get(file.uri) is not file:
            return
        for show in self.show:
            show(file, known)
        if spread:
            self._others_of(file)

    def _others_of(self, file: OpenFile) -> None:
        """The other open files of the same conclusions stand otherwise with this one's text."""
        self.refresh(
            other
            for other in self.all()
            if other is not file and not other.known.keys.isdisjoint(file.known.keys)
        )


def _cancel(file: OpenFile) -> None:
    if file.timer is not None:
        file.timer.cancel()
        file.timer = None
    if file.task is not None:
        file.task.cancel()


def _turned(files: Iterable[OpenFile], event: Mapping[str, Any]) -> list[OpenFile]:
    keys = {("memo", id_) for id_ in event.get("memos", ())} | {
        ("memory", id_) for id_ in event.get("memories", ())
    }
    cited = [f"/{path}" for path in event.get("cited", ())]
    return [
        file
        for file in files
        if not file.known.keys.isdisjoint(keys) or (file.path and file.path.as_posix().endswith(tuple(cited)))
    ]


def _touched(files: Iterable[OpenFile], event: Mapping[str, Any]) -> list[OpenFile]:
    """Those whose file changed, and documents, which name others."""
    paths = set(event.get("paths", ()))
    return [
        file
        for file in files
        if file.known.note_kind is not None or file.root is not None or file.known.path in paths
    ]


def _is_long(event: Mapping[str, Any]) -> bool:
    """Whether more changed than is named."""
    changed, removed = event.get("changed", 0), event.get("removed", 0)
    return bool(changed + removed > len(event.get("paths", ())))
