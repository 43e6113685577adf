"""Line diffs: what is kept, where it stands now, and how it is shown."""

from __future__ import annotations

import difflib
import random
import re
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from afresh_indexer.hunks import Hunk, LineMap, diff, lines_of, shown_hunks, unified

texts = st.lists(st.sampled_from([b"a", b"b", b"", b"  a", b"long line", b"}"]), max_size=14).map(
    lambda lines: b"".join(line + b"\n" for line in lines)
)


def apply(old: bytes, new: bytes, line_map: LineMap) -> list[bytes]:
    """The new lines, put together from the old ones and what the hunks say was added."""
    before, after = lines_of(old), lines_of(new)
    result: list[bytes] = []
    at = 1
    for hunk in line_map.hunks:
        result += before[at - 1 : hunk.old_start - 1]
        result += after[hunk.new_start - 1 : hunk.new_end]
        at = hunk.old_end + 1
    return result + before[at - 1 :]


@given(texts, texts)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_hunks_lead_from_the_old_text_to_the_new_one(old: bytes, new: bytes) -> None:
    line_map = diff(old, new)
    assert apply(old, new, line_map) == lines_of(new)


@given(texts, texts)
@settings(deadline=None, derandomize=True, max_examples=200)
def test_a_kept_line_is_the_same_line_and_maps_back(old: bytes, new: bytes) -> None:
    line_map = diff(old, new)
    before, after = lines_of(old), lines_of(new)
    kept = [line for line in range(1, len(before) + 1) if line_map.to_new(line) is not None]
    for line in kept:
        now = line_map.to_new(line)
        assert now is not None
        assert before[line - 1] == after[now - 1]
        assert line_map.to_old(now) == line
    assert line_map.kept_lines(1, len(before)) == len(kept)
    assert sum(line_map.to_old(line) is not None for line in range(1, len(after) + 1)) == len(kept)


@given(texts, texts)
@settings(deadline=None, derandomize=True, max_examples=100)
def test_the_unified_text_holds_every_line_of_its_ranges(old: bytes, new: bytes) -> None:
    line_map = diff(old, new)
    text = unified(old, new, line_map, "f.py", context=2)
    assert bool(text) == bool(line_map.hunks)
    for block in text.split("@@ -")[1:]:
        header, _, body = block.partition("\n")
        ranges = re.match(r"(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", header)
        assert ranges is not None
        lines = body.splitlines()
        counted = [sum(line[:1] in kinds for line in lines) for kinds in (" -", " +")]
        assert counted == [int(ranges[2] or 1), int(ranges[4] or 1)]
        assert [line[1:] for line in lines if line[:1] in " -"] == [
            line.decode() for line in lines_of(old)[int(ranges[1]) - 1 + (ranges[2] == "0") :][: counted[0]]
        ]


def test_the_unified_text_is_what_git_and_difflib_write() -> None:
    old = b"".join(b"line %d\n" % number for number in range(1, 31))
    new = (
        old.replace(b"line 5\n", b"five\n")
        .replace(b"line 25\n", b"")
        .replace(b"line 8\n", b"line 8\neight\n")
    )
    expected = difflib.unified_diff(
        old.decode().splitlines(keepends=True),
        new.decode().splitlines(keepends=True),
        "a/f.py",
        "b/f.py",
    )
    assert unified(old, new, diff(old, new), "f.py") == "".join(expected)


def test_changes_far_apart_are_two_hunks_and_near_ones_are_one() -> None:
    old = b"".join(b"%d\n" % number for number in range(40))
    near = old.replace(b"\n3\n", b"\nx\n").replace(b"\n8\n", b"\ny\n")
    far = old.replace(b"\n3\n", b"\nx\n").replace(b"\n30\n", b"\ny\n")
    assert len(list(shown_hunks(old, near, diff(old, near)))) == 1
    assert len(list(shown_hunks(old, far, diff(old, far)))) == 2


def test_line_ends_are_no_difference() -> None:
    assert diff(b"a\r\nb\rc\n", b"a\nb\nc").hunks == ()
    assert diff(b"a\r\nb\r\n", b"a\nx\n").hunks == (Hunk(2, 1, 2, 1),)


def test_a_last_line_without_an_end_is_marked() -> None:
    text = unified(b"a\nb", b"a\nc\n", diff(b"a\nb", b"a\nc\n"), "f")
    assert text.endswith("-b\n\\ No newline at end of file\n+c\n")


def test_empty_texts_have_hunks_at_line_one() -> None:
    assert diff(b"", b"a\nb\n").hunks == (Hunk(1, 0, 1, 2),)
    assert diff(b"a\nb\n", b"").hunks == (Hunk(1, 2, 1, 0),)
    assert diff(b"", b"").hunks == ()


def test_a_range_is_projected_between_what_was_added_around_it() -> None:
    old = b"1\n2\n3\n4\n5\n"
    new = b"1\n2\nnew\n3\n4\nnew\n5\n"
    line_map = diff(old, new)
    assert line_map.project(3, 4) == (4, 5)
    assert line_map.kept(3, 4) == 4
    assert line_map.kept(2, 4) is None
    assert line_map.project(2, 4) == (2, 5)


def test_a_removed_range_projects_to_nothing() -> None:
    line_map = diff(b"1\n2\n3\n4\n", b"1\n4\n")
    assert line_map.project(2, 3) == (2, 1)
    assert line_map.kept(2, 3) is None
    assert [line_map.to_new(line) for line in (0, 1, 2, 3, 4, 5)] == [None, 1, None, None, 2, None]


def test_hunks_beside_a_range_touch_it_and_others_do_not() -> None:
    old = b"".join(b"%d\n" % number for number in range(1, 21))
    new = old.replace(b"\n5\n", b"\n").replace(b"\n10\n", b"\nx\n").replace(b"\n16\n", b"\n16\nnew\n")
    line_map = diff(old, new)
    assert [hunk.old_start for hunk in line_map.touching(6, 16)] == [5, 10, 17]
    assert [hunk.old_start for hunk in line_map.touching(7, 15)] == [10]
    assert line_map.touching(12, 14) == ()


def test_white_space_can_be_left_out_of_the_comparison() -> None:
    old, new = b"if a:\n  b = 1\n  c\n", b"if a:\n    b  =  1\n    d\n"
    assert diff(old, new).kept_lines(1, 3) == 1
    assert diff(old, new, ignore_space=True).kept_lines(1, 3) == 2


def test_a_function_that_was_put_before_another_leaves_that_whole() -> None:
    old = b"def a():\n    return 1\n\n\ndef c():\n    return 3\n"
    new = b"def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    return 3\n"
    (hunk,) = diff(old, new).hunks
    assert lines_of(new)[hunk.new_start - 1] == b"def b():"


def test_bytes_that_are_no_text_are_compared_and_shown() -> None:
    old, new = b"a\n\xff\xfe\n", b"a\n\xff\x00\n"
    assert "\ufffd" in unified(old, new, diff(old, new), "f")


def test_twenty_thousand_lines_are_compared_well_under_a_second() -> None:
    generator = random.Random(7)
    lines = [b"value_%d = compute(%d)\n" % (number % 4000, number) for number in range(20_000)]
    shuffled = lines[:]
    generator.shuffle(shuffled)
    texts = b"".join(lines), b"".join(shuffled), b"".join(b"other %d\n" % number for number in range(20_000))
    started = time.process_time()
    counts = [len(diff(texts[0], text).hunks) for text in texts]
    assert time.process_time() - started < 1.5
    assert counts[0] == 0
    assert counts[2] == 1
