"""Runs the command line in this process, with its streams, environment and clock in a test's hands."""

from __future__ import annotations

import io
import itertools
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from unittest import mock

from tests.app.faces.doubles import NOW, EngineDouble

from afresh.faces.cli import main

_NO_HOME = Path(__file__) / "home"
"""A data folder that can't be made, since it would lie in a file: no test writes into it by mistake."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: str
    err: str


class Stream(io.TextIOWrapper):
    """A standard stream in memory; `terminal` says whether it claims to be one."""

    def __init__(self, content: bytes = b"", *, terminal: bool = False) -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8", newline="\n", write_through=True)
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    @property
    def text(self) -> str:
        self.flush()
        memory = self.buffer
        assert isinstance(memory, io.BytesIO)
        return memory.getvalue().decode("utf-8")


class Full(Stream):
    """A stream onto a full disk."""

    def write(self, _text: str) -> int:
        raise OSError(28, "No space left on device")


def run(
    *argv: str,
    engine: EngineDouble | None = None,
    stdin: bytes = b"",
    home: Path | None = None,
    terminal: bool = False,
    seconds_apart: float = 0.0,
    environment: Sequence[tuple[str, str]] = (),
    stdout: TextIO | None = None,
) -> Outcome:
    """One command line. `seconds_apart` is how far the clock of progress goes on between two looks at it."""
    engine = engine or EngineDouble()
    out, err = Stream(terminal=terminal), Stream(terminal=terminal)
    ticks = itertools.count(0.0, seconds_apart)
    settings = {"AFRESH_HOME": str(home or _NO_HOME), "COLUMNS": "80", **dict(environment)}
    with (
        mock.patch.dict(os.environ, settings),
        mock.patch.object(sys, "stdin", Stream(stdin)),
        mock.patch.object(sys, "stdout", stdout or out),
        mock.patch.object(sys, "stderr", err),
    ):
        code = main(
            argv, engine.open_client, engine.open_local, clock=lambda: NOW, monotonic=lambda: next(ticks)
        )
    return Outcome(code, out.text, err.text)
