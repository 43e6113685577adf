"""What is known of one file as an editor shows it: conclusions about it, their places and what changed there.

A text that is open and not saved counts instead of the disk. Nothing is stored, and no git is asked who
changed something: this is answered at every pause between two keys.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from afresh.contracts import MovedTo
from afresh.engine import workspaces
from afresh.engine.buffers import BufferJudge, as_saved
from afresh.engine.calls import Call
from afresh.engine.claimed import claimed
from afresh.engine.core import Engine
from afresh.engine.freshness import MAX_SOURCE_BYTES
from afresh.engine.impact import AssessedFile, Assessment, Assessor, rank
from afresh.engine.judged_root import JudgedRoot
from afresh.engine.old_bytes import RECALL_S
from afresh.errors import InvalidArgumentError
from afresh.knowledge_verbs import (
    Buffer,
    ChangedLines,
    FileKnowledgeArguments,
    FileKnowledgeResult,
    Known,
    KnownPlace,
    OtherFile,
    SymbolKnowledgeArguments,
    SymbolKnowledgeResult,
    SymbolPlace,
)
from afresh.store import citations, memories, symbols
from afresh.store.citations import FileCitation
from afresh.store.cursor import Cursor
from afresh.store.memories import Memory
from afresh.store.memos import Memo
from afresh.store.owners import OWNERS
from afresh.store.projects import Checkout, Project
from afresh_indexer.fingerprint import read_regular
from afresh_indexer.notes import kind_of

_NAMED_AT_MOST = 50
"""Conclusions about one name that are judged."""
_PLACES_AT_MOST = 50


@dataclass(frozen=True, slots=True)
class _Learned:
    """A conclusion or a memory that cites files."""

    kind: Literal["memo", "memory"]
    id: int
    title: str
    text: str
    root: Path
    """Where its files are judged."""
    files: tuple[FileCitation, ...]
    updated_at: datetime


@dataclass(slots=True)
class _Desk:
    """A file, the checkout that it lies in, and the texts that are open."""

    engine: Engine
    call: Call
    path: Path
    project: Project | None = None
    checkout: Checkout | None = None
    buffers: dict[Path, bytes] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        assert self.checkout is not None
        return Path(self.checkout.root)

    @property
    def relative(self) -> str:
        return self.path.relative_to(self.root).as_posix()

    def judged(self, learned: Sequence[_Learned]) -> list[Known]:
        """How they stand, the gravest first."""
        judge = BufferJudge(self.buffers)
        assessor = Assessor(self.engine.store, self.engine.drifts, judge, commits_s=0.0, old_bytes_s=RECALL_S)
        found: list[Known] = []
        for one in learned:
            self.call.check()
            verdict = judge.judge(one.root, one.files)
            assessment = Assessment(None, ())
            if verdict.status == "stale":
                assessment = assessor.assess(one.root, one.files, verdict, one.updated_at)
            found.append(_known(one, assessment, self.path))
        return sorted(found, key=lambda item: (-rank(item.impact), item.kind, item.id))


def file_knowledge(engine: Engine, arguments: FileKnowledgeArguments, call: Call) -> FileKnowledgeResult:
    """Everything that is known of one file, as its text is in the editor."""
    desk = _desk(engine, arguments.path, arguments.buffers, call)
    disk = _disk(desk.path)
    data = disk if arguments.text is None else as_saved(arguments.text, disk)
    if arguments.text is not None and data is not None:
        desk.buffers[desk.path] = data
    if desk.project is None or desk.checkout is None:
        found, notes = claimed(engine, arguments.root, None, data)
        return FileKnowledgeResult(
            project=None,
            root=None,
            path=None,
            note_kind=None,
            known=[],
            claims=found,
            notes=notes,
        )
    with engine.store.read() as cursor:
        learned = list(_about(desk, cursor))
    known = desk.judged(learned)
    call.check()
    kind = kind_of(desk.relative)
    found, notes = claimed(engine, desk.checkout.root, desk.relative, data) if kind else ([], [])
    return FileKnowledgeResult(
        project=desk.project.name,
        root=desk.checkout.root,
        path=desk.relative,
        note_kind=kind,
        known=known,
        claims=found,
        notes=notes,
    )


def symbol_knowledge(
    engine: Engine, arguments: SymbolKnowledgeArguments, call: Call
) -> SymbolKnowledgeResult:
    """What is known of a name, wherever it is defined in the project of the file that uses it."""
    desk = _desk(engine, arguments.path, arguments.buffers, call)
    if desk.project is None or desk.checkout is None:
        return SymbolKnowledgeResult(project=None, root=None, places=[], known=[])
    last = arguments.name.rpartition(".")[2]
    with engine.store.read() as cursor:
        defined = symbols.find(cursor, desk.checkout.id, "name", last)
        learned = list(_naming(desk, cursor, arguments.name))
    places = [
        SymbolPlace(
            path=str(desk.root / path),
            kind=symbol.kind,
            qualified_name=symbol.qualified_name,
            start_line=symbol.start_line,
            end_line=symbol.end_line,
        )
        for path, symbol in defined
        if _is_called(symbol.qualified_name, arguments.name)
    ]
    return SymbolKnowledgeResult(
        project=desk.project.name,
        root=desk.checkout.root,
        places=places[:_PLACES_AT_MOST],
        known=desk.judged(learned[:_NAMED_AT_MOST]),
    )


def _desk(engine: Engine, path: str, buffers: Sequence[Buffer], call: Call) -> _Desk:
    """Raises InvalidArgumentError for a path that isn't absolute."""
    desk = _Desk(engine, call, _real(path))
    with engine.store.read() as cursor:
        held = workspaces.holding(cursor, desk.path)
    if held is not None:
        desk.project, desk.checkout = held.project, held.checkout
    for buffer in buffers:
        place = _real(buffer.path)
        desk.buffers[place] = as_saved(buffer.text, _disk(place))
    return desk


def _real(path: str) -> Path:
    if "\0" in path or not Path(path).is_absolute():
        raise InvalidArgumentError(f"path: must be absolute; got {path!r}")
    return Path(os.path.realpath(path))


def _disk(path: Path) -> bytes | None:
    try:
        content = read_regular(path, MAX_SOURCE_BYTES)
    except OSError:
        return None
    return content.data if content.whole else None


def _about(desk: _Desk, cursor: Cursor) -> Iterator[_Learned]:
    """What cites the file, under whichever folder it was recorded."""
    parts = PurePosixPath(desk.relative).parts
    # Recorded in a folder of the checkout, a path lacks that folder's part.
    ends = ["/".join(parts[start:]) for start in range(len(parts))]
    cited = {owner: {id_ for id_, _ in citations.citing(cursor, owner, ends)} for owner in OWNERS}
    for one in _of_ids(desk, cursor, cited["memo"], cited["memory"]):
        if any(one.root / file.path == desk.path for file in one.files):
            yield one


def _naming(desk: _Desk, cursor: Cursor, name: str) -> Iterator[_Learned]:
    """What cites a definition of that name."""
    assert desk.project is not None
    named = citations.naming(cursor, "memory", name.rpartition(".")[2])
    memos = {memo.id for memo in desk.engine.memos_of(desk.project.id).values() if _cites(memo.files, name)}
    for one in _of_ids(desk, cursor, memos, named):
        if _cites(one.files, name):
            yield one


def _of_ids(
    desk: _Desk, cursor: Cursor, memo_ids: Iterable[int], memory_ids: Iterable[int]
) -> Iterator[_Learned]:
    """Those of them that count in the project, with the folders under which they are judged here."""
    assert desk.project is not None
    base = JudgedRoot(cursor, desk.project, desk.root, desk.call)
    living: Mapping[int, Memo] = desk.engine.memos_of(desk.project.id)
    for id_ in sorted(memo_ids):
        if id_ in living:
            memo = living[id_]
            yield _Learned(
                "memo", id_, memo.question, memo.conclusion, base.of(memo.root), memo.files, memo.updated_at
            )
    wanted = sorted(memory_ids)
    cited = citations.of(cursor, wanted) if wanted else {}
    for memory in memories.get(cursor, list(cited)):
        if memory.project_id == desk.project.id and _counts(desk, memory):
            citation = cited[memory.id]
            title = next((line.strip() for line in memory.content.splitlines() if line.strip()), "")
            yield _Learned(
                "memory",
                memory.id,
                title,
                memory.content,
                base.of(citation.root),
                citation.files,
                memory.updated_at,
            )


def _counts(desk: _Desk, memory: Memory) -> bool:
    expired = memory.expires_at is not None and memory.expires_at <= desk.engine.clock()
    return memory.superseded_by is None and not expired


def _cites(files: Iterable[FileCitation], name: str) -> bool:
    return any(
        span.symbol is not None and _is_called(span.symbol, name) for file in files for span in file.spans
    )


def _is_called(qualified: str, name: str) -> bool:
    return qualified == name or qualified.endswith(f".{name}") or name.endswith(f".{qualified}")


def _known(one: _Learned, assessment: Assessment, path: Path) -> Known:
    changed = {item.citation.path: item for item in assessment.files}
    own = [file for file in one.files if one.root / file.path == path]
    return Known(
        kind=one.kind,
        id=one.id,
        title=one.title,
        text=one.text,
        status="stale" if assessment.files else "fresh",
        impact=assessment.impact,
        updated_at=one.updated_at,
        root=str(one.root),
        change=max(
            (changed[file.path].impact for file in own if file.path in changed), key=rank, default=None
        ),
        places=[place for file in own for place in _places(file, changed.get(file.path))],
        hunks=[lines for file in own for lines in _hunks(changed.get(file.path))],
        others=[
            OtherFile(
                path=str(one.root / file.path),
                change=changed[file.path].impact if file.path in changed else None,
                line=_first_line(file, changed.get(file.path)),
            )
            for file in one.files
            if file not in own
        ],
    )


def _places(file: FileCitation, assessed: AssessedFile | None) -> Iterator[KnownPlace]:
    if not file.spans:
        return
    if assessed is None:
        for span in file.spans:
            yield KnownPlace(
                symbol=span.symbol,
                start_line=span.start_line,
                end_line=span.end_line,
                now="unchanged",
                moved_to=None,
            )
        return
    for drifted in assessed.drift.spans:
        to = drifted.moved_to
        left = to is not None and to.path != file.path
        yield KnownPlace(
            symbol=to.symbol if to is not None and not left else drifted.span.symbol,
            start_line=None if left else drifted.start_line,
            end_line=None if left else drifted.end_line,
            now=drifted.now,
            moved_to=None
            if to is None
            else MovedTo(
                path=to.path,
                symbol=to.symbol,
                start_line=to.start_line,
                end_line=to.end_line,
                content=to.content,
            ),
        )


def _hunks(assessed: AssessedFile | None) -> Iterator[ChangedLines]:
    """The changed lines that reach into what is cited and is not as it was."""
    if assessed is None or assessed.drift.line_map is None:
        return
    spans = [drifted.span for drifted in assessed.drift.spans if drifted.now not in ("unchanged", "eol_only")]
    whole = not assessed.citation.spans
    for hunk in assessed.drift.hunks:
        last = max(hunk.old_end, hunk.old_start)
        if whole or any(span.start_line <= last and hunk.old_start <= span.end_line for span in spans):
            yield ChangedLines(start_line=hunk.new_start, end_line=hunk.new_end)


def _first_line(file: FileCitation, assessed: AssessedFile | None) -> int:
    if assessed is not None and assessed.drift.spans:
        return assessed.drift.spans[0].start_line or 1
    return file.spans[0].start_line if file.spans else 1
