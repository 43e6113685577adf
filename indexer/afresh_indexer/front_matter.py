"""Reads what stands between lines of dashes at a document's top.

It is meant to be YAML and often isn't: Cursor's own rules have `globs: *.ts`, which no YAML parser takes. So
only what such headers really hold is read, line by line: names with a value or a list. What is nested deeper
is passed over.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

MAX_TAG = 100
MAX_TAGS = 50
"""Of one document: what a memory may have."""

_ENDS = {"---": re.compile(r"(?:---|\.\.\.)[ \t]*\Z"), "+++": re.compile(r"\+\+\+[ \t]*\Z")}
_FIELD = re.compile(r"([A-Za-z_][\w .-]*?)[ \t]*:(?:[ \t]+(.*)|[ \t]*)\Z")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.+)\Z")
_BLOCK = re.compile(r"[|>][+-]?\d*\Z")
_COMMENT = re.compile(r"[ \t]+#.*\Z")
_LIST = re.compile(r"""\s*("[^"]*"|'[^']*'|[^,]*)(?:,|\Z)""")
_BARE = frozenset(("tags", "tag", "keywords", "categories", "category", "labels", "topics"))
"""Names whose values are tags as they stand; those of others carry their name."""
_PROSE = frozenset(("title", "description", "summary"))


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of a document's header, by their names in lower case."""

    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lines: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Where each field stands: from 0, the end excluded."""
    end: int = 0
    """The index of the first line after it; 0 where there is none."""

    def text(self, name: str) -> str:
        """A field as one text, or nothing."""
        return ", ".join(self.fields.get(name, ()))


def read_front_matter(lines: list[str]) -> FrontMatter:
    """The front matter of a document; an empty one where it has none, or one without an end."""
    fence = lines[0].rstrip() if lines else ""
    if fence not in _ENDS:
        return FrontMatter()
    end = next((number for number in range(1, len(lines)) if _ENDS[fence].match(lines[number])), None)
    if end is None:
        return FrontMatter()
    if fence == "+++":
        return _toml(lines, end)
    fields: dict[str, tuple[str, ...]] = {}
    places: dict[str, tuple[int, int]] = {}
    for name, value, start, stop in _entries(lines, end):
        values = tuple(_values(value, lines[start + 1 : stop]))
        if name in _BARE and len(values) == 1:
            values = tuple(_unquoted(part) for part in values[0].split(","))
        fields[name] = values
        places[name] = (start, stop)
    return FrontMatter(fields, places, end + 1)


def tags_of(front: FrontMatter, without: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The fields as tags: those of `tags` and its like bare, others as `name:value`; prose is none.

    `without` names fields that are understood elsewhere.
    """
    found: dict[str, None] = {}
    for name, values in front.fields.items():
        if name in _PROSE or name in without:
            continue
        for value in values:
            tag = value if name in _BARE else f"{name}:{value}"
            if value and len(tag) <= MAX_TAG:
                found[tag] = None
    return tuple(found)[:MAX_TAGS]


def _entries(lines: list[str], end: int) -> Iterator[tuple[str, str, int, int]]:
    """Name, value, first line and the line after the last, of each field."""
    name, value, start = "", "", 1
    for number in range(1, end):
        found = _FIELD.match(lines[number]) if not lines[number][:1].isspace() else None
        if found is None:
            continue
        if name:
            yield name, value, start, number
        name, value, start = found[1].lower(), (found[2] or "").strip(), number
    if name:
        yield name, value, start, end


def _values(value: str, below: list[str]) -> Iterator[str]:
    if _BLOCK.match(value):
        yield " ".join(" ".join(below).split())
        return
    if value[:1] not in ("'", '"'):
        value = _COMMENT.sub("", value) if not value.startswith("#") else ""
    if not value:
        for line in below:
            item = _ITEM.match(line)
            if item is not None and ": " not in item[1].strip("\"'"):
                yield _unquoted(_COMMENT.sub("", item[1]))
        return
    folded = " ".join([value, *(line.strip() for line in below if line[:1].isspace() and line.strip())])
    if folded.startswith("[") and folded.endswith("]"):
        inner = folded[1:-1]
        yield from (_unquoted(found[1]) for found in _LIST.finditer(inner) if found[1].strip())
    else:
        yield _unquoted(folded)


def _unquoted(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return text.strip()


def _toml(lines: list[str], end: int) -> FrontMatter:
    try:
        data = tomllib.loads("\n".join(lines[1:end]))
    except tomllib.TOMLDecodeError:
        return FrontMatter(end=end + 1)
    fields: dict[str, tuple[str, ...]] = {}
    for name, value in data.items():
        values = value if isinstance(value, list) else [value]
        told = tuple(_told(item) for item in values if isinstance(item, str | int | float | date | datetime))
        if told:
            fields[name.lower()] = told
    places = dict.fromkeys(fields, (0, end + 1))
    return FrontMatter(fields, places, end + 1)


def _told(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
