"""What a screen depends on beside the engine, as values: time, waiting, and whatever moves by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path


def _now() -> datetime:
    return datetime.now(UTC)


def _local_zone() -> tzinfo:
    return datetime.now().astimezone().tzinfo or UTC


@dataclass(frozen=True, slots=True)
class Conditions:
    """The surroundings of the screens. Durations are seconds."""

    clock: Callable[[], datetime] = _now
    """The time, with its zone."""
    zone: tzinfo = field(default_factory=_local_zone)
    """In which times are shown."""
    zone_name: str = ""
    """Its IANA name, for words such as yesterday; empty where it isn't known."""
    home: Path | None = None
    """Shown as `~` in paths; None shows paths whole."""
    live: bool = True
    """Whether the watch is followed, the keeper's pulse felt and lists polled."""
    blink: bool = True
    animate: bool = True
    debounce: float = 0.12
    """How long typing must rest before a search begins."""
    pulse: float = 0.5
    """Between two looks whether the keeper is still there."""
    poll: float = 2.0
    """Between two looks at what arrives by itself."""
    theme: str = "afresh-dark"
    keys: Mapping[str, str] = field(default_factory=dict)
    """Keys by the ids of what they do, such as `recall.copy`."""
    editor: str = ""
    """The command of the editor; empty where none is set."""
    run_editor: Callable[[list[str]], int] | None = None
    """Runs an editor until it ends; None: with the terminal given to it meanwhile."""

    def shown_path(self, path: Path | str) -> str:
        """A path as people read it, with `~` for the home folder."""
        text = str(path)
        if self.home is not None and (text == str(self.home) or text.startswith(f"{self.home}/")):
            return f"~{text[len(str(self.home)) :]}"
        return text
