"""From the disk into the tables: a scan, its batches applied as they come, then outlines for new contents.

One checkout is indexed by one thread at a time; what is known is read under the same lock, so that a scan
of a whole tree and the watch's small ones never tread on each other.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from afresh.activity_verbs import IndexSpeed
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.commit_memories import follow_commits, follow_on
from afresh.engine.core import Engine
from afresh.engine.workspace_index import apply_batch, put_outlines, settle_once
from afresh.engine.workspace_notes import apply_documents
from afresh.engine.workspaces import Workspace
from afresh.errors import RootRefusedError
from afresh.settings import Settings
from afresh.store import documents, files, symbols
from afresh.store.projects import Checkout
from afresh.verbs import ExcludedExample, IndexArguments, IndexResult
from afresh_indexer.ignore import IgnoreRules
from afresh_indexer.languages import OUTLINED, language_of
from afresh_indexer.note_files import ReadDocument, read_documents
from afresh_indexer.notes import RULES, is_note_source
from afresh_indexer.pool import OutlineJob, outlines
from afresh_indexer.records import Outline
from afresh_indexer.scan import scan

Touched = Callable[[str, Collection[str]], None]
"""Takes a root and the paths below it that changed; returns at once."""
_OUTLINES_AT_ONCE = 200
"""Outlines that go into the store in one transaction."""
_NOTES_AT_ONCE = 200
"""Notes from which on they go into the store in one transaction."""
_SETTLED_FROM = 256
"""Contents that went, whose names are then taken out in one step: after each edit it would cost as much."""
_EXAMPLES = 20


@dataclass(slots=True)
class Progress:
    """What one indexing did so far."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    read: int = 0
    notes: int = 0
    commits: int = 0
    outline_errors: int = 0
    touched: list[str] = field(default_factory=list)


class Indexing:
    """Keeps the tables of checkouts equal to the disk."""

    def __init__(self, engine: Engine, settings: Settings, touched: Touched) -> None:
        self._engine = engine
        self._settings = settings
        self._touched = touched
        """Told what changed as soon as its hashes are stored, before the outlines."""
        self._locks: dict[int, threading.Lock] = {}
        self._guard = threading.Lock()
        self._busy: dict[str, int] = {}
        self._files = self._bytes = 0
        self._seconds = 0.0

    def index(self, arguments: IndexArguments, call: Call) -> tuple[Workspace, IndexResult]:
        """Index a whole root, known or not.

        Raises RootRefusedError for a root that can't or shouldn't be indexed.
        """
        path = Path(arguments.path)
        with self._engine.store.read() as cursor:
            held = workspaces.holding(cursor, path) if path.is_dir() else None
        if held is not None and held.checkout is not None and arguments.project in (None, held.project.name):
            root = workspaces.checked_root(Path(held.checkout.root), force=True)
        else:
            root = workspaces.checked_root(path, force=arguments.force)
        with self._engine.exclusive(), self._engine.write() as tx:
            workspace = workspaces.register(self._engine, tx, root, name=arguments.project, force=True)
        if workspace.checkout is None:
            raise RootRefusedError(f"{root} could not be registered as a workspace")
        return workspace, self._run(workspace, workspace.checkout, call, arguments.history)

    def refresh(
        self,
        workspace: Workspace,
        checkout: Checkout,
        paths: Collection[str] | None,
        call: Call | None = None,
    ) -> Progress:
        """Bring some paths up to date, or everything (None), as the watch asks, or a call."""
        call = call or Call()
        with self._one_at_a_time(checkout):
            progress = Progress()
            rules = self._rules(checkout)
            self._scan(checkout, rules, call, progress, only=paths)
            self._touched(checkout.root, progress.touched)
            self._note(workspace, checkout, call, progress)
            if paths is None:
                progress.commits += follow_on(self._engine, workspace.project, checkout)
            self._outline(checkout, call, progress)
            self._settle(checkout, progress)
            return progress

    def speed(self) -> IndexSpeed:
        """What was read since the start, and the time that its reading and storing took."""
        with self._guard:
            return IndexSpeed(files=self._files, bytes=self._bytes, seconds=round(self._seconds, 3))

    def busy(self, root: str | None = None) -> bool:
        """Whether a root (any, if None) is being indexed."""
        with self._guard:
            return bool(self._busy) if root is None else root in self._busy

    def _run(self, workspace: Workspace, checkout: Checkout, call: Call, history: int | None) -> IndexResult:
        started = time.perf_counter()
        with self._one_at_a_time(checkout):
            progress = Progress()
            rules = self._rules(checkout)
            self._scan(checkout, rules, call, progress, only=None)
            self._touched(checkout.root, progress.touched)
            hashed = time.perf_counter() - started
            self._outline(checkout, call, progress)
            self._settle(checkout, progress)
            outlined = time.perf_counter() - started
            self._note(workspace, checkout, call, progress)
            if history is None:
                progress.commits += follow_on(self._engine, workspace.project, checkout)
            else:
                progress.commits += follow_commits(self._engine, workspace.project, checkout, history)
            ignored = len(rules.ignored_entries())
            with self._engine.store.read() as cursor:
                counts = files.counts(cursor, checkout.id)
                excluded = files.excluded(cursor, checkout.id)
                definitions = sum(symbols.counts(cursor, checkout.id).values())
        return IndexResult(
            project=workspace.project.name,
            root=checkout.root,
            files=counts.files,
            bytes=counts.bytes,
            added=progress.added,
            changed=progress.changed,
            removed=progress.removed,
            read=progress.read,
            symbols=definitions,
            languages=dict(counts.languages),
            notes=progress.notes,
            commits=progress.commits,
            excluded=dict(counts.excluded),
            excluded_examples=[
                ExcludedExample(path=item.path, reason=item.reason.value, detail=item.detail)
                for item in list(excluded.values())[:_EXAMPLES]
            ],
            ignored=ignored,
            ignore_source=rules.source,
            outline_errors=progress.outline_errors,
            hashed_s=round(hashed, 4),
            outlined_s=round(outlined, 4),
            elapsed_s=round(time.perf_counter() - started, 4),
            generation=self._engine.store.generation,
        )

    def _rules(self, checkout: Checkout) -> IgnoreRules:
        return IgnoreRules.for_root(Path(checkout.root), self._settings.home / "no-repository.git")

    def _scan(
        self,
        checkout: Checkout,
        rules: IgnoreRules,
        call: Call,
        progress: Progress,
        *,
        only: Collection[str] | None,
    ) -> None:
        with self._engine.store.read() as cursor:
            known = files.known(cursor, checkout.id)
            left_out = files.excluded(cursor, checkout.id)
        seen = size = 0
        started = time.perf_counter()
        batches = scan(
            Path(checkout.root),
            known,
            left_out,
            rules=rules,
            max_bytes=self._settings.max_file_bytes,
            clock_ns=time.time_ns,
            only=only,
            language_of=language_of,
        )
        for batch in batches:
            call.check()
            if batch.changed or batch.removed or batch.excluded or batch.included_again:
                apply_batch(self._engine, checkout, batch)
                progress.added += sum(record.path not in known for record in batch.changed)
                progress.changed += sum(
                    record.path in known and known[record.path].sha256 != record.sha256
                    for record in batch.changed
                )
                progress.removed += len(batch.removed)
                progress.touched += [record.path for record in batch.changed]
                progress.touched += batch.removed
            progress.read += batch.read
            size += sum(record.size for record in batch.changed)
            seen += batch.listed
            call.emit(
                {
                    "kind": "progress",
                    "phase": "scan",
                    "done": seen,
                    "total": batch.total,
                    "message": f"{progress.read} files read",
                }
            )
        if size:
            with self._guard:
                self._files += progress.read
                self._bytes += size
                self._seconds += time.perf_counter() - started

    def _note(self, workspace: Workspace, checkout: Checkout, call: Call, progress: Progress) -> None:
        """Read the documents whose contents were not read yet, and bring their notes up to date."""
        with self._engine.store.read() as cursor:
            outdated = documents.outdated(cursor, checkout.id, rules=RULES, outlined=OUTLINED)
        contents = [(path, sha256) for path, sha256 in outdated if is_note_source(path)]
        waiting: list[ReadDocument] = []
        notes = 0
        for done, read in enumerate(read_documents(Path(checkout.root), contents), 1):
            call.check()
            waiting.append(read)
            notes += len(read.document.notes)
            if notes >= _NOTES_AT_ONCE:
                progress.notes += self._put_notes(workspace, checkout, waiting)
                notes = 0
                message = f"{done} of {len(contents)} documents"
                call.emit(
                    {
                        "kind": "progress",
                        "phase": "notes",
                        "done": done,
                        "total": len(contents),
                        "message": message,
                    }
                )
        if waiting:
            progress.notes += self._put_notes(workspace, checkout, waiting)

    def _put_notes(self, workspace: Workspace, checkout: Checkout, waiting: list[ReadDocument]) -> int:
        changes = apply_documents(self._engine, workspace.project, checkout, waiting)
        waiting.clear()
        return len(changes.added) + len(changes.back)

    def _outline(self, checkout: Checkout, call: Call, progress: Progress) -> None:
        with self._engine.store.read() as cursor:
            jobs = files.outdated_outlines(cursor, checkout.id, OUTLINED)
        if not jobs:
            return
        root = Path(checkout.root)
        languages = {sha256: language for _path, sha256, language in jobs}
        paths = {sha256: path for path, sha256, _language in jobs}
        waiting: list[Outline] = []
        work = (
            OutlineJob(path, str(root / path), sha256, languages[sha256]) for sha256, path in paths.items()
        )
        workers = self._settings.outline_workers or os.cpu_count() or 1
        for done, outline in enumerate(outlines(work, workers=workers), 1):
            call.check()
            progress.outline_errors += outline.error is not None
            waiting.append(outline)
            if len(waiting) >= _OUTLINES_AT_ONCE:
                put_outlines(self._engine, waiting, languages)
                waiting.clear()
                call.emit(
                    {
                        "kind": "progress",
                        "phase": "outline",
                        "done": done,
                        "total": len(paths),
                        "message": f"{done} of {len(paths)} outlines",
                    }
                )
        if waiting:
            put_outlines(self._engine, waiting, languages)

    def _settle(self, checkout: Checkout, progress: Progress) -> None:
        if progress.changed or progress.removed:
            settle_once(self._engine, checkout, from_contents=_SETTLED_FROM)

    @contextmanager
    def _one_at_a_time(self, checkout: Checkout) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(checkout.id, threading.Lock())
            self._busy[checkout.root] = self._busy.get(checkout.root, 0) + 1
        try:
            with lock:
                yield
        finally:
            with self._guard:
                self._busy[checkout.root] -= 1
                if not self._busy[checkout.root]:
                    del self._busy[checkout.root]


def shown(result: IndexResult) -> Mapping[str, object]:
    """An indexing's result as the event that a watch begins with."""
    return {"kind": "indexed", "result": result.model_dump(mode="json")}
