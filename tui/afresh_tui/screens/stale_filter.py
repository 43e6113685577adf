"""Which of the stale conclusions are wanted: by words, author, path or impact. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh_tui.wording import word_of

if TYPE_CHECKING:
    from afresh.verbs import StaleItem

_TERM = re.compile(r'(?:(author|path|impact):("[^"]*"?|\S*))|("[^"]*"?|\S+)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a filter's text asks for; all of it has to hold, in whatever case it is written."""

    words: tuple[str, ...] = ()
    """Each stands in the question, the text, a path or an author's name."""
    authors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    impacts: tuple[str, ...] = ()

    def holds(self, item: StaleItem) -> bool:
        """Whether an item is wanted."""
        authors = " ".join(authors_of(item)).casefold()
        paths = " ".join(item.files).casefold()
        text = f"{item.title} {item.text} {paths} {authors}".casefold()
        impact = f"{item.impact} {word_of(item.impact)}".casefold()
        return (
            all(word in text for word in self.words)
            and all(author in authors for author in self.authors)
            and all(path in paths for path in self.paths)
            and all(wanted in impact for wanted in self.impacts)
        )


def wanted(text: str) -> Wanted:
    """Read a filter: `author:ada path:billing/ impact:gone "other words"`."""
    found: dict[str, list[str]] = {"": [], "author": [], "path": [], "impact": []}
    for match in _TERM.finditer(text):
        value = (match[2] or match[3] or "").strip('"').casefold()
        if value:
            found[(match[1] or "").casefold()].append(value)
    return Wanted(*(tuple(found[name]) for name in ("", "author", "path", "impact")))


def authors_of(item: StaleItem) -> list[str]:
    """Who changed what an item cites, each once."""
    return list(dict.fromkeys(detail.commit.author for detail in item.details if detail.commit is not None))
