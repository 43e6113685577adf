"""Takes pictures of the terminal UI's screens over a real keeper and a workspace that was written for it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import raster
from textual.pilot import Pilot

from afresh.client import connect
from afresh.settings import load
from afresh_tui.app import AfreshApp
from afresh_tui.engine import HostEngine
from afresh_tui.start import conditions_of

AFRESH = Path(sys.executable).parent / "afresh"
_BY = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
_FILES = {
    "billing/locks.py": '''import time


class Lock:
    """A lock over one account."""

    def acquire(self, timeout=5.0):
        """Claim the row, polling until it is free."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.table.claim(self.account):
                return True
            time.sleep(0.1)
        return False


def ordered(accounts):
    """Accounts in the order in which they are locked."""
    return sorted(accounts, key=lambda account: account.id)
''',
    "billing/invoice.py": '''def total(lines):
    """The total of an invoice, in cents."""
    return sum(line.cents for line in lines)
''',
    "web/cart.ts": "export function count(cart: Cart): number {\n  return cart.lines.length;\n}\n",
    "CLAUDE.md": "# Shop\n\n## Releases\n\nReleases are cut from tags on Tuesdays, by `make release`.\n\n"
    "## Money\n\nMoney is integer cents everywhere; see billing/invoice.py.\n",
}
_MEMORIES = (
    ("fact", "ops/database", "The staging database is refreshed from production at 02:00 UTC.", ""),
    ("fact", "ops/ledger", "The ledger of the Berlin office is kept by Quill.", ""),
    ("fact", "ops/ledger", "Quill closes its books on the second Tuesday of a month.", ""),
    ("decision", "billing/invoices", "Invoices are totalled in integer cents.", "billing/invoice.py#total"),
    ("fact", "billing/locks", "Locks of accounts are rows of the table account_locks, one an account.", ""),
    (
        "decision",
        "billing/locks",
        "A lock on an account is waited for at most 5 s; then the transfer is tried again later.",
        "billing/locks.py#Lock.acquire",
    ),
    (
        "solution",
        "billing/locks",
        "A transfer that hangs on a lock: a worker died while it held the account. Free the row by hand.",
        "",
    ),
    (
        "lesson",
        "billing/locks",
        "Two transfers that lock their accounts in different orders block each other: lock by account id.",
        "billing/locks.py#ordered",
    ),
    ("convention", "billing/locks", "Locks on accounts are taken in `with`, so that none is kept.", ""),
)
_MEMOS = (
    (
        "How long does a transfer wait for a lock?",
        "Lock.acquire polls every 0.1 s and gives up after 5 s; callers treat False as busy.",
        "billing/locks.py#Lock.acquire",
    ),
    ("In what order are accounts locked?", "By their ids, so no two block.", "billing/locks.py#ordered"),
    ("How is an invoice totalled?", "By summing cents; there are no floats.", "billing/invoice.py#total"),
)
_QUESTION = "on which day does the keeper of the Berlin ledger close its books"


@dataclass(frozen=True, slots=True)
class _Shot:
    """One picture: the screen, what is pressed there, how large and in which theme."""

    name: str
    screen: str
    keys: Sequence[str]
    size: tuple[int, int] = (100, 32)
    theme: str = "afresh-dark"


SHOTS = (
    _Shot("recall", "recall", (*"how are locks on accounts taken", "enter", "down", "down")),
    _Shot(
        "recall-light",
        "recall",
        (*"how are locks on accounts taken", "enter", "down", "down"),
        (80, 24),
        "afresh-light",
    ),
    _Shot("stale-screen", "stale", ("down", "up")),
    _Shot("iterations", "iterations", ("end", "home")),
    _Shot("answers", "answers", (*"how are invoices totalled", "enter")),
    _Shot("workspace", "workspace", ()),
    _Shot("requests", "requests", ("down", "down")),
)


def take(folder: Path, to: Path) -> None:
    """Write the workspace below a folder, and the pictures, as SVG and PNG, into another.

    The data folder is the one that the environment names.
    """
    root = folder / "shop"
    root.mkdir()
    _write(root)
    settings = load()
    with connect(settings, cwd=root, client="screenshots", kind="cli") as client:
        client.call("index", {"path": str(root)})
        for kind, path, content, cited in _MEMORIES:
            saved = {"content": content, "type": kind, "path": path, "project": "shop"}
            client.call("memory_save", {**saved, "files": _cited(cited, root)})
        for question, conclusion, cited in _MEMOS:
            given = {"question": question, "conclusion": conclusion, "project": "shop", "root": str(root)}
            client.call("memory_exploration_record", {**given, "files": _cited(cited, root)})
        client.call("embed", {})
        _change(root)
        client.call("memory_recall_iterative", {"query": _QUESTION, "project": "shop"})
        client.call("memory_recall_iterative", {"query": "who refreshes staging and when", "project": "shop"})
    _as_an_agent(root)
    for shot in SHOTS:
        asyncio.run(_shoot(shot, root, to))


def _write(root: Path) -> None:
    for name, text in _FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    _commit(root, "a shop")


def _cited(place: str, root: Path) -> list[dict[str, str]]:
    path, _, symbol = place.partition("#")
    return [{"path": str(root / path), "symbol": symbol}] if place else []


def _change(root: Path) -> None:
    """Edit one cited function, and move another to a file of its own."""
    locks = root / "billing" / "locks.py"
    kept, moved = locks.read_text(encoding="utf-8").split("\n\n\ndef ")
    edited = kept.replace("timeout=5.0", "timeout=30.0").replace("sleep(0.1)", "sleep(0.25)")
    locks.write_text(f"{edited}\n", encoding="utf-8")
    _commit(root, "wait longer, poll less")
    (locks.parent / "accounts.py").write_text(f"def {moved}", encoding="utf-8")
    _commit(root, "accounts have a module of their own")


def _commit(root: Path, subject: str) -> None:
    for arguments in (("add", "-A"), (*_BY, "commit", "-q", "-m", subject)):
        subprocess.run(["git", *arguments], cwd=root, check=True)


def _as_an_agent(root: Path) -> None:
    """Ask a few things over MCP, as an agent does."""
    calls: tuple[tuple[str, dict[str, Any]], ...] = (
        ("recall", {"query": "how is money represented", "project": "shop"}),
        ("memory_exploration_recall", {"question": "how long does a transfer wait", "project": "shop"}),
        ("memory_save", {"content": "The release notes are written before the tag.", "type": "convention"}),
        ("memory_get", {"ids": [999]}),
        ("recall", {"query": "x", "limit": 500}),
    )
    first = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "claude-code", "version": "2.1"},
    }
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": first},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    messages += [
        {"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for at, (name, arguments) in enumerate(calls, start=1)
    ]
    with subprocess.Popen(
        [AFRESH, "mcp"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as agent:
        assert agent.stdin is not None and agent.stdout is not None
        for message in messages:
            agent.stdin.write(f"{json.dumps(message)}\n")
            agent.stdin.flush()
            while "id" in message and json.loads(agent.stdout.readline()).get("id") != message["id"]:
                continue
        agent.stdin.close()


async def _shoot(shot: _Shot, root: Path, to: Path) -> None:
    settings = load()
    conditions = conditions_of(settings, lambda: datetime.now(UTC))
    still = replace(
        conditions, live=False, blink=False, animate=False, debounce=0.0, theme=shot.theme, home=root.parent
    )
    engine = HostEngine(lambda: connect(settings, cwd=root, client="tui", kind="cli", attach=True))
    app = AfreshApp(engine, still, first=shot.screen)
    async with app.run_test(size=shot.size) as pilot:
        await _settled(pilot)
        for key in shot.keys:
            await pilot.press(key)
            if len(key) > 1:
                await _settled(pilot)
        await _settled(pilot)
        app.clear_notifications()
        await _settled(pilot)
        raster.png(app.screen._compositor.render_strips(app.size), to / f"{shot.name}.png")
        svg = re.sub(r"@font-face \{.*?\}\n?", "", app.export_screenshot(title="afresh"), flags=re.DOTALL)
        # Its fonts would be fetched from elsewhere whenever the picture is looked at, and its ids are random.
        svg = re.sub(r"terminal-\d+", "terminal-afresh", svg).replace("Fira Code", "ui-monospace")
        (to / f"{shot.name}.svg").write_text(svg, encoding="utf-8")


async def _settled(pilot: Pilot[Any]) -> None:
    """Wait until every worker is done and every message was handled."""
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def environment(folder: Path) -> dict[str, str]:
    """The environment in which everything here runs: a data folder below a folder, no other setting."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AFRESH_")}
    kept.pop("NO_COLOR", None)
    places = {"AFRESH_HOME": "home", "AFRESH_RUNTIME": "run", "AFRESH_CONFIG": "config.toml"}
    return {**kept, **{name: str(folder / place) for name, place in places.items()}}
