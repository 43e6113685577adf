"""The memory file of the MCP memory server, as memories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from afresh.errors import InvalidArgumentError
from afresh.foreign.mcp_memory import read_mcp_memory

ENTITY = {
    "type": "entity",
    "name": "Ann",
    "entityType": "person",
    "observations": ["Prefers mornings", "Speaks Danish"],
}
BARE = {"type": "entity", "name": "Shop", "entityType": "", "observations": []}
RELATION = {"type": "relation", "from": "Ann", "to": "Shop", "relationType": "works_at"}
EXPECTED = {
    "mcp-memory:Ann#1": "Ann (person): Prefers mornings",
    "mcp-memory:Ann#2": "Ann (person): Speaks Danish",
    "mcp-memory:Shop#0": "Shop",
    "mcp-memory:relation:Ann|works_at|Shop": "Ann works at Shop",
}


def contents(path: Path) -> dict[str, str]:
    return {row["external_id"]: row["content"] for row in read_mcp_memory(path).rows}


def test_observations_and_relations_are_memories(tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    path.write_text("\n".join(map(json.dumps, (ENTITY, BARE, RELATION))), encoding="utf-8")
    assert contents(path) == EXPECTED
    assert contents(tmp_path) == EXPECTED
    rows = read_mcp_memory(path).rows
    assert (rows[0]["path"], rows[0]["tags"], rows[3]["tags"]) == (
        "Ann",
        ["person"],
        ["relation", "works_at"],
    )
    assert rows[3]["source"] == {"kind": "import", "path": "memory.json", "line": 3}


def test_a_graph_in_one_object_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({"entities": [ENTITY, BARE], "relations": [RELATION]}, indent=2), "utf-8")
    assert contents(path) == EXPECTED


def test_a_bad_line_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    lines = ["{", "[1]", '{"type": "entity"}', '{"type": "relation", "from": "a"}', json.dumps(RELATION)]
    path.write_text("\n".join(lines), encoding="utf-8")
    found = read_mcp_memory(path)
    assert len(found.rows) == 1
    assert [text.partition(":")[0] for text in found.bad] == ["line 1", "line 2", "line 3", "line 4"]


@pytest.mark.parametrize(("name", "data"), [("missing", None), ("empty", None), ("bytes", b"\xff\xfe")])
def test_a_path_without_a_memory_file_is_refused_by_name(
    tmp_path: Path, name: str, data: bytes | None
) -> None:
    if name == "empty":
        (tmp_path / name).mkdir()
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidArgumentError, match=name):
        read_mcp_memory(tmp_path / name)
