"""The doctor's report: what could make afresh slow, silent or wrong on this machine, with advice."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from pathlib import Path

from afresh import __version__
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.workspaces import Workspace
from afresh.settings import Settings
from afresh.store import files, vectors
from afresh.verbs import Check, DoctorArguments, DoctorResult
from afresh_indexer.ignore import IgnoreRules
from afresh_indexer.repository import git_available, probe
from afresh_indexer.watch_limits import remote_file_system

_SHOWN = ("duckdb", "mcp", "fastembed", "onnxruntime", "watchfiles", "tree-sitter", "pydantic", "numpy")
_LOW_DISK = 500 * 1024 * 1024
_WATCH_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")
_NEAR_LIMIT = 0.8


def examine(engine: Engine, settings: Settings, arguments: DoctorArguments, call: Call) -> DoctorResult:
    """Look at the installation and, where the caller is in one, at the workspace."""
    checks = [*_versions(), *_home(settings), *_database(engine), *_model(engine)]
    path = Path(arguments.root) if arguments.root else call.caller.cwd
    with engine.store.read() as cursor:
        workspace = workspaces.holding(cursor, path) if path else None
    if workspace is None or workspace.checkout is None:
        checks.append(
            Check(
                name="workspace",
                state="warning",
                detail=f"{path} is in no known project",
                advice="`afresh index` makes it one",
            )
        )
    else:
        checks += _workspace(engine, settings, workspace, Path(workspace.checkout.root))
    return DoctorResult(checks=checks)


def _versions() -> Iterator[Check]:
    from importlib.metadata import version

    found = [f"{name} {version(name)}" for name in _SHOWN]
    yield Check(
        name="versions",
        state="ok",
        detail=f"afresh {__version__}, Python {platform.python_version()}, {', '.join(found)}",
    )
    if git_available():
        yield Check(name="git", state="ok", detail=str(shutil.which("git")))
    else:
        yield Check(
            name="git",
            state="warning",
            detail="git is not there or doesn't run",
            advice="install git: without it ignore rules are an approximation and worktrees aren't seen",
        )


def _home(settings: Settings) -> Iterator[Check]:
    free = shutil.disk_usage(settings.home).free
    low = free < _LOW_DISK
    yield Check(
        name="data folder",
        state="warning" if low else "ok",
        detail=f"{settings.home}, {free // 1024**2:,} MB free",
        advice="make room: a full disk refuses saves" if low else "",
    )


def _database(engine: Engine) -> Iterator[Check]:
    store = engine.store
    yield Check(name="database", state="ok", detail=f"{store.path}, {store.size_bytes() / 1024**2:,.1f} MB")
    if store.note:
        yield Check(
            name="damaged database",
            state="warning",
            detail=store.note,
            advice="`afresh import` brings an export back; the damaged file is kept",
        )


def _model(engine: Engine) -> Iterator[Check]:
    model = engine.model
    with engine.store.read() as cursor:
        pending = vectors.pending(cursor, None)
    if model.embedder is None and model.source != "loading":
        yield Check(
            name="model",
            state="warning",
            detail=f"none ({model.source}): recall matches words only",
            advice="unset AFRESH_EMBED_MODEL for the bundled model" if model.source == "none" else "",
        )
    else:
        waiting = f", {pending:,} texts to embed" if pending else ""
        yield Check(name="model", state="ok", detail=f"{model.id or 'loading'}{waiting}")


def _workspace(engine: Engine, settings: Settings, workspace: Workspace, root: Path) -> Iterator[Check]:
    if not root.is_dir():
        yield Check(
            name="workspace",
            state="error",
            detail=f"{root} of the project {workspace.project.name} is not there",
            advice="put it back, or index the place it moved to",
        )
        return
    asked = probe(root)
    if asked.problem:
        yield Check(name="repository", state="warning", detail=asked.problem)
    rules = IgnoreRules.for_root(root, settings.home / "no-repository.git")
    with engine.store.read() as cursor:
        counts = files.counts(cursor, workspace.checkout.id) if workspace.checkout else None
    if counts is not None:
        left_out = (
            ", ".join(f"{count} {reason}" for reason, count in sorted(counts.excluded.items())) or "none"
        )
        yield Check(
            name="workspace",
            state="ok" if counts.files else "warning",
            detail=f"{workspace.project.name} at {root}: {counts.files:,} files; left out: {left_out}",
            advice="" if counts.files else "`afresh index` fills it",
        )
    yield Check(
        name="ignore rules",
        state="ok" if rules.source.startswith("git") else "warning",
        detail=f"decided by {rules.source}; {len(rules.ignored_entries()):,} entries ignored",
    )
    yield from _watch(engine, root, rules)


def _watch(engine: Engine, root: Path, rules: IgnoreRules) -> Iterator[Check]:
    status = engine.surroundings.watch_status(str(root))
    yield Check(
        name="watch",
        state="warning" if status.mode == "polling" else "ok",
        detail=f"{status.mode}{': ' + status.reason if status.reason else ''}",
    )
    remote = remote_file_system(root)
    if remote is not None:
        yield Check(
            name="file system",
            state="warning",
            detail=f"{root} is on {remote}, which tells nothing of changes made elsewhere",
            advice="changes are looked for every two seconds instead",
        )
    try:
        limit = int(_WATCH_LIMIT.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    folders = len({os.path.dirname(path) for path in rules.list_paths()})  # noqa: PTH120 - a plain string is enough
    near = folders > limit * _NEAR_LIMIT
    yield Check(
        name="watch limit",
        state="warning" if near else "ok",
        detail=f"{folders:,} folders of at most {limit:,}",
        advice=f"sudo sysctl fs.inotify.max_user_watches={max(524_288, limit * 2)}" if near else "",
    )
