"""JSON with comments and trailing commas, edited in place: whatever isn't ours keeps its every byte.

Clients accept more than JSON, and people comment their configuration, so a file must never be written anew
from its values. tree-sitter's grammar of JavaScript reads it: that knows comments, trailing commas and exact
places, and what it allows beyond them is refused here. Every edit is read back, and has to mean what was
asked and nothing else.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import tree_sitter
import tree_sitter_javascript

from afresh.errors import AfreshError

Path = tuple[str, ...]
"""The keys that lead to a value."""

_BOM = "\ufeff"
_OPEN = "("
"""Put before a text, because a brace alone begins a block of statements."""


class JsonError(ValueError):
    """A text isn't JSON, not even with comments and trailing commas; the message says where."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A value and its place in the text, in characters."""

    start: int
    end: int
    data: Any
    elements: tuple[_Element, ...] = ()
    """Of an object or array."""
    comments: tuple[tuple[int, int], ...] = ()
    """Directly within it."""


@dataclass(frozen=True, slots=True)
class _Element:
    """A member of an object or an item of an array."""

    start: int
    """Of the key, or of the item."""
    key: str | None
    value: _Value
    comma: int | None
    """Where the comma after it stands."""


@dataclass(slots=True)
class Edited:
    """A text after an edit."""

    text: str
    created: list[Path] = field(default_factory=list)
    """What had to be made for it, outermost first; the empty path is the file's own object."""


def parse(text: str) -> Any:
    """What a text says; None where it holds nothing. Raises JsonError."""
    root = _read(text)
    return None if root is None else root.data


def put(text: str, path: Path, value: Any) -> Edited:
    """Set what a path leads to; objects on the way are made where they are missing.

    Raises JsonError, also where the way leads through something that isn't an object.
    """
    edited, key = _with_container(text, path[:-1], {}), path[-1]
    container = _found(edited.text, path[:-1])
    expected = parse(edited.text)
    at = _dive(expected, path[:-1])
    old = _last(container, key)
    if old is not None:
        text = edited.text
        style = _Style.of(text)
        shown = _shown(value, style, _margin(text, old.start), inline=_on_one_line(text, container))
        edited.text = text[: old.value.start] + shown + text[old.value.end :]
    else:
        edited.text = _inserted(edited.text, container, key, value)
        edited.created.append(path)
    at[key] = value
    return _checked(edited, expected)


def append(text: str, path: Path, item: Any) -> Edited:
    """Put an item at the end of an array; it and objects on the way are made where they are missing."""
    edited = _with_container(text, path[:-1], {})
    edited = _with_container(edited.text, path, [], edited.created)
    expected = parse(edited.text)
    _dive(expected, path).append(item)
    edited.text = _inserted(edited.text, _found(edited.text, path), None, item)
    return _checked(edited, expected)


def remove(text: str, path: Path) -> str:
    """Take out what a path leads to; a text without it comes back as it is."""
    root = _read(text)
    if root is None:
        return text
    if not path:
        return text[: root.start] + text[root.end :].lstrip("\r\n")
    try:
        container = _found(text, path[:-1])
    except JsonError:
        return text
    while isinstance(container.data, dict) and (old := _last(container, path[-1])) is not None:
        text = _without(text, container, container.elements.index(old))
        container = _found(text, path[:-1])
    expected = root.data
    parent = _dive(expected, path[:-1])
    if isinstance(parent, dict):
        parent.pop(path[-1], None)
    return _checked(Edited(text), expected).text


def remove_items(text: str, path: Path, ours: Callable[[Any], bool]) -> str:
    """Take those items out of an array that are ours."""
    try:
        array = _found(text, path)
    except JsonError:
        return text
    if not isinstance(array.data, list):
        return text
    expected = parse(text)
    items = _dive(expected, path)
    items[:] = [item for item in items if not ours(item)]
    while (at := next((i for i, e in enumerate(array.elements) if ours(e.value.data)), None)) is not None:
        text = _without(text, array, at)
        array = _found(text, path)
    return _checked(Edited(text), expected).text


# --- reading ------------------------------------------------------------------------------------------


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_javascript.language()))


def _read(text: str) -> _Value | None:
    skipped = len(_BOM) if text.startswith(_BOM) else 0
    source = f"{_OPEN}{text[skipped:]}\n)".encode()
    tree = _parser().parse(source)
    places = _Places(source, skipped - len(_OPEN))
    (*_, statement) = tree.root_node.named_children or (tree.root_node,)
    inner = statement.named_children[0] if statement.type == "expression_statement" else statement
    inside = [node for node in inner.children if node.type not in ("(", ")", "comment")]
    if not _solid(text[skipped:]):
        return None
    if tree.root_node.has_error or inner.type != "parenthesized_expression" or len(inside) != 1:
        raise JsonError(_where(text, places, _broken(tree.root_node)))
    try:
        return _value(inside[0], places, text)
    except RecursionError:
        raise JsonError("nested too deeply to be a configuration") from None


def _solid(text: str) -> bool:
    """Whether there is anything besides white space and comments."""
    return bool(re.sub(r"//[^\r\n]*|/\*.*?\*/|\s", "", text, flags=re.DOTALL))


class _Places:
    """Characters for the parser's bytes."""

    def __init__(self, source: bytes, shift: int) -> None:
        self._source = source
        self._shift = shift
        # Bytes that only go on with a character that was begun before them.
        self._within = [match.start() for match in re.finditer(rb"[\x80-\xbf]", source)]

    def __call__(self, at: int) -> int:
        return at - bisect_left(self._within, at) + self._shift

    def text(self, node: tree_sitter.Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8")


def _value(node: tree_sitter.Node, places: _Places, text: str) -> _Value:
    start, end = places(node.start_byte), places(node.end_byte)
    if node.type in ("object", "array"):
        return _container(node, places, text)
    shown = places.text(node)
    if node.type in ("string", "number", "true", "false", "null", "unary_expression"):
        try:
            return _Value(start, end, json.loads(shown))
        except ValueError:
            pass
    raise JsonError(_where(text, places, node))


def _container(node: tree_sitter.Node, places: _Places, text: str) -> _Value:
    elements: list[_Element] = []
    comments: list[tuple[int, int]] = []
    waiting: tuple[int, str | None, _Value] | None = None
    for child in node.children[1:-1]:
        if child.type == "comment":
            comments.append((places(child.start_byte), places(child.end_byte)))
        elif child.type == ",":
            if waiting is None:
                raise JsonError(_where(text, places, child))
            elements.append(_Element(*waiting, places(child.start_byte)))
            waiting = None
        elif waiting is not None:
            raise JsonError(_where(text, places, child))
        elif node.type == "array":
            value = _value(child, places, text)
            waiting = (value.start, None, value)
        else:
            waiting = _member(child, places, text)
            comments += _comments_within(child, places)
    if waiting is not None:
        elements.append(_Element(*waiting, None))
    data: Any
    if node.type == "array":
        data = [element.value.data for element in elements]
    else:
        data = {element.key: element.value.data for element in elements}
    return _Value(places(node.start_byte), places(node.end_byte), data, tuple(elements), tuple(comments))


def _member(node: tree_sitter.Node, places: _Places, text: str) -> tuple[int, str, _Value]:
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if node.type != "pair" or key is None or value is None or key.type != "string":
        raise JsonError(_where(text, places, node))
    name = _value(key, places, text).data
    return places(node.start_byte), name, _value(value, places, text)


def _comments_within(pair: tree_sitter.Node, places: _Places) -> Iterator[tuple[int, int]]:
    for child in pair.children:
        if child.type == "comment":
            yield places(child.start_byte), places(child.end_byte)


def _broken(node: tree_sitter.Node) -> tree_sitter.Node:
    """The first place that the parser could make nothing of."""
    while True:
        worse = next((child for child in node.children if child.has_error or child.is_missing), None)
        if node.is_error or node.is_missing or worse is None:
            return node
        node = worse


def _where(text: str, places: _Places, node: tree_sitter.Node) -> str:
    at = min(max(places(node.start_byte), 0), len(text))
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return f"line {line}, column {column}: not JSON, even with comments and trailing commas"


def _dive(data: Any, path: Path) -> Any:
    for key in path:
        data = data[key]
    return data


def _last(container: _Value, key: str) -> _Element | None:
    """The member with that key; of several the last, which is the one that counts."""
    return next((element for element in reversed(container.elements) if element.key == key), None)


def _found(text: str, path: Path) -> _Value:
    value = _read(text)
    for depth, key in enumerate(path):
        element = _last(value, key) if value is not None and isinstance(value.data, dict) else None
        if element is None:
            raise JsonError(f"there is no object {'.'.join(path[: depth + 1])!r}")
        value = element.value
    if value is None:
        raise JsonError("there is no object")
    return value


# --- writing ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Style:
    """How a text is laid out."""

    unit: str
    """One step of indentation."""
    newline: str

    @classmethod
    def of(cls, text: str) -> _Style:
        first = re.search(r"^([ \t]+)[\"\[{]", text, flags=re.MULTILINE)
        return cls(unit=first[1] if first else "  ", newline="\r\n" if "\r\n" in text else "\n")


def _margin(text: str, at: int) -> str:
    """The indentation of the line that a place is on."""
    line = text.rfind("\n", 0, at) + 1
    return text[line : line + len(text[line:]) - len(text[line:].lstrip(" \t"))]


def _on_one_line(text: str, container: _Value) -> bool:
    return bool(container.elements) and "\n" not in text[container.start : container.end]


def _shown(value: Any, style: _Style, margin: str, *, inline: bool) -> str:
    if inline or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    lines = _laid_out(value, style.unit)
    return f"{style.newline}{margin}".join(lines)


def _laid_out(value: Any, unit: str) -> Sequence[str]:
    """Objects in lines, lists of texts in one."""
    if isinstance(value, dict) and value:
        return _bracketed("{", "}", [(f"{json.dumps(key)}: ", item) for key, item in value.items()], unit)
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return _bracketed("[", "]", [("", item) for item in value], unit)
    return [json.dumps(value, ensure_ascii=False)]


def _bracketed(opening: str, closing: str, items: Sequence[tuple[str, Any]], unit: str) -> Sequence[str]:
    lines = [opening]
    for number, (name, item) in enumerate(items):
        inner = _laid_out(item, unit)
        comma = "," if number + 1 < len(items) else ""
        block = [name + inner[0], *inner[1:]]
        block[-1] += comma
        lines += [unit + line for line in block]
    return [*lines, closing]


def _with_container(text: str, path: Path, empty: Any, created: list[Path] | None = None) -> Edited:
    """The text with a container where the path leads; made, and all above it, where there is none."""
    edited = Edited(text, created if created is not None else [])
    root = _read(text)
    if root is None:
        newline = _Style.of(text).newline
        gap = "" if not text or text.endswith(("\n", _BOM)) else newline
        edited.text = f"{text}{gap}{{}}{newline}"
        edited.created.append(())
    elif not isinstance(root.data, dict):
        raise JsonError(f"holds {_kind(root.data)} where an object is expected")
    for depth in range(1, len(path) + 1):
        part = path[:depth]
        wanted = empty if depth == len(path) else {}
        container = _found(edited.text, part[:-1])
        old = _last(container, part[-1])
        if old is None:
            edited.text = _inserted(edited.text, container, part[-1], wanted)
            edited.created.append(part)
        elif type(old.value.data) is not type(wanted):
            raise JsonError(
                f"{'.'.join(part)!r} is {_kind(old.value.data)} where {_kind(wanted)} is expected"
            )
    return edited


def _kind(data: Any) -> str:
    if isinstance(data, dict):
        return "an object"
    if isinstance(data, list):
        return "an array"
    return f"the value {json.dumps(data)}"


def _inserted(text: str, container: _Value, key: str | None, value: Any) -> str:
    """The text with a new last element."""
    style = _Style.of(text)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if _on_one_line(text, container):
        last = container.elements[-1]
        shown = name + _shown(value, style, "", inline=True)
        if last.comma is None:
            return f"{text[: last.value.end]}, {shown}{text[last.value.end :]}"
        return f"{text[: last.comma + 1]} {shown},{text[last.comma + 1 :]}"
    outer = _margin(text, container.start)
    margin = _margin(text, container.elements[-1].start) if container.elements else outer + style.unit
    shown = f"{style.newline}{margin}{name}" + _shown(value, style, margin, inline=False)
    closing = container.end - 1
    if not container.elements:
        at = max([container.start + 1, *(end for _, end in container.comments)])
        gap = text[at:closing]
        tail = gap if "\n" in gap else f"{style.newline}{outer}"
        return f"{text[:at]}{shown}{tail}{text[closing:]}"
    last = container.elements[-1]
    after = last.value.end if last.comma is None else last.comma + 1
    at = _end_of_remark(text, container, after)
    comma = ""
    if last.comma is None:
        text = f"{text[: last.value.end]},{text[last.value.end :]}"
        at += 1
    else:
        comma = ","
    return f"{text[:at]}{shown}{comma}{text[at:]}"


def _end_of_remark(text: str, container: _Value, at: int) -> int:
    """Where the comments end that stand behind a place on its line."""
    for start, end in container.comments:
        if start >= at and not text[at:start].strip(" \t"):
            at = end
    return at


def _without(text: str, container: _Value, index: int) -> str:
    """The text without one element, with its comma and the white space before it."""
    element = container.elements[index]
    before = container.elements[index - 1] if index else None
    previous = container.start + 1
    if before is not None:
        previous = before.value.end if before.comma is None else before.comma + 1
    inside = [(start, end) for start, end in container.comments if previous <= start and end <= element.start]
    previous = max([previous, *(end for _, end in inside)])
    cuts = [(previous, element.value.end)]
    alone = len(container.elements) == 1 and not container.comments
    if alone and not text[(element.comma or element.value.end - 1) + 1 : container.end - 1].strip():
        return text[: container.start + 1] + text[container.end - 1 :]
    if element.comma is not None:
        cuts.append((element.comma, element.comma + 1))
    elif before is not None and before.comma is not None:
        cuts.insert(0, (before.comma, before.comma + 1))
    rest = text[cuts[-1][1] :]
    line_comment = bool(inside) and text[inside[-1][0] :].startswith("//")
    if line_comment and not re.match(r"[ \t]*(\r?\n|$)", rest):
        # What follows would become part of that comment.
        cuts[[cut[0] for cut in cuts].index(previous)] = (element.start, element.value.end)
    for start, end in reversed(cuts):
        text = text[:start] + text[end:]
    return text


def _checked(edited: Edited, expected: Any) -> Edited:
    """The edit, if it says what it should."""
    if parse(edited.text) != expected:
        raise AfreshError("an edit would have changed more than it should; nothing was written")
    return edited
