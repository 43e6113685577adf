"""browse: memories in the order in which they were saved, from any place in it, without a search."""

from __future__ import annotations

from datetime import UTC

from afresh.contracts import MEMORY_TYPES, SAVE_TYPES, SearchArguments
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.recall import recalled
from afresh.engine.windows import timing
from afresh.store.memory_filter import MemoryFilter, filter_ids
from afresh.text.corpus import Hit
from afresh.verbs import BrowseArguments, BrowseResult


def browse(engine: Engine, arguments: BrowseArguments, call: Call) -> BrowseResult:
    """One stretch of all memories that the filters let through, the newest first.

    Nothing but the stretch is read, so that the last of 100,000 costs what the first costs.
    """
    now = engine.clock()
    settled = timing(
        SearchArguments.model_validate(
            {"query": arguments.time_words or "all", "owner_timezone": arguments.owner_timezone}
        ),
        now,
        engine.preferences.fiscal_month,
    )
    kind = arguments.memory_type
    with engine.store.read() as cursor:
        workspace = workspaces.reading(engine, cursor, arguments.project, call)
        ids, _ = filter_ids(
            cursor,
            MemoryFilter(
                project_id=workspace.project.id if workspace else None,
                checkout_id=workspace.checkout.id if workspace and workspace.checkout else None,
                types=(kind,) if kind in SAVE_TYPES else (),
                memory_types=(kind,) if kind in MEMORY_TYPES else (),
                path=arguments.path_filter,
                now=now.astimezone(UTC),
                since=settled.window.since,
                until=settled.window.until,
                axis=settled.axis,
            ),
        )
    total = len(ids)
    last = max(total - arguments.offset, 0)
    stretch = [int(id_) for id_ in ids[max(last - arguments.limit, 0) : last][::-1]]
    found = recalled(engine, [Hit(id_, 0.0, {}) for id_ in stretch], call)
    return BrowseResult(
        total=total,
        offset=arguments.offset,
        memories=[found[id_] for id_ in stretch if id_ in found],
        window=settled.window,
    )
