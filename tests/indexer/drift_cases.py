"""The file that the tests of drift change, and spans of it as a recording has them."""

from __future__ import annotations

import hashlib
from textwrap import dedent

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
