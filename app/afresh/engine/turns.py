"""What turns: what goes from fresh to stale or back, and what somebody writes.

A batch of changes on the disk is judged in a thread of its own, so that neither the watch nor a call waits:
the store says which memos and memories cite a touched file, and only those are judged. How each stood before
is remembered by folder, since one can be fresh in one worktree and stale in another.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from afresh.engine import standing
from afresh.engine.calls import Caller, Listener, News
from afresh.engine.core import Engine
from afresh.engine.standing import Learned, Stand, stands
from afresh.engine.views import Views, seen_from
from afresh.errors import AfreshError, NotFoundError, UnknownProjectError
from afresh.store import citations, learned_states, memories
from afresh.store.cursor import Cursor
from afresh.store.learned_states import LearnedState
from afresh.store.owners import OWNERS, Owner

_LOG = logging.getLogger(__name__)
_JUDGED_AT_ONCE = 500
"""Written in one go, as by an import: beyond this many they are told without being judged."""


class Follower:
    """One who is told; also the `Following` that it holds."""

    def __init__(self, turns: Turns, caller: Caller, listener: Listener) -> None:
        self.caller = caller
        self.listener = listener
        self.home: int | None = None
        """The project that it works in."""
        self.memories: dict[int, tuple[Any, ...]] = {}
        """The memories that it asked about, and what was written in them when last looked at."""
        self._turns = turns

    def know(
        self, *, memos: Iterable[int] = (), memories: Iterable[int] = (), projects: Iterable[str] = ()
    ) -> None:
        self._turns.know(self, list(memos), list(memories), list(projects))

    def close(self) -> None:
        self._turns.leave(self)


@dataclass(slots=True)
class _Gathered:
    """News for one follower, as it comes together."""

    memos: set[int] = field(default_factory=set)
    diffs: set[int] = field(default_factory=set)
    memories: set[int] = field(default_factory=set)
    stale: set[str] = field(default_factory=set)
    listing: bool = False

    def add(self, learned: Learned, *, differs_alone: bool = False) -> None:
        """One of them is other than it was, or only differs in another way from what was recorded."""
        if learned.owner == "memory":
            self.memories |= set() if differs_alone else {learned.id}
            return
        self.diffs.add(learned.id)
        if not differs_alone:
            self.memos.add(learned.id)

    def news(self) -> News:
        return News(
            frozenset(self.memos),
            frozenset(self.diffs),
            frozenset(self.memories),
            frozenset(self.stale),
            self.listing,
        )


_All: TypeAlias = dict[Follower, _Gathered]
_Touched: TypeAlias = Mapping[Path, Collection[str]]


class Turns:
    """Tells followers what turns. Safe from any thread; does nothing while nobody follows."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._changed = threading.Condition()
        self._followers: list[Follower] = []
        self._touched: dict[Path, set[str]] = {}
        self._written = False
        self._closing = False
        self._thread: threading.Thread | None = None
        self._judging = threading.Lock()
        """Held while something is judged; everything below belongs to whoever holds it."""
        self._views = Views()
        self._known: dict[tuple[Owner, int, Path], Stand] = {}
        self._states: dict[tuple[Owner, int], LearnedState] | None = None
        """None while nobody followed: the next look is the first."""
        self._mark: tuple[int, ...] = ()

    # --- what happened --------------------------------------------------------------------------------

    def touched(self, root: str, paths: Collection[str]) -> None:
        """Files below a root changed, or may have. Returns at once."""
        with self._changed:
            if self._followers and paths:
                self._touched.setdefault(Path(root), set()).update(paths)
                self._changed.notify_all()

    def written(self) -> None:
        """Something was stored by somebody. Returns at once."""
        with self._changed:
            if self._followers:
                self._written = True
                self._changed.notify_all()

    def close(self) -> None:
        """Tell nobody anything more, and wait for what is being judged."""
        with self._changed:
            self._closing = True
            self._followers.clear()
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(timeout=10)

    # --- who is told ----------------------------------------------------------------------------------

    def follow(self, caller: Caller, listener: Listener) -> Follower:
        """Tell a caller from now on what turns where it works.

        What it asks about with `know` is told wherever that is.
        """
        follower = Follower(self, caller, listener)

        def begin(cursor: Cursor, gathered: _All) -> None:
            with self._changed:
                if self._closing:
                    return
                self._followers.append(follower)
                if self._thread is None:
                    self._thread = threading.Thread(target=self._run, name="turns", daemon=True)
                    self._thread.start()
            gathered[follower] = _Gathered()
            self._come_home(cursor, follower, gathered)

        self._look(begin)
        return follower

    def leave(self, follower: Follower) -> None:
        """Tell one follower nothing more. Returns at once."""
        with self._changed:
            if follower in self._followers:
                self._followers.remove(follower)

    def know(self, follower: Follower, memos: list[int], memories: list[int], projects: list[str]) -> None:
        """As `Following.know` says."""

        def learn(cursor: Cursor, gathered: _All) -> None:
            found = standing.load(cursor, "memo", memos)
            _require("memo", memos, {learned.id for learned in found})
            written = _written_in(cursor, memories)
            _require("memory", memories, written)
            found += standing.load(cursor, "memory", memories)
            for name in projects:
                project = self._views.named(name)
                if project is None:
                    raise UnknownProjectError(f"there is no project {name!r}")
                found += standing.of_project(self._engine, cursor, project.id)
            self._judge(cursor, self._seen_by(cursor, follower, found), gathered)
            follower.memories |= written

        self._look(learn)

    # --- looking --------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._touched or self._written or self._closing)
                if self._closing:
                    return
                touched, self._touched = self._touched, {}
                self._written = False
            try:
                self._look_at(touched)
            except AfreshError as error:
                _LOG.error("what turned could not be judged: %s", error.message)
            except Exception:  # noqa: BLE001 - the edge; the log has the traceback
                _LOG.exception("what turned could not be judged")

    def _look_at(self, touched: _Touched) -> None:
        self._look(lambda cursor, gathered: self._judge_touched(cursor, touched, gathered))

    def _look(self, step: Callable[[Cursor, _All], None]) -> None:
        """Judge what was written since the last look, then what the step is about; tell what that brought."""
        with self._judging:
            with self._changed:
                followers = list(self._followers)
            if not followers:
                self._known.clear()
                self._states = None
            gathered = {follower: _Gathered() for follower in followers}
            with self._engine.store.read() as cursor:
                if self._views.refresh(cursor):
                    for news in gathered.values():
                        news.listing = True
                for follower in followers:
                    if follower.home is None:
                        self._come_home(cursor, follower, gathered)
                self._judge_written(cursor, gathered)
                step(cursor, gathered)
        for follower, gathering in gathered.items():
            told = gathering.news()
            if told != _NOTHING:
                follower.listener(told)

    def _come_home(self, cursor: Cursor, follower: Follower, gathered: _All) -> None:
        """See how things stand in the project that a follower works in, where there is one by now."""
        follower.home = self._views.home(follower.caller)
        if follower.home is None:
            return
        found = standing.of_project(self._engine, cursor, follower.home)
        unknown = [
            (learned, view)
            for learned, view in self._seen_by(cursor, follower, found)
            if (learned.owner, learned.id, view) not in self._known
        ]
        self._judge(cursor, unknown, gathered)

    def _judge_touched(self, cursor: Cursor, touched: _Touched, gathered: _All) -> None:
        if not touched:
            return
        seen: dict[Path, set[str]] = {}
        for project_id, root in learned_states.roots(cursor):
            for view in self._views.all(project_id, root):
                if view not in seen:
                    seen[view] = seen_from(view, touched)
        paths = set().union(*seen.values())
        for owner in OWNERS:
            cited: dict[int, set[str]] = {}
            for id_, path in citations.citing(cursor, owner, paths) if paths else ():
                cited.setdefault(id_, set()).add(path)
            pairs = [
                (learned, view)
                for learned in standing.load(cursor, owner, cited)
                for view in self._views.all(learned.project_id, learned.root)
                if not seen[view].isdisjoint(cited[learned.id])
            ]
            self._judge(cursor, pairs, gathered, touched=True)

    def _judge(
        self,
        cursor: Cursor,
        pairs: Iterable[tuple[Learned, Path]],
        gathered: _All,
        *,
        touched: bool = False,
    ) -> None:
        """Judge where they are seen, and tell those that stand otherwise than when last looked at.

        One that was never looked at is told if it was touched, for it may have turned.
        """
        for learned, view, now in stands(pairs):
            key = (learned.owner, learned.id, view)
            before = self._known.get(key)
            self._known[key] = now
            if before == now or (before is None and not touched):
                continue
            for follower, news in gathered.items():
                if self._views.of(cursor, follower.caller, learned.project_id, learned.root) != view:
                    continue
                same = before is not None and before.verdict == now.verdict
                news.add(learned, differs_alone=same)
                if learned.living:
                    news.stale.add(self._views.project(learned.project_id).name)
                    turned = before is None or before.is_stale != now.is_stale
                    news.listing |= turned and follower.home == learned.project_id

    # --- what was written -----------------------------------------------------------------------------

    def _judge_written(self, cursor: Cursor, gathered: _All) -> None:
        """Tell what was recorded, verified, retired, deleted or otherwise written since the last look."""
        for follower, news in gathered.items():
            written = _written_in(cursor, follower.memories)
            news.memories |= {id_ for id_, state in written.items() if state != follower.memories[id_]}
            follower.memories |= written
        mark = learned_states.mark(cursor)
        if self._states is not None and mark == self._mark:
            return
        before, self._states, self._mark = self._states, learned_states.states(cursor), mark
        if before is None:
            return
        changed = [key for key, state in self._states.items() if before.get(key) != state]
        if len(changed) > _JUDGED_AT_ONCE:
            self._tell_unjudged(changed, gathered)
            return
        for owner in OWNERS:
            for learned in standing.load(cursor, owner, [id_ for kind, id_ in changed if kind == owner]):
                self._tell_written(cursor, learned, (owner, learned.id) in before, gathered)

    def _tell_written(self, cursor: Cursor, learned: Learned, existed: bool, gathered: _All) -> None:
        views = {
            follower: self._views.of(cursor, follower.caller, learned.project_id, learned.root)
            for follower in gathered
        }
        key = (learned.owner, learned.id)
        earlier = {view: stand for (*known, view), stand in self._known.items() if tuple(known) == key}
        now = {view: stand for _, view, stand in stands((learned, view) for view in set(views.values()))}
        for view in earlier:
            del self._known[*key, view]
        self._known |= {(*key, view): stand for view, stand in now.items()}
        for follower, view in views.items():
            news = gathered[follower]
            news.add(learned)
            was_stale = existed and (view not in earlier or earlier[view].is_stale)
            if was_stale or (learned.living and now[view].is_stale):
                news.stale.add(self._views.project(learned.project_id).name)
            news.listing |= learned.owner == "memo" and follower.home == learned.project_id

    def _tell_unjudged(self, changed: Iterable[tuple[Owner, int]], gathered: _All) -> None:
        assert self._states is not None
        keys = set(changed)
        self._known = {key: stand for key, stand in self._known.items() if key[:2] not in keys}
        found = {self._states[key].project_id for key in keys}
        ids = {owner: {id_ for kind, id_ in keys if kind == owner} for owner in OWNERS}
        for follower, news in gathered.items():
            news.memos |= ids["memo"]
            news.diffs |= ids["memo"]
            news.memories |= ids["memory"]
            news.stale |= {self._views.project(project_id).name for project_id in found}
            news.listing |= follower.home in found

    def _seen_by(
        self, cursor: Cursor, follower: Follower, found: Iterable[Learned]
    ) -> list[tuple[Learned, Path]]:
        return [
            (learned, self._views.of(cursor, follower.caller, learned.project_id, learned.root))
            for learned in found
        ]


_NOTHING = News()


def _written_in(cursor: Cursor, ids: Collection[int]) -> dict[int, tuple[Any, ...]]:
    """What tells one state of a memory from another; deleted ones too, unknown ones left out."""
    possible = [id_ for id_ in ids if 0 < id_ < 2**63]
    return {
        memory.id: (memory.version, memory.deleted_at, memory.superseded_by)
        for memory in (memories.get(cursor, possible, include_deleted=True) if possible else ())
    }


def _require(what: str, ids: Iterable[int], known: Collection[int]) -> None:
    missing = [str(id_) for id_ in ids if id_ not in known]
    if missing:
        raise NotFoundError(f"there is no {what} {', '.join(missing)}")
