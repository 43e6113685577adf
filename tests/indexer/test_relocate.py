"""Where a definition, lines or a file went, and when nothing is claimed."""

from __future__ import annotations

import hashlib
from textwrap import dedent

from afresh_indexer.outline import outline
from afresh_indexer.relocate import CandidateFile, Relocation, Relocator
from afresh_indexer.verdicts import CitedSpan

SEND = dedent(
    '''
    def send(order, address, retries=3):
        """Hand an order to the carrier."""
        for attempt in range(retries):
            receipt = carrier.post(address.street, order.lines)
            if receipt.accepted:
                return receipt.number
        raise TimeoutError(f"no carrier took {order}")
    '''
).lstrip()
OTHER = dedent(
    """
    def total(lines, currency):
        amounts = [line.price(currency) * line.count for line in lines]
        return round(sum(amounts), 2)
    """
).lstrip()
CLOSE = "    def close(self):\n        self._file.flush()\n"


def cite(text: str, name: str) -> CitedSpan:
    symbol = next(
        one for one in outline("a.py", text.encode(), "python").symbols if one.qualified_name == name
    )
    return CitedSpan(
        symbol.start_line, symbol.end_line, name, None, symbol.source_sha256, symbol.tokens_sha256
    )


def find(old: str, name: str, *candidates: tuple[str, str] | tuple[str, str, str]) -> Relocation | None:
    files = [
        CandidateFile(one[0], one[1].encode(), "python", one[2].encode() if len(one) > 2 else None)
        for one in candidates
    ]
    return Relocator(files).span(old.encode(), "python", "a.py", cite(old, name))


def file_of(old: str, *candidates: tuple[str, str], path: str = "shop/orders.py") -> Relocation | None:
    files = [CandidateFile(name, text.encode(), "python") for name, text in candidates]
    return Relocator(files).file(old.encode(), "python", path)


def test_a_function_that_moved_to_another_file_is_found_there() -> None:
    found = find(SEND, "send", ("b.py", OTHER), ("c.py", OTHER + "\n\n" + SEND))
    assert found is not None
    assert (found.moved_to.path, found.moved_to.symbol) == ("c.py", "send")
    assert (found.moved_to.start_line, found.moved_to.content, found.likeness) == (6, "identical", 1.0)


def test_a_function_that_became_a_method_is_cosmetic_there() -> None:
    inside = "class Shop:\n" + "".join(f"    {line}\n" if line else "\n" for line in SEND.splitlines())
    found = find(SEND, "send", ("c.py", inside))
    assert found is not None
    assert (found.moved_to.symbol, found.moved_to.content) == ("Shop.send", "cosmetic")


def test_a_function_that_moved_and_was_renamed_is_found_by_its_body() -> None:
    found = find(SEND, "send", ("c.py", OTHER + "\n\n" + SEND.replace("def send", "def dispatch")))
    assert found is not None
    assert (found.moved_to.symbol, found.moved_to.content) == ("dispatch", "identical")


def test_a_function_that_moved_and_was_edited_is_changed_there() -> None:
    edited = SEND.replace("retries=3", "retries=5").replace("order.lines)", "order.lines, express=True)")
    found = find(SEND, "send", ("c.py", edited))
    assert found is not None
    assert found.moved_to.content == "changed"
    assert 0.6 < found.likeness < 1.0


def test_a_function_of_the_same_name_that_does_something_else_is_not_claimed() -> None:
    other = (
        "def send(message):\n    with socket() as wire:\n        wire.write(message)\n        log(message)\n"
    )
    assert find(SEND, "send", ("c.py", other)) is None


def test_half_a_function_is_not_claimed() -> None:
    lines = SEND.splitlines(keepends=True)
    first = (
        "def prepare(order, address, retries=3):\n    attempts = range(retries)\n    return order, attempts\n"
    )
    second = "def deliver(receipt):\n" + "".join(line[4:] for line in lines[4:6])
    assert find(SEND, "send", ("c.py", first + "\n\n" + second)) is None


def test_a_trivial_body_is_not_claimed_by_its_bytes_alone() -> None:
    old = "class A:\n    def close(self):\n        pass\n"
    assert find(old, "A.close", ("b.py", "class B:\n    def close(self):\n        pass\n")) is None
    assert find("def f():\n    pass\n", "f", ("b.py", "def f():\n    pass\n")) is None


def test_a_short_method_is_claimed_only_under_its_whole_name() -> None:
    old = "class Log:\n" + CLOSE
    assert find(old, "Log.close", ("b.py", "class Other:\n" + CLOSE)) is None
    found = find(old, "Log.close", ("b.py", "class Log:\n" + CLOSE), ("c.py", "class Other:\n" + CLOSE))
    assert found is not None
    assert found.moved_to.path == "b.py"


def test_a_copy_that_was_there_before_is_not_where_it_went() -> None:
    assert find(SEND, "send", ("b.py", SEND + "\n\n" + OTHER, SEND)) is None
    assert find(SEND, "send", ("b.py", SEND + "\n\n" + OTHER, OTHER)) is not None


def test_two_equally_good_places_are_none() -> None:
    assert find(SEND, "send", ("b.py", SEND), ("c.py", SEND)) is None


def test_a_constant_is_claimed_only_if_it_says_something() -> None:
    plain = "LIMIT = 30\n"
    assert find(plain, "LIMIT", ("b.py", plain)) is None
    telling = 'CARRIERS = ("north", "south", "express", "harbour")\n'
    found = find(telling, "CARRIERS", ("b.py", telling))
    assert found is not None
    assert found.moved_to.symbol == "CARRIERS"


def test_lines_that_stand_together_elsewhere_are_found() -> None:
    lines = SEND.splitlines(keepends=True)
    span = CitedSpan(3, 6, source_sha256=hashlib.sha256("".join(lines[2:6]).encode()).hexdigest())
    moved = ("c.py", ("def other():\n    pass\n\n\n" + SEND).encode(), "python")
    found = Relocator([CandidateFile(*moved)]).span(SEND.encode(), "python", "a.py", span)
    assert found is not None
    assert (found.moved_to.start_line, found.moved_to.end_line, found.moved_to.symbol) == (7, 10, None)
    copied = CandidateFile("c.py", moved[1], "python", before=moved[1])
    assert Relocator([copied]).span(SEND.encode(), "python", "a.py", span) is None


def test_lines_in_another_form_are_found_by_their_tokens() -> None:
    formatted = SEND.replace(
        "carrier.post(address.street, order.lines)",
        "carrier.post(\n            address.street, order.lines\n        )",
    )
    found = Relocator([CandidateFile("c.py", formatted.encode(), "python")]).span(
        SEND.encode(), "python", "a.py", CitedSpan(3, 6)
    )
    assert found is not None
    assert (found.moved_to.start_line, found.moved_to.end_line) == (3, 8)
    assert found.moved_to.content == "cosmetic"


def test_few_words_are_not_followed_as_lines() -> None:
    old = b"a = 1\nreturn a\n"
    found = Relocator([CandidateFile("c.py", old, "python")]).span(old, "python", "a.py", CitedSpan(1, 2))
    assert found is None


def test_a_file_with_the_same_bytes_is_where_it_went() -> None:
    found = file_of(SEND, ("other.py", OTHER), ("lib/sending.py", SEND))
    assert found is not None
    assert (found.moved_to.path, found.moved_to.content, found.likeness) == (
        "lib/sending.py",
        "identical",
        1.0,
    )


def test_a_renamed_file_with_small_edits_is_found() -> None:
    old = SEND + "\n\n" + OTHER
    found = file_of(old, ("lib/sending.py", old.replace("retries=3", "retries=4")), ("x.py", OTHER))
    assert found is not None
    assert (found.moved_to.path, found.moved_to.content) == ("lib/sending.py", "changed")


def test_a_renamed_file_in_another_form_is_cosmetic() -> None:
    assert_cosmetic = [
        file_of(SEND, ("lib/sending.py", SEND.replace("\n", "\r\n"))),
        file_of(SEND, ("lib/sending.py", SEND.replace("range(retries):", "range( retries ) :"))),
    ]
    assert [one.moved_to.content for one in assert_cosmetic if one is not None] == ["cosmetic", "cosmetic"]


def test_the_same_name_decides_between_equal_files() -> None:
    found = file_of(SEND, ("lib/ORDERS.py", SEND), ("lib/copy.py", SEND))
    assert found is not None
    assert found.moved_to.path == "lib/ORDERS.py"
    assert file_of(SEND, ("lib/one.py", SEND), ("lib/two.py", SEND)) is None


def test_a_case_only_renaming_of_a_file_is_identical() -> None:
    found = file_of("x = 1\n", ("shop/Orders.py", "x = 1\n"))
    assert found is not None
    assert (found.moved_to.path, found.moved_to.content) == ("shop/Orders.py", "identical")


def test_files_without_words_are_never_claimed() -> None:
    assert file_of("", ("lib/orders.py", "")) is None
    assert file_of("\n\n", ("lib/orders.py", "\n\n")) is None
    assert file_of("# only\n", ("lib/orders.py", "# only\n")) is None


def test_a_file_that_shares_little_is_not_claimed() -> None:
    assert file_of(SEND, ("lib/orders.py", OTHER)) is None


def test_a_short_function_is_found_under_a_name_of_several_words() -> None:
    old = "def ajax_get(url, headers=None):\n    return Observable(verb='GET', url=url, headers=headers)\n"
    new = old.replace("Observable", "ajax").replace("(url, headers=None)", "(url: str, headers: Map = NONE)")
    found = find(old, "ajax_get", ("b.py", new))
    assert found is not None
    assert (found.moved_to.symbol, found.moved_to.content) == ("ajax_get", "changed")
    assert find(old, "ajax_get", ("b.py", new), ("c.py", new.replace("ajax(", "fetch("))) is None


def test_a_name_that_became_public_is_the_same_name() -> None:
    moved = SEND.replace("def send", "def _send_order")
    new = (
        moved.replace("_send_order", "send_order")
        .replace("receipt.number", "log(receipt)")
        .replace("address.street", "address")
    )
    found = find(moved, "_send_order", ("b.py", OTHER + "\n\n" + new))
    assert found is not None
    assert found.moved_to.symbol == "send_order"


def test_identical_copies_under_a_telling_name_are_as_good_as_one() -> None:
    old = SEND.replace("def send", "def send_order")
    found = find(old, "send_order", ("shop/b.py", old), ("c.py", old))
    assert found is not None
    assert found.moved_to.path in ("shop/b.py", "c.py")
    assert found.moved_to.content == "identical"


def test_a_file_that_was_as_like_before_is_not_where_another_one_went() -> None:
    twin = SEND + "\n\n" + OTHER
    candidate = CandidateFile("shop/twin.py", (twin + "\nDONE = 1\n").encode(), "python", twin.encode())
    assert Relocator([candidate]).file(twin.encode(), "python", "shop/orders.py") is None


def test_two_telling_lines_are_found_where_they_are_new() -> None:
    old = "root_path = self.root_path\nif instance_relative:\n    root_path = self.instance_path\n"
    span = CitedSpan(2, 3, None, "if instance_relative:\n    root_path = self.instance_path")
    new = "class Config:\n    pass\n\n\n" + old
    found = Relocator([CandidateFile("b.py", new.encode(), "python")]).span(
        old.encode(), "python", "a.py", span
    )
    assert found is not None
    assert (found.moved_to.path, found.moved_to.start_line, found.moved_to.end_line) == ("b.py", 6, 7)


def test_among_near_equals_the_whole_name_decides() -> None:
    method = "class Option:\n    def choices(self, values, strict=True):\n        self.values = values\n"
    method += (
        "        self.parse = lambda text: check(text, values, strict, self.flags)\n        return self\n"
    )
    moved = method.replace("check(text,", "checked(text,")
    other = moved.replace("class Option", "class Argument").replace("self.flags", "self.flag")
    found = find(method, "Option.choices", ("argument.py", other), ("option.py", moved))
    assert found is not None
    assert (found.moved_to.path, found.moved_to.symbol) == ("option.py", "Option.choices")


HEADERS = (
    "class Headers:\n    def __init__(self, defaults=None):\n        self.pairs = list(defaults or ())\n\n"
    "    def add(self, name, value):\n        self.pairs.append((str(name).title(), str(value)))\n\n"
    "    def find(self, name):\n        return next((v for n, v in self.pairs if n == name.title()), None)\n"
)


def test_a_member_of_a_class_that_moved_is_the_one_of_its_name_there() -> None:
    moved = HEADERS.replace(
        "self.pairs = list(defaults or ())", "if defaults:\n            self.update(defaults)"
    )
    found = find(HEADERS, "Headers.__init__", ("headers.py", moved))
    assert found is not None
    assert (found.moved_to.symbol, found.moved_to.content) == ("Headers.__init__", "changed")


def test_a_member_whose_whole_name_stands_elsewhere_is_not_another_class_s() -> None:
    stub = HEADERS.replace("class Headers", "class Environ")
    found = find(HEADERS, "Headers.add", ("headers.py", HEADERS, HEADERS), ("environ.py", stub))
    assert found is None
