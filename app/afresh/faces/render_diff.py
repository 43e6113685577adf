"""What changed under a conclusion, as lines for people: numbered, the changed words of each run marked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from afresh.faces.render import Line, counted, freshness_mark, inert, line, paragraph, word_of

_WORDS = re.compile(r"\d+\.\d+|\w+|\n|[^\S\n]+|[^\w\s]")
_ALIKE = 0.4
"""Runs of lines less alike than this are shown as replaced, not as edited."""
_MOST_WORDS = 1500
"""Comparing takes time with the square of it; a longer run was hardly edited word by word."""

_Pieces = list[tuple[str, bool]]
"""A line in pieces, each with whether it is on this side alone."""


def memo(result: Mapping[str, Any]) -> list[Line]:
    """One conclusion with everything that changed under it."""
    lines = [line((f"#{result['id']} ", "bold"), freshness_mark({**result, **_counts(result)}))]
    lines += paragraph(result["question"], 3, "bold")
    lines += paragraph(result["conclusion"], 3)
    if not result["files"]:
        lines.append(line("Nothing changed under it.", indent=3))
    for file in result["files"]:
        lines += [Line(), *file_diff(file)]
    return lines


def file_diff(file: Mapping[str, Any], *, cited_only: bool = False, indent: int = 0) -> list[Line]:
    """The changes of one file, or of a part of it that went elsewhere; of the cited parts alone if so wanted.

    A removed line has its old number, every other one its new.
    """
    part = f"#{file['part']}" if file["part"] else ""
    place = "" if file["new_path"] in (None, file["path"]) and not part else f" -> {file['new_path']}"
    heading = f"{file['path']}{part}{place}", "bold cyan"
    lines = [line(heading, f"  {word_of(file['change'])}", indent=indent)]
    if file["note"]:
        lines.append(line((file["note"], "dim"), indent=indent))
    shown = [hunk for hunk in file["hunks"] if hunk["cited"] or not cited_only]
    width = max((len(str(_last_number(hunk))) for hunk in shown), default=0)
    for at, hunk in enumerate(shown):
        if at:
            lines.append(line(("⋯".rjust(width), "dim"), indent=indent))
        lines += _hunk(hunk, width, indent)
    left_out = len(file["hunks"]) - len(shown)
    if left_out:
        told = counted(left_out, "change") if not shown else counted(left_out, "more change")
        lines.append(line((f"{told} in this file, not where it is cited", "dim"), indent=indent))
    return lines


def _counts(result: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    whole = [file for file in result["files"] if not file["part"]]
    gone = [file["path"] for file in whole if file["new_path"] is None]
    return {
        "changed_files": [file["path"] for file in whole if file["path"] not in gone],
        "missing_files": gone,
    }


def _last_number(hunk: Mapping[str, Any]) -> int:
    return max(1, *(int(hunk[f"{side}_start"] + hunk[f"{side}_lines"] - 1) for side in ("old", "new")))


def _hunk(hunk: Mapping[str, Any], width: int, indent: int) -> Iterator[Line]:
    """Kept lines as they are; a run of removed ones together with the added ones that took its place."""
    old, new = hunk["old_start"], hunk["new_start"]
    removed: list[str] = []
    added: list[str] = []

    def numbered(number: int, sign: str, style: str, pieces: _Pieces) -> Line:
        parts = ((text, f"{style} reverse" if alone else style) for text, alone in pieces)
        gutter = (f"{number:>{width}} ", "dim"), (f"{sign} ", style)
        return line(*gutter, *parts, indent=indent, hang=width + 3)

    def replaced() -> Iterator[Line]:
        nonlocal old, new
        before, after = _marked(removed, added)
        for at, pieces in enumerate(before):
            yield numbered(old + at, "-", "red", pieces)
        for at, pieces in enumerate(after):
            yield numbered(new + at, "+", "green", pieces)
        old, new = old + len(removed), new + len(added)
        removed.clear()
        added.clear()

    for item in hunk["lines"]:
        text = inert(item["text"])
        if item["kind"] == "+":
            added.append(text)
            continue
        if item["kind"] == "-" and not added:
            removed.append(text)
            continue
        yield from replaced()
        if item["kind"] == "-":
            removed.append(text)
            continue
        yield numbered(new, " ", "", [(text, False)])
        old, new = old + 1, new + 1
    yield from replaced()


def _marked(removed: Sequence[str], added: Sequence[str]) -> tuple[list[_Pieces], list[_Pieces]]:
    """A run of removed lines and the one that took its place, line by line, their words compared as one text.

    So a line that was broken in two is still seen as the same words. Where hardly anything is the same,
    nothing is marked.
    """
    one, two = _WORDS.findall("\n".join(removed)), _WORDS.findall("\n".join(added))
    unmarked = [[(text, False)] for text in removed], [[(text, False)] for text in added]
    if not one or not two or len(one) + len(two) > _MOST_WORDS:
        return unmarked
    matcher = difflib.SequenceMatcher(None, one, two, autojunk=False)
    same = sum(
        not word.isspace() for block in matcher.get_matching_blocks() for word in one[block.a :][: block.size]
    )
    words = sum(not word.isspace() for word in (*one, *two))
    if 2 * same < _ALIKE * words:
        return unmarked
    before: list[tuple[str, bool]] = []
    after: list[tuple[str, bool]] = []
    for kind, start, end, other, last in matcher.get_opcodes():
        before += ((word, kind != "equal") for word in one[start:end])
        after += ((word, kind != "equal") for word in two[other:last])
    return _as_lines(before), _as_lines(after)


def _as_lines(words: Sequence[tuple[str, bool]]) -> list[_Pieces]:
    """Marked words as lines of pieces; indentation is never marked, it would shout."""
    lines: list[_Pieces] = [[]]
    for word, alone in words:
        if word == "\n":
            lines.append([])
            continue
        pieces = lines[-1]
        marked = alone and not (word.isspace() and not pieces)
        if pieces and pieces[-1][1] == marked:
            pieces[-1] = (pieces[-1][0] + word, marked)
        else:
            pieces.append((word, marked))
    return lines
