"""What goes stale as SARIF 2.1.0, which code hosts show beside the changed lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RULES: Mapping[str, tuple[str, str]] = {
    "gone": ("error", "Code that knowledge rests on is gone."),
    "edited": ("error", "Code that knowledge rests on was edited."),
    "moved": ("warning", "Code that knowledge rests on moved, unchanged but for its form."),
    "docs_only": ("note", "Only the docstring of code that knowledge rests on differs."),
    "cosmetic": ("note", "Code that knowledge rests on has another form and the same tokens."),
    "elsewhere": ("note", "A file that knowledge rests on changed in other places than the cited ones."),
    "eol_only": ("note", "A file that knowledge rests on has other line ends."),
}
"""For each impact how grave it is, and what it means."""


def sarif(result: Mapping[str, Any], version: str) -> dict[str, Any]:
    """A log with one run: a rule for each impact, a result for each stale item and cited file."""
    rules = list(_RULES)
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "afresh",
                "version": version,
                "rules": [
                    {
                        "id": f"afresh/{impact}",
                        "name": "".join(part.title() for part in impact.split("_")),
                        "shortDescription": {"text": text},
                        "help": {
                            "text": "Look at `afresh memo show ID --diff`, then verify, record or retire it."
                        },
                        "defaultConfiguration": {"level": level},
                    }
                    for impact, (level, text) in _RULES.items()
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"uri": f"{Path(result['root']).as_uri()}/"}},
        "results": [entry for item in result["items"] for entry in _results(item, result["root"], rules)],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _results(item: Mapping[str, Any], root: str, rules: list[str]) -> Iterator[dict[str, Any]]:
    for detail in item["details"]:
        impact = detail["change"]
        path = detail["moved_to"]["path"] if detail["moved_to"] else detail["path"]
        shown = (Path(item["root"]) / path).as_posix()
        inside = Path(shown).is_relative_to(root)
        location: dict[str, Any] = {
            "uri": quote(Path(shown).relative_to(root).as_posix()) if inside else Path(shown).as_uri()
        }
        if inside:
            location["uriBaseId"] = "ROOT"
        physical: dict[str, Any] = {"artifactLocation": location}
        region = _region(detail)
        if region is not None:
            physical["region"] = region
        yield {
            "ruleId": f"afresh/{impact}",
            "ruleIndex": rules.index(impact),
            "level": _RULES[impact][0],
            "message": {"text": _message(item, detail)},
            "locations": [{"physicalLocation": physical}],
            "partialFingerprints": {"afresh/v1": f"{item['kind']}/{item['id']}/{detail['path']}/{impact}"},
        }


def _region(detail: Mapping[str, Any]) -> dict[str, int] | None:
    """Where the gravest cited part stands now; None where the file is gone."""
    for span in detail["spans"]:
        if span["now_start_line"] is not None and span["now"] != "unchanged" and span["moved_to"] is None:
            start, end = span["now_start_line"], span["now_end_line"]
            return {"startLine": max(1, start), "endLine": max(1, start, end)}
    return None


def _message(item: Mapping[str, Any], detail: Mapping[str, Any]) -> str:
    parts = [f"{item['kind']} {item['id']} rests on this: {' '.join(item['title'].split())}"]
    for span in detail["spans"]:
        if span["now"] in ("unchanged", "eol_only"):
            continue
        name = span["symbol"] or f"lines {span['start_line']} to {span['end_line']}"
        to = span["moved_to"]
        where = f" to {to['path']}:{to['start_line']} ({to['content']})" if to else ""
        parts.append(f"{name}: {span['now'].replace('_', ' ')}{where}")
    return "\n".join(parts)
