"""How form, comments and documentation are told from what has a meaning."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.indexer.drift_cases import CODE, cite, judge, lines_with, one, swap, text_of

from afresh_indexer.drift import drift


@pytest.mark.parametrize("name", ["Order", "Order.dump", "parse", "parse.convert", "ship", "LIMIT"])
def test_a_formatter_s_run_is_cosmetic_or_nothing(name: str) -> None:
    ugly = (
        CODE.replace(b'"', b"'")
        .replace(b"'''", b'"""')
        .replace(b"(text, strict=True)", b"( text,strict = True )")
        .replace(b"LIMIT = 30", b"LIMIT=30")
        .replace(b"json.dump(data, stream)", b"json.dump(\n            data,\n            stream,\n        )")
        .replace(b"order.total > LIMIT:", b"(order.total>LIMIT) :")
        .replace(b"+ LIMIT", b"+LIMIT")
    )
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--stdin-filename", "orders.py", "-"]
    formatted = subprocess.run(command, input=ugly, capture_output=True, check=True).stdout
    assert formatted != ugly
    found = judge(formatted, cite(ugly, name), old=ugly)
    assert found.spans[0].now == "cosmetic"
    assert judge(formatted, old=ugly).change == "cosmetic"


def test_new_indentation_of_a_whole_file_is_cosmetic_for_lines_too() -> None:
    new = b"\n".join(
        b" " * ((len(line) - len(line.lstrip())) // 2) + line.lstrip() for line in CODE.splitlines()
    )
    span = lines_with(CODE, b"data = json.loads", b"raise ValueError")
    found = judge(new, span, cite(CODE, "Order.dump"))
    assert [one.now for one in found.spans] == ["cosmetic", "cosmetic"]
    assert text_of(new, found.spans[0]).startswith(b"  data = json.loads")
    assert text_of(new, found.spans[0]).endswith(b'raise ValueError("an order needs lines")')


def test_comments_alone_are_cosmetic() -> None:
    new = swap(
        CODE,
        b"        # Gross, as the customer pays it.\n",
        b"        # With tax.\n        # Always.\n",
    )
    assert judge(new).change == "cosmetic"
    assert one(new, cite(CODE, "Order.total")).now == "cosmetic"
    assert one(new, cite(CODE, "Order")).now == "cosmetic"
    assert one(new, cite(CODE, "Order.dump")).now == "unchanged"
    trailing = swap(CODE, b"LIMIT = 30", b"LIMIT = 30  # in euros")
    assert one(trailing, cite(CODE, "LIMIT")).now in ("unchanged", "cosmetic")
    assert judge(trailing).change == "cosmetic"


def test_a_comment_that_looks_like_code_and_code_that_looks_like_a_comment_are_told_apart() -> None:
    old = CODE.replace(b"LIMIT = 30", b'LIMIT = """\n# thirty\n"""')
    assert judge(old.replace(b"# thirty", b"# forty"), old=old).change == "edited"
    assert judge(swap(CODE, b"# Gross, as the customer pays it.", b"# return 0")).change == "cosmetic"
    assert judge(swap(CODE, b"        return sum(", b"        # return sum(")).change == "edited"


def test_a_rewritten_docstring_is_docs_only() -> None:
    new = swap(
        CODE, b'"""Read an order."""', b'"""Read an order from JSON.\n\n    Raises ValueError.\n    """'
    )
    assert judge(new).change == "docs_only"
    assert one(new, cite(CODE, "parse")).now == "docs_only"
    assert one(new, cite(CODE, "parse.convert")).now == "unchanged"
    assert one(swap(CODE, b'    """One order."""\n\n', b""), cite(CODE, "Order")).now == "docs_only"
    both = swap(new, b"data = json.loads(text)", b"data = json.loads( text )")
    assert one(both, cite(CODE, "parse")).now == "docs_only"


def test_a_string_that_is_no_docstring_is_edited() -> None:
    new = swap(CODE, b'"an order needs lines"', b'"lines are missing"')
    assert one(new, cite(CODE, "parse")).now == "edited"
    assert judge(new).change == "edited"


def test_doc_comments_of_other_languages_are_comments() -> None:
    old = b"/// Adds.\npub fn add(a: i32, b: i32) -> i32 {\n    // Sum.\n    a + b\n}\n"
    new = old.replace(b"/// Adds.", b"/// Adds two numbers.").replace(b"// Sum.", b"// Their sum.")
    span = cite(old, "add", "rust", "orders.rs")
    assert one(new, span, old, "rust").now == "cosmetic"
    assert judge(new, old=old, language="rust").change == "cosmetic"


@pytest.mark.parametrize(
    ("path", "language", "old", "new", "change"),
    [
        ("a.json", "json", b'{"a": [1, 2]}', b'{\n  "a": [1,2]\n}\n', "cosmetic"),
        ("a.json", "json", b'{"a": 1}', b'{"a": 1.0}', "edited"),
        ("a.json", "json", b'{"a": 1, "b": 2}', b'{"b": 2, "a": 1}', "edited"),
        ("a.md", "markdown", b"one \ntwo\n", b"one\ntwo\n", "cosmetic"),
        ("a.md", "markdown", b"one\ntwo\n", b"one  \ntwo\n", "edited"),
        ("a.txt", "text", b"one  \ntwo\n", b"one\ntwo\n\n", "cosmetic"),
        ("a.txt", "text", b"one two\n", b"one  two\n", "edited"),
        ("a.yaml", "yaml", b"a: 1\n", b"a:  1\n", "edited"),
        ("a.bin", None, b"a  \n", b"a\n", "edited"),
        ("Makefile", "makefile", b"a:\n\tb\n", b"a:\n        b\n", "edited"),
    ],
)
def test_without_a_grammar_only_what_surely_is_form_is_cosmetic(
    path: str, language: str | None, old: bytes, new: bytes, change: str
) -> None:
    assert drift(old, new, language, [], path).change == change


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"for (key, value) in pairs:", b"for key, value in pairs:"),
        (b"total += 0XFF", b"total += 0xff"),
        (b'raise Missing("no " "key")', b'raise Missing("no key")'),
        (b"return (total, key)", b"return total, key"),
        (b"names = tuple((n for n in pairs))", b"names = tuple(n for n in pairs)"),
    ],
)
def test_what_formatters_rewrite_in_a_function_is_cosmetic(old: bytes, new: bytes) -> None:
    body = b"        pass" if old.startswith(b"for") else b"    return None"
    before, after = (b"def count(pairs):\n    %b\n%b\n" % (line, body) for line in (old, new))
    assert one(after, cite(before, "count"), before).now == "cosmetic"
    assert judge(after, old=before).change == "cosmetic"


def test_a_coding_comment_that_says_what_holds_anyway_is_form() -> None:
    old = b"# -*- coding: utf-8 -*-\n" + CODE
    assert judge(CODE, old=old).change == "cosmetic"
    assert judge(CODE, old=old.replace(b"utf-8", b"latin-1")).change == "edited"


def test_a_name_like_a_string_s_prefix_before_a_comment_is_a_word() -> None:
    old = b"def frames(self):\n    return [\n        f for t in self.all for f in t.stack  # all\n    ]\n"
    new = old.replace(b"        f for t", b"        f  # all\n        for t").replace(
        b"stack  # all", b"stack"
    )
    assert one(new, cite(old, "frames"), old).now == "cosmetic"


def test_a_module_that_lost_its_docstring_and_had_nothing_else_is_docs_only() -> None:
    assert judge(b"", old=b'"""What is here."""\n').change == "docs_only"
    assert judge(b"", old=b"import os\n").change == "edited"
