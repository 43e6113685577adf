"""Reads out of notes what they claim about a workspace: files, definitions, commits and commands that it has.

Only what names something is a claim. Patterns, placeholders, addresses, things that are to be made and things
that the sentence itself says are gone are none. `dead_claims` judges them; nothing here looks at a workspace.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import unquote

from afresh_indexer.claim_cues import standing
from afresh_indexer.claim_text import LineStarts, Piece, pieces
from afresh_indexer.claim_tree import drawn_paths
from afresh_indexer.claim_words import (
    EXAMPLE_FOLDERS,
    EXTENSIONS,
    NAMES_WITHOUT_EXTENSION,
    extension,
    is_host,
    is_template,
)

ClaimKind = Literal["path", "symbol", "commit", "command"]
Certainty = Literal["certain", "doubtful"]

_SUFFIX = re.compile(
    r"(?::\d+(?:[-:,]\d+)*|#L\d+(?:-L?\d+)?|#[\w.-]*|::[\w.\[\]-]+(?:::[\w.\[\]-]+)*(?:\(\))?"
    r"|:[A-Za-z_][\w.]*(?:\(\))?|\?\S*)$"
)
_MEMBER = re.compile(r"(?:::?|#)([A-Za-z_]\w*(?:(?:::|\.)\w+)*)(?:\(\))?$")
_PATH = re.compile(r"(?:\.{0,2}/)?[\w.+@()\[\] -]+(?:/[\w.+@()\[\] -]+)*/?")
_SYMBOL = re.compile(r"(?:[A-Za-z_]\w*(?:\.|::|#))*[A-Za-z_]\w*(?:\(\))?")
_SIGNATURE = re.compile(
    r"((?:[A-Za-z_]\w*(?:\.|::))*[A-Za-z_]\w*)\([^()]*(?:\([^()]*\)[^()]*)*\)(?:\s*->.*)?"
)
_SHAPED = re.compile(
    r"\w*[a-z0-9]_\w+|_+\w{2,}|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[a-z]+[a-z0-9]*[A-Z]\w*|[A-Z]{2,}[a-z]\w+"
)
_DOTTED = re.compile(r"\w{2,}(?:\.\w{2,})+")
_COMMIT = re.compile(r"(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}")
_COMMIT_BEFORE = re.compile(
    r"\b(?:commits?|revisions?|sha|cherry-pick(?:ed)?|revert(?:s|ed)?|bisected to)\b[\s:`(]*$", re.IGNORECASE
)
_KINDS = r"(?:class|function|method|decorator|struct|trait|interface|enum|macro|exception|dataclass|constant)"
_KIND_AFTER = re.compile(rf"^\s+(?:{_KINDS}|helper|type|protocol|mixin)\b")
_KIND_BEFORE = re.compile(rf"\b(?:{_KINDS}|def)\s+[*_]*$")
_STANDS = (
    r"(?:(?:which|that|is|are|was|lives?|sits?|stands?|stays?|remains?|defined|implemented|found|declared|located"
    r"|kept|handled)\s)*"
)
_BEFORE_PLACE = re.compile(
    rf"(?:\(\))?[`*_)]*,?\s*\(?{_STANDS}(?:in|from|inside|of|at|within|under|@|—|–|-)\s+"
    r"(?:the )?(?:file |module )?[`*_\[(]*"
    r"|(?:\(\))?[`*_)]*\s*\([`*_\[]*"
)
_AFTER_PLACE = re.compile(
    r"[`*_)]*(?:::|#|:|'s|’s|,)?\s*"
    r"(?:(?:has|defines?|contains?|exports?|holds|provides|declares|implements|keeps|and its|->|→|—|–|-)"
    r"\s+)?"
    r"(?:the |a |an |its )?(?:class |function |method |helper )?[`*_(]*"
)
_SPLIT = re.compile(r"[\s\"'`,;|<>()=]+")
_COMMAND = re.compile(
    r"(?:^|&&|\|\||;|\$ )[ \t]*(?:[A-Z_][A-Z0-9_]*=\S+[ \t]+)*"
    r"(?:(make|just)((?:[ \t]+[A-Za-z][\w.-]*)+)|(?:npm|pnpm|yarn|bun) run[ \t]+([A-Za-z][\w:.-]*))"
    r"(?=[ \t]*(?:$|&&|\|\||;|#|--))",
    re.MULTILINE,
)
_COMMON = frozenset(
    (
        "the",
        "this",
        "that",
        "base",
        "main",
        "new",
        "same",
        "abstract",
        "public",
        "private",
        "helper",
        "one",
        "each",
        "every",
        "which",
        "async",
        "any",
        "first",
        "last",
        "python",
        "static",
    )
)
_SHELLS = frozenset(("", "bash", "sh", "shell", "console", "zsh", "terminal", "shell-session", "powershell"))


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that a note says is in the workspace."""

    kind: ClaimKind
    text: str
    """A path without its line numbers, a name as it is written, a commit's id, or `make TARGET`."""
    line: int
    """From 1, in the note."""
    start: int
    end: int
    """Where it stands in the note: Unicode code points, end exclusive."""
    certainty: Certainty
    """`doubtful` for what may be an example: dead only if it is known to have been there."""
    is_link: bool = False
    """The target of a Markdown link, which counts from the note's own folder."""
    drawing: int | None = None
    """Where the drawing of a tree begins that the path is an entry of: such paths are judged together."""
    within: str | None = None
    """For a symbol: the file that the words beside it say it is in."""


def claims(text: str, *, source_path: str | None = None) -> list[Claim]:
    """What a note claims, in the order of its text.

    `source_path` is the note's own path in the workspace, None for a memory that is no file: a link there has
    no folder to count from.
    """
    lines = LineStarts(text)
    found: dict[tuple[int, int, str], Claim] = {}
    for piece in pieces(text):
        for read in _read(piece, source_path is not None):
            found.setdefault((read.start, read.end, read.kind), replace(read, line=lines.line(read.start)))
    ordered = sorted(found.values(), key=lambda claim: (claim.start, claim.end))
    places = [claim for claim in ordered if claim.kind == "path" and extension(claim.text) in EXTENSIONS]
    starts = [place.start for place in places]
    return [_placed(claim, places, starts, text) for claim in ordered]


def _placed(claim: Claim, places: list[Claim], starts: list[int], text: str) -> Claim:
    """A symbol with the file that the words right beside it put it in."""
    if claim.kind != "symbol" or claim.within is not None:
        return claim
    behind = bisect_left(starts, claim.end)
    if behind < len(places) and places[behind].start - claim.end <= 60:
        place = places[behind]
        if _BEFORE_PLACE.fullmatch(text, claim.end, place.start):
            return replace(claim, within=place.text)
    if behind and 0 <= claim.start - places[behind - 1].end <= 40:
        place = places[behind - 1]
        if _AFTER_PLACE.fullmatch(text, place.end, claim.start):
            return replace(claim, within=place.text)
    return claim


def _claim(
    kind: ClaimKind,
    text: str,
    start: int,
    length: int,
    certainty: Certainty = "certain",
    *,
    is_link: bool = False,
) -> Claim:
    return Claim(kind, text, 0, start, start + length, certainty, is_link)


def _read(piece: Piece, in_file: bool) -> Iterator[Claim]:
    """The claims of a piece, as sure as its sentence is of them."""
    found = list(_named(piece, in_file))
    if not found:
        return
    if piece.kind in ("tree", "fence"):
        stands = standing(piece.before, "", "", piece.heading)
    else:
        stands = standing(piece.before, piece.after, piece.lead, piece.heading)
    match stands:
        case "certain":
            yield from found
        case "doubtful":
            yield from (replace(claim, certainty="doubtful") for claim in found)
        case "excused":
            return


def _named(piece: Piece, in_file: bool) -> Iterator[Claim]:
    """What a piece names, taken as certain as its form allows."""
    match piece.kind:
        case "tree":
            for drawn, offset, length in drawn_paths(piece.text):
                claim = _claim("path", drawn, piece.start + offset, length)
                yield replace(claim, drawing=piece.start)
        case "fence":
            if piece.info.lower() in _SHELLS:
                yield from _commands(piece.text, piece.start)
                yield from _tokens(piece.text, piece.start)
        case "link":
            target = unquote(piece.text.partition("#")[0].partition("?")[0])
            path = _path(target, spaces=True)
            if path is not None and ":" not in target:
                sure: Certainty = "certain" if in_file else "doubtful"
                yield _claim("path", path, piece.start, len(piece.text), sure, is_link=True)
        case "word":
            yield from _word(piece)
        case "code":
            yield from _code(piece)


def _word(piece: Piece) -> Iterator[Claim]:
    text, start = piece.text, piece.start
    while text and (text[0] in "*_~(" and len(text) > 1 and text[-1] in "*_~).,:;!?"):
        # Emphasis around a word; a name may begin with an underscore.
        if text[0] == "_" and not text.rstrip(".,:;!?").endswith("_"):
            break
        marks = text[0]
        text, start = text[1:], start + 1
        text = text.rstrip(".,:;!?")
        if text.endswith(")" if marks == "(" else marks):
            text = text[:-1]
    text = text.rstrip(".,:;!?")
    named = _KIND_AFTER.match(piece.after) or _KIND_BEFORE.search(piece.before[-20:])
    if not named and text[1:].isalpha() and text[1:].islower():
        # A plain word, as nearly all are.
        return
    for ending in ("'s", "’s"):
        text = text.removesuffix(ending)
    name = text[1:] if text.startswith("@") else text
    path = _path(name)
    if path is not None and ("/" in path.strip("/") or text.startswith("@") or extension(path) in EXTENSIONS):
        known = extension(path) in EXTENSIONS
        sure: Certainty = "certain" if known and "/" in path else "doubtful"
        at = start + len(text) - len(name)
        yield _claim("path", path, at, len(name), sure)
        yield from _member(name, at, path)
        return
    if _COMMIT.fullmatch(text) and _COMMIT_BEFORE.search(piece.before):
        yield _claim("commit", text, start, len(text))
        return
    if not _SYMBOL.fullmatch(text):
        return
    bare = text.removesuffix("()")
    plainly = named and len(bare) > 2 and bare.lower() not in _COMMON
    if bare != text or plainly or _SHAPED.search(bare) or _DOTTED.fullmatch(bare):
        yield _claim("symbol", bare, start, len(bare), "doubtful")


def _code(piece: Piece) -> Iterator[Claim]:
    text = piece.text.strip()
    start = piece.start + piece.text.index(text) if text else piece.start
    name = text[1:] if text.startswith("@") else text
    if not text or "\n\n" in text:
        return
    path = _path(name)
    if path is not None and _looks_like_path(path):
        at = start + len(text) - len(name)
        yield _claim("path", path, at, len(name))
        yield from _member(name, at, path)
        return
    if _COMMIT.fullmatch(text):
        near = _COMMIT_BEFORE.search(piece.before)
        if near:
            yield _claim("commit", text, start, len(text))
        return
    signature = _SIGNATURE.fullmatch(text)
    bare = signature.group(1) if signature else text.removesuffix("()")
    if _SYMBOL.fullmatch(bare):
        if len(bare) > 2:
            yield _claim("symbol", bare, start, len(bare))
        return
    yield from _commands(text, start)
    if any(character.isspace() for character in text) or "(" in text:
        yield from _tokens(text, start)


def _member(token: str, start: int, path: str) -> Iterator[Claim]:
    """The definition that stands behind a path: `a.py::f`, `a.py:f`, `a.py#f`."""
    found = _MEMBER.search(token)
    if found is not None:
        at = start + found.start(1)
        yield replace(
            _claim("symbol", found.group(1).replace("::", "."), at, len(found.group(1)), "doubtful"),
            within=path,
        )


def _commands(text: str, start: int) -> Iterator[Claim]:
    # Inside another folder another Makefile counts.
    if re.search(r"\bcd\b|\s-C\b|--prefix|--filter|workspace", text):
        return
    for found in _COMMAND.finditer(text):
        runner = found.group(1) or "npm"
        group = 2 if found.group(1) else 3
        for target in re.finditer(r"[A-Za-z][\w:.-]*", found.group(group)):
            at = start + found.start(group) + target.start()
            yield _claim("command", f"{runner} {target.group()}", at, len(target.group()))


def _tokens(text: str, start: int) -> Iterator[Claim]:
    """Paths among the words of a command or an expression."""
    at = 0
    for token in _SPLIT.split(text):
        at = text.index(token, at)
        path = _path(token)
        if path is not None and "/" in path and extension(path) in EXTENSIONS:
            yield _claim("path", path, start + at, len(token), "doubtful")
        at += len(token)


def _path(token: str, *, spaces: bool = False) -> str | None:
    """The path that a token names, without line numbers and the like, or None if it names none."""
    bare = _SUFFIX.sub(
        "", token.replace("\\", "/") if re.fullmatch(r"[\w.-]+(?:\\[\w.-]+)+", token) else token
    )
    if len(bare) < 3 or len(bare) > 300 or is_template(bare) or not _PATH.fullmatch(bare):
        return None
    if bare.startswith(("/", "-", "@", "+", " ")) or (" " in bare and not spaces):
        return None
    parts = [part for part in bare.split("/") if part not in ("", ".")]
    if not parts or all(part == ".." for part in parts) or "//" in bare:
        return None
    if len(parts) > 1 and (is_host(parts[0]) or "@" in bare.rstrip("/").rpartition("/")[2]):
        return None
    names = [part for part in parts if part != ".."]
    # Several files with a slash between them are alternatives.
    if any(extension(part) in EXTENSIONS for part in names[:-1]):
        return None
    if any(part.lower() in EXAMPLE_FOLDERS for part in names[:-1]):
        return None
    if not any(character.isalpha() for character in names[-1]) or not any(c.isalpha() for c in bare):
        return None
    return "/".join(parts) + ("/" if bare.endswith("/") else "")


def _looks_like_path(path: str) -> bool:
    name = path.rstrip("/").rpartition("/")[2]
    return (
        path.endswith("/")
        or extension(name) in EXTENSIONS
        or name in NAMES_WITHOUT_EXTENSION
        or ("/" in path and not re.search(r"[()\[\]]", path))
    )
