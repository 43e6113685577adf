"""What a benchmark gives: figures with the bound that they are held against."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number."""

    what: str
    value: float
    unit: str
    bound: float | None = None
    """The largest value that is good; None where there is no bound."""
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.bound is None:
            return ""
        return "holds" if self.value <= self.bound else "MISSED"


def timed(work: Callable[[], object], times: int, *, warm: int = 1) -> list[float]:
    """Seconds of each of `times` runs, after `warm` runs that don't count."""
    for _ in range(warm):
        work()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return taken


def p50(values: Sequence[float]) -> float:
    return statistics.median(values)


def p95(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def table(figures: Iterable[Figure]) -> str:
    """As a Markdown table."""
    lines = ["| what | measured | bound | |", "| --- | --- | --- | --- |"]
    for figure in figures:
        bound = "" if figure.bound is None else f"{figure.bound:g} {figure.unit}"
        note = " · ".join(part for part in (figure.verdict, figure.note) if part)
        lines.append(f"| {figure.what} | {figure.value:.4g} {figure.unit} | {bound} | {note} |")
    return "\n".join(lines)
