"""How long calls take, of the last minute."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

_MINUTE_S = 60.0
_MOST = 2000


class Speed:
    """Remembers durations for a minute, at most so many. Safe from any thread."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._guard = threading.Lock()
        self._taken: deque[tuple[float, float]] = deque(maxlen=_MOST)

    def took(self, seconds: float) -> None:
        """A call has ended and took so long."""
        with self._guard:
            self._taken.append((self._monotonic(), seconds))

    def lately(self) -> tuple[int, float | None, float | None]:
        """How many calls ended in the last minute, and their median and 95th percentile in milliseconds."""
        since = self._monotonic() - _MINUTE_S
        with self._guard:
            while self._taken and self._taken[0][0] < since:
                self._taken.popleft()
            durations = sorted(seconds for _, seconds in self._taken)
        if not durations:
            return 0, None, None
        return len(durations), _ms(durations, 0.5), _ms(durations, 0.95)


def _ms(durations: list[float], share: float) -> float:
    return round(durations[min(int(len(durations) * share), len(durations) - 1)] * 1000, 2)
