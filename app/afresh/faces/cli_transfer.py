"""Commands that carry memories in and out: export, import, backup."""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import click

from afresh.errors import AfreshError, UsageError
from afresh.faces.cli_options import json_option
from afresh.faces.cli_session import Engine, Session, given
from afresh.faces.render import counted, line, told_bytes
from afresh.faces.render_memories import redactions
from afresh.faces.render_progress import ProgressDisplay

_CHUNK_LINES = 2000
_CHUNK_BYTES = 8_000_000
_BAD_LINES_SHOWN = 50


@click.command(short_help="Write memories and conclusions as JSON Lines.")
@click.argument("file")
@click.option("--project", metavar="NAME", help="Default: all projects.")
@click.pass_obj
def export(session: Session, file: str, project: str | None) -> int:
    """Write memories and conclusions as JSON Lines to FILE, or to stdout where it is -.

    The file appears when it is whole: it is written beside its name and renamed.
    """
    with session.engine() as engine, _export_target(file) as target:
        rows = _RowWriter(target)
        result = engine.call("export", given({"project": project}), on_event=rows.event)
        rows.finish(sum(result["rows"].values()))
    told = ", ".join(f"{name} {count:,}" for name, count in result["rows"].items() if count)
    where = "stdout" if file == "-" else file
    session.say(f"exported {counted(rows.written, 'row')} to {where}{f' ({told})' if told else ''}")
    return 0


@click.command(name="import", short_help="Read memories and conclusions from JSON Lines.")
@click.argument("file")
@click.option(
    "--from",
    "origin",
    type=click.Choice(["claude", "basic-memory", "mcp-memory"]),
    help="FILE is another program's: a memory folder of Claude Code, a project folder of basic-memory, or "
    "a memory.json of the MCP memory server.",
)
@click.option("--no-wait", is_flag=True, help="Don't wait for vectors; they follow behind.")
@click.option("--strict", is_flag=True, help="Stop at the first bad line; chunks before it stay imported.")
@click.option("--project", metavar="NAME", help="For rows that name none.")
@json_option
@click.pass_obj
def import_(
    session: Session,
    file: str,
    origin: str | None,
    no_wait: bool,
    strict: bool,
    project: str | None,
    as_json: bool,
) -> int:
    """Read JSON Lines from FILE, or from stdin where it is -.

    Rows with a known external_id are updated, never doubled. A bad line is told with its number and left
    out, and the exit code is then 1. It waits until every row can be found by meaning too. With --from
    what is gone from there since an earlier import is taken out.
    """
    options = given({"project": project, "strict": strict or None})
    if origin is not None:
        return _import_from(session, file, {"source": origin, **options}, no_wait=no_wait, as_json=as_json)
    total = _Import()
    with session.engine() as engine:
        with _import_source(file) as (source, size), session.progress() as progress:
            _import_lines(engine, source, size, options, total, progress)
        if not no_wait and total.created + total.updated:
            _embed(session, engine)
    bad = [f"line {number}: {error}" for number, error in sorted(total.bad)]
    _tell_bad(session, bad, "more bad line", "more bad lines")
    result = total.result()
    session.show(
        result,
        as_json,
        lambda: [
            line(
                (
                    f"{total.created:,} created, {total.updated:,} updated, {total.unchanged:,} unchanged",
                    "bold",
                ),
                f", {counted(len(total.bad), 'bad line')} left out" if total.bad else "",
            ),
            *redactions(result["redacted"]),
        ],
    )
    return 1 if total.bad else 0


@click.command(short_help="Copy the database, while it is in use.")
@click.argument("file", required=False)
@json_option
@click.pass_obj
def backup(session: Session, file: str | None, as_json: bool) -> int:
    """Copy the database, while it is in use, to FILE: a new file, by default in the data folder."""
    stamp = session.clock().strftime("%Y%m%d-%H%M%S")
    to = Path(file).expanduser().absolute() if file else session.settings().home / f"backup-{stamp}.duckdb"
    result = session.ask("backup", {"to": str(to)})
    session.show(
        result, as_json, lambda: [line(f"Backed up to {result['path']} ({told_bytes(result['bytes'])}).")]
    )
    return 0


# --- export -----------------------------------------------------------------------------------------------


class _RowWriter:
    """Writes the rows of an export as they come; a failure to write is raised at the end, not in between."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._failure: OSError | None = None
        self.written = 0

    def event(self, event: Mapping[str, Any]) -> None:
        if event.get("kind") != "row" or self._failure is not None:
            return
        text = json.dumps(event["row"], ensure_ascii=False, separators=(",", ":"))
        try:
            self._target.write(text + "\n")
            self.written += 1
        except OSError as error:
            self._failure = error

    def finish(self, expected: int) -> None:
        """Raise what went wrong, so that an incomplete export is never taken for a whole one."""
        if isinstance(self._failure, BrokenPipeError):
            raise self._failure
        if self._failure is not None:
            raise AfreshError(f"can't write the export: {self._failure.strerror}")
        if self.written != expected:
            raise AfreshError(
                f"the export is incomplete: {self.written:,} of {expected:,} rows arrived; nothing was kept, "
                "try again"
            )


@contextmanager
def _export_target(file: str) -> Iterator[TextIO]:
    if file == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    path = Path(file).expanduser()
    if path.is_dir():
        raise UsageError(f"{path} is a folder; give the name of a file to export to")
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("x", encoding="utf-8", newline="\n") as target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        beside.replace(path)
    except OSError as error:
        raise AfreshError(f"can't export to {path}: {error.strerror or error}") from None
    finally:
        beside.unlink(missing_ok=True)


# --- import of other programs' ---------------------------------------------------------------------------


def _import_from(
    session: Session, file: str, arguments: Mapping[str, Any], *, no_wait: bool, as_json: bool
) -> int:
    if file == "-":
        raise UsageError("--from reads a file or a folder: give its path, not -")
    path = Path(file).expanduser().absolute()
    with session.engine() as engine:
        with session.progress() as progress:
            result = engine.call("import_from", {**arguments, "path": str(path)}, on_event=progress.event)
        if not no_wait and result["created"] + result["updated"]:
            _embed(session, engine)
    _tell_bad(session, result["bad"], "more bad entry", "more bad entries")
    told = ", ".join(f"{result[name]:,} {name}" for name in ("created", "updated", "unchanged", "removed"))
    left = f", {counted(len(result['bad']), 'entry', 'entries')} left out" if result["bad"] else ""
    session.show(result, as_json, lambda: [line((told, "bold"), left), *redactions(result["redacted"])])
    return 1 if result["bad"] else 0


def _embed(session: Session, engine: Engine) -> None:
    """Wait until what came in can be found by meaning."""
    with session.progress() as progress:
        embedded = engine.call("embed", {}, on_event=progress.event)
    if embedded["pending"]:
        session.say(f"{counted(embedded['pending'], 'vector')} to come: {embedded['model']['source']}")


def _tell_bad(session: Session, bad: list[str], one: str, many: str) -> None:
    for text in bad[:_BAD_LINES_SHOWN]:
        session.say(text)
    if len(bad) > _BAD_LINES_SHOWN:
        session.say(f"and {counted(len(bad) - _BAD_LINES_SHOWN, one, many)}")


# --- import -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Import:
    """What all chunks of an import came to."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list)
    """Line number and error."""
    redacted: dict[str, int] = field(default_factory=dict)

    def add(self, result: Mapping[str, Any], numbers: list[int]) -> None:
        self.created += result["created"]
        self.updated += result["updated"]
        self.unchanged += result["unchanged"]
        self.bad += [(numbers[item["line"] - numbers[0]], item["error"]) for item in result["bad"]]
        for item in result["redacted"]:
            self.redacted[item["kind"]] = self.redacted.get(item["kind"], 0) + item["count"]

    def result(self) -> dict[str, Any]:
        """In the shape of the verb's own result."""
        return {
            "created": self.created,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "bad": [{"line": number, "error": error} for number, error in sorted(self.bad)],
            "redacted": [{"kind": kind, "count": count} for kind, count in sorted(self.redacted.items())],
        }


@contextmanager
def _import_source(file: str) -> Iterator[tuple[BinaryIO, int | None]]:
    """The bytes to read and how many there are, if that is known."""
    if file == "-":
        yield sys.stdin.buffer, None
        return
    path = Path(file).expanduser()
    try:
        with path.open("rb") as source:
            yield source, path.stat().st_size
    except FileNotFoundError:
        raise UsageError(f"there is no file {path} to import") from None
    except OSError as error:
        raise UsageError(f"can't read {path}: {error.strerror}") from None


def _import_lines(
    engine: Engine,
    source: BinaryIO,
    size: int | None,
    options: Mapping[str, Any],
    total: _Import,
    progress: ProgressDisplay,
) -> None:
    strict = "strict" in options
    done = 0
    shared = {**options, "transfer": uuid.uuid4().hex}

    def send(lines: list[str], numbers: list[int], last: bool) -> None:
        # Rows that refer to later ones are joined when no more can come.
        arguments = {"lines": lines, "first_line": numbers[0], "last": last, **shared}
        total.add(engine.call("import", arguments), numbers)
        progress.event({"kind": "progress", "phase": "import", "done": done, "total": size})

    chunk = _Chunk(send)
    for number, raw in enumerate(source, start=1):
        done += len(raw)
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            problem = f"not UTF-8 ({error.reason})"
            if strict:
                chunk.flush()
                raise UsageError(f"line {number}: {problem}; the lines before it went in") from None
            total.bad.append((number, problem))
            continue
        if text:
            # In a strict import the engine names the line itself, and counts on from the first.
            if strict and chunk.numbers and chunk.numbers[-1] != number - 1:
                chunk.flush()
            chunk.add(text, number, len(raw))
    chunk.flush(last=True)


class _Chunk:
    """Lines on their way, sent when they are many or large."""

    def __init__(self, send: Callable[[list[str], list[int], bool], None]) -> None:
        self._send = send
        self._lines: list[str] = []
        self._bytes = 0
        self.numbers: list[int] = []

    def add(self, text: str, number: int, size: int) -> None:
        if self._lines and (len(self._lines) >= _CHUNK_LINES or self._bytes + size > _CHUNK_BYTES):
            self.flush()
        self._lines.append(text)
        self.numbers.append(number)
        self._bytes += size

    def flush(self, *, last: bool = False) -> None:
        if self._lines:
            self._send(self._lines, self.numbers, last)
        self._lines, self.numbers, self._bytes = [], [], 0
