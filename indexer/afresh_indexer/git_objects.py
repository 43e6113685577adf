"""Reads objects of one repository through git: trees, and the bytes of many blobs in one process.

Nothing here writes, and nothing goes over a network: a partial clone would otherwise fetch what it lacks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Literal

from afresh_indexer.errors import GitFailed
from afresh_indexer.repository import run_git, said

Kind = Literal["file", "link", "submodule"]

_OFFLINE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1"}
"""The first is what older versions of git know: no transport may be used."""

_HEADER = re.compile(rb"[0-9a-f]{40,64} (blob|tree|commit|tag) ([0-9]+)\n")
_BLOB = re.compile(rb"([0-9a-f]{40,64}) blob")
_ABSENT = re.compile(rb"(?:[0-9a-f]{40,64})? (?:missing|ambiguous|submodule)\n")


@dataclass(frozen=True, slots=True)
class Blob:
    """What a tree holds under a path."""

    oid: str
    size: int
    """Bytes as git stores them, which may differ from the work tree's by line ends; 0 for a submodule."""
    mode: str
    """`100644`, `100755` for an executable, `120000` for a link, `160000` for a submodule."""

    @property
    def kind(self) -> Kind:
        match self.mode:
            case "120000":
                return "link"
            case "160000":
                return "submodule"
            case _:
                return "file"


@dataclass(frozen=True, slots=True)
class GitObjects:
    """A repository to be read, and the folder in it that paths are relative to."""

    folder: Path
    """Where git is run: the folder that was opened, or the bare repository."""
    prefix: str
    """The folder below the work tree's top, ending in a slash; empty at the top."""
    timeout_s: float
    index_file: Path | None = None
    """The index to read instead of the repository's: a commit of some paths alone makes one of its own."""

    def run(self, arguments: Sequence[str], stdin: bytes = b"") -> CompletedProcess[bytes]:
        """Run git with pathspecs taken literally. Raises GitFailed as `run_git` does."""
        variables = dict(_OFFLINE)
        if self.index_file is not None:
            variables["GIT_INDEX_FILE"] = str(self.index_file)
        return run_git(
            ["--literal-pathspecs", *arguments],
            cwd=self.folder,
            stdin=stdin,
            variables=variables,
            timeout_s=self.timeout_s,
        )

    def output(self, arguments: Sequence[str], purpose: str, stdin: bytes = b"") -> bytes:
        """What git printed. Raises GitFailed where it did not succeed."""
        result = self.run(arguments, stdin)
        if result.returncode != 0:
            raise GitFailed(f"git could not {purpose} in {self.folder}: {said(result)}{_hint(result)}")
        return result.stdout

    def tree(self, commit: str, prefix: str = "") -> dict[str, Blob]:
        """The blobs, links and submodules below `prefix` (from the top, ending in a slash) in a commit."""
        command = ["ls-tree", "-r", "-z", "-l", "--full-tree", commit]
        output = self.output([*command, "--", prefix] if prefix else command, f"list the tree of {commit}")
        entries: dict[str, Blob] = {}
        for entry in output.split(b"\0")[:-1]:
            facts, _, name = entry.partition(b"\t")
            mode, _, oid, size = facts.decode("ascii").split()
            entries[os.fsdecode(name)] = Blob(oid, 0 if size == "-" else int(size), mode)
        return entries

    def named(self, names: Sequence[bytes]) -> list[bytes | None]:
        """The bytes of the blobs with these names (an object id, or `commit:path`), in one process.

        None where there is none, and for what is no blob. Raises GitFailed.
        """
        if not names:
            return []
        # Only newer versions of git have -z here, and only a newline in a path needs it.
        end, options = b"\n", ["cat-file", "--batch"]
        if any(b"\n" in name for name in names):
            end, options = b"\0", ["cat-file", "--batch", "-z"]
        output = self.output(options, "read objects", b"".join(name + end for name in names))
        found: list[bytes | None] = []
        at = 0
        for name in names:
            header = _HEADER.match(output, at)
            if header is not None:
                start, size = header.end(), int(header.group(2))
                found.append(output[start : start + size] if header.group(1) == b"blob" else None)
                at = start + size + 1
                continue
            absent = _ABSENT.match(output, at + (len(name) if output.startswith(name, at) else 0))
            if absent is None:
                raise GitFailed(f"git broke off while it read {os.fsdecode(name)!r} in {self.folder}")
            found.append(None)
            at = absent.end()
        return found

    def blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The bytes of some blobs by object id; those that the repository lacks are left out."""
        wanted = list(dict.fromkeys(oids))
        contents = self.named([oid.encode("ascii") for oid in wanted])
        return {oid: data for oid, data in zip(wanted, contents, strict=True) if data is not None}

    def ids(self, names: Sequence[bytes]) -> list[str | None]:
        """The object ids of the blobs with these names (`commit:path`); None for others. Raises GitFailed."""
        if not names:
            return []
        # A name with a newline would be two.
        asked = b"".join((b"" if b"\n" in name else name) + b"\n" for name in names)
        command = ["cat-file", "--batch-check=%(objectname) %(objecttype)"]
        lines = self.output(command, "look up objects", asked).split(b"\n")
        found = [_BLOB.fullmatch(line) for line in lines[: len(names)]]
        return [None if match is None else match[1].decode("ascii") for match in found]

    def sizes(self, oids: Sequence[str]) -> list[int | None]:
        """The sizes in bytes of some objects, without reading them; None for those that are not there."""
        if not oids:
            return []
        lines = self.output(
            ["cat-file", "--batch-check=%(objectsize)"],
            "read object sizes",
            "".join(f"{oid}\n" for oid in oids).encode("ascii"),
        ).split(b"\n")
        return [int(line) if line.isdigit() else None for line in lines[: len(oids)]]


def follow(entries: Mapping[str, Blob], links: Mapping[str, bytes], path: str) -> str | None:
    """The regular file that `path` stands for in a tree, links followed as long as they stay inside.

    `links` has the targets of the tree's links by object id. None for a folder, a submodule, nothing, a link
    that leads out, dangles or goes round.
    """
    pending = path.split("/")
    walked: list[str] = []
    hops = 0
    while pending:
        part = pending.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            if not walked:
                return None
            walked.pop()
            continue
        walked.append(part)
        blob = entries.get("/".join(walked))
        if blob is None:
            continue
        if blob.kind == "link":
            target = os.fsdecode(links.get(blob.oid, b""))
            hops += 1
            if hops > 40 or target == "" or target.startswith("/"):
                return None
            walked.pop()
            pending = [*target.split("/"), *pending]
            continue
        return "/".join(walked) if not pending and blob.kind == "file" else None
    return None


def _hint(result: CompletedProcess[bytes]) -> str:
    if b"promisor" in result.stderr or b"not allowed" in result.stderr:
        return "; the clone is partial and lacks that object, fetch it first (git fetch --refetch)"
    return ""
