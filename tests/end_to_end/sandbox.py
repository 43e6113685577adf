"""The installed command with real processes, on a data folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from mcp import Client, StdioServerParameters

AFRESH = str(Path(sys.executable).parent / "afresh")


@dataclass
class Sandbox:
    """A data folder, a workspace, and the command to use on them."""

    home: Path
    runtime: Path
    root: Path
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        return {
            **os.environ,
            "AFRESH_HOME": str(self.home),
            "AFRESH_RUNTIME": str(self.runtime),
            "AFRESH_CONFIG": str(self.home / "config.toml"),
            "AFRESH_IDLE_EXIT": "60",
            "NO_COLOR": "1",
            **self.extra,
        }

    def run(
        self, *arguments: str, cwd: Path | None = None, stdin: str | None = None, timeout: float = 90
    ) -> Any:
        """Run `afresh …` and return the finished process."""
        return subprocess.run(
            [AFRESH, *arguments],
            cwd=cwd or self.root,
            env=self.env,
            input=stdin if stdin is not None else "",
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=timeout,
            check=False,
        )

    def json(self, *arguments: str, cwd: Path | None = None) -> Any:
        """Run a command with --json; its result."""
        done = self.run(*arguments, "--json", cwd=cwd)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    def client(self, mode: str = "auto", cwd: Path | None = None, **more: Any) -> Client:
        """An MCP client over stdio, as an agent's host would start it."""
        server = StdioServerParameters(command=AFRESH, args=["mcp"], env=self.env, cwd=cwd or self.root)
        return Client(server, mode=mode, read_timeout_seconds=60, **more)

    def keepers(self) -> list[psutil.Process]:
        """The keepers of this data folder."""
        found = []
        for process in psutil.process_iter():
            try:
                line = process.cmdline()
                if line[-2:] == ["keeper", "run"] and process.environ().get("AFRESH_HOME") == str(self.home):
                    found.append(process)
            except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
                continue
        return found

    def kill_keeper(self) -> None:
        """SIGKILL, and wait until it is gone."""
        for process in self.keepers():
            process.kill()
            process.wait(timeout=10)

    def until_model(self) -> None:
        """Wait until the keeper's model is loaded and no text waits for its vector."""
        code = (
            "from afresh import client, settings\n"
            "with client.connect(settings.load(), cwd=None, client='test', kind='cli') as keeper:\n"
            "    assert keeper.call('embed', {})['pending'] == 0\n"
        )
        subprocess.run([sys.executable, "-c", code], env=self.env, check=True, timeout=90)

    def until_no_keeper(self) -> None:
        """Wait until a keeper that was told to stop is gone."""
        psutil.wait_procs(self.keepers(), timeout=30)
        assert self.keepers() == []
