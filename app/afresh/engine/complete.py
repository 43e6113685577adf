"""How a field goes on that somebody began to fill in: projects, types, paths and ids that there are."""

from __future__ import annotations

from typing import assert_never

from afresh.contracts import SAVE_TYPES
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.store import completions, projects
from afresh.store.completions import Found
from afresh.store.cursor import Cursor
from afresh.verbs import CompleteArguments, CompleteResult


def complete(engine: Engine, arguments: CompleteArguments, call: Call) -> CompleteResult:
    """What begins with the prefix; ids of the caller's project first, the newest first."""
    prefix, limit = arguments.prefix, arguments.limit
    with engine.store.read() as cursor:
        match arguments.what:
            case "project":
                found = completions.projects(cursor, prefix, limit)
            case "type":
                types = [name for name in SAVE_TYPES if name.startswith(prefix.lower())]
                found = Found(types[:limit], len(types))
            case "path":
                found = completions.memory_paths(cursor, prefix, _near(cursor, arguments, call), limit)
            case "memory":
                found = completions.memory_ids(cursor, prefix, _near(cursor, arguments, call), limit)
            case "memo":
                found = completions.memo_ids(cursor, prefix, _near(cursor, arguments, call), limit)
            case "run":
                found = completions.run_ids(cursor, prefix, _near(cursor, arguments, call), limit)
            case "answer":
                found = completions.answer_ids(cursor, prefix, _near(cursor, arguments, call), limit)
            case other:
                assert_never(other)
    return CompleteResult(values=found.values, total=found.total)


def _near(cursor: Cursor, arguments: CompleteArguments, call: Call) -> int | None:
    """The id of the project that is meant or, while its name isn't finished, of the caller's."""
    named = projects.project_by_name(cursor, arguments.project) if arguments.project is not None else None
    if named is not None:
        return named.id
    here = workspaces.at(cursor, call.caller.cwd) if call.caller.cwd is not None else None
    return here.project.id if here is not None else None
