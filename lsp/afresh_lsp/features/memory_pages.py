"""Pages for reading: a conclusion or a memory whole, with the files that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from afresh_lsp import texts
from afresh_lsp.knowledge import Item, Other
from afresh_lsp.pages import Page, Pages


def page_of(pages: Pages, item: Item) -> Page:
    """The page of one item."""
    return pages.put(f"{item.kind}-{item.id}.md", _told(item), item.root)


def page_of_all(pages: Pages, items: Sequence[Item]) -> Page:
    """One page of several items."""
    if len(items) == 1:
        return page_of(pages, items[0])
    name = "-".join(str(item.id) for item in items[:8])
    return pages.put(f"memories-{name}.md", "\n\n".join(_told(item) for item in items), items[0].root)


def _told(item: Item) -> str:
    lines = [
        f"# {texts.escaped(item.title, 200)}",
        "",
        f"{item.kind} {item.id} · {texts.standing(item)} · {item.date}",
        "",
        texts.quoted(item.text),
        "",
    ]
    places = [f"- {texts.place_said(place)}" for place in item.places]
    if places:
        lines += ["## In this file", "", *places, ""]
    if item.others:
        lines += ["## Also rests on", ""]
        lines += [f"- {_other(item, other)}" for other in item.others]
        lines.append("")
    return "\n".join(lines)


def _other(item: Item, other: Other) -> str:
    inside = other.path.is_relative_to(item.root)
    path = other.path.relative_to(item.root).as_posix() if inside else str(other.path)
    return f"{path}:{other.line}: {texts.impact_said(other.change) if other.change else 'unchanged'}"
