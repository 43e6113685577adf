"""Cuts real instruction files and decision records into notes, and looks for what a reader would miss.

Judged line by line against a parse of its own: each heading is in a trail, each line of text in a
note, each code block whole in one, each item of a list of rules in one note that holds no other's beginning.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from tests.benchmarks.figures import Figure

from afresh_indexer.front_matter import read_front_matter
from afresh_indexer.notes import is_note_source, lines_of, read_document
from afresh_indexer.records import Note


@dataclass(slots=True)
class Missed:
    """What was looked for and not found, as `path:line`."""

    headings: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)


def run(data: Path | None) -> Iterator[Figure]:
    """Over `agent_files` below the data folder; nothing without one."""
    root = None if data is None else data / "agent_files"
    if root is None or not root.is_dir():
        return
    missed = Missed()
    files = notes = headings = code = records = understood = 0
    taken = 0.0
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        name = path.relative_to(root).as_posix().partition("/")[2]
        if not is_note_source(name):
            continue
        content = path.read_bytes()
        started = time.perf_counter()
        document = read_document(name, content)
        taken += time.perf_counter() - started
        files += 1
        notes += len(document.notes)
        if document.decision is not None:
            records += 1
            understood += document.decision.status is not None
        counted = _check(f"{path.relative_to(root)}", lines_of(content), document.notes, missed)
        headings += counted[0]
        code += counted[1]
    yield Figure(f"{files} files: notes", notes, "notes", note=f"{taken * 1000:.0f} ms")
    for what, found, total in (
        ("headings lost", missed.headings, headings),
        ("lines of text lost", missed.lines, 0),
        ("code blocks cut", missed.code, code),
        ("items cut, or mixed with another's beginning", missed.items, 0),
    ):
        of = f"of {total}" if total else ""
        yield Figure(what, len(found), "", 0, " ".join([of, *found[:5]]).strip())
    yield Figure("decision records without a status", records - understood, "", 0, f"of {records}")


def _check(path: str, lines: list[str], notes: tuple[Note, ...], missed: Missed) -> tuple[int, int]:
    first = read_front_matter(lines).end
    tokens = MarkdownIt("commonmark").enable("table").parse("\n".join(lines[first:]))
    trails = {heading for note in notes for heading in note.headings}
    told = {number for note in notes for number in range(note.start_line, note.end_line + 1)}
    headings = code = 0
    for place, token in enumerate(tokens):
        if token.map is None:
            continue
        start, end = token.map[0] + first, token.map[1] + first
        where = f"{path}:{start + 1}"
        if token.type == "heading_open" and token.level == 0:
            headings += 1
            told.update(range(start + 1, end + 1))
            if _text(tokens[place + 1]) not in trails:
                missed.headings.append(where)
        elif token.type in ("fence", "code_block"):
            code += 1
            block = "\n".join(lines[start:end]).strip("\n")
            if not any(block.strip() in note.text for note in notes):
                missed.code.append(where)
        elif token.type == "list_item_open" and token.level == 1:
            holding = [note for note in notes if note.start_line <= start + 1 <= note.end_line]
            whole = "\n".join(lines[start:end]).rstrip()
            if len(holding) != 1 or (len(whole) < 1500 and whole.strip() not in holding[0].text):
                missed.items.append(where)
        elif token.type == "html_block":
            told.update(range(start + 1, end + 1))
    missed.lines += [
        f"{path}:{number}"
        for number, line in enumerate(lines, 1)
        if number > first and line.strip() and number not in told
    ]
    return headings, code


def _text(inline: Token) -> str:
    parts = [
        " " if child.type in ("softbreak", "hardbreak") else child.content for child in inline.children or ()
    ]
    return " ".join("".join(parts).split())
