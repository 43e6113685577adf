"""Drafts: files in which a person writes a conclusion, and what is read from them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_HEADING = re.compile(r"^#[ \t]+(Question|Conclusion|Rests on)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_META = re.compile(r"<!-- afresh:(project|root)=(.*?) -->")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINES = re.compile(r"(.+?):(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Draft:
    """A conclusion as it is written in a draft."""

    question: str
    conclusion: str
    files: tuple[Mapping[str, Any], ...]
    project: str | None
    root: str | None

    @property
    def missing(self) -> list[str]:
        """The parts that are still to be written."""
        parts = {
            "question": self.question,
            "conclusion": self.conclusion,
            "files that it rests on": self.files,
        }
        return [name for name, part in parts.items() if not part]


def draft_text(
    question: str, conclusion: str, files: Iterable[str], project: str | None, root: str | None
) -> str:
    """The text of a new draft."""
    meta = [
        f"<!-- afresh:{name}={value} -->" for name, value in (("project", project), ("root", root)) if value
    ]
    return "\n".join(
        [
            "<!-- Saved with all three parts filled in, this is recorded. -->",
            *meta,
            "",
            "# Question",
            "",
            question,
            "",
            "# Conclusion",
            "",
            conclusion,
            "",
            "# Rests on",
            "",
            *(f"- {file}" for file in files),
            "",
        ]
    )


def read_draft(text: str) -> Draft:
    """What a draft says; parts that are missing are empty."""
    meta = {name: value.strip() for name, value in _META.findall(text)}
    parts: dict[str, str] = {}
    found = list(_HEADING.finditer(text))
    for index, heading in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(text)
        parts[heading.group(1).lower()] = _COMMENT.sub("", text[heading.end() : end]).strip()
    listed = [line.strip().lstrip("-*").strip() for line in parts.get("rests on", "").splitlines()]
    return Draft(
        question=parts.get("question", ""),
        conclusion=parts.get("conclusion", ""),
        files=tuple(citation(line.strip("`")) for line in listed if line),
        project=meta.get("project"),
        root=meta.get("root"),
    )


def citation(written: str) -> Mapping[str, Any]:
    """A citation as the engine takes it: `path`, `path:3`, `path:3-9` or `path#Symbol.name`."""
    path, mark, symbol = written.partition("#")
    if mark and symbol:
        return {"path": path, "symbol": symbol}
    lines = _LINES.fullmatch(written)
    if lines is None:
        return {"path": written}
    start = int(lines.group(2))
    return {"path": lines.group(1), "start_line": start, "end_line": int(lines.group(3) or start)}


def cited(files: Sequence[Mapping[str, Any]], details: Sequence[Mapping[str, Any]] | None) -> list[str]:
    """A memo's citations as a draft lists them, where they stand now."""
    changed = {one["path"]: one for one in details or ()}
    found: list[str] = []
    for file in files:
        path, detail = file["path"], changed.get(file["path"])
        spans = [span for span in file["spans"] if not span["derived"]]
        if not spans:
            moved = detail["moved_to"] if detail is not None else None
            found.append(moved["path"] if moved is not None else path)
        for span in spans:
            now = None
            if detail is not None:
                now = next(
                    (
                        one
                        for one in detail["spans"]
                        if (one["start_line"], one["symbol"]) == (span["start_line"], span["symbol"])
                    ),
                    None,
                )
            found.append(_where(path, span, now))
    return found


def _where(path: str, span: Mapping[str, Any], now: Mapping[str, Any] | None) -> str:
    to = now["moved_to"] if now is not None else None
    place = to["path"] if to is not None else path
    symbol = to["symbol"] if to is not None else span["symbol"]
    if symbol and not span["quote"]:
        return f"{place}#{symbol}"
    start, end = span["start_line"], span["end_line"]
    if now is not None and now["now_start_line"] is not None:
        start, end = now["now_start_line"], now["now_end_line"]
    return f"{place}:{start}-{end}"
