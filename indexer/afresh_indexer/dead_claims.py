"""Judges which claims of a note are dead: what they name was in the workspace, or should be, and is not.

A false alarm costs more than a miss: whoever is told once that a living file is dead stops looking. So a path
is looked for wherever a reader could have meant it, and what can't be told from an example is left alone
unless a history knows that it was there.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from afresh_indexer.claim_words import (
    COMMON_ROOTS,
    EXTENSIONS,
    OUTPUT_FOLDERS,
    SOURCE_EXTENSIONS,
    extension,
    is_among_examples,
    is_local,
    is_of_the_past,
    stands_for_any,
)
from afresh_indexer.claim_world import World, ends_of
from afresh_indexer.claims import Claim

_COMPILED_FROM = {
    "js": ("ts", "tsx", "jsx", "mts"),
    "jsx": ("tsx",),
    "mjs": ("mts",),
    "cjs": ("cts",),
    "css": ("scss", "sass", "less"),
}
_EVERYWHERE = frozenset(("__init__.py", "index.ts", "index.js", "mod.rs", "readme.md", "conftest.py"))
"""Files that many folders have: one in another folder is no substitute."""
_LIKE_ENOUGH = 0.7
"""How alike the words must be in which two names differ, for one to be proposed for the other."""
_DRAWN_LIVING = 0.6
"""How much of a drawn tree must be there for it to be a drawing of this one, in which the rest is missing."""


@dataclass(frozen=True, slots=True)
class DeadClaim:
    """A claim that does not hold, and what can be said about it."""

    claim: Claim
    reason: str
    """For a person, in one sentence without its full stop."""
    suggestion: str | None
    """A path, a definition or a command that is there and was probably meant."""


def dead(claims: Iterable[Claim], world: World, *, source_path: str | None = None) -> list[DeadClaim]:
    """The dead ones among the claims of one note; `source_path` is the note's own path, as for `claims`.

    A document that tells of the past by its nature, such as a change log, has none.
    """
    if source_path is not None and is_of_the_past(source_path):
        return []
    judge = _Judge(world, source_path, list(claims))
    verdicts = (judge.verdict(claim) for claim in judge.claims)
    return [verdict for verdict in verdicts if verdict is not None]


class _Judge:
    """Judges the claims of one note."""

    def __init__(self, world: World, source_path: str | None, claims: list[Claim]) -> None:
        self.world = world
        self.folder = posixpath.dirname(source_path or "")
        self.claims = claims
        self.is_about_others = source_path is not None and is_among_examples(source_path)
        self.true_drawings = self._true_drawings()

    def verdict(self, claim: Claim) -> DeadClaim | None:
        match claim.kind:
            case "path":
                return self._path(claim)
            case "symbol":
                return self._symbol(claim)
            case "commit":
                return self._commit(claim)
            case "command":
                return self._command(claim)

    def _path(self, claim: Claim) -> DeadClaim | None:
        path = claim.text.rstrip("/")
        if self._is_there(path):
            return None
        once = self._was_there(path)
        if once is None:
            if self._lives_elsewhere(path, claim):
                return None
            once = self._was_elsewhere(path)
        if once is not None:
            return DeadClaim(claim, f"{once} was in the workspace and is there no more", self._instead(once))
        if claim.certainty != "certain" or self.is_about_others or not self._unmistakable(claim):
            return None
        return DeadClaim(claim, f"the workspace has no {claim.text}", self._instead(path))

    def _symbol(self, claim: Claim) -> DeadClaim | None:
        if self.world.symbols is None:
            return None
        parts = re.split(r"::|#|\.", claim.text)
        there = self._in_its_file(parts, claim.within)
        if there is not None:
            place, name, lives = there
            if lives:
                return None
            return DeadClaim(claim, f"{name} was defined in {place} and is there no more", self._alike(name))
        # The longest ending that was a definition is what is meant; what stands before it are modules.
        for start in range(len(parts)):
            name = ".".join(parts[start:])
            if name in self.world.symbol_ends:
                return None
            if name in self.world.once_symbol_ends:
                if "." not in name and (name in self.world.modules or self._is_command(name)):
                    return None
                return DeadClaim(
                    claim, f"{name} was defined in the workspace and is no more", self._alike(name)
                )
        return None

    def _commit(self, claim: Claim) -> DeadClaim | None:
        if claim.certainty != "certain" or self.world.commit(claim.text) is not False:
            return None
        return DeadClaim(claim, f"the repository has no commit {claim.text}", None)

    def _command(self, claim: Claim) -> DeadClaim | None:
        runner, _, target = claim.text.partition(" ")
        known = self.world.commands.get(runner)
        if known is None or target in known or claim.certainty != "certain":
            return None
        likeness, close = max(((_likeness(target, name), name) for name in known), default=(0.0, ""))
        suggestion = f"{runner} {close}" if likeness >= _LIKE_ENOUGH else None
        return DeadClaim(claim, f"{runner} has nothing called {target} here", suggestion)

    def _in_its_file(self, parts: list[str], within: str | None) -> tuple[str, str, bool] | None:
        """The file that a symbol is said to be in, the symbol, and whether it is there still.

        None where no file is named, or none that ever had it.
        """
        named = [(within, parts)] if within is not None else []
        named += [(".".join(parts[:at]), parts[at:]) for at in range(len(parts) - 1, 0, -1)]
        for place, rest in named:
            files = dict.fromkeys(self.world.files_called(place.rstrip("/")))
            for start in range(len(rest)):
                name = ".".join(rest[start:])
                had = [file for file in files if name in ends_of(self.world.once_symbols.get(file, ()))]
                now = [(self.world.symbols or {}).get(file, ()) for file in files]
                # Where it was a definition under this very name, a longer one that ends in it is another.
                exact = any(name in self.world.once_symbols[file] for file in had)
                has = any(name in (names if exact else ends_of(names)) for names in now)
                if had or has:
                    return (had[0] if had else place), name, has
        return None

    def _is_command(self, name: str) -> bool:
        return any(name in known for known in self.world.commands.values())

    def _is_there(self, path: str) -> bool:
        return any(
            place in self.world.paths or self.world.exists(place) for place in places(path, self.folder)
        )

    def _was_there(self, path: str) -> str | None:
        """Where the path that is written was, if it names its folder: what else ends in it was not meant."""
        if "/" not in path:
            return None
        return next((place for place in places(path, self.folder) if place in self.world.once_paths), None)

    def _lives_elsewhere(self, path: str, claim: Claim) -> bool:
        """Whether something is there that the path may name in part: from another folder on, or loosely."""
        down = downward(path)
        if not down or any(self.world.paths.ending_in(form) for form in _forms(down)):
            return True
        first, _, rest = down.partition("/")
        if rest and first == self.world.name and (rest in self.world.paths or self.world.exists(rest)):
            return True
        return not claim.is_link and extension(down) not in EXTENSIONS and self._is_stem(down)

    def _is_stem(self, path: str) -> bool:
        """Whether it is a file that was named without its extension: `engine/recall` for engine/recall.py."""
        folder, _, name = path.rpartition("/")
        folders = self.world.paths.ending_in(folder) if folder else [""]
        return any(
            f"{place}/{name}.{ending}".lstrip("/") in self.world.paths.files
            for place in folders
            for ending in EXTENSIONS
        )

    def _was_elsewhere(self, path: str) -> str | None:
        """A path of once that ends in this one, letter for letter: words look like names otherwise."""
        down = downward(path)
        once = self.world.once_paths.ending_in(down)
        return next((place for place in once if f"/{place}".endswith(f"/{down}")), None)

    def _unmistakable(self, claim: Claim) -> bool:
        """Whether a path that no history knows can't well be anything but one of this workspace."""
        path = claim.text
        names = downward(path.rstrip("/")).split("/")
        if (
            stands_for_any(names)
            or any(name.lower() in OUTPUT_FOLDERS for name in names)
            or is_local(names[-1])
        ):
            return False
        known = extension(names[-1]) in EXTENSIONS
        if claim.drawing is not None:
            return claim.drawing in self.true_drawings and (known or path.endswith("/"))
        if claim.is_link:
            return known and not path.startswith("../")
        if len(names) == 1 or not (known or path.endswith("/")):
            return False
        # Another repository has a `src` too: then the folder below must be known as well.
        anchor = names[: min(2, len(names) - 1) if names[0] in COMMON_ROOTS else 1]
        return any(place in self.world.paths.folders for place in places("/".join(anchor), self.folder))

    def _true_drawings(self) -> set[int]:
        entries: defaultdict[int, list[bool]] = defaultdict(list)
        for claim in self.claims:
            if claim.drawing is not None:
                path = claim.text.rstrip("/")
                lives = self._is_there(path) or self._lives_elsewhere(path, claim)
                entries[claim.drawing].append(lives)
        return {start for start, live in entries.items() if sum(live) >= _DRAWN_LIVING * len(live)}

    def _instead(self, path: str) -> str | None:
        """What is there and was probably meant: the one file of that name, or one of nearly that name."""
        paths = self.world.paths
        folder, _, name = path.rpartition("/")
        same = [] if name.lower() in _EVERYWHERE else paths.by_name.get(name.lower(), [])
        if same:
            best = sorted(same, key=lambda place: (-_shared(place, path), place))
            return best[0] if len(best) == 1 or _shared(best[0], path) > _shared(best[1], path) else None
        stem, dot, _ = path.rpartition(".")
        if dot and stem in paths.folders:
            return f"{stem}/"
        forms = [f"{stem}.{other}" for other in SOURCE_EXTENSIONS if dot]
        other = [form for form in forms if form in paths.files]
        if other:
            return min(other)
        beside = paths.by_folder.get(folder, ())
        scored = [(_likeness(name, file.rpartition("/")[2]), file) for file in beside]
        likeness, file = max(scored, default=(0.0, ""))
        return file if likeness >= _LIKE_ENOUGH else None

    def _alike(self, name: str) -> str | None:
        """The one definition of the same last name elsewhere, with its file."""
        same = self.world.symbols_by_name.get(name.rpartition(".")[2], ())
        return f"{same[0][0]}: {same[0][1]}" if len(same) == 1 else None


def places(path: str, folder: str) -> Iterator[str]:
    """Where a path in a note may lead: from the note's folder, each folder above it, and the root."""
    while True:
        place = posixpath.normpath(posixpath.join(folder, path))
        if not place.startswith(".."):
            yield place
        if not folder:
            return
        folder = posixpath.dirname(folder)


def downward(path: str) -> str:
    """A path without its steps up."""
    return re.sub(r"^(?:\.\.?/)+", "", posixpath.normpath(path)).removeprefix("..")


def _forms(path: str) -> Iterator[str]:
    """The path, and those of the sources that it may be compiled from."""
    yield path
    stem, dot, ending = path.rpartition(".")
    if dot:
        yield from (f"{stem}.{source}" for source in _COMPILED_FROM.get(ending.lower(), ()))


def _likeness(one: str, other: str) -> float:
    """How alike two names are in the words that they don't share: a `tsql_test` is no `soql_test`."""
    first, second = re.split(r"[._-]", one.lower()), re.split(r"[._-]", other.lower())
    rest = [word for word in first if word not in second], [word for word in second if word not in first]
    if not rest[0] and not rest[1]:
        return 1.0
    # The first letter is what misspellings and plurals leave alone.
    if not rest[0] or not rest[1] or rest[0][0][:1] != rest[1][0][:1]:
        return 0.0
    return difflib.SequenceMatcher(None, " ".join(rest[0]), " ".join(rest[1])).ratio()


def _shared(one: str, other: str) -> int:
    """How many components two paths have in common."""
    return len(set(one.lower().split("/")) & set(other.lower().split("/")))
