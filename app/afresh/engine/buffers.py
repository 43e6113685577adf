"""Texts that are open in an editor and not saved, judged as if they were on the disk."""

from __future__ import annotations

import codecs
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from afresh.engine.freshness import DiskJudge, Located, RecordedState, Verdict

_LINE_END = re.compile("\r\n|\r|\n")


class BufferJudge:
    """Judges open texts where there are some, and the disk for everything else."""

    def __init__(self, buffers: Mapping[Path, bytes], disk: DiskJudge | None = None) -> None:
        """`buffers` are by absolute path, links resolved."""
        self._buffers = buffers
        self._hashes = {path: hashlib.sha256(data).hexdigest() for path, data in buffers.items()}
        self._disk = disk or DiskJudge()
        self.at: str | None = None
        self.gated = False

    def read(self, root: Path, files: Iterable[RecordedState]) -> None:
        """Read files that will be judged, at once."""
        self._disk.read(root, [file for file in files if root / file.path not in self._hashes])

    def judge(self, root: Path, files: Iterable[RecordedState]) -> Verdict:
        """Compare files under a root with how they were recorded."""
        states = list(files)
        disk = self._disk.judge(root, [file for file in states if root / file.path not in self._hashes])
        known = {file.path: self._hashes.get(root / file.path) for file in states}
        self.gated = self._disk.gated
        changed = set(disk.changed) | {
            file.path for file in states if known[file.path] not in (None, file.sha256)
        }
        return Verdict(
            tuple(file.path for file in states if file.path in changed), disk.missing, disk.unverifiable
        )

    def contents(self, root: Path, paths: Sequence[str]) -> dict[str, bytes | None]:
        """The bytes of files; None where there is none that could be read."""
        disk = self._disk.contents(root, [path for path in paths if root / path not in self._buffers])
        return {path: disk[path] if path in disk else self._buffers[root / path] for path in paths}

    def sha256(self, root: Path, path: str) -> str | None:
        """The hash of a file that was judged."""
        return self._hashes.get(root / path) or self._disk.sha256(root, path)

    def located(self, root: Path, path: str) -> Located:
        """The repository that a file belongs to."""
        return self._disk.located(root, path)


def as_saved(text: str, disk: bytes | None) -> bytes:
    """The bytes that an editor would write for a text, told by what the disk has now.

    Editors show neither a byte-order mark nor line ends nor an encoding, and some make line ends uniform as
    they open a file: a text whose lines are those of the disk is what the disk has.
    """
    if disk is None:
        return text.encode("utf-8", "surrogatepass")
    for encoding in ("utf-8-sig" if disk.startswith(codecs.BOM_UTF8) else "utf-8", "cp1252", "latin-1"):
        try:
            if _LINE_END.split(disk.decode(encoding)) == _LINE_END.split(text.removeprefix("\ufeff")):
                return disk
            return _ended_as(text.removeprefix("\ufeff"), disk).encode(encoding)
        except UnicodeError:
            continue
    return _ended_as(text, disk).encode("utf-8", "surrogatepass")


def _ended_as(text: str, disk: bytes) -> str:
    """A text with the disk's line ends where those are all CRLF or all CR and the text has others."""
    crlf, cr, lf = disk.count(b"\r\n"), disk.count(b"\r"), disk.count(b"\n")
    if crlf and crlf == cr == lf:
        return _LINE_END.sub("\r\n", text)
    if cr and not lf:
        return _LINE_END.sub("\r", text)
    if lf and not cr and "\r" in text and text.count("\r\n") == text.count("\r") == text.count("\n"):
        return text.replace("\r\n", "\n")
    return text
