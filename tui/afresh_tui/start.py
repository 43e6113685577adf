"""Starts the app on this terminal, with conditions made from the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path

from afresh.client import Host
from afresh.errors import UsageError
from afresh.settings import Settings
from afresh_tui.app import AfreshApp, keys_known
from afresh_tui.conditions import Conditions
from afresh_tui.engine import HostEngine


def conditions_of(settings: Settings, clock: Callable[[], datetime]) -> Conditions:
    """The conditions that the settings ask for."""
    return Conditions(
        clock=clock,
        zone_name=settings.timezone or _zone_name(),
        home=Path.home(),
        live=settings.tui_live,
        blink=settings.tui_blink,
        animate=settings.tui_animations,
        theme=settings.tui_theme,
        keys=keys_of(settings.tui_keys),
        editor=settings.editor,
    )


def run(open_host: Callable[[], Host], settings: Settings, clock: Callable[[], datetime], screen: str) -> int:
    """Show the screens until they are left; the exit code.

    Raises UsageError for a key that is bound to something that doesn't exist, and whatever broke the app.
    """
    app = AfreshApp(HostEngine(open_host), conditions_of(settings, clock), first=screen)
    code = app.run()
    if app.broken_by is not None:
        raise app.broken_by
    return code or 0


def run_inline(
    open_host: Callable[[], Host],
    settings: Settings,
    clock: Callable[[], datetime],
    query: str,
    project: str | None,
) -> int:
    """One quick recall below the prompt; what was chosen is printed. 1 where nothing was."""
    from afresh_tui.quick import QuickRecall

    app = QuickRecall(HostEngine(open_host), conditions_of(settings, clock), query=query, project=project)
    chosen = app.run(inline=True)
    if app.broken_by is not None:
        raise app.broken_by
    if chosen is None:
        return 1
    from click import echo

    echo(chosen)
    return 0


def keys_of(words: str) -> Mapping[str, str]:
    """Keys by the ids of acts, from the setting's words.

    Raises UsageError for an id that no act has.
    """
    keys = dict(word.split("=", 1) for word in words.split())
    if keys:
        known = keys_known()
        for name in keys:
            if name not in known:
                near = get_close_matches(name, known, 3) or sorted(known)
                raise UsageError(
                    f"AFRESH_TUI_KEYS names {name!r}, which nothing has; such as {', '.join(near)}"
                )
    return keys


def _zone_name() -> str:
    """The system's zone by its IANA name; empty where it can't be told."""
    from tzlocal import get_localzone_name

    try:
        return get_localzone_name() or ""
    except (OSError, LookupError, ValueError):
        return ""
