"""Import of what `transfer` exports, and of hand-made rows of the same shape.

Ids of the rows are those of the store that they came from; the importer carries them over. Rows are taken as
checked: content redacted, hashed and counted, defaults filled in.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import Any

from afresh.errors import InvalidArgumentError, StoreCorruptError
from afresh.store import citations, memories, memos, projects, snapshots
from afresh.store.citations import Citation, dump_files, file_from_row
from afresh.store.columns import aware, matching, stored
from afresh.store.cursor import Column, Transaction
from afresh.store.import_rows import (
    KnownMemories,
    Link,
    Row,
    as_columns,
    citation_of,
    differences,
    memory_values,
    set_links,
    stored_time,
)
from afresh.store.memory_records import TYPES, Memory
from afresh.store.projects import Checkout, Project
from afresh.store.transfer import time_from

NAME_ONLY = "name:"
"""The identity of a project that so far is only a name begins so."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one row."""

    id: int
    """In this store."""
    text: str
    """What it is found by: a memory's content, a memo's question."""
    created: bool
    changed: bool = False
    """It was there and is different now."""
    deleted: bool = False


class Importer:
    """One import, over as many transactions as the caller likes; `finish` belongs into the last.

    `here` says of an absolute path whether it means the same on this machine; a repository or a checkout for
    which it doesn't is known by its project's name alone.
    """

    def __init__(self, *, here: Callable[[str], bool] = lambda _path: True) -> None:
        self._here = here
        self._projects: dict[str, int] = {}
        self._checkouts: dict[str, int] = {}
        self._lost: list[str] = []
        self._memory_ids: dict[int, int] = {}
        self._taken: set[int] = set()
        self._memo_ids: dict[int, int] = {}
        self._memory_links: list[Link] = []
        self._memo_links: list[Link] = []

    def project(self, tx: Transaction, row: Row) -> Project:
        """Take in a project; one of the same identity, else of the same name, is that project."""
        name, identity = row["name"], row.get("identity") or NAME_ONLY
        now = time_from(row.get("created_at")) or tx.now
        if identity.startswith(NAME_ONLY) or not self._here(identity):
            found = projects.project_by_name(tx, name)
            project = found or projects.create_project(tx, name, NAME_ONLY + name, now)
        else:
            project = projects.create_project(tx, name, identity, now)
        self._projects[name] = project.id
        return project

    def checkout(self, tx: Transaction, row: Row) -> Checkout | None:
        """Take in a checkout; None where its root means nothing here."""
        if not self._here(row["root"]):
            self._lost.append(row["root"])
            return None
        checkout = projects.add_checkout(tx, self._project_id(tx, row["project"]), row["root"], tx.now)
        self._checkouts[checkout.root] = checkout.id
        return checkout

    def memories(self, tx: Transaction, rows: Sequence[Row]) -> list[Imported]:
        """Take in memories with a few statements for all of them; what became of each, in the order given.

        A memory is known again by its external id; without one by project, type, content and, where the row
        has it, the time it was saved. A known one is updated, unless it was deleted here: then it stays so.
        """
        known = KnownMemories(tx, [self._project_id(tx, row["project"]) for row in rows], rows, self._taken)
        fresh: dict[int, Row] = {}
        updates: dict[int, Row] = {}
        results: list[Imported] = []
        ids = iter(memories.new_ids(tx, len(rows)))
        for row in rows:
            project_id = self._project_id(tx, row["project"])
            id_ = known.find(project_id, row)
            if id_ is None:
                id_ = next(ids)
                fresh[id_] = row
                deleted = bool(row.get("deleted_at"))
                results.append(Imported(id_, row["content"], created=True, deleted=deleted))
            elif id_ in fresh:
                fresh[id_] = row
                results.append(Imported(id_, row["content"], created=False, changed=True))
            else:
                memory = known.memories[id_]
                updated = memory.deleted_at is None and bool(row.get("external_id"))
                differs = updated and bool(differences(memory, row))
                text = row["content"] if updated else memory.content
                deleted = memory.deleted_at is not None
                results.append(Imported(id_, text, created=False, changed=differs, deleted=deleted))
                if updated:
                    updates[id_] = row
            known.add(id_, project_id, row)
            if row.get("id") is not None:
                self._memory_ids[row["id"]] = id_
            if row.get("superseded_by") is not None:
                self._memory_links.append(Link(id_, None, row["superseded_by"]))
        self._insert_memories(tx, fresh)
        self._update_memories(tx, updates, known.memories)
        return results

    def memo(self, tx: Transaction, row: Row) -> Imported:
        """Take in a memo, with its `question_key`; of two states of one memo the later stays."""
        project_id = self._project_id(tx, row["project"])
        placed = self._placed(Citation(row["root"], tuple(file_from_row(item) for item in row["files"])))
        root, files = placed.root, placed.files
        updated = time_from(row.get("updated_at") or row.get("recorded_at"))
        found = tx.execute(
            "SELECT id, conclusion, updated_at FROM memos WHERE project_id = ? AND question_key = ?",
            [project_id, row["question_key"]],
        ).one()
        if found is None:
            id_ = self._insert_memo(tx, project_id, {**row, "root": root}, updated or tx.now)
            citations.put_all(tx, "memo", {id_: Citation(root, files)})
            result = Imported(id_, row["question"], created=True)
        else:
            id_ = int(found[0])
            present = citations.of(tx, [id_], "memo").get(id_)
            same = found[1] == row["conclusion"] and present is not None and present.files == files
            newer = not same and (updated is None or updated > aware(found[2]))
            if newer:
                memos.record(
                    tx,
                    project_id=project_id,
                    root=root,
                    question=row["question"],
                    question_key=row["question_key"],
                    conclusion=row["conclusion"],
                    files=files,
                    now=updated or tx.now,
                )
            result = Imported(id_, row["question"], created=False, changed=newer)
        if row.get("id") is not None:
            self._memo_ids[row["id"]] = id_
        if row.get("superseded_by") is not None:
            self._memo_links.append(Link(id_, None, row["superseded_by"]))
        return result

    def _placed(self, citation: Citation) -> Citation:
        """What something rests on. Below a checkout that isn't here, paths are given from that one's top.

        The top of another clone stands for it then, whatever folder was recorded in.
        """
        recorded = PurePath(citation.root)
        tops = [top for top in self._lost if recorded.is_relative_to(top)]
        if not tops:
            return citation
        top = max(tops, key=len)
        below = recorded.relative_to(top)
        moved = (replace(file, path=(below / file.path).as_posix()) for file in citation.files)
        return Citation(top, tuple(moved))

    def snapshot(self, tx: Transaction, row: Row, *, limit_bytes: int) -> bool:
        """Take in the bytes of a recorded file; whether there was room.

        Raises InvalidArgumentError for bytes that don't have the hash that they come under.
        """
        sha = row["sha256"]
        try:
            content = snapshots.unpacked(sha, base64.b64decode(row["zstd"], validate=True))
        except (binascii.Error, ValueError, StoreCorruptError) as error:
            raise InvalidArgumentError(f"the snapshot {sha} can't be unpacked: {error}") from error
        if hashlib.sha256(content).hexdigest() != sha:
            raise InvalidArgumentError(f"the snapshot {sha} has other bytes than its hash says")
        now = time_from(row.get("created_at")) or tx.now
        return not snapshots.put(tx, {sha: snapshots.pack(content)}, limit_bytes=limit_bytes, now=now).refused

    def finish(self, tx: Transaction) -> None:
        """Set who was superseded by whom, which can refer to later rows. Importing again heals a lost end."""
        set_links(tx, "memories", "id", self._memory_links, self._memory_ids)
        set_links(tx, "memory_history", "id", self._memory_links, self._memory_ids)
        set_links(tx, "memos", "id", self._memo_links, self._memo_ids)
        set_links(tx, "memo_history", "memo_id", self._memo_links, self._memo_ids)

    def _project_id(self, tx: Transaction, name: str) -> int:
        if name not in self._projects:
            self.project(tx, {"name": name})
        return self._projects[name]

    def _update_memories(
        self, tx: Transaction, updates: Mapping[int, Row], present: Mapping[int, Memory]
    ) -> None:
        changed = {id_: differences(present[id_], row) for id_, row in updates.items()}
        changed = {id_: values for id_, values in changed.items() if values}
        if changed:
            memories.keep(tx, changed, "change", "imported again", tx.now)
            condition, params = matching("id", changed)
            tx.execute(f"DELETE FROM memories WHERE {condition}", params)
            after = []
            for id_, values in changed.items():
                line = {name: getattr(present[id_], name) for name in TYPES} | values
                line |= {"tags": list(line["tags"]), "updated_at": tx.now, "version": line["version"] + 1}
                after.append(line)
            tx.insert("memories", as_columns(after))
        cited = {id_: self._placed(citation_of(row)) for id_, row in updates.items() if row.get("files")}
        there = citations.of(tx, cited)
        citations.put_all(tx, "memory", {id_: c for id_, c in cited.items() if there.get(id_) != c})

    def _insert_memories(self, tx: Transaction, fresh: Mapping[int, Row]) -> None:
        if not fresh:
            return
        values = [self._memory_line(tx, id_, row, row) for id_, row in fresh.items()]
        tx.insert("memories", as_columns(values))
        cited = {id_: self._placed(citation_of(row)) for id_, row in fresh.items() if row.get("files")}
        citations.put_all(tx, "memory", cited)
        earlier: list[dict[str, Any]] = []
        actions: list[tuple[str, str | None, datetime | None]] = []
        for id_, row in fresh.items():
            for item in row.get("history") or ():
                before = item["before"]
                earlier.append(self._memory_line(tx, id_, row, before))
                actions.append((item["action"], item.get("reason"), stored_time(item["changed_at"])))
                if before.get("superseded_by") is not None:
                    self._memory_links.append(Link(id_, before["version"], before["superseded_by"]))
        if earlier:
            columns = as_columns(earlier)
            columns["action"] = Column("VARCHAR", [action for action, _, _ in actions])
            columns["reason"] = Column("VARCHAR", [reason for _, reason, _ in actions])
            columns["changed_at"] = Column("TIMESTAMP", [changed for _, _, changed in actions])
            tx.insert("memory_history", columns)

    def _memory_line(self, tx: Transaction, id_: int, row: Row, state: Row) -> dict[str, Any]:
        created = time_from(state.get("created_at")) or tx.now
        return {
            **memory_values(state),
            "id": id_,
            "project_id": self._project_id(tx, row["project"]),
            "checkout_id": self._checkouts.get(row.get("root") or ""),
            "content": state["content"],
            "content_sha256": state["content_sha256"],
            "created_at": stored(created),
            "updated_at": stored(time_from(state.get("updated_at")) or created),
            "deleted_at": stored_time(state.get("deleted_at")),
            "superseded_by": None,
            "version": state.get("version", 1),
        }

    def _insert_memo(self, tx: Transaction, project_id: int, row: Row, updated: datetime) -> int:
        made = tx.execute(
            "INSERT INTO memos SELECT nextval('memo_ids'), ?, ?, ?, ?, ?, ?, ?, ?, NULL, ? RETURNING id",
            [
                project_id,
                row["root"],
                row["question"],
                row["question_key"],
                row["conclusion"],
                stored(time_from(row.get("recorded_at")) or updated),
                stored(updated),
                stored_time(row.get("retired_at")),
                row.get("version", 1),
            ],
        ).one()
        assert made is not None
        for item in row.get("history") or ():
            tx.execute(
                "INSERT INTO memo_history VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)",
                [
                    made[0],
                    item["version"],
                    item["root"],
                    item["question"],
                    item["conclusion"],
                    dump_files([file_from_row(file) for file in item["files"]]),
                    stored_time(item["updated_at"]),
                    stored_time(item.get("retired_at")),
                    item["action"],
                    item["note"],
                    stored_time(item["changed_at"]),
                ],
            )
            if item.get("superseded_by") is not None:
                self._memo_links.append(Link(int(made[0]), item["version"], item["superseded_by"]))
        return int(made[0])
