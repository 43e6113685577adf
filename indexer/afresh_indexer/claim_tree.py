"""Reads the paths out of a drawing of folders and files, as documents have them in a fence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afresh_indexer.claim_words import is_template

_ENTRY = re.compile(
    r"^(?P<indent>[\s│┃|]*)(?:[├└┣┗]─+|\|--|`--|\+--)[ \t]*"
    r"(?P<name>[\w.@+\[\]()-]+(?:/[\w.@+-]+)*/?)(?P<rest>.*)$"
)
_ROOT = re.compile(r"^(?P<name>[\w.@+-]+(?:/[\w.@+-]+)*/?|/)\s*(?:#.*)?$")


def drawn_paths(text: str) -> Iterator[tuple[str, int, int]]:
    """Each entry's path from the drawing's root, with the offset and the length of its name in the text.

    A root that is a bare name is part of the path. What is left out or to be filled in is skipped, with
    everything below it.
    """
    root = ""
    folders: list[tuple[int, str | None]] = []
    offset = 0
    for line in text.splitlines(keepends=True):
        entry = _ENTRY.match(line.rstrip("\r\n"))
        if entry is None:
            title = _ROOT.match(line.strip())
            if title:
                root, folders = title.group("name").strip("/."), []
        else:
            indent = len(entry.group("indent").expandtabs(4))
            while folders and folders[-1][0] >= indent:
                folders.pop()
            above = folders[-1][1] if folders else root
            name = entry.group("name")
            path = None
            if (
                above is not None
                and not is_template(name)
                and not is_template(entry.group("rest").split("#")[0])
            ):
                path = f"{above}/{name}".strip("/") if above else name.strip("/")
            folders.append((indent, path))
            if path is not None:
                slash = "/" if name.endswith("/") else ""
                yield path + slash, offset + entry.start("name"), len(name)
        offset += len(line)
