"""From edits to changed files: all are worked out first, then shown, then written, or none is.

What was there before, and what was made, is kept in the data folder, one record and one copy for each file,
so that taking everything out again gives back the very bytes. A file that somebody changed meanwhile is
edited in place instead.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from afresh.errors import AfreshError
from afresh.faces.install.edits import Block, Created, Edit, WholeFile, blank
from afresh.faces.install.jsonc import JsonError
from afresh.faces.install.toml_tables import TomlError


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a file that was edited."""

    owners: tuple[str, ...] = ()
    """The installations that have something in it: a client's name and what of it."""
    after: str | None = None
    """SHA-256 of the file as it was written last."""
    before: str | None = None
    """SHA-256 of what was there first, and the name of its copy; None for no file."""
    exact: bool = False
    """Whether nobody else changed it in between, so that what was there first can come back."""
    created: tuple[tuple[str, ...], ...] = ()
    """Objects of a JSON file that were made."""
    folders: tuple[str, ...] = ()
    """Folders that were made, outermost first."""


@dataclass(slots=True)
class Change:
    """One file, before and after."""

    path: Path
    """As the client names it; it may be a link."""
    old: bytes | None
    """None where there is no file."""
    new: bytes | None
    record: Record
    """What is to be known of it from then on."""
    known: Record | None

    @property
    def is_change(self) -> bool:
        return self.old != self.new


@dataclass(frozen=True, slots=True)
class Wanted:
    """Edits of one kind, and whose they are."""

    owner: str
    edits: Sequence[Edit] = field(default_factory=tuple)


class Installation:
    """Plans and writes; its records lie in the data folder."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "installed"

    def plan(self, wanted: Sequence[Wanted], *, remove: bool = False) -> list[Change]:
        """What has to become of each file.

        Raises AfreshError, and changes nothing, where a file can't be read or isn't what it should be.
        """
        files: dict[Path, list[tuple[str, Edit]]] = {}
        for part in wanted:
            for edit in part.edits:
                files.setdefault(edit.path, []).append((part.owner, edit))
        return [
            self._removed(path, edits) if remove else self._put(path, edits) for path, edits in files.items()
        ]

    def write(self, changes: Sequence[Change]) -> list[Path]:
        """Write them all, or none; the copies of what was there before.

        Raises AfreshError, with every file as it was.
        """
        done: list[Change] = []
        copies: list[Path] = []
        try:
            for change in changes:
                if change.is_change:
                    if _bytes(change.path) != change.old:
                        raise AfreshError(
                            f"{change.path} was changed by somebody else just now; run the command again"
                        )
                    if change.old is not None:
                        copies.append(self._keep(change.old))
                    done.append(change)
                    folders = _write(change.path, change.new)
                    change.record = replace(
                        change.record, folders=(*change.record.folders, *map(str, folders))
                    )
            for change in changes:
                self._save(change)
            _tidy(change.record for change in changes if not change.record.owners)
        except (OSError, AfreshError) as error:
            for change in reversed(done):
                with contextlib.suppress(OSError):
                    _write(change.path, change.old)
            _tidy(change.record for change in done if change.old is None)
            if isinstance(error, AfreshError):
                raise
            raise AfreshError(
                f"can't write {error.filename or done[-1].path}: {error.strerror or error}; "
                "nothing was changed"
            ) from None
        return copies

    # --- planning -------------------------------------------------------------------------------------

    def _put(self, path: Path, edits: Sequence[tuple[str, Edit]]) -> Change:
        old, known = _bytes(path), self._record(path)
        text = _text(path, old)
        created: Created = list(known.created) if known else []
        for _, edit in edits:
            text = _edited(path, partial(edit.put, created=created), text)
        new = text.encode()
        owners = (*(known.owners if known else ()), *(owner for owner, _ in edits))
        if known is not None:
            record = replace(known, after=_sha(new), exact=known.exact and known.after == _sha(old))
        elif new == old:
            # Somebody else put it there, just so: there is nothing to give back.
            return Change(path, old, old, Record(), None)
        else:
            record = Record(after=_sha(new), before=_sha(old), exact=True)
        record = replace(record, owners=tuple(dict.fromkeys(owners)), created=tuple(dict.fromkeys(created)))
        return Change(path, old, new, record, known)

    def _removed(self, path: Path, edits: Sequence[tuple[str, Edit]]) -> Change:
        old, known = _bytes(path), self._record(path)
        if old is None:
            return Change(path, None, None, Record(), known)
        gone = {owner for owner, _ in edits}
        others = tuple(owner for owner in known.owners if owner not in gone) if known else ()
        text = _text(path, old)
        created: Created = list(known.created) if known else []
        kept = {type(edit) for owner, edit in edits if others and _is_shared(edit)}
        for _, edit in reversed(edits):
            if type(edit) not in kept:
                text = _edited(path, partial(edit.take, created=created), text)
        new: bytes | None = text.encode()
        if known is not None and not others:
            first = self._first(known)
            if known.exact and known.after == _sha(old) and not self._has_ours(path, first, edits):
                new = first
            elif known.before is None and blank(text, created):
                new = None
        record = replace(known, owners=others, after=_sha(new)) if known else Record()
        return Change(path, old, new, record, known)

    def _has_ours(self, path: Path, first: bytes | None, edits: Sequence[tuple[str, Edit]]) -> bool:
        """Whether what was there first had such an edit already, so that giving it back takes out nothing."""
        if first is None:
            return False
        text = first.decode("utf-8")
        return any(_edited(path, partial(edit.take, created=[]), text) != text for _, edit in edits)

    # --- records --------------------------------------------------------------------------------------

    def _name(self, path: Path) -> Path:
        return self._folder / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:16]}.json"

    def _record(self, path: Path) -> Record | None:
        try:
            held: Mapping[str, Any] = json.loads(self._name(path).read_text(encoding="utf-8"))
            return Record(
                owners=tuple(held["owners"]),
                after=held["after"],
                before=held["before"],
                exact=held["exact"],
                created=tuple(tuple(keys) for keys in held["created"]),
                folders=tuple(held["folders"]),
            )
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def _save(self, change: Change) -> None:
        name = self._name(change.path)
        record = change.record
        if not record.owners:
            if change.is_change or change.known is not None:
                name.unlink(missing_ok=True)
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        shown = {
            "path": str(change.path),
            "owners": record.owners,
            "after": record.after,
            "before": record.before,
            "exact": record.exact,
            "created": record.created,
            "folders": record.folders,
        }
        name.write_text(json.dumps(shown, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def _keep(self, content: bytes) -> Path:
        """A copy of what was there, in the data folder."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        copy = self._folder / f"{_sha(content)}.bak"
        if not copy.exists():
            with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(content)
        return copy

    def _first(self, record: Record) -> bytes | None:
        if record.before is None:
            return None
        try:
            return (self._folder / f"{record.before}.bak").read_bytes()
        except OSError:
            return None


def diff(change: Change) -> Iterator[str]:
    """What changes in a file, as a unified diff's lines."""
    old = [] if change.old is None else change.old.decode("utf-8").splitlines()
    new = [] if change.new is None else change.new.decode("utf-8").splitlines()
    before = "/dev/null" if change.old is None else str(change.path)
    after = "/dev/null" if change.new is None else str(change.path)
    yield from difflib.unified_diff(old, new, before, after, lineterm="", n=1)


# --- files --------------------------------------------------------------------------------------------


def _tidy(records: Iterable[Record]) -> None:
    """Take away the folders that were made, as far as nothing is in them."""
    folders = {folder for record in records for folder in record.folders}
    for folder in sorted(folders, key=len, reverse=True):
        with contextlib.suppress(OSError):
            Path(folder).rmdir()


def _is_shared(edit: Edit) -> bool:
    """Whether several clients have the very same edit in one file: a block of instructions, or a skill."""
    return isinstance(edit, Block | WholeFile)


def _bytes(path: Path) -> bytes | None:
    """A file's content; None where there is none. Raises AfreshError where it can't be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise AfreshError(
            f"can't read {path}: {error.strerror or error}; nothing was changed. "
            "See to it, and run the command again"
        ) from None


def _text(path: Path, content: bytes | None) -> str:
    if content is None:
        return ""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise AfreshError(
            f"{path} is not UTF-8 text (byte {error.start}); nothing was changed. Save it as UTF-8 first"
        ) from None


def _edited(path: Path, edit: Callable[[str], str], text: str) -> str:
    try:
        return edit(text)
    except (JsonError, TomlError) as error:
        raise AfreshError(
            f"{path}: {error}; nothing was changed. Correct it, and run the command again"
        ) from None


def _sha(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def _write(path: Path, content: bytes | None) -> list[Path]:
    """Put a file's new content in place in one step, through a link; the folders that were made for it.

    None takes the file away. Raises OSError.
    """
    # A link stays a link: what it leads to is changed.
    target = path.resolve()
    if content is None:
        target.unlink(missing_ok=True)
        return []
    folders = [folder for folder in reversed((target.parent, *target.parent.parents)) if not folder.exists()]
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name}.afresh-{os.getpid()}")
    try:
        beside.write_bytes(content)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    return folders
