"""memory_update, memory_delete and memory_get: by id alone, with history kept."""

from __future__ import annotations

from typing import Any

from afresh.contracts import (
    DeleteArguments,
    DeleteResult,
    GetArguments,
    GetResult,
    MemoryRecord,
    MemoryVersion,
    Source,
    UpdateArguments,
    UpdateResult,
)
from afresh.engine.calls import Call
from afresh.engine.cited_freshness import CitedFreshness
from afresh.engine.core import Engine, Redactor
from afresh.engine.save import content_hash, expiry
from afresh.engine.sources import cited_source
from afresh.errors import InvalidArgumentError, NotFoundError
from afresh.store import citations, memories, projects
from afresh.store.citations import Citation
from afresh.store.cursor import Cursor
from afresh.store.memory_records import Memory


def update(engine: Engine, arguments: UpdateArguments, call: Call) -> UpdateResult:
    """Change a memory in place; its earlier state goes into the history."""
    sent = arguments.model_dump(exclude={"id", "reason"}, exclude_none=True)
    if not sent:
        raise InvalidArgumentError(
            "nothing to change was sent; give content, type, tags, path or expires_in_days"
        )
    redact = Redactor()
    changes: dict[str, Any] = {}
    indexed = None
    if arguments.content is not None:
        content = redact(arguments.content)
        if not content.strip():
            raise InvalidArgumentError("content: must have more than white space")
        indexed = engine.index_text(content)
        changes |= {
            "content": content,
            "content_sha256": content_hash(content),
            "term_count": indexed.terms.length,
        }
    if arguments.type is not None:
        changes["type"] = arguments.type
    if arguments.tags is not None:
        changes["tags"] = tuple(redact(tag) for tag in arguments.tags)
    if arguments.path is not None:
        changes["path"] = redact(arguments.path)
    with engine.exclusive():
        with engine.write() as tx:
            memory = _existing(tx, arguments.id)
            if memory.source_kind == "file":
                raise InvalidArgumentError(
                    f"memory {memory.id} is read from {memory.source_path}; change that file instead"
                )
            now = engine.clock()
            if arguments.expires_in_days is not None:
                changes["expires_at"] = expiry(now, memory.memory_type, arguments.expires_in_days)
            version = memories.change(tx, memory.id, changes, redact(arguments.reason), now)
            if indexed is not None:
                engine.drop_index(tx, "memory", [memory.id])
                engine.store_index(tx, "memory", {memory.id: indexed})
            project = projects.project_by_id(tx, memory.project_id)
        if indexed is not None:
            engine.corpora["memory"].remove(memory.id)
            engine.search_index("memory", {memory.id: indexed})
    return UpdateResult(
        id=memory.id, project=project.name, updated_at=now, version=version, redacted=redact.found
    )


def delete(engine: Engine, arguments: DeleteArguments, call: Call) -> DeleteResult:
    """Take a memory out of every recall, or bring it back; the row stays either way."""
    redact = Redactor()
    with engine.exclusive():
        with engine.write() as tx:
            memory = _existing(tx, arguments.id, deleted_too=True)
            if memory.source_kind == "file":
                raise InvalidArgumentError(
                    f"memory {memory.id} is read from {memory.source_path}; take it out of that file instead"
                )
            now = engine.clock()
            if arguments.undo:
                memories.restore(tx, memory.id, now)
            elif memory.deleted_at is None:
                memories.tombstone(tx, [memory.id], redact(arguments.reason), now)
            (after,) = memories.get(tx, [memory.id], include_deleted=True)
            project = projects.project_by_id(tx, memory.project_id)
        corpus = engine.corpora["memory"]
        if after.deleted_at is not None:
            corpus.remove(memory.id)
        elif memory.deleted_at is not None:
            engine.find_again("memory", {memory.id: memory.content})
    return DeleteResult(
        id=memory.id,
        project=project.name,
        deleted=after.deleted_at is not None,
        deleted_at=after.deleted_at,
    )


def get(engine: Engine, arguments: GetArguments, call: Call) -> GetResult:
    """Whole memories in the order asked; deleted ones count as missing, unless their history is asked for."""
    judge = CitedFreshness(engine, call)
    with engine.store.read() as cursor:
        # No id is larger, and the database would refuse the question.
        possible = [id_ for id_ in arguments.ids if 0 < id_ < 2**63]
        given = memories.get(cursor, possible, include_deleted=arguments.history)
        found = {memory.id: memory for memory in given}
        cited = citations.of(cursor, list(found))
        names = {project.id: project.name for project in projects.list_projects(cursor)}
        records = {
            id_: _record(cursor, memory, names, cited.get(id_), judge, history=arguments.history)
            for id_, memory in found.items()
        }
    return GetResult(
        memories=[records[id_] for id_ in arguments.ids if id_ in records],
        missing=[id_ for id_ in arguments.ids if id_ not in records],
    )


def source_of(memory: Memory) -> Source:
    """Where a memory came from, as results give it."""
    return Source.model_validate(
        {
            "kind": memory.source_kind,
            "path": memory.source_path,
            "line": memory.source_line,
            "external_id": memory.external_id,
        }
    )


def _existing(cursor: Cursor, id_: int, *, deleted_too: bool = False) -> Memory:
    found = memories.get(cursor, [id_], include_deleted=deleted_too)
    if not found:
        deleted = not deleted_too and memories.get(cursor, [id_], include_deleted=True)
        if deleted:
            raise NotFoundError(f"memory {id_} was deleted; memory_delete with undo: true brings it back")
        raise NotFoundError(f"there is no memory {id_}; ids come from recall and memory_save")
    return found[0]


def _record(
    cursor: Cursor,
    memory: Memory,
    names: dict[int, str],
    cited: Citation | None,
    judge: CitedFreshness,
    *,
    history: bool,
) -> MemoryRecord:
    versions = None
    if history:
        versions = [
            MemoryVersion(
                version=old.version,
                content=old.content,
                type=old.type,
                path=old.path,
                tags=list(old.tags),
                expires_at=old.expires_at,
                changed_at=old.changed_at,
                reason=old.reason or "",
            )
            for old in memories.history(cursor, memory.id)
        ]
    return MemoryRecord(
        id=memory.id,
        project=names[memory.project_id],
        content=memory.content,
        type=memory.type,
        memory_type=memory.memory_type,
        path=memory.path,
        tags=list(memory.tags),
        branch=memory.branch,
        agent_id=memory.agent_id,
        agent_instance_id=memory.agent_instance_id,
        session_id=memory.session_id,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        event_time=memory.event_time,
        expires_at=memory.expires_at,
        superseded_by=memory.superseded_by,
        deleted_at=memory.deleted_at,
        version=memory.version,
        source=source_of(memory),
        files=[cited_source(file) for file in cited.files] if cited else [],
        freshness=judge.of(memory.project_id, cited),
        history=versions,
    )
