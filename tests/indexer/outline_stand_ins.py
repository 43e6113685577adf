"""What workers of the pool do in its tests in place of outlining: `outline_stand_ins.py NAME`."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

from afresh_indexer.outline_worker import Answer, OutlineJob, outline_row, serve
from afresh_indexer.pool import outlines


def crash_on_order(job: OutlineJob) -> Answer:
    """End the process at once, as a fault in a grammar does, where the path says so."""
    if job.path.startswith("crash"):
        os._exit(139)
    return outline_row(job)


def fail(job: OutlineJob) -> Answer:
    """Raise, and print what would spoil the answers."""
    print("this is no answer", flush=True)
    raise ValueError(f"no outline of {job.path}")


def tell_and_wait(job: OutlineJob) -> Answer:
    """Connect to the port that the path names, tell this process's id and its parent's, and wait."""
    with socket.create_connection(("127.0.0.1", int(job.path.partition(":")[0])), timeout=60) as connection:
        connection.sendall(f"{os.getpid()} {os.getppid()}\n".encode())
        connection.recv(1)
    return job.path, job.sha256, [], None


def leave_a_trace(job: OutlineJob) -> Answer:
    """Add a byte to the file that the job names."""
    with Path(job.file).open("ab") as counter:
        counter.write(b".")
    return job.path, job.sha256, [], None


STAND_INS = {one.__name__: one for one in (crash_on_order, fail, tell_and_wait, leave_a_trace)}


def wait_for_ever(port: str) -> None:
    """Be a parent whose worker does not answer."""
    jobs = (OutlineJob(f"{port}:{number}", "", "", "python") for number in range(40))
    command = (sys.executable, __file__, tell_and_wait.__name__)
    for _ in outlines(jobs, workers=1, inline=0, command=command):
        pass


if __name__ == "__main__":
    if sys.argv[1] in STAND_INS:
        serve(STAND_INS[sys.argv[1]])
    else:
        wait_for_ever(sys.argv[1])
