"""Says where what a note names stands now: the file, and the definition in it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from urllib.parse import quote

from afresh_indexer.claim_world import World, ends_of
from afresh_indexer.claims import Claim
from afresh_indexer.dead_claims import downward, places

_LINE = re.compile(r"(?::|#L)(\d+)")
_PARTS = re.compile(r"::|#|\.")


@dataclass(frozen=True, slots=True)
class Target:
    """A place in the workspace."""

    path: str
    """POSIX, relative to the root."""
    symbol: str | None = None
    """The qualified name of a definition in it."""
    line: int | None = None
    """The line that is named beside the path."""


def target_of(claim: Claim, written: str, world: World, source_path: str | None) -> Target | None:
    """Where a claim leads; None where that is nowhere, or several places.

    `written` is the claim as it stands in the note, with line numbers and the like.
    """
    if claim.kind == "path":
        found = _file(claim.text.rstrip("/"), world, posixpath.dirname(source_path or ""))
        named = _LINE.search(written.removeprefix(claim.text))
        return Target(found, line=int(named.group(1)) if named else None) if found is not None else None
    if claim.kind == "symbol":
        return _definition(claim, world)
    return None


def replacement(claim: Claim, written: str, suggestion: str | None, source_path: str | None) -> str | None:
    """What to write in a note instead of what it names, so that it leads to the suggested place."""
    if suggestion is None:
        return None
    if claim.kind == "symbol":
        return suggestion.partition(": ")[2] or None
    if claim.kind != "path":
        return suggestion
    folder = posixpath.dirname(source_path or "")
    goes_up = claim.is_link or written.startswith(("./", "../"))
    path = posixpath.relpath(suggestion, folder or ".") if goes_up else suggestion
    if suggestion.endswith("/"):
        path = f"{path.rstrip('/')}/"
    if written.startswith("./") and not path.startswith("."):
        path = f"./{path}"
    if claim.is_link:
        _, mark, fragment = written.partition("#")
        return f"{quote(path)}{mark}{fragment}"
    behind = written.removeprefix("./")
    return f"{path}{behind[len(claim.text) :] if behind.startswith(claim.text) else ''}"


def _file(path: str, world: World, folder: str) -> str | None:
    for place in places(path, folder):
        if place in world.paths.files or (place not in world.paths.folders and world.exists(place)):
            return place
    down = downward(path)
    found = [place for place in world.paths.ending_in(down) if place in world.paths.files] if down else []
    return found[0] if len(found) == 1 else None


def _definition(claim: Claim, world: World) -> Target | None:
    parts = _PARTS.split(claim.text)
    within = set(world.files_called(claim.within)) if claim.within is not None else None
    for start in range(len(parts)):
        name = ".".join(parts[start:])
        found = [
            Target(path, qualified)
            for path, qualified in world.symbols_by_name.get(parts[-1], ())
            if name in ends_of([qualified]) and (within is None or path in within)
        ]
        if found:
            return found[0] if len(found) == 1 else None
    return None
