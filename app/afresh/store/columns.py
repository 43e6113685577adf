"""Between Python's values and the columns' types.

Times are stored as TIMESTAMP without a zone, always UTC: the type with a zone needs an extension to be cast.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from itertools import repeat
from typing import Any, TypeVar, cast

import numpy.typing as npt

from afresh.errors import InvalidArgumentError

Record = TypeVar("Record")


def stored(time: datetime) -> datetime:
    """`time` as it is stored: in UTC, without a zone.

    Raises InvalidArgumentError for a time without a zone, which could be any moment of a day.
    """
    if time.tzinfo is None:
        raise InvalidArgumentError(f"the time {time.isoformat()} has no UTC offset; add one, such as Z")
    return time.astimezone(UTC).replace(tzinfo=None)


def stored_or_none(time: datetime | None) -> datetime | None:
    """As `stored`, with None for no time."""
    return None if time is None else stored(time)


def aware(time: datetime) -> datetime:
    """A stored time, aware again."""
    return time.replace(tzinfo=UTC)


def aware_or_none(time: datetime | None) -> datetime | None:
    """As `aware`, with None for no time."""
    return None if time is None else time.replace(tzinfo=UTC)


def ids_list(ids: Iterable[int]) -> list[int]:
    """Distinct ids in rising order."""
    return sorted({int(i) for i in ids})


def matching(column: str, ids: Iterable[int]) -> tuple[str, list[object]]:
    """The condition that `column` is one of `ids`, and its parameters.

    The range lets row groups be skipped, and a comparison with one value is planned in half the time.
    """
    wanted = ids_list(ids)
    if not wanted:
        return "FALSE", []
    if len(wanted) == 1:
        return f"{column} = ?", [wanted[0]]
    condition = f"({column} BETWEEN ? AND ? AND {column} IN (SELECT unnest(?::BIGINT[])))"
    return condition, [wanted[0], wanted[-1], wanted]


def among(paths: Collection[str]) -> tuple[str, list[object]]:
    """The condition that `path` is one of these, and its parameters; one alone is planned much sooner."""
    if len(paths) == 1:
        return "path = ?", list(paths)
    return "path IN (SELECT unnest(?::VARCHAR[]))", [sorted(paths)]


def build_many(kind: type[Record], columns: Mapping[str, npt.NDArray[Any]]) -> list[Record]:
    """Records of a frozen dataclass with slots, from one array for each of its fields, in their order.

    The constructor of a frozen dataclass sets field by field through `object.__setattr__`; setting a whole
    column through its slot takes half the time, which counts where a scan waits for 20,000 of them.
    """
    names = [field.name for field in fields(cast(Any, kind))]
    values = [_as_objects(array) for array in columns.values()]
    records = list(map(object.__new__, repeat(kind, len(values[0]))))
    for name, column in zip(names, values, strict=True):
        deque(map(getattr(kind, name).__set__, records, column), maxlen=0)
    return records


def _as_objects(array: npt.NDArray[Any]) -> list[Any]:
    values: list[Any] = array.tolist()  # a masked value becomes None
    return values
