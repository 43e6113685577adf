"""Outlines, kept by content: the same file in two checkouts is parsed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from afresh.store import once
from afresh.store.columns import build_many
from afresh.store.cursor import Column, Cursor, Transaction
from afresh_indexer.records import Outline, Symbol

CHANGED = "changed"
"""The error of an outline whose file had other content when it was read; it tells nothing of its hash."""

SymbolKey: TypeAlias = Literal["name", "qualified_name", "source_sha256", "tokens_sha256"]

_TYPES = {
    "kind": "VARCHAR",
    "name": "VARCHAR",
    "qualified_name": "VARCHAR",
    "start_line": "BIGINT",
    "end_line": "BIGINT",
    "start_byte": "BIGINT",
    "end_byte": "BIGINT",
    "source_sha256": "VARCHAR",
    "tokens_sha256": "VARCHAR",
}
_COLUMNS = ", ".join(_TYPES)


def put_outlines(tx: Transaction, outlines: Sequence[Outline], languages: Mapping[str, str]) -> None:
    """Store outlines; `languages` gives each content's language by its sha256.

    One that is there for this content and language is replaced.
    """
    latest = {
        (outline.sha256, languages[outline.sha256]): outline
        for outline in outlines
        if outline.error != CHANGED
    }
    if not latest:
        return
    pairs = [[key[0] for key in latest], [key[1] for key in latest]]
    old = (
        "SELECT id FROM outlines WHERE (sha256, language) IN "
        "(SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[]))"
    )
    if tx.execute(f"{old} LIMIT 1", pairs).one() is not None:
        tx.execute(f"DELETE FROM symbols WHERE outline_id IN ({old})", pairs)
        tx.execute(f"DELETE FROM outlines WHERE id IN ({old})", pairs)
    ids = [row[0] for row in tx.execute("SELECT nextval('outline_ids') FROM range(?)", [len(latest)]).rows()]
    tx.insert(
        "outlines",
        {
            "id": Column("BIGINT", ids),
            "sha256": Column("VARCHAR", pairs[0]),
            "language": Column("VARCHAR", pairs[1]),
            "error": Column("VARCHAR", [outline.error for outline in latest.values()]),
        },
    )
    placed = [
        (id_, ordinal, symbol)
        for id_, outline in zip(ids, latest.values(), strict=True)
        for ordinal, symbol in enumerate(outline.symbols)
    ]
    columns = {
        name: Column(kind, [getattr(symbol, name) for _, _, symbol in placed])
        for name, kind in _TYPES.items()
    }
    columns["outline_id"] = Column("BIGINT", [id_ for id_, _, _ in placed])
    columns["ordinal"] = Column("INTEGER", [ordinal for _, ordinal, _ in placed])
    tx.insert("symbols", columns)


def outline_of(cur: Cursor, path: str, sha256: str, language: str) -> Outline | None:
    """The outline of that content, under `path`; None where it was not parsed yet."""
    row = cur.execute(
        "SELECT id, error FROM outlines WHERE sha256 = ? AND language = ?", [sha256, language]
    ).one()
    return None if row is None else Outline(path, sha256, tuple(_symbols(cur, row[0])), row[1])


def symbols_of(cur: Cursor, sha256: str, language: str) -> list[Symbol]:
    """The definitions in that content, in their order; none where it was not parsed yet."""
    outline = outline_of(cur, "", sha256, language)
    return list(outline.symbols) if outline is not None else []


def find(cur: Cursor, checkout_id: int, by: SymbolKey, value: str) -> list[tuple[str, Symbol]]:
    """Definitions in the checkout's current files with that name or that content, as (path, symbol)."""
    if by not in ("name", "qualified_name", "source_sha256", "tokens_sha256"):
        raise ValueError(f"symbols can't be found by {by!r}")
    rows = cur.execute(
        f"SELECT f.path, {_COLUMNS} FROM symbols AS s JOIN outlines AS o ON o.id = s.outline_id "
        "JOIN files AS f ON f.sha256 = o.sha256 AND f.language = o.language "
        f"WHERE f.checkout_id = ? AND s.{by} = ? ORDER BY f.path, s.ordinal",
        [checkout_id, value],
    ).rows()
    return [(path, Symbol(*rest)) for path, *rest in rows]


def find_each(cur: Cursor, checkout_id: int, names: Sequence[str]) -> list[tuple[str, Symbol]]:
    """Definitions in the checkout's current files that have one of these names, as (path, symbol)."""
    rows = cur.execute(
        f"SELECT f.path, {_COLUMNS} FROM symbols AS s JOIN outlines AS o ON o.id = s.outline_id "
        "JOIN files AS f ON f.sha256 = o.sha256 AND f.language = o.language "
        "WHERE f.checkout_id = ? AND s.name IN (SELECT unnest(?::VARCHAR[])) ORDER BY f.path, s.ordinal",
        [checkout_id, list(names)],
    ).rows()
    return [(path, Symbol(*rest)) for path, *rest in rows]


def names_by_path(cur: Cursor, checkout_id: int) -> dict[str, list[str]]:
    """The qualified names in each of the checkout's current files whose content was parsed.

    A file whose parser gave up, or whose outline is still to come, is not in it.
    """
    rows = cur.execute(
        "SELECT f.path, n.names FROM files AS f JOIN outlines AS o "
        "ON o.sha256 = f.sha256 AND o.language = f.language LEFT JOIN ("
        "SELECT outline_id, list(qualified_name) AS names FROM symbols GROUP BY outline_id) AS n "
        "ON n.outline_id = o.id WHERE f.checkout_id = ? AND o.error IS NULL",
        [checkout_id],
    ).rows()
    return {path: names or [] for path, names in rows}


def counts(cur: Cursor, checkout_id: int) -> dict[str, int]:
    """How many definitions the checkout's current files have, by kind, most first."""
    rows = cur.execute(
        "SELECT s.kind, count(*) AS n FROM symbols AS s JOIN outlines AS o ON o.id = s.outline_id "
        "JOIN files AS f ON f.sha256 = o.sha256 AND f.language = o.language "
        "WHERE f.checkout_id = ? GROUP BY s.kind ORDER BY n DESC, s.kind",
        [checkout_id],
    ).rows()
    return {kind: int(number) for kind, number in rows}


def prune(tx: Transaction) -> int:
    """Drop the outlines of contents that no indexed file has any more; how many there were.

    What they defined stays remembered.
    """
    once.settle_all(tx)
    orphans = [
        row[0]
        for row in tx.execute(
            "SELECT o.id FROM outlines AS o WHERE NOT EXISTS "
            "(SELECT 1 FROM files AS f WHERE f.sha256 = o.sha256 AND f.language = o.language)"
        ).rows()
    ]
    if orphans:
        tx.execute("DELETE FROM symbols WHERE outline_id IN (SELECT unnest(?::BIGINT[]))", [orphans])
        tx.execute("DELETE FROM outlines WHERE id IN (SELECT unnest(?::BIGINT[]))", [orphans])
    return len(orphans)


def _symbols(cur: Cursor, outline_id: int) -> list[Symbol]:
    columns = cur.execute(
        f"SELECT {_COLUMNS} FROM symbols WHERE outline_id = ? ORDER BY ordinal", [outline_id]
    ).numpy()
    return build_many(Symbol, columns)
