"""Cuts documents that are written for whoever works on a project into notes: sections under their headings.

`kind_of` says which files those are. A note's lines are exact, so that what is recalled can be shown in its
place, and a long section becomes several notes, cut where its blocks and list items end. Files for agents are
cut further, into their single rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from afresh_indexer.agent_files import is_agent_file
from afresh_indexer.decisions import UNDERSTOOD, Decision, is_decision, read_decision
from afresh_indexer.front_matter import FrontMatter, read_front_matter, tags_of
from afresh_indexer.note_blocks import LIMIT, Block, Section, split
from afresh_indexer.note_items import split_items
from afresh_indexer.records import Note

RULES = 1
"""The version of the way in which notes are cut: with another one, every document is read again."""

MAX_PARSED_BYTES = 512 * 1024
"""A larger document is cut into notes without looking for headings: parsing 1 MB takes seconds."""

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_RST = (".rst", ".rest")
_DOCUMENTATION = re.compile(
    r".*\.(?:md|markdown|mdown|mkd|mdx|rst|rest)|(?:.*/)?README(?:[-_][\w-]+)?(?:(?:\.[\w-]+)?\.txt)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Document:
    """What a document holds for whoever works on the project."""

    notes: tuple[Note, ...] = ()
    decision: Decision | None = None
    """What it says of itself, where it is a decision record."""


def is_note_source(path: str) -> bool:
    """Whether notes are taken from the file at this path, by its name alone."""
    return kind_of(path) is not None


def kind_of(path: str) -> str | None:
    """The kind of the notes that are taken from this file, or None where none are."""
    if is_agent_file(path):
        return "agent_file"
    if not _DOCUMENTATION.fullmatch(path):
        return None
    return "decision" if is_decision(path) else "documentation"


def notes_of(path: str, data: bytes) -> tuple[Note, ...]:
    """The notes in a document, in order; none for a file that is no source of notes."""
    return read_document(path, data).notes


def lines_of(data: bytes) -> list[str]:
    """The lines of a document, as the lines of notes count them; bytes that are not UTF-8 are replaced."""
    return _LINE_BREAK.split(data.decode("utf-8-sig", "replace"))


def read_document(path: str, data: bytes, *, kind: str | None = None) -> Document:
    """The notes in a document, in order, and what it says of itself if it records a decision.

    Text before the first heading is a note without headings. A section without text of its own gives none,
    but stays in the headings of those below it, and where there are none below is a note by its heading
    alone. Front matter gives tags, and its description is a note. `kind` is for a document whose path
    doesn't tell of which kind it is.
    """
    kind = kind or kind_of(path)
    if kind is None:
        return Document()
    lines = lines_of(data)
    front = FrontMatter() if _is_rst(path) else read_front_matter(lines)
    sections = list(_sections_of(path, len(data))(lines, front.end))
    decision = read_decision(path, front, sections, lines) if kind == "decision" else None
    if decision is None:
        cutting = _Cutting(path, kind, tags_of(front))
    else:
        status = (f"status:{decision.status}",) if decision.status else ()
        tags = tuple(dict.fromkeys((*status, *tags_of(front, without=UNDERSTOOD))))
        cutting = _Cutting(path, kind, tags, decision.decided)
    return Document(tuple(cutting.notes(lines, front, sections)), decision)


def _is_rst(path: str) -> bool:
    return path.lower().endswith(_RST)


def _sections_of(path: str, size: int) -> Callable[[list[str], int], Iterator[Section]]:
    """How a document is cut; parsers are imported with the first one, a keeper's first answer is sooner."""
    if size > MAX_PARSED_BYTES:
        return _one_section
    if _is_rst(path):
        from afresh_indexer.note_rst import rst_sections

        return rst_sections
    from afresh_indexer.note_markdown import markdown_sections

    return markdown_sections


@dataclass(frozen=True, slots=True)
class _Cutting:
    """Cuts one document; what all its notes have in common."""

    path: str
    kind: str
    tags: tuple[str, ...]
    decided: date | None = None

    def notes(self, lines: list[str], front: FrontMatter, sections: Sequence[Section]) -> Iterator[Note]:
        title = front.text("title")
        if title and any(section.level == 1 for section in sections):
            title = ""
        trail: list[tuple[int, str]] = [(0, title)] if title else []
        yield from self._description(front, lines, tuple(name for _, name in trail))
        cut = split_items if self.kind == "agent_file" else split
        for place, section in enumerate(sections):
            if section.level:
                while trail and trail[-1][0] >= section.level:
                    trail.pop()
                trail.append((section.level, section.title))
            headings = tuple(name for _, name in trail)
            empty = True
            for piece in cut(section.blocks, lines, LIMIT):
                empty = False
                yield self._note(headings, piece.text, piece.start, piece.end, piece.context)
            below = place + 1 < len(sections) and sections[place + 1].level > section.level
            if section.level and empty and not below:
                start, end = section.heading
                yield self._note(headings, "\n".join(lines[start:end]).strip(), start, end)

    def _description(self, front: FrontMatter, lines: list[str], headings: tuple[str, ...]) -> Iterator[Note]:
        for name in ("description", "summary"):
            if front.text(name):
                start, end = front.lines[name]
                yield self._note(headings, "\n".join(lines[start:end]).strip(), start, end)

    def _note(self, headings: tuple[str, ...], text: str, start: int, end: int, context: str = "") -> Note:
        return Note(
            path=self.path,
            headings=headings,
            text=text,
            start_line=start + 1,
            end_line=end,
            kind=self.kind,
            tags=self.tags,
            context=context,
            decided=self.decided,
        )


def _one_section(lines: list[str], first: int) -> Iterator[Section]:
    yield Section(0, "", (Block(first, len(lines)),))
