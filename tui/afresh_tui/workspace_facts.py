"""What is known of a workspace, its watch and its keeper, as facts in columns and as rows of lists. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from textual.content import Content

from afresh_tui.conditions import Conditions
from afresh_tui.inert import inert, one_line
from afresh_tui.wording import counted, long_age, short_age, told_bytes, told_ms, word_of

if TYPE_CHECKING:
    from afresh.activity_verbs import ActivityResult, ConnectedClient, ExcludedFile, WorkspaceChange
    from afresh.contracts import KeeperStatus, StatusResult
    from afresh.verbs import DeadClaim

Fact = tuple[str, Content]
_LABEL = 12
_COUNTS = 20
"""Columns of how many files changed."""


def facts(
    status: StatusResult, activity: ActivityResult | None, keeper: KeeperStatus, now: datetime
) -> tuple[list[Fact], list[Fact]]:
    """What is indexed and remembered; what watches, searches and runs."""
    files, memos = status.files, status.memos
    stale = f"▲ {memos.stale:,} stale"
    known = [
        ("state", Content(word_of(status.readiness_state))),
        ("files", _files(status)),
        ("symbols", Content(f"{status.symbols:,}")),
        ("languages", Content(_languages(status.languages))),
        ("left out", Content(_reasons(status.excluded_by_reason) if files.excluded else "nothing")),
        ("memories", Content(f"{status.memories.total:,} · {_by_type(status.memories.by_type)}")),
        (
            "conclusions",
            Content.assemble(
                (f"● {memos.fresh:,} fresh", "$text-success"),
                "  ",
                (stale, "$text-warning" if memos.stale else "$text-muted"),
            ),
        ),
    ]
    return known, [
        ("watch", _watch(status)),
        ("last change", Content(_last_change(status, now))),
        ("model", _model(status)),
        ("llm", _llm(status)),
        ("keeper", Content(_keeper(keeper))),
        ("database", Content(f"{told_bytes(keeper.database_bytes)} · afresh {one_line(keeper.version, 20)}")),
        ("calls", Content(_calls(activity))),
        ("throughput", Content(_throughput(activity))),
    ]


def laid_out(known: Sequence[Fact], runs: Sequence[Fact], width: int) -> list[Content]:
    """The facts in two columns of equal width."""
    half = (width - 2) // 2
    left, right = [_fact(fact, half) for fact in known], [_fact(fact, half) for fact in runs]
    blank = Content("").pad_right(half)
    height = max(len(left), len(right))
    left += [blank] * (height - len(left))
    right += [blank] * (height - len(right))
    return [Content.assemble(one, "  ", other) for one, other in zip(left, right, strict=True)]


def _fact(fact: Fact, width: int) -> Content:
    label, value = fact
    room = max(width - _LABEL, 8)
    return Content.assemble(
        (label.ljust(_LABEL), "$text-muted"), value.truncate(room, ellipsis=True, pad=True)
    )


def _files(status: StatusResult) -> Content:
    files = status.files
    parts: list[str | tuple[str, str]] = [f"{files.indexed:,} indexed"]
    if files.pending:
        parts.append((f" · {files.pending:,} to outline", "$text-warning"))
    if files.errors:
        parts.append((f" · {counted(files.errors, 'error')}", "$text-error"))
    return Content.assemble(*parts)


def _languages(languages: Mapping[str, int]) -> str:
    most = sorted(languages.items(), key=lambda item: (-item[1], item[0]))
    return " · ".join(f"{one_line(name, 20)} {count:,}" for name, count in most[:8]) or "none known"


def _reasons(reasons: Mapping[str, int]) -> str:
    most = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    return " · ".join(f"{count:,} {word_of(reason)}" for reason, count in most)


def _by_type(types: Mapping[str, int]) -> str:
    most = sorted(types.items(), key=lambda item: (-item[1], item[0]))
    return " · ".join(f"{count:,} {name}" for name, count in most) or "none yet"


def _watch(status: StatusResult) -> Content:
    watch = status.watch
    if watch.mode == "off":
        return Content.styled(
            f"○ off: {one_line(watch.reason, 80)}" if watch.reason else "○ off", "$text-warning"
        )
    lag = "" if watch.lag_ms is None else f", {told_ms(watch.lag_ms)} behind"
    reason = f" ({one_line(watch.reason, 80)})" if watch.reason else ""
    style = "$text-success" if watch.mode == "native" else "$text-warning"
    return Content.assemble(("● ", style), f"{watch.mode}{lag}{reason}")


def _last_change(status: StatusResult, now: datetime) -> str:
    moment = status.watch.last_change
    return "none since it began" if moment is None else long_age(moment, now)


def _model(status: StatusResult) -> Content:
    model = status.model
    if model.id is None:
        return Content.styled(f"▲ {one_line(model.source, 80)}: words alone", "$text-warning")
    pending = f" · {counted(model.vectors_pending, 'vector')} to come" if model.vectors_pending else ""
    return Content(f"{one_line(model.id, 60)}, {one_line(model.source, 20)}{pending}")


def _llm(status: StatusResult) -> Content:
    llm = status.llm
    if llm.provider is None:
        if llm.reachable is False:
            return Content.styled("▲ its settings don't suffice", "$text-warning")
        return Content.styled("none: rules and quotes do without", "$text-muted")
    name = one_line(f"{llm.provider} {llm.model or ''}".strip(), 60)
    if llm.reachable is False:
        return Content.styled(f"▲ {name}: no answer", "$text-warning")
    return Content(name)


def _keeper(keeper: KeeperStatus) -> str:
    where = "in this process" if keeper.in_process else f"pid {keeper.pid}"
    return f"{where} · up {_duration(keeper.uptime_s)}"


def _duration(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 1:
        return f"{int(seconds)} s"
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    return f"{hours} h {minutes % 60} min" if hours < 48 else f"{hours // 24} days"


def _calls(activity: ActivityResult | None) -> str:
    if activity is None:
        return "…"
    calls = activity.calls
    if calls.p50_ms is None or calls.p95_ms is None:
        return "none in the last minute"
    return f"{calls.last_minute:,} a minute · p95 {told_ms(calls.p95_ms)}"


def _throughput(activity: ActivityResult | None) -> str:
    if activity is None:
        return "…"
    read = activity.indexing
    parts = [f"{told_bytes(int(read.bytes / read.seconds))}/s"] if read.seconds else []
    if activity.embedded:
        parts.append(counted(activity.embedded, "vector"))
    return " · ".join(parts) or "nothing to read yet"


# --- rows ---------------------------------------------------------------------------------------------


def change_row(change: WorkspaceChange, width: int, zone: tzinfo) -> Content:
    """One batch of changes: when, how many, which, and how long after the disk."""
    counts: list[str] = []
    if change.changed:
        counts.append(f"{change.changed:,} changed")
    if change.removed:
        counts.append(f"{change.removed:,} removed")
    if change.commits:
        counts.append(counted(change.commits, "commit"))
    told = one_line(", ".join(counts), _COUNTS).ljust(_COUNTS)
    took = ("" if change.lag_ms is None else told_ms(change.lag_ms)).rjust(7)
    room = max(width - 8 - 2 - len(told) - 1 - len(took) - 2, 8)
    more = change.changed + change.removed - len(change.paths)
    paths = ", ".join(one_line(path, 200) for path in change.paths) + (
        f" and {more:,} more" if more > 0 else ""
    )
    return Content.assemble(
        (f"{change.at.astimezone(zone):%H:%M:%S}  ", "$text-muted"),
        (f"{told} ", "$text-secondary"),
        Content(paths).truncate(room, ellipsis=True, pad=True),
        (f" {took} ", "$text-muted"),
    )


def client_row(client: ConnectedClient, width: int, now: datetime, conditions: Conditions) -> Content:
    """Who is connected, as what, from where, since when."""
    kind = {"cli": "person", "tui": "person", "lsp": "editor"}.get(client.client, client.kind)
    watched = "● watched" if client.watching else ""
    name = one_line(client.client, 20).ljust(20)
    where = inert(conditions.shown_path(client.cwd)) if client.cwd else "–"
    tail = f"{watched.rjust(9)}  {short_age(client.since, now).rjust(4)} "
    room = max(width - 21 - 8 - len(tail) - 1, 8)
    return Content.assemble(
        (f"{name} ", "bold"),
        (kind.ljust(8), "$text-secondary"),
        Content(one_line(where, 400)).truncate(room, ellipsis=True, pad=True),
        (f" {tail}", "$text-muted"),
    )


def excluded_row(file: ExcludedFile, width: int) -> Content:
    """A file that is left out, and why."""
    reason = one_line(word_of(file.reason), 14).ljust(14)
    detail = one_line(file.detail, 30)
    room = max(width - 16 - (len(detail) + 1 if detail else 0) - 1, 8)
    return Content.assemble(
        (f"{reason}  ", "$text-warning"),
        Content(one_line(file.path, 400)).truncate(room, ellipsis=True, pad=True),
        (f" {detail}" if detail else "", "$text-muted"),
    )


def claim_rows(claim: DeadClaim, width: int) -> list[Content]:
    """What a note names that is not there: the name and why, then where it stands and what was meant."""
    text = one_line(claim.text, 60)
    where = f"memory #{claim.memory}" if claim.source_path is None else claim.source_path
    meant = f"  → {one_line(claim.suggestion, 80)}" if claim.suggestion else ""
    return [
        Content.assemble(
            ("✗ ", "$text-error"), (text, "bold"), (f"  {one_line(claim.reason, 200)}", "$text-muted")
        ).truncate(width - 1, ellipsis=True),
        Content.assemble(
            (f"  {one_line(where, 60)}:{claim.line}", "$text-secondary"), (meant, "$text-success")
        ).truncate(width - 1, ellipsis=True),
    ]
