"""Text of others: whatever a terminal would obey is shown as a sign."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from afresh_tui.inert import inert, one_line, shown


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("plain text, ünïcode and 日本語", "plain text, ünïcode and 日本語"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("a\x00b\x7fc\x9bd", "a␀b␡c‹9b›d"),
        ("a\tb", "a   b"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("\u202egnp.exe\u202c", "‹202e›gnp.exe‹202c›"),
        ("\u2066x\u2069\u200f\u061c", "‹2066›x‹2069›‹200f›‹061c›"),
        ("zero\u200bwidth\ufeff", "zero‹200b›width‹feff›"),
        ("soft\u00adhyphen", "soft‹ad›hyphen"),
        ("line\u2028paragraph\u2029", "line‹2028›paragraph‹2029›"),
        ("\ud800", "‹d800›"),
        ("no\u00a0break\u2003wide", "no break wide"),
        ("שלום עולם", "שלום עולם"),
        ("❤\ufe0f", "❤"),
        ("\u0301alone", "‹0301›alone"),
        ("e\u0301 is one", "e\u0301 is one"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_as_a_sign(written: str, seen: str) -> None:
    assert inert(written) == seen
    assert shown(written).text == seen


def test_a_tower_of_combining_marks_is_cut_to_three() -> None:
    assert inert("a" + "\u0300" * 5) == "a" + "\u0300" * 3 + "‹0300›" * 2


def test_no_shown_character_is_a_control_or_turns_direction() -> None:
    everything = "".join(map(chr, range(0x3000))) + "\ufeff\ufff9\U000e0001"
    seen = inert(everything)
    assert not any(ord(character) < 0x20 and character != "\n" for character in seen)
    assert not set(seen) & set("\x7f\x9b\u200b\u200e\u200f\u202a\u202e\u2066\u2069\ufeff\U000e0001")


def test_offsets_of_the_original_are_found_in_what_is_shown() -> None:
    written = "a\x1b\tb\u200bc\r\nd"
    seen = shown(written)
    for at, character in enumerate(written):
        if character.isalpha():
            assert seen.text[seen.at(at)] == character
    assert shown("plain").at(3) == 3


def test_a_text_of_a_hundred_thousand_characters_comes_on_one_line_with_an_ellipsis() -> None:
    assert one_line("word " * 20_000, 20) == "word word word word…"
    assert one_line(" a\n\n b\t c ") == "a b c"
    assert cell_len(one_line("x" * 100_000, 80)) == 80
