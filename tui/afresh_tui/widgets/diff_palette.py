"""The colours of a diff, made from a theme's so that every text in it can be read.

Each colour of code is moved toward black or white until it stands out from the very ground that it is on by
4.5 to 1 (WCAG 2.2, 1.4.3), whatever the theme.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from rich.style import Style
from textual.color import Color

Ground = Literal["kept", "removed", "added", "removed word", "added word", "beside", "heading"]
GROUNDS: tuple[Ground, ...] = (
    "kept",
    "removed",
    "added",
    "removed word",
    "added word",
    "beside",
    "heading",
)
CONTRAST = 4.5
_STEPS = 20
_BLACK, _WHITE = Color(0, 0, 0), Color(255, 255, 255)

_SOURCES: Mapping[str, str] = {
    "plain": "foreground",
    "builtin": "secondary",
    "class": "warning",
    "constant": "warning",
    "decorator": "secondary",
    "function": "primary",
    "keyword": "accent",
    "number": "warning",
    "string": "success",
    "removed": "error",
    "added": "success",
    "cited": "diff-cited",
    "path": "primary",
    "grave": "error",
    "light": "warning",
}
"""The theme's colour that each tone begins with."""
_GROUNDS = ("diff-removed", "diff-added", "diff-removed-word", "diff-added-word")
_QUIET = ("comment", "dim")
_ANSI: Mapping[str, str] = {
    "builtin": "cyan",
    "class": "yellow",
    "constant": "yellow",
    "decorator": "cyan",
    "function": "blue",
    "keyword": "magenta",
    "number": "yellow",
    "string": "green",
    "removed": "red",
    "added": "green",
    "cited": "magenta",
    "path": "blue",
    "grave": "red",
    "light": "yellow",
}
_EMPHASIS: Mapping[str, Style] = {
    "class": Style(bold=True),
    "path": Style(bold=True),
    "cited": Style(bold=True),
    "grave": Style(bold=True),
    "comment": Style(italic=True),
}


class Palette:
    """Styles by tone and ground, for one theme."""

    def __init__(self, variables: Mapping[str, str], background: Color) -> None:
        """`variables` are the theme's colours by name; `background` is what the diff is drawn on."""
        self._background = background
        self._is_ansi = background.ansi is not None
        self._colours = {
            name: Color.parse(variables[name])
            for name in (*_SOURCES.values(), *_GROUNDS)
            if name in variables
        }
        self.style = lru_cache(maxsize=1024)(self._style)

    def colour(self, tone: str, ground: Ground) -> Color:
        """The colour of a text on a ground, readable there."""
        behind = self.ground(ground)
        if tone in _QUIET:
            return readable(behind.blend(self._theme("foreground"), 0.6), behind)
        return readable(self._theme(_SOURCES[tone]), behind)

    def ground(self, ground: Ground) -> Color:
        """The background of a kind of line."""
        base = self._background
        match ground:
            case "kept":
                return base
            case "beside":
                return base.blend(self._theme("foreground"), 0.04)
            case "heading":
                return base.blend(self._theme("foreground"), 0.08)
            case _:
                return self._theme(f"diff-{ground.replace(' ', '-')}")

    def _style(self, tone: str, ground: Ground) -> Style:
        emphasis = _EMPHASIS.get(tone, Style())
        if ground.endswith("word"):
            # Not told by colour alone: without colours the words are underlined still.
            emphasis += Style(underline=True)
        if self._is_ansi:
            return self._ansi(tone, ground) + emphasis
        text, behind = self.colour(tone, ground), self.ground(ground)
        return Style(color=text.rich_color, bgcolor=behind.rich_color) + emphasis

    def _ansi(self, tone: str, ground: Ground) -> Style:
        """In the terminal's own colours, of which nothing is known, signs and reversal mark a line."""
        if ground.startswith(("removed", "added")) and tone in ("plain", "removed", "added"):
            tone = ground.split(" ")[0]
        style = Style(color=_ANSI.get(tone), dim=tone in _QUIET or None)
        return style + Style(reverse=True) if ground.endswith("word") else style

    def _theme(self, name: str) -> Color:
        return self._colours.get(name, self._colours["foreground"])


def readable(text: Color, behind: Color, contrast: float = CONTRAST) -> Color:
    """The colour nearest to `text`, toward black or white, that stands out from `behind` so far."""
    if contrast_ratio(text, behind) >= contrast:
        return text
    away = max((_BLACK, _WHITE), key=lambda end: contrast_ratio(end, behind))
    for step in range(1, _STEPS):
        moved = text.blend(away, step / _STEPS, 1.0)
        if contrast_ratio(moved, behind) >= contrast:
            return moved
    return away


def contrast_ratio(one: Color, two: Color) -> float:
    """1..21: how far two colours stand apart in luminance (WCAG 2.2)."""
    lighter, darker = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Color) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
