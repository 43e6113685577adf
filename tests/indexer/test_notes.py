"""Notes from documents: which files, which sections, which lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from afresh_indexer.note_blocks import LIMIT
from afresh_indexer.notes import is_note_source, kind_of, notes_of
from afresh_indexer.records import Note


def notes(text: str, path: str = "README.md") -> list[tuple[tuple[str, ...], str]]:
    return [(note.headings, note.text) for note in checked(text, path)]


def checked(text: str, path: str = "README.md") -> tuple[Note, ...]:
    """The notes, after a look at whether their lines say what they claim."""
    found = notes_of(path, text.encode())
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for note in found:
        assert 1 <= note.start_line <= note.end_line <= len(lines)
        source = lines[note.start_line - 1 : note.end_line]
        assert source[0].strip()
        assert source[-1].strip()
        rest = iter(source)
        assert all(any(line in other for other in rest) for line in note.text.split("\n"))
        assert note.context in " ".join(text.split())
        if "<!--" not in text and "]:" not in text:
            assert note.text in "\n".join(source)
    assert [note.start_line for note in found] == sorted(note.start_line for note in found)
    return found


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("README.md", "documentation"),
        ("readme.rst", "documentation"),
        ("a/b/README", "documentation"),
        ("README.txt", "documentation"),
        ("README_zh.md", "documentation"),
        ("README.zh-CN.md", "documentation"),
        ("CLAUDE.md", "agent_file"),
        ("a/claude.md", "agent_file"),
        ("a/b/AGENTS.md", "agent_file"),
        ("CLAUDE.local.md", "agent_file"),
        ("GEMINI.md", "agent_file"),
        (".cursorrules", "agent_file"),
        ("a/.cursor/rules/deep/style.mdc", "agent_file"),
        (".windsurfrules", "agent_file"),
        (".clinerules", "agent_file"),
        (".clinerules/01-style.md", "agent_file"),
        (".github/copilot-instructions.md", "agent_file"),
        (".github/instructions/python.instructions.md", "agent_file"),
        (".github/pull_request_template.md", "documentation"),
        (".cursor/mcp.json", None),
        ("docs/guide.md", "documentation"),
        ("docs/guide.rst", "documentation"),
        ("docs/adr/0001-use-x.md", "decision"),
        ("docs/adr/README.md", "documentation"),
        ("docs/adr/template.md", "documentation"),
        ("docs/decisions/use-x.rst", "decision"),
        ("doc/architecture/decisions/0001-use-x.md", "decision"),
        ("notes/ADR-12 use x.md", "decision"),
        ("README.py", None),
        ("README.html", None),
        ("CLAUDE.md.bak", None),
        ("AGENTS.txt", None),
    ],
)
def test_the_name_of_a_file_tells_whether_notes_are_taken_from_it(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind
    assert is_note_source(path) == (kind is not None)
    found = notes_of(path, b"text\n")
    assert [note.kind for note in found] == ([kind] if kind else [])


def test_each_section_is_a_note_with_the_trail_of_its_headings() -> None:
    text = "before\n\n# A\n\none\n\n## B\n\ntwo\n\n### C\n\n## D ##\nthree\n# E\n\n#### F\nfour"
    assert notes(text) == [
        ((), "before"),
        (("A",), "one"),
        (("A", "B"), "two"),
        (("A", "B", "C"), "### C"),
        (("A", "D"), "three"),
        (("E", "F"), "four"),
    ]


def test_lines_are_those_of_the_text_under_the_heading() -> None:
    [note] = checked("\n\n# A\n\n\none\n\ntwo\n\n\n")
    assert (note.start_line, note.end_line, note.text) == (6, 8, "one\n\ntwo")


def test_headings_with_a_line_below_are_headings() -> None:
    assert notes("A\n===\none\n\nB *b* `c`\n---\ntwo\n") == [(("A",), "one"), (("A", "B b c"), "two")]


def test_a_headings_markup_is_left_out_of_the_trail() -> None:
    text = "# [A](http://b) ![c](d) **e** `f_g` &amp; \\* <br>\ntext\n"
    assert notes(text)[0][0] == ("A c e f_g & *",)


@pytest.mark.parametrize(
    "block",
    [
        "```sh\n# no heading\n\nA\n===\n```",
        "~~~\n# no heading\n~~~",
        "    # no heading",
        "<!--\n# no heading\n-->\ntext",
        "> # no heading",
        "- item\n\n  # no heading",
        "<div>\n# no heading\n</div>",
    ],
)
def test_what_only_looks_like_a_heading_is_none(block: str) -> None:
    found = checked(f"# A\n\none\n\n{block}\n\ntwo\n")
    assert {note.headings for note in found} == {("A",)}
    assert found[-1].text.endswith("two")


def test_an_unclosed_fence_goes_to_the_end() -> None:
    assert notes("# A\n```\n# b\n\n# c\n") == [(("A",), "```\n# b\n\n# c")]


def test_front_matter_gives_tags_to_all_notes_and_no_text() -> None:
    for matter in (
        "tags: [a, 'b c']",
        "tags: a, b c",
        'Tags:\n  - a\n  - "b c"',
        "keywords: a,b c",
    ):
        found = checked(f"---\ntitle: x\n{matter}\n---\none\n# A\ntwo\n")
        assert [(note.tags, note.text) for note in found] == [(("a", "b c"), "one"), (("a", "b c"), "two")]


def test_a_title_in_the_front_matter_stands_above_all_where_the_text_has_none() -> None:
    assert notes("---\ntitle: The 'x'\n---\none\n## A\ntwo\n") == [
        (("The 'x'",), "one"),
        (("The 'x'", "A"), "two"),
    ]
    assert notes("---\ntitle: x\n---\n# A\none\n") == [(("A",), "one")]


def test_a_description_in_the_front_matter_is_a_note() -> None:
    text = "---\ndescription: How tests\n  are run\nglobs: *.py\nalwaysApply: false\n---\n\n- Use pytest.\n"
    found = checked(text, ".cursor/rules/tests.mdc")
    assert [(note.text, note.start_line, note.end_line) for note in found] == [
        ("description: How tests\n  are run", 2, 3),
        ("- Use pytest.", 8, 8),
    ]
    assert {note.tags for note in found} == {("globs:*.py", "alwaysapply:false")}


def test_a_line_at_the_top_without_its_end_is_no_front_matter() -> None:
    assert notes("---\n\ntags: a\n") == [((), "---\n\ntags: a")]


def test_comments_are_left_out_of_the_text() -> None:
    text = "# A\n\n<!-- a\n\nb -->\n\none\n\n<!-- c -->\n\ntwo\n"
    assert "\n".join(text for _, text in notes(text)).split() == ["one", "two"]
    assert notes("# A\n\n<!-- only a comment -->\n") == [(("A",), "# A")]


def test_the_targets_of_links_are_no_note() -> None:
    assert notes("# A\n\none [b]\n\n## C\n\n[b]: http://d\n[e]: <f> 'g'\n") == [
        (("A",), "one [b]"),
        (("A", "C"), "## C"),
    ]


def test_windows_line_ends_and_old_ones_change_nothing() -> None:
    text = "# A\n\none\ntwo\n\n## B\nthree\n"
    expected = notes_of("README.md", text.encode())
    for end in ("\r\n", "\r"):
        assert notes_of("README.md", text.replace("\n", end).encode()) == expected
    assert notes_of("README.md", b"\xef\xbb\xbf" + text.encode()) == expected


def test_bytes_that_are_no_text_are_replaced() -> None:
    [note] = notes_of("README.md", b"# \xff\n\none \xfe\xfe\n")
    assert (note.headings, note.text) == (("�",), "one ��")


def test_characters_that_only_some_take_for_line_breaks_do_not_shift_lines() -> None:
    [note] = notes_of("README.md", "a\u2028b\x0bc\x0cd\n\n# A\n\ne\x85f\n".encode())[1:]
    assert (note.start_line, note.text) == (5, "e\x85f")


@pytest.mark.parametrize("text", ["", "\n\n", "---\ntags: a\n---\n", "<!-- a -->"])
def test_a_document_without_text_has_no_notes(text: str) -> None:
    assert notes(text) == []


def test_a_heading_with_nothing_below_it_is_a_note_of_its_own() -> None:
    assert notes("# A\n") == [(("A",), "# A")]
    assert notes("# A\n## B\n\nC\n---\n") == [(("A", "B"), "## B"), (("A", "C"), "C\n---")]


def test_a_lead_in_stays_with_the_code_that_it_leads_to() -> None:
    filler = "word " * 280
    found = checked(f"# A\n\n{filler}\n\nRun this:\n\n```\n{'x = 1' * 40}\n```\n")
    assert found[-1].text.startswith("Run this:\n\n```")


def test_a_long_section_is_cut_between_paragraphs() -> None:
    paragraphs = [f"{number} " + "word " * 100 for number in range(10)]
    found = checked("# A\n\n" + "\n\n".join(paragraphs) + "\n")
    assert len(found) == 5
    assert all(len(note.text) <= LIMIT for note in found)
    assert "\n\n".join(note.text for note in found).split() == " ".join(paragraphs).split()
    assert {note.headings for note in found} == {("A",)}


def test_a_long_list_is_cut_between_its_items_and_long_items_between_theirs() -> None:
    inner = "".join(f"  - inner {number} " + "word " * 30 + "\n" for number in range(20))
    text = (
        "# A\n\n"
        + "".join(f"- item {number} " + "word " * 60 + "\n" for number in range(10))
        + f"- last\n\n{inner}"
    )
    found = checked(text)
    assert all(len(note.text) <= LIMIT for note in found)
    assert all(note.text.lstrip().startswith("- ") for note in found)
    assert "\n".join(note.text for note in found).split() == text.split()[2:]


def test_code_is_kept_whole() -> None:
    code = "```python\n" + "x = 1\n" * 600 + "```"
    found = checked(f"# A\n\none\n\n{code}\n\ntwo\n")
    assert [note.text for note in found] == ["one", code, "two"]


def test_a_long_paragraph_is_cut_between_lines_and_a_long_line_between_sentences() -> None:
    lines = [f"line {number} " + "word " * 15 for number in range(100)]
    found = checked("\n".join(lines))
    assert all(len(note.text) <= LIMIT for note in found)
    assert all(note.text.startswith("line") for note in found)
    sentence = "A sentence of some length that ends here. "
    found = checked("# A\n\n" + sentence * 100 + "\n\nmore\n")
    assert {(note.start_line, note.end_line) for note in found[:-1]} == {(3, 3)}
    assert all(note.text.endswith("here.") and len(note.text) <= LIMIT for note in found[:-1])
    assert (found[-1].start_line, found[-1].text) == (5, "more")
    assert "".join(note.text for note in checked("x" * 5000)) == "x" * 5000


RST = """\
=====
Title
=====

.. image:: a.png

Before.

First
-----

One::

    Not a heading
    -------------

* a
* b

----

After a line.

Inner
~~~~~
Two.

Second
------

Empty
~~~~~

Too long for its line
---

Other
=====

Three.
"""


def test_restructured_text_has_the_levels_in_which_its_styles_are_met() -> None:
    found = checked(RST, "README.rst")
    assert [(note.headings, note.start_line) for note in found] == [
        (("Title",), 5),
        (("Title", "First"), 12),
        (("Title", "First", "Inner"), 26),
        (("Title", "Second", "Empty"), 34),
        (("Title", "Second", "Empty", "Other"), 40),
    ]
    assert "Not a heading" in found[1].text
    assert "After a line." in found[1].text


def test_a_title_between_lines_is_no_front_matter_in_restructured_text() -> None:
    assert notes("---\nAbc\n---\n\none\n", "README.rst") == [(("Abc",), "one")]


def test_a_table_in_restructured_text_is_no_heading() -> None:
    text = "Ab\n==\n\n===== =====\nx     y\n===== =====\n1     2\n===== =====\n"
    assert {headings for headings, _ in notes(text, "README.rst")} == {("Ab",)}


def test_a_very_large_document_is_cut_without_its_headings() -> None:
    text = "# A\n\n" + "some words\n\n" * 60_000
    found = notes_of("README.md", text.encode())
    assert {note.headings for note in found} == {()}
    assert all(len(note.text) <= LIMIT for note in found)
    assert sum(note.text.count("some words") for note in found) == 60_000


RULES = """\
# Rules

Before a commit:

- Run the whole suite with make test.
- Never commit secrets; not even in tests.
  - An exception is tests/keys.
- Then:

```sh
git commit
```

## Names

- `a`
- `b`

## Steps

1. Install what is needed by make up.
2. Run the tests by make test.
"""


def test_each_rule_of_a_list_for_agents_is_a_note() -> None:
    found = checked(RULES, "CLAUDE.md")
    assert [(note.headings[-1], note.start_line, note.end_line, note.context) for note in found] == [
        ("Rules", 3, 5, ""),
        ("Rules", 6, 7, "Before a commit:"),
        ("Rules", 8, 12, ""),
        ("Names", 16, 17, ""),
        ("Steps", 21, 22, ""),
    ]
    assert found[0].text == "Before a commit:\n\n- Run the whole suite with make test."
    assert found[2].text.endswith("```")


def test_a_line_right_above_a_list_is_the_context_of_its_items() -> None:
    text = "**core** is pure\n- one of its modules reads words\n- one of its modules counts words\n"
    found = checked(text, "AGENTS.md")
    assert [(note.start_line, note.end_line, note.context) for note in found] == [
        (1, 2, ""),
        (3, 3, "**core** is pure"),
    ]


def test_a_list_in_documentation_stays_together() -> None:
    assert [note.start_line for note in checked(RULES, "docs/guide.md")] == [3, 16, 21]


def test_the_context_of_an_item_is_the_last_sentence_of_a_long_lead_in() -> None:
    lead = "A word about that. " * 30 + "These rules hold:"
    found = checked(
        f"{lead}\n\n- Never push to the main branch.\n- Never merge what is red today.\n", "CLAUDE.md"
    )
    assert [note.context for note in found] == ["", "These rules hold:"]


PIECES = [
    "# a\n",
    "## b\n",
    "- c\n",
    "  - d\n",
    "1. e\n",
    "```\n",
    "> f\n",
    "\n",
    "g\n",
    "    h\n",
    "===\n",
    "---\n",
]
PIECES += [
    "<!-- i -->\n",
    "<!--\n",
    "-->\n",
    "| j | k |\n|---|---|\n",
    "[l]: m\n",
    "word " * 120 + "\n",
    "***\n",
    "\t- n\n",
]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["README.md", "README.rst", "CLAUDE.md"])
)
def test_no_document_loses_words_or_gets_lines_wrong(pieces: list[str], path: str) -> None:
    text = "".join(pieces)
    found = checked(text, path)
    hidden = any(piece.startswith(("<!--", "[l]")) for piece in pieces) or pieces[:1] == ["---\n"]
    if path.endswith(".md") and not hidden:
        told = {number for note in found for number in range(note.start_line, note.end_line + 1)}
        headings = _heading_lines(text)
        lines = text.split("\n")
        assert not [n for n, line in enumerate(lines, 1) if line.strip() and n not in told | headings]


def _heading_lines(text: str) -> set[int]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    spans = [token.map for token in tokens if token.type == "heading_open" and token.level == 0 and token.map]
    return {number + 1 for start, end in spans for number in range(start, end)}
