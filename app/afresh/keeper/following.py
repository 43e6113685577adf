"""The verb `follow`: what turns and what changes on the disk, told until the call is taken back."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from afresh.engine import workspaces
from afresh.engine.calls import Call, News
from afresh.engine.core import Engine
from afresh.engine.turns import Turns
from afresh.keeper.watching import Watching
from afresh.knowledge_verbs import FollowResult
from afresh.store import citations
from afresh.store.owners import Owner

_TOLD_AT_MOST = 500
"""Conclusions that one event names; beyond it says that all may be others."""


def follow(engine: Engine, watching: Watching, turns: Turns, call: Call) -> FollowResult:
    """Tell news as events until the call is taken back.

    The first is `following`, and what was known before it has to be looked at again. `turned` names memos and
    memories that stand otherwise or were written, and the paths that they cite; `change` names files that
    are others on the disk and in the index.
    """
    told = _Told(engine, call)
    following = turns.follow(call.caller, told.news)
    with engine.store.read() as cursor:
        held = workspaces.holding(cursor, call.caller.cwd) if call.caller.cwd is not None else None
    attached = None
    if held is not None and held.checkout is not None:
        attached = watching.join(held, held.checkout, told.event)
    try:
        told.event({"kind": "following", "project": held.project.name if held is not None else None})
        call.cancelled.wait()
    finally:
        following.close()
        if attached is not None:
            attached.close()
    return FollowResult(told=told.count)


class _Told:
    """What was told so far."""

    def __init__(self, engine: Engine, call: Call) -> None:
        self._engine = engine
        self._call = call
        self._guard = threading.Lock()
        self.count = 0

    def event(self, event: Mapping[str, Any]) -> None:
        with self._guard:
            self.count += 1
        self._call.emit(event)

    def news(self, news: News) -> None:
        ids: dict[Owner, frozenset[int]] = {"memo": news.memos | news.diffs, "memory": news.memories}
        if not any(ids.values()):
            return
        is_long = sum(map(len, ids.values())) > _TOLD_AT_MOST
        cited: set[str] = set()
        if not is_long:
            with self._engine.store.read() as cursor:
                for owner, wanted in ids.items():
                    found = citations.of(cursor, wanted, owner) if wanted else {}
                    cited |= {file.path for citation in found.values() for file in citation.files}
        self.event(
            {
                "kind": "turned",
                "memos": [] if is_long else sorted(ids["memo"]),
                "memories": [] if is_long else sorted(ids["memory"]),
                "cited": sorted(cited),
                "all": is_long,
            }
        )
