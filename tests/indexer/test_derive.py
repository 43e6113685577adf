"""Spans that a conclusion's own words name."""

from __future__ import annotations

import pytest

from afresh_indexer.derive import derive_spans
from afresh_indexer.drift import drift
from afresh_indexer.outline import outline

CODE = b"""class Command:
    def invoke(self, ctx):
        return ctx.run(self.callback)

    def make_parser(self):
        return Parser(self)


class Group:
    def invoke(self, ctx):
        return self.resolve(ctx).invoke(ctx)


class Parser:
    def invoke(self):
        return 1


class Fourth:
    def invoke(self):
        return 2


def run(command):
    return command.main()


MAX_DEPTH = 8
"""
SYMBOLS = outline("src/core.py", CODE, "python").symbols


def names(conclusion: str) -> list[str | None]:
    return [span.symbol for span in derive_spans(conclusion, "src/core.py", CODE, SYMBOLS)]


@pytest.mark.parametrize(
    ("conclusion", "found"),
    [
        ("Command.invoke calls the callback.", ["Command.invoke"]),
        ("See `Command.invoke()`, please.", ["Command.invoke"]),
        ("Command#invoke and Group::invoke differ.", ["Command.invoke", "Group.invoke"]),
        ("The parser comes from make_parser.", ["Command.make_parser"]),
        ("Nesting ends at MAX_DEPTH.", ["MAX_DEPTH"]),
        ("It starts in run(command).", ["run"]),
        ("It starts in `run`.", ["run"]),
        ("They run one after another, in a Group.", []),
        ("The Command decides.", []),
        ("The `Command` decides.", ["Command"]),
        ("`Command` decides in `Command.invoke`.", ["Command.invoke"]),
        ("`invoke` is everywhere.", []),
        ("In `Command`, `invoke` runs the callback.", ["Command.invoke"]),
        ("no_such_name and NoSuchName are not here.", []),
        ("", []),
    ],
)
def test_names_of_code_count_and_english_words_do_not(conclusion: str, found: list[str]) -> None:
    assert names(conclusion) == found


def test_lines_of_the_file_are_cited_by_path_and_number() -> None:
    spans = derive_spans("See core.py:2-3, src/core.py#L9 and other.py:1.", "src/core.py", CODE, SYMBOLS)
    assert [(span.start_line, span.end_line) for span in spans] == [(2, 3), (9, 9)]
    assert derive_spans("See core.py:900 and core.py:3-2.", "src/core.py", CODE, SYMBOLS) == []


def test_derived_spans_are_marked_and_can_be_judged() -> None:
    spans = derive_spans("`run` and core.py:2-3", "src/core.py", CODE, SYMBOLS)
    assert all(span.derived for span in spans)
    new = CODE.replace(b"command.main()", b"command.main(8)")
    assert [one.now for one in drift(CODE, new, "python", spans, "src/core.py").spans] == [
        "unchanged",
        "edited",
    ]
