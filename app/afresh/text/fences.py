"""Recalled text as data: fenced so that nothing inside ends its fence or passes for what is around it."""

from __future__ import annotations

import re

_RUN = re.compile(r"`{3,}")
_INFO = re.compile(r"[^\w.:/-]+")


def fenced(text: str, info: str) -> str:
    """A Markdown block that holds a text as it is; its fence is longer than any that the text has.

    `info` is one word that says what it is.
    """
    longest = max((len(run) for run in _RUN.findall(text)), default=2)
    fence = "`" * (longest + 1)
    body = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    return f"{fence}{_INFO.sub('-', info)}\n{body}\n{fence}"


def inline(text: str) -> str:
    """A text from outside for one line of Markdown: white space folded, and nothing in it is markup."""
    flat = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", flat)
