"""One edit of one file: how it is put in, and how it is taken out again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from afresh.faces.install import blocks, jsonc, toml_tables

Created = list[jsonc.Path]
"""What of a JSON file was made for an edit, so that it goes with the edit."""

_MARKS: Mapping[str, blocks.Marks] = {
    "markdown": blocks.MARKDOWN,
    "lua": blocks.LUA,
    "lisp": blocks.LISP,
}


@dataclass(frozen=True, slots=True)
class JsonMember:
    """A member of an object in a JSON file."""

    path: Path
    keys: jsonc.Path
    value: Any
    only_if_absent: bool = False
    """Something that the client needs and that isn't ours alone: it stays if it was there."""

    def put(self, text: str, created: Created) -> str:
        data = jsonc.parse(text)
        if self.only_if_absent and isinstance(data, dict) and self.keys[-1] in data:
            return text
        if _at(data, self.keys) == self.value:
            return text
        edited = jsonc.put(text, self.keys, self.value)
        created += [path for path in edited.created if self.only_if_absent or path != self.keys]
        return edited.text

    def take(self, text: str, created: Created) -> str:
        if self.only_if_absent:
            return text
        return _pruned(jsonc.remove(text, self.keys), created)


@dataclass(frozen=True, slots=True)
class HookItem:
    """A hook of ours in a list of hooks in a JSON file."""

    path: Path
    keys: jsonc.Path
    value: Mapping[str, Any]

    def put(self, text: str, created: Created) -> str:
        held = _at(jsonc.parse(text), self.keys)
        if isinstance(held, list):
            if [item for item in held if is_our_hook(item)] == [self.value]:
                return text
            text = jsonc.remove_items(text, self.keys, is_our_hook)
        edited = jsonc.append(text, self.keys, dict(self.value))
        created += edited.created
        return edited.text

    def take(self, text: str, created: Created) -> str:
        return _pruned(jsonc.remove_items(text, self.keys, is_our_hook), created)


@dataclass(frozen=True, slots=True)
class TomlTable:
    """A table in a TOML file, and what has to stand beside it."""

    path: Path
    keys: tuple[str, ...]
    value: Mapping[str, Any]
    beside: Callable[[Mapping[str, Any]], str] = field(default=lambda _data: "")
    """Further TOML, given what the file says without us."""

    def put(self, text: str, created: Created) -> str:
        outside = toml_tables.parse(blocks.remove(text, blocks.HASH))
        return toml_tables.put(text, self.keys, self.value, self.beside(outside))

    def take(self, text: str, created: Created) -> str:
        return toml_tables.remove(text, self.keys)


@dataclass(frozen=True, slots=True)
class Block:
    """A marked block in a file of a language that has comments."""

    path: Path
    language: str
    body: str

    def put(self, text: str, created: Created) -> str:
        return blocks.put(text, _MARKS[self.language], self.body)

    def take(self, text: str, created: Created) -> str:
        return blocks.remove(text, _MARKS[self.language])


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that is ours from its first line."""

    path: Path
    body: str

    def put(self, text: str, created: Created) -> str:
        return self.body

    def take(self, text: str, created: Created) -> str:
        return "" if text == self.body else text


Edit = JsonMember | HookItem | TomlTable | Block | WholeFile


def is_our_hook(item: Any) -> bool:
    """Whether an item of a list of hooks runs `afresh hook` and nothing else."""
    if not isinstance(item, dict):
        return False
    inner = item.get("hooks")
    if isinstance(inner, list):
        return bool(inner) and all(is_our_hook(hook) for hook in inner)
    command = item.get("command")
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command, posix=False)
    except ValueError:
        return False
    program = words[0].strip("\"'").replace("\\", "/").rsplit("/", 1)[-1] if words else ""
    return program in ("afresh", "afresh.exe") and "hook" in words[1:4]


def _at(data: Any, keys: jsonc.Path) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _pruned(text: str, created: Created) -> str:
    """The text without what was made for our edits and has nothing in it now, innermost first."""
    for keys in sorted(created, key=len, reverse=True):
        data = jsonc.parse(text)
        held = _at(data, keys)
        if keys and held in ({}, []):
            text = jsonc.remove(text, keys)
    return text


def blank(text: str, created: Created) -> bool:
    """Whether a file that was made for our edits has nothing of anybody else's."""
    if not text.strip():
        return True
    try:
        # Plain JSON: somebody would have written a comment.
        data = json.loads(text)
    except ValueError:
        return False
    return (
        () in created
        and isinstance(data, dict)
        and all((key,) in created and not isinstance(value, dict | list) for key, value in data.items())
    )
