"""How well the rules tell statements that contradict from those that don't.

    python -m tests.benchmarks.contradictions DATA

DATA holds `contradictions/pairs.jsonl`: {"a", "b", "label", "detail", "source"} a line, the label one of
contradicts, consistent and unrelated. For each source that has contradictions and others it prints the area
under the curve of plain word overlap and of the rules, and which share of both falls into each band of the
policy.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from afresh.engine.negative import HARD, SOFT
from afresh.text.contradictions import contradiction

_WORD = re.compile(r"\w+")


def overlap(one: str, other: str) -> float:
    """Share of the words that two texts have in common: the simplest scorer there is."""
    a, b = (set(_WORD.findall(text.casefold())) for text in (one, other))
    return len(a & b) / max(len(a | b), 1)


def area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The share of pairs of both in which the positive one is scored higher; equal scores count half."""
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


def _scores(
    rows: Sequence[dict[str, Any]], score: Callable[[str, str], float]
) -> tuple[list[float], list[float]]:
    scored = [(row["label"] == "contradicts", score(row["a"], row["b"])) for row in rows]
    return [value for yes, value in scored if yes], [value for yes, value in scored if not yes]


def _bands(values: Sequence[float]) -> str:
    """The shares that are hard, and hard or soft."""
    return ", ".join(f"{sum(value >= least for value in values) / len(values):.2f}" for least in (HARD, SOFT))


def main() -> None:
    """Print a line for each source, and one for all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument(
        "--misses", metavar="SOURCE", help="print the pairs of a source that are ranked worst"
    )
    options = parser.parse_args()
    path = options.data / "contradictions" / "pairs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    sources = sorted({row["source"] for row in rows})
    sys.stdout.write("source | pairs | overlap | rules | contradicting: hard, soft or hard | others\n")
    for source in [*sources, "all"]:
        own = [row for row in rows if source in ("all", row["source"])]
        if len({row["label"] == "contradicts" for row in own}) < 2:
            continue
        plain = area(*_scores(own, overlap))
        yes, no = _scores(own, lambda one, other: contradiction(one, other).score)
        sys.stdout.write(
            f"{source[:40]} | {len(yes)} + {len(no)} | {plain:.3f} | {area(yes, no):.3f} | "
            f"{_bands(yes)} | {_bands(no)}\n"
        )
    if options.misses:
        _show_misses([row for row in rows if row["source"].startswith(options.misses)])


def _show_misses(rows: Sequence[dict[str, Any]]) -> None:
    found = [(contradiction(row["a"], row["b"]), row) for row in rows]
    for wanted in (True, False):
        part = [(c, row) for c, row in found if (row["label"] == "contradicts") is wanted]
        part.sort(key=lambda item: item[0].score, reverse=not wanted)
        for scored, row in part[:25]:
            sys.stdout.write(
                f"\n{row['detail']} {scored.score} {scored.reason}\n  {row['a']}\n  {row['b']}\n"
            )


if __name__ == "__main__":
    main()
