"""Draws a screen of the terminal UI as PNG, cell by cell: a picture has the grid that a terminal has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import textual_serve
from PIL import Image, ImageDraw, ImageFont
from rich.cells import cell_len
from rich.color import Color
from rich.style import Style
from rich.terminal_theme import DEFAULT_TERMINAL_THEME

SIZE = 15
"""Of the font, in pixels."""
_SHARP = 2
"""Pixels of the picture for each of those."""
_PLACES = (
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono{}.ttf",
    "/usr/share/fonts/TTF/DejaVuSansMono{}.ttf",
    "/Library/Fonts/DejaVuSansMono{}.ttf",
)
_CARRIED = Path(textual_serve.__file__).parent / "static" / "fonts" / "RobotoMono-VariableFont_wght.ttf"
"""Where none of those is there; it has no block elements."""

_ARMS = {
    **dict.fromkeys("─━", "lr"),
    **dict.fromkeys("│┃", "ud"),
    **dict.fromkeys("╭┌", "rd"),
    **dict.fromkeys("╮┐", "ld"),
    **dict.fromkeys("╰└", "ur"),
    **dict.fromkeys("╯┘", "ul"),
    **{"╸": "l", "├": "udr", "┤": "udl", "┬": "lrd", "┴": "lru", "┼": "lrud"},
}
"""Where lines of a cell's character lead from its middle: left, right, up, down."""


def png(strips: Sequence[Any], path: Path) -> None:
    """Write the rows of a screen, each an iterable of rich segments, as a picture."""
    font = _font("")
    width = round(font.getlength("M"))
    height = round(SIZE * _SHARP * 1.3)
    columns = max(sum(cell_len(segment.text) for segment in strip) for strip in strips)
    picture = Image.new("RGB", (columns * width, len(strips) * height))
    draw = ImageDraw.Draw(picture)
    for row, strip in enumerate(strips):
        column = 0
        for segment in strip:
            column = _segment(draw, segment.text, segment.style or Style(), column, row, width, height)
    picture.save(path, optimize=True)


def _segment(
    draw: ImageDraw.ImageDraw, text: str, style: Style, column: int, row: int, width: int, height: int
) -> int:
    front, back = _colour(style.color, True), _colour(style.bgcolor, False)
    if style.reverse:
        front, back = back, front
    if style.dim:
        front = tuple((a * 6 + b * 4) // 10 for a, b in zip(front, back, strict=True))
    cells = cell_len(text)
    if not cells:
        return column
    left, top = column * width, row * height
    draw.rectangle((left, top, left + cells * width - 1, top + height - 1), fill=back)
    font = _font("-Bold" if style.bold else "")
    for character in text:
        wide = cell_len(character)
        if not _block(draw, character, column * width, top, width, height, front) and character != " ":
            draw.text((column * width, top + height * 0.77), character, font=font, fill=front, anchor="ls")
        column += wide
    if style.underline:
        draw.line((left, top + height - 4, left + cells * width, top + height - 4), fill=front, width=2)
    return column


def _block(
    draw: ImageDraw.ImageDraw,
    character: str,
    left: int,
    top: int,
    width: int,
    height: int,
    colour: tuple[int, ...],
) -> bool:
    """Draw blocks and lines to the cell's edges, so that they join; False for other characters."""
    middle, centre = top + height // 2, left + width // 2
    eighths = "▏▎▍▌▋▊▉█".find(character) + 1
    if eighths:
        draw.rectangle((left, top, left + width * eighths // 8 - 1, top + height - 1), fill=colour)
        return True
    lower = "▁▂▃▄▅▆▇".find(character) + 1
    if lower:
        draw.rectangle(
            (left, top + height - height * lower // 8, left + width - 1, top + height - 1), fill=colour
        )
        return True
    arms = _ARMS.get(character)
    if arms is None:
        return False
    ends = {"l": (left, middle), "r": (left + width, middle), "u": (centre, top), "d": (centre, top + height)}
    for arm in arms:
        across, down = ends[arm]
        low, high = min(middle, down), max(middle, down)
        thick = 3 if character in "━╸┃" else 0
        box = (min(centre, across), low - thick, max(centre, across) + 1, high + 1 + thick)
        draw.rectangle(box, fill=colour)
    return True


def _colour(colour: Color | None, foreground: bool) -> tuple[int, ...]:
    return tuple((colour or Color.default()).get_truecolor(DEFAULT_TERMINAL_THEME, foreground))


@cache
def _font(weight: str) -> ImageFont.FreeTypeFont:
    for place in _PLACES:
        path = Path(place.format(weight))
        if path.is_file():
            return ImageFont.truetype(path, SIZE * _SHARP)
    font = ImageFont.truetype(_CARRIED, SIZE * _SHARP)
    font.set_variation_by_axes([700 if weight else 400])
    return font
