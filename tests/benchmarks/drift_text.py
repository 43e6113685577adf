"""Labels of lines, quotations and whole files by plain text and `ast`, not by the code under test.

Some lines of each changed file are picked, half of them where difflib sees a change. They are unchanged where
they stand together once in both versions; edited where half of them or more stayed and other words replace
the rest, outside of comments and long strings; gone where none of them, nor many of their words, is left;
moved where they left the file and stand together in just one other that did not have them.
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import random
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from tests.benchmarks.drift_functions import formless, python_signs, python_tree, strip_docstrings
from tests.benchmarks.drift_releases import Files

from afresh_indexer.languages import language_of
from afresh_indexer.verdicts import CitedSpan

PICKED = 6
"""Spans of each changed file."""
MANY_LINES = 3000
"""difflib takes too long for more."""
RENAMED_FROM = 0.6
REMOVED_BELOW = 0.3
REPLACED_BELOW = 0.2
"""The part of their words up to which lines have nothing to do with what replaced them."""
MUCH = 60
"""Letters and digits of lines that can be told from all others."""
WORD = re.compile(r"\w+")
REMARK = re.compile(r"\s*(?:/\*|\*)|.*(?:#|//|\"\"\"|'''|`)")

TextOf = tuple[str, str, str | None]
"""A label, the path and the text there."""


@dataclass(frozen=True)
class TextSpan:
    """Some lines with their label."""

    title: str
    cited: CitedSpan
    label: TextOf | None
    new_lines: Sequence[str]

    def is_at(self, start: int | None, end: int | None) -> bool:
        """Whether the text of the label stands in these new lines."""
        if self.label is None or self.label[2] is None or start is None or end is None:
            return False
        return self.label[2] in "\n".join(self.new_lines[start - 1 : end])


def lines_of(data: bytes) -> list[str]:
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def weight(line: str) -> int:
    return sum(map(str.isalnum, line))


class TextLabels:
    """The labels of lines of one release, given the next."""

    def __init__(self, old: Files, new: Files) -> None:
        self.old = old
        self.new = new

    @cached_property
    def fresh(self) -> dict[str, list[str]]:
        """The lines of all files that changed or are new."""
        return {path: lines_of(data) for path, data in self.new.items() if self.old.get(path) != data}

    @cached_property
    def fresh_lines(self) -> Counter[str]:
        return Counter(line.strip() for lines in self.fresh.values() for line in lines)

    def spans(self, path: str) -> list[TextSpan]:
        return self._picked(path, range(3, 9), quoted=False)

    def quotations(self, path: str) -> list[TextSpan]:
        return self._picked(path, range(1, 3), quoted=True)

    def _picked(self, path: str, lengths: range, *, quoted: bool) -> list[TextSpan]:
        data, now = self.old[path], self.new.get(path)
        lines = lines_of(data)
        if data == now or not 20 <= len(lines) <= MANY_LINES:
            return []
        new_lines = [] if now is None else lines_of(now)
        generator = random.Random(zlib.crc32(path.encode()) + len(data))
        matcher = difflib.SequenceMatcher(None, lines, new_lines, autojunk=False)
        blocks = matcher.get_matching_blocks()
        kept = {block.a + index: block.b + index for block in blocks for index in range(block.size)}
        lost = [index for index in range(len(lines)) if index not in kept]
        found: list[TextSpan] = []
        for number in range(PICKED):
            length = generator.choice(lengths)
            at = generator.choice(lost) if lost and number % 2 else generator.randrange(len(lines))
            start = max(0, min(at - generator.randrange(length), len(lines) - length))
            block = lines[start : start + length]
            if weight("".join(block)) < MUCH // (2 if quoted else 1) or not block[0].strip():
                continue
            text = "\n".join(block)
            digest = hashlib.sha256(text.encode() + b"\n").hexdigest()
            quote = text.strip() if quoted else None
            cited = CitedSpan(start + 1, start + length, None, quote, digest)
            label = self._label(path, lines, start, block, new_lines, kept)
            found.append(TextSpan(f"{start + 1}-{start + length}", cited, label, new_lines))
        return found

    def _label(
        self,
        path: str,
        lines: Sequence[str],
        start: int,
        block: Sequence[str],
        new_lines: Sequence[str],
        kept: dict[int, int],
    ) -> TextOf | None:
        if places(lines, block) != 1:
            return None
        there = places(new_lines, block)
        if there:
            return ("unchanged", path, "\n".join(block)) if there == 1 else None
        if squeezed(block) in squeezed(new_lines):
            return None
        stayed = [
            index for index in range(start, start + len(block)) if index in kept and lines[index].strip()
        ]
        if path not in self.new and not any(self.fresh_lines[line.strip()] for line in block):
            return None
        if not any(self.fresh_lines[line.strip()] for line in block if weight(line) > 8):
            is_there = stayed or self._is_in_its_place(block, start, new_lines, kept)
            return None if is_there else ("gone", path, None)
        if not stayed:
            away = [other for other, own in self.fresh.items() if other != path and places(own, block) == 1]
            if len(away) != 1 or places(lines_of(self.old.get(away[0], b"")), block):
                return None
            return "moved", away[0], None
        heavy = [index for index in range(start, start + len(block)) if lines[index].strip()]
        if 2 * len(stayed) < len(heavy):
            return None
        first, last = kept[stayed[0]], kept[stayed[-1]]
        own = [line for line in lines[stayed[0] : stayed[-1] + 1] if line.strip()]
        now = [line for line in new_lines[first : last + 1] if line.strip()]
        if stayed[0] != heavy[0] or stayed[-1] != heavy[-1]:
            return None
        if any(map(REMARK.match, [*own, *now])) or self._is_in_long_string(path, start, len(block)):
            return None
        words, new_words = (WORD.findall(" ".join(part)) for part in (own, now))
        return None if words == new_words else ("edited", path, None)

    def _is_in_its_place(
        self, block: Sequence[str], start: int, new_lines: Sequence[str], kept: dict[int, int]
    ) -> bool:
        """Whether a good part of the words of some lines is in what replaced them."""
        first = max((new for old, new in kept.items() if old < start), default=-1) + 1
        end = min((new for old, new in kept.items() if old >= start + len(block)), default=len(new_lines))
        words, now = (Counter(WORD.findall(" ".join(lines))) for lines in (block, new_lines[first:end]))
        return sum((words & now).values()) >= REPLACED_BELOW * sum(words.values())

    def _is_in_long_string(self, path: str, start: int, length: int) -> bool:
        """Whether some of the lines belong to a Python string of several lines."""
        if language_of(path) != "python":
            return False
        tree = python_tree(self.old[path].decode("utf-8", "replace"))
        return tree is None or any(
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.lineno - 1 < start + length
            and (node.end_lineno or 0) > start
            and node.end_lineno != node.lineno
            for node in ast.walk(tree)
        )


def places(lines: Sequence[str], block: Sequence[str]) -> int:
    """How often lines stand together among others."""
    length = len(block)
    return sum(
        lines[index] == block[0] and list(lines[index : index + length]) == list(block)
        for index in range(len(lines) - length + 1)
    )


def squeezed(lines: Sequence[str]) -> str:
    """Without anything that a formatter may change."""
    return re.sub(r"[\s,;()\"']+", "", "".join(lines))


class FileLabels:
    """The labels of the files of one release, given the next: the state, and where else the file may be."""

    def __init__(self, old: Files, new: Files) -> None:
        self.old = old
        self.new = new

    def label(self, path: str) -> tuple[str, tuple[str, ...]] | None:
        data, now = self.old[path], self.new.get(path)
        if now is None:
            return self._lost(path, data)
        if now == data:
            return "unchanged", ()
        before, after = data.decode("utf-8", "replace"), now.decode("utf-8", "replace")
        if language_of(path) == "python":
            return python_change(before, after)
        language = language_of(path) or ""
        return ("cosmetic" if formless(before, language) == formless(after, language) else "edited"), ()

    def _lost(self, path: str, data: bytes) -> tuple[str, tuple[str, ...]] | None:
        lines = [line.strip() for line in lines_of(data) if weight(line) > 3]
        if len(lines) < 5:
            return None
        scores: dict[str, float] = {}
        for other, own in self.new.items():
            if other not in self.old and PurePosixPath(other).suffix == PurePosixPath(path).suffix:
                others = [line.strip() for line in lines_of(own) if weight(line) > 3]
                matcher = difflib.SequenceMatcher(None, lines, others, autojunk=False)
                if matcher.quick_ratio() >= REMOVED_BELOW:
                    scores[other] = matcher.ratio()
        best = max(scores.values(), default=0.0)
        if best < REMOVED_BELOW:
            return "gone", ()
        if best < RENAMED_FROM:
            return None
        return "moved", tuple(other for other, score in scores.items() if score >= best - 0.05)


def python_change(before: str, after: str) -> tuple[str, tuple[str, ...]] | None:
    old, new = python_tree(before), python_tree(after)
    if old is None or new is None:
        return None
    if ast.dump(old) == ast.dump(new):
        return ("cosmetic", ()) if python_signs(before) == python_signs(after) else None
    strip_docstrings(old)
    strip_docstrings(new)
    return ("docs_only" if ast.dump(old) == ast.dump(new) else "edited"), ()
