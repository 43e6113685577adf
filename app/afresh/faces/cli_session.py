"""What every command works with: the engine, wherever it runs, and the two output streams."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from afresh.errors import UnknownProjectError, UsageError
from afresh.faces.render import Line, inert, write
from afresh.faces.render_progress import ProgressDisplay
from afresh.settings import Settings, load

OnEvent = Callable[[Mapping[str, Any]], None]

_UNSHOWABLE = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Engine(Protocol):
    """The verbs, asked from here: a keeper's client, or the engine within this process."""

    def call(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
        timeout: float | None = None,
    ) -> dict[str, Any]: ...

    def close(self) -> None: ...


class OpenClient(Protocol):
    """Connects to the keeper, and starts one where none answers unless `start` is false."""

    def __call__(
        self,
        settings: Settings,
        *,
        cwd: Path,
        client: str,
        kind: str,
        start: bool = True,
    ) -> Engine: ...


class OpenLocal(Protocol):
    """Opens the engine within this process."""

    def __call__(self, settings: Settings, *, cwd: Path, client: str, kind: str) -> Engine: ...


@dataclass(slots=True)
class Session:
    """One run of the command line."""

    open_client: OpenClient
    open_local: OpenLocal
    clock: Callable[[], datetime]
    monotonic: Callable[[], float]
    in_process: bool = False
    """`--in-process`: no keeper; the engine runs within this command."""

    def settings(self) -> Settings:
        return load()

    @contextmanager
    def engine(self, *, cwd: Path | None = None, start: bool = True) -> Iterator[Engine]:
        """The engine, for the length of a block."""
        where = cwd or Path.cwd()
        if self.in_process:
            engine = self.open_local(self.settings(), cwd=where, client="cli", kind="cli")
        else:
            engine = self.open_client(self.settings(), cwd=where, client="cli", kind="cli", start=start)
        try:
            yield engine
        finally:
            engine.close()

    def ask(self, verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The answer of one call; arguments that are None are not sent."""
        with self.engine() as engine:
            return engine.call(verb, given(arguments))

    def progress(self) -> AbstractContextManager[ProgressDisplay]:
        """Progress on stderr while a block runs."""
        return ProgressDisplay(sys.stderr, self.monotonic)

    def show(self, result: Mapping[str, Any], as_json: bool, lines: Callable[[], Iterable[Line]]) -> None:
        """The result on stdout: as JSON and nothing else, or as lines for a person."""
        if as_json:
            self.show_json(result)
        else:
            write(lines(), sys.stdout)

    def show_json(self, value: Mapping[str, Any]) -> None:
        """One JSON value on one line of stdout; what a terminal would obey is escaped."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        sys.stdout.write(_UNSHOWABLE.sub(lambda match: f"\\u{ord(match.group()):04x}", text) + "\n")
        sys.stdout.flush()

    def say(self, message: str) -> None:
        """A message on stderr."""
        sys.stderr.write(f"{inert(message)}\n")
        sys.stderr.flush()


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that were given: without those that are None."""
    return {name: value for name, value in arguments.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Place:
    """The project and root that a command works in."""

    project: str
    root: Path


def place(engine: Engine, cwd: Path, project: str | None, *, writes: bool) -> Place:
    """Where a command works: in the named project, else in the workspace's.

    A write makes the project that it needs, named after its folder. Raises UnknownProjectError where a read
    is in no known project, and UsageError where a write is in none and its name is another folder's.
    """
    known = engine.call("projects", {})["projects"]
    here = _holding(known, cwd.resolve())
    if project is not None:
        if here is not None and here.project == project:
            return here
        roots = [Path(root) for item in known if item["name"] == project for root in item["roots"]]
        return Place(project, roots[0] if roots else top_of(cwd))
    if here is not None:
        return here
    # A worktree that nobody indexed yet: the engine knows its repository.
    held = engine.call("workspace_status", {})["project"]
    if held is not None:
        return Place(held, top_of(cwd))
    if not writes:
        raise UnknownProjectError(
            f"{cwd} is in no known project; index it with `afresh index`, or name one with --project"
        )
    top = top_of(cwd)
    name = top.name or "root"
    if any(item["name"] == name for item in known):
        raise UsageError(
            f"{top} is in no known project, and another folder's project is called {name!r}; "
            "index this one first with `afresh index`, or name a project with --project"
        )
    return Place(name, top)


def _holding(projects: Iterable[Mapping[str, Any]], folder: Path) -> Place | None:
    """The project with the deepest root that holds the folder."""
    found: Place | None = None
    for project in projects:
        for root in map(Path, project["roots"]):
            if folder.is_relative_to(root) and (found is None or len(root.parts) > len(found.root.parts)):
                found = Place(project["name"], root)
    return found


def top_of(folder: Path) -> Path:
    """The top of the repository that a folder lies in, else the folder."""
    here = folder.resolve()
    return next((above for above in (here, *here.parents) if (above / ".git").exists()), here)
