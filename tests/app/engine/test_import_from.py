"""Other programs' memories in the store: updated, never doubled, and out when they are gone from there."""

from __future__ import annotations

import json

import pytest

from afresh.errors import InvalidArgumentError


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "store" / "memory.json"
    path.parent.mkdir()
    return path


def write(store, *observations, name="Ann"):
    entity = {"type": "entity", "name": name, "entityType": "person", "observations": list(observations)}
    store.write_text(json.dumps(entity) + "\n", encoding="utf-8")


def take_in(desk, store, **arguments):
    result = desk.ask("import_from", source="mcp-memory", path=str(store), **arguments)
    return result.created, result.updated, result.unchanged, result.removed


def recalled(desk, query):
    return [memory.content for memory in desk.ask("recall", query=query).result.memories]


def test_importing_twice_doubles_nothing_and_changes_are_updates(desk, store):
    write(store, "Prefers to meet in the morning", "Speaks Danish at home")
    assert take_in(desk, store) == (2, 0, 0, 0)
    assert take_in(desk, store) == (0, 0, 2, 0)
    (memory,) = desk.ask("recall", query="when does Ann prefer to meet", limit=1).result.memories
    assert (memory.source.kind, memory.source.external_id) == ("import", "mcp-memory:Ann#1")
    write(store, "Prefers to meet in the evening", "Speaks Danish at home")
    assert take_in(desk, store) == (0, 1, 1, 0)
    assert "Ann (person): Prefers to meet in the evening" in recalled(desk, "when does Ann prefer to meet")
    got = desk.ask("memory_get", ids=[memory.id], history=True).memories[0]
    assert [version.content for version in got.history] == ["Ann (person): Prefers to meet in the morning"]


def test_what_is_gone_from_there_is_out_and_comes_back_with_it(desk, store):
    write(store, "Prefers to meet in the morning", "Speaks Danish at home")
    take_in(desk, store)
    write(store, "Prefers to meet in the morning")
    assert take_in(desk, store) == (0, 0, 1, 1)
    assert not [text for text in recalled(desk, "speaks Danish at home") if "Danish" in text]
    write(store, "Prefers to meet in the morning", "Speaks Danish at home")
    assert take_in(desk, store) == (0, 0, 2, 0)
    assert "Ann (person): Speaks Danish at home" in recalled(desk, "speaks Danish at home")


def test_what_a_person_deleted_here_stays_deleted_and_other_entities_are_left_alone(desk, store):
    write(store, "Prefers to meet in the morning")
    take_in(desk, store)
    (memory,) = desk.ask("recall", query="when does Ann prefer to meet").result.memories
    desk.ask("memory_delete", id=memory.id)
    write(store, "Speaks Finnish at home", name="Bob")
    assert take_in(desk, store) == (1, 0, 0, 0)
    write(store, "Prefers to meet in the morning")
    assert take_in(desk, store) == (0, 0, 1, 0)
    assert recalled(desk, "speaks Finnish at home") == ["Bob (person): Speaks Finnish at home"]
    assert [
        m.id for m in desk.ask("recall", query="prefer to meet").result.memories if m.id == memory.id
    ] == []


def test_a_bad_entry_is_told_with_its_place_and_strict_takes_in_nothing(desk, store):
    write(store, "x" * 100_001, "Speaks Danish at home")
    result = desk.ask("import_from", source="mcp-memory", path=str(store))
    assert result.created == 1
    assert [text.partition(":")[0] for text in result.bad] == ["memory.json"]
    store.write_text("{", encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match="nothing was imported: line 1"):
        take_in(desk, store, strict=True)


def test_secrets_are_redacted_and_the_project_can_be_named(desk, store):
    key = "ghp_" + "Zx81Qm4T7vKc02LbWn9RsYd3Pf6HjUa5Eg1t"
    write(store, f"Deploys with the key {key}")
    result = desk.ask("import_from", source="mcp-memory", path=str(store), project="people")
    assert (result.project, sum(item.count for item in result.redacted)) == ("people", 1)
    found = desk.ask("recall", query="deploys with the key", project="people").result.memories
    assert found and key not in found[0].content


def test_a_markdown_store_of_each_kind_comes_in(desk, tmp_path):
    for source, text in (
        ("claude", "# Lessons\n\n- Never restart the broker during a sale.\n"),
        ("basic-memory", "# Broker\n\n- [lesson] The broker needs forty seconds to drain. #ops\n"),
    ):
        folder = tmp_path / source
        folder.mkdir()
        (folder / "notes.md").write_text(text, encoding="utf-8")
        result = desk.ask("import_from", source=source, path=str(folder))
        assert (result.created, result.bad) == (1, [])
        again = desk.ask("import_from", source=source, path=str(folder))
        assert (again.created, again.unchanged) == (0, 1)
    assert any("forty seconds" in text for text in recalled(desk, "how long does the broker drain"))


def test_a_relative_path_is_refused_by_name(desk):
    with pytest.raises(InvalidArgumentError, match=r"path: must be absolute; got 'memory\.json'"):
        take_in(desk, "memory.json")
