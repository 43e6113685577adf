"""The verdict on each cited span, for the ways in which a file changes."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import time
from textwrap import dedent

import pytest

from afresh_indexer.drift import drift
from afresh_indexer.outline import outline
from afresh_indexer.verdicts import CitedSpan, FileDrift, SpanDrift

CODE = (
    dedent(
        '''
    """Orders and what becomes of them."""

    import json

    LIMIT = 30


    class Order:
        """One order."""

        def __init__(self, lines, currency="EUR"):
            self.lines = list(lines)
            self.currency = currency

        @property
        def total(self):
            # Gross, as the customer pays it.
            return sum(line.price * line.count for line in self.lines)

        def dump(self, stream):
            """Write the order as JSON."""
            data = {"currency": self.currency, "lines": [line.id for line in self.lines]}
            json.dump(data, stream)


    def parse(text, strict=True):
        """Read an order."""
        data = json.loads(text)
        if strict and "lines" not in data:
            raise ValueError("an order needs lines")

        def convert(line):
            return int(line) + LIMIT

        return Order([convert(line) for line in data.get("lines", ())])


    def ship(order, address):
        if order.total > LIMIT:
            address.notify(order)
        return address.send(order.lines)
    '''
    )
    .lstrip()
    .encode()
)


def cite(data: bytes, name: str, language: str = "python", path: str = "orders.py", at: int = 0) -> CitedSpan:
    """A span as a recording of this symbol has it."""
    named = [one for one in outline(path, data, language).symbols if one.qualified_name == name]
    symbol = named[at]
    return CitedSpan(
        symbol.start_line, symbol.end_line, name, None, symbol.source_sha256, symbol.tokens_sha256
    )


def lines(
    data: bytes, start: int, end: int, symbol: str | None = None, quote: str | None = None
) -> CitedSpan:
    part = b"".join(data.splitlines(keepends=True)[start - 1 : end])
    return CitedSpan(start, end, symbol, quote, hashlib.sha256(part).hexdigest())


def lines_with(data: bytes, first: bytes, last: bytes) -> CitedSpan:
    """The lines from the first that contains one text to the first that contains the other."""
    numbers = [
        next(number for number, line in enumerate(data.splitlines(), 1) if text in line)
        for text in (first, last)
    ]
    return lines(data, *numbers)


def judge(new: bytes | None, *spans: CitedSpan, old: bytes = CODE, language: str = "python") -> FileDrift:
    path = {"python": "orders.py", "typescript": "orders.ts", "rust": "orders.rs", "go": "orders.go"}
    return drift(old, new, language, spans, path.get(language, "orders.txt"))


def one(new: bytes, span: CitedSpan, old: bytes = CODE, language: str = "python") -> SpanDrift:
    return judge(new, span, old=old, language=language).spans[0]


def text_of(data: bytes, found: SpanDrift) -> bytes:
    assert found.start_line is not None
    assert found.end_line is not None
    return b"\n".join(data.splitlines()[found.start_line - 1 : found.end_line])


def swap(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    return data.replace(old, new)


def test_equal_bytes_are_unchanged() -> None:
    found = judge(CODE, cite(CODE, "ship"))
    assert (found.change, found.spans[0].now, found.hunks) == ("unchanged", "unchanged", ())


def test_flipped_line_ends_are_eol_only_for_the_file_and_its_spans() -> None:
    found = judge(CODE.replace(b"\n", b"\r\n"), cite(CODE, "ship"), lines(CODE, 3, 5))
    assert found.change == "eol_only"
    assert [span.now for span in found.spans] == ["eol_only", "eol_only"]
    assert judge(CODE.replace(b"\n", b"\r\n")).change == "eol_only"


def test_line_ends_that_changed_in_one_place_are_eol_only_there() -> None:
    head, tail = CODE.split(b"def ship")
    found = judge(head + b"def ship" + tail.replace(b"\n", b"\r\n"), cite(CODE, "ship"), cite(CODE, "parse"))
    assert [span.now for span in found.spans] == ["eol_only", "unchanged"]
    assert found.change == "eol_only"


def test_a_flip_beside_a_real_change_is_told_from_it() -> None:
    new = swap(CODE, b"LIMIT = 30", b"LIMIT = 31").replace(b"\n", b"\r\n")
    found = judge(new, cite(CODE, "ship"), cite(CODE, "LIMIT"))
    assert [span.now for span in found.spans] == ["eol_only", "edited"]
    assert judge(new, cite(CODE, "ship")).change == "elsewhere"


def test_a_change_elsewhere_leaves_a_span_unchanged_with_its_new_lines() -> None:
    new = swap(CODE, b"import json\n", b"import json\nimport os\nimport sys\n")
    found = judge(new, cite(CODE, "ship"), cite(CODE, "Order.total"))
    assert found.change == "elsewhere"
    assert [span.now for span in found.spans] == ["unchanged", "unchanged"]
    assert text_of(new, found.spans[0]).startswith(b"def ship")
    assert text_of(new, found.spans[1]).startswith(b"    @property")


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


def test_a_changed_body_is_edited_and_its_sibling_is_not() -> None:
    new = swap(CODE, b"line.price * line.count", b"line.price * line.count * 1.19")
    found = judge(new, cite(CODE, "Order"), cite(CODE, "Order.total"), cite(CODE, "Order.dump"))
    assert [span.now for span in found.spans] == ["edited", "edited", "unchanged"]
    assert found.change == "edited"
    assert 0.8 < found.spans[0].likeness < 1


def test_a_new_signature_is_edited() -> None:
    new = swap(CODE, b"def ship(order, address):", b"def ship(order, address, *, express=False):")
    found = one(new, cite(CODE, "ship"))
    assert found.now == "edited"
    assert text_of(new, found).startswith(b"def ship(order, address, *,")


@pytest.mark.parametrize("decorator", [b"@cached", b"@retry(\n    times=3,\n)", b"@a\n@b"])
def test_a_new_decorator_is_edited(decorator: bytes) -> None:
    new = swap(CODE, b"def ship", decorator + b"\ndef ship")
    found = one(new, cite(CODE, "ship"))
    assert found.now == "edited"
    assert text_of(new, found).startswith(decorator.splitlines()[0])


def test_a_decorator_that_was_removed_is_edited() -> None:
    assert one(swap(CODE, b"    @property\n", b""), cite(CODE, "Order.total")).now == "edited"


def test_a_decorator_that_its_function_left_behind_belongs_to_the_next() -> None:
    old = b"@cached\ndef a():\n    return 1\n\n\ndef b():\n    return 2\n"
    new = b"@cached\ndef b():\n    return 2\n"
    assert one(new, cite(old, "b"), old).now == "edited"


def test_a_body_that_went_on_below_its_last_line_is_edited() -> None:
    new = CODE + b"    order.close()\n"
    assert one(new, cite(CODE, "ship")).now == "edited"
    assert one(CODE + b"\n\ndef close(order):\n    order.close()\n", cite(CODE, "ship")).now == "unchanged"


def test_a_body_that_went_on_after_a_blank_line_is_edited() -> None:
    new = swap(CODE, b"address.send(order.lines)\n", b"address.send(order.lines)\n\n    order.close()\n")
    assert one(new, cite(CODE, "ship")).now == "edited"
    more = swap(CODE, b"json.dump(data, stream)\n", b"json.dump(data, stream)\n\n        stream.flush()\n")
    found = judge(more, cite(CODE, "Order.dump"), cite(CODE, "parse"))
    assert [span.now for span in found.spans] == ["edited", "unchanged"]


def test_an_attribute_above_a_comment_belongs_to_what_stands_below() -> None:
    old = b"/// Adds.\npub fn add(a: i32) -> i32 {\n    a + 1\n}\n"
    new = b"#[inline]\n" + old
    assert one(new, cite(old, "add", "rust", "orders.rs"), old, "rust").now == "edited"


def test_a_last_line_that_changed_is_edited_up_to_the_new_end() -> None:
    new = swap(
        CODE, b"    return address.send(order.lines)\n", b"    lines = order.lines\n    return lines\n"
    )
    found = one(new + b"\n\nDONE = True\n", cite(CODE, "ship"))
    assert found.now == "edited"
    assert text_of(new, found).endswith(b"    return lines")


def test_a_header_that_was_removed_gives_its_body_to_the_function_before() -> None:
    old = b"def a():\n    one()\n\n\ndef b():\n    two()\n"
    new = b"def a():\n    one()\n    two()\n"
    found = judge(new, cite(old, "a"), cite(old, "b"), old=old)
    assert [span.now for span in found.spans] == ["edited", "gone"]


def test_a_renamed_function_is_moved_to_its_new_name() -> None:
    new = swap(CODE, b"def parse(", b"def read_order(")
    found = one(new, cite(CODE, "parse"))
    assert found.now == "moved"
    assert found.moved_to is not None
    assert (found.moved_to.symbol, found.moved_to.content) == ("read_order", "identical")
    assert text_of(new, found).startswith(b"def read_order(")


def test_a_renaming_with_a_new_form_is_moved_cosmetic_and_with_a_new_body_counts_as_edited() -> None:
    form = swap(CODE, b"def ship(order, address)", b"def send(order,address)")
    found = one(form, cite(CODE, "ship"))
    assert found.moved_to is not None
    assert found.moved_to.content == "cosmetic"
    assert judge(form, cite(CODE, "ship")).change == "moved"
    body = swap(CODE, b"def ship(order, address)", b"def send(order, address)").replace(
        b"> LIMIT:", b">= LIMIT:"
    )
    judged = judge(body, cite(CODE, "ship"))
    assert judged.spans[0].now == "moved"
    assert judged.spans[0].moved_to is not None
    assert judged.spans[0].moved_to.content == "changed"
    assert judged.change == "edited"


def test_members_of_a_renamed_class_move_with_it() -> None:
    new = CODE.replace(b"Order", b"Purchase")
    found = one(new, cite(CODE, "Order.dump"))
    assert found.now == "moved"
    assert found.moved_to is not None
    assert (found.moved_to.symbol, found.moved_to.content) == ("Purchase.dump", "identical")


def test_two_functions_that_changed_places_are_unchanged() -> None:
    head, parse, ship = CODE.partition(b"def parse")[0], b"", b""
    parse = b"def parse" + CODE.split(b"def parse")[1].split(b"\n\n\ndef ship")[0]
    ship = b"def ship" + CODE.split(b"def ship")[1]
    new = head + ship + b"\n\n" + parse + b"\n"
    found = judge(
        new, cite(CODE, "parse"), cite(CODE, "ship"), lines_with(CODE, b"if order.total", b"notify")
    )
    assert [span.now for span in found.spans] == ["unchanged"] * 3
    assert found.change == "elsewhere"
    assert text_of(new, found.spans[2]).strip().startswith(b"if order.total > LIMIT")


def test_a_function_that_was_split_in_two_is_edited() -> None:
    new = swap(
        CODE,
        b"\n    def convert(line):\n        return int(line) + LIMIT\n\n    return Order(",
        b"    return build(data)\n\n\ndef build(data):\n    def convert(line):\n"
        b"        return int(line) + LIMIT\n\n    return Order(",
    )
    found = judge(new, cite(CODE, "parse"), cite(CODE, "ship"))
    assert [span.now for span in found.spans] == ["edited", "unchanged"]
    assert text_of(new, found.spans[0]).endswith(b"return build(data)")


def test_a_symbol_that_was_deleted_is_gone_and_one_that_came_back_is_there() -> None:
    ship = b"def ship" + CODE.split(b"def ship")[1]
    without = swap(CODE, b"\n\n" + ship, b"")
    assert one(without, cite(CODE, "ship")).now == "gone"
    back = swap(without, b"class Order:", ship + b"\n\nclass Order:")
    assert one(back, cite(CODE, "ship")).now == "unchanged"
    assert one(swap(back, b"> LIMIT:", b"< LIMIT:"), cite(CODE, "ship")).now == "edited"


def test_a_trivial_function_is_not_taken_for_another_one_like_it() -> None:
    old = b"def close():\n    pass\n\n\ndef other():\n    return 1\n"
    new = b"def other():\n    return 1\n\n\ndef something():\n    pass\n"
    assert one(new, cite(old, "close"), old).now == "gone"


def test_nested_functions_are_spans_of_their_own() -> None:
    new = swap(CODE, b"int(line) + LIMIT", b"float(line) + LIMIT")
    found = judge(new, cite(CODE, "parse"), cite(CODE, "parse.convert"), cite(CODE, "ship"))
    assert [span.now for span in found.spans] == ["edited", "edited", "unchanged"]


def test_overloads_are_told_apart() -> None:
    old = dedent(
        """
        class Text {
          int find(String word) { return index.lookup(word, 0); }
          int find(char letter) { return scan(letter, start, limit); }
          int find(Pattern pattern) { return pattern.matcher(text).find(); }
        }
        """
    ).encode()
    spans = [cite(old, "Text.find", "java", "Text.java", at) for at in range(3)]
    edited = old.replace(b"scan(letter, start, limit)", b"scan(letter, start, limit + 1)")
    found = drift(old, edited, "java", spans, "Text.java")
    assert [span.now for span in found.spans] == ["unchanged", "edited", "unchanged"]
    line = b"  int find(char letter) { return scan(letter, start, limit); }\n"
    removed = drift(old, old.replace(line, b""), "java", spans, "Text.java")
    assert [span.now for span in removed.spans] == ["unchanged", "gone", "unchanged"]
    turned = old.replace(line, b"").replace(b"class Text {\n", b"class Text {\n" + line)
    assert [span.now for span in drift(old, turned, "java", spans, "Text.java").spans] == ["unchanged"] * 3


def test_a_file_that_is_gone_takes_its_spans_with_it() -> None:
    found = judge(None, cite(CODE, "ship"), lines(CODE, 1, 2))
    assert (found.change, [span.now for span in found.spans]) == ("gone", ["gone", "gone"])
    assert judge(None).change == "gone"


def test_a_file_that_became_binary_has_lost_its_spans() -> None:
    found = judge(b"\x00\x01" + CODE, cite(CODE, "ship"))
    assert (found.change, found.spans[0].now, found.line_map) == ("gone", "gone", None)
    assert judge(b"\x00\x01" + CODE).change == "edited"


def test_a_file_that_was_emptied_or_filled() -> None:
    assert judge(b"", cite(CODE, "ship"), lines(CODE, 1, 3)).change == "gone"
    assert judge(b"").change == "edited"
    assert judge(CODE, old=b"").change == "edited"
    assert judge(b"\n", old=b"").change == "cosmetic"


def test_what_moved_with_its_file_says_where_to() -> None:
    new = swap(CODE, b"> LIMIT:", b">= LIMIT:")
    spans = [cite(CODE, "ship"), cite(CODE, "parse")]
    found = drift(CODE, new, "python", spans, "orders.py", new_path="shop/Orders.py")
    assert [span.now for span in found.spans] == ["moved", "moved"]
    contents = [span.moved_to.content for span in found.spans if span.moved_to is not None]
    assert contents == ["changed", "identical"]
    assert found.change == "edited"
    assert found.moved_to is not None
    assert (found.moved_to.path, found.moved_to.content) == ("shop/Orders.py", "changed")


def test_a_case_only_renaming_is_moved_identical() -> None:
    found = drift(CODE, CODE, "python", [], "orders.py", new_path="Orders.py")
    assert found.change == "moved"
    assert found.spans[0].moved_to is not None
    assert found.spans[0].moved_to.content == "identical"


def test_lines_follow_what_was_added_above_them() -> None:
    span = lines_with(CODE, b"data = json.loads", b"raise ValueError")
    new = swap(CODE, b'"""Read an order."""', b'"""Read an order."""\n    text = text.strip()')
    found = one(new, span)
    assert (found.now, found.start_line) == ("unchanged", span.start_line + 1)


def test_code_that_was_put_between_lines_is_edited() -> None:
    span = lines_with(CODE, b"data = json.loads", b"raise ValueError")
    new = swap(CODE, b"data = json.loads(text)\n", b"data = json.loads(text)\n    data = migrate(data)\n")
    found = one(new, span)
    assert (found.now, found.start_line, found.end_line) == ("edited", span.start_line, span.end_line + 1)


def test_a_comment_that_was_put_between_lines_is_cosmetic() -> None:
    span = lines_with(CODE, b"data = json.loads", b"raise ValueError")
    new = swap(CODE, b"data = json.loads(text)\n", b"data = json.loads(text)\n    # Old ones have none.\n")
    found = one(new, span)
    assert (found.now, found.end_line) == ("cosmetic", span.end_line + 1)


def test_lines_that_were_removed_are_gone() -> None:
    span = lines_with(CODE, b"if order.total > LIMIT", b"notify")
    gone = swap(CODE, b"    if order.total > LIMIT:\n        address.notify(order)\n", b"")
    assert one(gone, span).now == "gone"
    replaced = swap(
        CODE,
        b"    if order.total > LIMIT:\n        address.notify(order)\n",
        b"    with tracing.span(__name__):\n        log.debug(__doc__)\n",
    )
    assert one(replaced, span).now == "gone"


def test_an_identical_block_elsewhere_is_not_taken_for_lines_that_were_edited() -> None:
    block = b"    with lock:\n        counter += 1\n        flush(counter)\n"
    old = b"def a():\n" + block + b"\n\ndef b():\n" + block + b"\n\ndef c():\n    return counter\n"
    new = old.replace(b"flush(counter)\n\n\ndef b", b"flush(counter, now=True)\n\n\ndef b")
    assert one(new, lines(old, 2, 4), old).now == "edited"
    second = one(new, lines(old, 8, 10), old)
    assert (second.now, second.start_line) == ("unchanged", 8)


def test_lines_in_a_function_that_moved_and_was_edited_are_found_inside_it() -> None:
    ship = b"def ship" + CODE.split(b"def ship")[1]
    moved = ship.replace(b"address.notify(order)", b"address.notify(order, LIMIT)")
    new = swap(swap(CODE, b"\n\n" + ship, b""), b"class Order:", moved + b"\n\nclass Order:")
    found = one(new, lines_with(CODE, b"if order.total > LIMIT", b"notify"))
    assert found.now == "edited"
    assert b"address.notify(order, LIMIT)" in text_of(new, found)


def test_lines_are_judged_even_if_the_definition_around_them_is_known() -> None:
    start = lines_with(CODE, b"data = json.loads", b"data = json.loads").start_line
    span = lines(CODE, start, start, symbol="parse")
    assert one(swap(CODE, b"int(line) + LIMIT", b"float(line)"), span).now == "unchanged"


def test_a_quotation_that_still_stands_is_unchanged_whatever_follows_on_its_line() -> None:
    line = lines_with(CODE, b"LIMIT = 30", b"LIMIT = 30").start_line
    span = lines(CODE, line, line, quote="LIMIT = 30")
    found = one(swap(CODE, b"LIMIT = 30\n", b"LIMIT = 30  # in euros\n"), span)
    assert found.now == "unchanged"
    assert one(swap(CODE, b"LIMIT = 30\n", b"LIMIT = 60\n"), span).now == "edited"


def test_spans_beyond_the_end_of_a_file_are_gone() -> None:
    assert one(CODE + b"\n", CitedSpan(900, 901)).now == "gone"


def test_a_symbol_that_the_old_text_does_not_have_is_judged_by_its_lines() -> None:
    span = CitedSpan(38, 41, "no.such.name")
    assert one(swap(CODE, b"> LIMIT:", b">= LIMIT:"), span).now == "edited"


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


def test_a_span_in_prose_survives_changes_around_it() -> None:
    old = b"# Title\n\nFirst rule.\n\nSecond rule.\nIt has two lines.\n\nEnd.\n"
    new = b"# Title\n\nA new rule.\n\nFirst rule.\n\nSecond rule.\nIt has two lines.\n\nThe end.\n"
    found = drift(old, new, "markdown", [lines(old, 5, 6), lines(old, 8, 8)], "RULES.md")
    assert [span.now for span in found.spans] == ["unchanged", "edited"]


def test_typescript_functions_are_judged_too() -> None:
    old = dedent(
        """
        import { z } from "zod";

        export class Cart {
          private items: Item[] = [];

          total(currency: string): number {
            return this.items.reduce((sum, item) => sum + item.price(currency), 0);
          }

          add(item: Item): void {
            this.items.push(item);
          }
        }

        export const parse = (text: string): Cart => {
          const url = "https://example.org//not-a-comment";
          return fetchCart(url, text);
        };
        """
    ).encode()
    names = ["Cart", "Cart.total", "Cart.add", "parse"]
    spans = [cite(old, name, "typescript", "orders.ts") for name in names]

    def verdicts(new: bytes) -> list[str]:
        return [span.now for span in judge(new, *spans, old=old, language="typescript").spans]

    assert verdicts(old.replace(b"sum + item", b"sum - item")) == [
        "edited",
        "edited",
        "unchanged",
        "unchanged",
    ]
    assert verdicts(old.replace(b"(item);", b"(item)")) == ["cosmetic", "unchanged", "cosmetic", "unchanged"]
    assert verdicts(old.replace(b"not-a-comment", b"changed"))[3] == "edited"
    assert verdicts(old.replace(b"class Cart", b"class Basket").replace(b": Cart", b": Basket")) == [
        "moved",
        "moved",
        "moved",
        "edited",
    ]


def test_a_source_that_can_t_be_parsed_is_judged_by_its_text() -> None:
    broken = CODE.replace(b"LIMIT = 30", b"LIMIT = \0")
    found = judge(broken.replace(b"30", b"31"), cite(CODE, "ship"), old=CODE)
    assert found.spans[0].now in ("gone", "unchanged")


def test_twenty_thousand_lines_are_judged_in_a_second() -> None:
    parts = [
        b"def function_%d(value):\n    step = value + %d\n    return step * 2\n\n" % (number, number)
        for number in range(5_000)
    ]
    old = b"".join(parts)
    spans = [CitedSpan(4 * n + 1, 4 * n + 3, f"function_{n}") for n in range(0, 5_000, 100)]
    new = old.replace(b"value + 2500\n", b"value - 2500\n").replace(
        b"value + 7\n", b"value + 7\n    step += 1\n"
    )
    started = time.process_time()
    found = drift(old, new, "python", spans, "big.py")
    assert time.process_time() - started < 2.0
    assert [span.span.symbol for span in found.spans if span.now == "edited"] == ["function_2500"]
    assert sum(span.now == "unchanged" for span in found.spans) == 49


def test_nothing_of_the_text_is_kept_in_a_verdict() -> None:
    found = judge(swap(CODE, b"> LIMIT:", b">= LIMIT:"), cite(CODE, "ship"))
    assert "LIMIT" not in repr(found)
