"""What becomes of a definition that was cited by its name."""

from __future__ import annotations

from textwrap import dedent

import pytest
from tests.indexer.drift_cases import CODE, cite, judge, lines_with, one, swap, text_of

from afresh_indexer.drift import drift


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


READ = b'''
def from_json(self, filename, silent=False):
    """%b"""
    path = os.path.join(self.root_path, filename)
    try:
        with open(path) as stream:
            loaded = %b(stream.read())
    except OSError as error:
        if silent and error.errno in (errno.ENOENT, errno.EISDIR):
            return False
        error.strerror = f"can't load {error.strerror}"
        raise
    return self.from_mapping(loaded)
'''


def test_a_rewritten_docstring_hides_no_renaming() -> None:
    old = READ % (b"Update the values from a JSON file, silent or not. " * 4, b"json.loads")
    new = READ.replace(b"from_json", b"from_file") % (
        b"Read any format; see the changes for how. " * 7,
        b"load",
    )
    found = one(new, cite(old, "from_json"), old)
    assert found.now == "moved"
    assert found.moved_to is not None
    assert (found.moved_to.symbol, found.moved_to.content) == ("from_file", "changed")


def test_of_two_lost_functions_the_likelier_one_has_the_new_name() -> None:
    body = b"    rows = load(path)\n    kept = [row for row in rows if row.%b > limit]\n"
    body += b"    return store(kept, %b)\n"
    first = b"def pick_by_price(path, limit):\n" + body % (b"price", b"prices")
    second = b"def pick_by_weight(path, limit):\n" + body % (b"weight", b"weights")
    new = b"def choose(path, limit):\n" + body % (b"weight", b"weights")
    old = first + b"\n\n" + second
    found = judge(new, cite(old, "pick_by_price"), cite(old, "pick_by_weight"), old=old)
    assert [span.now for span in found.spans] == ["gone", "moved"]


def test_a_function_with_one_inside_becomes_one_with_one_inside() -> None:
    old = dedent(
        """
        def binop(operator):
            @optimize
            def visitor(self, node, frame):
                self.write("(")
                self.visit(node.left, frame)
                self.write(f" {operator} ")
                self.visit(node.right, frame)
                self.write(")")

            return visitor
        """
    ).encode()
    new = old.replace(b"def binop(operator):", b'def _make(op: str) -> "Visitor":\n    """Make one."""')
    new = new.replace(b"{operator}", b"{op}")
    found = one(new, cite(old, "binop"), old)
    assert found.moved_to is not None
    assert found.moved_to.symbol == "_make"


def test_the_last_method_of_a_class_has_no_part_in_the_end_of_the_class() -> None:
    first = b'    def close(self):\n        """Close it, and wait.\n\n        Always.\n        """\n'
    other = b"    def open(self):\n        return self.file\n"
    old = b"class Stream:\n" + first + b"\n" + other
    new = b"class Stream:\n" + other + b"\n" + first.replace(b"\n\n        Always.\n        ", b"")
    assert one(new, cite(old, "Stream.close"), old).now == "docs_only"
