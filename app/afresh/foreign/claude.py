"""Claude Code's own memory: a folder of Markdown files, MEMORY.md as its index and a file for each topic.

A topic file with a header (name, description, type) is one memory. Others are cut by heading and item, as
files for agents are. Lines of the index that only name another file of the folder are no memories.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from afresh.foreign.rows import TYPES, Document, Found, Ids, Row, documents, row
from afresh_indexer.front_matter import FrontMatter, read_front_matter, tags_of
from afresh_indexer.notes import lines_of, read_document

_LONGEST = 60_000
"""A topic with more characters is cut by its headings."""
_POINTER = re.compile(r"\s*[-*+]\s+\[[^\]]*\]\((?!\w+:)([^)#]+)[^)]*\)[^\n]*\Z")
_MEMORY_TYPES = {"user": "identity", "feedback": "procedural"}
_HEADER = frozenset(("name", "type", "metadata", "node_type", "originsessionid"))


def read_claude(path: Path) -> Found:
    """The memories in a memory folder of Claude Code, or in the project folder that has one."""
    root = path / "memory" if (path / "memory").is_dir() else path
    key = root.parent.name if root.name == "memory" else root.name
    found = Found(whole=(f"claude:{key}/",))
    ids = Ids()
    read = list(documents(root, found))
    names = {document.path for document in read}
    for document in read:
        prefix = f"claude:{key}/{document.path}"
        found.rows += _of(document, prefix, ids, names)
    return found


def _of(document: Document, prefix: str, ids: Ids, names: set[str]) -> Iterator[Row]:
    lines = lines_of(document.data)
    front = read_front_matter(lines)
    place = document.path.removesuffix(".md")
    if front.text("name") and len(document.data) <= _LONGEST:
        yield _topic(document, front, "\n".join(lines[front.end :]).strip(), ids.take(prefix), place)
        return
    for note in read_document(document.path, document.data, kind="agent_file").notes:
        pointer = _POINTER.match(note.text)
        if pointer is not None and pointer[1].removeprefix("./") in names:
            continue
        trail = " > ".join(note.headings)
        parts = (trail, "\n".join(filter(None, (note.context, note.text))))
        yield row(
            "\n\n".join(filter(None, parts)),
            ids.take(f"{prefix}#{trail}"),
            type="lesson",
            path=place,
            tags=note.tags,
            created_at=document.modified,
            source_path=document.path,
            line=note.start_line,
        )


def _topic(document: Document, front: FrontMatter, body: str, external_id: str, place: str) -> Row:
    kind = front.text("type").lower()
    head = ": ".join(filter(None, (front.text("name"), front.text("description"))))
    return row(
        "\n\n".join(filter(None, (head, body))),
        external_id,
        type=TYPES.get(kind, "fact"),
        memory_type=_MEMORY_TYPES.get(kind, "semantic"),
        path=place,
        tags=[*([kind] if kind else []), *tags_of(front, without=_HEADER)],
        created_at=document.modified,
        source_path=document.path,
        line=front.end + 1,
    )
