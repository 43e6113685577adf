"""import_from: another program's memories, taken in as they are there now.

A second import updates what changed, takes out what is gone from there and brings back what returned; what a
person deleted here stays deleted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from afresh.contracts import Redaction
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.transfer import import_lines
from afresh.errors import InvalidArgumentError
from afresh.foreign.basic_memory import read_basic_memory
from afresh.foreign.claude import read_claude
from afresh.foreign.mcp_memory import read_mcp_memory
from afresh.foreign.rows import Found
from afresh.store import memories
from afresh.store.memory_records import Memory
from afresh.verbs import ForeignSource, ImportArguments, ImportFromArguments, ImportFromResult

_ROWS_AT_ONCE = 2000
_GONE = "gone from where it was imported from"

READERS: Mapping[ForeignSource, Callable[[Path], Found]] = {
    "claude": read_claude,
    "basic-memory": read_basic_memory,
    "mcp-memory": read_mcp_memory,
}


def import_from(engine: Engine, arguments: ImportFromArguments, call: Call) -> ImportFromResult:
    """Read a store of another program and make our memories of it equal to it."""
    path = Path(arguments.path)
    if not path.is_absolute():
        raise InvalidArgumentError(f"path: must be absolute; got {arguments.path!r}")
    found = READERS[arguments.source](path)
    if arguments.strict and found.bad:
        more = f", and {len(found.bad) - 1} more" if len(found.bad) > 1 else ""
        raise InvalidArgumentError(f"nothing was imported: {found.bad[0]}{more}")
    with engine.exclusive(), engine.write() as tx:
        project = workspaces.writing(engine, tx, arguments.project, call).project
    ids = [str(row["external_id"]) for row in found.rows]
    _bring_back(engine, project.id, ids)
    counted: Counter[str] = Counter()
    redacted: Counter[str] = Counter()
    bad = list(found.bad)
    done = 0
    for start in range(0, len(found.rows), _ROWS_AT_ONCE):
        call.check()
        rows = found.rows[start : start + _ROWS_AT_ONCE]
        lines = [json.dumps({**row, "project": project.name}, ensure_ascii=False) for row in rows]
        taken = ImportArguments.model_validate({"lines": lines, "strict": arguments.strict})
        result = import_lines(engine, taken, call)
        counted += Counter({name: getattr(result, name) for name in ("created", "updated", "unchanged")})
        redacted += Counter({item.kind: item.count for item in result.redacted})
        bad += [f"{rows[item.line - 1]['source']['path']}: {item.error}" for item in result.bad]
        done += len(rows)
        call.emit({"kind": "progress", "phase": "import", "done": done, "total": len(found.rows)})
    return ImportFromResult(
        project=project.name,
        created=counted["created"],
        updated=counted["updated"],
        unchanged=counted["unchanged"],
        removed=_take_out(engine, project.id, found.whole, set(ids)),
        bad=bad,
        redacted=[Redaction(kind=kind, count=count) for kind, count in sorted(redacted.items())],
    )


def _bring_back(engine: Engine, project_id: int, ids: Sequence[str]) -> None:
    """Restore what an earlier import took out and what is there again."""
    with engine.exclusive():
        with engine.write() as tx:
            known = memories.by_external_id(tx, project_id, ids)
            deleted = [memory for memory in known.values() if memory.deleted_at is not None]
            before = memories.histories(tx, [memory.id for memory in deleted])
            back: list[Memory] = [memory for memory in deleted if before[memory.id][-1].reason == _GONE]
            for memory in back:
                memories.restore(tx, memory.id, engine.clock())
        engine.find_again("memory", {memory.id: memory.content for memory in back})


def _take_out(engine: Engine, project_id: int, whole: Sequence[str], here: Collection[str]) -> int:
    """Let what was imported before and is gone from there be tombstones; how many went."""
    if not whole:
        return 0
    with engine.exclusive():
        with engine.write() as tx:
            known = memories.by_external_prefix(tx, project_id, whole)
            gone = [m.id for m in known if m.deleted_at is None and m.external_id not in here]
            if gone:
                memories.tombstone(tx, gone, _GONE, engine.clock())
        for id_ in gone:
            engine.corpora["memory"].remove(id_)
    return len(gone)
