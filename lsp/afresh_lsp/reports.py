"""Results of commands as pages of Markdown. Pure; what was recalled is shown as it was written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from afresh_lsp import texts


def recalled(result: Mapping[str, Any]) -> str:
    """What a recall found."""
    lines = [f"# Recall: {texts.escaped(result['query'], 200)}", ""]
    if result["nothing_relevant"]:
        lines += ["Nothing relevant. What came closest:", ""]
    shown = result["nearest"] if result["nothing_relevant"] else result["memories"]
    for one in shown:
        lines += _memory(one)
    return "\n".join(lines)


def iterated(result: Mapping[str, Any]) -> str:
    """How a recall in several steps went, and its evidence."""
    lines = [
        f"# Recall in several steps: {texts.escaped(result['query'], 200)}",
        "",
        f"Ended with {result['terminated_reason']} after {result['iterations_used']} searches.",
        "",
        *(f"{number}. {texts.escaped(query, 300)}" for number, query in enumerate(result["sub_queries"], 1)),
        "",
        "## Evidence",
        "",
    ]
    for one in result["evidence"]:
        lines += _memory(one)
    return "\n".join(lines)


def stale(result: Mapping[str, Any]) -> str:
    """What no longer rests on the code it was learned from."""
    items = result["items"]
    lines = [
        f"# Stale in {texts.escaped(result['project'], 200)}",
        "",
        f"{len(items)} of {result['judged']} no longer stand on the code they were learned from.",
        "",
    ]
    for item in items:
        lines += [
            f"## {texts.escaped(item['title'], 200)}",
            "",
            f"*{item['kind']} {item['id']} · {texts.impact_said(item['impact'])}*",
            "",
            texts.escaped(item["text"]),
            "",
            *_places(item["details"]),
            "",
        ]
    return "\n".join(lines)


def diff(result: Mapping[str, Any]) -> str:
    """A unified diff of every cited file that changed."""
    parts: list[str] = []
    for file in result["files"]:
        if file["unified"]:
            parts.append(file["unified"])
        else:
            parts.append(f"# {file['path']}: {file['note'] or texts.impact_said(file['change'])}\n")
    if not parts:
        return "# nothing differs from what was recorded\n"
    return "".join(parts)


def answered(question: str, result: Mapping[str, Any]) -> str:
    """An answer, what limits it, and the records that it rests on."""
    lines = [f"# {texts.escaped(question, 200)}", "", texts.escaped(result["answer"], 20_000), ""]
    lines += [f"*{texts.escaped(note, 1_000)}*\n" for note in (result["caveat"], result["note"]) if note]
    if result["evidence"]:
        lines += ["## Evidence", ""]
    for one in result["evidence"]:
        lines += _memory(one)
    return "\n".join(lines)


def _memory(one: Mapping[str, Any]) -> list[str]:
    source = one["source"]
    where = f" · {source['path']}:{source['line'] or 1}" if source["path"] else ""
    fresh = one.get("freshness")
    stands = f" · {fresh['status']}" if fresh else ""
    return [
        f"*{one['type']} {one['id']}{stands}{where} · {one['created_at'][:10]}*",
        "",
        texts.escaped(one["content"], 2_000),
        "",
        "---",
        "",
    ]


def _places(details: Iterable[Mapping[str, Any]]) -> Iterable[str]:
    for file in details:
        line = next((span["now_start_line"] for span in file["spans"] if span["now_start_line"]), 1)
        moved = f", to {file['moved_to']['path']}" if file["moved_to"] else ""
        yield f"- {file['path']}:{line}: {texts.impact_said(file['change'])}{moved}"
