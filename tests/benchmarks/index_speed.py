"""A first index and a scan with nothing changed, beside sha256sum, git status and tree-sitter itself."""

from __future__ import annotations

import concurrent.futures
import os
import shutil
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, p50, timed
from tests.benchmarks.sandboxes import home, source_tree

from afresh import client as clients


def run(data: Path | None) -> Iterator[Figure]:
    """On a real tree (this environment's packages, as a repository) and on generated ones."""
    with tempfile.TemporaryDirectory() as folder:
        real = Path(folder) / "packages"
        _real_tree(real, 5_000)
        yield from _indexed("5,000 files of installed packages", real, scan_bound=1.5)
        made = Path(folder) / "generated"
        source_tree(made, 20_000)
        yield from _indexed("20,000 generated files", made, scan_bound=2.0)


def _real_tree(root: Path, files: int) -> None:
    packages = Path(sysconfig.get_path("purelib"))
    taken = sorted(path for path in packages.rglob("*.py") if path.is_file())[:files]
    for path in taken:
        target = root / path.relative_to(packages)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    for command in (["init", "-q"], ["add", "-f", "."], [*identity, "commit", "-q", "-m", "start"]):
        subprocess.run(["git", *command], cwd=root, check=True)


def _indexed(name: str, root: Path, scan_bound: float) -> Iterator[Figure]:
    hashing = p50(timed(lambda: _shell("git ls-files -z | xargs -0 sha256sum", root), 3))
    status = p50(timed(lambda: _shell("git status --porcelain", root), 7, warm=2))
    parsing = _parse_time(root)
    with home() as settings, clients.connect(settings, cwd=root, client="bench", kind="cli") as client:
        client.call("keeper_status", {})
        first = client.call("index", {"path": str(root)})
        again = [client.call("index", {"path": str(root)}) for _ in range(7)]
        calls = timed(lambda: client.call("index", {"path": str(root)}), 5)
    assert all(result["read"] == 0 for result in again), "a scan with nothing changed opened files"
    scan = p50([result["hashed_s"] for result in again])
    megabytes = first["bytes"] / 1024**2
    yield Figure(
        f"{name}: {first['files']:,} files, {megabytes:.0f} MB, {first['symbols']:,} symbols",
        first["elapsed_s"],
        "s",
    )
    yield Figure(
        f"{name}: hashes current / sha256sum",
        first["hashed_s"] / hashing,
        "x",
        4,
        f"{first['hashed_s']:.2f} s / {hashing:.2f} s",
    )
    outlined = first["outlined_s"] - first["hashed_s"]
    yield Figure(
        f"{name}: outlines / tree-sitter's parse",
        outlined / parsing,
        "x",
        2.5,
        f"{outlined:.2f} s / {parsing:.2f} s",
    )
    yield Figure(
        f"{name}: unchanged scan / git status",
        scan / status,
        "x",
        scan_bound,
        f"{1000 * scan:.0f} ms / {1000 * status:.0f} ms",
    )
    yield Figure(f"{name}: `index` with nothing changed, whole call", 1000 * p50(calls), "ms")


def _shell(command: str, root: Path) -> None:
    subprocess.run(["sh", "-c", command], cwd=root, check=True, stdout=subprocess.DEVNULL)


def _parse_time(root: Path) -> float:
    """Seconds that tree-sitter alone needs for the Python files, over all cores."""
    paths = [str(path) for path in root.rglob("*.py")]
    cores = os.cpu_count() or 1
    with concurrent.futures.ProcessPoolExecutor(cores) as pool:
        list(pool.map(_parse_all, [paths[:2]] * cores))
        started = time.perf_counter()
        list(pool.map(_parse_all, [paths[n :: cores * 4] for n in range(cores * 4)]))
        return time.perf_counter() - started


def _parse_all(paths: list[str]) -> int:
    import tree_sitter
    import tree_sitter_python

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_python.language()))
    count = 0
    for path in paths:
        count += parser.parse(Path(path).read_bytes()).root_node.child_count
    return count
