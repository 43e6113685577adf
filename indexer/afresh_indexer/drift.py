"""Says what happened to each cited span of a file between two versions of its bytes.

A span that names a definition is found by its name, other spans by their lines. The line diff comes first and
settles most spans; definitions and tokens are read only where it leaves a doubt, once a version for all spans
of a file. Nothing here reads a disk or a repository: bytes go in, verdicts come out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property

from afresh_indexer.compare import Difference, compare
from afresh_indexer.fingerprint import eol_free
from afresh_indexer.hunks import LineMap, diff
from afresh_indexer.likeness import likeness, shape_of
from afresh_indexer.line_spans import LineJudge
from afresh_indexer.matching import Matcher
from afresh_indexer.quick import QuickJudge
from afresh_indexer.records import Symbol
from afresh_indexer.source import Source
from afresh_indexer.verdicts import CitedSpan, Content, FileDrift, MovedTo, SpanDrift, State, state_of


def drift(
    old: bytes,
    new: bytes | None,
    language: str | None,
    spans: Sequence[CitedSpan],
    path: str,
    *,
    new_path: str | None = None,
) -> FileDrift:
    """Judge the spans that were cited in `old`, given the file's bytes now; None for a file that is gone.

    Without spans the whole file is one. `language` is that of the file, or None. With `new_path` other than
    `path`, `new` is what the file became there: then what survives is `moved`. Spans keep their order.
    """
    before = Source(old, language, path)
    cited = tuple(spans) or (CitedSpan(1, max(1, before.line_count)),)
    if new is None:
        gone = tuple(SpanDrift(span, "gone", None, None, 0.0) for span in cited)
        return FileDrift(path, "gone", gone, None)
    after = Source(new, language, path if new_path is None else new_path)
    judged = _judged(before, after, cited, whole=not spans)
    if new_path is None or new_path == path:
        return judged
    return _moved(judged, new_path, after.line_count)


def _judged(before: Source, after: Source, cited: Sequence[CitedSpan], *, whole: bool) -> FileDrift:
    path = before.path
    if before.data == after.data:
        same = tuple(_standing(span, "unchanged", before) for span in cited)
        return FileDrift(path, "unchanged", same, LineMap((), before.line_count, after.line_count))
    if eol_free(before.data) == eol_free(after.data):
        flipped = tuple(_standing(span, _ends(span, before, after), before) for span in cited)
        return FileDrift(path, "eol_only", flipped, LineMap((), before.line_count, after.line_count))
    if before.is_binary or after.is_binary:
        now: State = "edited" if whole else "gone"
        lost = tuple(SpanDrift(span, now, None, None, 0.0) for span in cited)
        return FileDrift(path, now, lost, None)
    line_map = diff(before.data, after.data)
    judge = _Judge(before, after, line_map)
    drifts = (judge.whole(cited[0]),) if whole else tuple(judge.span(span) for span in cited)
    gravest = max(drift.gravity for drift in drifts)
    change = state_of(gravest)
    if change in ("unchanged", "eol_only"):
        change = "elsewhere"
    return FileDrift(path, change, drifts, line_map)


def _standing(span: CitedSpan, now: State, source: Source) -> SpanDrift:
    start, end = source.clamp(span.start_line, span.end_line)
    return SpanDrift(span, now, start, max(start, end), 1.0)


def _ends(span: CitedSpan, before: Source, after: Source) -> State:
    """Whether a span's own lines are among those whose ends changed."""
    lines = span.start_line, span.end_line
    same = before.data[slice(*before.span(*lines))] == after.data[slice(*after.span(*lines))]
    return "unchanged" if same else "eol_only"


class _Judge:
    """Judges the spans of one file; what was read for one serves the others."""

    def __init__(self, old: Source, new: Source, line_map: LineMap) -> None:
        self.old = old
        self.new = new
        self.map = line_map
        self.quick = QuickJudge(old, new, line_map)

    @cached_property
    def matcher(self) -> Matcher:
        return Matcher(self.old, self.new, self.map)

    @cached_property
    def lines(self) -> LineJudge:
        return LineJudge(self.old, self.new, self.map, self.quick, lambda: self.matcher)

    def whole(self, span: CitedSpan) -> SpanDrift:
        """The verdict on a file that was cited as a whole."""
        now: Difference | None = self.quick.whole_file()
        if now is None:
            now = compare(self.old, (0, len(self.old.data)), self.new, (0, len(self.new.data)))
            # All that is left to differ then is the end of the last line.
            now = "cosmetic" if now == "unchanged" else now
        end = max(1, self.new.line_count)
        left = self._kept_part() if now == "edited" else 1.0
        return SpanDrift(span, now, 1, end, left)

    def span(self, span: CitedSpan) -> SpanDrift:
        """The verdict on one span."""
        if span.symbol is not None and span.quote is None and not self._is_by_lines(span):
            return self._symbol(span, span.symbol)
        return self.lines.judge(span)

    def _is_by_lines(self, span: CitedSpan) -> bool:
        """Whether lines were cited, and the symbol only says what is around them."""
        if span.source_sha256 is None:
            return False
        place = self.old.span(span.start_line, span.end_line)
        return hashlib.sha256(self.old.data[slice(*place)]).hexdigest() == span.source_sha256

    def _symbol(self, span: CitedSpan, name: str) -> SpanDrift:
        quick = self.quick.symbol(span.start_line, span.end_line, name)
        if quick is not None:
            if quick.now == "unchanged" and (b"\r" in self.old.data or b"\r" in self.new.data):
                return self.lines.judge(span)
            left = 1.0 if quick.now != "edited" else self._left(span, quick.start_line, quick.end_line)
            return SpanDrift(span, quick.now, quick.start_line, quick.end_line, left)
        by_hash = self._by_hash(span, name)
        if by_hash is not None:
            return SpanDrift(span, "unchanged", by_hash.start_line, by_hash.end_line, 1.0)
        symbol = self._recorded(span, name)
        if symbol is None:
            return self.lines.judge(span)
        same = self.matcher.same_name(symbol)
        if same is not None:
            return self._compared(span, symbol, same)
        renamed = self.matcher.renamed(symbol)
        if renamed is None:
            return SpanDrift(span, "gone", None, None, 0.0)
        now = renamed.symbol
        moved_to = MovedTo(self.new.path, now.qualified_name, now.start_line, now.end_line, renamed.content)
        return SpanDrift(span, "moved", now.start_line, now.end_line, renamed.likeness, moved_to)

    def _by_hash(self, span: CitedSpan, name: str) -> Symbol | None:
        """The one definition of that name whose bytes are the recorded ones."""
        if span.source_sha256 is None:
            return None
        named = self.new.by_name.get(name, ())
        same = [symbol for symbol in named if symbol.source_sha256 == span.source_sha256]
        return same[0] if len(same) == 1 else None

    def _recorded(self, span: CitedSpan, name: str) -> Symbol | None:
        """The definition that was cited, as the old version has it; among overloads by its lines."""
        named = self.old.by_name.get(name, ())
        return min(named, key=lambda symbol: abs(symbol.start_line - span.start_line), default=None)

    def _compared(self, span: CitedSpan, symbol: Symbol, same: Symbol) -> SpanDrift:
        there, here = (symbol.start_byte, symbol.end_byte), (same.start_byte, same.end_byte)
        if symbol.source_sha256 != same.source_sha256 and symbol.tokens_sha256 == same.tokens_sha256:
            before, after = self.old.source_of(symbol), self.new.source_of(same)
            now: Difference = "eol_only" if eol_free(before) == eol_free(after) else "cosmetic"
        else:
            now = compare(self.old, there, self.new, here, whole_nodes=True)
        left = self.matcher.likeness_of(symbol, same) if now == "edited" else 1.0
        return SpanDrift(span, now, same.start_line, same.end_line, left)

    def _kept_part(self) -> float:
        """The part of both texts that is in kept lines, by their bytes."""
        changed = 0
        for hunk in self.map.hunks:
            for source, start, end in (
                (self.old, hunk.old_start, hunk.old_end),
                (self.new, hunk.new_start, hunk.new_end),
            ):
                first, last = source.span(start, end)
                changed += last - first
        return 1.0 - changed / max(1, len(self.old.data) + len(self.new.data))

    def _left(self, span: CitedSpan, start: int, end: int) -> float:
        """How alike an old span and its new lines are, by their tokens."""
        there, here = self.old.span(span.start_line, span.end_line), self.new.span(start, end)
        one = shape_of(self.old.data[slice(*there)], self.old.language)
        return likeness(one, shape_of(self.new.data[slice(*here)], self.new.language))


def _moved(judged: FileDrift, new_path: str, line_count: int) -> FileDrift:
    """The verdicts on a file that is at another path now."""
    spans = tuple(_moved_span(drift, new_path) for drift in judged.spans)
    change = state_of(max(drift.gravity for drift in spans))
    contents = {drift.moved_to.content for drift in spans if drift.moved_to is not None}
    content: Content = "changed"
    if len(contents) == 1 or "changed" not in contents:
        content = "cosmetic" if "cosmetic" in contents else next(iter(contents), "changed")
    moved_to = MovedTo(new_path, None, 1, max(1, line_count), content)
    return FileDrift(judged.path, change, spans, judged.line_map, moved_to)


def _moved_span(drift: SpanDrift, new_path: str) -> SpanDrift:
    if drift.start_line is None or drift.end_line is None:
        return drift
    content: Content
    match drift.now:
        case "unchanged" | "elsewhere":
            content = "identical"
        case "eol_only" | "cosmetic":
            content = "cosmetic"
        case _:
            content = "changed" if drift.moved_to is None else drift.moved_to.content
    symbol = drift.span.symbol if drift.moved_to is None else drift.moved_to.symbol
    moved_to = MovedTo(new_path, symbol, drift.start_line, drift.end_line, content)
    return SpanDrift(drift.span, "moved", drift.start_line, drift.end_line, drift.likeness, moved_to)
