"""The verdict on a cited file, and what holds for all spans."""

from __future__ import annotations

from tests.indexer.drift_cases import CODE, cite, judge, lines, swap, text_of

from afresh_indexer.drift import drift


def test_equal_bytes_are_unchanged() -> None:
    found = judge(CODE, cite(CODE, "ship"))
    assert (found.change, found.spans[0].now, found.hunks) == ("unchanged", "unchanged", ())


def test_flipped_line_ends_are_eol_only_for_the_file_and_its_spans() -> None:
    found = judge(CODE.replace(b"\n", b"\r\n"), cite(CODE, "ship"), lines(CODE, 3, 5))
    assert found.change == "eol_only"
    assert [span.now for span in found.spans] == ["eol_only", "eol_only"]
    assert judge(CODE.replace(b"\n", b"\r\n")).change == "eol_only"


def test_line_ends_that_changed_in_one_place_are_eol_only_there() -> None:
    head, tail = CODE.split(b"def ship")
    found = judge(head + b"def ship" + tail.replace(b"\n", b"\r\n"), cite(CODE, "ship"), cite(CODE, "parse"))
    assert [span.now for span in found.spans] == ["eol_only", "unchanged"]
    assert found.change == "eol_only"


def test_a_flip_beside_a_real_change_is_told_from_it() -> None:
    new = swap(CODE, b"LIMIT = 30", b"LIMIT = 31").replace(b"\n", b"\r\n")
    found = judge(new, cite(CODE, "ship"), cite(CODE, "LIMIT"))
    assert [span.now for span in found.spans] == ["eol_only", "edited"]
    assert judge(new, cite(CODE, "ship")).change == "elsewhere"


def test_a_change_elsewhere_leaves_a_span_unchanged_with_its_new_lines() -> None:
    new = swap(CODE, b"import json\n", b"import json\nimport os\nimport sys\n")
    found = judge(new, cite(CODE, "ship"), cite(CODE, "Order.total"))
    assert found.change == "elsewhere"
    assert [span.now for span in found.spans] == ["unchanged", "unchanged"]
    assert text_of(new, found.spans[0]).startswith(b"def ship")
    assert text_of(new, found.spans[1]).startswith(b"    @property")


def test_a_file_that_is_gone_takes_its_spans_with_it() -> None:
    found = judge(None, cite(CODE, "ship"), lines(CODE, 1, 2))
    assert (found.change, [span.now for span in found.spans]) == ("gone", ["gone", "gone"])
    assert judge(None).change == "gone"


def test_a_file_that_became_binary_has_lost_its_spans() -> None:
    found = judge(b"\x00\x01" + CODE, cite(CODE, "ship"))
    assert (found.change, found.spans[0].now, found.line_map) == ("gone", "gone", None)
    assert judge(b"\x00\x01" + CODE).change == "edited"


def test_a_file_that_was_emptied_or_filled() -> None:
    assert judge(b"", cite(CODE, "ship"), lines(CODE, 1, 3)).change == "gone"
    assert judge(b"").change == "edited"
    assert judge(CODE, old=b"").change == "edited"
    assert judge(b"\n", old=b"").change == "cosmetic"


def test_what_moved_with_its_file_says_where_to() -> None:
    new = swap(CODE, b"> LIMIT:", b">= LIMIT:")
    spans = [cite(CODE, "ship"), cite(CODE, "parse")]
    found = drift(CODE, new, "python", spans, "orders.py", new_path="shop/Orders.py")
    assert [span.now for span in found.spans] == ["moved", "moved"]
    contents = [span.moved_to.content for span in found.spans if span.moved_to is not None]
    assert contents == ["changed", "identical"]
    assert found.change == "edited"
    assert found.moved_to is not None
    assert (found.moved_to.path, found.moved_to.content) == ("shop/Orders.py", "changed")


def test_a_case_only_renaming_is_moved_identical() -> None:
    found = drift(CODE, CODE, "python", [], "orders.py", new_path="Orders.py")
    assert found.change == "moved"
    assert found.spans[0].moved_to is not None
    assert found.spans[0].moved_to.content == "identical"


def test_a_source_that_can_t_be_parsed_is_judged_by_its_text() -> None:
    broken = CODE.replace(b"LIMIT = 30", b"LIMIT = \0")
    found = judge(broken.replace(b"30", b"31"), cite(CODE, "ship"), old=CODE)
    assert found.spans[0].now in ("gone", "unchanged")


def test_nothing_of_the_text_is_kept_in_a_verdict() -> None:
    found = judge(swap(CODE, b"> LIMIT:", b">= LIMIT:"), cite(CODE, "ship"))
    assert "LIMIT" not in repr(found)
