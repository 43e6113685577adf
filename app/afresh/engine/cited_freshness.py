"""Whether the files that memories cite are, in the caller's checkout, what they were."""

from __future__ import annotations

from afresh.contracts import Freshness
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.freshness import DiskJudge
from afresh.engine.impact import Assessor, freshness
from afresh.engine.judged_root import JudgedRoot
from afresh.engine.old_bytes import RECALL_S
from afresh.store import projects
from afresh.store.citations import Citation


class CitedFreshness:
    """Judges the memories of one call; a file that several cite is read once."""

    def __init__(self, engine: Engine, call: Call) -> None:
        self._engine = engine
        self._call = call
        self._judge = DiskJudge()
        self._assessor = Assessor(
            engine.store, engine.drifts, self._judge, commits_s=0.0, old_bytes_s=RECALL_S
        )
        self._roots: dict[int, JudgedRoot] = {}

    def of(self, project_id: int, cited: Citation | None) -> Freshness | None:
        """Status and impact; None for a memory that cites nothing."""
        if cited is None or not cited.files:
            return None
        root = self._root(project_id).of(cited.root)
        verdict = self._judge.judge(root, cited.files)
        if verdict.status == "fresh":
            return freshness(verdict, None)
        return freshness(verdict, self._assessor.assess(root, cited.files, verdict).impact)

    def _root(self, project_id: int) -> JudgedRoot:
        if project_id not in self._roots:
            with self._engine.store.read() as cursor:
                project = projects.project_by_id(cursor, project_id)
                self._roots[project_id] = JudgedRoot(cursor, project, None, self._call)
        return self._roots[project_id]
