"""TOML edited in place: a marked block at the end of the file, or, where a table is there already, that one.

A block at the end leaves every other byte alone. tomlkit writes it, reads the result back, and edits tables
that somebody else made, in their own shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable, Table

from afresh.errors import AfreshError
from afresh.faces.install import blocks


class TomlError(ValueError):
    """A text isn't TOML; the message says where."""


def parse(text: str) -> dict[str, Any]:
    """What a text says. Raises TomlError."""
    return _document(text).unwrap()


def put(text: str, path: Sequence[str], table: Mapping[str, Any], extra: str = "") -> str:
    """Set the table that a path leads to; `extra` is further TOML for the block, arrays of tables alone.

    Raises TomlError, also where the way leads through something that isn't a table.
    """
    outside = blocks.remove(text, blocks.HASH)
    document = _document(outside)
    parent: Any = document
    for depth, key in enumerate(path[:-1]):
        parent = parent.get(key) if parent is not None else None
        if parent is not None and not isinstance(parent, dict):
            raise TomlError(f"{'.'.join(path[: depth + 1])!r} is not a table")
    if parent is None or (path[-1] not in parent and not isinstance(parent, InlineTable)):
        block = _table(path, table) + (f"\n{extra}" if extra else "")
        changed = blocks.put(text, blocks.HASH, block)
    else:
        _keeps_its_shape(outside, document)
        _set(parent, path[-1], table)
        changed = tomlkit.dumps(document)
        changed = blocks.put(changed, blocks.HASH, extra) if extra else changed
    if parse(changed) != _expected(parse(outside), path, table, extra):
        raise AfreshError("an edit would have changed more than it should; nothing was written")
    return changed


def remove(text: str, path: Sequence[str]) -> str:
    """Take the block and the table out; a text without them comes back as it is."""
    without = blocks.remove(text, blocks.HASH)
    document = _document(without)
    parent: Any = document
    for key in path[:-1]:
        parent = parent.get(key) if isinstance(parent, dict) else None
    if not isinstance(parent, dict) or path[-1] not in parent:
        return without
    _keeps_its_shape(without, document)
    del parent[path[-1]]
    return _with_remarks(without, tomlkit.dumps(document))


def _with_remarks(whole: str, rest: str) -> str:
    """What is left, with the remarks behind the table: they are about what follows it."""
    start = next((i for i, (a, b) in enumerate(zip(whole, rest, strict=False)) if a != b), len(rest))
    start = rest.rfind("\n", 0, start) + 1 if start < len(rest) else start
    tail = len(rest) - start
    gone = whole[start : len(whole) - tail].splitlines(keepends=True)
    keep = len(gone)
    while keep and (not gone[keep - 1].strip() or gone[keep - 1].lstrip().startswith("#")):
        keep -= 1
    kept = rest[:start] + "".join(gone[keep:]) + rest[start:]
    try:
        return kept if parse(kept) == parse(rest) else rest
    except TomlError:
        return rest


def _table(path: Sequence[str], table: Mapping[str, Any]) -> str:
    document = tomlkit.document()
    parent: Any = document
    for key in path[:-1]:
        inner = tomlkit.table(is_super_table=True)
        parent.append(key, inner)
        parent = parent[key]
    parent.append(path[-1], tomlkit.item(dict(table)))
    return tomlkit.dumps(document)


def _set(parent: Any, key: str, table: Mapping[str, Any]) -> None:
    """Set a table that is there already, in the shape that it has, or one of an inline table."""
    held = parent.get(key)
    if not isinstance(held, dict):
        held = tomlkit.inline_table()
        parent[key] = held
        held = parent[key]
    for name in [name for name in held if name not in table]:
        del held[name]
    # Remarks at a table's end are about what follows it: they stay behind what is added.
    body = held.value.body if isinstance(held, Table) else []
    remarks = []
    while body and body[-1][0] is None:
        remarks.append(body.pop())
    for name, value in table.items():
        if name not in held or held[name] != value:
            held[name] = value
    body.extend(reversed(remarks))


def _expected(
    data: dict[str, Any], path: Sequence[str], table: Mapping[str, Any], extra: str
) -> dict[str, Any]:
    at: Any = data
    for key in path[:-1]:
        at = at.setdefault(key, {})
    at[path[-1]] = dict(table)
    for key, items in parse(extra).items():
        data[key] = [*data.get(key, []), *items]
    return data


def _document(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise TomlError(str(error)) from None


def _keeps_its_shape(text: str, document: tomlkit.TOMLDocument) -> None:
    if tomlkit.dumps(document) != text:
        raise TomlError("its table can't be edited without changing the shape of others; do it by hand")
