"""What `afresh install` writes is started as the client would start it, and works."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from tests.end_to_end.sandbox import Sandbox


def run_hook(sandbox: Sandbox, command: str, event: object) -> Any:
    """A hook's command, through a shell, as clients run it."""
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=sandbox.root,
        env=sandbox.env,
        input=json.dumps(event),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def home(sandbox: Sandbox, tmp_path: Path) -> Path:
    folder = tmp_path / "somebody"
    folder.mkdir()
    sandbox.extra["HOME"] = str(folder)
    return folder


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.anyio
async def test_the_installed_server_answers(sandbox: Sandbox, home: Path) -> None:
    assert sandbox.run("install", "claude-code").returncode == 0
    held = json.loads((home / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]["afresh"]
    assert Path(held["command"]).is_absolute()
    assert held["env"] == {"AFRESH_HOME": str(sandbox.home)}
    plain = {name: value for name, value in sandbox.env.items() if name != "AFRESH_HOME"}
    server = StdioServerParameters(
        command=held["command"], args=held["args"], env={**plain, **held["env"]}, cwd=sandbox.root
    )
    async with Client(server, read_timeout_seconds=60) as client:
        assert "recall" in [tool.name for tool in (await client.list_tools()).tools]


def test_the_installed_hooks_tell_what_is_known_and_what_an_edit_made_stale(
    sandbox: Sandbox, home: Path
) -> None:
    assert sandbox.run("install", "claude-code", "--hooks").returncode == 0
    hooks = json.loads((home / ".claude" / "settings.json").read_text(encoding="utf-8"))["hooks"]
    start = hooks["SessionStart"][0]["hooks"][0]["command"]
    edited = hooks["PostToolUse"][0]["hooks"][0]["command"]
    event = {"cwd": str(sandbox.root), "session_id": "s", "hook_event_name": "SessionStart"}
    assert run_hook(sandbox, start, event) == {}

    assert sandbox.run("index").returncode == 0
    sandbox.run("save", "Invoices are totalled in integer cents.", "--type", "decision")
    sandbox.run("record", "How do locks work?", "acquire always succeeds", "--files", "billing/locks.py")
    told = run_hook(sandbox, start, event)["hookSpecificOutput"]["additionalContext"]
    assert "Invoices are totalled in integer cents." in told
    assert "no longer rests" not in told

    file = sandbox.root / "billing" / "locks.py"
    file.write_text("class Lock:\n    def acquire(self):\n        return False\n", encoding="utf-8")
    after = {**event, "hook_event_name": "PostToolUse", "tool_input": {"file_path": str(file)}}
    told = run_hook(sandbox, edited, after)["hookSpecificOutput"]["additionalContext"]
    assert "How do locks work?" in told
    assert run_hook(sandbox, edited, after) == {}
    untouched = {**after, "session_id": "t", "tool_input": {"file_path": "main.py"}}
    assert run_hook(sandbox, edited, untouched) == {}
    told = run_hook(sandbox, start, event)["hookSpecificOutput"]["additionalContext"]
    assert "1 of what was learned here no longer rests" in told

    # On a branch with a telling name, what fits it comes first.
    subprocess.run(["git", "checkout", "-q", "-b", "invoices-in-cents"], cwd=sandbox.root, check=True)
    told = run_hook(sandbox, start, event)["hookSpecificOutput"]["additionalContext"]
    assert "Invoices are totalled in integer cents." in told

    assert sandbox.run("install", "claude-code", "--remove").returncode == 0
    assert list(home.iterdir()) == []


_ATTACHED = """
vim.wait(20000, function()
  local client = vim.lsp.get_active_clients()[1]
  return client and client.initialized and vim.lsp.buf_is_attached(0, client.id)
end, 20)
for _, client in ipairs(vim.lsp.get_active_clients()) do
  io.stdout:write(client.name, ' ', client.config.root_dir, '\\n')
end
"""


@pytest.mark.skipif(shutil.which("nvim") is None, reason="no Neovim here")
def test_neovim_starts_the_installed_language_server(sandbox: Sandbox, home: Path, tmp_path: Path) -> None:
    assert sandbox.run("install", "neovim").returncode == 0
    assert sandbox.run("index").returncode == 0
    script = tmp_path / "attached.lua"
    script.write_text(_ATTACHED, encoding="utf-8")
    done = subprocess.run(
        ["nvim", "--headless", "billing/locks.py", "-c", f"luafile {script}", "-c", "qa!"],
        cwd=sandbox.root,
        env={name: value for name, value in sandbox.env.items() if not name.startswith("XDG_")},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.stdout == f"afresh {sandbox.root}\n", done.stderr


@pytest.mark.skipif(shutil.which("emacs") is None, reason="no Emacs here")
def test_emacs_reads_what_is_written(sandbox: Sandbox, home: Path) -> None:
    assert sandbox.run("install", "emacs").returncode == 0
    done = subprocess.run(
        ["emacs", "-Q", "--batch", "-l", str(home / ".emacs.d" / "init.el"), "--eval", "(require 'eglot)"],
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
