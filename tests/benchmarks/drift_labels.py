"""Compares span verdicts between releases of real packages with labels made by other means.

    python tests/benchmarks/drift_labels.py FOLDER... [--misses N]

A folder holds archives (.whl, .zip, .tgz, .tar.gz) of releases of packages; consecutive releases of a package
are compared. Functions of Python are found and labelled with `ast` alone: equal text is unchanged, an equal
dump cosmetic, one equal without docstrings docs_only. For TypeScript and Rust they are found by matching
braces and compared as text without comments and white space. A function whose name left its file is `moved`
where one that is new in the release is alike in three quarters of its characters, going by difflib, and gone
where none is in half of them and none has its name; between these nobody can tell, and it is left out and
counted. So is what stands in another block than before, where its qualified name may be another, and what has
an equal dump but other tokens.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import io
import re
import sys
import tarfile
import tokenize
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path, PurePosixPath

from afresh_indexer.drift import drift
from afresh_indexer.languages import language_of
from afresh_indexer.outline import outline
from afresh_indexer.relocate import CandidateFile, Relocator
from afresh_indexer.verdicts import CitedSpan

MOVED_FROM = 0.75
GONE_BELOW = 0.5
FEW = 120
"""Characters: a function of fewer is like too many others for anybody to say where it went."""
MANY = 4000
"""Characters of a function that are compared; difflib takes too long for more."""
LANGUAGES = ("python", "typescript", "rust")
VERDICTS = ("unchanged", "cosmetic", "docs_only", "edited", "moved", "gone")

Files = Mapping[str, bytes]


@dataclass(eq=False)
class Function:
    """A function as the independent method sees it; what is seldom asked for is worked out then."""

    path: str
    name: str
    qualified_name: str
    start_line: int
    end_line: int
    raw: str
    make_form: Callable[[], str]
    make_bare: Callable[[], str]
    around: str = ""
    """What the braces around it belong to, where the name does not say it."""
    make_signs: Callable[[], list[str]] = list
    """Its tokens but for what is form: an equal meaning in other tokens is for nobody to call cosmetic."""

    @cached_property
    def form(self) -> str:
        """What remains when only form is taken away."""
        return self.make_form()

    @cached_property
    def bare(self) -> str:
        """The same without docstrings."""
        return self.make_bare()

    @cached_property
    def anonymous(self) -> str:
        """The form without docstrings and without the function's own name."""
        return re.sub(rf"\b{re.escape(self.name)}\b", "_", self.bare)


@dataclass(frozen=True)
class Miss:
    """A verdict that is not the label."""

    release: str
    path: str
    name: str
    label: str
    verdict: str
    detail: str


# --- functions, by other means ------------------------------------------------------------------------


def python_functions(path: str, data: bytes) -> list[Function]:
    """Every function and method whose qualified name is there once."""
    text = data.decode("utf-8", "replace")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    lines = text.splitlines(keepends=True)
    found: list[Function] = []

    def visit(node: ast.AST, around: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append(python_function(path, child, around, lines))
            own = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            visit(child, (*around, child.name) if own else around)  # type: ignore[attr-defined]

    visit(tree, ())
    return found


def python_function(
    path: str, node: ast.FunctionDef | ast.AsyncFunctionDef, around: tuple[str, ...], lines: Sequence[str]
) -> Function:
    start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    end = node.end_lineno or start
    last = lines[end - 1].encode()[: node.end_col_offset].decode("utf-8", "replace")
    raw = "".join([*lines[start - 1 : end - 1], last]).lstrip()
    return Function(
        path,
        node.name,
        ".".join((*around, node.name)),
        start,
        end,
        raw,
        lambda: ast.dump(node),
        lambda: ast.unparse(without_docstrings(node)),
        make_signs=lambda: python_signs(raw),
    )


def python_signs(raw: str) -> list[str]:
    """The tokens of a function without white space, comments, commas, semicolons and parentheses."""
    found: list[str] = []
    kept = (tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP)
    for token in tokenize.generate_tokens(io.StringIO(raw + "\n").readline):
        if token.type == tokenize.STRING and "f" not in token.string[:2].lower():
            found.append(repr(ast.literal_eval(token.string)))
        elif token.type in kept and token.string not in ("(", ")", ",", ";"):
            found.append(token.string)
    return found


def without_docstrings(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
) -> ast.FunctionDef | ast.AsyncFunctionDef:
    copy = ast.parse(ast.unparse(node)).body[0]
    strip_docstrings(copy)
    return copy  # type: ignore[return-value]


def strip_docstrings(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = node.body[0]
            is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            if is_text and isinstance(first.value.value, str):  # type: ignore[attr-defined]
                node.body = node.body[1:]


BLANKED = re.compile(
    r"//[^\n]*|/\*[\s\S]*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)'|`(?:[^`\\]|\\[\s\S])*`"
)
HEADS = {
    "typescript": re.compile(
        r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(?P<name>\w+)\s*[(<]", re.M
    ),
    "rust": re.compile(
        r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+)*fn\s+(?P<name>\w+)\s*[(<]", re.M
    ),
}


def braced_functions(path: str, data: bytes, language: str) -> list[Function]:
    """Every function with a body whose name is there once, found by its braces."""
    text = data.decode("utf-8", "replace")
    blank = BLANKED.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    found: list[Function] = []
    for head in HEADS[language].finditer(blank):
        body = body_of(blank, head.end())
        if body is None:
            continue
        start = head.start() + len(head[0]) - len(head[0].lstrip())
        if language == "rust":
            start = with_attributes(text, start)
        raw = text[start:body]
        name = head["name"]
        lines = text.count("\n", 0, start) + 1, text.count("\n", 0, body) + 1
        form = partial(formless, raw)
        found.append(Function(path, name, name, *lines, raw, form, form, around(blank, start)))
    return found


def around(blank: str, start: int) -> str:
    """The text in front of the innermost brace that is open around an offset, and how many are open."""
    depth, at = 0, start
    opened = ""
    for index in range(start - 1, -1, -1):
        if blank[index] == "}":
            depth -= 1
        elif blank[index] == "{":
            depth += 1
            if depth == 1 and not opened:
                opened = re.split(r"[{};]", blank[:index])[-1].strip()
                at = index
    return f"{depth} {opened}" if at < start else str(depth)


def body_of(blank: str, at: int) -> int | None:
    """The offset behind the function's closing brace; None where it has no body."""
    depth, nesting = 0, 0
    for index in range(at - 1, len(blank)):
        sign = blank[index]
        if sign in "([":
            nesting += 1
        elif sign in ")]":
            nesting -= 1
        elif sign == ";" and depth == 0 and nesting == 0:
            return None
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            # The braces of a type in front of the body close before it opens.
            if depth == 0 and nesting == 0 and not re.match(r"\s*[{|&\[,)>]", blank[index + 1 : index + 40]):
                return index + 1
    return None


def with_attributes(text: str, start: int) -> int:
    """The start of the attributes right above a function."""
    line = text.rfind("\n", 0, start) + 1
    while line > 0:
        above = text.rfind("\n", 0, line - 1) + 1
        if not text[above:line].lstrip().startswith("#["):
            break
        line = above
        start = above + len(text[above:]) - len(text[above:].lstrip())
    return start


def uncommented(raw: str) -> str:
    """The text without comments, but for those that compilers obey."""
    return BLANKED.sub(
        lambda found: " " if found[0][:2] in ("//", "/*") and "@ts-" not in found[0] else found[0], raw
    )


def formless(raw: str) -> str:
    text = uncommented(raw).replace("'", '"')
    text = re.sub(r"\s+", "", text)
    return re.sub(r",(?=[)\]}>])", "", text).replace(";", "")


def functions_of(path: str, data: bytes) -> list[Function]:
    language = language_of(path)
    found = (
        python_functions(path, data)
        if language == "python"
        else braced_functions(path, data, language)
        if language in HEADS
        else []
    )
    counts = Counter(function.qualified_name for function in found)
    return [function for function in found if counts[function.qualified_name] == 1]


# --- labels -------------------------------------------------------------------------------------------


class Labels:
    """The labels of the functions of one release, given the next."""

    def __init__(self, old: Files, new: Files) -> None:
        self.old = {path: functions_of(path, data) for path, data in old.items()}
        self.new = {
            path: {function.qualified_name: function for function in functions_of(path, data)}
            for path, data in new.items()
        }
        known = {(one.path, one.qualified_name) for found in self.old.values() for one in found}
        self.fresh = [
            function
            for found in self.new.values()
            for function in found.values()
            if (function.path, function.qualified_name) not in known
        ]
        self.texts = new

    def label(self, function: Function) -> tuple[str, Function | None] | None:
        """What became of a function, and where it is; None where that can't be told."""
        now = self.new.get(function.path, {}).get(function.qualified_name)
        if now is None:
            data = self.texts.get(function.path, b"")
            if re.search(rb"\b%b\b" % re.escape(function.name.encode()), data):
                return None if self.is_still_defined(function, data) else self.lost(function)
            return self.lost(function)
        if now.around != function.around:
            return None
        if now.raw == function.raw:
            return "unchanged", now
        if now.form == function.form:
            return ("cosmetic", now) if now.make_signs() == function.make_signs() else None
        return ("docs_only" if now.bare == function.bare else "edited"), now

    def is_still_defined(self, function: Function, data: bytes) -> bool:
        """Whether the name is defined there in a way that this method does not follow, such as twice."""
        pattern = rb"(?:def|fn|function|class|const|let|var|type|static)\s*\*?\s+%b\b|^\s*%b\s*[=(:]"
        name = re.escape(function.name.encode())
        return re.search(pattern % (name, name), data, re.M) is not None

    def lost(self, function: Function) -> tuple[str, Function | None] | None:
        own = function.anonymous[:MANY]
        matcher = difflib.SequenceMatcher(None, "", own, autojunk=False)
        best, share = None, 0.0
        tied = False
        for candidate in self.fresh:
            if candidate.path.rpartition(".")[2] != function.path.rpartition(".")[2]:
                continue
            if candidate.name == function.name:
                share = max(share, GONE_BELOW)
            matcher.set_seq1(candidate.anonymous[:MANY])
            if min(matcher.real_quick_ratio(), matcher.quick_ratio()) < max(share, GONE_BELOW):
                continue
            score = matcher.ratio()
            if score > share:
                best, share, tied = candidate, score, False
            elif score == share and best is not None:
                tied = True
        if share < GONE_BELOW:
            return "gone", None
        if share < MOVED_FROM or len(own) < FEW or tied:
            return None
        return "moved", best


# --- verdicts -----------------------------------------------------------------------------------------


class Verdicts:
    """The verdicts on the functions of one release, given the next."""

    def __init__(self, old: Files, new: Files) -> None:
        self.old = old
        self.new = new
        self.relocator = Relocator(
            CandidateFile(path, data, language_of(path), old.get(path))
            for path, data in new.items()
            if old.get(path) != data
        )
        self.names = {path: names_of(path, data) for path, data in old.items()}

    def judge(self, path: str, functions: Sequence[Function]) -> dict[str, tuple[str, str, str]]:
        """By qualified name the verdict, and the path and name that it gives; for those in the outline."""
        spans = {function.qualified_name: self.span(function) for function in functions}
        cited = {name: span for name, span in spans.items() if span is not None}
        if not cited:
            return {}
        language, data = language_of(path), self.old[path]
        found = drift(data, self.new.get(path), language, list(cited.values()), path)
        file = self.relocator.file(data, language, path) if path not in self.new else None
        if file is not None:
            to = file.moved_to.path
            found = drift(data, self.new[to], language, list(cited.values()), path, new_path=to)
        verdicts: dict[str, tuple[str, str, str]] = {}
        for name, one in zip(cited, found.spans, strict=True):
            place = one.moved_to
            if one.now == "gone":
                away = self.relocator.span(data, language, path, one.span)
                place = None if away is None else away.moved_to
            if place is not None:
                verdicts[name] = "moved", place.path, place.symbol or ""
            else:
                verdicts[name] = one.now, path, one.span.symbol or ""
        return verdicts

    def span(self, function: Function) -> CitedSpan | None:
        for span in self.names[function.path].get(function.name, ()):
            overlaps = span.start_line <= function.end_line and function.start_line <= span.end_line
            if overlaps and (span.symbol or "").endswith(function.qualified_name):
                return span
        return None


def names_of(path: str, data: bytes) -> dict[str, list[CitedSpan]]:
    named: dict[str, list[CitedSpan]] = defaultdict(list)
    for symbol in outline(path, data, language_of(path)).symbols:
        hashes = symbol.source_sha256, symbol.tokens_sha256
        named[symbol.name].append(
            CitedSpan(symbol.start_line, symbol.end_line, symbol.qualified_name, None, *hashes)
        )
    return named


# --- releases -----------------------------------------------------------------------------------------


def releases(folder: Path) -> Iterator[tuple[str, list[tuple[str, Files]]]]:
    """The packages of a folder: the name, and its releases in order with their files."""
    packages: dict[str, list[tuple[tuple[int, ...], str, Path]]] = defaultdict(list)
    for archive in sorted(folder.iterdir()):
        found = re.match(r"(?P<name>[A-Za-z][\w.-]*?)-(?P<version>\d+(?:\.\d+)+)", archive.name)
        if found is not None and archive.name.endswith((".whl", ".zip", ".tgz", ".tar.gz")):
            version = tuple(int(part) for part in found["version"].split("."))
            packages[found["name"].lower()].append((version, found["version"], archive))
    for name, found_releases in sorted(packages.items()):
        yield name, [(text, read(archive)) for _, text, archive in sorted(found_releases)]


def read(archive: Path) -> Files:
    """The sources in an archive, by path without the release's own folder."""
    files: dict[str, bytes] = {}
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as zipped:
            for name in zipped.namelist():
                if is_source(name):
                    files[name] = zipped.read(name)
        return files
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            opened = tar.extractfile(member) if member.isfile() and is_source(member.name) else None
            if opened is not None:
                files[str(PurePosixPath(*PurePosixPath(member.name).parts[1:]))] = opened.read()
    return files


def is_source(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return language_of(name) in LANGUAGES and not name.endswith(".d.ts") and "esm5" not in parts


# --- the table ----------------------------------------------------------------------------------------


@dataclass
class Tally:
    """Labels against verdicts of one language."""

    matrix: Counter[tuple[str, str]]
    misses: list[Miss]
    untold: int = 0
    """Functions that left their file and of which the method can't tell where to."""
    unknown: int = 0
    """Functions that the outline does not have."""
    wrong_places: int = 0
    """Claims of the right kind that name another place."""


def judge(name: str, versions: Sequence[tuple[str, Files]], tallies: Mapping[str, Tally]) -> None:
    for (old_version, old), (new_version, new) in pairwise(versions):
        labels, verdicts = Labels(old, new), Verdicts(old, new)
        release = f"{name} {old_version} to {new_version}"
        for path, functions in labels.old.items():
            tally = tallies[language_of(path) or ""]
            found = verdicts.judge(path, functions)
            for function in functions:
                labelled = labels.label(function)
                judged = found.get(function.qualified_name)
                if labelled is None or judged is None:
                    tally.untold += labelled is None
                    tally.unknown += judged is None
                    continue
                label, place = labelled
                verdict, to_path, to_name = judged
                detail = ""
                if verdict == "moved":
                    detail = f"to {to_path} {to_name}"
                    there = place is not None and (to_path, to_name.rpartition(".")[2]) == (
                        place.path,
                        place.name,
                    )
                    if label == "moved" and not there:
                        tally.wrong_places += 1
                        verdict = "moved elsewhere"
                        detail += f", not {place.path if place else ''} {place.name if place else ''}"
                tally.matrix[label, verdict] += 1
                if label != verdict:
                    tally.misses.append(Miss(release, path, function.qualified_name, label, verdict, detail))


def table(language: str, tally: Tally) -> str:
    out = io.StringIO()
    out.write(f"\n{language}: {tally.matrix.total()} functions; {tally.untold} left out as untold, ")
    out.write(f"{tally.unknown} not in the outline\n")
    out.write(f"{'label':<12}{'count':>8}{'recall':>9}{'precision':>11}\n")
    for label in VERDICTS:
        count = sum(number for (own, _), number in tally.matrix.items() if own == label)
        claimed = sum(number for (_, verdict), number in tally.matrix.items() if verdict == label)
        right = tally.matrix[label, label]
        recall = f"{right / count:.4f}" if count else "-"
        precision = f"{right / claimed:.4f}" if claimed else "-"
        out.write(f"{label:<12}{count:>8}{recall:>9}{precision:>11}\n")
    claims = sum(number for (_, verdict), number in tally.matrix.items() if verdict.startswith("moved"))
    wrong = claims - tally.matrix["moved", "moved"]
    share = f"{wrong / claims:.4f}" if claims else "-"
    out.write(
        f"wrong claims of moving: {wrong} of {claims} ({share}), {tally.wrong_places} to another place\n"
    )
    return out.getvalue()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--misses", type=int, default=0, help="show so many of each kind")
    arguments = parser.parse_args()
    tallies = {language: Tally(Counter(), []) for language in LANGUAGES}
    for folder in arguments.folders:
        for name, versions in releases(folder):
            judge(name, versions, tallies)
    for language, tally in tallies.items():
        if not tally.matrix:
            continue
        sys.stdout.write(table(language, tally))
        shown: Counter[tuple[str, str]] = Counter()
        for miss in tally.misses:
            shown[miss.label, miss.verdict] += 1
            if shown[miss.label, miss.verdict] <= arguments.misses:
                where = f"{miss.release} {miss.path} {miss.name} {miss.detail}".rstrip()
                sys.stdout.write(f"  {miss.label} judged {miss.verdict}: {where}\n")


if __name__ == "__main__":
    main()
