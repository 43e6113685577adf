"""The reader's own editor: how it is called for a file and a line, and for a text to be changed."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path, PurePath

from afresh.errors import UsageError

_SNIFFED = 8192
_PLUS = frozenset(
    [
        "vi",
        "vim",
        "nvim",
        "gvim",
        "nano",
        "emacs",
        "emacsclient",
        "micro",
        "joe",
        "kak",
        "ne",
        "jed",
        "mg",
        "ed",
        "ex",
        "view",
    ]
)
_COLON = frozenset(["hx", "helix", "subl", "zed", "zeditor", "lapce", "fresh"])
_GOTO = frozenset(["code", "code-insiders", "codium", "cursor", "windsurf", "positron"])
_LINE = frozenset(
    ["idea", "pycharm", "webstorm", "goland", "rubymine", "clion", "rider", "phpstorm", "rustrover"]
)
_LATE = frozenset(["code", "code-insiders", "codium", "cursor", "windsurf", "subl", "zed", "zeditor"])
"""Those that return at once; with an option they wait until the file is closed."""

Run = Callable[[list[str]], int]


def run_editor(command: list[str]) -> int:
    """Run an editor on this terminal until it ends; its exit code. Raises OSError where it can't be
    started."""
    return subprocess.run(command, check=False).returncode


def editor_command(editor: str, path: Path, line: int | None = None, *, wait: bool = False) -> list[str]:
    """The command that opens a file at a line, as far as the editor is known to understand lines.

    Raises UsageError where no editor is set, or its command can't be read.
    """
    try:
        words = shlex.split(editor)
    except ValueError as error:
        raise UsageError(f"the editor {editor!r} can't be read as a command: {error}") from None
    if not words:
        raise UsageError("no editor is set: set EDITOR, or `editor` in the configuration file")
    name = PurePath(words[0]).name.removesuffix(".exe")
    if wait and name in _LATE and "--wait" not in words:
        words.append("--wait")
    file = str(path)
    if line is None:
        return [*words, file]
    if name in _PLUS:
        return [*words, f"+{line}", file]
    if name in _COLON:
        return [*words, f"{file}:{line}"]
    if name in _GOTO:
        return [*words, "--goto", f"{file}:{line}"]
    if name in _LINE:
        return [*words, "--line", str(line), file]
    return [*words, file]


def readable_text(path: Path, shown: str) -> None:
    """Check that a file can be opened as text.

    Raises UsageError that says what keeps it from that: it is gone, no file, or binary now.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_SNIFFED)
    except FileNotFoundError:
        raise UsageError(f"{shown} is not there any more") from None
    except OSError as error:
        raise UsageError(f"{shown} can't be read: {error.strerror or error}") from None
    if b"\0" in head:
        raise UsageError(f"{shown} is binary now; it is not opened")


def edited_text(editor: str, text: str, run: Run = run_editor) -> str | None:
    """A text as it is after it was edited; None where it stayed what it was.

    Raises UsageError where no editor is set, and OSError where it can't be started.
    """
    descriptor, name = tempfile.mkstemp(prefix="afresh-", suffix=".md")
    path = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
        code = run(editor_command(editor, path, wait=True))
        if code != 0:
            raise UsageError(f"the editor ended with code {code}; nothing was changed")
        try:
            written = path.read_text(encoding="utf-8").rstrip()
        except UnicodeDecodeError:
            raise UsageError("what was written is not UTF-8 text; nothing was changed") from None
    finally:
        path.unlink(missing_ok=True)
    return None if written == text.rstrip() else written
