"""Real repositories in temporary folders, with commits at chosen times."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _only_our_git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path_factory.mktemp("config") / "gitconfig"
    config.write_text(
        "[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n"
        '[protocol "file"]\nallow = always\n[advice]\ndetachedHead = false\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@dataclass
class Repository:
    """A repository and the folder that it is worked on in."""

    root: Path

    def git(self, *arguments: str, at: datetime | None = None) -> str:
        environment = dict(os.environ)
        if at is not None:
            environment |= {"GIT_AUTHOR_DATE": at.isoformat(), "GIT_COMMITTER_DATE": at.isoformat()}
        result = subprocess.run(
            ["git", *arguments], cwd=self.root, env=environment, capture_output=True, check=True
        )
        return result.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def commit(self, subject: str, files: dict[str, str | bytes] | None = None, minutes: int = 0) -> str:
        """Write some files, commit everything, and give the commit's id; minutes count from noon."""
        for path, text in (files or {}).items():
            self.write(path, text)
        self.git("add", "-A")
        at = NOON + timedelta(minutes=minutes)
        self.git("commit", "-q", "--allow-empty", "-m", subject, at=at)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def make(tmp_path: Path) -> Callable[[str], Repository]:
    def made(name: str) -> Repository:
        root = tmp_path.resolve() / name
        root.mkdir()
        repository = Repository(root)
        repository.git("init", "-q")
        return repository

    return made


@pytest.fixture
def repo(make: Callable[[str], Repository]) -> Repository:
    return make("re\npository ")
