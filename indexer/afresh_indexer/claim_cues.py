"""Tells by the words around a name whether a note says that it is there, to be made, gone, or an example."""

from __future__ import annotations

import re
from typing import Literal

Standing = Literal["certain", "doubtful", "excused"]
"""Stated as being there; perhaps an example; said not to be there, or to be made yet."""

_NOUN = r"(?:file|module|folder|directory|class|function|method|package|script|helper|page|test|entry)"
_ARTICLE = r"(?:a|an|the|your|its|their|our|some|any|another|one)"


def _words(*alternatives: str, after: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)}{after}", re.IGNORECASE)


_MAKES = _words(
    r"creat(?:e|es|ing)",
    r"scaffold(?:s|ing)?",
    r"introduc(?:e|ing)",
    r"(?<!you )(?<!not )(?<!n't )(?<!never )touch",
    r"mkdir",
    r"new files?",
    rf"{_ARTICLE} new {_NOUN}\b.*",
    r"generat(?:e|es|ing)",
    r"generated (?:in|into|to|at|as|file)",
    r"produc(?:e|es|ing)",
    r"emit(?:s|ted|ting)?",
    r"split (?:\S+ )?into",
    r"extract (?:\S+ ){0,4}?(?:to|into)",
    r"(?:copy|cp|rename|mv|clone)(?: \S+){0,3}? (?:to|as|into)",
    after=r")\b[^.]*$",
)
"""What follows is to be made."""

_PLANS = _words(
    r"(?:should|must|will|would|could|can|to) be (?:named|called|placed|put|created|written)",
    r"nam(?:e|ing) (?:it|them|the|your|files?)",
    r"call it",
    r"planned|proposed?|todo|upcoming|future|not yet|yet to",
    r"(?:will|would) (?:live|go|sit|be|become|have|move|hold)",
    after=r")\b[^.]*$",
)
"""What follows is not there yet, wherever it is to be."""

_ADDS = _words(
    rf"add(?:ing)?(?: {_ARTICLE})*(?: (?:new|own|more|matching|corresponding|separate))*(?: {_NOUN}s?)?"
    r"(?: (?:called|named|as))?",
    after=r")\b\W*(?:\S+(?<!,)\W+){0,1}$",
)
"""What follows is the very thing to be added."""

_WRITES = _words(
    r"writ(?:e|es|ten|ing)(?: \S+){0,6}? (?:to|into|as|at|in)",
    r"wrote(?: \S+){0,4}? (?:to|into)",
    r"output(?:s|ting)?(?: \S+){0,3}? (?:to|in|goes)",
    r"(?:sav|stor)(?:e|es|ed|ing)(?: \S+){0,5}? (?:to|in|into|as|at|under)",
    r"(?:export|dump|log|download)(?:s|ed|ing|ged|ging)?(?: \S+){0,5}? (?:to|into|as)",
    r"persist(?:s|ed|ing)?(?: \S+){0,5}? (?:to|in|into|as|at|under)",
    r"cached? (?:in|to|at)",
    after=r")\W*(?:\S+\W+){0,2}$",
)
"""What follows is left behind by something that runs."""

_USES = _words(
    r"see|like|from|by|based on|following|as in|similar to|in the style of|using|with|via|running|run"
    r"|against|of|for|than|through",
    after=r")\b\W*$",
)
"""What follows is looked at or used, whatever else is made with it."""

_PLACE = _words(r"in|inside|within", after=r")\b\W*$")

_ADDS_TO = _words(
    rf"add(?:s|ed|ing)?\b(?:(?!\bnew {_NOUN}\b)[^.:])*\b(?:to|in|into|under|at|inside|near)\b(?: \S+){{0,2}}",
    after=r")\W*$",
)
"""Something is added to what is there."""

_GONE_BEFORE = _words(
    r"(?:remov(?:e|es|ed|ing|al of)|delet(?:e|es|ed|ing|ion of)|dropp(?:ed|ing)|replac(?:e|es|ed|ing)"
    rf"|supersed(?:e|es|ed|ing)|renam(?:e|ed|ing))(?: {_ARTICLE})?(?: old)?(?: {_NOUN}s?)?",
    r"(?:no longer|formerly|previously|used to be|used to live|missing)(?: \S+)?",
    rf"(?:old|original|former|legacy|obsolete|retired|deleted|removed|dead)(?: {_NOUN}s?)?",
    r"(?:there (?:is|are|was|were) no|there's no|has no|have no|had no|no such)(?: \S+)?",
    rf"(?:instead of|rather than|in place of|without|whether|not)(?: {_ARTICLE})?(?: {_NOUN})?",
    r"(?:moved|renamed|migrated|split|extracted|ported|relocated)(?: \S+){0,4}? (?:from|out of)",
    r"(?:don't|do not|never|avoid|stop|not) (?:creat|add|us|introduc|put|mak|hav|bring)(?:e|es|ing)?"
    r"(?: \S+){0,5}?",
    r"if (?:present|it exists|there is|you have)(?: \S+){0,2}?",
    after=r")\W*$",
)
"""What follows is said not to be there."""

_WAS = r"(?:was|were|is|are|has been|have been|had been|got|gets|being|will be|to be|should be|must be)"
_GONE_AFTER = re.compile(
    rf"^\W*(?:\(?{_NOUN}s?\)?\W+)?(?:{_WAS}\W+)?"
    r"(?:(?:also|now|already|since|later|recently|completely|entirely|fully|then)\W+)*"
    r"(?:(?:removed|deleted|dropped|retired|superseded|renamed|moved)\b|gone\b|merged into|folded into"
    r"|split into|replaced (?:by|with)|obsolete\b|dead\b|not there\b|not present|doesn't exist|does not exist"
    r"|didn't exist|never existed|no longer (?:exists?|there|present|used|needed|part|in|tracked|shipped))",
    re.IGNORECASE,
)
_GONE_ANYWHERE = re.compile(r"\bREMOVED\b|\bDELETED\b|~~|❌|✗")
_MADE_AFTER = re.compile(
    rf"^\W*(?:\(?{_NOUN}s?\)?\W+)?(?:{_WAS}\W+)?(?:auto(?:matically)?[- ]?|also |then )?"
    r"(?:generated|created|written|produced|built|git-?ignored|ignored|untracked|optional|missing\b"
    r"|if (?:present|any|needed|it exists)|once it exists|not (?:tracked|committed|checked in))"
    r"|^\W*(?:→|->|=>|⇒)",
    re.IGNORECASE,
)
_EXAMPLE = _words(
    r"e\.g|eg|for example|for instance|such as|examples?|hypothetical|imagine|suppose|assume|placeholder",
    r"something like|like this|of the form|in the form|pattern|convention is|naming|template|sample|dummy",
    r"(?:another|other) (?:project|repo|repository)|upstream|sibling repo|third[- ]party",
    after=r")\b",
)
_EXAMPLE_HEADING = _words(
    r"examples?|template|sample|adding|creating|new|planned|proposed|proposal|future|roadmap|todo|next steps",
    r"migration|changelog|history|removed|deprecated|anti-?patterns?|how to add|naming",
    after=r")\b",
)
_LEAD_GONE = _words(r"removed|deleted|renamed|gone|no longer", after=r")\b")


def standing(before: str, after: str, lead: str, heading: str) -> Standing:
    """What the words around a name say of it.

    `before` and `after` are the rest of its sentence, `lead` is the line that introduces its list, and
    `heading` the one above it.
    """
    near = before[-240:]
    if _GONE_AFTER.search(after) or _GONE_BEFORE.search(near) or _GONE_ANYWHERE.search(near + after[:120]):
        return "excused"
    used = _USES.search(near) or _ADDS_TO.search(near)
    if not used and (_WRITES.search(near) or _PLANS.search(near)):
        return "excused"
    if not used and (_MAKES.search(near) or _ADDS.search(near)):
        # "We create sessions in x" and "create x in y" look alike: only a history can tell.
        return "doubtful" if _PLACE.search(near) else "excused"
    if lead and (_MAKES.search(lead) or _PLANS.search(lead) or _LEAD_GONE.search(lead)):
        return "excused"
    perhaps = _MADE_AFTER.search(after) or _EXAMPLE.search(near) or _EXAMPLE.search(after[:40])
    if perhaps or _EXAMPLE.search(lead) or _EXAMPLE_HEADING.search(heading):
        return "doubtful"
    return "certain"
