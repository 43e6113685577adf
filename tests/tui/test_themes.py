"""The themes: contrast by WCAG's formula, for each pair of colours that text is shown in."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from afresh_tui import themes

AA = 4.5
"""WCAG 2.2, success criterion 1.4.3."""
_TEXTS = ("text", "text-muted", "text-primary", "text-secondary", "text-accent")
_STATES = ("text-success", "text-warning", "text-error")
PAIRS = [
    *((front, back) for front in (*_TEXTS, *_STATES) for back in ("background", "surface")),
    *(
        (front, back)
        for front in ("text", "text-muted", "text-primary", "text-secondary")
        for back in ("panel",)
    ),
    *((front, "block-cursor-background") for front in (*_TEXTS, *_STATES, "block-cursor-foreground")),
    *((front, "block-cursor-blurred-background") for front in (*_TEXTS, *_STATES)),
    *((front, "block-hover-background") for front in (*_TEXTS, *_STATES)),
    *((front, "footer-background") for front in ("footer-key-foreground", "footer-description-foreground")),
    ("match-text", "match"),
    ("text-muted", "chip"),
    ("block-cursor-foreground", "chip-set"),
    ("text", "diff-added"),
    ("text", "diff-removed"),
    ("diff-added-text", "diff-added"),
    ("diff-added-text", "diff-added-word"),
    ("diff-removed-text", "diff-removed"),
    ("diff-removed-text", "diff-removed-word"),
    ("diff-cited", "background"),
    ("diff-number", "background"),
    ("diff-number", "diff-added"),
    ("diff-number", "diff-removed"),
]


def luminance(colour: Color) -> float:
    """Relative luminance, WCAG 2.2."""
    parts = [part / 255 for part in colour.rgb]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_the_formula_gives_21_for_black_on_white() -> None:
    assert contrast(Color.parse("#000"), Color.parse("#fff")) == pytest.approx(21)


@pytest.mark.parametrize("theme", themes.OURS, ids=lambda theme: theme.name)
def test_every_pair_of_colours_for_text_has_the_contrast_of_aa(theme: Theme) -> None:
    colours = {**theme.to_color_system().generate(), **theme.variables}
    low = {
        (front, back): round(contrast(Color.parse(colours[front]), Color.parse(colours[back])), 2)
        for front, back in PAIRS
    }
    assert {pair: ratio for pair, ratio in low.items() if ratio < AA} == {}


def test_every_other_theme_gets_the_variables_that_are_ours_by_its_being_light_or_dark() -> None:
    for theme in BUILTIN_THEMES.values():
        given = themes.defaults(theme.dark)
        assert {"match", "match-text", "chip", "chip-set", "bar", "diff-added", "diff-cited"} <= given.keys()
        assert given["match"] == (themes.DARK if theme.dark else themes.LIGHT).variables["match"]
