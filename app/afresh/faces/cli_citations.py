"""Cited files as they are written on the command line: PATH, PATH:START-END, PATH#SYMBOL."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from afresh.errors import InvalidArgumentError

_LINES = re.compile(r"(?P<path>.+):(?P<start>\d+)(?:-(?P<end>\d+))?")


def citation(written: str, cwd: Path) -> dict[str, Any]:
    """What a `--files` value cites, as the tools take it; the path is as written.

    A file that exists under the whole text is meant as such, also with a colon or a `#` in its name.
    Raises InvalidArgumentError for lines that can't be.
    """
    if not written:
        raise InvalidArgumentError("--files is empty; give PATH, PATH:START-END or PATH#SYMBOL")
    if (cwd / written).exists():
        return {"path": written}
    lines = _LINES.fullmatch(written)
    if lines:
        start = int(lines["start"])
        end = int(lines["end"] or start)
        if start < 1 or end < start:
            raise InvalidArgumentError(
                f"--files {written}: lines count from 1 and the end is not before the start"
            )
        return {"path": lines["path"], "start_line": start, "end_line": end}
    path, symbol = _symbol(written, cwd)
    return {"path": path, "symbol": symbol} if symbol else {"path": written}


def under(root: Path, cwd: Path, cited: dict[str, Any]) -> dict[str, Any]:
    """The citation with its path relative to the root; on the command line it is relative to `cwd`.

    A path that leads nowhere from `cwd` is taken to be relative to the root already, and one outside of the
    root stays absolute: the engine's error names it.
    """
    full = os.path.abspath(cwd / cited["path"])  # noqa: PTH100 - a link's own path is cited, not its target
    if not os.path.lexists(full):
        return cited
    if Path(full).is_relative_to(root):
        return {**cited, "path": Path(full).relative_to(root).as_posix()}
    return {**cited, "path": full}


def absolute(cwd: Path, cited: dict[str, Any]) -> dict[str, Any]:
    """The citation with an absolute path, where it leads somewhere from `cwd`."""
    full = os.path.abspath(cwd / cited["path"])  # noqa: PTH100 - a link's own path is cited, not its target
    return {**cited, "path": full} if os.path.lexists(full) else cited


def _symbol(written: str, cwd: Path) -> tuple[str, str]:
    """The path and the symbol: the longest path that exists, else all before the last `#`."""
    ends = [at for at, character in enumerate(written) if character == "#" and at]
    for at in reversed(ends):
        if (cwd / written[:at]).exists():
            return written[:at], written[at + 1 :]
    return (written[: ends[-1]], written[ends[-1] + 1 :]) if ends else (written, "")
