"""Scans, as a user without privileges, a tree with parts closed to this user; prints what became of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from afresh_indexer.ignore import IgnoreRules
from afresh_indexer.records import Batch, Excluded, FileRecord
from afresh_indexer.scan import scan

NOBODY = 65534


def main() -> None:
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="afresh-nobody-")))
    try:
        if os.geteuid() == 0:
            os.chown(base, NOBODY, NOBODY)
            os.setgroups([])
            os.setegid(NOBODY)
            os.seteuid(NOBODY)
        report(base)
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        shutil.rmtree(base)


def report(base: Path) -> None:
    os.environ |= {"HOME": str(base), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    root = base / "root"
    for path in ("readable", "file", "folder/f", "tracked/t"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x", encoding="utf-8")
    environment = {**os.environ}
    subprocess.run(["git", "init", "-q"], cwd=root, env=environment, check=True, user=os.geteuid())
    subprocess.run(["git", "add", "tracked/t"], cwd=root, env=environment, check=True, user=os.geteuid())
    for path in ("file", "folder", "tracked"):
        (root / path).chmod(0)
    first = batch_of(root, base, {}, {})
    sys.stdout.writelines(f"changed={record.path}\n" for record in first.changed)
    sys.stdout.writelines(f"excluded={path}:{e.reason}\n" for path, e in sorted(by_path(first).items()))
    again = batch_of(root, base, {record.path: record for record in first.changed}, by_path(first))
    sys.stdout.write(f"again={len(again.changed) + len(again.excluded) + len(again.removed)}\n")
    for path in ("file", "folder", "tracked"):
        (root / path).chmod(0o700)


def by_path(batch: Batch) -> dict[str, Excluded]:
    return {entry.path: entry for entry in batch.excluded}


def batch_of(root: Path, base: Path, known: dict[str, FileRecord], excluded: dict[str, Excluded]) -> Batch:
    (batch,) = scan(
        root,
        known,
        excluded,
        rules=IgnoreRules.for_root(root, base / "home"),
        max_bytes=1 << 20,
        clock_ns=lambda: root.lstat().st_mtime_ns + 10**13,
        language_of=lambda path, head: None,
    )
    return batch


main()
