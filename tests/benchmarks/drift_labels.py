"""Compares verdicts on functions, lines, quotations and files with labels made by other means.

    python -m tests.benchmarks.drift_labels FOLDER... [--misses N] [--far] [--only PATH]

A folder holds archives (.whl, .zip, .tgz, .tar.gz) of releases of packages; consecutive releases of a
package are compared, with --far also the first with the last. `drift_functions` finds functions and
compares them, `drift_text` does lines, quotations and files, both without the code under test. A function
whose name left its file is `moved` where one that is new in the release is alike in three quarters of its
characters, going by difflib, and gone where none is in half of them and none has its name; between these
nobody can tell: it is left out and counted. So is what stands in another block than before, where its
qualified name may be another, and what has an equal syntax tree but other tokens.
"""

from __future__ import annotations

import argparse
import difflib
import io
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath

from tests.benchmarks.drift_functions import Function, Key, functions_of
from tests.benchmarks.drift_releases import Files, releases
from tests.benchmarks.drift_text import FileLabels, TextLabels, TextSpan

from afresh_indexer.drift import drift
from afresh_indexer.languages import language_of
from afresh_indexer.outline import outline
from afresh_indexer.relocate import CandidateFile, Relocator
from afresh_indexer.verdicts import CitedSpan

MOVED_FROM = 0.75
GONE_BELOW = 0.5
NEARLY = 0.05
"""A place that is less than so much less alike than the best one is as right."""
FEW = 120
"""Characters: a function of fewer is like too many others for anybody to say where it went."""
FEW_WORDS = 0.3
"""Functions that share a smaller part of their words are not compared further."""
MANY = 2500
"""Characters of a function that are compared; difflib takes too long for more."""
VERDICTS = ("unchanged", "elsewhere", "cosmetic", "docs_only", "edited", "moved", "gone")


@dataclass(frozen=True)
class Miss:
    """A verdict that is not the label."""

    release: str
    path: str
    name: str
    label: str
    verdict: str
    detail: str


@dataclass(frozen=True)
class Label:
    """What became of something, and the places that are right for it."""

    state: str
    places: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """By path and name how alike; only for what moved."""


class FunctionLabels:
    """The labels of the functions of one release, given the next."""

    def __init__(self, old: Files, new: Files) -> None:
        before = {path: functions_of(path, data, language_of(path)) for path, data in old.items()}
        after = {path: functions_of(path, data, language_of(path)) for path, data in new.items()}
        counts = {path: Counter(one.key for one in found) for path, found in before.items()}
        self.old = {
            path: [one for one in found if counts[path][one.key] == 1] for path, found in before.items()
        }
        self.new: dict[str, dict[Key, Function]] = {}
        self.fresh: list[Function] = []
        for path, found in after.items():
            now = Counter(one.key for one in found)
            self.new[path] = {one.key: one for one in found if now[one.key] == 1}
            stood = Counter(one.qualified_name for one in before.get(path, ()))
            stands = Counter(one.qualified_name for one in found)
            self.fresh += [one for one in found if stands[one.qualified_name] > stood[one.qualified_name]]
        self.texts = new
        self.old_texts = old

    def label(self, function: Function) -> Label | None:
        """What became of a function; None where that can't be told."""
        now = self.new.get(function.path, {}).get(function.key)
        if now is None:
            data = self.texts.get(function.path, b"")
            return None if defines(data, function.name) else self.lost(function)
        if now.raw == function.raw:
            return Label("unchanged")
        if now.form == function.form:
            return Label("cosmetic") if now.signs == function.signs else None
        if now.bare == function.bare:
            return Label("docs_only")
        without_parentheses = {re.sub("[()]", "", one.form) for one in (now, function)}
        if not now.signs and len(without_parentheses) == 1:
            return None
        return Label("edited")

    def is_newly_defined(self, function: Function) -> bool:
        """Whether another file defines the name now, in a way that this method does not follow."""
        return any(
            defines(data, function.name) and not defines(self.old_texts.get(path, b""), function.name)
            for path, data in self.texts.items()
            if data != self.old_texts.get(path) and function.name.encode() in data
        )

    def lost(self, function: Function) -> Label | None:
        own = function.anonymous[:MANY]
        matcher = difflib.SequenceMatcher(None, "", own, autojunk=False)
        suffix = PurePosixPath(function.path).suffix
        scores: dict[tuple[str, str], float] = {}
        named: set[tuple[str, str]] = set()
        is_named = False
        for candidate in self.fresh:
            if PurePosixPath(candidate.path).suffix.rstrip("i") != suffix.rstrip("i"):
                continue
            is_same = candidate.qualified_name.replace("_", "") == function.qualified_name.replace("_", "")
            is_named = is_named or candidate.name == function.name
            shared = (function.words & candidate.words).total()
            if not is_same and 2 * shared < FEW_WORDS * (function.words.total() + candidate.words.total()):
                continue
            best = max(scores.values(), default=GONE_BELOW)
            matcher.set_seq1(candidate.anonymous[:MANY])
            if is_same or min(matcher.real_quick_ratio(), matcher.quick_ratio()) >= best - NEARLY:
                score = matcher.ratio()
                place = candidate.path, candidate.name
                if score >= GONE_BELOW:
                    scores[place] = max(score, scores.get(place, 0.0))
                    named |= {place} if is_same else set()
        best = max(scores.values(), default=0.0)
        if best < GONE_BELOW and not is_named:
            return None if self.is_newly_defined(function) else Label("gone")
        # Where its own name is, it is as likely as where something like it has another.
        places = {place: one for place, one in scores.items() if one >= best - NEARLY or place in named}
        if best < MOVED_FROM or len(own) < FEW or len(places) > 2:
            return None
        return Label("moved", places)


def defines(data: bytes, name: str) -> bool:
    """Whether a name looks defined somewhere, be it twice, as a member of an interface or by assigning."""
    pattern = (
        rb"(?:def|fn|function|func|class|const|let|var|type|static|mod|struct|enum|trait|interface)"
        rb"\s*\*?\s+(?:\([^)\n]*\)\s*)?%b\b|^[ \t]*(?:\w+[ \t]+){0,4}\*?(?:\w+\.)?%b\??\s*[<=(:]"
    )
    own = re.escape(name.encode())
    return name.encode() in data and re.search(pattern % (own, own), data, re.M) is not None


# --- verdicts -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """What the code under test says of something, and where it says that this is."""

    state: str
    path: str
    name: str
    start_line: int | None = None
    end_line: int | None = None


class Verdicts:
    """The verdicts on what a release has, given the next."""

    def __init__(self, old: Files, new: Files) -> None:
        self.old = old
        self.new = new
        self.relocator = Relocator(
            CandidateFile(path, data, language_of(path), old.get(path))
            for path, data in new.items()
            if old.get(path) != data
        )

    def spans(self, path: str, cited: Sequence[CitedSpan]) -> list[Verdict]:
        """The verdicts on spans of one file, in their order."""
        if not cited:
            return []
        language, data = language_of(path), self.old[path]
        found = drift(data, self.new.get(path), language, cited, path)
        file = self.relocator.file(data, language, path) if path not in self.new else None
        if file is not None:
            to = file.moved_to.path
            found = drift(data, self.new[to], language, cited, path, new_path=to)
        verdicts = []
        for one in found.spans:
            place = one.moved_to
            if one.now == "gone":
                away = self.relocator.span(data, language, path, one.span)
                place = None if away is None else away.moved_to
            if place is not None:
                name = place.symbol or ""
                verdicts.append(Verdict("moved", place.path, name, place.start_line, place.end_line))
            else:
                verdicts.append(Verdict(one.now, path, one.span.symbol or "", one.start_line, one.end_line))
        return verdicts

    def file(self, path: str) -> Verdict:
        """The verdict on a file that was cited as a whole."""
        data, language = self.old[path], language_of(path)
        if path in self.new:
            return Verdict(drift(data, self.new[path], language, [], path).change, path, "")
        found = self.relocator.file(data, language, path)
        return Verdict("gone", path, "") if found is None else Verdict("moved", found.moved_to.path, "")

    def change(self, path: str, span: CitedSpan) -> str:
        """What is said of a file of which one span is cited."""
        return drift(self.old[path], self.new[path], language_of(path), [span], path).change


def cited_functions(path: str, data: bytes, functions: Sequence[Function]) -> dict[Function, CitedSpan]:
    """The spans that an index would record for functions; without those that the outline doesn't have."""
    named: dict[str, list[CitedSpan]] = defaultdict(list)
    for symbol in outline(path, data, language_of(path)).symbols:
        hashes = symbol.source_sha256, symbol.tokens_sha256
        named[symbol.name].append(
            CitedSpan(symbol.start_line, symbol.end_line, symbol.qualified_name, None, *hashes)
        )
    found: dict[Function, CitedSpan] = {}
    for function in functions:
        overlapping = [
            span
            for span in named.get(function.name, ())
            if span.start_line <= function.end_line and function.start_line <= span.end_line
        ]
        if overlapping:
            length = function.end_line - function.start_line
            found[function] = min(overlapping, key=lambda one: abs(one.end_line - one.start_line - length))
    return found


# --- one pair of releases -----------------------------------------------------------------------------


@dataclass
class Tally:
    """Labels against verdicts of one kind of thing in one language."""

    matrix: Counter[tuple[str, str]] = field(default_factory=Counter)
    misses: list[Miss] = field(default_factory=list)
    untold: int = 0
    """What the method can't label."""
    unknown: int = 0
    """Functions that the outline does not have."""
    wrong_places: int = 0
    """Claims of the right kind that name another place."""

    def add(self, label: Label, verdict: Verdict, miss: Miss) -> None:
        state = verdict.state
        own = verdict.path, verdict.name.rpartition(".")[2]
        if state == "moved" and label.state == "moved" and own not in label.places:
            self.wrong_places += 1
            state = "moved elsewhere"
        self.matrix[label.state, state] += 1
        if label.state != state:
            self.misses.append(miss)

    def merge(self, other: Tally) -> None:
        self.matrix += other.matrix
        self.misses += other.misses
        self.untold += other.untold
        self.unknown += other.unknown
        self.wrong_places += other.wrong_places


Tallies = dict[tuple[str, str], Tally]
"""By what was judged and its language."""


def judge(release: str, old: Files, new: Files) -> Tallies:
    """All labels and verdicts of one release, given the next."""
    tallies: Tallies = defaultdict(Tally)
    verdicts = Verdicts(old, new)
    functions = FunctionLabels(old, new)
    texts, files = TextLabels(old, new), FileLabels(old, new)

    def note(what: str, path: str, name: str, label: Label | None, verdict: Verdict) -> None:
        tally = tallies[what, language_of(path) or ""]
        if label is None:
            tally.untold += 1
            return
        right = " or ".join(f"{to} {name} {score:.2f}" for (to, name), score in label.places.items())
        detail = f"to {verdict.path} {verdict.name}" if verdict.state == "moved" else ""
        detail += f" ({right})" if right else ""
        miss = Miss(release, path, name, label.state, verdict.state, detail)
        tally.add(label, verdict, miss)

    for path, found in functions.old.items():
        cited = cited_functions(path, old[path], found)
        tallies["functions", language_of(path) or ""].unknown += len(found) - len(cited)
        kept: list[CitedSpan] = []
        for function, verdict in zip(cited, verdicts.spans(path, list(cited.values())), strict=True):
            label = functions.label(function)
            note("functions", path, function.qualified_name, label, verdict)
            if label is not None and label.state == "unchanged" and new[path] != old[path]:
                kept.append(cited[function])
        for span in kept[:: max(1, len(kept) // 3)]:
            change = Verdict(verdicts.change(path, span), path, "")
            note("files with a function", path, span.symbol or "", Label("elsewhere"), change)
        label_of_file = files.label(path)
        places = {} if label_of_file is None else dict.fromkeys(((to, "") for to in label_of_file[1]), 1.0)
        whole = None if label_of_file is None else Label(label_of_file[0], places)
        note("whole files", path, "", whole, verdicts.file(path))
        for what, spans in (("lines", texts.spans(path)), ("quotations", texts.quotations(path))):
            judged = verdicts.spans(path, [text.cited for text in spans])
            for text, verdict in zip(spans, judged, strict=True):
                note(what, path, text.title, text_label(text, verdict), verdict)
    return tallies


def text_label(span: TextSpan, verdict: Verdict) -> Label | None:
    """The label of some lines; where they are to be found is compared by their text."""
    if span.label is None:
        return None
    state, path, text = span.label
    if state == "moved":
        return Label("moved", {(path, ""): 1.0})
    if text is not None and verdict.state == state and not span.is_at(verdict.start_line, verdict.end_line):
        return Label(f"{state} at another place")
    return Label(state)


def pairs(versions: Sequence[tuple[str, Files]], *, far: bool) -> Iterator[tuple[str, Files, Files]]:
    for (old_version, old), (new_version, new) in pairwise(versions):
        yield f"{old_version} to {new_version}", old, new
    if far and len(versions) > 2:
        yield f"{versions[0][0]} to {versions[-1][0]}", versions[0][1], versions[-1][1]


# --- the table ----------------------------------------------------------------------------------------


def table(what: str, language: str, tally: Tally) -> str:
    out = io.StringIO()
    out.write(f"\n{language}, {what}: {tally.matrix.total()} judged; {tally.untold} left out as untold, ")
    out.write(f"{tally.unknown} not in the outline\n")
    out.write(f"{'label':<12}{'count':>8}{'recall':>9}{'precision':>11}\n")
    for label in VERDICTS:
        count = sum(number for (own, _), number in tally.matrix.items() if own == label)
        claimed = sum(number for (_, verdict), number in tally.matrix.items() if verdict == label)
        right = tally.matrix[label, label]
        if count or claimed:
            recall = f"{right / count:.4f}" if count else "-"
            precision = f"{right / claimed:.4f}" if claimed else "-"
            out.write(f"{label:<12}{count:>8}{recall:>9}{precision:>11}\n")
    claims = sum(number for (_, verdict), number in tally.matrix.items() if verdict.startswith("moved"))
    if claims:
        wrong = claims - tally.matrix["moved", "moved"]
        out.write(f"wrong claims of moving: {wrong} of {claims} ({wrong / claims:.4f}), ")
        out.write(f"{tally.wrong_places} to another place\n")
    return out.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--misses", type=int, default=0, help="show so many of each kind")
    parser.add_argument("--far", action="store_true", help="compare the first release with the last, too")
    parser.add_argument("--only", default="", help="take only the files below this path of each release")
    arguments = parser.parse_args()
    tallies: Tallies = defaultdict(Tally)
    with ProcessPoolExecutor() as pool:
        waiting = [
            pool.submit(judge, f"{name} {release}", old, new)
            for folder in arguments.folders
            for name, versions in releases(folder, arguments.only)
            for release, old, new in pairs(versions, far=arguments.far)
        ]
        for done in waiting:
            for key, tally in done.result().items():
                tallies[key].merge(tally)
    for (what, language), tally in sorted(tallies.items(), key=lambda item: (item[0][1], item[0][0])):
        sys.stdout.write(table(what, language, tally))
        shown: Counter[tuple[str, str]] = Counter()
        for miss in tally.misses:
            shown[miss.label, miss.verdict] += 1
            if shown[miss.label, miss.verdict] <= arguments.misses:
                where = f"{miss.release} {miss.path} {miss.name} {miss.detail}".rstrip()
                sys.stdout.write(f"  {miss.label} judged {miss.verdict}: {where}\n")


if __name__ == "__main__":
    main()
