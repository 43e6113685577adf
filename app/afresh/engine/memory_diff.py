"""What changed in the files that a memory cites, as lines."""

from __future__ import annotations

from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.diffs import file_diffs
from afresh.engine.freshness import DiskJudge, Judge
from afresh.engine.impact import Assessor, detail
from afresh.engine.judged_root import JudgedRoot
from afresh.engine.memo import COMMITS_S
from afresh.engine.record import root_of
from afresh.engine.revision_judge import RevisionJudge
from afresh.errors import NotFoundError
from afresh.store import citations, memories, projects
from afresh.verbs import MemoArguments, MemoryDiffResult


def memory_diff(engine: Engine, arguments: MemoArguments, call: Call) -> MemoryDiffResult:
    """Judge the files that one memory cites, now or at a revision; one that cites nothing is fresh.

    Raises NotFoundError, and UsageError for a revision that git does not know.
    """
    sent = root_of(arguments.root, call) if arguments.root is not None else None
    with engine.store.read() as cursor:
        found = memories.get(cursor, [arguments.id])
        if not found:
            raise NotFoundError(f"there is no memory {arguments.id}; ids come from recall and memory_save")
        memory = found[0]
        cited = citations.of(cursor, [memory.id]).get(memory.id)
        project = projects.project_by_id(cursor, memory.project_id)
        judged = JudgedRoot(cursor, project, sent, call)
    root = judged.of(cited.root) if cited is not None else judged.root
    files = cited.files if cited is not None else ()
    judge: Judge = DiskJudge() if arguments.at is None else RevisionJudge(arguments.at)
    verdict = judge.judge(root, files)
    assessor = Assessor(engine.store, engine.drifts, judge, commits_s=COMMITS_S)
    assessment = assessor.assess(root, files, verdict, memory.updated_at)
    return MemoryDiffResult(
        id=memory.id,
        project=project.name,
        root=str(root),
        content=memory.content,
        status=verdict.status,
        impact=assessment.impact,
        details=[detail(file) for file in assessment.files],
        files=[diff for file in assessment.files for diff in file_diffs(assessor, root, file)],
    )
