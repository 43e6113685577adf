"""Understands architecture decision records: what stands, since when, and what took whose place.

Michael Nygard's form has a line with the date and a section with the status, MADR has both in the front
matter or in a list under the title, and many records have a form of their own or leave things out: what is
there is taken, and nothing is made up.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import unquote

from afresh_indexer.decision_dates import date_in
from afresh_indexer.front_matter import FrontMatter
from afresh_indexer.note_blocks import Section

_FOLDER = re.compile(r"adrs?|(?:architectur(?:e|al)[-_ ])?decisions?(?:[-_ ]?records?)?", re.IGNORECASE)
_SUFFIX = re.compile(r"\.(?:md|markdown|rst)\Z", re.IGNORECASE)
_OWN_NAME = re.compile(r"(?:.*[-_])?adr[-_ ]?\d+.*", re.IGNORECASE)
_NO_RECORD = re.compile(r"readme|index|about|contributing|.*template.*|_.*", re.IGNORECASE)
_NUMBER = re.compile(r"(?:.*?adr[-_ ]?)?0*(\d{1,6})(?!\d|-\d\d-\d\d)", re.IGNORECASE)
_TITLE_NUMBER = re.compile(r"\s*(?:adr[-_ #:]*)?0*(\d{1,6})\b(?![-/]\d)", re.IGNORECASE)

_FIELD = re.compile(
    r"\s*(?:[-*+]\s+|\|\s*|:)?[*_]{0,2}(?P<label>[A-Za-z][A-Za-z_ -]{2,30}?)[*_]{0,2}\s*[:|][*_]{0,2}\s*"
    r"(?P<value>.*?)\s*\|?\s*\Z"
)
_STATUS = frozenset(("status", "state", "decision status"))
_DATE = frozenset(("date", "decided", "decided on", "decision date", "date decided", "accepted on"))
_META = frozenset(("metadata", "meta", "more information", "document control"))
_BY = frozenset(("superseded by", "superseded-by", "superseded_by", "superceded by", "replaced by"))
_OF = frozenset(("supersedes", "supercedes", "replaces"))
UNDERSTOOD = _STATUS | _DATE | _BY | _OF
"""The names of fields that a decision is read from."""

_LINKED = re.compile(
    r"(?P<by>\b(?:super[sc]eded|replaced|obsoleted)[\s_-]+by\b)|(?P<of>\b(?:super[sc]edes|replaces|obsoletes)\b)"
    r"|(?P<other>\b(?:amend(?:s|ed)|clarifie[sd]|relate[sd]|extend(?:s|ed)|see|link(?:s|ed)|because|due)\b)",
    re.IGNORECASE,
)
_PARTLY = re.compile(r"\bpart(?:ly|ially)?\b", re.IGNORECASE)
_TARGET = re.compile(
    r"\[\[(?P<wiki>[^\]|]+)(?:\|[^\]]*)?\]\]"
    r"|\[[^\]]*\]\((?P<link>[^)\s]+)[^)]*\)"
    r"|`[^`<]*<(?P<rst>[^>]+)>`_"
    r"|(?P<file>[\w./-]*\d[\w.-]*\.(?:md|markdown|rst))"
    r"|\b(?:ADR|decision|record)s?[-_ #:]*0*(?P<named>\d{1,6})\b"
    r"|(?<![\w.-])#?0*(?P<number>\d{1,6})(?![\w-])",
    re.IGNORECASE,
)
_WORDS = (
    "superseded", "superceded", "replaced", "proposed", "accepted", "approved", "adopted", "agreed",
    "decided", "implemented", "active", "rejected", "declined", "withdrawn", "deprecated", "obsolete",
    "retired", "draft", "pending", "deferred", "in review", "under review", "in progress", "open", "closed",
    "done", "rfc",
)  # fmt: skip
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_STRUCK = re.compile(r"~~.*?~~|<!--.*?-->", re.DOTALL)
_NOT_IN_FORCE = frozenset(
    (
        "proposed", "draft", "rejected", "declined", "withdrawn", "pending", "deferred", "in review",
        "under review", "open", "rfc",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decision:
    """What a decision record says of itself; what it doesn't say is None or empty."""

    path: str
    number: int | None = None
    status: str | None = None
    """In lower case: one of the common words where one is there, else the record's own."""
    decided: date | None = None
    superseded_by: tuple[str, ...] = ()
    """Records, each by its path relative to the root or by its number."""
    supersedes: tuple[str, ...] = ()

    @property
    def in_force(self) -> bool:
        """Whether it can take another's place: a mere proposal doesn't."""
        return self.status not in _NOT_IN_FORCE


def is_decision(path: str) -> bool:
    """Whether a file is a decision record, by its folder or its name; templates and indexes are none."""
    folder, _, name = path.rpartition("/")
    if not _SUFFIX.search(name):
        return False
    stem = _SUFFIX.sub("", name)
    if _NO_RECORD.fullmatch(stem):
        return False
    return _OWN_NAME.fullmatch(stem) is not None or any(_FOLDER.fullmatch(part) for part in folder.split("/"))


def read_decision(path: str, front: FrontMatter, sections: Sequence[Section], lines: list[str]) -> Decision:
    """What a record says in its front matter, in the lines under its title and in its sections."""
    said = _Said(path)
    for name in front.fields:
        said.take(name, front.text(name))
    title = ""
    for place, section in enumerate(sections):
        body = _body(section, lines)
        name, _, inline = section.title.partition(":")
        label = _plain(name)
        if label in UNDERSTOOD:
            said.take(label, "\n".join([inline.strip(), *body] if inline.strip() else body))
        if place == 0 or (section.level == 1 and not title) or label in _META:
            said.take_fields(body)
        if section.level and not title:
            title = section.title
    return said.decision(_number(path, title))


def superseded(decisions: Iterable[Decision]) -> dict[str, str]:
    """The path of each record that another took the place of, and the path of that other.

    Either of the two may say so, the newer one only when it is more than a proposal. What refers to no
    record here is passed over, and so are records that replace each other in a circle.
    """
    records = {decision.path: decision for decision in decisions}
    numbers: dict[tuple[str, int], list[str]] = {}
    for record in records.values():
        if record.number is not None:
            numbers.setdefault((posixpath.dirname(record.path), record.number), []).append(record.path)

    def found(record: Decision, reference: str) -> str | None:
        if reference.isdigit():
            same = numbers.get((posixpath.dirname(record.path), int(reference)), [])
            return same[0] if len(same) == 1 else None
        if reference in records:
            return reference
        stem = _SUFFIX.sub("", posixpath.basename(reference)).lower()
        folder = posixpath.dirname(record.path)
        beside = [
            path
            for path in records
            if posixpath.dirname(path) == folder and _SUFFIX.sub("", posixpath.basename(path)).lower() == stem
        ]
        return beside[0] if len(beside) == 1 else None

    heirs: dict[str, str] = {}
    for record in records.values():
        for reference in record.supersedes if record.in_force else ():
            old = found(record, reference)
            if old is not None and old != record.path:
                heirs[old] = record.path
    for record in records.values():
        heir = next((path for ref in record.superseded_by if (path := found(record, ref))), None)
        if heir is not None and heir != record.path:
            heirs[record.path] = heir
    return {old: heir for old, heir in heirs.items() if not _circular(old, heirs)}


def _circular(start: str, heirs: Mapping[str, str]) -> bool:
    seen = {start}
    at = heirs.get(start)
    while at is not None and at not in seen:
        seen.add(at)
        at = heirs.get(at)
    return at is not None


class _Said:
    """Gathers what a record says; what is said first counts."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._status: str | None = None
        self._date: date | None = None
        self._status_date: date | None = None
        self._by: dict[str, None] = {}
        self._of: dict[str, None] = {}
        self._replaced = False

    def take(self, label: str, value: str) -> None:
        """Take in what stands under a label that is known, and pass over any other."""
        value = _STRUCK.sub("", value).strip()
        if not value or value.startswith("{") or _lists_choices(value):
            return
        if label in _DATE:
            self._date = self._date or date_in(value)
        elif label in _STATUS:
            self._status = self._status or _status(value)
            self._status_date = self._status_date or date_in(value)
            self._take_links(value)
        elif label in _BY:
            self._refer("by", value)
        elif label in _OF:
            self._refer("of", value)

    def take_fields(self, body: list[str]) -> None:
        """Take in the labelled lines of a text, each with the list below it."""
        for number, line in enumerate(body):
            found = _FIELD.match(line)
            if found is None:
                continue
            value = found["value"]
            if not value:
                below = next((at for at in range(number + 1, len(body)) if _FIELD.match(body[at])), len(body))
                value = "\n".join(body[number + 1 : below])
            self.take(_plain(found["label"]), value)

    def decision(self, number: int | None) -> Decision:
        status = "superseded" if self._replaced else self._status
        decided = self._date or self._status_date
        return Decision(self._path, number, status, decided, tuple(self._by), tuple(self._of))

    def _take_links(self, value: str) -> None:
        """Which records a status names: what follows `superseded by`, up to the next word of that kind."""
        marks = list(_LINKED.finditer(value))
        before = 0
        for number, mark in enumerate(marks):
            end = marks[number + 1].start() if number + 1 < len(marks) else len(value)
            line = value.rfind("\n", 0, mark.start()) + 1
            partly = _PARTLY.search(value, max(before, line), mark.start())
            before = mark.end()
            if partly is None and mark.lastgroup in ("by", "of"):
                self._refer(mark.lastgroup, value[mark.end() : end])

    def _refer(self, way: str, text: str) -> None:
        if _PARTLY.match(text.strip()) or text.strip().lower() in ("none", "n/a", "-", "null"):
            return
        into = self._by if way == "by" else self._of
        self._replaced = self._replaced or way == "by"
        for target in _TARGET.finditer(text):
            reference = self._reference(target)
            if reference is not None:
                into[reference] = None

    def _reference(self, target: re.Match[str]) -> str | None:
        number = target["named"] or target["number"]
        if number:
            return str(int(number))
        link = unquote((target["wiki"] or target["link"] or target["rst"] or target["file"] or "").strip())
        link = link.partition("#")[0].partition("?")[0]
        if not link or "://" in link:
            numbered = _NUMBER.match(link.rpartition("/")[2])
            return str(int(numbered[1])) if numbered else None
        if link.startswith("/"):
            return link.lstrip("/")
        return posixpath.normpath(posixpath.join(posixpath.dirname(self._path), link))


def _status(value: str) -> str | None:
    """The status that a text begins with."""
    first = next((line.strip() for line in value.splitlines() if line.strip(" \t*_`>-|")), "")
    known = _WORD.search(first) or _WORD.search(value)
    if known is not None:
        word = known[0].lower()
        return "superseded" if word in ("superceded", "replaced") else word
    words = re.findall(r"[\w'-]+", first)[:3]
    return " ".join(words).lower() or None


def _lists_choices(value: str) -> bool:
    """Whether a status is a form that nobody filled in: `proposed | accepted | rejected`."""
    first = value.splitlines()[0]
    return len(re.findall(r"[|/]", first)) > 1 and len(_WORD.findall(first)) > 1


def _body(section: Section, lines: list[str]) -> list[str]:
    return [line for block in section.blocks if not block.hidden for line in lines[block.start : block.end]]


def _plain(text: str) -> str:
    """A heading or a label without its number, marks and signs, in lower case."""
    return re.sub(r"^[\W\d_]+|[\W_]+$", "", text).lower()


def _number(path: str, title: str) -> int | None:
    stem = _SUFFIX.sub("", posixpath.basename(path))
    found = _NUMBER.match(stem) or _TITLE_NUMBER.match(title)
    return int(found[1]) if found else None
