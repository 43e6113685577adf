"""The words that an editor shows: pure, and the same for every client."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from afresh_lsp.knowledge import Item, Place

_SAID = {
    "eol_only": "only line ends differ",
    "elsewhere": "its file changed, and the cited part did not",
    "cosmetic": "only form changed",
    "docs_only": "only documentation changed",
    "moved": "it moved",
    "edited": "its code was edited",
    "gone": "its code is gone",
}
_MARKS = re.compile(r"([\\`*_{}\[\]()#+\-.!<>|~&])")
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_LOADS = re.compile(r"!\[|<(?=[A-Za-z/!?])")
"""What makes a viewer of Markdown fetch something, or take the text for its own."""
_TEXT_AT_MOST = 600


def counted(items: Sequence[Item]) -> str:
    """`3 memories · 1 stale`."""
    number = len(items)
    stale = sum(item.stale for item in items)
    return f"{number} {'memory' if number == 1 else 'memories'}" + (f" · {stale} stale" if stale else "")


def impact_said(impact: str | None) -> str:
    """What an impact means, in a few words."""
    return _SAID.get(impact or "", "it stands")


def standing(item: Item) -> str:
    """`fresh`, or `stale: its code was edited`."""
    return f"stale: {impact_said(item.impact)}" if item.stale else "fresh"


def message(item: Item) -> str:
    """What a diagnostic says of a stale conclusion."""
    moved = next((place.moved_to for place in item.places if place.moved_to is not None), None)
    where = f", to {moved}" if moved is not None and item.change == "moved" else ""
    what = "conclusion" if item.kind == "memo" else "memory"
    return f"Stale {what}: {plain(item.title, 200)} ({impact_said(item.change)}{where})"


def place_said(place: Place) -> str:
    """A cited part, for a list."""
    name = place.symbol or (
        "lines" if place.lines is None else f"lines {place.lines.start}-{place.lines.end}"
    )
    return f"{name}: moved to {place.moved_to}" if place.moved_to is not None else name


def plain(text: str, at_most: int = _TEXT_AT_MOST) -> str:
    """A text without what no screen shows, cut at a length."""
    shown = _UNSHOWN.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return shown if len(shown) <= at_most else f"{shown[: at_most - 1].rstrip()}…"


def escaped(text: str, at_most: int = _TEXT_AT_MOST) -> str:
    """The same for Markdown: recalled text is shown as it was written and formats nothing.

    An image or a link in it would otherwise be fetched by whoever hovers.
    """
    return "  \n".join(_MARKS.sub(r"\\\1", line) for line in plain(text, at_most).split("\n"))


def quoted(text: str, at_most: int = 100_000) -> str:
    """A recalled text as a quotation, whose citations stay readable and which loads nothing."""
    tame = _LOADS.sub(lambda found: "!\\[" if found.group() == "![" else "&lt;", plain(text, at_most))
    return "\n".join(f"> {line}".rstrip() for line in tame.split("\n"))


def hover(name: str, items: Sequence[Item], at_most: int, links: Iterable[str]) -> str:
    """What is known about a name, as Markdown; `links` lead to the whole of each item."""
    parts = [f"**{escaped(name)}**: {counted(items)}"]
    for item, link in zip(items[:at_most], links, strict=False):
        parts.append(
            f"{'⚠' if item.stale else '✓'} **{escaped(item.title, 200)}**  \n"
            f"{escaped(item.text)}  \n"
            f"*{standing(item)} · {item.date}* · [{item.kind} {item.id}]({link})"
        )
    if len(items) > at_most:
        parts.append(f"and {len(items) - at_most} more")
    return "\n\n---\n\n".join(parts)


def hover_plain(name: str, items: Sequence[Item], at_most: int) -> str:
    """The same for clients that show no Markdown."""
    parts = [f"{plain(name)}: {counted(items)}"]
    parts += [
        f"{plain(item.title, 200)}\n{plain(item.text)}\n"
        f"{standing(item)} · {item.date} · {item.kind} {item.id}"
        for item in items[:at_most]
    ]
    if len(items) > at_most:
        parts.append(f"and {len(items) - at_most} more")
    return "\n\n".join(parts)
