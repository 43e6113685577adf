"""What the readers of other programs' memories have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from afresh.errors import InvalidArgumentError

Row: TypeAlias = dict[str, Any]
"""A memory as a line of an import has it."""

MAX_FILES = 20_000
MAX_BYTES = 8 << 20
"""Of one file; a larger one is reported and left out."""
_LONGEST_ID = 1024

TYPES: Mapping[str, str] = {
    "decision": "decision",
    "solution": "solution",
    "fix": "solution",
    "lesson": "lesson",
    "gotcha": "lesson",
    "tip": "lesson",
    "convention": "convention",
    "rule": "convention",
    "preference": "convention",
    "feedback": "convention",
}
"""Our type for another program's category; any other is a fact."""


@dataclass(slots=True)
class Found:
    """What a store of another program holds."""

    rows: list[Row] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)
    """What could not be read, each with its place."""
    whole: tuple[str, ...] = ()
    """Beginnings of external ids of which the store holds all that there are."""


@dataclass(frozen=True, slots=True)
class Document:
    """One Markdown file of a store."""

    path: str
    """POSIX, relative to the store."""
    data: bytes
    modified: datetime


def documents(root: Path, found: Found) -> Iterator[Document]:
    """The Markdown files in a folder, in the order of their names; hidden folders and links are passed over.

    Raises InvalidArgumentError for a path that is no folder, or one without such a file.
    """
    if not root.is_dir():
        what = "is a file; give the folder that holds it" if root.exists() else "doesn't exist"
        raise InvalidArgumentError(f"path: {root} {what}")
    paths = sorted(path for path in root.rglob("*.md") if not _is_hidden(path.relative_to(root)))
    paths = [path for path in paths if path.is_file() and not path.is_symlink()]
    if not paths:
        raise InvalidArgumentError(f"path: there is no Markdown file in {root}")
    if len(paths) > MAX_FILES:
        raise InvalidArgumentError(f"path: {root} has {len(paths):,} Markdown files, more than {MAX_FILES:,}")
    for path in paths:
        name = path.relative_to(root).as_posix()
        try:
            stamps = path.stat()
            if stamps.st_size > MAX_BYTES:
                found.bad.append(f"{name}: {stamps.st_size:,} bytes, more than {MAX_BYTES:,}")
                continue
            data = path.read_bytes()
        except OSError as error:
            found.bad.append(f"{name}: {error.strerror or error}")
            continue
        yield Document(name, data, datetime.fromtimestamp(stamps.st_mtime, UTC))


class Ids:
    """External ids that are each given once: what would be a second gets a number."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def take(self, wanted: str) -> str:
        """The id, or with `~2` and so on where it is taken."""
        wanted = wanted[: _LONGEST_ID - 8]
        self._seen[wanted] += 1
        return wanted if self._seen[wanted] == 1 else f"{wanted}~{self._seen[wanted]}"


def row(
    content: str,
    external_id: str,
    *,
    type: str = "fact",
    memory_type: str | None = None,
    path: str = "",
    tags: Sequence[str] = (),
    created_at: datetime | None = None,
    source_path: str | None = None,
    line: int | None = None,
) -> Row:
    """A memory as a row; tags that are too long or too many are cut away."""
    made: Row = {
        "kind": "memory",
        "content": content,
        "external_id": external_id,
        "type": type,
        "path": path[:1024],
        "tags": list(dict.fromkeys(tag for tag in tags if 0 < len(tag) <= 100))[:50],
        "source": {"kind": "import", "path": source_path, "line": line},
    }
    if memory_type is not None:
        made["memory_type"] = memory_type
    if created_at is not None:
        made["created_at"] = created_at.isoformat()
    return made


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
