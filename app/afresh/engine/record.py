"""memory_exploration_record: a conclusion with the files that it rests on, hashed at this moment."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

from afresh.contracts import RecordArguments, RecordResult
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine, Redactor
from afresh.engine.sources import read_sources, recorded_file, snapshots_of
from afresh.errors import InvalidArgumentError, NotFoundError, UsageError
from afresh.store import memos, projects, snapshots
from afresh.store.cursor import Cursor, Transaction
from afresh.store.projects import Project

_CLOSING = " \t\r\n?!.…。？！:;,"


def record(engine: Engine, arguments: RecordArguments, call: Call) -> RecordResult:
    """Record a conclusion, with its files hashed now; the same question in the project is the same memo.

    Raises SourceFilesError that names every file which can't be recorded; then nothing is stored.
    """
    if arguments.project == workspaces.ALL:
        raise UsageError("project: '%' means all projects and can't be written to; name one")
    redactor = Redactor()
    question = redactor(arguments.question).strip()
    conclusion = redactor(arguments.conclusion)
    if not question_key(question):
        raise InvalidArgumentError(f"question: must have a word in it; got {arguments.question[:40]!r}")
    if not conclusion.strip():
        raise InvalidArgumentError("conclusion: must have more than white space")
    root = workspaces.checked_root(root_of(arguments.root, call), force=False)
    sources = read_sources(root, arguments.files, conclusion)
    indexed = engine.index_text(question)
    kept = snapshots_of(sources)
    with engine.exclusive():
        with engine.write() as tx:
            now = engine.clock()
            project = _project_for(engine, tx, arguments.project, root)
            if arguments.supersedes is not None:
                _check_superseded(tx, project, arguments.supersedes)
            memo, replaced = memos.record(
                tx,
                project_id=project.id,
                root=str(root),
                question=question,
                question_key=question_key(question),
                conclusion=conclusion,
                files=[source.citation for source in sources],
                now=now,
            )
            if arguments.supersedes is not None and arguments.supersedes != memo.id:
                memos.supersede(tx, arguments.supersedes, memo.id, now)
            engine.drop_index(tx, "memo", [memo.id])
            engine.store_index(tx, "memo", {memo.id: indexed})
            snapshots.put(tx, kept, limit_bytes=engine.preferences.snapshot_bytes, now=now)
        engine.corpora["memo"].remove(memo.id)
        engine.search_index("memo", {memo.id: indexed})
    return RecordResult(
        id=memo.id,
        project=project.name,
        root=str(root),
        question=question,
        recorded_at=memo.recorded_at,
        updated_at=memo.updated_at,
        files=[recorded_file(source.citation) for source in sources],
        replaced=replaced,
        semantic_index=indexed.vectors is not None,
        redacted=redactor.found,
    )


def question_key(question: str) -> str:
    """What makes two questions the same: case, white space and closing punctuation don't count."""
    folded = unicodedata.normalize("NFKC", question).casefold()
    return " ".join(folded.split()).rstrip(_CLOSING)


def root_of(sent: str | None, call: Call) -> Path:
    """The folder that a call is about, links resolved. Raises InvalidArgumentError."""
    if sent is None:
        if call.caller.cwd is None:
            raise InvalidArgumentError("root: the working directory isn't known; give an absolute path")
        return Path(os.path.realpath(call.caller.cwd))
    if "\0" in sent or not Path(sent).is_absolute():
        raise InvalidArgumentError(f"root: must be an absolute path; got {sent!r}")
    return Path(os.path.realpath(sent))


def _project_for(engine: Engine, tx: Transaction, name: str, root: Path) -> Project:
    """The named project, created with this root as its checkout where it is new."""
    found = projects.project_by_name(tx, name)
    held = workspaces.holding(tx, root)
    if found is None:
        identity = workspaces.identity_of(root)
        free = projects.project_by_identity(tx, identity) is None
        named = workspaces.name_only(name)
        found = projects.create_project(tx, name, identity if free else named, engine.clock())
    top, own = workspaces.top_of(root), found.identity == workspaces.identity_of(root)
    # A repository inside another's checkout, and a worktree there, is a checkout of its own.
    inner = held is not None and held.checkout is not None and _is_below(top, Path(held.checkout.root))
    if (held is None and (own or found.identity == workspaces.name_only(name))) or (inner and own):
        projects.add_checkout(tx, found.id, str(top), engine.clock())
    return found


def _is_below(path: Path, other: Path) -> bool:
    return path != other and path.is_relative_to(other)


def _check_superseded(cursor: Cursor, project: Project, old: int) -> None:
    found = memos.get(cursor, old)
    if found is None or found.project_id != project.id:
        raise NotFoundError(f"supersedes: there is no memo {old} in the project {project.name!r}")
