"""Folds a text into lines of so many columns, by columns and not by characters: some take two, some none."""

from __future__ import annotations

from rich.cells import cell_len, get_character_cell_size

Part = tuple[int, int]
"""Characters `start` to `end` (exclusive)."""


def fold(text: str, width: int) -> list[Part]:
    """The parts of a line of code, each as long as fits; at least one."""
    if text.isascii():
        return [(at, min(at + width, len(text))) for at in range(0, len(text), width)] or [(0, 0)]
    parts: list[Part] = []
    start = used = 0
    for at, character in enumerate(text):
        size = get_character_cell_size(character)
        if used + size > width and at > start:
            parts.append((start, at))
            start, used = at, 0
        used += size
    parts.append((start, len(text)))
    return parts


def fold_words(text: str, width: int) -> list[str]:
    """The lines of a sentence, broken between words; a word that is longer than a line is folded."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if cell_len(joined) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        *full, rest = fold(word, width)
        lines += [word[start:end] for start, end in full]
        line = word[rest[0] : rest[1]]
    return [*lines, line]


def cut(text: str, width: int) -> str:
    """The beginning of a text that fits, with an ellipsis where it was cut."""
    if cell_len(text) <= width:
        return text
    (start, end), *_ = fold(text, max(1, width - 1))
    return f"{text[start:end].rstrip()}…" if width > 0 else ""


def cut_left(text: str, width: int) -> str:
    """The end of a text that fits, such as a path's, with an ellipsis where it was cut."""
    if cell_len(text) <= width:
        return text
    (start, end), *_ = fold(text[::-1], max(1, width - 1))
    return f"…{text[::-1][start:end][::-1]}" if width > 0 else ""
