"""Cited files: checked, read, hashed, and their spans found, at the moment of recording.

Either every file can be recorded or the call fails with every file that can't and its reason.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from afresh.contracts import CitedFile, CitedSource, CitedSpan, RecordedFile
from afresh.engine.freshness import MAX_SOURCE_BYTES
from afresh.errors import SourceFilesError
from afresh.store import snapshots
from afresh.store.citations import FileCitation
from afresh.store.snapshots import Packed
from afresh.store.spans import Span
from afresh.text.redact import redact
from afresh_indexer.derive import derive_spans
from afresh_indexer.fingerprint import NotRegularFile, hash_bytes, read_regular
from afresh_indexer.languages import HEAD_BYTES, OUTLINED, language_of
from afresh_indexer.outline import outline
from afresh_indexer.parsing import NotParsedError
from afresh_indexer.records import Symbol
from afresh_indexer.tokens import tokens_sha256

_NAMED_AT_MOST = 20
"""Files that an error lists; it counts the others."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A cited file as it is now."""

    citation: FileCitation
    """Its path is relative to the root that was cited from."""
    snapshot: Packed | None
    """The bytes, packed; None where one of them is a secret, which is kept nowhere."""


def read_sources(root: Path, cited: Sequence[CitedFile], conclusion: str = "") -> list[SourceFile]:
    """Read what is cited, each file once, its spans gathered in the order given.

    Of a file that is cited as a whole, what the conclusion names in it becomes its spans, marked as derived.

    Raises SourceFilesError that names each file that can't be recorded, with the reason.
    """
    top = os.path.realpath(root)
    if not Path(top).is_dir():
        raise SourceFilesError(f"root {str(root)!r} is not a folder; give the absolute path of the workspace")
    by_path: dict[str, list[CitedFile]] = {}
    problems: list[str] = []
    for item in cited:
        try:
            by_path.setdefault(_relative(top, item.path), []).append(item)
        except _NotRecordableError as error:
            problems.append(f"{item.path}: {error}")
    found: list[SourceFile] = []
    for path, items in by_path.items():
        try:
            found.append(_read(top, path, items, conclusion))
        except _NotRecordableError as error:
            problems.append(f"{path}: {error}")
    if problems:
        more = len(problems) - _NAMED_AT_MOST
        listed = "; ".join(problems[:_NAMED_AT_MOST]) + (f"; and {more} more" if more > 0 else "")
        raise SourceFilesError(f"nothing was stored, because of {len(problems)} cited file(s): {listed}")
    return found


class _NotRecordableError(Exception):
    """One cited file can't be recorded; the text says why."""


def _relative(top: str, path: str) -> str:
    """A cited path under the root, POSIX; links must not lead out of it."""
    if "\0" in path:
        raise _NotRecordableError("the path has a NUL byte")
    joined = os.path.normpath(os.path.join(top, path))  # noqa: PTH118 - keeps an absolute path as it is
    if os.path.commonpath([top, joined]) != top and Path(path).is_absolute():
        joined = os.path.join(os.path.realpath(os.path.dirname(joined)), os.path.basename(joined))  # noqa: PTH118, PTH119, PTH120
    if os.path.commonpath([top, joined]) != top or joined == top:
        raise _NotRecordableError("outside the root")
    real = os.path.realpath(joined)
    if os.path.commonpath([top, real]) != top:
        raise _NotRecordableError("outside the root: a link leads out of it")
    return Path(os.path.relpath(joined, top)).as_posix()


def _read(top: str, path: str, items: Sequence[CitedFile], conclusion: str) -> SourceFile:
    full = os.path.realpath(Path(top) / path)
    hashed_at_ns = time.time_ns()
    try:
        content = read_regular(full, MAX_SOURCE_BYTES)
    except FileNotFoundError:
        raise _NotRecordableError("there is no such file") from None
    except NotRegularFile:
        raise _NotRecordableError("not a regular file") from None
    except OSError as error:
        raise _NotRecordableError(error.strerror or str(error)) from None
    if not content.whole:
        size, limit = content.stamps.st_size, MAX_SOURCE_BYTES
        raise _NotRecordableError(f"{size:,} bytes, over the limit of {limit:,}")
    if not content.settled:
        raise _NotRecordableError("it is being written to; try again")
    data = content.data
    language = language_of(path, data[:HEAD_BYTES])
    lines = data.splitlines(keepends=True)
    is_whole = not any(item.symbol or item.quote or item.start_line for item in items)
    wanted_symbols = language is not None and (is_whole or any(item.symbol for item in items))
    symbols = outline(path, data, language).symbols if wanted_symbols else ()
    spans = [span for item in items for span in _span(item, path, data, lines, symbols, language)]
    if is_whole and conclusion:
        spans = derive_spans(conclusion, path, data, symbols)
    sha256, eol_sha256 = hash_bytes(data)
    citation = FileCitation(
        path=path,
        sha256=sha256,
        eol_sha256=eol_sha256,
        size=len(data),
        mtime_ns=content.stamps.st_mtime_ns,
        ctime_ns=content.stamps.st_ctime_ns,
        inode=content.stamps.st_ino,
        hashed_at_ns=hashed_at_ns,
        language=language,
        spans=tuple(dict.fromkeys(spans)),
    )
    may_be_kept = not redact(data.decode("utf-8", errors="replace")).found
    return SourceFile(citation, snapshots.pack(data) if may_be_kept else None)


def _span(
    item: CitedFile,
    path: str,
    data: bytes,
    lines: Sequence[bytes],
    symbols: Sequence[Symbol],
    language: str | None,
) -> list[Span]:
    if item.symbol is not None:
        return [_symbol_span(item.symbol, symbols, language)]
    if item.quote is not None:
        start, end = _quoted_lines(item.quote, data)
    elif item.start_line is not None and item.end_line is not None:
        start, end = item.start_line, item.end_line
        if end > len(lines):
            raise _NotRecordableError(f"lines {start} to {end} are cited, and it has {len(lines)}")
    else:
        return []
    before = sum(len(line) for line in lines[: start - 1])
    part = b"".join(lines[start - 1 : end])
    return [
        Span(
            start_line=start,
            end_line=end,
            symbol=None,
            quote=item.quote,
            source_sha256=hashlib.sha256(part).hexdigest(),
            tokens_sha256=_tokens(path, data, language, before, before + len(part)),
            derived=False,
        )
    ]


def _tokens(path: str, data: bytes, language: str | None, start: int, end: int) -> str | None:
    """The hash of a span's token stream; None where its language has no grammar or it can't be parsed."""
    if language not in OUTLINED:
        return None
    try:
        return tokens_sha256(data, language, start, end, path=path)
    except NotParsedError:
        return None


def _symbol_span(wanted: str, symbols: Sequence[Symbol], language: str | None) -> Span:
    exact = [symbol for symbol in symbols if symbol.qualified_name == wanted]
    by_name = exact or [symbol for symbol in symbols if symbol.qualified_name.endswith(f".{wanted}")]
    if not by_name:
        if not symbols:
            known = f"no symbols are known in it (language: {language or 'unknown'}); cite lines or a quote"
            raise _NotRecordableError(f"there is no symbol {wanted!r}; {known}")
        names = list(dict.fromkeys(symbol.qualified_name for symbol in symbols))
        near = difflib.get_close_matches(wanted, names, n=5, cutoff=0.4) or names[:5]
        raise _NotRecordableError(f"there is no symbol {wanted!r}; nearest: {', '.join(near)}")
    symbol = by_name[0]
    return Span(
        start_line=symbol.start_line,
        end_line=symbol.end_line,
        symbol=symbol.qualified_name,
        quote=None,
        source_sha256=symbol.source_sha256,
        tokens_sha256=symbol.tokens_sha256,
        derived=False,
    )


def _quoted_lines(quote: str, data: bytes) -> tuple[int, int]:
    """The lines in which a quote stands; line ends may differ."""
    text = data.decode("utf-8", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    wanted = quote.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    at = text.find(wanted) if wanted else -1
    if at < 0:
        shown = quote if len(quote) <= 60 else f"{quote[:60]}…"
        raise _NotRecordableError(f"the quote {shown!r} does not stand in it")
    start = text.count("\n", 0, at) + 1
    return start, start + wanted.count("\n")


def snapshots_of(sources: Sequence[SourceFile]) -> dict[str, Packed]:
    """What may be kept of some files, by hash."""
    return {source.citation.sha256: source.snapshot for source in sources if source.snapshot is not None}


def recorded_file(file: FileCitation) -> RecordedFile:
    """A memo's file as results give it."""
    return RecordedFile(path=file.path, sha256=file.sha256, size=file.size, spans=_contract_spans(file.spans))


def cited_source(file: FileCitation) -> CitedSource:
    """A memory's cited file as results give it."""
    return CitedSource(path=file.path, sha256=file.sha256, size=file.size, spans=_contract_spans(file.spans))


def _contract_spans(spans: Sequence[Span]) -> list[CitedSpan]:
    return [
        CitedSpan(
            start_line=span.start_line,
            end_line=span.end_line,
            symbol=span.symbol,
            quote=span.quote,
            derived=span.derived,
        )
        for span in spans
    ]
