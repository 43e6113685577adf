"""The tab bar and the key bar."""

from __future__ import annotations

from afresh_tui.app import AfreshApp
from afresh_tui.screens import SCREENS
from afresh_tui.widgets.bars import Tab, fitting, tab_spans

TABS = [Tab(place.name, place.title, place.digit) for place in SCREENS]


def test_all_titles_fit_into_80_columns_with_a_badge_of_three_digits() -> None:
    tabs = [Tab("stale", "Stale", "3", "500") if tab.name == "stale" else tab for tab in TABS]
    spans = tab_spans(tabs, "recall", 80)
    assert "".join(text for _, text in spans).count("Iterations") == 1
    assert sum(len(text) for _, text in spans) <= 80


def test_in_a_narrower_bar_only_the_current_tab_keeps_its_title() -> None:
    spans = tab_spans(TABS, "answers", 40)
    assert [text for _, text in spans] == [" 1 ", " 2 ", " 3 ", " 4 Answers ", " 5 ", " 6 "]
    assert sum(len(text) for _, text in spans) <= 40


def test_the_key_bar_leaves_out_the_last_keys_and_never_its_tail() -> None:
    keys = [(letter, "Something") for letter in "abcdefgh"]
    tail = [("?", "Help"), ("^p", "Commands")]
    for width in (24, 40, 80, 120):
        shown = fitting(keys, tail, width)
        assert shown[-2:] == tail
        assert shown[:-2] == keys[: len(shown) - 2]
        assert sum(len(key) + len(title) + 3 for key, title in shown) <= width
    assert fitting(keys, tail, 24) == tail


def test_every_screens_first_four_acts_fit_with_the_tail_at_80_columns() -> None:
    for place in SCREENS:
        acts = [act for act in place.kind_of_screen().ACTS if act.shown][:4]
        shown = [(act.key.split(",")[0].replace("slash", "/"), act.title) for act in acts]
        tail = [("?", "Help"), ("^p", "Commands")]
        assert len(fitting(shown, tail, 80)) == len(shown) + 2, place.name


def test_the_acts_of_the_app_and_of_each_screen_have_methods_and_keys_that_don_t_clash() -> None:
    taken = {key for act in AfreshApp.ACTS for key in act.key.split(",")}
    for act in AfreshApp.ACTS:
        assert hasattr(AfreshApp, f"action_{act.name}")
    for place in SCREENS:
        screen = place.kind_of_screen()
        keys = [key for act in screen.ACTS for key in act.key.split(",") if key]
        assert len(keys) == len(set(keys)), place.name
        assert not taken & set(keys), place.name
        for act in screen.ACTS:
            assert hasattr(screen, f"action_{act.name}"), (place.name, act.name)
            assert act.about.endswith((".", "?", "…")), (place.name, act.name)
