"""What the code of a workspace defines, and what one definition refers to: read off its outlines.

A memory is about a file or a name more often than about what that name calls, and says neither. So a question
that names code is led on by the code itself: to where a name is defined, and to what its source mentions that
the workspace defines too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from afresh.store import symbols
from afresh.store.database import Store
from afresh.store.projects import Checkout
from afresh_indexer.records import Symbol

MOST_PLACES = 4
"""A name that is defined in more places says little about any of them."""
_LONGEST_SOURCE = 256 * 1024
"""Bytes of a definition; nobody asks for one that is longer, and reading it would hold a search up."""
_JOINTS = re.compile(r"\.|::|->|#")
_WORD = re.compile(r"[^\W\d]\w{2,}")


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition in one of the workspace's files."""

    path: str
    """POSIX, relative to the checkout's root."""
    symbol: Symbol

    @property
    def search(self) -> str:
        """What to search for to find what is known of it."""
        return f"{self.path} {self.symbol.qualified_name}"


class References:
    """The graph of one checkout's definitions, read as far as it is asked for."""

    def __init__(self, store: Store, checkout: Checkout | None) -> None:
        """Without a checkout there is no code, and nothing is found."""
        self._store = store
        self._checkout = checkout

    def named(self, names: Sequence[str]) -> list[Definition]:
        """What these names define; one that is qualified finds what is qualified so, if anything is."""
        lasts = [_JOINTS.split(name)[-1] for name in names]
        found = self._find(lasts)
        definitions: dict[Definition, None] = {}
        for name, last in zip(names, lasts, strict=True):
            places = found.get(last, [])
            whole = ".".join(_JOINTS.split(name))
            qualified = [place for place in places if f".{place.symbol.qualified_name}".endswith(f".{whole}")]
            places = qualified or places
            if len(places) <= MOST_PLACES:
                definitions.update(dict.fromkeys(places))
        return list(definitions)

    def referred(self, definition: Definition) -> list[Definition]:
        """What the source of a definition mentions that the workspace defines outside of it, in its order.

        Nothing where the file is gone or has changed since it was outlined.
        """
        words = list(dict.fromkeys(_WORD.findall(self._source(definition))))
        found = self._find([word for word in words if word != definition.symbol.name])
        referred: list[Definition] = []
        for word in words:
            places = [place for place in found.get(word, []) if not _inside(place, definition)]
            # A name of the same file means that one, whatever is called so elsewhere.
            places = [place for place in places if place.path == definition.path] or places
            if len(places) <= MOST_PLACES:
                referred += places
        return referred

    def _find(self, names: Sequence[str]) -> dict[str, list[Definition]]:
        if self._checkout is None or not names:
            return {}
        with self._store.read() as cursor:
            found = symbols.find_each(cursor, self._checkout.id, names)
        definitions: dict[str, list[Definition]] = {}
        for path, symbol in found:
            definitions.setdefault(symbol.name, []).append(Definition(path, symbol))
        return definitions

    def _source(self, definition: Definition) -> str:
        symbol = definition.symbol
        length = symbol.end_byte - symbol.start_byte
        if self._checkout is None or length > _LONGEST_SOURCE:
            return ""
        try:
            with (Path(self._checkout.root) / definition.path).open("rb") as file:
                file.seek(symbol.start_byte)
                source = file.read(length)
        except OSError:
            return ""
        if hashlib.sha256(source).hexdigest() != symbol.source_sha256:
            return ""
        return source.decode("utf-8", "replace")


def _inside(place: Definition, definition: Definition) -> bool:
    """Whether one definition is part of another, or the other way about."""
    if place.path != definition.path:
        return False
    one, other = place.symbol, definition.symbol
    return one.start_byte < other.end_byte and other.start_byte < one.end_byte
