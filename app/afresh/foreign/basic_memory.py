"""A store of basic-memory: Markdown notes with a header, observations and relations.

An observation is a list item `- [category] text #tag (context)`, a relation is one like
`- word [[Other note]] (context)`. Each is a memory of its own, and so is each section of the rest of a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from afresh.foreign.rows import TYPES, Document, Found, Ids, Row, documents, row
from afresh_indexer.front_matter import FrontMatter, read_front_matter
from afresh_indexer.notes import lines_of, read_document

_ITEM = re.compile(r"\s*[-*+]\s+(?P<text>\S.*)\Z")
_OBSERVATION = re.compile(r"\[(?P<category>[^\[\]()]*[^\[\]()\s][^\[\]()]*)\]\s+(?P<text>\S.*)\Z", re.DOTALL)
_TASK = re.compile(r"\[[ xX/>-]\]\s")
_RELATION = re.compile(
    r"(?P<word>[^\[\]#]{0,80}?)\s*\[\[(?P<target>[^\]]+)\]\]\s*(?P<context>.*)\Z", re.DOTALL
)
_TAG = re.compile(r"(?<![\w#&])#([\w/-]*[^\W\d][\w/-]*)")
_TRAILING_TAGS = re.compile(r"(?:\s+#[\w/-]+)+(?=\s*(?:\([^()]*\))?\s*\Z)")
_FENCE = re.compile(r"\s*(?:```|~~~)")


def read_basic_memory(path: Path) -> Found:
    """The memories in a project folder of basic-memory."""
    key = path.name
    found = Found(whole=(f"basic-memory:{key}/",))
    ids = Ids()
    for document in documents(path, found):
        found.rows += _of(document, key, ids)
    return found


def _of(document: Document, key: str, ids: Ids) -> Iterator[Row]:
    lines = lines_of(document.data)
    front = read_front_matter(lines)
    stem = document.path.removesuffix(".md")
    place = front.text("permalink") or stem
    title = front.text("title") or _heading(lines[front.end :]) or stem.rpartition("/")[2]
    prefix = f"basic-memory:{key}/{place}"
    tags = _header_tags(front)
    created = _created(front) or document.modified

    def made(content: str, id_: str, line: int, own: Sequence[str] = (), type: str = "fact") -> Row:
        return row(
            content,
            ids.take(f"{prefix}#{id_}"),
            type=type,
            path=place,
            tags=[*own, *tags],
            created_at=created,
            source_path=document.path,
            line=line,
        )

    rest = list(lines)
    observations = relations = 0
    for start, end, text in _items(lines, front.end):
        observation, relation = _OBSERVATION.match(text), _RELATION.match(text)
        if observation is not None and not _TASK.match(text):
            observations += 1
            category = observation["category"].strip().lower()
            said = _TRAILING_TAGS.sub("", observation["text"]).strip()
            own = [category, *_TAG.findall(observation["text"])]
            kind = TYPES.get(category, "fact")
            yield made(f"{title}: {said}", f"observation-{observations}", start + 1, own, kind)
        elif relation is not None and not _TASK.match(text):
            relations += 1
            word = relation["word"].strip() or "links to"
            parts = [title, word.replace("_", " "), relation["target"].partition("|")[0], relation["context"]]
            content = " ".join(filter(None, parts))
            yield made(content, f"relation-{relations}", start + 1, ["relation", word])
        else:
            continue
        rest[start:end] = [""] * (end - start)
    for note in read_document(document.path, "\n".join(rest).encode(), kind="documentation").notes:
        if note.headings and note.text.lstrip("#").strip() == note.headings[-1]:
            # A heading that held nothing but observations or relations.
            continue
        headings = [title, *(heading for heading in note.headings if heading != title)]
        trail = " > ".join(headings)
        yield made(f"{trail}\n\n{note.text}", trail, note.start_line)


def _items(lines: list[str], first: int) -> Iterator[tuple[int, int, str]]:
    """The list items outside of code: first line, line after the last, and the text without its mark."""
    fenced = False
    number = first
    while number < len(lines):
        start = number
        number += 1
        if _FENCE.match(lines[start]):
            fenced = not fenced
        item = _ITEM.match(lines[start])
        if fenced or item is None:
            continue
        indent = len(lines[start]) - len(lines[start].lstrip())
        while number < len(lines) and _goes_on(lines[number], indent):
            number += 1
        text = [item["text"], *(line.strip() for line in lines[start + 1 : number])]
        yield start, number, "\n".join(text).rstrip()


def _goes_on(line: str, indent: int) -> bool:
    """Whether a line is more of an item that is indented so far."""
    deeper = len(line) - len(line.lstrip()) > indent
    return bool(line.strip()) and deeper and _ITEM.match(line) is None and _FENCE.match(line) is None


def _heading(lines: list[str]) -> str:
    return next((line.lstrip("#").strip() for line in lines if line.startswith("# ")), "")


def _header_tags(front: FrontMatter) -> list[str]:
    tags = [tag for value in front.fields.get("tags", ()) for tag in re.split(r"[\s,]+(?=#)", value)]
    kind = front.text("type")
    return [tag.lstrip("#").strip() for tag in tags] + ([kind] if kind and kind != "note" else [])


def _created(front: FrontMatter) -> datetime | None:
    for name in ("created", "created_at", "date"):
        try:
            moment = datetime.fromisoformat(front.text(name))
        except ValueError:
            continue
        return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return None
