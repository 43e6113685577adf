"""Outlines of many files at once, in processes of their own: parsing holds Python's lock.

Workers are started afresh, never forked, and end with this process, also when that is killed. They read the
files themselves and check the hash, so that an outline never belongs to other bytes than its record. A worker
that crashes costs only the file that crashed it: it answers file by file, so that the one at hand is known,
and another worker takes the rest. Nothing is left behind when the caller goes away: no process, no helper
of `multiprocessing`, no semaphore.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

from afresh_indexer.outline_worker import (
    CHANGED,
    READY,
    OutlineJob,
    outline_job,
    receive,
    send,
    unpacked,
)
from afresh_indexer.records import Outline

__all__ = ["CHANGED", "CRASHED", "INLINE", "WORKER", "OutlineJob", "outlines"]

CRASHED = "the parser crashed on it"
INLINE = 24
"""Up to so many files are outlined in this process: starting workers takes longer."""
WORKER = (sys.executable, "-P", "-m", "afresh_indexer.outline_worker")
"""The command of a worker. It must not import from the current folder, which may be anyone's."""

_SHARE = 16
"""Files that a worker is given at once."""
_STOP_SECONDS = 10.0


def outlines(
    jobs: Iterable[OutlineJob],
    *,
    workers: int,
    inline: int = INLINE,
    command: Sequence[str] = WORKER,
) -> Iterator[Outline]:
    """The outlines of files, in no order, each with the hash of the bytes that it belongs to.

    A file that can't be read, has changed, or crashes its parser gets an outline with an `error`. Up to
    `inline` jobs are done in this process, and all of them where `workers` is 0. Closing the iterator ends
    the workers at once. Raises RuntimeError or OSError if a worker can't be started.
    """
    source = iter(jobs)
    first = list(islice(source, inline + 1))
    if len(first) <= inline or workers < 1:
        yield from map(outline_job, chain(first, source))
        return
    crew = _Crew(command)
    try:
        yield from crew.work(chain(first, source), workers)
    finally:
        crew.dismiss()


class _ShareDone:
    """A worker is through with its share."""


class _Crew:
    """The workers of one call, each with a thread that talks to it."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._shares: queue.SimpleQueue[list[OutlineJob] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[Outline | _ShareDone | Exception] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._guard = threading.Lock()
        self._dismissed = False

    def work(self, jobs: Iterator[OutlineJob], workers: int) -> Iterator[Outline]:
        """Deal the jobs out, a few shares ahead, and give what comes back."""
        handed_out = 0
        while True:
            while handed_out < workers * 2 and (share := list(islice(jobs, _SHARE))):
                self._shares.put(share)
                handed_out += 1
                if len(self._threads) < workers:
                    self._hire()
            if not handed_out:
                return
            answer = self._answers.get()
            if isinstance(answer, Outline):
                yield answer
            elif isinstance(answer, _ShareDone):
                handed_out -= 1
            else:
                raise answer

    def dismiss(self) -> None:
        """End all workers and threads, whatever they are at."""
        with self._guard:
            self._dismissed = True
            for process in self._processes:
                process.kill()
        for _ in self._threads:
            self._shares.put(None)
        for thread in self._threads:
            thread.join(_STOP_SECONDS)

    def _hire(self) -> None:
        thread = threading.Thread(target=self._converse, name="outlines", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _converse(self) -> None:
        process: subprocess.Popen[bytes] | None = None
        try:
            while (share := self._shares.get()) is not None and not self._dismissed:
                while share:
                    process = process or self._start()
                    share = self._have_done(process, share)
                    if share is not None:
                        self._end(process)
                        process = None
                    share = share or []
                self._answers.put(_ShareDone())
        except (OSError, RuntimeError) as error:
            self._answers.put(error)
        finally:
            if process is not None:
                self._end(process)

    def _have_done(
        self, process: subprocess.Popen[bytes], share: list[OutlineJob]
    ) -> list[OutlineJob] | None:
        """Have a worker do a share; gives what is left of it after a crash, or None if there was none."""
        answered = 0
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, share)
            for _ in share:
                self._answers.put(unpacked(receive(process.stdout)))
                answered += 1
        except (OSError, EOFError):
            if not self._dismissed:
                culprit = share[answered]
                self._answers.put(Outline(culprit.path, culprit.sha256, (), CRASHED))
            return share[answered + 1 :]
        return None

    def _start(self) -> subprocess.Popen[bytes]:
        places = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
        with self._guard:
            if self._dismissed:
                raise RuntimeError("the outlines are no longer wanted")
            process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
            self._processes.add(process)
        assert process.stdout is not None
        try:
            said = receive(process.stdout)
        except EOFError:
            said = None
        if said != READY:
            self._end(process)
            raise RuntimeError(f"a worker for outlines could not be started: {' '.join(self._command)}")
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Close a worker's input, at which it ends, and wait until it has."""
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):
            process.stdin.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        with self._guard:
            self._processes.discard(process)
