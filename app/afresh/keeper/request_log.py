"""The log of requests: every call of a tool by an agent or an editor, written down behind the calls.

A call only puts a note into a queue. One thread makes texts of the notes, takes secrets out, writes many at
once and tells followers; where it can't keep up, or the disk is full, notes are lost and calls go on.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from afresh.activity_verbs import FollowRequestsArguments, FollowRequestsResult, RequestSummary, RunningCall
from afresh.contracts import Result
from afresh.engine import request_words
from afresh.engine.calls import Call, Caller, Emit, Event
from afresh.engine.requests import matches, summary
from afresh.errors import AfreshError
from afresh.store import requests
from afresh.store.database import Store
from afresh.store.requests import Request
from afresh.text.redact import redact

_LOG = logging.getLogger(__name__)
DAYS = 30
"""So long a request is kept."""
LONGEST = 65_536
"""Characters that are kept of what was sent, and of what was answered."""
_MARGIN = 4096
"""Beyond the bound, so that a secret which it would cut in two is still known for one."""
_GATHER_S = 1.0
"""So long notes come together, so that many are one transaction, while nobody follows."""
_MANY = 256
"""Notes that are written without waiting for more."""
_MOST = 4096
"""Notes that wait at most."""
_PURGE_S = 3600.0
_PEOPLE = frozenset({"cli", "tui"})
"""Clients through which people ask; everything else is an agent or an editor."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A call that runs."""

    number: int
    caller: Caller
    tool: str
    arguments: Mapping[str, Any]
    at: datetime
    clock: float

    def shown(self) -> RunningCall:
        return RunningCall(
            number=self.number,
            client=self.caller.client,
            kind=self.caller.kind,
            tool=self.tool,
            started_at=self.at,
        )


@dataclass(frozen=True, slots=True)
class _Ended:
    begun: Begun
    result: Result | None
    error: BaseException | None
    elapsed_ms: float


@dataclass(eq=False, slots=True)
class _Follower:
    arguments: FollowRequestsArguments
    emit: Emit
    told: int = 0


class RequestLog:
    """Takes calls down. Safe from any thread."""

    def __init__(self, store: Store, clock: Callable[[], datetime], *, on: bool) -> None:
        """With `on` false nothing is written down; calls that run are still known."""
        self.store = store
        self._clock = clock
        self.on = on
        self._changed = threading.Condition()
        self._queue: deque[Begun | _Ended] = deque()
        self._running: dict[int, Begun] = {}
        self._followers: list[_Follower] = []
        self._last = 0
        self._taken = 0
        self._written = 0
        self._waiting = 0
        """Who waits until everything is written."""
        self._lost = 0
        self._closing = False
        self._purge_at = 0.0
        self._thread = threading.Thread(target=self._work, name="requests", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Write what waits, and end."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    # --- what calls say -------------------------------------------------------------------------------

    def begin(self, caller: Caller, tool: str, arguments: Mapping[str, Any]) -> Begun | None:
        """A call begins; None where it is a person's. Returns at once."""
        if caller.kind != "agent" and caller.client in _PEOPLE:
            return None
        with self._changed:
            self._last += 1
            begun = Begun(self._last, caller, tool, arguments, self._clock(), time.perf_counter())
            self._running[begun.number] = begun
            if self._followers:
                self._put(begun)
        return begun

    def end(self, begun: Begun, result: Result | None, error: BaseException | None) -> None:
        """It has ended. Returns at once."""
        ended = _Ended(begun, result, error, (time.perf_counter() - begun.clock) * 1000)
        with self._changed:
            self._running.pop(begun.number, None)
            if self.on or self._followers:
                self._put(ended)

    # --- what is asked --------------------------------------------------------------------------------

    def running(self) -> list[RunningCall]:
        """The calls that run, the oldest first."""
        with self._changed:
            return [begun.shown() for begun in self._running.values()]

    @property
    def followers(self) -> int:
        """How many follow."""
        return len(self._followers)

    def flush(self, timeout: float = 5.0) -> None:
        """Wait until what has ended so far is written."""
        with self._changed:
            goal = self._taken
            self._waiting += 1
            self._changed.notify_all()
            try:
                self._changed.wait_for(lambda: self._written >= goal or not self._thread.is_alive(), timeout)
            finally:
                self._waiting -= 1

    def follow(self, arguments: FollowRequestsArguments, call: Call) -> FollowRequestsResult:
        """Tell a caller of every call that begins or ends, until it takes that back."""
        follower = _Follower(arguments, call.emit)
        with self._changed:
            self._followers.append(follower)
        try:
            call.cancelled.wait()
        finally:
            with self._changed:
                self._followers.remove(follower)
        return FollowRequestsResult(told=follower.told)

    def purge(self) -> None:
        """Take out what is too old; does nothing within an hour after the last time. For quiet moments."""
        if time.monotonic() < self._purge_at:
            return
        self._purge_at = time.monotonic() + _PURGE_S
        with self.store.write(aside=True) as tx:
            gone = requests.purge(tx, self._clock() - timedelta(days=DAYS))
        if gone:
            _LOG.info("%d requests older than %d days were taken out", gone, DAYS)

    # --- the thread -----------------------------------------------------------------------------------

    def _put(self, note: Begun | _Ended) -> None:
        if len(self._queue) >= _MOST:
            self._lost += 1
            return
        self._queue.append(note)
        self._taken += 1
        if len(self._queue) == 1 or self._hurried():
            self._changed.notify_all()

    def _hurried(self) -> bool:
        return bool(self._closing or self._waiting or self._followers or len(self._queue) >= _MANY)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closing)
                if not self._queue:
                    return
                self._changed.wait_for(self._hurried, _GATHER_S)
                notes = list(self._queue)
                self._queue.clear()
                followers = list(self._followers)
                lost, self._lost = self._lost, 0
            if lost:
                _LOG.warning("%d requests came too fast and were not written down", lost)
            try:
                self._take_down(notes, followers)
            except AfreshError as error:
                _LOG.warning("%d requests could not be written down: %s", len(notes), error.message)
            except Exception:  # noqa: BLE001 - the thread's edge; the log has the traceback
                _LOG.exception("%d requests could not be written down", len(notes))
            with self._changed:
                self._written += len(notes)
                self._changed.notify_all()

    def _take_down(self, notes: list[Begun | _Ended], followers: list[_Follower]) -> None:
        ended = [note for note in notes if isinstance(note, _Ended)]
        written = [_request(note) for note in ended]
        if self.on and written:
            with self.store.write(aside=True) as tx:
                ids = requests.put(tx, written)
            written = [replace(request, id=id_) for request, id_ in zip(written, ids, strict=True)]
        if not followers:
            return
        by_number = {note.begun.number: request for note, request in zip(ended, written, strict=True)}
        for note in notes:
            if isinstance(note, Begun):
                call = note.shown()
                self._tell(followers, call, {"kind": "call_began", "call": call.model_dump(mode="json")})
            else:
                number = note.begun.number
                request = summary(by_number[number])
                shown = request.model_dump(mode="json")
                self._tell(followers, request, {"kind": "call_ended", "number": number, "request": shown})

    @staticmethod
    def _tell(followers: list[_Follower], call: RunningCall | RequestSummary, event: Event) -> None:
        for follower in followers:
            if matches(follower.arguments.client, follower.arguments.tool, call):
                follower.told += isinstance(call, RequestSummary)
                follower.emit(event)


def _request(ended: _Ended) -> Request:
    """The row of a call. What was answered is made of what is stored, which holds no secrets, and of what was
    sent: it is looked through only where there was one in that."""
    begun = ended.begun
    sent = _redacted(begun.arguments)
    secrets, outcome = sent.secrets, ""
    result, result_length = None, 0
    if ended.result is not None:
        value = ended.result.model_dump(mode="json")
        outcome = request_words.outcome(begun.tool, value)
        if secrets:
            answered = _redacted(value)
            result, result_length, secrets = answered.text, answered.length, secrets + answered.secrets
        else:
            result = _json(value)
            result, result_length = result[:LONGEST], len(result)
    error_kind, error = None, None
    if ended.error is not None:
        error_kind, error = _error(ended.error)
        found = redact(error)
        error, secrets = found.text, secrets + sum(count for _, count in found.found)
        outcome = request_words.failure(error)
    session = begun.arguments.get("session_id")
    return Request(
        id=0,
        client=begun.caller.client,
        kind=begun.caller.kind,
        cwd=None if begun.caller.cwd is None else _sound(str(begun.caller.cwd)),
        session=_sound(session)[:200] if isinstance(session, str) else None,
        tool=begun.tool,
        asked=request_words.asked(sent.value),
        outcome=outcome,
        arguments=sent.text,
        arguments_length=sent.length,
        result=result,
        result_length=result_length,
        error_kind=error_kind,
        error=error,
        redacted=secrets,
        started_at=begun.at,
        elapsed_ms=round(ended.elapsed_ms, 3),
    )


def _error(error: BaseException) -> tuple[str, str]:
    if isinstance(error, AfreshError):
        return error.kind, _sound(error.message[:LONGEST])
    return "internal", f"internal error: {type(error).__name__}; the keeper's log has the details"


@dataclass(frozen=True, slots=True)
class _Redacted:
    """A value without secrets."""

    value: Any
    text: str
    """Its JSON, cut to the bound."""
    length: int
    """Characters of the whole."""
    secrets: int


def _redacted(value: Any) -> _Redacted:
    secrets = left_out = 0

    def clean(item: Any, name: str = "") -> Any:
        nonlocal secrets, left_out
        if isinstance(item, str):
            # With its name before it, as a password is often known by that alone.
            head = f"{name}: " if name else ""
            found = redact(f"{head}{_sound(item[: LONGEST + _MARGIN])}")
            secrets += sum(count for _, count in found.found)
            left_out += max(len(item) - LONGEST - _MARGIN, 0)
            return found.text.removeprefix(head)
        if isinstance(item, Mapping):
            return {str(key): clean(inner, str(key)) for key, inner in item.items()}
        if isinstance(item, list | tuple):
            return [clean(inner) for inner in item]
        return item

    cleaned = clean(value)
    text = _json(cleaned)
    return _Redacted(cleaned, text[:LONGEST], len(text) + left_out, secrets)


def _json(value: Any) -> str:
    return _sound(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def _sound(text: str) -> str:
    """A text that can be stored: half characters, as in a path that isn't UTF-8, become signs."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
