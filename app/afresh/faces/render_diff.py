"""What changed under a conclusion, as lines for people: verdicts, then hunks with the changed words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from afresh.faces.render import Line, counted, freshness_mark, inert, line, paragraph

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


def file_diff(file: Mapping[str, Any], *, cited_only: bool = False) -> list[Line]:
    """One file's hunks, changed words marked in them; with `cited_only` those of the cited parts alone."""
    place = "" if file["new_path"] in (None, file["path"]) else f" -> {file['new_path']}"
    lines = [line((f"{file['path']}{place}", "bold cyan"), f"  {file['change'].replace('_', ' ')}")]
    if file["note"]:
        lines.append(line((f"note: {file['note']}", "dim")))
    shown = [hunk for hunk in file["hunks"] if hunk["cited"] or not cited_only]
    for hunk in shown:
        old, new = f"-{hunk['old_start']},{hunk['old_lines']}", f"+{hunk['new_start']},{hunk['new_lines']}"
        lines.append(line((f"@@ {old} {new} @@", "cyan")))
        lines += _hunk(hunk["lines"])
    left_out = len(file["hunks"]) - len(shown)
    if left_out:
        lines.append(line((f"{counted(left_out, 'change')} elsewhere in the file", "dim")))
    return lines


def _counts(result: Mapping[str, Any]) -> Mapping[str, Sequence[str]]:
    gone = [file["path"] for file in result["files"] if file["new_path"] is None]
    return {
        "changed_files": [file["path"] for file in result["files"] if file["path"] not in gone],
        "missing_files": gone,
    }


def _hunk(lines: Sequence[Mapping[str, str]]) -> Iterator[Line]:
    """Kept lines as they are; a run of removed ones together with the added ones that took its place."""
    removed: list[str] = []
    added: list[str] = []
    for item in lines:
        match item["kind"]:
            case "+":
                added.append(item["text"])
                continue
            case "-" if not added:
                removed.append(item["text"])
                continue
        yield from _replaced(removed, added)
        removed, added = [], []
        if item["kind"] == "-":
            removed.append(item["text"])
        else:
            yield line("  ", inert(item["text"]))
    yield from _replaced(removed, added)


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
