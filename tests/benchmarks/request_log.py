"""What writing requests down costs the calls: an agent's recalls in a row, with the log and without."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.benchmarks.figures import Figure, p50, p95, timed
from tests.benchmarks.sandboxes import texts

from afresh.engine.calls import Call, Caller
from afresh.keeper.service import OpenService, open_service
from afresh.settings import Settings

_ROUNDS = 20
_IN_A_ROW = 10


def run(data: Path | None) -> Iterator[Figure]:
    """Two services in this process take turns, so that what else the machine does is shared."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder) / "on", runtime=Path(folder), embed_model="none")
        off = replace(settings, home=Path(folder) / "off", requests=False)
        services = [open_service(each, in_process=True) for each in (settings, off)]
        try:
            for service in services:
                _fill(service)
            taken: list[list[float]] = [[], []]
            for _ in range(_ROUNDS):
                for service, times in zip(services, taken, strict=True):
                    times.extend(timed(partial(_recall, service), _IN_A_ROW))
        finally:
            for service in services:
                service.close()
    written, free = taken
    yield Figure("recall by an agent, requests written down, p50", 1000 * p50(written), "ms")
    yield Figure("the same, not written down", 1000 * p50(free), "ms")
    yield Figure("ratio of the medians", p50(written) / p50(free), "x", 1.1)
    yield Figure("ratio of the 95th percentiles", p95(written) / p95(free), "x")


_AGENT = Caller(client="bench", kind="agent")


def _fill(service: OpenService) -> None:
    for text in texts(100):
        service.call("memory_save", {"content": text, "project": "bench"}, Call(_AGENT))


def _recall(service: OpenService) -> None:
    ask = {"query": "invoice ledger retry timeout", "project": "bench", "limit": 10}
    service.call("recall", ask, Call(_AGENT))
