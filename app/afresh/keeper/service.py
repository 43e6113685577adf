"""The service behind every face: the engine, with indexing, watches and queue composed around it."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from afresh import __version__
from afresh.activity_verbs import (
    ActivityArguments,
    ActivityResult,
    CallSpeed,
    ClientsResult,
    ConnectedClient,
    RequestsArguments,
    RequestsResult,
)
from afresh.checking import check
from afresh.contracts import KeeperStatus, ModelStatus, Result, WatchStatus
from afresh.engine.calls import Attachment, Call, Caller, Following, Listener
from afresh.engine.claims import claims, judged_checkout
from afresh.engine.core import Engine, Model, Preferences
from afresh.engine.dispatch import ANSWERS
from afresh.engine.llm_access import LlmAccess
from afresh.engine.requests import listed
from afresh.engine.status import asked_about
from afresh.engine.turns import Turns
from afresh.engine.workspaces import Workspace
from afresh.errors import AfreshError, NotFoundError
from afresh.keeper.doctor import examine
from afresh.keeper.embedding import EmbeddingQueue
from afresh.keeper.following import follow
from afresh.keeper.gate import ENDLESS
from afresh.keeper.indexing import Indexing, shown
from afresh.keeper.request_log import DAYS, RequestLog
from afresh.keeper.speed import Speed
from afresh.keeper.watching import Watching, stream
from afresh.knowledge_verbs import FollowArguments, FollowResult
from afresh.llm.configured import provider_of
from afresh.settings import Settings
from afresh.store.database import Store
from afresh.verbs import (
    VERBS,
    BackupArguments,
    BackupResult,
    ClaimsArguments,
    ClaimsResult,
    DoctorArguments,
    DoctorResult,
    EmbeddingResult,
    IndexArguments,
    IndexResult,
    NoArguments,
    Verb,
)

_LOG = logging.getLogger(__name__)
_SMALL_TALK = (
    "activity",
    "clients",
    "follow_requests",
    "keeper_status",
    "keeper_stop",
    "projects",
    "request",
    "requests",
)
"""Calls after which nobody need want the model."""
_QUIET_S = 5.0
"""So long after the last call the log is folded into the database file."""
_LOG_BYTES = 4 * 1024 * 1024
"""Of a log that holds requests alone: nothing that is remembered, yet replayed at the next start."""


class OpenService:
    """Every verb, over one open store. Made by `open_service`; safe from any thread."""

    def __init__(self, settings: Settings, store: Store, *, in_process: bool) -> None:
        self._settings = settings
        self._store = store
        self._in_process = in_process
        self._started = time.monotonic()
        self._calls = 0
        self._last_call = time.monotonic()
        self._guard = threading.Lock()
        self._closing = threading.Event()
        self._checked_generation = store.generation
        self.clients: Callable[[], int] = lambda: 0
        """How many are connected; the process that listens knows."""
        self.connected: Callable[[], list[ConnectedClient]] = list
        """Who they are."""
        self.transport = "in process" if in_process else ""
        self.engine = Engine(
            store,
            clock=lambda: datetime.now(UTC),
            model=Model(),
            surroundings=self,
            preferences=Preferences(
                snapshot_bytes=settings.snapshot_bytes,
                fiscal_month=settings.fiscal_month,
                contradiction_policy=settings.contradiction_policy,
                contradiction_scorer=settings.contradiction_scorer,
                cache_folder=settings.cache,
            ),
            llm=LlmAccess(
                make=lambda: provider_of(settings),
                context_tokens=settings.llm_context,
                timeout_s=settings.llm_timeout,
                total_s=settings.llm_total_timeout,
            ),
        )
        self.engine.load_postings()
        self.queue = EmbeddingQueue(self.engine, settings)
        self.turns = Turns(self.engine)
        self.indexing = Indexing(self.engine, settings, self.turns.touched)
        self.watching = Watching(self.engine, self.indexing, settings, self.turns.touched)
        self.requests = RequestLog(store, self.engine.clock, on=settings.requests)
        self._speed = Speed()
        self._composed: Mapping[str, Callable[[Any, Call], Result]] = {
            "index": self._index,
            "watch": self._watch,
            "follow": self._follow,
            "requests": self._requests,
            "follow_requests": self.requests.follow,
            "clients": self._clients,
            "activity": self._activity,
            "claims": self._claims,
            "embed": self._embed,
            "backup": self._backup,
            "doctor": self._doctor,
            "keeper_status": self._keeper_status,
        }
        self._housekeeping = threading.Thread(target=self._keep_house, name="housekeeping", daemon=True)

    def start(self) -> None:
        """Begin the work behind the calls: the model, the queue, the watches."""
        self.queue.start()
        self.watching.start()
        self.requests.start()
        self._housekeeping.start()

    def call(self, verb: str, arguments: Mapping[str, Any], call: Call) -> Result:
        """Answer one call. Raises an AfreshError for whatever can be foreseen."""
        known = VERBS.get(verb)
        if known is None:
            raise NotFoundError(f"there is no verb {verb!r}; known: {', '.join(VERBS)}")
        begun = self.requests.begin(call.caller, verb, arguments) if known.tool else None
        if begun is None:
            return self._answer(known, arguments, call)
        try:
            result = self._answer(known, arguments, call)
        except BaseException as error:
            self.requests.end(begun, None, error)
            raise
        self.requests.end(begun, result, None)
        return result

    def _answer(self, known: Verb, arguments: Mapping[str, Any], call: Call) -> Result:
        verb = known.name
        checked = check(known.arguments, dict(arguments))
        call.check()
        # One that only listens, or asks how things are, keeps nobody from keeping house.
        listens, counts = verb in ENDLESS, verb not in _SMALL_TALK
        with self._guard:
            self._calls += not listens
        started = time.perf_counter()
        try:
            composed = self._composed.get(verb)
            if composed is not None:
                return composed(checked, call)
            return ANSWERS[verb](self.engine, checked, call)
        finally:
            with self._guard:
                self._calls -= not listens
                if counts:
                    self._last_call = time.monotonic()
            if counts and not listens:
                self._speed.took(time.perf_counter() - started)
            if not known.read_only:
                self.turns.written()
            if counts:
                self.queue.want()

    def attach(self, caller: Caller) -> Attachment:
        """Note that a client works where its working directory is."""
        return self.watching.attach(caller)

    def follow(self, caller: Caller, listener: Listener) -> Following:
        """Tell a caller what turns, as it is seen from where it works."""
        return self.turns.follow(caller, listener)

    def busy(self) -> bool:
        """Whether something runs that an idle exit would cut short."""
        return bool(self._calls) or self.indexing.busy() or self.queue.busy

    def close(self) -> None:
        """End the watches and the queue, fold the log in and close the store. Running calls come first."""
        self._closing.set()
        self.watching.close()
        self.turns.close()
        self.queue.close()
        self.requests.close()
        if self._housekeeping.is_alive():
            self._housekeeping.join(timeout=10)
        self._store.close()

    # --- what the engine's status asks ----------------------------------------------------------------

    def watch_status(self, root: str | None) -> WatchStatus:
        return self.watching.status(root)

    def indexing_root(self, root: str | None) -> bool:
        return self.indexing.busy(root)

    def keeper_status(self) -> KeeperStatus:
        return KeeperStatus(
            pid=os.getpid(),
            version=__version__,
            uptime_s=round(time.monotonic() - self._started, 3),
            database_bytes=self._store.size_bytes(),
            clients=self.clients(),
            transport=self.transport,
            in_process=self._in_process,
        )

    # --- verbs that need more than the engine ------------------------------------------------------------

    def _index(self, arguments: IndexArguments, call: Call) -> IndexResult:
        _workspace, result = self.indexing.index(arguments, call)
        return result

    def _watch(self, arguments: IndexArguments, call: Call) -> IndexResult:
        workspace, result = self.indexing.index(arguments, call)
        call.emit(shown(result))
        if workspace.checkout is not None:
            stream(self.watching, workspace, workspace.checkout, call)
        return result

    def _follow(self, _arguments: FollowArguments, call: Call) -> FollowResult:
        return follow(self.engine, self.watching, self.turns, call)

    def _requests(self, arguments: RequestsArguments, _call: Call) -> RequestsResult:
        self.requests.flush()
        running = self.requests.running()
        return listed(self.engine, arguments, running, kept=self.requests.on, days=DAYS)

    def _clients(self, _arguments: NoArguments, _call: Call) -> ClientsResult:
        return ClientsResult(clients=sorted(self.connected(), key=lambda client: client.since))

    def _activity(self, arguments: ActivityArguments, call: Call) -> ActivityResult:
        with self.engine.store.read() as cursor:
            workspace = asked_about(self.engine, cursor, None, arguments.root, call)
        root = workspace.checkout.root if workspace is not None and workspace.checkout is not None else None
        last_minute, p50, p95 = self._speed.lately()
        return ActivityResult(
            root=root,
            changes=self.watching.changes(root)[: arguments.limit],
            calls=CallSpeed(last_minute=last_minute, p50_ms=p50, p95_ms=p95),
            indexing=self.indexing.speed(),
            embedded=self.queue.embedded,
        )

    def _claims(self, arguments: ClaimsArguments, call: Call) -> ClaimsResult:
        """Bring the index up to date, which may have had no watch, then judge."""
        with self.engine.store.read() as cursor:
            project, checkout = judged_checkout(self.engine, cursor, arguments, call)
        self.indexing.refresh(Workspace(project, checkout), checkout, None, call)
        return claims(self.engine, arguments, call)

    def _embed(self, _arguments: NoArguments, call: Call) -> EmbeddingResult:
        before = self.queue.embedded
        self.queue.wait(call)
        model = self.engine.model
        return EmbeddingResult(
            embedded=self.queue.embedded - before,
            pending=self.queue.pending(),
            model=ModelStatus(id=model.id, source=model.source, vectors_pending=self.queue.pending()),
        )

    def _backup(self, arguments: BackupArguments, _call: Call) -> BackupResult:
        written = self._store.backup(Path(arguments.to))
        return BackupResult(path=arguments.to, bytes=written)

    def _doctor(self, arguments: DoctorArguments, call: Call) -> DoctorResult:
        return examine(self.engine, self._settings, arguments, call)

    def _keeper_status(self, _arguments: NoArguments, _call: Call) -> KeeperStatus:
        return self.keeper_status()

    def _keep_house(self) -> None:
        """Fold the log into the file when it is quiet: the automatic checkpoint would stall a call."""
        while not self._closing.wait(timeout=_QUIET_S):
            quiet = time.monotonic() - self._last_call >= _QUIET_S and not self.busy()
            if not quiet:
                continue
            generation = self._store.generation
            try:
                self.requests.purge()
                if generation != self._checked_generation or self._store.log_bytes() > _LOG_BYTES:
                    self._store.checkpoint()
                    self._checked_generation = generation
            except AfreshError as error:
                # A reader of an older state is in the way; the next quiet moment will do.
                _LOG.info("the log is folded in later: %s", error.message)


def open_service(settings: Settings, *, in_process: bool = False) -> OpenService:
    """Open the store and begin the work around it.

    Raises a StoreError that says what is wrong with the database and what to do.
    """
    _keep_out_of_indexes(settings.home)
    store = Store.open(settings.database, clock=lambda: datetime.now(UTC), backups=settings.backups)
    if store.set_aside is not None:
        _LOG.error("the database could not be opened and was set aside as %s", store.set_aside)
    service = OpenService(settings, store, in_process=in_process)
    service.start()
    return service


def _keep_out_of_indexes(home: Path) -> None:
    """Have git, and so our own scan, ignore a data folder that lies inside a workspace.

    Otherwise each write to the database would be a change that is watched and written down.
    """
    marker = home / ".gitignore"
    if home.is_dir() and not marker.exists():
        with contextlib.suppress(OSError):
            marker.write_text("*\n", encoding="utf-8")
