"""The command palette: one provider over everything that can be done now.

One, because two list their commands in an order that differs from process to process.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.command import DiscoveryHit, Hit, Hits, Provider

from afresh_tui.actions import Act

if TYPE_CHECKING:
    from textual.types import IgnoreReturnCallbackType


class Commands(Provider):
    """The acts of the screen beneath, then the app's, then the themes."""

    async def discover(self) -> Hits:
        for title, about, run in self._all():
            yield DiscoveryHit(title, run, help=about)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for title, about, run in self._all():
            score = matcher.match(title)
            if score > 0:
                yield Hit(score, matcher.highlight(title), run, help=about)

    def _all(self) -> Iterator[tuple[str, str, IgnoreReturnCallbackType]]:
        for owner in (self.screen, self.app):
            acts: tuple[Act, ...] = getattr(owner, "ACTS", ())
            for act in acts:
                if owner.check_action(act.name, ()):
                    yield act.title, act.about, partial(_run, owner, act.name)
        for name in sorted(self.app.available_themes):
            yield f"Theme: {name}", "Change the colours.", partial(setattr, self.app, "theme", name)


async def _run(owner: Any, name: str) -> None:
    await owner.run_action(name)
