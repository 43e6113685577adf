"""A feed: everything in a window, in the order of time, page by page."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

from afresh.engine.windows import Timing
from afresh.errors import InvalidArgumentError
from afresh.store import memories
from afresh.store.cursor import Cursor
from afresh.store.memory_filter import MemoryFilter

Direction = Literal["asc", "desc"]


def page(
    cursor: Cursor, wanted: MemoryFilter, timing: Timing, direction: Direction, limit: int, sent: str | None
) -> tuple[list[int], str | None, Timing]:
    """The ids of one page, the cursor of the next one or None, and the timing that the page has.

    The cursor carries the window, for one that was read off words moves with the clock. Raises
    InvalidArgumentError for a cursor that is none, or of another feed.
    """
    after: tuple[datetime, int] | None = None
    if sent is not None:
        kept = _read(sent)
        if kept["order"] != direction or kept["axis"] != timing.axis:
            raise InvalidArgumentError(
                f"cursor: it belongs to a feed in the order {kept['order']!r} on the axis {kept['axis']!r}; "
                "send the arguments of its first page with it"
            )
        after = (_moment(kept["at"]), int(kept["id"]))
        window = timing.window.model_copy(
            update={"since": _moment_or_none(kept["since"]), "until": _moment_or_none(kept["until"])}
        )
        timing = replace(timing, window=window)
    bounded = replace(wanted, since=timing.window.since, until=timing.window.until, axis=timing.axis)
    rows = memories.feed(cursor, bounded, limit=limit + 1, descending=direction == "desc", after=after)
    given = rows[:limit]
    following = None
    if len(rows) > limit:
        moment, id_ = given[-1]
        following = _written(
            {
                "at": moment.isoformat(),
                "id": id_,
                "since": timing.window.since.isoformat() if timing.window.since else None,
                "until": timing.window.until.isoformat() if timing.window.until else None,
                "order": direction,
                "axis": timing.axis,
            }
        )
    return [id_ for _, id_ in given], following, timing


def _written(content: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(content, separators=(",", ":")).encode()).decode().rstrip("=")


def _read(sent: str) -> dict[str, Any]:
    try:
        content = json.loads(base64.urlsafe_b64decode(sent + "=" * (-len(sent) % 4)))
        _moment(content["at"])
        for key in ("since", "until"):
            _moment_or_none(content[key])
        if not isinstance(content["id"], int) or not {"order", "axis"} <= content.keys():
            raise ValueError
    except (binascii.Error, UnicodeDecodeError, ValueError, TypeError, KeyError):
        raise InvalidArgumentError(
            f"cursor: {sent[:40]!r} is none of this tool's; send a result's next_cursor as it is"
        ) from None
    return dict(content)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _moment_or_none(text: str | None) -> datetime | None:
    return None if text is None else _moment(text)
