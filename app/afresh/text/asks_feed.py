"""Whether a query plainly asks for everything that happened in a time, not for something about a topic."""

from __future__ import annotations

import re

_FEED = re.compile(
    r"\b(what (did|have) (i|we|you) (do|done|work(ed)? on|change[d]?|save[d]?|learn(ed)?)"
    r"|what('s| is| has| was)? (happened|happening|new|changed)"
    r"|(activity|change) ?log|(show|list|give me) (me )?(all|everything)|everything (from|since|that))\b",
    re.IGNORECASE,
)
_TOPIC = re.compile(r"\b(about|regarding|concerning|why|how|which|where|who)\b", re.IGNORECASE)


def asks_feed(query: str) -> bool:
    """Whether the words ask for a feed; a topic that is named makes it a question about that."""
    return _FEED.search(query) is not None and _TOPIC.search(query) is None
