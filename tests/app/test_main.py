"""The command's entry: which words go the short way."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from afresh.__main__ import _leading_options
from afresh.keeper.spawn import keeper_environment
from afresh.settings import Settings


def run(settings: Settings, arguments: Sequence[str], sent: bytes = b"") -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "afresh", *arguments],
        input=sent,
        env=keeper_environment(settings, os.environ),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("arguments", "words", "options", "home"),
    [
        (["mcp"], ["mcp"], [], None),
        (["--in-process", "mcp", "--root", "x"], ["mcp", "--root", "x"], ["--in-process"], None),
        (["--home", "/h", "keeper", "run"], ["keeper", "run"], [], "/h"),
        (["--home=/h", "mcp"], ["mcp"], [], "/h"),
        (["--home", "/h", "recall", "q"], ["recall", "q"], [], None),
        (["--version"], ["--version"], [], None),
        (["--home"], ["--home"], [], None),
        ([], [], [], None),
    ],
)
def test_options_before_the_command_are_understood_on_the_short_way_too(
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: list[str],
    options: list[str],
    home: str | None,
) -> None:
    monkeypatch.delenv("AFRESH_HOME", raising=False)
    assert _leading_options(arguments) == (words, options)
    assert os.environ.get("AFRESH_HOME") == home
    monkeypatch.delenv("AFRESH_HOME", raising=False)


def test_the_pump_and_the_keeper_answer_with_exit_codes_and_their_errors_on_stderr(
    sandbox: Settings, tmp_path: Path
) -> None:
    code, out, said = run(sandbox, ["mcp", "--no-such-option"])
    assert (code, out) == (2, b"")
    assert b"--no-such-option" in said
    sandbox.runtime.chmod(0o755)
    code, out, said = run(sandbox, ["keeper", "run"])
    assert (code, out) == (3, b"")
    assert b"chmod 700" in said
    sandbox.runtime.chmod(0o700)


def test_everything_else_goes_to_the_command_line(sandbox: Settings) -> None:
    code, out, _ = run(sandbox, ["--version"])
    assert code == 0
    assert out.startswith(b"afresh ")
    code, out, said = run(sandbox, ["keeper", "status"])
    assert code == 1
    assert b"no keeper runs" in said
    code, out, _ = run(sandbox, ["mcp", "--help"])
    assert code == 0
    assert b"--root" in out
