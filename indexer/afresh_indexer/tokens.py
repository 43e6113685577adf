"""Tells whether two sources differ in more than form: streams and hashes of normalised tokens.

`stream` says what the stream is made of; here are the questions that are asked of it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import tree_sitter

from afresh_indexer.parsing import parse
from afresh_indexer.stream import read_stream
from afresh_indexer.stream_state import CLOSE, EXACT

_DOCUMENTED = ("function_definition", "class_definition")


@dataclass(frozen=True, slots=True)
class Token:
    """One element of the stream."""

    text: bytes
    """What is hashed. A word or sign as it stands; nodes and literals start with a control byte."""
    start_byte: int
    end_byte: int
    """Where it comes from; a mark of structure has no width."""


def token_stream(
    data: bytes,
    language: str,
    start_byte: int = 0,
    end_byte: int | None = None,
    *,
    path: str = "",
    docstrings: bool = True,
) -> list[Token]:
    """The tokens of `data[start_byte:end_byte]`, read within the whole of `data`.

    A mark of structure belongs to the range if its node begins (or, for an end, ends) in it. Without
    `docstrings` these are left out. Raises NotParsedError and LookupError as `parsing.parse` does.
    """
    tree = parse(data, language, path=path)
    skipped = frozenset[int]() if docstrings else frozenset(_docstrings(tree, data, language))
    stream = read_stream(tree, data, language, path=path, positions=True, skipped=skipped)
    last = len(data) if end_byte is None else end_byte
    if stream.exact:
        return [Token(EXACT + data[start_byte:last], start_byte, last)]
    return [
        Token(text, start, end)
        for text, start, end in zip(stream.tokens, stream.starts, stream.ends, strict=True)
        if (start_byte < start <= last if text == CLOSE else start_byte <= start < last)
    ]


def tokens_sha256(
    data: bytes,
    language: str,
    start_byte: int = 0,
    end_byte: int | None = None,
    *,
    path: str = "",
    docstrings: bool = True,
) -> str:
    """The hash of `token_stream` with the same arguments: equal for two sources that differ only in form.

    Without `docstrings` it is also equal where only these differ.
    """
    tokens = token_stream(data, language, start_byte, end_byte, path=path, docstrings=docstrings)
    return hashlib.sha256(b"\0".join(token.text for token in tokens)).hexdigest()


def docstring_ranges(data: bytes, language: str, *, path: str = "") -> tuple[tuple[int, int], ...]:
    """The byte ranges of the docstrings of modules, classes and functions, in order.

    Only Python has them; other languages document in comments, which are form. Raises as `parsing.parse`.
    """
    if language != "python":
        return ()
    return tuple(sorted(_docstrings(parse(data, language, path=path), data, language).items()))


def _docstrings(tree: tree_sitter.Tree, data: bytes, language: str) -> dict[int, int]:
    """The end of each docstring by its start."""
    found: dict[int, int] = {}
    if language != "python":
        return found
    owners = [""]
    cursor = tree.walk()
    while (node := cursor.node) is not None:
        kind = node.type
        if kind == "module" or (kind == "block" and owners[-1] in _DOCUMENTED):
            statement = next((child for child in node.named_children if not child.is_extra), None)
            if statement is not None and _is_docstring(statement, data):
                found[statement.start_byte] = statement.end_byte
        if cursor.goto_first_child():
            owners.append(kind)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
            owners.pop()
    return found


def _is_docstring(statement: tree_sitter.Node, data: bytes) -> bool:
    value = statement
    if value.type != "expression_statement":
        return False
    while value.type in ("expression_statement", "parenthesized_expression"):
        inner = [child for child in value.named_children if not child.is_extra]
        if len(inner) != 1:
            return False
        value = inner[0]
    parts = value.named_children if value.type == "concatenated_string" else [value]
    return all(part.type == "string" and _is_plain(part, data) for part in parts if not part.is_extra)


def _is_plain(string: tree_sitter.Node, data: bytes) -> bool:
    """Whether the literal is one of text: neither bytes nor an f-string."""
    text = data[string.start_byte : string.end_byte]
    return text.lstrip(b"rRuU")[:1] in (b"'", b'"')
