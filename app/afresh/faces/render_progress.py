"""Progress of a verb that takes time: a bar on a terminal, calm plain lines elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

from afresh.faces.render import inert

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_SECONDS_BETWEEN_LINES = 1.0

_PHASES: Mapping[str, str] = {
    "scan": "reading files",
    "outline": "outlining",
    "embed": "embedding",
    "import": "importing",
    "claims": "judging notes",
    "judge": "judging",
}


class ProgressDisplay:
    """Shows `progress` events on a stream; safe from any thread. Other events are ignored.

    What is not a terminal gets at most one line a second, and none for what takes less.
    """

    def __init__(self, stream: TextIO, monotonic: Callable[[], float]) -> None:
        self._stream = stream
        self._monotonic = monotonic
        self._guard = threading.Lock()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._last_line = 0.0

    def __enter__(self) -> ProgressDisplay:
        self._last_line = self._monotonic()
        if self._stream.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                console=Console(file=self._stream, highlight=False),
                transient=True,
            )
            self._bar.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def event(self, event: Mapping[str, Any]) -> None:
        """Show one event."""
        if event.get("kind") != "progress":
            return
        phase = str(event.get("phase", ""))
        name = _PHASES.get(phase, inert(phase))
        done, total = int(event.get("done") or 0), event.get("total")
        with self._guard:
            if self._bar is not None:
                self._show_bar(self._bar, name, done, total)
            else:
                self._show_line(name, done, total)

    def _show_bar(self, bar: Progress, name: str, done: int, total: int | None) -> None:
        if self._task is None:
            self._task = bar.add_task(name, total=total)
        bar.update(self._task, description=name, completed=done, total=total)

    def _show_line(self, name: str, done: int, total: int | None) -> None:
        now = self._monotonic()
        if now - self._last_line < _SECONDS_BETWEEN_LINES:
            return
        self._last_line = now
        count = f"{done:,} of {total:,}" if total else f"{done:,}"
        self._stream.write(f"{name}: {count}\n")
        self._stream.flush()
