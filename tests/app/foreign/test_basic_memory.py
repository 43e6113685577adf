"""A project of basic-memory, as memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from afresh.foreign.basic_memory import read_basic_memory

NOTE = """\
---
title: Coffee Brewing
type: note
permalink: drinks/coffee-brewing
tags: [coffee, "#brewing"]
created: 2024-03-05T10:00:00+01:00
---

# Coffee Brewing

Water matters most.

## Observations

- [method] Pour over gives clarity #pour-over #taste (from the tasting)
- [decision] We grind by hand
  because it is quiet
- [ ] buy a scale
- a plain item

```
- [code] no observation
```

## Relations

- pairs_well_with [[Chocolate Cake]] (after lunch)
- [[Water]]
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    root = tmp_path / "main"
    (root / "drinks").mkdir(parents=True)
    (root / "drinks" / "Coffee Brewing.md").write_text(NOTE, encoding="utf-8")
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "x.md").write_text("- [a] hidden\n", encoding="utf-8")
    return root


def test_observations_relations_and_prose_are_memories_with_lasting_ids(store: Path) -> None:
    rows = {
        row["external_id"].removeprefix("basic-memory:main/drinks/coffee-brewing#"): row
        for row in read_basic_memory(store).rows
    }
    assert {id_: row["content"] for id_, row in rows.items()} == {
        "observation-1": "Coffee Brewing: Pour over gives clarity (from the tasting)",
        "observation-2": "Coffee Brewing: We grind by hand\nbecause it is quiet",
        "relation-1": "Coffee Brewing pairs well with Chocolate Cake (after lunch)",
        "relation-2": "Coffee Brewing links to Water",
        "Coffee Brewing": "Coffee Brewing\n\nWater matters most.",
        "Coffee Brewing > Observations": (
            "Coffee Brewing > Observations\n\n- [ ] buy a scale\n- a plain item\n\n"
            "```\n- [code] no observation\n```"
        ),
    }  # fmt: skip
    first = rows["observation-1"]
    assert first["tags"] == ["method", "pour-over", "taste", "coffee", "brewing"]
    assert (first["path"], first["source"]["line"]) == ("drinks/coffee-brewing", 15)
    assert first["created_at"] == "2024-03-05T10:00:00+01:00"
    assert rows["observation-2"]["type"] == "decision"
    assert rows["relation-1"]["tags"][:2] == ["relation", "pairs_well_with"]


def test_a_note_without_a_header_is_known_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "Plain.md").write_text("- [fact] Tea is green.\n", encoding="utf-8")
    (row,) = read_basic_memory(tmp_path).rows
    assert row["external_id"] == f"basic-memory:{tmp_path.name}/Plain#observation-1"
    assert row["content"] == "Plain: Tea is green."


def test_a_list_item_that_begins_with_a_link_is_no_observation(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\n- [site](http://x) is where it is\n", encoding="utf-8")
    (row,) = read_basic_memory(tmp_path).rows
    assert row["content"] == "A\n\n- [site](http://x) is where it is"
