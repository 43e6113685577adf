"""What a diff holds, and in which rows it stands."""

from __future__ import annotations

from tests.tui import diffs

from afresh_tui.widgets.diff_model import LONGEST_LINE, FileChange
from afresh_tui.widgets.diff_rows import Layout, Row, number_width, rows


def texts(found: list[Row], *kinds: str) -> list[str]:
    return [row.text for row in found if row.kind in kinds]


def test_lines_have_the_numbers_of_their_own_side() -> None:
    (change,) = diffs.changed(*diffs.EDITED)
    numbered = [(line.kind, line.old, line.new) for line in change.hunks[0].lines if line.kind != " "]
    assert numbered == [
        ("-", 9, None),
        ("+", None, 9),
        ("-", 15, None),
        ("-", 16, None),
        ("+", None, 15),
        ("+", None, 16),
    ]
    assert (change.added, change.removed) == (4, 4)


def test_what_was_cited_is_known_on_both_sides() -> None:
    (change,) = diffs.changed(*diffs.EDITED)
    cited = {line.old or line.new for line in change.hunks[0].lines if change.is_cited(line)}
    assert cited == set(range(9, 17))


def test_a_unified_diff_has_a_row_for_each_line_and_a_gap_before_each_hunk() -> None:
    changes = diffs.changed(*diffs.EDITED)
    found = rows(changes, "unified", cited_only=False)
    assert [row.kind for row in found[:3]] == ["file", "about", "commit"]
    assert texts(found, "gap") == ["after 5 unchanged lines", "after 10 unchanged lines"]
    assert sum(row.kind == "line" for row in found) == sum(len(hunk.lines) for hunk in changes[0].hunks)


def test_a_split_diff_has_old_and_new_beside_each_other() -> None:
    changes = diffs.changed(*diffs.EDITED)
    lines = changes[0].hunks[0].lines
    found = [row for row in rows(changes, "split", cited_only=True) if row.kind == "pair"]
    beside = [
        (lines[row.left].text.strip(), lines[row.right].text.strip())
        for row in found
        if row.left != row.right and row.left >= 0 and row.right >= 0
    ]
    assert beside[0] == ("def acquire(self, timeout=5.0):", "def acquire(self, timeout=30.0):")
    assert beside[1] == ("time.sleep(0.1)", "time.sleep(min(0.25, timeout / 10))")
    shown = {at for row in found for at in (row.left, row.right) if at >= 0}
    assert shown == set(range(len(lines)))


def test_changes_that_touch_nothing_cited_are_one_row() -> None:
    found = rows(diffs.changed(*diffs.EDITED), "unified", cited_only=True)
    assert texts(found, "folded") == ["1 more change in this file, not where it is cited"]
    assert sum(row.kind == "gap" for row in found) == 1


def test_moved_code_stands_beside_the_place_that_it_went_to() -> None:
    (change,) = diffs.changed(*diffs.MOVED)
    assert (change.path, change.part, change.new_path) == (
        "billing/locks.py",
        "ordered",
        "billing/accounts.py",
    )
    assert texts(rows([change], "unified", cited_only=True), "about") == [
        "ordered moved → billing/accounts.py#in_lock_order, lines 4 to 6, changed"
    ]


def test_a_file_without_old_bytes_says_so_in_place_of_hunks() -> None:
    found = rows(diffs.changed(*diffs.FORGOTTEN), "unified", cited_only=True)
    assert [row.kind for row in found] == ["file", "commit", "note"]
    assert "kept nowhere" in found[-1].text


def test_a_change_that_is_not_committed_has_its_row() -> None:
    changes = diffs.changed(*diffs.BINARY)
    assert changes[0].is_uncommitted
    assert "commit" in [row.kind for row in rows(changes, "unified", cited_only=True)]


def test_controls_and_endless_lines_of_a_file_are_shown_inert_and_short() -> None:
    (change,) = diffs.changed(
        [diffs.detail()], [diffs.file_diff(old="a\n", new="\x1b[31mred\x07\n" + "x" * 100_000 + "\n")]
    )
    red, long = (line.text for line in change.hunks[0].lines if line.kind == "+")
    assert "\x1b" not in red
    assert "\x07" not in red
    assert long == f"{'x' * LONGEST_LINE} … 98,000 more characters"


def test_a_layout_finds_the_row_of_each_line() -> None:
    laid = [Row("file", 0), Row("gap", 0, 0), Row("line", 0, 0, 0, 0), Row("gap", 0, 1)]
    layout = Layout(laid, lambda row: 3 if row.kind == "line" else 1)
    assert layout.height == 6
    assert [layout.row_at(line) for line in range(6)] == [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (3, 0)]
    assert [layout.hunk_at(line) for line in range(6)] == [-1, 0, 0, 0, 0, 1]


def test_the_number_column_is_as_wide_as_the_largest_number() -> None:
    old = "".join(f"{number}\n" for number in range(1200))
    (change,) = diffs.changed([diffs.detail()], [diffs.file_diff(old=old, new=f"{old}more\n")])
    assert isinstance(change, FileChange)
    assert number_width([change]) == 4
