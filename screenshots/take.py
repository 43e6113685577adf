"""Takes the README's pictures: real sessions and screens in a scripted workspace, as SVG, screens as PNG too.

Run by `make screenshots`. Nothing in it is drawn by hand: the commands run, and their output is kept.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

import screens
from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
AFRESH = Path(sys.executable).parent / "afresh"
COLUMNS = 80
LOCKS = "class Lock:\n    def acquire(self):\n        return True\n"
WAITING = '''import time


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
    return sorted(accounts)
'''


def main() -> None:
    """Record a conclusion, change its file, ask again, put the file back, ask once more."""
    with tempfile.TemporaryDirectory(prefix="afs-") as folder:
        root = Path(folder) / "shop"
        (root / "billing").mkdir(parents=True)
        locks = root / "billing" / "locks.py"
        locks.write_text(LOCKS, encoding="utf-8")
        subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
        session = _Session(root, Path(folder))
        session.run("index", shown=False)
        session.run(
            "record",
            "How do locks work?",
            "acquire always succeeds",
            "--files",
            "billing/locks.py#Lock.acquire",
        )
        session.run("explore", "how does locking work")
        session.comment("somebody edits billing/locks.py")
        locks.write_text(LOCKS.replace("True", "self.free"), encoding="utf-8")
        session.run("explore", "how does locking work")
        session.save(HERE / "explore.svg")
        _stale(session, root, locks)
        session.run("keeper", "stop", shown=False)
    with tempfile.TemporaryDirectory(prefix="afs-") as folder:
        os.environ |= screens.environment(Path(folder))
        screens.take(Path(folder), HERE)
        subprocess.run([AFRESH, "keeper", "stop"], check=True, stdout=subprocess.DEVNULL)


def _stale(session: _Session, root: Path, locks: Path) -> None:
    """Edit one cited function, move another, and list what that made stale, with the changed words."""
    locks.write_text(WAITING, encoding="utf-8")
    _commit(root, "wait for a lock")
    for question, answer, symbol in (
        ("How do locks work?", "acquire polls every 0.1 s and gives up after 5 s.", "Lock.acquire"),
        ("In what order are accounts locked?", "By their ids, so that two transfers can't block.", "ordered"),
    ):
        session.run("record", question, answer, "--files", f"billing/locks.py#{symbol}", shown=False)
    kept, moved = WAITING.split("\n\n\ndef ")
    edited = kept.replace("timeout=5.0", "timeout=30.0").replace("sleep(0.1)", "sleep(0.25)")
    locks.write_text(f"{edited}\n", encoding="utf-8")
    _commit(root, "wait longer, poll less")
    (locks.parent / "accounts.py").write_text(f"def {moved}", encoding="utf-8")
    session.run("stale", "--diff", code=1)
    session.save(HERE / "stale.svg")


def _commit(root: Path, subject: str) -> None:
    by = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for arguments in (("add", "-A"), (*by, "commit", "-q", "-m", subject)):
        subprocess.run(["git", *arguments], cwd=root, check=True)


class _Session:
    """Commands and what they print, on a screen of 80 columns."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        self._env = {
            **os.environ,
            "AFRESH_HOME": str(folder / "home"),
            "AFRESH_RUNTIME": str(folder / "run"),
            "TERM": "xterm-256color",
        }
        self._env.pop("NO_COLOR", None)

    def run(self, *arguments: str, shown: bool = True, code: int = 0) -> None:
        output = self._on_a_terminal([str(AFRESH), *arguments], code)
        if shown:
            words = " ".join(f'"{word}"' if " " in word else word for word in arguments)
            self._console.print(Text.assemble(("$ ", "bold green"), (f"afresh {words}", "bold")))
            self._console.print(Text.from_ansi(output.rstrip().replace("\r\n", "\n")))
            self._console.print()

    def _on_a_terminal(self, command: list[str], code: int) -> str:
        """What a command prints where a person reads it."""
        ours, its = pty.openpty()
        termios.tcsetwinsize(its, (40, COLUMNS))
        with subprocess.Popen(
            command, cwd=self._root, env=self._env, stdin=its, stdout=its, stderr=subprocess.DEVNULL
        ) as process:
            os.close(its)
            read = b""
            while True:
                try:
                    part = os.read(ours, 65536)
                except OSError:
                    break
                if not part:
                    break
                read += part
        os.close(ours)
        assert process.returncode == code, read
        return read.decode("utf-8")

    def comment(self, text: str) -> None:
        self._console.print(Text(f"# {text}", "dim"))
        self._console.print()

    def save(self, path: Path) -> None:
        svg = self._console.export_svg(title="afresh", unique_id="afresh")
        # Its fonts would be fetched from elsewhere whenever the picture is looked at.
        svg = re.sub(r"@font-face \{.*?\}\n?", "", svg, flags=re.DOTALL)
        path.write_text(svg.replace("Fira Code", "ui-monospace"), encoding="utf-8")


if __name__ == "__main__":
    main()
