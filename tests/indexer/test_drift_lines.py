"""What becomes of lines and quotations that were cited."""

from __future__ import annotations

import time

from tests.indexer.drift_cases import CODE, lines, lines_with, one, swap, text_of

from afresh_indexer.drift import drift
from afresh_indexer.verdicts import CitedSpan


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


def test_a_span_in_prose_survives_changes_around_it() -> None:
    old = b"# Title\n\nFirst rule.\n\nSecond rule.\nIt has two lines.\n\nEnd.\n"
    new = b"# Title\n\nA new rule.\n\nFirst rule.\n\nSecond rule.\nIt has two lines.\n\nThe end.\n"
    found = drift(old, new, "markdown", [lines(old, 5, 6), lines(old, 8, 8)], "RULES.md")
    assert [span.now for span in found.spans] == ["unchanged", "edited"]


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


def test_lines_inside_of_a_long_string_are_compared_as_they_stand() -> None:
    old = b'def query(db):\n    sql = """\n    select name\n    from orders\n    where open\n    """\n'
    old += b"    return db(sql)\n"
    inner = lines(old, 3, 5)
    assert one(old.replace(b"from orders", b"from invoices"), inner, old).now == "edited"
    assert one(old.replace(b"where open", b"where  open"), inner, old).now == "edited"
    assert one(old.replace(b"db(sql)", b"db( sql )"), inner, old).now == "unchanged"


def test_lines_inside_of_a_template_are_compared_as_they_stand() -> None:
    old = b"run(`\ninstall([\n  'alpha',\n  'beta',\n])\n`);\n"
    assert one(old.replace(b"  'beta',\n", b""), lines(old, 2, 5), old, "typescript").now == "edited"


def test_a_quotation_that_stands_somewhere_else_in_the_file_is_unchanged() -> None:
    limit = lines_with(CODE, b"LIMIT = 30", b"LIMIT = 30").start_line
    span = lines(CODE, limit, limit, quote="LIMIT = 30")
    new = swap(swap(CODE, b"LIMIT = 30\n", b""), b"def ship", b"LIMIT = 30  # in euros\n\n\ndef ship")
    found = one(new, span)
    assert found.now == "unchanged"
    assert text_of(new, found).startswith(b"LIMIT = 30")


def test_lines_are_not_edited_into_lines_that_were_there_before() -> None:
    old = b"from .a import Alpha\nfrom .b import Beta\nfrom .b import Gamma\n\nprint(Alpha)\n"
    new = b"from .a import Alpha\n\nprint(Alpha)\n"
    assert one(new, lines(old, 2, 3), old).now == "gone"


def test_lines_that_share_only_everyday_words_with_what_replaced_them_are_gone() -> None:
    span = lines_with(CODE, b"def convert(line)", b"return int(line)")
    own = b"    def convert(line):\n        return int(line) + LIMIT\n"
    new = swap(CODE, own, b"    def report(stream):\n        return logging.getLogger(stream)\n")
    assert one(new, span).now == "gone"
