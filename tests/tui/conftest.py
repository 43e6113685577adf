"""Pictures of screens under frozen conditions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.tui.frozen import SIZES, settled
from textual.pilot import Pilot

from afresh_tui.app import AfreshApp

Before = Callable[[Pilot[Any]], Awaitable[None]]
Picture = Callable[..., bool]


@pytest.fixture
def picture(snap_compare: Any) -> Picture:
    """Compare a screen with its picture: `picture(app, "80x24", before=…)`; it settles before and after."""

    def compare(app: AfreshApp, size: str = "80x24", *, before: Before | None = None) -> bool:
        async def run_before(pilot: Pilot[Any]) -> None:
            await settled(pilot)
            if before is not None:
                await before(pilot)
                await settled(pilot)

        return bool(snap_compare(app, terminal_size=SIZES[size], run_before=run_before))

    return compare
