"""Releases of packages as they come from a registry: archives in a folder, read into memory."""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from afresh_indexer.languages import language_of

LANGUAGES = ("python", "typescript", "javascript", "rust", "go")
ARCHIVES = (".whl", ".zip", ".tgz", ".tar.gz")
GENERATED = frozenset({"esm5", "dist", "node_modules", "build", "umd", "cjs", "esm", "vendor", "_vendor"})
"""Folders of what was built from other files, or copied from other packages."""
LONGEST = 400_000
"""Bytes of a file; longer ones were generated."""

Files = Mapping[str, bytes]


def releases(folder: Path, only: str = "") -> Iterator[tuple[str, list[tuple[str, Files]]]]:
    """The packages of a folder: the name, and its releases in order with their files.

    Only the files below `only` are taken where that is given.
    """
    packages: dict[str, list[tuple[tuple[int, ...], str, Path]]] = defaultdict(list)
    for archive in sorted(folder.iterdir()):
        found = re.match(r"(?P<name>[A-Za-z][\w.-]*?)-(?P<version>\d+(?:\.\d+)+)", archive.name)
        if found is not None and archive.name.endswith(ARCHIVES):
            version = tuple(int(part) for part in found["version"].split("."))
            packages[found["name"].lower()].append((version, found["version"], archive))
    for name, found_releases in sorted(packages.items()):
        yield name, [(text, read(archive, only)) for _, text, archive in sorted(found_releases)]


def read(archive: Path, only: str = "") -> Files:
    """The sources in an archive, by path without the release's own folder.

    JavaScript beside TypeScript was made from it.
    """
    files: dict[str, bytes] = {}
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as zipped:
            for name in zipped.namelist():
                if is_source(name) and name.startswith(only):
                    files[name] = zipped.read(name)
    else:
        with tarfile.open(archive) as tar:
            for member in tar:
                name = str(PurePosixPath(*PurePosixPath(member.name).parts[1:]))
                opened = None
                if member.isfile() and is_source(name) and name.startswith(only):
                    opened = tar.extractfile(member)
                if opened is not None:
                    files[name] = opened.read()
    has_types = any(language_of(name) == "typescript" for name in files)
    return {
        name: data
        for name, data in files.items()
        if len(data) <= LONGEST and not (has_types and language_of(name) == "javascript")
    }


def is_source(name: str) -> bool:
    if name.endswith((".d.ts", ".min.js", ".pb.go")) or GENERATED & set(PurePosixPath(name).parts):
        return False
    return language_of(name) in LANGUAGES
