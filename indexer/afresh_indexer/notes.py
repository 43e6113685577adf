"""Cuts documents that are written for whoever works on a project into notes: sections under their headings.

`NOTE_SOURCES` says which files those are. A note's lines are exact, so that what is recalled can be shown in
its place, and a long section becomes several notes, cut where its blocks and list items end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from afresh_indexer.note_blocks import LIMIT, Block, Section, split
from afresh_indexer.records import Note

MAX_PARSED_BYTES = 512 * 1024
"""A larger document is cut into notes without looking for headings: parsing 1 MB takes seconds."""

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_FRONT_MATTER_END = re.compile(r"(?:---|\.\.\.)[ \t]*\Z")
_TAGS = re.compile(r"(?:tags|keywords)[ \t]*:[ \t]*(.*)\Z", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*-[ \t]+(.+)\Z")


@dataclass(frozen=True, slots=True)
class NoteSource:
    """A family of files that notes are taken from."""

    kind: str
    """`Note.kind` of their notes."""
    pattern: re.Pattern[str]
    """Matches the POSIX path, relative to the root."""


NOTE_SOURCES: tuple[NoteSource, ...] = (
    NoteSource("agent_file", re.compile(r"(?:.*/)?(?:CLAUDE|AGENTS)\.md", re.IGNORECASE)),
    NoteSource(
        "documentation",
        re.compile(
            r"(?:.*/)?README(?:[-_][\w-]+)?(?:(?:\.[\w-]+)?\.(?:md|markdown|mdown|mkd|mdx|rst|rest|txt))?",
            re.IGNORECASE,
        ),
    ),
)
"""The first that matches counts."""


def is_note_source(path: str) -> bool:
    """Whether notes are taken from the file at this path, by its name alone."""
    return kind_of(path) is not None


def kind_of(path: str) -> str | None:
    """The kind of the notes that are taken from this file, or None where none are."""
    return next((source.kind for source in NOTE_SOURCES if source.pattern.fullmatch(path)), None)


def notes_of(path: str, data: bytes) -> tuple[Note, ...]:
    """The notes in a document, in order; none for a file that is no source of notes.

    Text before the first heading is a note without headings. A section without text of its own gives none,
    but stays in the headings of those below it. Bytes that are not UTF-8 are replaced. Front matter gives
    tags and nothing else.
    """
    kind = kind_of(path)
    if kind is None:
        return ()
    lines = _LINE_BREAK.split(data.decode("utf-8-sig", "replace"))
    tags, first = ((), 0) if _is_rst(path) else _front_matter(lines)
    return tuple(_notes(path, kind, lines, tags, first, _sections_of(path, len(data))))


def _is_rst(path: str) -> bool:
    return path.lower().endswith((".rst", ".rest"))


def _sections_of(path: str, size: int) -> Callable[[list[str], int], Iterator[Section]]:
    """How a document is cut; parsers are imported with the first one, a keeper's first answer is sooner."""
    if size > MAX_PARSED_BYTES:
        return _one_section
    if _is_rst(path):
        from afresh_indexer.note_rst import rst_sections

        return rst_sections
    from afresh_indexer.note_markdown import markdown_sections

    return markdown_sections


def _notes(
    path: str,
    kind: str,
    lines: list[str],
    tags: tuple[str, ...],
    first: int,
    sections: Callable[[list[str], int], Iterator[Section]],
) -> Iterator[Note]:
    trail: list[tuple[int, str]] = []
    for section in sections(lines, first):
        if section.level:
            while trail and trail[-1][0] >= section.level:
                trail.pop()
            trail.append((section.level, section.title))
        headings = tuple(title for _, title in trail)
        for piece in split(section.blocks, lines, LIMIT):
            yield Note(path, headings, piece.text, piece.start + 1, piece.end, kind, tags)


def _one_section(lines: list[str], first: int) -> Iterator[Section]:
    yield Section(0, "", (Block(first, len(lines)),))


def _front_matter(lines: list[str]) -> tuple[tuple[str, ...], int]:
    """The tags in the front matter and the index of the line after it; none and 0 where there is none."""
    if not lines or lines[0].rstrip() != "---":
        return (), 0
    end = next((number for number in range(1, len(lines)) if _FRONT_MATTER_END.match(lines[number])), None)
    if end is None:
        return (), 0
    tags: list[str] = []
    in_tags = False
    for line in lines[1:end]:
        found, item = _TAGS.match(line), _ITEM.match(line)
        if found is not None:
            tags += found[1].strip("[] \t").split(",")
            in_tags = True
        elif in_tags and item is not None:
            tags.append(item[1])
        else:
            in_tags = False
    cleaned = (tag.strip().strip("\"'").strip() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag)), end + 1
