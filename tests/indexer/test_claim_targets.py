"""Where what a note names stands, and what to write instead of what is gone."""

from __future__ import annotations

import pytest

from afresh_indexer.claim_targets import Target, replacement, target_of
from afresh_indexer.claim_world import PathIndex, World
from afresh_indexer.claims import claims

WORLD = World(
    paths=PathIndex(["billing/locks.py", "billing/b.py", "docs/b.py", "docs/guide.md"]),
    symbols={"billing/locks.py": ["Lock", "Lock.acquire"], "billing/b.py": ["Other.acquire", "pay"]},
)


def first(text: str, source: str | None = "docs/guide.md"):
    claim = claims(text, source_path=source)[0]
    return claim, text[claim.start : claim.end]


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("See `billing/locks.py`.", Target("billing/locks.py")),
        ("See `billing/locks.py:12-20`.", Target("billing/locks.py", line=12)),
        ("See [it](../billing/locks.py#L7).", Target("billing/locks.py", line=7)),
        ("See `locks.py`.", Target("billing/locks.py")),
        ("See [it](b.py).", Target("docs/b.py")),
        ("See `nowhere/locks2.py`.", None),
        ("Call `Lock.acquire()`.", Target("billing/locks.py", "Lock.acquire")),
        ("Call `pay()`.", Target("billing/b.py", "pay")),
        ("Call `acquire()`.", None),
        ("Call `acquire()` in `billing/b.py`.", Target("billing/b.py", "Other.acquire")),
        ("Call `nothing_like_it()`.", None),
        ("Run `make nothing`.", None),
    ],
)
def test_a_claim_leads_to_the_one_place_that_it_can_mean(text: str, target: Target | None) -> None:
    claim, written = first(text)
    assert target_of(claim, written, WORLD, "docs/guide.md") == target


@pytest.mark.parametrize(
    ("text", "suggestion", "written"),
    [
        ("See `billing/old.py`.", "billing/locks.py", "billing/locks.py"),
        ("See `billing/old.py:12-20`.", "billing/locks.py", "billing/locks.py:12-20"),
        ("See [it](../billing/old.py#top).", "billing/locks.py", "../billing/locks.py#top"),
        ("See [it](old.md).", "docs/guide.md", "guide.md"),
        ("See [it](../billing/old.py).", "a b/locks.py", "../a%20b/locks.py"),
        ("See `./old/one.py`.", "docs/b.py", "./b.py"),
        ("See `billing/old/`.", "billing/", "billing/"),
        ("Call `Old.acquire`.", "billing/locks.py: Lock.acquire", "Lock.acquire"),
        ("Run `make tset`.", "make test", "make test"),
        ("See `billing/old.py`.", None, None),
    ],
)
def test_what_is_written_instead_is_written_in_the_same_way(
    text: str, suggestion: str | None, written: str | None
) -> None:
    claim, before = first(text)
    assert replacement(claim, before, suggestion, "docs/guide.md") == written
