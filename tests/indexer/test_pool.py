"""Outlines of many files in a pool of processes."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from afresh_indexer.pool import CHANGED, CRASHED, WORKER, OutlineJob, outlines

HERE = Path(__file__).parent


def stand_in(name: str) -> tuple[str, ...]:
    """The command of a worker that does something else than outlining."""
    return (sys.executable, str(HERE / "outline_stand_ins.py"), name)


def job_for(folder: Path, path: str, source: str) -> OutlineJob:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source, encoding="utf-8")
    digest = hashlib.sha256(source.encode()).hexdigest()
    return OutlineJob(path, str(file), digest, "python")


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def test_a_few_files_are_outlined_without_a_worker(tmp_path: Path) -> None:
    before = children()
    jobs = [job_for(tmp_path, f"m{number}.py", f"def f{number}(): pass\n") for number in range(5)]
    stream = outlines(jobs, workers=2)
    first = next(stream)
    assert children() == before
    found = [first, *stream]
    assert {outline.symbols[0].name for outline in found} == {f"f{number}" for number in range(5)}


def test_many_files_come_from_workers_each_with_its_own_symbols(tmp_path: Path) -> None:
    before = children()
    jobs = [job_for(tmp_path, f"m{number}.py", f"class C{number}: x = {number}\n") for number in range(60)]
    found = {outline.path: outline for outline in outlines(iter(jobs), workers=2)}
    assert set(found) == {job.path for job in jobs}
    for number in range(60):
        outline = found[f"m{number}.py"]
        assert outline.error is None
        assert outline.sha256 == jobs[number].sha256
        assert [symbol.qualified_name for symbol in outline.symbols] == [f"C{number}", f"C{number}.x"]
    assert children() == before


def test_workers_and_the_own_process_give_the_same_outlines(tmp_path: Path) -> None:
    jobs = [job_for(tmp_path, f"m{number}.py", f"def f(a={number}): return a\n") for number in range(30)]
    pooled = {outline.path: outline for outline in outlines(jobs, workers=1, inline=0)}
    assert pooled == {outline.path: outline for outline in outlines(jobs, workers=0)}


@pytest.mark.parametrize("inline", [0, 10])
def test_a_file_with_other_bytes_than_its_record_is_no_outline(tmp_path: Path, inline: int) -> None:
    job = job_for(tmp_path, "m.py", "def f(): pass\n")
    Path(job.file).write_text("def g(): pass\n", encoding="utf-8")
    [outline] = outlines([job], workers=1, inline=inline)
    assert (outline.error, outline.symbols, outline.sha256) == (CHANGED, (), job.sha256)


def test_a_file_that_is_gone_gets_the_reason(tmp_path: Path) -> None:
    job = job_for(tmp_path, "m.py", "def f(): pass\n")
    Path(job.file).unlink()
    [outline] = outlines([job], workers=1)
    assert outline.symbols == ()
    assert outline.error == os.strerror(2)


def test_a_file_that_is_too_large_is_told_with_its_size(tmp_path: Path) -> None:
    job = job_for(tmp_path, "m.py", "x = 1\n" * 800_000)
    [outline] = outlines([job], workers=1)
    assert outline.symbols == ()
    assert "4,800,000" in (outline.error or "")


def test_a_crash_costs_only_the_file_that_caused_it(tmp_path: Path) -> None:
    jobs = [job_for(tmp_path, f"m{number}.py", f"def f{number}(): pass\n") for number in range(40)]
    jobs.insert(7, job_for(tmp_path, "crash_a.py", "x = 1\n"))
    jobs.insert(15, job_for(tmp_path, "crash_b.py", "x = 1\n"))
    jobs.append(job_for(tmp_path, "crash_c.py", "x = 1\n"))
    found = [*outlines(jobs, workers=2, inline=0, command=stand_in("crash_on_order"))]
    assert sorted(outline.path for outline in found) == sorted(job.path for job in jobs)
    errors = {outline.path: outline.error for outline in found if outline.error}
    assert errors == dict.fromkeys(("crash_a.py", "crash_b.py", "crash_c.py"), CRASHED)
    names = {outline.path: outline.symbols[0].name for outline in found if not outline.error}
    assert names == {f"m{number}.py": f"f{number}" for number in range(40)}


def test_a_failure_is_told_and_what_is_printed_does_no_harm(tmp_path: Path) -> None:
    jobs = [job_for(tmp_path, f"m{number}.py", "x = 1\n") for number in range(3)]
    found = [*outlines(jobs, workers=1, inline=0, command=stand_in("fail"))]
    expected = {job.path: f"outlining failed: ValueError: no outline of {job.path}" for job in jobs}
    assert {outline.path: outline.error for outline in found} == expected


def test_closing_early_ends_the_workers_and_leaves_the_rest_undone(tmp_path: Path) -> None:
    before = children()
    counter = tmp_path / "counter"
    jobs = (OutlineJob(f"m{number}.py", str(counter), "", "python") for number in range(100_000))
    stream = outlines(jobs, workers=2, inline=0, command=stand_in("leave_a_trace"))
    next(stream)
    assert children() != before
    threads = threading.active_count()
    stream.close()
    assert children() == before
    assert threading.active_count() == threads - 2
    assert counter.stat().st_size < 1000


def test_closing_does_not_wait_for_a_file_that_takes_long(tmp_path: Path) -> None:
    before = children()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        port = server.getsockname()[1]
        quick = job_for(tmp_path, "m.py", "x = 1\n")
        slow = OutlineJob(f"{port}:1", "", "", "python")
        command = (*stand_in("tell_and_wait"),)
        stream = outlines(
            [OutlineJob(f"{port}:0", quick.file, "", "python"), slow], workers=1, inline=0, command=command
        )
        heard: list[bytes] = []
        second_is_waiting = threading.Event()

        def answer_the_first_only() -> None:
            first, _ = server.accept()
            first.close()
            second, _ = server.accept()
            with second:
                second.settimeout(60)
                heard.append(second.recv(100))
                second_is_waiting.set()
                heard.append(second.recv(1))

        thread = threading.Thread(target=answer_the_first_only)
        thread.start()
        assert next(stream).path == f"{port}:0"
        assert second_is_waiting.wait(60)
        stream.close()
        thread.join(60)
        assert heard[0]
        assert heard[1] == b""
    assert children() == before


def test_a_worker_that_does_not_start_is_an_error_with_its_command(tmp_path: Path) -> None:
    jobs = [job_for(tmp_path, f"m{number}.py", "x = 1\n") for number in range(3)]
    with pytest.raises(RuntimeError, match=r"could not be started: .*nothing_of_the_kind"):
        list(outlines(jobs, workers=2, inline=0, command=(sys.executable, "-m", "nothing_of_the_kind")))
    with pytest.raises(OSError, match="nothing-of-the-kind"):
        list(outlines(jobs, workers=2, inline=0, command=("/nothing-of-the-kind",)))


def test_a_worker_ends_when_its_parent_is_killed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        port = server.getsockname()[1]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, str(HERE / "outline_stand_ins.py"), str(port)]
        parent = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
        try:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(60)
                worker, worker_parent = connection.recv(100).split()
                assert int(worker_parent) == parent.pid
                assert int(worker) != parent.pid
                parent.kill()
                # The end of the stream is the worker's end: nothing else closes its socket.
                assert connection.recv(1) == b""
        finally:
            parent.kill()
            parent.communicate()


def test_a_worker_imports_neither_the_application_nor_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "tree_sitter.py").write_text("raise SystemExit('imported from the current folder')")
    listing = "[name for name in sys.modules if name.split('.')[0] == 'afresh']"
    script = f"import sys, afresh_indexer.outline_worker; print({listing})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [*WORKER[:2], "-c", script]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
