"""JSON with comments is edited in place: what was asked changes, and no other byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.faces.install import jsonc

KEYS = ("mcpServers", "afresh")
ENTRY = {"command": "afresh", "args": ["mcp"]}

FILES = {
    "plain": '{\n  "mcpServers": {\n    "a": {"command": "x"}\n  }\n}\n',
    "trailing commas": '{\n  "mcpServers": {\n    "a": {"command": "x",},\n  },\n}\n',
    "remarks": (
        '// top\n{\n  // servers\n  "mcpServers": {\n    "a": {"command": "x"} // why\n  /* end */\n  }\n}\n'
    ),
    "remark after the comma": '{"mcpServers": {\n  "a": {}, // why\n  // last\n}}\n',
    "one line": '{"theme": "dark", "mcpServers": {"a": {"command": "x"}}}',
    "one line, trailing comma": '{"mcpServers": {"a": {"command": "x"},}}',
    "tabs": '{\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "x"\n\t\t}\n\t}\n}\n',
    "carriage returns": '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "mcpServers": {\n    "a": {}\n  }\n}\n',
    "strings like comments": (
        '{\n  "u": "https://x/*y*/",\n  "mcpServers": {\n    "a": {"c": "// no"}\n  }\n}\n'
    ),
    "other scripts": '{\n  "名": "日本 🙂", // ключ\n  "mcpServers": {\n    "é": {"c": "🙂"} // 🙂\n  }\n}\n',
    "only a remark": '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
    "doubled key": '{\n  "mcpServers": {},\n  "mcpServers": {\n    "a": 1\n  }\n}\n',
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_an_entry_that_was_put_in_and_taken_out_leaves_every_byte(text: str) -> None:
    edited = jsonc.put(text, KEYS, ENTRY)
    assert jsonc.parse(edited.text)["mcpServers"]["afresh"] == ENTRY
    assert edited.created == [KEYS]
    assert jsonc.put(edited.text, KEYS, ENTRY).text == edited.text
    assert jsonc.remove(edited.text, KEYS) == text


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_every_line_that_was_there_stays(text: str) -> None:
    edited = jsonc.put(text, KEYS, ENTRY).text
    if "\n" in text.strip():
        stripped = {line.rstrip().rstrip(",") for line in edited.splitlines()}
        assert all(
            line.rstrip().rstrip(",") in stripped or "," in line or "// why" in line or "🙂" in line
            for line in text.splitlines()
        )
    assert "https://x/*y*/" in edited or "https" not in text


def test_the_entry_takes_the_shape_of_the_file() -> None:
    assert jsonc.put(FILES["tabs"], KEYS, ENTRY).text == (
        '{\n\t"mcpServers": {\n\t\t"a": {\n\t\t\t"command": "x"\n\t\t},\n\t\t"afresh": {\n'
        '\t\t\t"command": "afresh",\n\t\t\t"args": ["mcp"]\n\t\t}\n\t}\n}\n'
    )
    assert "\r\n" in (edited := jsonc.put(FILES["carriage returns"], KEYS, ENTRY).text)
    assert "\n" not in edited.replace("\r\n", "")
    assert "\n" not in jsonc.put(FILES["one line"], KEYS, ENTRY).text


def test_a_remark_stays_with_its_line() -> None:
    edited = jsonc.put(FILES["remarks"], KEYS, ENTRY).text
    assert '"a": {"command": "x"}, // why\n' in edited


@pytest.mark.parametrize("text", ["", "\n", "// nothing yet\n", "/* nothing */"])
def test_a_file_without_a_value_gets_one(text: str) -> None:
    edited = jsonc.put(text, KEYS, ENTRY)
    assert jsonc.parse(edited.text) == {"mcpServers": {"afresh": ENTRY}}
    assert edited.text.startswith(text)
    assert edited.created == [(), ("mcpServers",), KEYS]


def test_an_entry_that_is_there_is_replaced_where_it_is() -> None:
    text = '{\n  "mcpServers": {\n    "afresh": {"command": "old"}, // mine\n    "b": {}\n  }\n}\n'
    edited = jsonc.put(text, KEYS, ENTRY)
    assert edited.created == []
    assert list(jsonc.parse(edited.text)["mcpServers"]) == ["afresh", "b"]
    assert "// mine" in edited.text


def test_what_follows_a_removed_entry_does_not_become_part_of_a_remark() -> None:
    text = '{"a": 1, // one\n "afresh": 2, "b": 3}'
    assert jsonc.parse(jsonc.remove(text, ("afresh",))) == {"a": 1, "b": 3}


def test_items_go_to_the_end_of_a_list_and_only_ours_go_away() -> None:
    text = '{\n  "hooks": {\n    "Stop": [\n      {"command": "mine"}, // keep\n    ]\n  }\n}\n'
    edited = jsonc.append(text, ("hooks", "Stop"), {"command": "afresh hook edited"})
    assert [item["command"] for item in jsonc.parse(edited.text)["hooks"]["Stop"]] == [
        "mine",
        "afresh hook edited",
    ]
    assert (
        jsonc.remove_items(edited.text, ("hooks", "Stop"), lambda item: "afresh" in item["command"]) == text
    )


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"a": 1,,}', "line 1, column 9"),
        ("{\n  a: 1\n}", "line 2, column 3"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": 0x1}', "line 1, column 7"),
        ('{"a": [1,,2]}', "line 1, column 10"),
        ('{"a": 1} {"b": 2}', "line 1"),
        ('{"a": 1', "line 1"),
        ('{"a": "x\n"}', "line 1"),
        ('{"a": "\\x41"}', "line 1, column 7"),
        ('{"a": `x`}', "line 1, column 7"),
        ('{"a": f()}', "line 1, column 7"),
        ('{"a" "b"}', "line 1"),
        ("{}) + ({}", "line 1"),
        ("/* open", "line 1"),
        ("nonsense", "line 1, column 1"),
    ],
)
def test_what_is_not_json_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(jsonc.JsonError, match=where):
        jsonc.put(text, KEYS, ENTRY)


def test_depth_without_end_is_refused() -> None:
    deep = "[" * 20_000 + "]" * 20_000
    for edit in (jsonc.parse, lambda text: jsonc.put(text, KEYS, ENTRY)):
        with pytest.raises(jsonc.JsonError, match="nested too deeply"):
            edit(f'{{"a": {deep}}}')


def test_a_large_file_with_other_scripts_is_edited_at_the_right_place() -> None:
    servers = ",".join(f'"日{at}": {{"c": "🙂 {at}", "n": [1, 2]}}' for at in range(1_000))
    text = f'{{"mcpServers": {{{servers}}}}} // 🙂\n'
    edited = jsonc.put(text, KEYS, ENTRY)
    assert edited.text.startswith(text[:-12])
    assert jsonc.remove(edited.text, KEYS) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "an array where an object"),
        ("5", "the value 5"),
        ('{"mcpServers": 5}', "the value 5 where an obj"),
    ],
)
def test_a_way_through_something_else_is_refused(text: str, told: str) -> None:
    with pytest.raises(jsonc.JsonError, match=told):
        jsonc.put(text, KEYS, ENTRY)


_REMARKS = st.sampled_from(["", "", " ", "\n", "\n  ", " // a\n", "/* b */", "\n// {c}\n", "\t/* ,\n*/ "])
_LEAVES = st.one_of(
    st.integers(-5, 5), st.booleans(), st.none(), st.sampled_from(["", "x", "// y", "/*", '"', "é🙂"])
)
_NAMES = st.sampled_from(["a", "b", "//c", "mcpServers", "日"])
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=12,
)


@st.composite
def _written(draw: st.DrawFn, value: object) -> str:
    """A value as somebody might have written it: with remarks, trailing commas and odd white space."""
    gap = lambda: draw(_REMARKS)  # noqa: E731
    if isinstance(value, dict | list):
        pairs = isinstance(value, dict)
        parts = [
            gap()
            + (f"{json.dumps(item)}{gap()}:{gap()}" if pairs else "")
            + draw(_written(value[item] if pairs else item))  # type: ignore[call-overload]
            + gap()
            for item in value
        ]
        trailing = "," + gap() if parts and draw(st.booleans()) else ""
        return ("{" if pairs else "[") + (",".join(parts) or gap()) + trailing + ("}" if pairs else "]")
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@given(data=st.data(), root=st.dictionaries(_NAMES, _VALUES, max_size=4))
@settings(max_examples=80, deadline=None)
def test_any_file_keeps_its_meaning_and_its_remarks(data: st.DataObject, root: dict[str, object]) -> None:
    if not isinstance(root.get("mcpServers", {}), dict):
        root.pop("mcpServers")
    text = data.draw(_REMARKS) + data.draw(_written(root)) + data.draw(_REMARKS)
    assert jsonc.parse(text) == root
    edited = jsonc.put(text, KEYS, ENTRY)
    expected = {**root, "mcpServers": {**root.get("mcpServers", {}), "afresh": ENTRY}}  # type: ignore[dict-item]
    assert jsonc.parse(edited.text) == expected
    for remark in ("// a\n", "/* b */", "// {c}\n"):
        assert edited.text.count(remark) == text.count(remark)
    without = jsonc.remove(edited.text, KEYS)
    for keys in sorted(edited.created, key=len, reverse=True):
        without = jsonc.remove(without, keys) if keys else without
    assert jsonc.parse(without) == root
    for remark in ("// a\n", "/* b */", "// {c}\n"):
        assert without.count(remark) == text.count(remark)
