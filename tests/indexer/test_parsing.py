"""Parsing within bounds, and what it leaves behind: nothing."""

from __future__ import annotations

import gc
import sys

import pytest

from afresh_indexer.outline import outline
from afresh_indexer.parsing import NotParsedError, parse

SOURCE = b"def compute(values):\n    return sum(values)\n\n\n"


def source(count: int) -> bytes:
    """A source that nothing else refers to."""
    return bytes(bytearray(SOURCE * count))


@pytest.mark.parametrize("count", [1, 10, 5000])
def test_a_source_is_not_kept_after_it_was_parsed(count: int) -> None:
    parse(SOURCE, "python")
    data = source(count)
    before = sys.getrefcount(data)
    for _ in range(3):
        assert parse(data, "python").root_node.child_count == count
    assert sys.getrefcount(data) == before


def test_a_source_whose_parsing_was_stopped_is_not_kept_either() -> None:
    data = source(20_000)
    before = sys.getrefcount(data)
    ticks = iter(range(1_000_000))
    with pytest.raises(NotParsedError, match="took over 5 seconds"):
        parse(data, "python", seconds=5.0, clock=lambda: float(next(ticks)) * 3)
    assert sys.getrefcount(data) == before


def test_a_tree_can_be_walked_after_its_source_was_let_go() -> None:
    data = source(1000)
    tree = parse(data, "python")
    expected = str(tree.root_node)
    del data
    other = [source(1000) for _ in range(20)]
    assert str(tree.root_node) == expected
    assert len(other) == 20


def test_an_outline_leaves_no_garbage_behind_that_holds_a_tree() -> None:
    outline("a.py", source(2000), "python")
    gc.collect()
    gc.disable()
    try:
        before = sys.getallocatedblocks()
        outline("a.py", source(2000), "python")
        # Some thousand are the interpreter's own; a walk that refers to itself would leave fifty thousand.
        assert sys.getallocatedblocks() - before < 10_000
    finally:
        gc.enable()
