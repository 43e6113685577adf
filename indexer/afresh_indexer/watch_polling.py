"""Polling: two looks at the tree, compared; for where there are no native events.

It lists the tree itself and takes the signature of every file, which costs about as much as letting git list
it (under 10 microseconds a file), and needs no git.
"""

from __future__ import annotations

from afresh_indexer.watch_settings import Clock, Gathered, Halt, WatchSettings
from afresh_indexer.watch_tree import IgnoredFolders, reported, snapshot


class PollingWatch:
    """One root under polling; the constructor takes the first look."""

    def __init__(self, root: str, *, ignored: IgnoredFolders, settings: WatchSettings, clock: Clock) -> None:
        self._root = root
        self._ignored = ignored
        self._settings = settings
        self._clock = clock
        self._known: set[str] = set()
        self._asked = True
        self._ignored.refresh()
        self._files, self._known = snapshot(root, self._enter)

    def close(self) -> None:
        """Nothing is held between two looks."""

    def collect(self, halt: Halt) -> Gathered:
        """Wait out one pause, look, and tell what differs."""
        if halt.wait(self._settings.poll_s, self._clock.monotonic):
            return Gathered()
        looked_ns = self._clock.time_ns()
        self._asked = False
        before = self._files
        self._files, self._known = snapshot(self._root, self._enter)
        differ = {path for path, seen in self._files.items() if before.get(path) != seen}
        differ |= before.keys() - self._files.keys()
        paths = {shown for path in differ if (shown := reported(path)) is not None}
        return Gathered(paths=paths, first_event_ns=looked_ns if paths else 0)

    def refresh(self, distrust: bool) -> None:
        """Take the next look by the rules as they are now; it is complete whether there is distrust or
        not."""
        self._known = set()

    def _enter(self, folder: str) -> bool:
        # Asking git costs more than the walk, so only a folder that was not there at the last look makes us
        # ask.
        if folder in self._known:
            return True
        if not self._asked:
            self._ignored.refresh()
            self._asked = True
        return folder not in self._ignored
