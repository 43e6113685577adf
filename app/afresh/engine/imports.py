"""The imports under way: a file comes in several calls, and its rows refer to one another by ids."""

from __future__ import annotations

from pathlib import Path

from afresh.store.importing import Importer

_REMEMBERED = 8
"""Imports under way whose ids are kept from call to call."""


class Imports:
    """The imports under way: what ids their rows became, so that later rows can refer to earlier ones."""

    def __init__(self) -> None:
        self._open: dict[str, Importer] = {}

    def of(self, transfer_id: str | None) -> Importer:
        """The importer of one transfer; the oldest one is forgotten when there are too many."""
        if transfer_id is None:
            return Importer(here=_is_here)
        importer = self._open.setdefault(transfer_id, Importer(here=_is_here))
        while len(self._open) > _REMEMBERED:
            self._open.pop(next(iter(self._open)))
        return importer

    def done(self, transfer_id: str | None) -> None:
        if transfer_id is not None:
            self._open.pop(transfer_id, None)


def _is_here(path: str) -> bool:
    """Whether an absolute path of the exporting machine means something on this one."""
    return Path(path).exists()
