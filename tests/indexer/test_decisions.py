"""Decision records: the forms of Nygard and of MADR, records that lack things, and who took whose place."""

from __future__ import annotations

from datetime import date

import pytest

from afresh_indexer.decision_dates import date_in
from afresh_indexer.decisions import Decision, superseded
from afresh_indexer.notes import read_document

NYGARD = """\
# 2. Keep data in DuckDB

Date: 2024-03-05

## Status

Accepted

Supersedes [1. Keep data in SQLite](0001-keep-data-in-sqlite.md)

Superseded by [7. Keep data in PostgreSQL](0007-keep-data-in-postgresql.md)

## Context

Columns are read more often than rows.

## Decision

We keep data in DuckDB.

## Consequences

One process owns the file.
"""

MADR_4 = """\
---
status: "superseded by [ADR-0007](0007-keep-data-in-postgresql.md)"
date: 2024-03-05
decision-makers: [Ann, Bob]
---

# Keep data in DuckDB

## Context and Problem Statement

Columns are read more often than rows.

## Considered Options

* DuckDB
* SQLite

## Decision Outcome

Chosen option: "DuckDB", because it is columnar.

### Consequences

* Good, because scans are quick

## More Information

Supersedes: [ADR-0001](0001-keep-data-in-sqlite.md)
"""

MADR_2 = """\
# Keep data in DuckDB

* Status: superseded by [ADR-0007](0007-keep-data-in-postgresql.md) <!-- optional -->
* Deciders: Ann, Bob
* Date: 2024-03-05
* Supersedes: ADR-0001

Technical Story: #12

## Context and Problem Statement

Columns are read more often than rows.
"""

RST = """\
======================
Keep data in DuckDB
======================

:Status: Superseded by `PostgreSQL <0007-keep-data-in-postgresql.md>`_
:Date: 5 March 2024
:Supersedes: ADR-1

Context
=======

Columns are read more often than rows.
"""


def read(text: str, path: str = "docs/adr/0002-keep-data-in-duckdb.md") -> Decision:
    decision = read_document(path, text.encode()).decision
    assert decision is not None
    return decision


@pytest.mark.parametrize(
    ("text", "suffix"),
    [(NYGARD, "md"), (MADR_4, "md"), (MADR_2, "md"), (RST, "rst")],
    ids=["nygard", "4", "2", "rst"],
)
def test_a_full_record_gives_status_date_and_what_it_replaced(text: str, suffix: str) -> None:
    decision = read(text, f"docs/adr/0002-keep-data-in-duckdb.{suffix}")
    assert (decision.number, decision.status, decision.decided) == (2, "superseded", date(2024, 3, 5))
    assert decision.superseded_by == ("docs/adr/0007-keep-data-in-postgresql.md",)
    assert decision.supersedes in (("docs/adr/0001-keep-data-in-sqlite.md",), ("1",))


def test_the_notes_of_a_record_carry_its_status_and_its_date() -> None:
    document = read_document("docs/adr/2.md", MADR_4.encode())
    assert {note.tags for note in document.notes} == {
        ("status:superseded", "decision-makers:Ann", "decision-makers:Bob")
    }
    assert {note.decided for note in document.notes} == {date(2024, 3, 5)}
    assert {note.kind for note in document.notes} == {"decision"}


@pytest.mark.parametrize(
    ("said", "status", "day"),
    [
        ("## Status\n\n**Accepted** on 2021-06-01", "accepted", date(2021, 6, 1)),
        ("## Status: Proposed", "proposed", None),
        ("- **Status**: ✅ Approved\n- **Date**: Feb 3rd, 2022", "approved", date(2022, 2, 3)),
        ("| Status | Rejected |\n|---|---|\n| Date | 03.02.2022 |", "rejected", date(2022, 2, 3)),
        ("Status: Not started yet by anyone", "not started yet", None),
        ("## Status\n\n~~Proposed~~ Accepted", "accepted", None),
        ("* Status: {proposed | rejected | accepted | deprecated}", None, None),
        ("## Status\n\nProposed | Accepted | Deprecated", None, None),
        ("## Status\n\nWhat is the status?\n\nDate: 2021-13-45", "what is the", None),
        ("## Context\n\nStatus: accepted is what we would like to see.", None, None),
        ("", None, None),
    ],
)
def test_what_a_record_lacks_is_not_made_up(said: str, status: str | None, day: date | None) -> None:
    decision = read(f"# A title\n\n{said}\n\n## Decision\n\nWe do it.\n")
    assert (decision.status, decision.decided) == (status, day)


@pytest.mark.parametrize(
    ("status", "by", "of"),
    [
        ("Superceded by [9. B](0009-b.md)", ("d/0009-b.md",), ()),
        ("superseded by ADR-0009 and ADR 12", ("9", "12"), ()),
        ("Accepted, supersedes #3", (), ("3",)),
        ("Superseded by:\n\n- [B](./0009-b.md#decision)\n- [[0012-c|C]]", ("d/0009-b.md", "d/0012-c"), ()),
        ("Supersedes [3](0003-a.md); replaced by [B](../e/0009-b.md)", ("e/0009-b.md",), ("d/0003-a.md",)),
        ("Accepted\n\nAmended by [4. X](0004-x.md)", (), ()),
        ("Partially superseded by [4. X](0004-x.md)", (), ()),
        ("Superseded by [B](https://example.org/adr/0009-b.md)", ("9",), ()),
        ("Superseded", (), ()),
    ],
)
def test_links_between_records_are_read_in_the_ways_people_write_them(
    status: str, by: tuple[str, ...], of: tuple[str, ...]
) -> None:
    decision = read(f"# A\n\n## Status\n\n{status}\n", "d/adr-0001-a.md")
    assert (decision.superseded_by, decision.supersedes) == (by, of)


def test_a_number_comes_from_the_name_or_else_from_the_title() -> None:
    assert read("# ADR-012: B\n", "docs/adr/b.md").number == 12
    assert read("# 7. B\n", "docs/adr/b.md").number == 7
    assert read("# Not 7\n", "docs/adr/ADR-003-b.md").number == 3
    assert read("# B\n", "docs/adr/2024-01-02-b.md").number is None


def test_a_records_heir_is_found_by_its_path_its_name_or_its_number() -> None:
    records = [
        Decision("adr/0001-a.md", 1, "superseded", superseded_by=("adr/0002-b.md",)),
        Decision("adr/0002-b.md", 2, "superseded", superseded_by=("0003-c",)),
        Decision("adr/0003-c.md", 3, "accepted"),
        Decision("adr/0004-d.md", 4, "accepted", supersedes=("3", "99")),
        Decision("other/0004-d.md", 4, "accepted"),
    ]
    assert superseded(records) == {
        "adr/0001-a.md": "adr/0002-b.md",
        "adr/0002-b.md": "adr/0003-c.md",
        "adr/0003-c.md": "adr/0004-d.md",
    }


def test_a_proposal_takes_nobodys_place_and_a_circle_is_passed_over() -> None:
    old = Decision("adr/1.md", 1, "accepted")
    assert superseded([old, Decision("adr/2.md", 2, "proposed", supersedes=("1",))]) == {}
    assert superseded([old, Decision("adr/2.md", 2, None, supersedes=("1",))]) == {"adr/1.md": "adr/2.md"}
    assert superseded([old, Decision("adr/2.md", 2, superseded_by=("7", "2"))]) == {}
    circle = [
        Decision("adr/1.md", 1, superseded_by=("2",)),
        Decision("adr/2.md", 2, superseded_by=("1",)),
        Decision("adr/3.md", 3, superseded_by=("1",)),
    ]
    assert superseded(circle) == {}


def test_two_records_of_one_number_are_not_guessed_between() -> None:
    twins = [
        Decision("adr/2-a.md", 2),
        Decision("adr/2-b.md", 2),
        Decision("adr/1.md", 1, superseded_by=("2",)),
    ]
    assert superseded(twins) == {}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2016-02-12", date(2016, 2, 12)),
        ("on 2016/2/12, after 2015-01-01", date(2016, 2, 12)),
        ("12th of February 2016", date(2016, 2, 12)),
        ("12 Feb. 2016", date(2016, 2, 12)),
        ("February 12, 2016", date(2016, 2, 12)),
        ("12.2.2016", date(2016, 2, 12)),
        ("2016-02-12T10:00:00Z", date(2016, 2, 12)),
        ("2016-02-30, no 2016-02-29", date(2016, 2, 29)),
        ("02/03/2016", None),
        ("12345-01-01", None),
        ("in 2016", None),
    ],
)
def test_days_are_read_in_the_forms_that_are_plain(text: str, day: date | None) -> None:
    assert date_in(text) == day
