"""What is known of a workspace when its notes are judged: its files and definitions, of now and of once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property


class PathIndex:
    """Files, the folders that hold them, and where each name stands."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self.files = frozenset(paths)
        self.folders = frozenset(_folders(self.files))

    def __contains__(self, path: str) -> bool:
        return path in self.files or path in self.folders

    @cached_property
    def by_name(self) -> Mapping[str, list[str]]:
        """Files and folders by their last component, in lower case."""
        names: dict[str, list[str]] = {}
        for path in [*sorted(self.files), *sorted(self.folders)]:
            names.setdefault(path.rpartition("/")[2].lower(), []).append(path)
        return names

    @cached_property
    def by_folder(self) -> Mapping[str, list[str]]:
        """Files by the folder that they are in; the root's is empty."""
        found: dict[str, list[str]] = {}
        for path in sorted(self.files):
            found.setdefault(path.rpartition("/")[0], []).append(path)
        return found

    def ending_in(self, path: str) -> list[str]:
        """Everything whose path is this one or ends in it, whichever case its letters have."""
        wanted = path.lower()
        found = self.by_name.get(wanted.rpartition("/")[2], [])
        return [name for name in found if f"/{name.lower()}".endswith(f"/{wanted}")]


def _nothing(_: str) -> bool:
    return False


def _unknown(_: str) -> bool | None:
    return None


@dataclass(frozen=True)
class World:
    """A workspace as far as it is known. What is not known of it is never called dead."""

    paths: PathIndex = field(default_factory=PathIndex)
    """Every file that belongs to the workspace, tracked or not."""
    exists: Callable[[str], bool] = _nothing
    """Whether a path, relative to the root, is on the disk: also one that is ignored."""
    once_paths: PathIndex = field(default_factory=PathIndex)
    """Files that were there once: from git's history and earlier indexes, living ones perhaps among them."""
    symbols: Mapping[str, Collection[str]] | None = None
    """For each file the qualified names of its definitions, with dots; None where they are not known."""
    once_symbols: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The same of what was seen at any time, files that are gone included."""
    commands: Mapping[str, Collection[str]] = field(default_factory=dict)
    """For each runner (`make`, `just`, `npm`) all that it can run. A runner that is missing is not judged."""
    commit: Callable[[str], bool | None] = _unknown
    """Whether a commit with this id is there; None where that can't be told, as in a shallow clone."""
    name: str = ""
    """The root folder's name, with which paths in notes may begin."""

    @cached_property
    def symbol_ends(self) -> Collection[str]:
        """Every ending of every qualified name: of `a.B.c` also `B.c` and `c`."""
        return ends_of(name for names in (self.symbols or {}).values() for name in names)

    @cached_property
    def once_symbol_ends(self) -> Collection[str]:
        """The same of what was seen at any time."""
        return ends_of(name for names in self.once_symbols.values() for name in names)

    @cached_property
    def symbols_by_name(self) -> Mapping[str, list[tuple[str, str]]]:
        """Definitions, as file and qualified name, by the last part of their names."""
        found: dict[str, list[tuple[str, str]]] = {}
        for path, names in (self.symbols or {}).items():
            for name in names:
                found.setdefault(name.rpartition(".")[2], []).append((path, name))
        return found

    @cached_property
    def modules(self) -> Collection[str]:
        """The names that files and folders give to modules, which are no definitions."""
        stems = {path.rpartition("/")[2].partition(".")[0] for path in self.paths.files}
        return frozenset(stems | {folder.rpartition("/")[2] for folder in self.paths.folders})

    def files_called(self, path: str) -> Iterator[str]:
        """The files, of now or of once, that a path or a module's dotted name can mean."""
        forms = [path] if "/" in path else [path, *_module_files(path)]
        for form in forms:
            if form in self.paths or form in self.once_paths:
                yield form
                return
        for form in forms:
            found = [*self.once_paths.ending_in(form), *self.paths.ending_in(form)]
            # `Client` is a class, whatever client.py there may be.
            yield from (file for file in found if f"/{file}".endswith(f"/{form}"))


def ends_of(names: Iterable[str]) -> frozenset[str]:
    """Every ending of dotted names."""
    ends: set[str] = set()
    for name in names:
        ending = name
        while ending and ending not in ends:
            ends.add(ending)
            ending = ending.partition(".")[2]
    return frozenset(ends)


def _module_files(name: str) -> Iterator[str]:
    stem = name.replace(".", "/")
    for ending in (
        ".py",
        "/__init__.py",
        ".pyi",
        ".ts",
        ".js",
        ".rs",
        "/mod.rs",
        ".go",
        ".java",
        ".kt",
        ".scala",
    ):
        yield stem + ending


def _folders(files: Iterable[str]) -> set[str]:
    folders: set[str] = set()
    for path in files:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders
