"""Reads the documents of a root whose contents are known by their hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from afresh_indexer.fingerprint import read_regular
from afresh_indexer.notes import Document, read_document

MAX_BYTES = 2 << 20
"""A larger document carries no notes: it is data, or generated."""


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document, and which content of which file it is."""

    path: str
    sha256: str
    document: Document


def read_documents(root: Path, contents: Iterable[tuple[str, str]]) -> Iterator[ReadDocument]:
    """What the files with these paths and hashes hold.

    One whose content is another by now is left out: news of that is under way.
    """
    for path, sha256 in contents:
        try:
            content = read_regular(root / path, MAX_BYTES)
        except OSError:
            continue
        if not content.whole:
            yield ReadDocument(path, sha256, Document())
        elif hashlib.sha256(content.data).hexdigest() == sha256:
            yield ReadDocument(path, sha256, read_document(path, content.data))
