"""A stale conclusion as a text to edit, and what was made of it. Pure.

The text is as `git commit` gives it: what is meant stands above a line of scissors, what it rests on below,
where whatever begins with `#` only explains.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afresh.errors import UsageError
from afresh_tui.inert import inert, one_line
from afresh_tui.wording import word_of

if TYPE_CHECKING:
    from afresh import contracts

SCISSORS = "# ------------------------ >8 ------------------------"
_LINES = re.compile(r"(?P<path>.+):(?P<start>\d+)(?:-(?P<end>\d+))?")

Cited = Mapping[str, Any]
"""A citation as verbs take it: path, and lines, a symbol or a quote."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text to edit, and the citations that its lines stand for."""

    text: str
    citations: Mapping[str, Cited]
    """By their lines in the text; a line that is left alone keeps all that it stands for, such as a quote."""


@dataclass(frozen=True, slots=True)
class Rerecorded:
    """What came back."""

    conclusion: str
    files: list[Cited]


def draft(
    title: str,
    conclusion: str,
    files: Sequence[contracts.RecordedFile | contracts.CitedSource],
    details: Iterable[contracts.FileDetail],
) -> Draft:
    """A conclusion to edit, with what it rests on where that stands now; what is gone is only told."""
    by_path = {detail.path: detail for detail in details}
    citations: dict[str, Cited] = {}
    lost: list[str] = []
    for file in files:
        for line, cited in _cited_now(file, by_path.get(file.path)):
            if cited is None:
                lost.append(line)
            else:
                citations[line] = cited
    told = [
        "",
        SCISSORS,
        "# Above: the conclusion. Below: what it rests on, one a line, as",
        "# PATH, PATH:START-END or PATH#SYMBOL. An empty conclusion changes nothing.",
        "",
        *citations,
        *(f"# gone: {line}" for line in lost),
        "",
        f"# {one_line(title, 500)}",
        *(f"# {line}" for detail in by_path.values() for line in _told(detail)),
        "",
    ]
    return Draft("\n".join([conclusion.rstrip("\n"), *told]), citations)


def read(text: str | None, given: Draft) -> Rerecorded | None:
    """What an edited text says; None where nothing is to be done: it is as it was (None), or empty.

    Raises UsageError that names the line which is no citation, and where none is left.
    """
    above, _, below = (text or "").partition(SCISSORS)
    conclusion = above.strip("\n").rstrip()
    if text is None or not conclusion.strip():
        return None
    lines = [line.strip() for line in below.splitlines()]
    files = [
        given.citations.get(line) or citation(line) for line in lines if line and not line.startswith("#")
    ]
    if not files:
        raise UsageError("no file is left below the scissors; a conclusion rests on one at least")
    return Rerecorded(conclusion, files)


def citation(line: str) -> Cited:
    """A line as a citation. Raises UsageError."""
    if "#" in line:
        path, symbol = line.rsplit("#", 1)
        if not path.strip() or not symbol.strip():
            raise UsageError(f"{line!r} is no citation; write PATH#SYMBOL, such as src/locks.py#Lock.acquire")
        return {"path": path.strip(), "symbol": symbol.strip()}
    found = _LINES.fullmatch(line)
    if found is None:
        return {"path": line}
    start, end = int(found["start"]), int(found["end"] or found["start"])
    if not 1 <= start <= end:
        raise UsageError(f"{line!r} is no citation; lines go from 1 up, such as src/locks.py:10-24")
    return {"path": found["path"], "start_line": start, "end_line": end}


def _cited_now(
    file: contracts.RecordedFile | contracts.CitedSource, detail: contracts.FileDetail | None
) -> Iterator[tuple[str, Cited | None]]:
    """Each citation of a file where it stands now, as its line; None for one that is gone."""
    given = [span for span in file.spans if not span.derived]
    if detail is None:
        for span in given:
            yield _entry(file.path, span.symbol, span.start_line, span.end_line, span.quote)
        if not given:
            yield file.path, {"path": file.path}
        return
    place = detail.moved_to.path if detail.moved_to is not None else file.path
    if not given:
        is_gone = detail.change == "gone" and detail.moved_to is None
        yield (file.path, None) if is_gone else (place, {"path": place})
        return
    drifted = [span for span in detail.spans if not span.derived]
    for span, now in zip(given, drifted, strict=False):
        start, end = now.now_start_line, now.now_end_line
        if now.now == "gone" or start is None or end is None:
            part = f"#{span.symbol}" if span.symbol else f":{span.start_line}-{span.end_line}"
            yield f"{file.path}{part}", None
            continue
        where = now.moved_to.path if now.moved_to is not None else place
        symbol = now.moved_to.symbol if now.moved_to is not None else span.symbol
        quote = span.quote if now.now in ("unchanged", "eol_only") else None
        yield _entry(where, symbol if span.symbol else None, start, max(start, end), quote)


def _entry(path: str, symbol: str | None, start: int, end: int, quote: str | None) -> tuple[str, Cited]:
    if quote is not None:
        return f"{path}:{start}-{end}", {"path": path, "quote": quote}
    if symbol is not None:
        return f"{path}#{symbol}", {"path": path, "symbol": symbol}
    return f"{path}:{start}-{end}", {"path": path, "start_line": start, "end_line": end}


def _told(detail: contracts.FileDetail) -> Iterator[str]:
    """What happened to a file since, as lines that explain."""
    yield f"{word_of(detail.change)}: {inert(detail.path)}"
    if detail.commit is not None:
        yield f"  {detail.commit.id[:10]} {one_line(detail.commit.author)}: {one_line(detail.commit.subject)}"
    elif detail.uncommitted:
        yield "  not committed"
