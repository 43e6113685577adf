"""The desk of these tests has no embedding model: questions are asked again in the same words."""

from __future__ import annotations

import pytest

from afresh.engine import explore


@pytest.fixture
def desk(lexical_desk, monkeypatch: pytest.MonkeyPatch):
    """An engine and a workspace; nobody is in a hurry, so that a loaded machine changes no answer."""
    monkeypatch.setattr(explore, "COMMITS_S", 60.0)
    monkeypatch.setattr(explore, "RECALL_S", 60.0)
    return lexical_desk
