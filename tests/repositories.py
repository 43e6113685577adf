"""Real git repositories for tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def git(root: Path, *arguments: str, when: str | None = None) -> str:
    """Run git in a folder; its output. With `when`, commits are made at that time."""
    dates = {} if when is None else {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    done = subprocess.run(
        ["git", *arguments], cwd=root, check=True, capture_output=True, text=True, env=os.environ | dates
    )
    return done.stdout
