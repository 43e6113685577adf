"""The database: the only room that speaks SQL.

`Store` opens the file, gives out one cursor a read and one transaction a write; the other modules are one
table family each, functions that take a `Cursor` or a `Transaction`, with frozen dataclasses in and out.
"""

from __future__ import annotations

from afresh.store.cursor import Cursor, Transaction
from afresh.store.database import Store
from afresh.store.owners import OWNERS, Owner
from afresh.store.spans import Span

__all__ = ["OWNERS", "Cursor", "Owner", "Span", "Store", "Transaction"]
