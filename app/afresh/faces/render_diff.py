"""What changed under a conclusion, as lines for people: verdicts, then hunks with the changed words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from afresh.faces.render import Line, freshness_mark, inert, line, paragraph

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.4
"""Lines less alike than this are shown as replaced, not as edited."""


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


def file_diff(file: Mapping[str, Any]) -> list[Line]:
    """One file's hunks; removed and added lines side by side in order, the changed words marked in them."""
    place = "" if file["new_path"] in (None, file["path"]) else f" -> {file['new_path']}"
    lines = [line((f"{file['path']}{place}", "bold cyan"), f"  {file['change'].replace('_', ' ')}")]
    if file["note"]:
        lines.append(line((f"note: {file['note']}", "dim")))
    for hunk in file["hunks"]:
        old, new = f"-{hunk['old_start']},{hunk['old_lines']}", f"+{hunk['new_start']},{hunk['new_lines']}"
        lines.append(line((f"@@ {old} {new} @@", "cyan")))
        lines += _hunk(hunk["lines"])
    return lines


def _counts(result: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    gone = [file["path"] for file in result["files"] if file["new_path"] is None]
    return {
        "changed_files": [file["path"] for file in result["files"] if file["path"] not in gone],
        "missing_files": gone,
    }


def _hunk(lines: Sequence[Mapping[str, str]]) -> Iterator[Line]:
    removed: list[str] = []
    added: list[str] = []
    for item in (*lines, {"kind": " ", "text": ""}):
        if item["kind"] == "-" and not added:
            removed.append(item["text"])
            continue
        if item["kind"] == "+":
            added.append(item["text"])
            continue
        yield from _replaced(removed, added)
        removed, added = [], []
        if item["kind"] == "-":
            removed.append(item["text"])
        elif item is not lines[-1] or item["kind"] == " ":
            yield line(("  ", ""), inert(item["text"]))


def _replaced(removed: Sequence[str], added: Sequence[str]) -> Iterator[Line]:
    """A run of removed lines and the one that took its place, with their words compared pair by pair."""
    pairs = [_marked(old, new) for old, new in zip(removed, added, strict=False)]
    for at, text in enumerate(removed):
        spans = pairs[at][0] if at < len(pairs) else [(text, False)]
        yield _line("- ", "red", spans)
    for at, text in enumerate(added):
        spans = pairs[at][1] if at < len(pairs) else [(text, False)]
        yield _line("+ ", "green", spans)


def _line(sign: str, style: str, spans: Sequence[tuple[str, bool]]) -> Line:
    return line((sign, style), *((inert(text), f"{style} reverse" if new else style) for text, new in spans))


def _marked(old: str, new: str) -> tuple[list[tuple[str, bool]], list[tuple[str, bool]]]:
    """Both lines in pieces, each with whether it is on this side alone; unmarked where nearly all is."""
    one, two = _WORDS.findall(old), _WORDS.findall(new)
    matcher = difflib.SequenceMatcher(None, one, two, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return [(old, False)], [(new, False)]
    before: list[tuple[str, bool]] = []
    after: list[tuple[str, bool]] = []
    for kind, start, end, other, last in matcher.get_opcodes():
        if end > start:
            before.append(("".join(one[start:end]), kind != "equal"))
        if last > other:
            after.append(("".join(two[other:last]), kind != "equal"))
    return before, after
