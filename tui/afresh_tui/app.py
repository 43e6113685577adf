"""The app: its screens as modes, the keeper's pulse, the workspace's watch, and what every screen shares."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen
from textual.widgets import Input, TextArea

from afresh.errors import AfreshError, CancelledCallError, KeeperError
from afresh_tui import themes
from afresh_tui.actions import Act, bindings_of
from afresh_tui.conditions import Conditions
from afresh_tui.engine import Engine, Event
from afresh_tui.inert import inert, one_line
from afresh_tui.messages import KeeperBack, KeeperLost, WorkspaceChanged
from afresh_tui.palette import Commands
from afresh_tui.screens import SCREENS
from afresh_tui.screens.base import LEAST, AfreshScreen
from afresh_tui.widgets.bars import Tab

_LINGER_S = 1.5
"""So long the banner of a lost keeper stays at least."""
_NOTICED_S = 10.0
"""So long the notice stays that another answers."""


@dataclass(frozen=True, slots=True)
class Here:
    """The workspace that the app works in."""

    project: str | None
    """None where the working directory belongs to no project yet."""
    root: Path | None


class AfreshApp(App[int]):
    """The terminal UI."""

    TITLE = "afresh"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        place.name: place.open for place in SCREENS
    }
    COMMANDS: ClassVar[set[Any]] = {Commands}
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - the base declares no class variable
        (0, "-tiny"),
        (LEAST[0], "-narrow"),
        (100, "-normal"),
        (120, "-wide"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - as above
        (0, "-flat"),
        (LEAST[1], "-short"),
        (30, "-tall"),
    ]
    ACTS: ClassVar[tuple[Act, ...]] = (
        Act("help", "question_mark,f1", "Help", "What this screen is for, and its keys."),
        Act("command_palette", "ctrl+p", "Commands", "Everything that can be done now.", priority=True),
        *(
            Act(f"go_{place.name}", f"{place.digit},alt+{place.digit}", place.title, place.about, shown=False)
            for place in SCREENS
        ),
        Act("other_theme", "", "Light or dark", "Change between the two themes of afresh."),
        Act("quit", "q,ctrl+q", "Quit", "Leave; the keeper and its data stay.", shown=False),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("app", ACTS),
        Binding("ctrl+c", "quit", show=False, priority=True),
    ]
    CSS = """
    Toast { background: $panel; padding: 0 1; margin-top: 0; width: auto; max-width: 66%; }
    CommandPalette {
        & > Vertical { width: 76; max-width: 92%; background: $surface; &:dark { background: $surface; } }
        & #--input { border: round $border; background: $surface; }
        & SearchIcon { display: none; }
        & CommandInput, & CommandInput:focus { height: 1; border: none; padding: 0 1; background: $surface; }
        & CommandList { background: $surface; border: none; padding: 0 1; scrollbar-size-vertical: 1; }
    }
    Input, Input:focus { background-tint: $foreground 0%; }
    """

    tabs: reactive[tuple[Tab, ...]] = reactive(())
    where: reactive[str] = reactive("")
    """The project, as the tab bar tells it."""
    trouble: reactive[str] = reactive("")
    """What the banner says; empty while all is well."""

    def __init__(
        self, engine: Engine, conditions: Conditions | None = None, *, first: str = "recall"
    ) -> None:
        """`first` is the screen to begin with. The engine is closed when the app ends."""
        super().__init__()
        self.engine = engine
        self.conditions = conditions or Conditions()
        self._first = first
        self._here: Here | None = None
        self._keeper: int | None = None
        """The process that answered when it was last known to be the same."""
        self._asking_place = asyncio.Lock()
        for theme in themes.OURS:
            self.register_theme(theme)
        self.theme = (
            self.conditions.theme if self.conditions.theme in self.available_themes else "afresh-dark"
        )
        if not self.conditions.animate:
            self.animation_level = "none"
        self.tabs = tuple(Tab(place.name, place.title, place.digit) for place in SCREENS)
        self.set_keymap(self.conditions.keys)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.defaults(self.current_theme.dark))

    def on_mount(self) -> None:
        self.switch_mode(self._first)
        self.call_after_refresh(gc.enable)
        self.call_after_refresh(self._begin)

    def on_unmount(self) -> None:
        self.engine.close()

    # --- the workspace --------------------------------------------------------------------------------

    async def place(self) -> Here:
        """The workspace's project and root, asked once. Raises the AfreshError that kept it from being
        known."""
        async with self._asking_place:
            if self._here is None:
                status = await self.engine.ask("workspace_status", {})
                self._here = Here(status.project, Path(status.root) if status.root else None)
                self.where = one_line(status.project or "no project")
                self.badge("stale", str(status.memos.stale) if status.memos.stale else "")
            return self._here

    def badge(self, name: str, text: str) -> None:
        """What the tab of a screen tells beside its title; empty for nothing."""
        self.tabs = tuple(replace(tab, badge=text) if tab.name == name else tab for tab in self.tabs)

    @work(group="begin", exclusive=True)
    async def _begin(self) -> None:
        """The first question, which starts a keeper where none runs; then whatever goes on by itself."""
        try:
            here = await self.place()
        except AfreshError as error:
            self.keeper_failed(error)
            return
        finally:
            if self.conditions.live:
                self.set_interval(self.conditions.pulse, self._feel_pulse)
        if self.conditions.live and here.root is not None:
            self._follow(here)

    @work(group="watch", exclusive=True)
    async def _follow(self, here: Here) -> None:
        """Hear what happens in the workspace, for as long as a keeper tells it."""
        arguments = {"path": str(here.root), "project": here.project}
        try:
            await self.engine.ask("watch", arguments, on_event=self.tell_workspace)
        except CancelledCallError:
            return
        except AfreshError as error:
            self.keeper_failed(error)

    def tell_workspace(self, event: Event) -> None:
        """Hand an event of the watch to every screen that is open."""
        self._tell(lambda: WorkspaceChanged(event))

    # --- the keeper -----------------------------------------------------------------------------------

    def keeper_failed(self, error: AfreshError) -> None:
        """The keeper doesn't answer: say so, and look for the next one."""
        if not isinstance(error, KeeperError):
            self.trouble = inert(error.message)
            return
        if not self.trouble:
            self._tell(lambda: KeeperLost(error.message))
        self.trouble = f"The keeper is gone: {one_line(error.message, 120)}. Looking for another."
        self.heal()

    def _feel_pulse(self) -> None:
        pid = self.engine.keeper_pid
        # One that came quickly may answer already; what is shown is old all the same.
        replaced = pid is not None and self._keeper is not None and pid != self._keeper
        self._keeper = self._keeper or pid
        if (replaced or not self.engine.connected) and not self.trouble:
            self.trouble = "The keeper is gone; what you see may be old. Looking for another."
            self._tell(lambda: KeeperLost("the connection ended"))
            self.heal()

    @work(group="heal", exclusive=True)
    async def heal(self) -> None:
        """Ask until a keeper answers, which starts one where none runs."""
        while self.trouble:
            try:
                found = await self.engine.ask("keeper_status", {})
            except AfreshError as error:
                self.trouble = f"No keeper answers: {one_line(error.message, 120)}"
                if not self.conditions.live:
                    return
                await asyncio.sleep(self.conditions.poll)
                continue
            self._keeper = found.pid
            self._tell(partial(KeeperBack, found.pid))
            self.notify(
                f"A keeper answers again (process {found.pid}); nothing saved is lost.",
                timeout=_NOTICED_S,
                markup=False,
            )
            if self.conditions.live:
                # Long enough to be read: a keeper may be replaced within the blink of an eye.
                await asyncio.sleep(_LINGER_S)
            self.trouble = ""
            if self._here is None:
                self._begin()

    def _tell(self, make: Callable[[], Message]) -> None:
        for place in SCREENS:
            for screen in self._screen_stacks.get(place.name, ())[:1]:
                screen.post_message(make())

    def _fatal_error(self) -> None:
        """Leave without a traceback on the terminal: whoever runs the app finds what broke it in
        `broken_by`."""
        self._close_messages_no_wait()

    @property
    def broken_by(self) -> Exception | None:
        """What ended the app without being foreseen."""
        return self._exception

    # --- acts -----------------------------------------------------------------------------------------

    def action_go(self, name: str) -> None:
        """Show a screen."""
        self.switch_mode(name)

    def action_go_recall(self) -> None:
        self.switch_mode("recall")

    def action_go_iterations(self) -> None:
        self.switch_mode("iterations")

    def action_go_stale(self) -> None:
        self.switch_mode("stale")

    def action_go_answers(self) -> None:
        self.switch_mode("answers")

    def action_go_workspace(self) -> None:
        self.switch_mode("workspace")

    def action_go_requests(self) -> None:
        self.switch_mode("requests")

    def action_other_theme(self) -> None:
        self.theme = "afresh-light" if self.current_theme.dark else "afresh-dark"

    def action_help(self) -> None:
        from afresh_tui.screens.help import HelpScreen

        screen = self.screen
        if isinstance(screen, AfreshScreen):
            acts = [(screen.NAME, act) for act in screen.ACTS] + [("app", act) for act in self.ACTS]
            keys = [(self._shown_keys(owner, act), act.title, act.about) for owner, act in acts]
            self.push_screen(HelpScreen(screen.NAME.capitalize(), screen.ABOUT, keys))

    def _shown_keys(self, owner: str, act: Act) -> str:
        keys = self.conditions.keys.get(f"{owner}.{act.name}", act.key)
        return " ".join(
            self.get_key_display(Binding(key.strip(), act.name)) for key in keys.split(",") if key.strip()
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        # A modal page has its own keys, and the palette its own way out.
        if action.startswith(("go", "help")) and not isinstance(self.screen, AfreshScreen):
            return False
        return super().check_action(action, parameters)

    def still(self, widget: Input | TextArea) -> None:
        """Let a text's cursor blink or not, as the conditions say."""
        widget.cursor_blink = self.conditions.blink


def keys_known() -> Mapping[str, Act]:
    """Every act that has a key, by the id under which a configuration remaps it."""
    found = {f"app.{act.name}": act for act in AfreshApp.ACTS if act.key}
    for place in SCREENS:
        screen = place.kind_of_screen()
        found |= {f"{screen.NAME}.{act.name}": act for act in screen.ACTS if act.key}
    return found
