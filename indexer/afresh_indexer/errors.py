"""What can go wrong in the indexer, foreseen and worded for a person.

    IndexerError
    ├── RootRefused   the folder can't, or should not, be indexed
    └── GitFailed     git was asked and gave no usable answer

An application translates these once, where it calls the indexer.
"""

from __future__ import annotations


class IndexerError(Exception):
    """The base of every error that the indexer raises on purpose."""


class RootRefused(IndexerError):
    """A root that can't be indexed, or not without force; the text names it and says what to do."""


class GitFailed(IndexerError):
    """git broke off, took too long or is missing; nothing may be concluded from its silence.

    A listing that failed must never pass for an empty tree: everything known would be removed.
    """
