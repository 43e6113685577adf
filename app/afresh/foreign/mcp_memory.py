"""The memory.json of the MCP reference memory server: a graph of entities, their observations and relations.

One JSON object a line, or one object with the lists `entities` and `relations`, as its read_graph gives.
Each observation and each relation is a memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from afresh.errors import InvalidArgumentError
from afresh.foreign.rows import Found, Ids, Row, row

_NAMES = ("memory.jsonl", "memory.json")
_MAX_BYTES = 256 << 20


def read_mcp_memory(path: Path) -> Found:
    """The memories in a memory file, or in the folder that holds it.

    Raises InvalidArgumentError for a path without such a file.
    """
    file = _file(path)
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise InvalidArgumentError(f"path: {file} is over {_MAX_BYTES:,} bytes, which no memory file is")
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InvalidArgumentError(f"path: {file} can't be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(f"path: {file} is not UTF-8 ({error.reason})") from None
    found = Found()
    ids = Ids()
    entities: list[str] = []
    for line, item in _items(text, found):
        made = list(_rows(item, line, file.name, ids))
        if not made:
            found.bad.append(f"line {line}: neither an entity with a name nor a relation with from and to")
        if item.get("type") == "entity" and made:
            entities.append(f"{_id(item['name'])}#")
        found.rows += made
    found.whole = tuple(entities)
    return found


def _file(path: Path) -> Path:
    if not path.exists():
        raise InvalidArgumentError(f"path: {path} doesn't exist")
    if not path.is_dir():
        return path
    file = next((path / name for name in _NAMES if (path / name).is_file()), None)
    if file is None:
        raise InvalidArgumentError(f"path: there is neither {' nor '.join(_NAMES)} in {path}")
    return file


def _items(text: str, found: Found) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each entity and relation with its line."""
    graph = _graph(text)
    if graph is not None:
        for kind in ("entity", "relation"):
            items = graph.get("entities" if kind == "entity" else "relations")
            for item in items if isinstance(items, list) else ():
                if isinstance(item, dict):
                    yield 1, {**item, "type": kind}
                else:
                    found.bad.append(f"line 1: {str(item)[:40]!r} is no {kind}")
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except ValueError as error:
            found.bad.append(f"line {number}: not JSON: {error}")
            continue
        if isinstance(item, dict):
            yield number, item
        else:
            found.bad.append(f"line {number}: must be an object; got {type(item).__name__}")


def _graph(text: str) -> dict[str, Any] | None:
    """The whole text as one graph, if it is one."""
    try:
        whole = json.loads(text)
    except ValueError:
        return None
    return whole if isinstance(whole, dict) and ("entities" in whole or "relations" in whole) else None


def _rows(item: dict[str, Any], line: int, file: str, ids: Ids) -> Iterator[Row]:
    match item:
        case {"type": "entity", "name": str(name)} if name.strip():
            kind = str(item.get("entityType") or "")
            said = item.get("observations")
            texts = (
                [text for text in said if isinstance(text, str) and text.strip()]
                if isinstance(said, list)
                else []
            )
            head = f"{name} ({kind})" if kind else name
            for number, text in enumerate(texts, 1):
                yield _made(f"{head}: {text}", ids.take(f"{_id(name)}#{number}"), name, [kind], file, line)
            if not texts:
                yield _made(head, ids.take(f"{_id(name)}#0"), name, [kind], file, line)
        case {"type": "relation", "from": str(start), "to": str(end)} if start.strip() and end.strip():
            word = str(item.get("relationType") or "relates to")
            content = f"{start} {word.replace('_', ' ')} {end}"
            id_ = ids.take(f"mcp-memory:relation:{start}|{word}|{end}")
            yield _made(content, id_, start, ["relation", word], file, line)


def _id(entity: str) -> str:
    return f"mcp-memory:{entity}"[:1000]


def _made(content: str, external_id: str, path: str, tags: list[str], file: str, line: int) -> Row:
    return row(content, external_id, path=path, tags=tags, source_path=file, line=line)
