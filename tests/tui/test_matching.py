"""Which words of a text a query lights."""

from __future__ import annotations

import time

import pytest

from afresh_tui.matching import lit


def words(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in lit(text, query)]


@pytest.mark.parametrize(
    ("text", "query", "seen"),
    [
        ("Invoices are totalled.", "invoice total", ["Invoices", "totalled"]),
        ("Lock.acquire takes the lock", "locking", ["Lock", "lock"]),
        ("see acquireLock and lock_table", "lock", ["Lock", "lock"]),
        ("the acquireLock call", "acquireLock", ["acquireLock"]),
        ("the account_locks table", "locked accounts", ["account_locks"]),
        ("the of and", "what is the", []),
        ("nothing here", "", []),
        ("Größe der Straße", "straße", ["Straße"]),
        ("HTTPServer starts", "server", ["Server"]),
    ],
)
def test_words_are_lit_by_their_stems_and_in_parts_of_identifiers(
    text: str, query: str, seen: list[str]
) -> None:
    assert words(text, query) == seen


def test_a_text_of_a_hundred_thousand_characters_is_quick_and_its_lit_places_are_bounded() -> None:
    lit("warm", "up")
    began = time.perf_counter()
    found = lit("lock and unlock " * 6_000, "lock")
    # Ten times what it takes on a machine with nothing else to do.
    assert time.perf_counter() - began < 1.0
    assert len(found) == 2000
