"""What `stale` answers in a workspace called shop, and what is said of each of its conclusions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.tui import diffs
from tests.tui.frozen import engine

from afresh_tui.scripted import ScriptedEngine

Told = tuple[list[dict[str, Any]], list[dict[str, Any]]]


def item(id_: int, title: str, text: str, told: Told = diffs.EDITED, **changes: Any) -> dict[str, Any]:
    """A `StaleItem` whose details are those of its diff."""
    details, _ = told
    gone = [one["path"] for one in details if one["change"] == "gone"]
    answered: dict[str, Any] = {
        "kind": "memo",
        "id": id_,
        "title": title,
        "text": text,
        "root": "/home/ada/shop",
        "files": [one["path"] for one in details],
        "impact": details[0]["change"],
        "impact_at_base": None,
        "changed_files": [one["path"] for one in details if one["path"] not in gone],
        "missing_files": gone,
        "unverifiable_files": [],
        "details": details,
        "diffs": None,
        "updated_at": "2026-02-08T10:00:00Z",
    }
    return {**answered, **changes}


BOTH: Told = (
    [diffs.detail(spans=[diffs.ACQUIRE, diffs.TRANSFER]), *diffs.FORGOTTEN[0]],
    [diffs.file_diff(cited=[(9, 16), (28, 33)]), *diffs.FORGOTTEN[1]],
)
LOCKS = item(
    12,
    "How does a lock wait, and for how long?",
    "acquire polls the table every 0.1 s and gives up after 5 s: it returns False then, and the caller has "
    "to look. Nothing is queued, so that waiting is not fair.",
    BOTH,
)
RETRY = item(7, "Who retries a failed payment?", "retry calls three times, without a pause.", diffs.GONE)
ORDER = item(
    31, "In what order are accounts locked?", "By their ids, so that two transfers can't block.", diffs.MOVED
)
LOGO = item(
    44,
    "The logo is drawn at 64 by 64.",
    "The logo is drawn at 64 by 64.",
    diffs.BINARY,
    kind="memory",
    updated_at="2026-02-27T10:00:00Z",
)
ITEMS = [RETRY, LOCKS, LOGO, ORDER]
TOLD: Mapping[tuple[str, int], Told] = {
    ("memo", 7): diffs.GONE,
    ("memo", 12): BOTH,
    ("memory", 44): diffs.BINARY,
    ("memo", 31): diffs.MOVED,
}


def stale(items: list[dict[str, Any]] | None = None, **changes: Any) -> dict[str, Any]:
    """A `StaleResult`."""
    answered: dict[str, Any] = {
        "project": "shop",
        "root": "/home/ada/shop",
        "repository": None,
        "at": None,
        "base": None,
        "judged": 45,
        "fresh": 41,
        "already_stale": 0,
        "items": ITEMS if items is None else items,
        "skipped": [],
    }
    return {**answered, **changes}


def diff_of(kind: str, told: Told, id_: int) -> dict[str, Any]:
    """What `memo_diff` or `memory_diff` answers."""
    details, files = told
    about = {"question": "asked", "conclusion": "concluded"} if kind == "memo" else {"content": "remembered"}
    return {
        "id": id_,
        "project": "shop",
        "root": "/home/ada/shop",
        **about,
        "status": "stale",
        "impact": details[0]["change"],
        "details": details,
        "files": files,
    }


def over(items: list[dict[str, Any]] | None = None, **answers: Any) -> ScriptedEngine:
    """An engine that knows these stale conclusions; one without a diff of its own has that of the locks."""

    def told(kind: str) -> Any:
        return lambda arguments, _on_event: diff_of(
            kind, TOLD.get((kind, arguments["id"]), diffs.EDITED), arguments["id"]
        )

    return engine(
        {
            "stale": stale(items),
            "memo_diff": told("memo"),
            "memory_diff": told("memory"),
            **answers,
        }
    )
