"""A data folder of its own for a benchmark, with a real keeper, and nothing left behind."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from afresh import client as clients
from afresh.settings import Settings, load

# fmt: off
_WORDS = [
    "cache", "queue", "worker", "deploy", "release", "invoice", "ledger", "token", "session", "retry",
    "timeout", "index", "shard", "replica", "cluster", "schema", "migration", "column", "query",
    "planner", "budget", "alert", "metric", "trace", "log", "rotation", "certificate", "proxy",
    "gateway", "upload", "stream", "buffer", "chunk", "parser", "lexer", "grammar", "symbol", "module",
    "package", "build", "pipeline", "artifact", "image", "region", "tenant", "account", "role",
    "permission", "audit", "consent", "export", "import", "report", "dashboard", "widget", "layout",
    "theme", "locale",
]
# fmt: on


@contextmanager
def home(kept: Path | None = None, **environ: str) -> Iterator[Settings]:
    """Settings over an empty data folder, or over one that is kept; its keeper is stopped at the end.

    A folder of its own is then removed.
    """
    folder = Path(tempfile.mkdtemp(prefix="afb-"))
    before = dict(os.environ)
    data = kept.resolve() if kept is not None else folder / "home"
    os.environ.update(AFRESH_HOME=str(data), AFRESH_RUNTIME=str(folder / "run"), **environ)
    try:
        settings = load()
        yield settings
        stopper = clients.connect(settings, cwd=folder, client="bench", kind="cli", start=False)
        with stopper:
            stopper.call("keeper_stop", {})
    except clients.KeeperUnavailableError:
        pass
    finally:
        os.environ.clear()
        os.environ.update(before)
        shutil.rmtree(folder, ignore_errors=True)


def texts(count: int, seed: int = 7) -> list[str]:
    """Developer-like notes, each different, of 12 to 60 words."""
    chance = random.Random(seed)
    made = []
    for n in range(count):
        words = [chance.choice(_WORDS) for _ in range(chance.randint(12, 60))]
        made.append(f"Note {n}: the {' '.join(words)} in case {chance.randint(1, 10_000)}.")
    return made


def source_tree(root: Path, files: int, seed: int = 3) -> None:
    """A git repository with so many Python files in folders of fifty."""
    import subprocess

    chance = random.Random(seed)
    for n in range(files):
        folder = root / f"package{n // 50:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        body = [f'"""Module {n}."""\n']
        for k in range(chance.randint(3, 12)):
            words = chance.sample(_WORDS, 3)
            body.append(
                f"def {words[0]}_{words[1]}_{k}({words[2]}, limit={k}):\n"
                f"    {words[1]} = [{words[2]} * n for n in range(limit)]\n"
                f"    return sum({words[1]}) + {n}\n"
            )
        (folder / f"module{n}.py").write_text("\n\n".join(body), encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "."], cwd=root, check=True)
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    subprocess.run(["git", *identity, "commit", "-q", "-m", "start"], cwd=root, check=True)
