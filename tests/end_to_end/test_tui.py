"""The terminal UI in a real terminal over a real keeper, driven as a person drives it: keys in, rows out."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest
from tests.end_to_end.sandbox import AFRESH, Sandbox
from tests.repositories import git

BOUND = 60.0
"""Seconds after which a wait has failed."""

pytestmark = [
    pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux for a terminal"),
    # Not yet steady: now and then one of them waits in vain.
    pytest.mark.skipif("AFRESH_TERMINAL_TESTS" not in os.environ, reason="AFRESH_TERMINAL_TESTS is not set"),
]


class Terminal:
    """A tmux server of its own with one pane."""

    def __init__(self, box: Sandbox, *command: str, columns: int = 100, rows: int = 32) -> None:
        self._socket = str(box.runtime / "tmux")
        self._env = {**box.env, "TERM": "xterm-256color", "AFRESH_TUI_ANIMATIONS": "off"}
        self._env.pop("NO_COLOR")
        self._tmux(
            *("-f", os.devnull, "new-session", "-d", "-x", str(columns), "-y", str(rows)),
            *("-c", str(box.root), *command, ";", "set-option", "-g", "remain-on-exit", "on"),
        )

    def _tmux(self, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *arguments],
            env=self._env,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=30,
            check=False,
        )
        return done.stdout

    def press(self, *keys: str) -> None:
        """Keys by tmux's names."""
        self._tmux("send-keys", *keys)

    def write(self, text: str) -> None:
        """A text, letter by letter."""
        self._tmux("send-keys", "-l", text)

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p")

    def until(self, *texts: str, gone: str = "", within: float = BOUND) -> str:
        """Wait until all of these are on the screen and one is not; the screen."""
        deadline = time.monotonic() + within
        pause = threading.Event()
        while True:
            seen = self.screen()
            if all(text in seen for text in texts) and (not gone or gone not in seen):
                return seen
            assert time.monotonic() < deadline, f"waited for {texts!r} without {gone!r}:\n{seen}"
            pause.wait(0.05)

    def ended(self) -> int:
        """Wait until the command has ended; its exit code."""
        deadline = time.monotonic() + BOUND
        pause = threading.Event()
        while True:
            state = self._tmux("display-message", "-p", "#{pane_dead} #{pane_dead_status}").split()
            # The status comes a moment after the death.
            if len(state) == 2 and state[0] == "1":
                return int(state[1])
            assert time.monotonic() < deadline, f"it did not end:\n{self.screen()}"
            pause.wait(0.05)

    def close(self) -> None:
        self._tmux("kill-server")


@pytest.fixture
def knowing(sandbox: Sandbox) -> Sandbox:
    """A workspace with a memory, and a conclusion whose code has changed since."""
    sandbox.run("index")
    sandbox.run("save", "Invoices are totalled in integer cents.", "--type", "decision")
    sandbox.run("save", "The ledger of Marlow is kept by Quill.")
    sandbox.run("save", "Quill writes its reports on Tuesdays.")
    locks = "billing/locks.py#Lock.acquire"
    sandbox.run("record", "How do locks work?", "acquire always succeeds", "--files", locks)
    file = sandbox.root / "billing" / "locks.py"
    file.write_text(file.read_text("utf-8").replace("return True", "return self.free"), "utf-8")
    git(sandbox.root, "-c", "user.name=Ada", "-c", "user.email=a@example.org", "commit", "-qam", "ask first")
    sandbox.until_model()
    return sandbox


@pytest.fixture
def terminal(knowing: Sandbox) -> Iterator[Terminal]:
    opened = Terminal(knowing, AFRESH, "tui")
    yield opened
    opened.close()


@pytest.mark.timeout(600)
def test_a_session_of_recall_stale_iterations_and_a_keeper_that_dies(
    knowing: Sandbox, terminal: Terminal
) -> None:
    terminal.until("1 Recall", "shop", "memories")

    terminal.write("cents of invoices")
    terminal.until("1 found", "▌   decision   Invoices are totalled in integer cents.")
    terminal.press("Enter")
    terminal.until("e Edit")

    terminal.press("3")
    seen = terminal.until("How do locks work?", "return True", "return self.free", "edited")
    assert "acquire always succeeds" in seen
    terminal.press("v")
    terminal.until("Verified", gone="return self.free")
    assert knowing.json("memo", "show", "1")["status"] == "fresh"
    terminal.press("u")
    terminal.until("How do locks work?", "return self.free")
    assert knowing.json("memo", "show", "1")["status"] == "stale"

    done: list[int] = []

    def save() -> None:
        for n in range(5):
            done.append(knowing.run("save", f"Quill note {n}: the printer is on floor {n}.").returncode)

    saver = threading.Thread(target=save)
    terminal.press("2")
    terminal.until("a Ask")
    saver.start()
    terminal.press("a")
    terminal.write("on which day does the keeper of the ledger of Marlow write")
    terminal.press("Enter")
    terminal.until("enough was found")
    terminal.press("e")
    terminal.until("Quill writes its reports on Tuesdays")
    saver.join(BOUND)
    assert done == [0] * 5

    terminal.press("1")
    terminal.until("6 Requests", "type all")
    terminal.press("/", "C-u")
    terminal.until("memories", "Quill note 4")
    for keeper in knowing.keepers():
        keeper.kill()
    # That it is gone may be on the screen for a moment only.
    terminal.until("A keeper answers again", gone="keeper is gone")
    terminal.write("printer")
    terminal.until("found", "Quill note")
    # One after the other: escape with a letter right behind it is alt and that letter.
    terminal.press("Escape")
    terminal.until("e Edit")
    terminal.press("q")
    assert terminal.ended() == 0


def test_a_quick_recall_gives_what_was_chosen_into_a_pipe(knowing: Sandbox) -> None:
    chosen = knowing.root / "chosen.txt"
    command = f"{AFRESH} recall -i | cat > {chosen.name}"
    terminal = Terminal(knowing, "sh", "-c", command, columns=80, rows=24)
    try:
        terminal.until("›", "enter prints it")
        terminal.write("cents of invoices")
        terminal.until("▌   decision")
        terminal.press("Enter")
        assert terminal.ended() == 0
        assert chosen.read_text("utf-8") == "Invoices are totalled in integer cents.\n"
    finally:
        terminal.close()


@pytest.mark.parametrize(("arguments", "what"), [((), "needs a terminal"), (("nowhere",), "doesn't exist")])
def test_without_a_terminal_or_a_folder_it_is_said_what_to_do(
    sandbox: Sandbox, arguments: tuple[str, ...], what: str
) -> None:
    done = sandbox.run("tui", *arguments)
    assert done.returncode == 2 and what in done.stderr and "Traceback" not in done.stderr


def test_up_opens_the_screens_on_a_terminal(sandbox: Sandbox) -> None:
    terminal = Terminal(sandbox, AFRESH, "up", columns=80, rows=24)
    try:
        terminal.until("1 Recall", "shop", "memor")
        terminal.press("C-q")
        assert terminal.ended() == 0
    finally:
        terminal.close()
