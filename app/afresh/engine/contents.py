"""What there is to read: the projects, and the memos of one with how they stand now."""

from __future__ import annotations

from pathlib import Path

from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.freshness import DiskJudge
from afresh.engine.judged_root import JudgedRoot
from afresh.errors import UnknownProjectError
from afresh.store import projects
from afresh.store.citations import FileCitation
from afresh.store.cursor import Cursor
from afresh.store.projects import Project
from afresh.verbs import ContentsArguments, ContentsResult, ListedMemo


def contents(engine: Engine, arguments: ContentsArguments, call: Call) -> ContentsResult:
    """List them; of a caller that works in no project, the projects alone."""
    with engine.store.read() as cursor:
        names = [project.name for project in projects.list_projects(cursor)]
        project = _project(engine, cursor, arguments.project, call)
        base = JudgedRoot(cursor, project, None, call) if project is not None else None
    if project is None or base is None:
        return ContentsResult(projects=names, project=None, root=None, memos=[])
    places = [(memo, base.of(memo.root)) for memo in engine.memos_of(project.id).values()]
    judge = DiskJudge()
    by_root: dict[Path, list[FileCitation]] = {}
    for memo, root in places:
        by_root.setdefault(root, []).extend(memo.files)
    for root, files in by_root.items():
        judge.read(root, files)
    listed = [
        ListedMemo(
            id=memo.id,
            question=memo.question,
            status=judge.judge(root, memo.files).status,
            updated_at=memo.updated_at,
        )
        for memo, root in places
    ]
    listed.sort(key=lambda memo: (memo.status == "fresh", -memo.id))
    return ContentsResult(projects=names, project=project.name, root=str(base.root), memos=listed)


def _project(engine: Engine, cursor: Cursor, named: str | None, call: Call) -> Project | None:
    if named is None:
        here = workspaces.at(cursor, call.caller.cwd) if call.caller.cwd is not None else None
        return here.project if here is not None else None
    workspace = workspaces.reading(engine, cursor, named, call)
    if workspace is None:
        raise UnknownProjectError("project: memos are listed for one project; name it")
    return workspace.project
