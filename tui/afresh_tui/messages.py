"""What the app tells its screens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual.message import Message


@dataclass
class KeeperLost(Message):
    """The keeper doesn't answer; what is shown may be old."""

    reason: str

    bubble = False


@dataclass
class KeeperBack(Message):
    """A keeper answers again; whatever is shown is worth reading again."""

    pid: int | None

    bubble = False


@dataclass
class WorkspaceChanged(Message):
    """An event of the workspace's watch: `kind` is progress, indexed, change or watch."""

    event: Mapping[str, Any]

    bubble = False
