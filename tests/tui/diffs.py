"""Answers about what changed, as the engine gives them, made from two texts by the indexer's own diff."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from afresh.contracts import FileDetail
from afresh.verbs import FileDiff
from afresh_indexer.hunks import diff, shown_hunks, unified
from afresh_tui.widgets.diff_model import FileChange, file_changes

OLD = '''\
"""Locks over accounts."""

import time


class Lock:
    """A lock over one account."""

    def acquire(self, timeout=5.0):
        """Claim the row, polling until it is free."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.table.claim(self.account):
                return True
            time.sleep(0.1)
        return False

    def release(self):
        """Give the row back."""
        self.table.free(self.account)


def ordered(accounts):
    """Accounts in the order in which they are locked."""
    return sorted(accounts)


def transfer(source, target, amount):
    """Move money between two accounts, both locked."""
    first, second = ordered([source, target])
    with Lock(first), Lock(second):
        source.withdraw(amount)
        target.deposit(amount)
'''
NEW = (
    OLD.replace("timeout=5.0", "timeout=30.0")
    .replace("time.sleep(0.1)", "time.sleep(min(0.25, timeout / 10))")
    .replace("        return False\n", '        raise TimeoutError(f"{self.account} stayed locked")\n')
    .replace("        target.deposit(amount)\n", "        target.deposit(amount, source=source)\n")
)
COMMIT = {
    "id": "9f3c2a7b1d5e8f60",
    "author": "Ada Lovelace",
    "date": "2026-02-26T09:30:00Z",
    "subject": "wait longer, poll less, and say who waits",
}


def hunks(old: str, new: str, cited: Iterable[tuple[int, int]] = (), at: int = 0) -> list[dict[str, Any]]:
    """The hunks of two texts; those that touch a cited line are cited, all of them where none is given."""
    before, after = old.encode(), new.encode()
    found = []
    ranges = list(cited)
    for hunk in shown_hunks(before, after, diff(before, after), moved_by=(at, at)):
        place = hunk.range
        touches = any(start <= place.old_end and place.old_start <= end for start, end in ranges)
        found.append(
            {
                "old_start": place.old_start,
                "old_lines": place.old_lines,
                "new_start": place.new_start,
                "new_lines": place.new_lines,
                "lines": [{"kind": line.kind, "text": line.text} for line in hunk.lines],
                "cited": touches or not ranges,
            }
        )
    return found


def file_diff(
    path: str = "billing/locks.py",
    old: str = OLD,
    new: str | None = NEW,
    *,
    change: str = "edited",
    cited: Iterable[tuple[int, int]] = (),
    **changes: Any,
) -> dict[str, Any]:
    """A `FileDiff`; `new` is None for a file that is gone."""
    now = new or ""
    line_map = diff(old.encode(), now.encode())
    told: dict[str, Any] = {
        "path": path,
        "part": None,
        "new_path": path if new is not None else None,
        "change": change,
        "hunks": hunks(old, now, cited),
        "unified": unified(old.encode(), now.encode(), line_map, path),
        "note": None,
    }
    return {**told, **changes}


def span(
    start: int, end: int, symbol: str | None = None, now: str = "edited", **changes: Any
) -> dict[str, Any]:
    """A `SpanDetail` that stands where it stood, unless told otherwise."""
    told: dict[str, Any] = {
        "start_line": start,
        "end_line": end,
        "symbol": symbol,
        "now": now,
        "moved_to": None,
        "now_start_line": start,
        "now_end_line": end,
        "likeness": 1.0,
        "derived": False,
    }
    return {**told, **changes}


def detail(
    path: str = "billing/locks.py",
    change: str = "edited",
    spans: Iterable[Mapping[str, Any]] = (),
    **changes: Any,
) -> dict[str, Any]:
    """A `FileDetail`."""
    told: dict[str, Any] = {
        "path": path,
        "change": change,
        "moved_to": None,
        "spans": list(spans) or [span(1, 33, None, change)],
        "commit": COMMIT,
        "uncommitted": False,
        "note": None,
    }
    return {**told, **changes}


def changed(
    details: Iterable[Mapping[str, Any]], diffs: Iterable[Mapping[str, Any]]
) -> tuple[FileChange, ...]:
    """What the diff is drawn from."""
    return file_changes(
        [FileDetail.model_validate(item) for item in details],
        [FileDiff.model_validate(item) for item in diffs],
    )


ACQUIRE = span(9, 16, "Lock.acquire")
TRANSFER = span(28, 33, "transfer")
EDITED = (
    [detail(spans=[ACQUIRE])],
    [file_diff(cited=[(9, 16)])],
)
"""Details and diffs of a file of which one method is cited."""
ORDERED = """\
def ordered(accounts):
    \"\"\"Accounts in the order in which they are locked.\"\"\"
    return sorted(accounts)
"""
MOVED = (
    [
        detail(
            change="moved",
            spans=[
                span(
                    23,
                    25,
                    "ordered",
                    "moved",
                    moved_to={
                        "path": "billing/accounts.py",
                        "symbol": "in_lock_order",
                        "start_line": 4,
                        "end_line": 6,
                        "content": "changed",
                    },
                    now_start_line=4,
                    now_end_line=6,
                )
            ],
        )
    ],
    [
        file_diff(change="moved", new=OLD.replace(f"{ORDERED}\n\n", ""), cited=[(1, 1)]),
        file_diff(
            old=ORDERED,
            new=ORDERED.replace("ordered", "in_lock_order").replace(
                "(accounts)\n", "(accounts, key=by_id)\n"
            ),
            part="ordered",
            new_path="billing/accounts.py",
        ),
    ],
)
"""A function that went to another file, and was renamed and changed there."""
BINARY = (
    [detail("assets/logo.svg", "edited", commit=None, uncommitted=True)],
    [file_diff("assets/logo.svg", "", "", note="it is no text")],
)
FORGOTTEN = (
    [detail("billing/secrets.py", "edited", note="what it was is kept nowhere")],
    [
        file_diff(
            "billing/secrets.py",
            "",
            "",
            note="what it was is kept nowhere: no snapshot (it held a secret, or there was no room) and no "
            "version in git; judged by hashes alone",
        )
    ],
)
RETRY = """\
def retry(call, times=3):
    for _ in range(times):
        if call():
            return True
    return False
"""
GONE = (
    [
        detail(
            "billing/retry.py",
            "gone",
            [span(1, 5, "retry", "gone", now_start_line=None, now_end_line=None)],
        )
    ],
    [file_diff("billing/retry.py", RETRY, None, change="gone")],
)
"""A file that isn't there any more."""
