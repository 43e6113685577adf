"""The two rows that frame every screen: the tabs above, the keys below; and the banner between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual import events
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

if TYPE_CHECKING:
    from textual.screen import Screen


@dataclass(frozen=True, slots=True)
class Tab:
    """One screen's place in the tab bar."""

    name: str
    title: str
    digit: str
    badge: str = ""


def tab_spans(tabs: Sequence[Tab], current: str, width: int) -> list[tuple[Tab, str]]:
    """Each tab with the text that it has in so many columns: titles, else digits for all but the current."""
    whole = [(tab, f" {tab.digit} {tab.title}{f' {tab.badge}' if tab.badge else ''} ") for tab in tabs]
    if sum(len(text) for _, text in whole) <= width:
        return whole
    return [(tab, text if tab.name == current else f" {tab.digit} ") for tab, text in whole]


class TabBar(Widget):
    """The screens by their digits, the current one marked; a click goes there."""

    DEFAULT_CSS = """
    TabBar { height: 1; background: $panel; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    ALLOW_SELECT = False

    tabs: reactive[tuple[Tab, ...]] = reactive(())
    where: reactive[str] = reactive("")
    """What stands at the right end: the project."""

    def __init__(self, current: str) -> None:
        super().__init__()
        self._current = current

    def render(self) -> Content:
        parts: list[tuple[str, str]] = []
        used = 0
        for tab, text in tab_spans(self.tabs, self._current, self.size.width):
            here = tab.name == self._current
            parts.append((text, "bold $block-cursor-foreground on $block-cursor-background" if here else ""))
            used += len(text)
        room = self.size.width - used - 1
        if self.where and room >= 8:
            where = self.where if len(self.where) < room else f"{self.where[: room - 2]}…"
            parts.append((f"{where.rjust(room)} ", "$text-primary"))
        return Content.assemble(*parts)

    async def on_click(self, event: events.Click) -> None:
        at = 0
        for tab, text in tab_spans(self.tabs, self._current, self.size.width):
            at += len(text)
            if event.x < at:
                await self.app.run_action(f"go('{tab.name}')")
                return


def fitting(
    keys: Sequence[tuple[str, str]], tail: Sequence[tuple[str, str]], width: int
) -> list[tuple[str, str]]:
    """The keys that fit into so many columns, the tail always among them: first come, first shown."""
    room = width - sum(_columns(key) for key in tail)
    shown: list[tuple[str, str]] = []
    for key in keys:
        room -= _columns(key)
        if room < 0:
            break
        shown.append(key)
    return [*shown, *tail]


def _columns(key: tuple[str, str]) -> int:
    return len(key[0]) + len(key[1]) + 3


class KeyBar(Widget):
    """What the keys do here and now; help and palette always have their places."""

    DEFAULT_CSS = """
    KeyBar { dock: bottom; height: 1; background: $footer-background; color: $footer-description-foreground;
             text-wrap: nowrap; text-overflow: ellipsis; }
    """
    ALLOW_SELECT = False
    LAST = ("help", "command_palette")

    keys: reactive[tuple[tuple[str, str, str], ...]] = reactive(())
    """Key, title and action."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)
        self._read(self.screen)

    def render(self) -> Content:
        parts: list[str | tuple[str, str]] = []
        for key, title in self._fitting():
            parts += [(f" {key}", "bold $footer-key-foreground"), f" {title} "]
        return Content.assemble(*parts)

    async def on_click(self, event: events.Click) -> None:
        at = 0
        for shown in self._fitting():
            at += _columns(shown)
            if event.x < at:
                action = next(action for key, title, action in self.keys if (key, title) == shown)
                await self.screen.run_action(action) if not action.startswith("app.") else (
                    await self.app.run_action(action)
                )
                return

    def _fitting(self) -> list[tuple[str, str]]:
        tail = [(key, title) for key, title, action in self.keys if action.removeprefix("app.") in self.LAST]
        keys = [
            (key, title) for key, title, action in self.keys if action.removeprefix("app.") not in self.LAST
        ]
        return fitting(keys, tail, self.size.width)

    def _bindings_changed(self, screen: Screen[Any]) -> None:
        if self.is_attached and screen is self.screen:
            self._read(screen)

    def _read(self, screen: Screen[Any]) -> None:
        found: dict[str, tuple[str, str, str]] = {}
        for node, binding, enabled, _tooltip in screen.active_bindings.values():
            if binding.show and enabled:
                action = f"app.{binding.action}" if node is self.app else binding.action
                key = (self.app.get_key_display(binding), binding.description, action)
                found.setdefault(action, key)
        self.keys = tuple(sorted(found.values(), key=lambda key: key[2].startswith("app.")))


class Banner(Static):
    """One line across the screen while something is wrong; away when it is not."""

    DEFAULT_CSS = """
    Banner { height: auto; max-height: 2; background: $warning 20%; color: $text-warning; padding: 0 1;
             display: none; }
    Banner.-on { display: block; }
    """

    def on_mount(self) -> None:
        self.watch(self.app, "trouble", self._tell)

    def _tell(self, trouble: str) -> None:
        self.set_class(bool(trouble), "-on")
        self.update(Content(f"! {trouble}") if trouble else "")
