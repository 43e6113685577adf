"""Threads for calls: made when needed, kept while useful, bounded, and never in the way of an exit."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

Task = Callable[[], None]


class Pool:
    """Runs tasks in order of their arrival, at most `size` at once.

    The threads are daemons: a call that hangs must not keep a process from ending.
    """

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._size = size
        self._waiting: deque[Task] = deque()
        self._changed = threading.Condition()
        self._threads = 0
        self._idle = 0

    def submit(self, task: Task) -> None:
        """Run a task soon; it must not raise."""
        with self._changed:
            self._waiting.append(task)
            if self._idle >= len(self._waiting):
                self._changed.notify()
            elif self._threads < self._size:
                self._threads += 1
                threading.Thread(target=self._work, name=f"{self._name}-{self._threads}", daemon=True).start()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._waiting:
                    self._changed.wait()
                self._idle -= 1
                task = self._waiting.popleft()
            task()
