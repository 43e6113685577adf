"""Every text of a diff can be read, in every theme."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from afresh_tui.themes import OURS, defaults
from afresh_tui.widgets.diff_palette import CONTRAST, GROUNDS, Palette, contrast_ratio, readable
from afresh_tui.widgets.diff_syntax import TONES

THEMES = [*OURS, *BUILTIN_THEMES.values()]
GUTTER = ("dim", "removed", "added", "cited", "path", "grave", "light")


def palette(theme: Theme) -> Palette:
    variables = {**theme.to_color_system().generate(), **defaults(theme.dark), **theme.variables}
    return Palette(variables, Color.parse(variables["background"]))


@pytest.mark.parametrize("theme", [theme for theme in THEMES if not theme.name.startswith("ansi")])
def test_each_tone_stands_out_from_each_ground_as_far_as_wcag_wants(theme: Theme) -> None:
    colours = palette(theme)
    for ground in GROUNDS:
        for tone in (*TONES, *GUTTER):
            ratio = contrast_ratio(colours.colour(tone, ground), colours.ground(ground))
            assert ratio >= CONTRAST, f"{theme.name}: {tone} on {ground} is {ratio:.2f}"


def test_changed_words_are_told_without_colour_too() -> None:
    colours = palette(OURS[0])
    assert colours.style("plain", "added word").underline
    assert not colours.style("plain", "added").underline


def test_a_colour_that_can_be_read_stays_what_it_is() -> None:
    assert readable(Color(255, 255, 255), Color(0, 0, 0)) == Color(255, 255, 255)


def test_contrast_is_that_of_the_guideline() -> None:
    assert contrast_ratio(Color(255, 255, 255), Color(0, 0, 0)) == pytest.approx(21)
    assert contrast_ratio(Color(119, 119, 119), Color(255, 255, 255)) == pytest.approx(4.48, abs=0.01)


def test_in_the_terminals_own_colours_no_background_is_guessed() -> None:
    colours = Palette({"foreground": "ansi_default", "error": "ansi_red"}, Color.parse("ansi_default"))
    removed = colours.style("plain", "removed")
    assert removed.bgcolor is None
    assert removed.color is not None
    assert removed.color.name == "red"
    assert colours.style("plain", "removed word").reverse
