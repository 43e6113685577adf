"""What a recall is narrowed to, and the arguments that this makes. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from afresh_tui.inert import one_line
from afresh_tui.widgets.chips import Chip

TYPES = ("fact", "decision", "solution", "lesson", "convention")
MEMORY_TYPES = ("episodic", "identity", "procedural", "semantic", "working")


@dataclass(frozen=True, slots=True)
class Filters:
    """Empty: everything."""

    type: str = ""
    """A type of memory_save, or one of the memory types."""
    path: str = ""
    """As it was typed: a place and what is below it, or a LIKE pattern with % in it."""
    time: str = ""
    """Time words, such as last week."""
    project: str = ""
    """Empty: the workspace's; % for all."""

    def any(self) -> bool:
        """Whether anything is filtered."""
        return bool(self.type or self.path or self.time)

    def chips(self) -> tuple[Chip, ...]:
        """How they stand."""
        project = "all" if self.project == "%" else self.project
        return (
            Chip("type", "t", self.type, "all"),
            Chip("path", "p", one_line(self.path, 20), "all"),
            Chip("when", "w", one_line(self.time, 20), "any"),
            Chip("project", "P", one_line(project, 16), "this"),
        )

    def for_recall(self, query: str, zone_name: str) -> dict[str, Any]:
        """The arguments of a search; the engine reads the time words off its query."""
        return {
            **self._common(),
            "query": f"{query} {self.time}".strip(),
            "owner_timezone": zone_name or None,
        }

    def for_browse(self, zone_name: str) -> dict[str, Any]:
        """The arguments of a look at all."""
        return {
            **self._common(),
            "time_words": self.time or None,
            "owner_timezone": (zone_name or None) if self.time else None,
        }

    def _common(self) -> dict[str, Any]:
        return {
            "project": self.project or None,
            "memory_type": self.type or None,
            "path_filter": path_pattern(self.path) or None,
        }


def path_pattern(typed: str) -> str:
    """A LIKE pattern for a place and what is below it; one that has % is taken as it is."""
    if not typed or "%" in typed:
        return typed
    escaped = typed.replace("\\", "\\\\").replace("_", "\\_")
    return f"{escaped}%"
