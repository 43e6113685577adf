"""JSON Schemas of the tools, made from the contracts and cut down to what a model needs to read.

Every agent pays for these texts in each session, so pydantic's generated titles, null branches of
optional arguments and definitions used once are taken out, and so is what a caller learns from a refusal
if it ever needs it: that texts aren't empty, and how long short ones may be. Of a result every key is
always there, and its schema says so of the outermost alone; what lies deep within is told by its kind. What
is left means the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from afresh.contracts import Arguments, Result

_REFERENCE = "#/$defs/"
_LONG = 2000
"""Characters that a text may well have; a lower bound is met by no sensible call."""
_DEEPEST = 3
"""Objects within objects whose keys a schema names; of those further in it says that they are there."""
_NAMED = ("properties", "$defs")
"""Keywords whose keys are names of the schema's author, not keywords."""


def input_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """The schema of a tool's arguments; an optional one is simply not required."""
    schema = _compact(arguments.model_json_schema(mode="validation"))
    for sub in _objects(schema):
        _drop_null(sub)
        _drop_obvious_bounds(sub)
    return schema


def output_schema(result: type[Result]) -> dict[str, Any]:
    """The schema of a tool's result; what can be null says so."""
    schema = _compact(result.model_json_schema(mode="serialization"))
    _prune(schema, _DEEPEST)
    for definition in schema.get("$defs", {}).values():
        _prune(definition, _DEEPEST - 1)
    for sub in _objects(schema):
        for keyword in ("default", "description", "format"):
            sub.pop(keyword, None)
        if sub is not schema:
            sub.pop("required", None)
        _merge_null(sub)
    return schema


def without_nulls(arguments: type[Arguments], sent: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without known ones that were sent as null: a null is an argument not given."""
    return {
        name: value for name, value in sent.items() if value is not None or name not in arguments.model_fields
    }


def _compact(schema: dict[str, Any]) -> dict[str, Any]:
    schema.pop("description", None)
    for sub in _objects(schema):
        sub.pop("title", None)
    return _inlined(schema)


def _objects(node: Any) -> list[dict[str, Any]]:
    """Every schema within this one, itself first; values under names are entered, names are not."""
    found: list[dict[str, Any]] = []
    if isinstance(node, dict):
        found.append(node)
        for keyword, value in node.items():
            if keyword in _NAMED:
                for sub in value.values():
                    found.extend(_objects(sub))
            elif keyword not in ("default", "enum", "const", "examples"):
                found.extend(_objects(value))
    elif isinstance(node, list):
        for item in node:
            found.extend(_objects(item))
    return found


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Put each definition that is referred to once where it is referred to."""
    while True:
        definitions: dict[str, Any] = schema.get("$defs", {})
        uses: dict[str, list[dict[str, Any]]] = {name: [] for name in definitions}
        for sub in _objects(schema):
            if str(sub.get("$ref", "")).startswith(_REFERENCE):
                uses[sub["$ref"].removeprefix(_REFERENCE)].append(sub)
        ready = next(
            (
                name
                for name, places in uses.items()
                if len(places) <= 1 and not any(place in _objects(definitions[name]) for place in places)
            ),
            None,
        )
        if ready is None:
            return schema
        definition = definitions.pop(ready)
        for place in uses[ready]:
            own = {keyword: value for keyword, value in place.items() if keyword != "$ref"}
            place.clear()
            place.update({**definition, **own})
        if not definitions:
            schema.pop("$defs", None)


def _prune(node: dict[str, Any], levels: int) -> None:
    """Leave of objects deeper than that many levels only that they are objects."""
    for branch in node.get("anyOf", ()):
        _prune(branch, levels)
    if "items" in node:
        _prune(node["items"], levels)
    if "properties" not in node:
        return
    if levels == 0:
        node.clear()
        node["type"] = "object"
        return
    for sub in node["properties"].values():
        _prune(sub, levels - 1)


def _drop_obvious_bounds(sub: dict[str, Any]) -> None:
    if sub.get("type") != "string":
        return
    for keyword in ("minLength", "pattern"):
        sub.pop(keyword, None)
    if sub.get("maxLength", _LONG) < _LONG:
        del sub["maxLength"]


def _is_null(branch: Any) -> bool:
    return isinstance(branch, dict) and branch.get("type") == "null"


def _drop_null(sub: dict[str, Any]) -> None:
    branches = sub.get("anyOf")
    if not branches or not any(map(_is_null, branches)):
        return
    rest = [branch for branch in branches if not _is_null(branch)]
    if sub.get("default", ...) is None:
        del sub["default"]
    if len(rest) == 1:
        del sub["anyOf"]
        sub.update({**rest[0], **sub})
    else:
        sub["anyOf"] = rest


def _merge_null(sub: dict[str, Any]) -> None:
    """`anyOf: [{type: x}, {type: null}]` as `type: [x, null]`, which says the same in fewer words."""
    branches = sub.get("anyOf")
    if not branches or len(branches) != 2 or not _is_null(branches[1]):
        return
    first = branches[0]
    if not isinstance(first.get("type"), str):
        return
    del sub["anyOf"]
    sub.update({**first, **sub, "type": [first["type"], "null"]})
    if "enum" in sub:
        sub["enum"] = [*sub["enum"], None]
