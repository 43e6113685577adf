"""Writes string literals that mean the same alike, whatever quote marks they stand in.

Each function takes a literal's source, quote marks included, and gives the form that all spellings with the
same value share, or None where it can't be sure.
"""

from __future__ import annotations

import re

_PYTHON_LITERAL = re.compile(rb"([A-Za-z]*)(\"\"\"|'''|\"|')([\s\S]*)\2\Z")
_MARKS = (b"'", b'"')
_ESCAPE = re.compile(rb"\\([\s\S])")
_PYTHON_PART = re.compile(
    rb"(?:\s|#[^\n]*|\\\n)*"
    rb"(?P<literal>[A-Za-z]*(?:\"\"\"(?:[^\\]|\\[\s\S])*?\"\"\"|'''(?:[^\\]|\\[\s\S])*?'''"
    rb"|\"(?:[^\"\\]|\\[\s\S])*\"|'(?:[^'\\]|\\[\s\S])*'))"
)
"""One literal of a row of them, with the white space and comments in front of it."""
_PYTHON_ESCAPE = re.compile(
    rb"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{2})"
    rb"|(?P<wide>u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|(?P<name>N\{[^}]*\})|(?P<other>[\s\S]))"
)
_PYTHON_VALUES = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
    b"\n": b"",
    b"\\": rb"\\",
    b"'": b"'",
    b'"': b'"',
}
"""What an escape's last character stands for. A backslash is written twice: a single one is an escape's."""
_LINE_BREAK = re.compile(rb"\r\n|\r|\n")


def python_string(text: bytes) -> bytes | None:
    """A Python literal without interpolation; None for an f-string or a template string.

    Triple quotes count as quote marks, a `u` and the case of a prefix mean nothing, and an escape is what it
    stands for. Line breaks inside are what Python reads: LF.
    """
    if text[:1] in _MARKS and text[1:2] not in _MARKS and b"\\" not in text:
        return b'"' + text[1:-1]
    found = _PYTHON_LITERAL.match(text)
    if found is None:
        return None
    prefix = found[1].lower()
    if b"f" in prefix or b"t" in prefix:
        return None
    content = _LINE_BREAK.sub(b"\n", found[3])
    is_bytes = b"b" in prefix
    if b"\\" in content:
        if b"r" in prefix:
            content = content.replace(b"\\", b"\\\\")
        else:
            content = _PYTHON_ESCAPE.sub(_byte_value if is_bytes else _character, content)
    return (b'b"' if is_bytes else b'"') + content


def python_strings(text: bytes) -> bytes | None:
    """A row of Python literals, which Python reads as one; None where one of them has interpolation."""
    parts: list[bytes] = []
    at = 0
    while at < len(text):
        found = _PYTHON_PART.match(text, at)
        part = None if found is None else python_string(found["literal"])
        if found is None or part is None or (parts and part[:1] != parts[0][:1]):
            return None
        parts.append(part)
        at = found.end()
    mark = parts[0].index(b'"') + 1 if parts else 0
    return parts[0][:mark] + b"".join(part[mark:] for part in parts) if parts else None


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


def _character(escape: re.Match[bytes]) -> bytes:
    """What an escape in a Python text stands for, so written that different texts stay different."""
    if escape["name"] is not None:
        return escape[0]
    digits = escape["hex"] or (escape["wide"] or b"")[1:]
    if not digits and escape["octal"] is None:
        return _PYTHON_VALUES.get(escape["other"], rb"\\" + escape["other"])
    number = int(digits, 16) if digits else int(escape["octal"], 8)
    if number in (0, 0x5C) or number > 0x10FFFF:
        return rb"\\" if number == 0x5C else b"\\x%x" % number
    return chr(number).encode("utf-8", "surrogatepass")


def _byte_value(escape: re.Match[bytes]) -> bytes:
    """The same in Python bytes, where only some of the escapes are any."""
    if escape["wide"] is not None or escape["name"] is not None:
        return b"\\" + escape[0]
    if escape["hex"] is None and escape["octal"] is None:
        return _PYTHON_VALUES.get(escape["other"], rb"\\" + escape["other"])
    number = int(escape["hex"], 16) if escape["hex"] else int(escape["octal"], 8) & 0xFF
    return rb"\\" if number == 0x5C else b"\\x00" if number == 0 else bytes((number,))


def _bare_quote(escape: re.Match[bytes]) -> bytes:
    return escape[1] if escape[1] in (b"'", b'"') else escape[0]
