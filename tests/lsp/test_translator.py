"""The translator: code points and lines from 1 here, the client's units and lines from 0 there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec
from tests.lsp.double import claim, known, place, stale

from afresh_lsp import translator
from afresh_lsp.documents import lines_of
from afresh_lsp.knowledge import Lines, knowledge_of
from afresh_lsp.translator import Client, Text, client_of

ENCODINGS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
LOCKS = "class Lock:\n    def acquire(self):\n        return True  # é😀\n"


def text(written: str, encoding: str = "utf-16") -> Text:
    return Text(lines_of(written), PositionCodec(types.PositionEncodingKind(encoding)))


def of(*items, **more):
    from tests.lsp.double import knowledge

    return knowledge_of(knowledge(*items, **more))


def at(where: types.Range) -> tuple[int, int, int, int]:
    return where.start.line, where.start.character, where.end.line, where.end.character


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_columns_are_counted_in_the_units_that_were_agreed_on(encoding: str, units: int) -> None:
    shown = text("é😀 `x`\n", encoding)
    assert shown.position(1, 3) == types.Position(0, units)
    assert shown.place(types.Position(0, units)) == (1, 3)


@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=30),
    st.sampled_from(sorted(ENCODINGS)),
    st.data(),
)
def test_every_column_comes_back_through_every_encoding(
    line: str, encoding: str, data: st.DataObject
) -> None:
    column = data.draw(st.integers(0, len(line)))
    shown = text(f"{line}\n", encoding)
    assert shown.place(shown.position(1, column)) == (1, column)
    wide = len(
        line[:column].encode({"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding])
    )
    assert shown.position(1, column).character == wide // ENCODINGS[encoding]


def test_a_form_feed_and_a_line_separator_end_no_line() -> None:
    assert lines_of("a\x0cb\u2028c\x85d\ne\r\nf\rg") == ("a\x0cb\u2028c\x85d\n", "e\r\n", "f\r", "g")


@given(st.text(alphabet="ab\r\n\x0c\u2028", max_size=20))
def test_lines_put_together_are_the_text(written: str) -> None:
    assert "".join(lines_of(written)) == written
    ends = written.replace("\r\n", "\n").replace("\r", "\n")
    assert len(lines_of(written)) == ends.count("\n") + (not ends.endswith("\n") and ends != "")


def test_places_outside_of_a_text_are_drawn_into_it() -> None:
    shown = text("ab\ncd")
    assert shown.position(9, 7) == types.Position(1, 0)
    assert shown.position(1, 7) == types.Position(0, 2)
    assert text("").position(1, 0) == types.Position(0, 0)
    assert text("ab\n").place(types.Position(5, 3)) == (6, 0)


def test_lines_are_ranged_without_the_white_space_around_them() -> None:
    assert at(text(LOCKS).whole(Lines(2, 3))) == (1, 4, 2, 26)


def test_lines_that_were_taken_out_are_shown_at_the_line_behind_which_they_stood() -> None:
    assert at(text("a\nb\nc\n").whole(Lines(3, 2))) == (1, 0, 1, 1)
    assert at(text("a\nb\n").whole(Lines(1, 0))) == (0, 0, 0, 1)
    assert at(text("").whole(Lines(1, 0))) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("impact", "severity"),
    [
        ("gone", types.DiagnosticSeverity.Warning),
        ("edited", types.DiagnosticSeverity.Warning),
        ("moved", types.DiagnosticSeverity.Information),
        ("docs_only", types.DiagnosticSeverity.Information),
        ("cosmetic", types.DiagnosticSeverity.Hint),
        ("elsewhere", types.DiagnosticSeverity.Hint),
        ("eol_only", types.DiagnosticSeverity.Hint),
    ],
)
def test_the_gravity_of_an_impact_is_the_severity(impact: str, severity: types.DiagnosticSeverity) -> None:
    assert translator.severity(impact) == severity


def test_a_stale_conclusion_stands_on_its_hunks_with_its_other_files_and_a_link() -> None:
    others = [
        {"path": "/shop/main.py", "change": None, "line": 4},
        {"path": "/shop/b.py", "change": "gone", "line": 1},
    ]
    (item,) = of(stale(others=others)).items
    (found,) = translator.stale(
        text(LOCKS), item, Client(related=True, code_description=True), "file:///p.md"
    )
    assert at(found.range) == (2, 8, 2, 26)
    assert found.message == "Stale conclusion: How do locks work? (its code was edited)"
    assert found.code_description == types.CodeDescription("file:///p.md")
    assert found.related_information is not None
    assert [
        (one.location.uri, one.location.range.start.line, one.message) for one in found.related_information
    ] == [
        ("file:///shop/main.py", 3, "unchanged"),
        ("file:///shop/b.py", 0, "its code is gone"),
    ]
    assert found.data == {"kind": "memo", "id": 1}


def test_a_client_that_can_nothing_gets_the_bare_diagnostic() -> None:
    (item,) = of(stale(others=[{"path": "/shop/main.py", "change": None, "line": 4}])).items
    (found,) = translator.stale(text(LOCKS), item, Client(), "file:///p.md")
    assert (found.related_information, found.code_description) == (None, None)


def test_a_conclusion_that_another_file_made_stale_is_no_diagnostic_here() -> None:
    (item,) = of(known(status="stale", impact="gone")).items
    assert translator.stale(text(LOCKS), item, Client(), "") == []


def test_a_file_that_changed_elsewhere_is_told_at_the_cited_part() -> None:
    (item,) = of(known(status="stale", impact="elsewhere", change="elsewhere")).items
    (found,) = translator.stale(text(LOCKS), item, Client(), "")
    assert at(found.range) == (1, 4, 2, 26)


def test_what_moved_is_told_with_where_to() -> None:
    to = {
        "path": "billing/new.py",
        "symbol": "acquire",
        "start_line": 9,
        "end_line": 10,
        "content": "identical",
    }
    moved = place(start_line=None, end_line=None, now="moved", moved_to=to)
    item = of(known(status="stale", impact="moved", change="moved", places=[moved])).items[0]
    (found,) = translator.stale(text(LOCKS), item, Client(), "")
    assert found.message.endswith("(it moved, to billing/new.py:9 (acquire))")
    assert at(found.range) == (0, 0, 0, 11)


def test_a_dead_claim_is_ranged_behind_wide_characters() -> None:
    (found,) = of(claims=[claim(start_column=4, end_column=19)]).claims
    shown = text("é😀 `billing/gone.py`\n")
    diagnostic = translator.dead(shown, found)
    assert at(diagnostic.range) == (0, 5, 0, 20)
    assert diagnostic.message == "the workspace has no billing/gone.py. Probably meant: billing/locks.py."


def test_an_edit_is_not_offered_to_a_client_that_takes_commands_alone() -> None:
    shown = text("a\n")
    edits = {"file:///a": [translator.edit(shown, 1, 0, 1, "b")]}
    assert translator.action("Change", Client(), edits=edits) is None
    assert isinstance(translator.action("Do", Client(), command="afresh.verify"), types.Command)
    offered = translator.action("Change", Client(literal_actions=True), edits=edits)
    assert isinstance(offered, types.CodeAction) and offered.edit is not None


def test_ranges_that_only_touch_overlap() -> None:
    def between(*four: int) -> types.Range:
        return types.Range(types.Position(*four[:2]), types.Position(*four[2:]))

    assert translator.overlaps(between(0, 0, 1, 0), between(1, 0, 2, 0))
    assert not translator.overlaps(between(0, 0, 1, 0), between(1, 1, 2, 0))


def test_a_client_that_says_nothing_can_nothing() -> None:
    said = client_of(types.InitializeParams(types.ClientCapabilities()))
    assert said == Client()


def test_only_the_translator_makes_types_of_the_protocol() -> None:
    import ast

    import afresh_lsp

    folder = Path(str(afresh_lsp.__file__)).parent
    made: list[str] = []
    for path in sorted(folder.rglob("*.py")):
        if path.name == "translator.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("types."):
                made.append(f"{path.name}: {ast.unparse(node.func)}")
    # Said once, when a feature is registered, and never again.
    assert set(made) <= {"actions.py: types.CodeActionOptions", "completion.py: types.CompletionOptions"}
