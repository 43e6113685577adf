"""Whether a query plainly asks for everything that happened in a time, and not for something about a topic.

A feed leaves out nothing and ranks nothing, so a query gets one only if, its time words aside, every word
of it asks for activity. One word that names a thing ("what happened to the lock yesterday") makes it a
question about that.
"""

from __future__ import annotations

import re

from afresh.text.time_phrases import without_time

_WHO = r"(?:i|we|you|they|everyone|everybody|the (?:team|agents?))"
_VERBS = (
    r"(?:do|done|doing|did|work(?:ed|ing)?(?: on)?|chang(?:e|ed|ing)|sav(?:e|ed|ing)|learn(?:ed|t|ing)?|"
    r"accomplish(?:ed)?|achiev(?:e|ed)|get done|finish(?:ed)?|complet(?:e|ed)|ship(?:ped)?|record(?:ed)?|"
    r"not(?:e|ed)|stor(?:e|ed)|remember(?:ed)?|writ(?:e|ten)(?: down)?|log(?:ged)?|up to|add(?:ed)?|"
    r"make|made)"
)
_WENT = (
    r"(?:happen(?:ed|ing)|chang(?:ed|ing)|going on|went on|going down|new|done|saved|learned|added|updated|"
    r"recorded)"
)
_THINGS = r"(?:changes|updates|activity|activities|events|news)"
_SHAPES = (
    rf"what (?:all )?(?:else )?(?:did|have|has|had|was|were|am|are|ve|d) {_WHO} (?:all )?(?:been )?{_VERBS}",
    rf"what (?:all )?(?:else )?(?:has |have |had |was |were |s |is )?(?:been )?{_WENT}",
    rf"what (?:all )?(?:was|were|are|is|s) (?:the |my |our |all )*{_THINGS}",
    r"(?:change|daily|work) (?:log|feed|history|summary|report)",
    r"(?:show|list|give|get|display|print|fetch|find|tell|recall|send)(?: me| us)?(?: back)? (?:all|every)",
    rf"everything|anything|all things|timeline|feed|recap|stand ?up|summary|overview|digest|{_THINGS}",
    r"changelog|journal|diary|log|summari[sz]e|review|show|list|catch (?:me|us) up",
)
_ASKED = re.compile(rf"\b(?:{'|'.join(_SHAPES)})\b")
_ASKING_TEXT = """
    a accomplish accomplished achieve achieved activities activity add added agent agents all am an and
    any anyone anything are around back been between bring by can catch change changed changelog changes
    changing chronological chronologically complete completed could d daily day diary did digest display
    do doing done down during each else entire entries entry events every everybody everyone everything
    far feed fetch find finish finished for from full get give given go going had happen happened
    happening has have history i in is it items journal just learn learned learning learnt let like list
    ll log logged logs look made make me memories memory much my new news note noted notes of on or order
    our out over overview please print progress recall recap record recorded records remember remembered
    report review s save saved saving see send ship shipped show since so some speed stand standup stored
    stuff sum summaries summarise summarize summary team tell that the there things this through timeline
    to until up update updated updates us ve want was we went were what whatever with work worked working
    would write written you your yourself
"""
_ASKING = frozenset(_ASKING_TEXT.split())
_WORD = re.compile(r"[^\W_]+")
_NO_LOG = re.compile(r"\b(?:to|until) (?:do|make|change|write|learn|finish|review)\b|\bwant(?:s|ed)? to\b")


def asks_feed(query: str) -> bool:
    """Whether a query's words ask for a feed of activity; English only, and a time may be named or not."""
    words = _WORD.findall(without_time(query).casefold())
    if not words or not _ASKING.issuperset(words):
        return False
    text = " ".join(words)
    return _ASKED.search(text) is not None and _NO_LOG.search(text) is None
