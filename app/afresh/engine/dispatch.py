"""Which function answers which verb."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from afresh.contracts import Result
from afresh.engine.answer import answer
from afresh.engine.browse import browse
from afresh.engine.calls import Call
from afresh.engine.claimed import code_names
from afresh.engine.claims import claims
from afresh.engine.complete import complete
from afresh.engine.contents import contents
from afresh.engine.context import context
from afresh.engine.core import Engine
from afresh.engine.explore import explore, explore_at
from afresh.engine.file_knowledge import file_knowledge, symbol_knowledge
from afresh.engine.import_from import import_from
from afresh.engine.iterate import iterate
from afresh.engine.memo import memo, memo_diff, verify
from afresh.engine.memory import delete, get, update
from afresh.engine.memory_diff import memory_diff
from afresh.engine.recall import recall
from afresh.engine.record import record
from afresh.engine.requests import request
from afresh.engine.runs import replay, run, runs_of
from afresh.engine.save import save
from afresh.engine.stale import stale
from afresh.engine.status import excluded, list_projects, status
from afresh.engine.stored_answers import verify_answer
from afresh.engine.transfer import export, import_lines

Answer = Callable[[Engine, Any, Call], Result]

ANSWERS: Mapping[str, Answer] = {
    "memory_save": save,
    "memory_update": update,
    "memory_delete": delete,
    "memory_get": get,
    "recall": recall,
    "recall_context": context,
    "browse": browse,
    "memory_recall_iterative": iterate,
    "memory_answer": answer,
    "verify_answer": verify_answer,
    "run": run,
    "runs": runs_of,
    "replay": replay,
    "memory_exploration_record": record,
    "memory_exploration_recall": explore,
    "memory_exploration_verify": verify,
    "workspace_status": status,
    "projects": list_projects,
    "request": request,
    "excluded": excluded,
    "explore_at": explore_at,
    "memo": memo,
    "memo_diff": memo_diff,
    "memory_diff": memory_diff,
    "stale": stale,
    "contents": contents,
    "complete": complete,
    "claims": claims,
    "file_knowledge": file_knowledge,
    "symbol_knowledge": symbol_knowledge,
    "code_names": code_names,
    "export": export,
    "import": import_lines,
    "import_from": import_from,
}
"""Arguments arrive checked, of the type that the verb declares."""
