"""Writes string literals that mean the same alike, whatever quote marks they stand in.

Each function takes a literal's source, quote marks included, and gives the form that all spellings with the
same value share, or None where it can't be sure.
"""

from __future__ import annotations

import re

_PYTHON_LITERAL = re.compile(rb"([A-Za-z]*)(\"\"\"|'''|\"|')([\s\S]*)\2\Z")
_MARKS = (b"'", b'"')
_ESCAPE = re.compile(rb"\\([\s\S])")
_LINE_BREAK = re.compile(rb"\r\n|\r|\n")


def python_string(text: bytes) -> bytes | None:
    """A Python literal without interpolation; None for an f-string or a template string.

    Triple quotes count as quote marks, a `u` and the case of a prefix mean nothing, and neither does `r`
    where there is no backslash. Line breaks inside are what Python reads: LF.
    """
    if text[:1] in _MARKS and text[1:2] not in _MARKS and b"\\" not in text:
        return b'"' + text[1:-1]
    found = _PYTHON_LITERAL.match(text)
    if found is None:
        return None
    prefix = found[1].lower()
    if b"f" in prefix or b"t" in prefix:
        return None
    content = found[3].replace(b"\r\n", b"\n")
    kind = b"b" if b"b" in prefix else b""
    if b"\\" in content:
        if b"r" in prefix:
            return kind + b'r"' + content
        content = _ESCAPE.sub(_bare_quote, content)
    return kind + b'"' + content


def is_simple_python_string(text: bytes) -> bool:
    """Whether a literal has neither a backslash nor a quote mark inside, so that its own marks are form."""
    found = _PYTHON_LITERAL.match(text)
    return found is not None and not any(mark in found[3] for mark in (b"\\", b"'", b'"'))


def javascript_string(text: bytes) -> bytes | None:
    """A JavaScript or TypeScript string in single or double quotes; in both, the same escapes hold."""
    if len(text) < 2 or text[:1] not in (b"'", b'"') or text[-1:] != text[:1]:
        return None
    content = text[1:-1]
    return b'"' + (_ESCAPE.sub(_bare_quote, content) if b"\\" in content else content)


def php_string(text: bytes) -> bytes | None:
    """A PHP string that has neither escapes nor variables, which is the same in either quote marks."""
    if len(text) < 2 or text[:1] not in (b"'", b'"') or b"\\" in text or (text[:1] == b'"' and b"$" in text):
        return None
    return b'"' + text[1:-1]


def ruby_string(text: bytes) -> bytes | None:
    """A Ruby string that has neither escapes nor interpolation, which is the same in either quote marks."""
    if len(text) < 2 or text[:1] not in (b"'", b'"') or b"\\" in text or (text[:1] == b'"' and b"#" in text):
        return None
    return b'"' + text[1:-1]


def jsx_text(text: bytes) -> bytes:
    """Text between JSX tags as JSX reads it: lines are trimmed and joined by a space, empty ones vanish.

    Gives an empty form for text that is nothing but line breaks and indentation.
    """
    lines = _LINE_BREAK.split(text)
    last = len(lines) - 1
    kept: list[bytes] = []
    for number, line in enumerate(lines):
        trimmed = line if number == 0 else line.lstrip(b" \t")
        trimmed = trimmed if number == last else trimmed.rstrip(b" \t")
        if trimmed:
            kept.append(trimmed)
    return b" ".join(kept)


def preprocessor_argument(text: bytes) -> bytes | None:
    """The rest of a preprocessor line, without the blanks around it."""
    return text.strip()


def _bare_quote(escape: re.Match[bytes]) -> bytes:
    return escape[1] if escape[1] in (b"'", b'"') else escape[0]
