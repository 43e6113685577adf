"""Text as evidence: terms and BM25, embeddings, one searchable corpus, and redaction.

The room is pure: it knows no database, no protocol and no clock. What it needs from the store (postings,
vectors, the exact floats of a few rows) comes in as arrays or as a callable.
"""

from __future__ import annotations
