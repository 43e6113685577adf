"""What every screen has: the two bars, the banner, the engine, and a message where a terminal is too
small."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from afresh.errors import AfreshError, CancelledCallError, KeeperError
from afresh_tui.actions import Act, bindings_of
from afresh_tui.inert import inert
from afresh_tui.messages import KeeperBack, WorkspaceChanged
from afresh_tui.widgets.bars import Banner, KeyBar, TabBar

if TYPE_CHECKING:
    from afresh_tui.app import AfreshApp, Here
    from afresh_tui.conditions import Conditions
    from afresh_tui.engine import Engine, Event

LEAST = (40, 10)
"""The smallest terminal, in columns and rows, in which a screen is shown."""


class TooSmall(Static):
    """Says that the terminal is too small; shown by the breakpoints alone."""

    DEFAULT_CSS = """
    TooSmall { display: none; width: 1fr; height: 1fr; content-align: center middle; color: $text-warning; }
    """

    def __init__(self) -> None:
        super().__init__(Content(f"Too small: {LEAST[0]}x{LEAST[1]} at least"))


class AfreshScreen(Screen[None]):
    """A screen of the app; `afresh_tui` says how to write one."""

    NAME: ClassVar[str] = ""
    """Its mode, and the first part of the ids of its keys."""
    ABOUT: ClassVar[str] = ""
    """What `?` tells of it, in paragraphs."""
    ACTS: ClassVar[tuple[Act, ...]] = ()
    """What can be done on it, the most wanted first: the key bar may have no room for the last."""

    DEFAULT_CSS = """
    AfreshScreen {
        layout: vertical; background: $background; color: $foreground;
        & > .body { height: 1fr; width: 1fr; background: $background; }
        &.-tiny, &.-flat {
            & > .body, & > TabBar, & > KeyBar, & > Banner { display: none; }
            & > TooSmall { display: block; }
        }
    }
    """

    def __init_subclass__(cls, inherit_css: bool = True, inherit_bindings: bool = True) -> None:
        own: list[BindingType] = list(cls.__dict__.get("BINDINGS", ()))
        cls.BINDINGS = [*own, *bindings_of(cls.NAME, cls.__dict__.get("ACTS", ()))]
        super().__init_subclass__(inherit_css=inherit_css, inherit_bindings=inherit_bindings)

    def compose(self) -> ComposeResult:
        yield TabBar(self.NAME)
        yield Banner()
        with Container(classes="body"):
            yield from self.compose_body()
        yield TooSmall()
        yield KeyBar()

    def compose_body(self) -> ComposeResult:
        """The screen's own widgets, in a container that has the place between the bars."""
        yield from ()

    def on_mount(self) -> None:
        bar = self.query_one(TabBar)
        bar.watch(self.house, "tabs", lambda tabs: setattr(bar, "tabs", tabs))
        bar.watch(self.house, "where", lambda where: setattr(bar, "where", where))
        self.reload()

    # --- what a screen is given -----------------------------------------------------------------------

    @property
    def house(self) -> AfreshApp:
        """The app, as its own type."""
        from afresh_tui.app import AfreshApp

        app = self.app
        assert isinstance(app, AfreshApp)
        return app

    @property
    def engine(self) -> Engine:
        return self.house.engine

    @property
    def conditions(self) -> Conditions:
        return self.house.conditions

    async def place(self) -> Here:
        """The workspace's project and root. Raises the AfreshError that kept it from being known."""
        return await self.house.place()

    def poll(self, look: Callable[[], Any]) -> Timer | None:
        """Look again and again while this screen is the one that is seen; None where nothing moves."""
        if not self.conditions.live:
            return None
        return self.set_interval(self.conditions.poll, lambda: look() if self.is_current else None)

    def after_rest(self, search: Callable[[], Any]) -> Timer | None:
        """Begin a search when typing has rested; stop the timer of the keystroke before."""
        if self.conditions.debounce > 0:
            return self.set_timer(self.conditions.debounce, search)
        search()
        return None

    def fail(self, error: AfreshError) -> None:
        """Tell that something asked for didn't work. A call taken back tells nothing, a lost keeper the
        banner."""
        if isinstance(error, CancelledCallError):
            return
        if isinstance(error, KeeperError):
            self.house.keeper_failed(error)
            return
        self.notify(inert(error.message), severity="error", markup=False)

    def say(self, message: str) -> None:
        """A notice that goes by itself."""
        self.notify(inert(message), markup=False)

    # --- what a screen says for itself ----------------------------------------------------------------

    def reload(self) -> None:
        """Read anew what is shown: called when first shown, and when a new keeper answers."""

    def workspace_changed(self, event: Event) -> None:
        """Something happened in the workspace; also called while another screen is seen."""

    def can(self, name: str) -> bool:
        """Whether an act makes sense now; key bar, palette and keys leave it out where not."""
        return True

    # --- the app's side -------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if any(act.name == action for act in self.ACTS):
            return self.can(action)
        return super().check_action(action, parameters)

    def on_keeper_back(self, _message: KeeperBack) -> None:
        self.reload()

    def on_workspace_changed(self, message: WorkspaceChanged) -> None:
        self.workspace_changed(message.event)
