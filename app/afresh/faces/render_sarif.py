"""What goes stale as SARIF 2.1.0, which code hosts show beside the changed lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "SRCROOT"
"""Stands for the top of the checkout, so that a log means the same on every machine."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """What one impact means, how grave it is, and what to do about it."""

    level: str
    short: str
    full: str
    advice: str


_LOOK = "Read `afresh memo show ID --diff` (`afresh get ID` for a memory). "
_LIGHT = "Nothing may need to be done; `afresh memo verify ID` takes the files as they are now."
_RULES: Mapping[str, _Rule] = {
    "gone": _Rule(
        "error",
        "Code that knowledge rests on is gone.",
        "A cited file, symbol, quote or run of lines is nowhere in the checkout any more.",
        f"{_LOOK}Retire what is false now (`afresh memo retire ID`), or record its question anew.",
    ),
    "edited": _Rule(
        "error",
        "Code that knowledge rests on was edited.",
        "The tokens of a cited part are not those that were recorded, in its place or where it moved.",
        f"{_LOOK}Then say that it still holds (`afresh memo verify ID`), record its question "
        "with another conclusion, or retire it (`afresh memo retire ID`).",
    ),
    "moved": _Rule(
        "warning",
        "Code that knowledge rests on moved.",
        "A cited part is in another file or under another name, with the same tokens.",
        f"{_LOOK}`afresh memo verify ID` cites the new place.",
    ),
    "docs_only": _Rule(
        "note",
        "Only documentation of code that knowledge rests on changed.",
        "A cited part differs in its docstring and in nothing else.",
        f"{_LOOK}{_LIGHT}",
    ),
    "cosmetic": _Rule(
        "note",
        "Code that knowledge rests on has another form.",
        "A cited part has the same tokens: comments, white space, quotes, commas or parentheses differ.",
        _LIGHT,
    ),
    "elsewhere": _Rule(
        "note",
        "A file that knowledge rests on changed in other places.",
        "The cited parts survive unchanged in a file that changed.",
        _LIGHT,
    ),
    "eol_only": _Rule(
        "note",
        "A file that knowledge rests on has other line ends.",
        "Nothing but line ends differs.",
        _LIGHT,
    ),
}
"""One for each impact, the gravest first."""
_IDS = list(_RULES)


def sarif(result: Mapping[str, Any], version: str) -> dict[str, Any]:
    """A log with one run: a rule for each impact, a result for each stale item and cited file."""
    root = Path(result["root"])
    run: dict[str, Any] = {
        "tool": {
            "driver": {"name": "afresh", "version": version, "rules": [_rule(impact) for impact in _IDS]}
        },
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": _not_judged(result)}],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": f"{root.as_uri()}/"}},
        "results": [_result(item, detail, root) for item in result["items"] for detail in item["details"]],
    }
    provenance = _provenance(result)
    if provenance:
        run["versionControlProvenance"] = [provenance]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(impact: str) -> dict[str, Any]:
    rule = _RULES[impact]
    return {
        "id": f"afresh/{impact}",
        "name": "".join(part.title() for part in impact.split("_")),
        "shortDescription": {"text": rule.short},
        "fullDescription": {"text": rule.full},
        "help": {"text": rule.advice.replace("`", ""), "markdown": rule.advice},
        "defaultConfiguration": {"level": rule.level},
    }


def _provenance(result: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where the code came from; None where it isn't known, for the format wants an address."""
    repository = result["repository"]
    if repository is None or repository["uri"] is None:
        return None
    known = {"revisionId": repository["commit"], "branch": repository["branch"]}
    return {
        "repositoryUri": repository["uri"],
        **{name: value for name, value in known.items() if value},
        "mappedTo": {"uriBaseId": _ROOT},
    }


def _not_judged(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "level": "warning",
            "message": {"text": f"{item['kind']} {item['id']} was not judged: {item['reason']}"},
        }
        for item in result["skipped"]
    ]


def _result(item: Mapping[str, Any], detail: Mapping[str, Any], root: Path) -> dict[str, Any]:
    impact = detail["change"]
    places = list(_places(item, detail, root))
    found: dict[str, Any] = {
        "ruleId": f"afresh/{impact}",
        "ruleIndex": _IDS.index(impact),
        "level": _RULES[impact].level,
        "message": {"text": _message(item, detail)},
        "locations": places[:1],
        "partialFingerprints": {"knowledge/v1": _fingerprint(item, detail)},
        "properties": {"kind": item["kind"], "id": item["id"], "impactAtBase": item["impact_at_base"]},
    }
    if places[1:]:
        found["relatedLocations"] = places[1:]
    commit = detail["commit"]
    if commit is not None:
        found["properties"]["commit"] = commit["id"]
    return found


def _fingerprint(item: Mapping[str, Any], detail: Mapping[str, Any]) -> str:
    """What stays the same from run to run and from store to store: what was learned, and from which file."""
    parts = item["kind"], " ".join(item["title"].split()), detail["path"]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _places(item: Mapping[str, Any], detail: Mapping[str, Any], root: Path) -> Iterator[dict[str, Any]]:
    """Where the cited parts that don't stand are now, the gravest first; else where the file is, or was."""
    top = Path(item["root"])
    unsettled = [span for span in detail["spans"] if span["now"] not in ("unchanged", "eol_only")]
    there = [span for span in unsettled if span["now_start_line"] is not None]
    for span in sorted(there, key=lambda span: _IDS.index(_gravity(span))):
        to = span["moved_to"]
        path = to["path"] if to else _path_now(detail)
        start, end = (
            (to["start_line"], to["end_line"]) if to else (span["now_start_line"], span["now_end_line"])
        )
        yield _place(top / path, root, (start, end), span["symbol"])
    if not there:
        # Code hosts want a line, also where none is left to point at.
        yield _place(top / _path_now(detail), root, (1, 1), None)


def _path_now(detail: Mapping[str, Any]) -> str:
    return str(detail["moved_to"]["path"] if detail["moved_to"] else detail["path"])


def _gravity(span: Mapping[str, Any]) -> str:
    changed = span["moved_to"] is not None and span["moved_to"]["content"] == "changed"
    return "edited" if changed else str(span["now"])


def _place(file: Path, root: Path, lines: tuple[int, int | None], symbol: str | None) -> dict[str, Any]:
    location = (
        {"uri": quote(file.relative_to(root).as_posix()), "uriBaseId": _ROOT}
        if file.is_relative_to(root)
        else {"uri": file.as_uri()}
    )
    start = max(1, lines[0])
    region = {"startLine": start, "endLine": max(start, lines[1] or start)}
    place: dict[str, Any] = {"physicalLocation": {"artifactLocation": location, "region": region}}
    if symbol:
        place["logicalLocations"] = [{"fullyQualifiedName": symbol}]
    return place


def _message(item: Mapping[str, Any], detail: Mapping[str, Any]) -> str:
    title = " ".join(item["title"].split())
    happened = f"{detail['path']}: {_said(detail['change'])}"
    parts = [f"{happened}. {item['kind'].capitalize()} {item['id']} rests on it: {title}"]
    for span in detail["spans"]:
        if span["now"] in ("unchanged", "eol_only"):
            continue
        name = span["symbol"] or f"lines {span['start_line']} to {span['end_line']}"
        to = span["moved_to"]
        where = f" to {to['path']}:{to['start_line']} ({to['content']})" if to else ""
        parts.append(f"{name}: {_said(span['now'])}{where}")
    commit = detail["commit"]
    if commit is not None:
        parts.append(f"{commit['id'][:10]} by {commit['author']}: {commit['subject']}")
    elif detail["uncommitted"]:
        parts.append("not committed")
    return "\n".join(parts)


def _said(impact: str) -> str:
    return {
        "docs_only": "changed in its documentation only",
        "cosmetic": "changed in its form only",
        "elsewhere": "changed elsewhere",
        "eol_only": "changed in its line ends only",
    }.get(impact, impact)
