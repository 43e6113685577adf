"""Export and import: every row out and in again, redacted, checked, and findable as soon as it is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from afresh.contracts import MEMORY_TYPE_OF
from afresh.engine import clones, workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine, Indexed, Redactor
from afresh.engine.record import question_key
from afresh.engine.save import content_hash
from afresh.errors import AfreshError, InvalidArgumentError, UnknownProjectError
from afresh.store import projects, transfer
from afresh.store.cursor import Transaction
from afresh.store.importing import Imported, Importer
from afresh.store.owners import OWNERS, Owner
from afresh.text.phrases import document_terms
from afresh.text.tokens import count_terms
from afresh.transfer_rows import parse_row
from afresh.verbs import BadLine, ExportArguments, ExportResult, ImportArguments, ImportResult

_REDACTED = ("content", "conclusion", "question", "path", "reason", "note")
"""Texts of a row, and of its earlier states, that may carry a secret."""


def export(engine: Engine, arguments: ExportArguments, call: Call) -> ExportResult:
    """Tell every row as an event, as one moment of the database has them."""
    counted: Counter[str] = Counter()
    with engine.store.read() as cursor:
        if arguments.project is not None and projects.project_by_name(cursor, arguments.project) is None:
            raise UnknownProjectError(
                f"there is no project {arguments.project!r}. {workspaces.known_projects(cursor)}"
            )
        for row in transfer.export_rows(cursor):
            if not _belongs(row, arguments.project):
                continue
            call.check()
            counted[row["kind"]] += 1
            told = clones.described(cursor, row) if row["kind"] == "project" else row
            call.emit({"kind": "row", "row": told})
    return ExportResult(rows=dict(counted))


def import_lines(engine: Engine, arguments: ImportArguments, call: Call) -> ImportResult:
    """Take in some lines of an export in one transaction.

    A bad line is reported with its number and the rest goes in; with `strict` nothing of the call does.
    """
    redact = Redactor()
    bad: list[BadLine] = []
    rows: list[dict[str, Any]] = []
    default = arguments.project
    for number, line in enumerate(arguments.lines, arguments.first_line):
        if not line.strip():
            continue
        try:
            rows.append(_prepared(parse_row(line), redact, default, call) | {"_line": number})
        except AfreshError as error:
            bad.append(BadLine(line=number, error=error.message))
    if bad and arguments.strict:
        raise InvalidArgumentError(
            f"nothing of these lines was imported: line {bad[0].line}: {bad[0].error}"
            + (f", and {len(bad) - 1} more bad lines" if len(bad) > 1 else "")
        )
    taken: list[tuple[Owner, Imported]] = []
    with engine.exclusive():
        importer = engine.imports.of(arguments.transfer)
        with engine.write() as tx:
            taken += _take_in(
                tx,
                importer,
                rows,
                bad,
                strict=arguments.strict,
                snapshot_bytes=engine.preferences.snapshot_bytes,
                call=call,
            )
            if arguments.last:
                importer.finish(tx)
            indexed = {owner: _indexed(taken, owner) for owner in OWNERS}
            for owner, items in indexed.items():
                again = [i.id for kind, i in taken if kind == owner and i.changed and i.id in items]
                engine.drop_index(tx, owner, again)
                engine.store_index(tx, owner, items)
        gone = {i.id for kind, i in taken if kind == "memory" and i.deleted}
        for owner, items in indexed.items():
            living = {id_: item for id_, item in items.items() if owner == "memo" or id_ not in gone}
            engine.search_index(owner, living)
        if arguments.last:
            engine.imports.done(arguments.transfer)
    created = sum(imported.created for _owner, imported in taken)
    updated = sum(imported.changed and not imported.created for _owner, imported in taken)
    return ImportResult(
        created=created,
        updated=updated,
        unchanged=len(taken) - created - updated,
        bad=bad,
        redacted=redact.found,
    )


def _take_in(
    tx: Transaction,
    importer: Importer,
    rows: Sequence[dict[str, Any]],
    bad: list[BadLine],
    *,
    strict: bool,
    snapshot_bytes: int,
    call: Call,
) -> Iterator[tuple[Owner, Imported]]:
    """Rows in their order; memories that follow one another in bulk."""
    for kind, group in groupby(rows, key=lambda row: str(row["kind"])):
        match kind:
            case "memory":
                for imported in importer.memories(tx, list(group)):
                    yield "memory", imported
            case "memo":
                for row in group:
                    yield "memo", importer.memo(tx, row)
            case "project":
                for row in group:
                    _project(tx, importer, row, call)
            case "checkout":
                for row in group:
                    importer.checkout(tx, row)
            case "snapshot":
                for row in group:
                    try:
                        importer.snapshot(tx, row, limit_bytes=snapshot_bytes)
                    except InvalidArgumentError as error:
                        if strict:
                            raise
                        bad.append(BadLine(line=row["_line"], error=error.message))
            case _:
                list(group)


def _project(tx: Transaction, importer: Importer, row: Mapping[str, Any], call: Call) -> None:
    """Take in a project; where the caller works in a clone of its repository, that clone is its checkout."""
    clone = clones.asking(tx, row, call)
    if clone is None:
        importer.project(tx, row)
        return
    project = importer.project(tx, {**row, "identity": workspaces.identity_of(clone)})
    projects.add_checkout(tx, project.id, str(clone), tx.now)


def _indexed(taken: Sequence[tuple[Owner, Imported]], owner: Owner) -> dict[int, Indexed]:
    return {
        imported.id: Indexed(document_terms(imported.text), None)
        for kind, imported in taken
        if kind == owner and (imported.created or imported.changed)
    }


def _prepared(row: dict[str, Any], redact: Redactor, default: str | None, call: Call) -> dict[str, Any]:
    """A checked row with its texts redacted and its defaults filled in."""
    if row["kind"] not in ("memory", "memo"):
        return row
    if not row.get("project"):
        if default is None:
            raise InvalidArgumentError("project: the row names none; give one for all with --project")
        row["project"] = default
    row = _redacted(row, redact)
    if row["kind"] == "memory":
        return _memory(row)
    row["question_key"] = question_key(row["question"])
    if not row["question_key"]:
        raise InvalidArgumentError(f"question: must have a word in it; got {row['question']!r}")
    row["root"] = row.get("root") or str(call.caller.cwd or Path.cwd())
    row["files"] = [_UNKNOWN_STAMPS | file for file in row["files"]]
    return row


_UNKNOWN_STAMPS: Mapping[str, Any] = {
    "eol_sha256": "",
    "size": 0,
    "mtime_ns": 0,
    "ctime_ns": 0,
    "inode": 0,
    "hashed_at_ns": 0,
    "language": None,
    "spans": [],
}


def _memory(row: dict[str, Any]) -> dict[str, Any]:
    kind = row.get("type") or "fact"
    for state in (row, *(item["before"] for item in row.get("history") or ())):
        state["type"] = state.get("type") or kind
        state["memory_type"] = state.get("memory_type") or MEMORY_TYPE_OF[kind]
        state["content_sha256"] = content_hash(state["content"])
        state["term_count"] = count_terms(state["content"]).length
    return row


def _redacted(row: dict[str, Any], redact: Redactor) -> dict[str, Any]:
    changed: dict[str, Any] = {
        name: redact(row[name]) for name in _REDACTED if isinstance(row.get(name), str)
    }
    if row.get("tags"):
        changed["tags"] = [redact(tag) for tag in row["tags"]]
    if row.get("history"):
        changed["history"] = [
            _redacted(item, redact)
            | ({"before": _redacted(item["before"], redact)} if "before" in item else {})
            for item in row["history"]
        ]
    return row | changed


def _belongs(row: Mapping[str, Any], project: str | None) -> bool:
    """Whether a row is part of an export of one project; snapshots are shared and go along."""
    if project is None or row["kind"] in ("afresh", "snapshot"):
        return True
    return (row["name"] if row["kind"] == "project" else row.get("project")) == project
