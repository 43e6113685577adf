"""memory_save: one memory, redacted, indexed and on disk before the answer."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from pathlib import Path

from afresh.contracts import MEMORY_TYPE_OF, Near, SaveArguments, SaveResult
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine, Indexed, Redactor
from afresh.engine.sources import SourceFile, read_sources, snapshots_of
from afresh.engine.workspaces import Workspace
from afresh.errors import InvalidArgumentError, NotFoundError
from afresh.store import citations, memories, snapshots
from afresh.store.cursor import Cursor
from afresh.store.memory_filter import MemoryFilter, filter_ids
from afresh.store.memory_records import NewMemory

WORKING_DAYS = 7
"""A working memory lives this long unless it says otherwise."""
_NEAR_SCORE = 0.55
"""Memories at least this alike are shown after a save; never merged."""
_NEAR_SHOWN = 3


def save(engine: Engine, arguments: SaveArguments, call: Call) -> SaveResult:
    """Store a memory once; the same content in the same project and type is found again, not doubled."""
    redact = Redactor()
    content = redact(arguments.content)
    path = redact(arguments.path)
    tags = [redact(tag) for tag in arguments.tags]
    if not content.strip():
        raise InvalidArgumentError(
            f"content: must have more than white space; got {arguments.content[:40]!r}"
        )
    sources = _sources(engine, arguments, call)
    indexed = engine.index_text(content)
    memory_type = arguments.memory_type or MEMORY_TYPE_OF[arguments.type]
    with engine.exclusive():
        with engine.write() as tx:
            workspace = workspaces.writing(engine, tx, arguments.project, call)
            now = engine.clock()
            same = memories.find_same(tx, workspace.project.id, arguments.type, content_hash(content))
            if arguments.supersedes is not None:
                _check_superseded(tx, workspace, arguments.supersedes, same.id if same else None)
            if same is not None:
                id_ = same.id
            else:
                new = NewMemory(
                    project_id=workspace.project.id,
                    checkout_id=None,
                    content=content,
                    content_sha256=content_hash(content),
                    type=arguments.type,
                    memory_type=memory_type,
                    path=path,
                    tags=tuple(tags),
                    branch=redact(arguments.branch or workspaces.branch_of(workspace) or "") or None,
                    agent_id=redacted_id(redact, arguments.agent_id),
                    agent_instance_id=redacted_id(redact, arguments.agent_instance_id),
                    session_id=redacted_id(redact, arguments.session_id),
                    event_time=arguments.event_time or now,
                    expires_at=expiry(now, memory_type, arguments.expires_in_days),
                    source_kind=call.caller.kind,
                    term_count=indexed.terms.length,
                )
                (id_,) = memories.insert(tx, [new], now)
                engine.store_index(tx, "memory", {id_: indexed})
            if sources:
                # Saved again with its sources, it rests on them as they are now.
                citations.put(tx, id_, str(_root(workspace, call)), [source.citation for source in sources])
                snapshots.put(
                    tx,
                    snapshots_of(sources),
                    limit_bytes=engine.preferences.snapshot_bytes,
                    now=engine.clock(),
                )
            if arguments.supersedes is not None:
                memories.supersede(tx, arguments.supersedes, id_, now)
        if same is None:
            engine.search_index("memory", {id_: indexed})
    return SaveResult(
        id=id_,
        project=workspace.project.name,
        type=arguments.type,
        created=same is None,
        duplicate_of=same.id if same else None,
        redacted=redact.found,
        supersedes=arguments.supersedes,
        near=_near(engine, workspace, content, indexed, id_),
    )


def redacted_id(redact: Redactor, text: str | None) -> str | None:
    """An agent's or a session's name, which is as free as any text."""
    return None if text is None else redact(text)


def content_hash(content: str) -> str:
    """What makes two contents the same: their text without white space around it."""
    return hashlib.sha256(content.strip().encode("utf-8", errors="surrogatepass")).hexdigest()


def expiry(now: datetime, memory_type: str, days: int | None) -> datetime | None:
    """When a memory expires; working memories do by themselves."""
    if days is None and memory_type == "working":
        days = WORKING_DAYS
    return now + timedelta(days=days) if days is not None else None


def _root(workspace: Workspace, call: Call) -> Path:
    if workspace.checkout is not None:
        return Path(workspace.checkout.root)
    return call.caller.cwd or Path.cwd()


def _sources(engine: Engine, arguments: SaveArguments, call: Call) -> list[SourceFile]:
    """The cited files, read before the transaction; relative to the checkout that the caller works in."""
    if not arguments.files:
        return []
    with engine.store.read() as cursor:
        here = workspaces.holding(cursor, call.caller.cwd) if call.caller.cwd else None
    root = Path(here.checkout.root) if here and here.checkout else call.caller.cwd
    if root is None:
        raise InvalidArgumentError("files: the working directory isn't known, so paths can't be resolved")
    top = root if here else workspaces.top_of(root)
    return read_sources(top, arguments.files, arguments.content)


def _check_superseded(cursor: Cursor, workspace: Workspace, old: int, same: int | None) -> None:
    found = memories.get(cursor, [old], include_deleted=False)
    if not found or found[0].project_id != workspace.project.id:
        raise NotFoundError(
            f"supersedes: there is no memory {old} in the project {workspace.project.name!r}; "
            "ids come from recall and memory_save"
        )
    if same == old:
        raise InvalidArgumentError(f"supersedes: memory {old} has this very content; it can't replace itself")


def _near(engine: Engine, workspace: Workspace, content: str, indexed: Indexed, own_id: int) -> list[Near]:
    """The memories most like a saved one, its own left out."""
    vector = indexed.vectors[0] if indexed.vectors is not None else None
    corpus = engine.corpora["memory"]
    with engine.store.read() as cursor:
        ids, _ = filter_ids(cursor, MemoryFilter(project_id=workspace.project.id, now=engine.clock()))
    ranking = corpus.search(
        content[:2000], vector, mask_ids=ids[ids != own_id], k=_NEAR_SHOWN, exact=engine.exact("memory")
    )
    close = [hit for hit in ranking.hits[: ranking.relevant] if hit.score >= _NEAR_SCORE]
    with engine.store.read() as cursor:
        found = {memory.id: memory for memory in memories.get(cursor, [hit.doc_id for hit in close])}
    return [
        Near(id=hit.doc_id, score=round(hit.score, 4), content=found[hit.doc_id].content[:500])
        for hit in close
        if hit.doc_id in found
    ]
