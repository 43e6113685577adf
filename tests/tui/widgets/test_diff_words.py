"""Word-level marks: what is on one side of a changed run alone."""

from __future__ import annotations

from afresh_tui.widgets.diff_words import RunMarks


def alone(removed: list[str], added: list[str]) -> tuple[list[list[str]], list[list[str]]]:
    """The marked parts of each line."""
    marks = RunMarks(removed, added)
    return (
        [[line[start:end] for start, end in marks.of_removed(at)] for at, line in enumerate(removed)],
        [[line[start:end] for start, end in marks.of_added(at)] for at, line in enumerate(added)],
    )


def test_only_the_changed_words_of_a_line_are_marked() -> None:
    assert alone(["    wait(timeout=5.0)"], ["    wait(timeout=30.0)"]) == ([["5.0"]], [["30.0"]])


def test_an_identifier_is_one_word() -> None:
    assert alone(["return lock_timeout * 2"], ["return lock_seconds * 2"]) == (
        [["lock_timeout"]],
        [["lock_seconds"]],
    )


def test_a_line_that_was_broken_in_two_is_still_the_same_words() -> None:
    removed = ["call(first, second, third)"]
    added = ["call(", "    first, second, third", ")"]
    before, after = alone(removed, added)
    assert before == [[]]
    assert after == [[], [], []]


def test_lines_with_nothing_in_common_are_not_marked() -> None:
    assert alone(["import os"], ["def transfer(source, target):"]) == ([[]], [[]])


def test_a_like_line_in_an_unlike_run_is_marked_all_the_same() -> None:
    removed = ["    time.sleep(0.1)", "return False"]
    added = [
        "    time.sleep(0.25)",
        'raise TimeoutError(f"{self.account} stayed locked for {timeout} seconds, and nobody knows why")',
    ]
    before, after = alone(removed, added)
    assert (before, after) == ([["0.1"], []], [["0.25"], []])


def test_a_bracket_that_was_closed_before_is_not_marked_behind_a_new_one() -> None:
    assert alone(["time.sleep(0.1)"], ["time.sleep(min(0.25, limit / 10))"])[1] == [["min(0.25, limit / 10)"]]


def test_indentation_is_never_marked() -> None:
    assert alone(["value = compute(one, two)"], ["        value = compute(one, two)"]) == ([[]], [[]])


def test_a_sign_between_two_changed_words_joins_their_marks() -> None:
    assert alone(["send(alpha.beta, 1, 2, 3)"], ["send(gamma.delta, 1, 2, 3)"]) == (
        [["alpha.beta"]],
        [["gamma.delta"]],
    )


def test_a_long_run_is_compared_line_by_line() -> None:
    removed = [f"row {number} = compute({number}, old)" for number in range(200)]
    added = [f"row {number} = compute({number}, new)" for number in range(200)]
    before, after = alone(removed, added)
    assert before == [["old"]] * 200
    assert after == [["new"]] * 200


def test_a_run_with_one_side_alone_has_no_marks() -> None:
    assert alone([], ["new", "lines"]) == ([], [[], []])
    assert alone(["old"], []) == ([[]], [])
