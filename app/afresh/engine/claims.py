"""claims: what notes and memories name that the workspace has no more.

Documents are read whole from the disk: the heading above a name and the line that leads to its list decide
what it claims, and its line is exact. A saved memory is judged by its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.errors import InvalidArgumentError, RootRefusedError, UnknownProjectError, UsageError
from afresh.store import memories
from afresh.store.cursor import Cursor
from afresh.store.memories import Memory, MemoryFilter
from afresh.store.projects import Checkout, Project
from afresh.text.redact import redact
from afresh.verbs import ClaimsArguments, ClaimsResult, DeadClaim
from afresh_indexer.claim_world import World
from afresh_indexer.fingerprint import NotRegularFile, read_regular

CLAIMS_AT_MOST = 2_000
"""Dead claims that one answer lists; it counts the others."""
_DOCUMENT_BYTES = 2 * 1024 * 1024
"""A larger document is not judged: reading the claims of one takes five seconds a megabyte."""
_EXCERPT = 200
_TOLD_EACH = 200
"""Texts between two events."""
_LINE_BREAK = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class _Text:
    """A document, or a saved memory, that claims are read from."""

    content: str
    notes: Sequence[Memory]
    """The memory itself, or a document's notes in the order of their lines."""
    source_path: str | None = None


def claims(engine: Engine, arguments: ClaimsArguments, call: Call) -> ClaimsResult:
    """The dead claims of a workspace: of its documents in the order of lines, then of saved memories."""
    with engine.store.read() as cursor:
        project, checkout = judged_checkout(engine, cursor, arguments, call)
        wanted = MemoryFilter(now=engine.clock(), project_id=project.id, checkout_id=checkout.id)
        ids, _ = memories.filter_ids(cursor, wanted)
        kept = memories.get(cursor, ids.tolist())
    known = engine.worlds.of(engine.store, checkout)
    notes = [known.note] if known.note else []
    found: list[DeadClaim] = []
    documents = 0
    saved = [memory for memory in kept if memory.source_kind not in ("file", "git")]
    if known.files:
        texts, too_large = _documents(Path(checkout.root), kept)
        notes += too_large
        documents = len(texts)
        texts += [_Text(memory.content, [memory]) for memory in saved]
        found = list(_dead(engine, texts, known.world, call))
    else:
        notes.append(f"nothing is indexed under {checkout.root}, so that nothing could be judged")
    return ClaimsResult(
        project=project.name,
        root=checkout.root,
        documents=documents,
        memories=len(saved),
        dead=found[:CLAIMS_AT_MOST],
        left_out=max(len(found) - CLAIMS_AT_MOST, 0),
        notes=notes,
    )


def judged_checkout(
    engine: Engine, cursor: Cursor, arguments: ClaimsArguments, call: Call
) -> tuple[Project, Checkout]:
    """The project whose claims are asked about, and the checkout that they are judged against.

    Raises UnknownProjectError, InvalidArgumentError, UsageError, RootRefusedError for a root that is gone.
    """
    if arguments.project == workspaces.ALL:
        raise UsageError("project: '%' means all projects, and claims are judged in one; name it")
    if arguments.root is None:
        found = workspaces.reading(engine, cursor, arguments.project, call)
    else:
        if "\0" in arguments.root or not Path(arguments.root).is_absolute():
            raise InvalidArgumentError(f"root: must be an absolute path; got {arguments.root!r}")
        found = workspaces.at(cursor, Path(arguments.root))
        if found is None:
            raise UnknownProjectError(
                f"{arguments.root} is in no known project. {workspaces.known_projects(cursor)}"
            )
        if arguments.project not in (None, found.project.name):
            raise InvalidArgumentError(
                f"root: {arguments.root} belongs to the project {found.project.name!r}, "
                f"not to {arguments.project!r}"
            )
    if found is None or found.checkout is None:
        name = found.project.name if found else arguments.project
        raise UnknownProjectError(
            f"the project {name!r} has no folder here that its claims could be judged against; "
            "index one with `afresh index`"
        )
    if not Path(found.checkout.root).is_dir():
        raise RootRefusedError(
            f"{found.checkout.root} is not there any more, so that nothing can be judged against it; "
            "name another checkout of the project with `root`"
        )
    return found.project, found.checkout


def _documents(root: Path, kept: Sequence[Memory]) -> tuple[list[_Text], list[str]]:
    """The files that notes were read from, as they are now, and which of them are too large.

    One that can't be read any more claims nothing.
    """
    by_path: dict[str, list[Memory]] = {}
    for memory in kept:
        if memory.source_kind == "file" and memory.source_path is not None:
            by_path.setdefault(memory.source_path, []).append(memory)
    texts: list[_Text] = []
    too_large: list[str] = []
    for path, notes in sorted(by_path.items()):
        try:
            content = read_regular(root / path, limit=_DOCUMENT_BYTES)
        except (OSError, NotRegularFile):
            continue
        if not content.whole:
            too_large.append(f"{path} is over {_DOCUMENT_BYTES // 1024**2} MB and was not judged")
            continue
        text = _LINE_BREAK.sub("\n", content.data.decode("utf-8-sig", "replace"))
        texts.append(_Text(text, sorted(notes, key=lambda note: note.source_line or 0), path))
    return texts, too_large


def _dead(engine: Engine, texts: Sequence[_Text], world: World, call: Call) -> Iterator[DeadClaim]:
    # Imported with the first call: its patterns take longer to compile than a keeper to start.
    from afresh_indexer.dead_claims import dead

    for number, text in enumerate(texts):
        call.check()
        if number and number % _TOLD_EACH == 0:
            told = f"{number} of {len(texts)} notes"
            call.emit(
                {"kind": "progress", "phase": "claims", "done": number, "total": len(texts), "message": told}
            )
        read = engine.readings.of(text.content, text.source_path)
        verdicts = dead(read, world, source_path=text.source_path)
        if not verdicts:
            continue
        lines = text.content.split("\n")
        # A link often shows the path that it leads to: both are one claim.
        distinct = {
            (verdict.claim.line, verdict.claim.kind, verdict.claim.text): verdict for verdict in verdicts
        }
        for verdict in distinct.values():
            claim = verdict.claim
            yield DeadClaim(
                memory=_note_at(text.notes, claim.line).id,
                source_path=text.source_path,
                line=claim.line,
                kind=claim.kind,
                text=claim.text,
                reason=verdict.reason,
                suggestion=verdict.suggestion,
                excerpt=redact(lines[claim.line - 1].strip()).text[:_EXCERPT],
            )


def _note_at(notes: Sequence[Memory], line: int) -> Memory:
    """The note that holds a line, else the next one: a heading stands above its note's text."""
    behind = (note for note in notes if (note.source_end_line or 0) >= line)
    return next(behind, notes[-1])
