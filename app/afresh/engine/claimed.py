"""What a text in an editor names of its workspace: where that is, and what of it is there no more."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.worlds import KnownWorld
from afresh.knowledge_verbs import Claimed, CodeName, CodeNamesArguments, CodeNamesResult
from afresh.store import symbols
from afresh.store.cursor import Cursor
from afresh.store.projects import Checkout
from afresh_indexer.claim_world import World

_DOCUMENT_BYTES = 2 * 1024 * 1024
_LINE_BREAK = re.compile("\r\n?")


def claimed(
    engine: Engine, root: str | None, path: str | None, data: bytes | None
) -> tuple[list[Claimed], list[str]]:
    """The claims of a text, in order, and what could not be judged.

    `root` is the checkout that it tells of, `path` its own path there, None for a text that is no file of it.
    """
    if root is None or data is None:
        return [], []
    if len(data) > _DOCUMENT_BYTES:
        return [], [f"it is over {_DOCUMENT_BYTES // 1024**2} MB, and what it names was not judged"]
    with engine.store.read() as cursor:
        held = workspaces.holding(cursor, Path(root))
    if held is None or held.checkout is None:
        return [], [f"{root} is in no known project, so that nothing could be judged"]
    known = engine.worlds.of(engine.store, held.checkout)
    notes = [known.note] if known.note else []
    if not known.files:
        return [], [*notes, f"nothing is indexed under {held.checkout.root} yet"]
    text = _LINE_BREAK.sub("\n", data.decode("utf-8-sig", "replace"))
    with engine.store.read() as cursor:
        return list(_judged(engine, cursor, held.checkout, known, text, path)), notes


def code_names(engine: Engine, arguments: CodeNamesArguments, call: Call) -> CodeNamesResult:
    """Files and definitions that begin with what was typed, for a document that names them."""
    with engine.store.read() as cursor:
        held = workspaces.holding(cursor, Path(arguments.path))
    if held is None or held.checkout is None:
        return CodeNamesResult(names=[], complete=True)
    world = engine.worlds.of(engine.store, held.checkout).world
    call.check()
    found: list[CodeName] = []
    for name in _beginning(world, arguments.prefix):
        if len(found) == arguments.limit:
            return CodeNamesResult(names=found, complete=False)
        found.append(name)
    return CodeNamesResult(names=found, complete=True)


def _beginning(world: World, prefix: str) -> Iterator[CodeName]:
    """Paths component by component, as a shell completes them; else names, of files and of definitions."""
    folder, _, start = prefix.rpartition("/")
    if folder:
        above = posixpath.normpath(folder)
        inside = sorted(world.paths.files | world.paths.folders)
        for path in inside:
            if posixpath.dirname(path) == above and path.rpartition("/")[2].startswith(start):
                yield _path(world, path)
        return
    for path in sorted(world.paths.folders | world.paths.files, key=lambda path: (path.count("/"), path)):
        at_top = "/" not in path
        named = start and path.rpartition("/")[2].lower().startswith(start.lower())
        if named or (at_top and path.startswith(start)):
            yield _path(world, path)
    if start:
        for last, places in sorted(world.symbols_by_name.items()):
            for path, qualified in places:
                if last.startswith(start) or qualified.startswith(start):
                    yield CodeName(kind="symbol", name=qualified, path=path)


def _path(world: World, path: str) -> CodeName:
    is_file = path in world.paths.files
    return CodeName(kind="file" if is_file else "folder", name=path if is_file else f"{path}/", path=path)


def _judged(
    engine: Engine, cursor: Cursor, checkout: Checkout, known: KnownWorld, text: str, path: str | None
) -> Iterator[Claimed]:
    # Imported with the first call: its patterns take longer to compile than a keeper to start.
    from afresh_indexer.claim_targets import replacement, target_of
    from afresh_indexer.dead_claims import dead

    read = engine.readings.of(text, path)
    verdicts = {id(one.claim): one for one in dead(read, known.world, source_path=path)}
    starts = _line_starts(text)
    lines: dict[tuple[str, str], int | None] = {}
    for claim in read:
        first = starts[claim.line - 1]
        written = text[claim.start : claim.end]
        verdict = verdicts.get(id(claim))
        target = target_of(claim, written, known.world, path) if verdict is None else None
        line = target.line if target is not None else None
        if target is not None and target.symbol is not None:
            key = (target.path, target.symbol)
            if key not in lines:
                lines[key] = _line_of(cursor, checkout, *key)
            line = lines[key]
        yield Claimed(
            kind=claim.kind,
            text=claim.text,
            line=claim.line,
            start_column=claim.start - first,
            end_column=claim.start - first + len(written.partition("\n")[0]),
            target=str(Path(checkout.root) / target.path) if target is not None else None,
            target_line=line,
            target_symbol=target.symbol if target is not None else None,
            dead=verdict.reason if verdict is not None else None,
            suggestion=verdict.suggestion if verdict is not None else None,
            replacement=replacement(claim, written, verdict.suggestion, path)
            if verdict is not None
            else None,
        )


def _line_starts(text: str) -> Sequence[int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _line_of(cursor: Cursor, checkout: Checkout, path: str, symbol: str) -> int | None:
    found = symbols.find(cursor, checkout.id, "qualified_name", symbol)
    return next((place.start_line for where, place in found if where == path), None)
