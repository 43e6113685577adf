"""Compares outlines with what universal-ctags finds in the same sources.

    python tests/benchmarks/outline_ctags.py python path/to/click [--misses 40]

Prints how many of ctags' definitions an outline has too, by kind, and those that it has not. A definition
of ctags counts as found if a symbol with its name encloses its line. What ctags lists and an outline leaves
out on purpose is not counted: the kinds in `LEFT_OUT`, each with its reason, variables inside functions, and
names that ctags makes up for what has none.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from afresh_indexer.languages import HEAD_BYTES, language_of
from afresh_indexer.outline import outline

CTAGS_NAMES = {
    "python": "Python",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "c": "C",
    "cpp": "C++",
    "csharp": "C#",
    "ruby": "Ruby",
    "php": "PHP",
    "bash": "Sh",
    "kotlin": "Kotlin",
}

LEFT_OUT: dict[str, dict[str, str]] = {
    "python": {"namespace": "an import", "module": "an import", "unknown": "an import"},
    "javascript": {"property": "a key of an object literal is data"},
    "typescript": {"alias": "an import under another name"},
    "go": {
        "package": "the clause names the package, it defines nothing",
        "packageName": "an import",
        "anonMember": "an embedded type has no name of its own",
        "unknown": "ctags does not know what it is",
    },
    "rust": {"implementation": "an impl has the name of its type"},
    "java": {"package": "the clause names the package, it defines nothing"},
    "c": {"header": "an include"},
    "cpp": {"header": "an include"},
    "csharp": {"typedef": "ctags calls `using X = Y` so, an import under another name"},
    "ruby": {"library": "a require"},
    "php": {"local": "a local variable", "alias": "an import under another name"},
    "bash": {"script": "a script that is sourced", "heredoc": "the end word of a here-document"},
    "kotlin": {"package": "the clause names the package, it defines nothing"},
}

LINES: dict[tuple[str, str], tuple[str, str]] = {
    ("javascript", "class"): (r"\b(class|function)\b", "ctags takes any object with properties for a class"),
    ("javascript", "method"): (r"\bfunction\b|\(|=>", "a key of an object literal that holds no function"),
    ("typescript", "constant"): (r"^\S", "indented: inside a function or a block"),
    ("typescript", "variable"): (r"^\S", "indented: inside a function or a block"),
    ("kotlin", "method"): (r"\bfun\b", "a lambda's parameter"),
    ("bash", "function"): (r"^\s*(function\s+\S|[\w:.-]+\s*\(\))", "an assignment of an empty array"),
    ("bash", "alias"): (r"^\s*alias\s", "an option of another command"),
}
"""What the line of a tag must have in it for the tag to be what it says, and what it is otherwise."""

FUNCTIONS = ("function", "method", "generator", "getter", "setter", "func", "singletonMethod")
VARIABLES = ("variable", "constant", "property", "var", "const", "local")


@dataclass(frozen=True, slots=True)
class Tag:
    """One definition as ctags sees it."""

    path: Path
    line: int
    name: str
    kind: str


def sources(folder: Path, language: str) -> list[Path]:
    """The files of the language below a folder, smaller than a megabyte and not minified."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or ".min." in path.name or path.stat().st_size > 1_000_000:
            continue
        with path.open("rb") as stream:
            if language_of(path.name, stream.read(HEAD_BYTES)) == language:
                found.append(path)
    return found


def kind_of(entry: dict[str, str], language: str, line: str) -> str:
    """The kind of a tag, or the reason why it is none."""
    kind = entry["kind"]
    if entry.get("scopeKind") in FUNCTIONS and kind in VARIABLES:
        return "inside a function"
    if kind in LEFT_OUT[language]:
        return LEFT_OUT[language][kind]
    pattern, reason = LINES.get((language, kind), ("", ""))
    return kind if re.search(pattern, line) else reason


def tags(paths: list[Path], language: str) -> Iterator[Tag]:
    """What ctags finds, without names that it made up itself."""
    lines: dict[Path, list[str]] = {}
    name = CTAGS_NAMES[language]
    command = [
        "ctags",
        "--quiet",
        f"--language-force={name}",
        "--output-format=json",
        "--fields=+nK",
        "-f",
        "-",
    ]
    listing = "\n".join(map(str, paths))
    done = subprocess.run(
        [*command, "-L", "-"], input=listing, capture_output=True, text=True, encoding="utf-8", check=True
    )
    for line in done.stdout.rstrip("\n").split("\n"):
        entry = json.loads(line)
        if entry["name"].startswith(("__anon", "anonymous", "AnonymousFunction", "<")):
            continue
        path, number = Path(entry["path"]), entry["line"]
        if path not in lines:
            lines[path] = path.read_text(encoding="utf-8", errors="replace").split("\n")
        yield Tag(path, number, entry["name"], kind_of(entry, language, lines[path][number - 1]))


def plain(name: str) -> str:
    """The last part of a path of names, without blanks: `operator ==` and `operator==` are one name."""
    parts = [part for part in re.split(r"::|\\|\.", name) if part]
    return "".join(parts[-1].split()) if parts else name


def compare(folder: Path, language: str, shown: int) -> float:
    """Print the comparison for a folder and give the recall."""
    paths = sources(folder, language)
    if not paths:
        raise SystemExit(f"no {language} sources below {folder}")
    symbols: dict[Path, dict[str, list[tuple[int, int]]]] = {}
    count = 0
    for path in paths:
        by_name: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for symbol in outline(path.name, path.read_bytes(), language).symbols:
            by_name[plain(symbol.name)].append((symbol.start_line, symbol.end_line))
            count += 1
        symbols[path] = by_name
    totals: Counter[str] = Counter()
    found: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    misses = []
    for tag in tags(paths, language):
        if " " in tag.kind:
            left_out[tag.kind] += 1
            continue
        totals[tag.kind] += 1
        name = plain(tag.name)
        if any(start <= tag.line <= end for start, end in symbols[tag.path].get(name, ())):
            found[tag.kind] += 1
        else:
            misses.append(tag)
    recall = found.total() / totals.total() if totals else 1.0
    print(
        f"{language}: {len(paths)} files, {count} symbols, {totals.total()} of ctags, "
        f"{found.total()} found, recall {recall:.4f}"
    )
    for kind, total in totals.most_common():
        print(f"  {kind}: {found[kind]} of {total}")
    for kind, total in left_out.most_common():
        print(f"  left out: {total}, {kind}")
    for tag in misses[:: max(1, len(misses) // shown)] if shown else []:
        print(f"  missed: {tag.kind} {tag.name} at {tag.path.relative_to(folder)}:{tag.line}")
    return recall


def main() -> int:
    """Run from the command line; fails where the recall is under 0.95."""
    parser = argparse.ArgumentParser(description="Compare outlines with universal-ctags.")
    parser.add_argument("language", choices=sorted(CTAGS_NAMES))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--misses", type=int, default=40, help="how many misses to show, spread over all")
    arguments = parser.parse_args()
    return 0 if compare(arguments.folder, arguments.language, arguments.misses) >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
