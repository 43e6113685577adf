"""Marked blocks and TOML tables: what isn't ours keeps its every byte."""

from __future__ import annotations

import tomllib

import pytest

from afresh.errors import AfreshError
from afresh.faces.install import blocks, toml_tables

KEYS = ("mcp_servers", "afresh")
ENTRY = {"command": "afresh", "args": ["mcp"], "env": {"AFRESH_HOME": "/data/a b"}}

TOMLS = {
    "empty": "",
    "settings": 'model = "o3" # the good one\n\n[profiles.x]\nmodel = "o4"\n',
    "other servers": '[mcp_servers.a]\ncommand = "x"\nargs = [\n  "1", # first\n  "2",\n]\n',
    "server between": '[mcp_servers.a]\ncommand = "x"\n\n[tui]\na = true\n\n[mcp_servers.b]\ncommand = "y"\n',
    "text like a header": 'notes = """\n[mcp_servers.afresh]\n# afresh: end\n"""\n',
    "carriage returns": 'model = "x"\r\n\r\n[tui]\r\na = 1\r\n',
    "dotted": 'mcp_servers.a.command = "x"\n',
}


@pytest.mark.parametrize("text", TOMLS.values(), ids=TOMLS)
def test_a_table_that_was_put_in_and_taken_out_leaves_every_byte(text: str) -> None:
    edited = toml_tables.put(text, KEYS, ENTRY)
    assert tomllib.loads(edited)["mcp_servers"]["afresh"] == ENTRY
    assert edited.startswith(text)
    assert toml_tables.put(edited, KEYS, ENTRY) == edited
    assert toml_tables.remove(edited, KEYS) == text


def test_a_changed_table_takes_its_old_place() -> None:
    edited = toml_tables.put("a = 1\n", KEYS, ENTRY) + "\n[later]\nb = 2\n"
    again = toml_tables.put(edited, KEYS, {"command": "/opt/afresh"})
    assert tomllib.loads(again) == {
        "a": 1,
        "mcp_servers": {"afresh": {"command": "/opt/afresh"}},
        "later": {"b": 2},
    }
    assert again.index("/opt/afresh") < again.index("[later]")
    assert toml_tables.remove(again, KEYS) == "a = 1\n\n[later]\nb = 2\n"


def test_a_table_of_somebody_else_is_edited_in_its_shape() -> None:
    text = (
        '[mcp_servers.afresh]\ncommand = "old" # mine\nstartup = 1\n\n'
        '# about b\n[mcp_servers.b]\ncommand = "y"\n'
    )
    edited = toml_tables.put(text, KEYS, {"command": "afresh", "args": ["mcp"]})
    assert tomllib.loads(edited)["mcp_servers"]["afresh"] == {"command": "afresh", "args": ["mcp"]}
    assert "# mine" in edited
    removed = toml_tables.remove(edited, KEYS)
    assert tomllib.loads(removed) == {"mcp_servers": {"b": {"command": "y"}}}
    assert "# about b\n[mcp_servers.b]" in removed


def test_an_inline_table_is_added_to() -> None:
    text = 'mcp_servers = { a = { command = "x" } } # all\n[tui]\nb = 1\n'
    edited = toml_tables.put(text, KEYS, {"command": "afresh", "args": ["mcp"]})
    assert tomllib.loads(edited)["mcp_servers"] == {
        "a": {"command": "x"},
        "afresh": {"command": "afresh", "args": ["mcp"]},
    }
    assert "# all\n[tui]" in edited
    assert tomllib.loads(toml_tables.remove(edited, KEYS)) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [("a = \n", "line 1"), ("mcp_servers = 5\n", "'mcp_servers' is not a table"), ("[a\n", "line 1")],
)
def test_what_is_not_toml_is_refused(text: str, told: str) -> None:
    with pytest.raises(toml_tables.TomlError, match=told):
        toml_tables.put(text, KEYS, ENTRY)


def test_an_edit_that_says_something_else_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toml_tables, "_table", lambda *_: "[other]\na = 1")
    with pytest.raises(AfreshError, match="more than it should"):
        toml_tables.put("", KEYS, ENTRY)


@pytest.mark.parametrize("marks", [blocks.LUA, blocks.LISP, blocks.MARKDOWN, blocks.HASH])
@pytest.mark.parametrize("text", ["", "a\n", "a\n\n", "a\r\nb\r\n", "\n"])
def test_a_block_comes_and_goes(marks: blocks.Marks, text: str) -> None:
    edited = blocks.put(text, marks, "one\ntwo\n")
    assert blocks.has(edited, marks)
    assert blocks.put(edited, marks, "one\ntwo\n") == edited
    assert blocks.remove(edited, marks) == text
    later = blocks.put(edited + "after\n", marks, "three")
    assert "three" in later
    assert "two" not in later
    assert later.endswith("after\n")


def test_a_block_is_found_in_a_file_without_a_last_line_end() -> None:
    edited = blocks.put("a", blocks.LUA, "one")
    assert edited.startswith("a\n\n--")
    cut = edited.removesuffix("\n")
    assert blocks.put(cut, blocks.LUA, "one") == cut
    assert blocks.remove(cut, blocks.LUA) == "a\n"


def test_marks_inside_a_line_are_no_block() -> None:
    text = "see `<!-- afresh: begin` and `<!-- afresh: end -->`\n"
    assert not blocks.has(text, blocks.MARKDOWN)
    assert blocks.remove(text, blocks.MARKDOWN) == text
