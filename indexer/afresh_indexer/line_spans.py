"""Judges spans that were cited by lines or by a quotation, which have no name to be found by.

Lines are followed through the line diff. Where that has lost them, because their surroundings were moved or
reformatted, they are looked for as a block, as a run of tokens, and inside the definition around them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from afresh_indexer.compare import compare
from afresh_indexer.hunks import LineMap, diff
from afresh_indexer.lexing import WORD
from afresh_indexer.likeness import likeness, shape_of, word_likeness
from afresh_indexer.matching import Matcher
from afresh_indexer.quick import QuickJudge
from afresh_indexer.records import Symbol
from afresh_indexer.source import Source
from afresh_indexer.verdicts import CitedSpan, SpanDrift

GONE_BELOW = 0.25
"""Lines were replaced, not edited, where what stands in their place shares less than this with them."""


@dataclass(frozen=True, slots=True)
class _Lines:
    start: int
    end: int

    def __bool__(self) -> bool:
        return self.start <= self.end


def _quotation(span: CitedSpan) -> bytes:
    """What was quoted, with ends of lines as `Source.lines` are joined here."""
    return (span.quote or "").replace("\r\n", "\n").replace("\r", "\n").strip("\n").encode()


class LineJudge:
    """Judges the spans of one file that were cited by lines."""

    def __init__(
        self,
        old: Source,
        new: Source,
        line_map: LineMap,
        quick: QuickJudge,
        matcher: Callable[[], Matcher],
    ) -> None:
        self.old = old
        self.new = new
        self.map = line_map
        self.quick = quick
        self.matcher = matcher

    def judge(self, span: CitedSpan) -> SpanDrift:
        """The verdict on one span."""
        cited = _Lines(*self.old.clamp(span.start_line, span.end_line))
        if not cited:
            return SpanDrift(span, "gone", None, None, 0.0)
        kept = self.map.kept(cited.start, cited.end)
        if kept is not None:
            return self._same(span, cited, _Lines(kept, kept + cited.end - cited.start))
        quick = self.quick.lines(cited.start, cited.end)
        place = _Lines(*self.map.project(cited.start, cited.end))
        quoted = self._quoted(span, place if quick is None else _Lines(quick.start_line, quick.end_line))
        if quoted is not None:
            return quoted
        if quick is not None:
            return SpanDrift(span, quick.now, quick.start_line, quick.end_line, 1.0)
        block = self._block(self.old.lines[cited.start - 1 : cited.end], cited)
        if block is not None:
            return self._same(span, cited, block)
        quoted = self._quoted_elsewhere(span)
        if quoted is not None:
            return quoted
        tokens = self._token_run(cited, place)
        if tokens is not None:
            return SpanDrift(span, "cosmetic", tokens.start, tokens.end, 1.0)
        return self._judged_in(span, cited, self._best_place(cited, place))

    def _same(self, span: CitedSpan, cited: _Lines, place: _Lines) -> SpanDrift:
        """The verdict on lines that are all there: their ends may still have changed."""
        there, here = self._bytes(self.old, cited), self._bytes(self.new, place)
        return SpanDrift(span, compare(self.old, there, self.new, here), place.start, place.end, 1.0)

    def _judged_in(self, span: CitedSpan, cited: _Lines, place: _Lines) -> SpanDrift:
        if not place:
            return SpanDrift(span, "gone", None, None, 0.0)
        now = compare(self.old, self._bytes(self.old, cited), self.new, self._bytes(self.new, place))
        if now != "edited" and not (
            now in ("cosmetic", "docs_only") and self._are_other_remarks(cited, place)
        ):
            return SpanDrift(span, now, place.start, place.end, 1.0)
        left = self._likeness(cited, place)
        if not self.map.kept_lines(cited.start, cited.end) and self._are_others(cited, place):
            return SpanDrift(span, "gone", None, None, left)
        return SpanDrift(span, "edited", place.start, place.end, left)

    def _quoted(self, span: CitedSpan, place: _Lines) -> SpanDrift | None:
        """A quotation whose words still stand in its place, whatever else happened to its lines."""
        if span.quote is None:
            return None
        wanted = _quotation(span)
        text = b"\n".join(self.new.lines[place.start - 1 : place.end])
        at = text.find(wanted) if wanted else -1
        if at < 0:
            return None
        start = place.start + text.count(b"\n", 0, at)
        return SpanDrift(span, "unchanged", start, start + wanted.count(b"\n"), 1.0)

    def _quoted_elsewhere(self, span: CitedSpan) -> SpanDrift | None:
        """A quotation that stood in the file once and still does, in another place."""
        wanted = _quotation(span)
        before, after = b"\n".join(self.old.lines), b"\n".join(self.new.lines)
        if not wanted or before.count(wanted) != 1 or after.count(wanted) != 1:
            return None
        start = after.count(b"\n", 0, after.index(wanted)) + 1
        place = _Lines(start, start + wanted.count(b"\n"))
        cited = _Lines(span.start_line, span.end_line)
        if not all(self._is_free(number, cited) for number in range(place.start, place.end + 1)):
            return None
        return SpanDrift(span, "unchanged", place.start, place.end, 1.0)

    def _are_other_remarks(self, cited: _Lines, place: _Lines) -> bool:
        """Whether comments or documentation alone were cited, and others stand in their place."""
        if self.map.kept_lines(cited.start, cited.end) or not self._are_others(cited, place, whole=True):
            return False
        return not self.old.tokens(*self._bytes(self.old, cited), docstrings=False)

    def _are_others(self, cited: _Lines, place: _Lines, *, whole: bool = False) -> bool:
        """Whether the lines in a place have nothing to do with the cited ones.

        They were there before, or have in common with them hardly more than what the whole file says often.
        """
        if not any(self.map.to_old(line) is None for line in range(place.start, place.end + 1)):
            return True
        before = self._words(self.old, cited, whole=whole)
        after = self._words(self.new, place, whole=whole)

        def weight(words: Counter[bytes]) -> float:
            return sum(count / max(1, self._word_counts[word]) for word, count in words.items())

        total = weight(before) + weight(after)
        return 2 * weight(before & after) < GONE_BELOW * total if total else True

    @cached_property
    def _word_counts(self) -> Counter[bytes]:
        return shape_of(self.old.data, self.old.language).words

    def _words(self, source: Source, lines: _Lines, *, whole: bool = False) -> Counter[bytes]:
        """The words of some lines; those in comments count only for the `whole`."""
        language = None if whole else source.language
        return shape_of(source.data[slice(*self._bytes(source, lines))], language).words

    def _block(self, wanted: Sequence[bytes], cited: _Lines) -> _Lines | None:
        """Where lines stand together in the new text as they did, in lines that came from nowhere else.

        A copy that was there before is another one: its lines are kept lines of the old text.
        """
        found: list[_Lines] = []
        if not any(line.strip() for line in wanted):
            return None
        lines = self.new.lines
        anchor = max(range(len(wanted)), key=lambda index: len(wanted[index].strip()))
        for index, line in enumerate(lines):
            start = index - anchor
            if line != wanted[anchor] or start < 0 or lines[start : start + len(wanted)] != list(wanted):
                continue
            place = _Lines(start + 1, start + len(wanted))
            if all(self._is_free(number, cited) for number in range(place.start, place.end + 1)):
                found.append(place)
        return found[0] if len(found) == 1 else None

    def _is_free(self, line: int, cited: _Lines) -> bool:
        """Whether a new line is no kept one of the old text outside of the cited ones, or has no word."""
        origin = self.map.to_old(line)
        return (
            origin is None
            or cited.start <= origin <= cited.end
            or WORD.search(self.new.lines[line - 1]) is None
        )

    def _token_run(self, cited: _Lines, place: _Lines) -> _Lines | None:
        """The new lines in which the cited tokens stand as they did, once, in the place of the old lines."""
        if not place:
            return None
        wanted = self.old.tokens(*self._bytes(self.old, cited))
        if not wanted:
            return None
        start, end = self._bytes(self.new, place)
        return self._as_lines(self.new.find_tokens(wanted, start, end))

    def _as_lines(self, place: tuple[int, int] | None) -> _Lines | None:
        if place is None:
            return None
        return _Lines(self.new.line_at(place[0]), self.new.line_at(max(place[0], place[1] - 1)))

    def _best_place(self, cited: _Lines, place: _Lines) -> _Lines:
        """The place that the line diff gives, or a likelier one by the definition around the lines."""
        if self.map.kept_lines(cited.start, cited.end):
            return place
        places = [self._by_loose_lines(cited), self._in_definition(cited), place]
        scored = [(self._likeness(cited, found) if found else 0.0, -i) for i, found in enumerate(places)]
        _, index = max(scored)
        return places[-index]

    def _by_loose_lines(self, cited: _Lines) -> _Lines:
        """By a line diff that does not look at white space."""
        loose = diff(self.old.data, self.new.data, ignore_space=True)
        return _Lines(*loose.project(cited.start, cited.end))

    def _in_definition(self, cited: _Lines) -> _Lines:
        """By the definition around the lines, where that is somewhere else now."""
        around = [
            symbol
            for symbol in self.old.symbols
            if symbol.start_line <= cited.start and cited.end <= symbol.end_line
        ]
        for symbol in sorted(around, key=lambda symbol: symbol.end_line - symbol.start_line):
            now = self._counterpart(symbol)
            if now is None:
                continue
            inner = diff(
                b"\n".join(self.old.lines[symbol.start_line - 1 : symbol.end_line]),
                b"\n".join(self.new.lines[now.start_line - 1 : now.end_line]),
                ignore_space=True,
            )
            offset = symbol.start_line - 1
            start, end = inner.project(cited.start - offset, cited.end - offset)
            return _Lines(start + now.start_line - 1, end + now.start_line - 1)
        return _Lines(1, 0)

    def _counterpart(self, symbol: Symbol) -> Symbol | None:
        same = self.matcher().same_name(symbol)
        if same is not None:
            return same
        renamed = self.matcher().renamed(symbol)
        return None if renamed is None else renamed.symbol

    def _likeness(self, cited: _Lines, place: _Lines) -> float:
        there, here = self._bytes(self.old, cited), self._bytes(self.new, place)
        one = shape_of(self.old.data[slice(*there)], self.old.language)
        other = shape_of(self.new.data[slice(*here)], self.new.language)
        return max(likeness(one, other), word_likeness(one, other))

    def _bytes(self, source: Source, lines: _Lines) -> tuple[int, int]:
        return source.span(lines.start, lines.end)
