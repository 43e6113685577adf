"""Edits land where the client means them, whatever ends lines and however columns are counted."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec

from afresh_lsp.documents import Document, Documents

TEXT = st.text(alphabet="ab é😀\t\n\r\x0c\u2028\x85", max_size=40)
ENCODINGS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def places(text: str) -> list[tuple[int, int, int]]:
    """Every place in a text: its offset, its line and its column in code points."""
    found, start = [], 0
    for number, line in enumerate(re.split("\r\n|\r|\n", text)):
        found += [(start + column, number, column) for column in range(len(line) + 1)]
        start += len(line)
        start += 2 if text[start : start + 2] == "\r\n" else 1
    return found


@given(TEXT, st.lists(st.tuples(TEXT, st.data()), max_size=4), st.sampled_from(sorted(ENCODINGS)))
def test_edits_one_after_the_other_give_the_text_of_the_editor(
    text: str, edits: list[tuple[str, st.DataObject]], encoding: str
) -> None:
    codec = PositionCodec(types.PositionEncodingKind(encoding))
    document = Document("file:///a", source=text, position_codec=codec)
    name, width = ENCODINGS[encoding]
    for new, data in edits:
        known = places(text)
        first, last = sorted(data.draw(st.tuples(st.sampled_from(known), st.sampled_from(known))))
        lines = re.split("\r\n|\r|\n", text)

        def position(place: tuple[int, int, int], lines: list[str] = lines) -> types.Position:
            _, line, column = place
            return types.Position(line, len(lines[line][:column].encode(name)) // width)

        where = types.Range(position(first), position(last))
        document.apply_change(types.TextDocumentContentChangePartial(range=where, text=new))
        text = text[: first[0]] + new + text[last[0] :]
        assert document.source == text


def test_a_text_without_a_uri_is_a_text_of_no_file() -> None:
    documents = Documents(None)
    item = types.TextDocumentItem("file://[broken", "python", 1, "a\n")
    documents.put_text_document(item)
    assert documents.get_text_document("file://[broken").source == "a\n"
