"""Sentences that speak to whoever reads them instead of saying something.

What was saved is data: a sentence that tells the reader what to answer is nothing that could be quoted as an
answer. Only plain forms are known here; that a model takes recalled text for data is the fences' business.
"""

from __future__ import annotations

import re

_TURN = r"(?:^|[.;:!,\-–—>\]\"“]\s*|\b(?:please|now|then|and|instead|you (?:must|should|will))\s+)"
_BEFORE = r"(?:above|preceding|foregoing|previous|prior|earlier)"
_TEXTS = r"(?:instructions?|prompts?|messages?|context|texts?|rules|questions?|evidence|data|memor(?:y|ies))"

_TELLING = re.compile(
    rf"{_TURN}(?:ignore|disregard|forget|override)\s+(?:\w+\s+){{0,3}}?(?:{_BEFORE}(?=\W*$|\s+and\b|\s*[,;:.]"
    rf"|\s+(?:\w+\s+)?{_TEXTS}\b)|your\s+(?:\w+\s+)?{_TEXTS}\b|(?:all|any|every)\s+(?:other\s+)?{_TEXTS}\b"
    rf"|everything\b)"
    rf"|{_TURN}(?:answer|respond|reply|output|print)\s+(?:(?:only|with|exactly|just|simply|always|in)\s+)*"
    rf"[\"'“`]?(?:yes|no|true|false|ok|(?-i:[A-Z]{{2,}}))\b"
    rf"|{_TURN}\W*(?:say|answer|respond|reply|claim|pretend|state|tell (?:the user|them|everyone))\s+"
    rf"(?:that|with|as|only|nothing)\b"
    rf"|\byou are (?:now|no longer) (?:a|an|the|in|bound|allowed)\b"
    rf"|\b(?:new|real|actual|updated) (?:system )?(?:instructions?|prompt)\s*:"
    rf"|\b(?:reveal|print|repeat|show) (?:your|the) system prompt\b"
    rf"|<\|im_(?:start|end)\|>|\[/?INST\]|<</?SYS>>",
    re.IGNORECASE,
)


def tells_the_reader(sentence: str) -> bool:
    """Whether a sentence is an instruction to whoever answers."""
    return _TELLING.search(sentence) is not None
