"""Pages that this server writes for a person: memories, diffs, results, and drafts that a person writes.

Clients that ask for a page's text get it from here; for the others it is a file in a folder of our own.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from afresh.errors import AfreshError

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Page:
    """One page."""

    name: str
    text: str
    root: Path | None
    """The checkout that it tells of."""


class Pages:
    """The pages of one server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.drafts = folder / "drafts"
        self._pages: dict[str, Page] = {}
        self._written: set[Path] = set()

    def put(self, name: str, text: str, root: Path | None) -> Page:
        """Keep a page, in place of an earlier one of that name."""
        safe = _UNSAFE.sub("-", name).strip("-.") or "page.md"
        page = self._pages[safe] = Page(safe, text, root)
        return page

    def get(self, name: str) -> Page | None:
        return self._pages.get(name)

    def write(self, page: Page) -> Path:
        """The page as a file. Raises AfreshError where that can't be written."""
        path = self._write(self.folder / page.name, page.text)
        self._written.add(path)
        return path

    def draft(self, name: str, text: str) -> Path:
        """A new file for a person to fill in; one that is there already is never overwritten."""
        stem = _UNSAFE.sub("-", name).strip("-.")[:60] or "draft"
        number, path = 1, self.drafts / f"{stem}.md"
        while path.exists():
            number += 1
            path = self.drafts / f"{stem}-{number}.md"
        return self._write(path, text)

    def page_at(self, path: Path) -> Page | None:
        """The page that a file in our folder holds."""
        return self._pages.get(path.name) if path.parent == self.folder else None

    def is_draft(self, path: Path) -> bool:
        return path.parent == self.drafts

    def close(self) -> None:
        """Remove the files of this server's pages; drafts are their author's."""
        for path in self._written:
            with suppress(OSError):
                path.unlink(missing_ok=True)

    def _write(self, path: Path, text: str) -> Path:
        try:
            path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        except OSError as error:
            raise AfreshError(f"can't write {path}: {error.strerror or error}") from None
        return path
