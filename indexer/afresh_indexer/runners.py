"""Reads what a workspace can run by name: targets of make, recipes of just, scripts of npm.

A runner is left out where its file may make up names (includes, patterns, imports): then none is unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_TARGET = re.compile(r"^([A-Za-z0-9_][\w./ -]*?)[ \t]*::?(?!=)", re.MULTILINE)
_PHONY = re.compile(r"^\.PHONY[ \t]*:((?:[^\n\\]|\\\n|\\.)*)", re.MULTILINE)
_MAKES_UP = re.compile(
    r"^-?s?include\b|^[^\s#]*[%$][^\n:=]*:(?!=)|^[^\t\n#]*\$\((?:eval|call|foreach)\b|^\.DEFAULT[ \t]*:",
    re.MULTILINE,
)
_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[ \t]+[^:\n]*)?:(?!=)", re.MULTILINE)
_ALIAS = re.compile(r"^alias[ \t]+([\w-]+)[ \t]*:=", re.MULTILINE)
_JUST_IMPORTS = re.compile(r"^(?:import|mod)\b", re.MULTILINE)

_MAKEFILES = frozenset(("makefile", "gnumakefile"))
_JUSTFILES = frozenset(("justfile", ".justfile"))


def is_runner_file(path: str) -> bool:
    """Whether `runners` reads names out of the file at this path."""
    name = path.rpartition("/")[2].lower()
    return name in _MAKEFILES | _JUSTFILES or name.endswith(".mk") or name == "package.json"


def runners(files: Mapping[str, bytes]) -> dict[str, frozenset[str]]:
    """For each runner that some of `files` (by path) belong to, all names that it can run in any folder."""
    names: dict[str, set[str]] = {}
    open_ended: set[str] = set()
    for path, data in files.items():
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        name = path.rpartition("/")[2].lower()
        found: set[str] | None
        if name in _MAKEFILES or name.endswith(".mk"):
            runner, found = "make", _make_targets(text)
        elif name in _JUSTFILES:
            runner, found = "just", _just_recipes(text)
        elif name == "package.json":
            runner, found = "npm", _npm_scripts(text)
        else:
            continue
        if found is None:
            open_ended.add(runner)
        else:
            names.setdefault(runner, set()).update(found)
    return {runner: frozenset(known) for runner, known in names.items() if runner not in open_ended}


def _make_targets(text: str) -> set[str] | None:
    if _MAKES_UP.search(text):
        return None
    targets = {target for names in _TARGET.findall(text) for target in names.split()}
    return targets | {name for names in _PHONY.findall(text) for name in names.replace("\\\n", " ").split()}


def _just_recipes(text: str) -> set[str] | None:
    if _JUST_IMPORTS.search(text):
        return None
    return set(_RECIPE.findall(text)) | set(_ALIAS.findall(text))


def _npm_scripts(text: str) -> set[str] | None:
    try:
        scripts = json.loads(text).get("scripts", {})
    except (ValueError, AttributeError):
        return None
    return set(scripts) if isinstance(scripts, dict) else None
