"""Runs the benchmarks and prints their figures: `python -m tests.benchmarks [NAME …] [--data FOLDER]`."""

from __future__ import annotations

import argparse
import importlib
import platform
import sys
from pathlib import Path

from tests.benchmarks.figures import table

NAMES = (
    "note_cuts",
    "startup",
    "memo_lookup",
    "request_log",
    "freshness_speed",
    "bulk_save",
    "index_speed",
    "watch_speed",
    "recall_speed",
    "tui_speed",
    "lsp_speed",
    "kill_loop",
)


def main() -> None:
    """Print a table for each benchmark; exit code 1 where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; default: all")
    parser.add_argument(
        "--data", type=Path, help="a folder of evaluation data, for the benchmarks that read one"
    )
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    print(f"Python {platform.python_version()} on {platform.machine()} {platform.system()}\n", flush=True)
    missed = 0
    for name in options.names or NAMES:
        figures = list(importlib.import_module(f"tests.benchmarks.{name}").run(options.data))
        missed += sum(figure.verdict == "MISSED" for figure in figures)
        print(f"## {name}\n\n{table(figures)}\n", flush=True)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
