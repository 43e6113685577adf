"""The process that outlines files for `pool`: shares of jobs come in by standard input, outlines go out.

It ends when its input does, and so with its parent, however that dies.
"""

from __future__ import annotations

import gc
import hashlib
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Any

from afresh_indexer.fingerprint import read_regular
from afresh_indexer.outline import Row, outline_rows
from afresh_indexer.parsing import MAX_BYTES
from afresh_indexer.records import Outline, Symbol

CHANGED = "changed"
"""The error of a file whose bytes are others than its record's by now."""
READY = "ready"
"""What a worker says first."""


@dataclass(frozen=True, slots=True)
class OutlineJob:
    """One file to be outlined."""

    path: str
    """As records have it."""
    file: str
    """Where it is on the disk."""
    sha256: str
    language: str


Answer = tuple[str, str, list[Row], str | None]
"""The fields of an Outline, in their order, with rows for symbols."""


def outline_job(job: OutlineJob) -> Outline:
    """Read one file and outline it, if its bytes are still those of its record."""
    return unpacked(outline_row(job))


def outline_row(job: OutlineJob) -> Answer:
    """The same in plain tuples, which are quicker to make and to send than records."""
    try:
        content = read_regular(job.file, MAX_BYTES)
    except OSError as error:
        return job.path, job.sha256, [], error.strerror or str(error)
    if not content.whole:
        return job.path, job.sha256, [], f"{content.stamps.st_size:,} bytes are too many for an outline"
    if hashlib.sha256(content.data).hexdigest() != job.sha256:
        return job.path, job.sha256, [], CHANGED
    rows, error_text = outline_rows(job.path, content.data, job.language)
    return job.path, job.sha256, rows, error_text


def send(stream: IO[bytes], value: object) -> None:
    """Write a value as one frame. Raises OSError when the other side is gone."""
    frame = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    stream.write(len(frame).to_bytes(8, "big") + frame)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Read one frame. Raises EOFError when the other side is gone, also in the midst of a frame."""
    head = stream.read(8)
    frame = stream.read(int.from_bytes(head, "big")) if len(head) == 8 else b""
    if len(head) < 8 or len(frame) < int.from_bytes(head, "big"):
        raise EOFError
    return pickle.loads(frame)


def unpacked(answer: Answer) -> Outline:
    """The outline that an answer tells of."""
    path, sha256, rows, error = answer
    return Outline(path, sha256, tuple(Symbol(*row) for row in rows), error)


def serve(answer: Callable[[OutlineJob], Answer] = outline_row) -> None:
    """Outline what comes in, one answer a file, until the input ends; then the process ends.

    An interrupt from the keyboard is the parent's to deal with. Cycles are collected between shares only: in
    the midst of one, the collector would find nothing but symbols that are in use.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever is printed by accident must not end up among the answers.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    shares: queue.SimpleQueue[Sequence[OutlineJob]] = queue.SimpleQueue()

    def listen() -> None:
        try:
            while True:
                shares.put(receive(sys.stdin.buffer))
        except EOFError:
            os._exit(0)

    threading.Thread(target=listen, name="jobs", daemon=True).start()
    send(answers, READY)
    while True:
        for job in shares.get():
            try:
                found = answer(job)
            except Exception as error:  # noqa: BLE001
                found = job.path, job.sha256, [], f"outlining failed: {type(error).__name__}: {error}"
            send(answers, found)
        gc.collect()


if __name__ == "__main__":
    serve()
