"""The kinds of resources that there are: how each is addressed, read, completed, and known to be another.

A new kind is one entry in `KINDS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, unquote

from afresh.engine.calls import News
from afresh.faces import resource_pages

MIME_TYPE = "text/markdown"
"""Of every resource. Clients show the text of a resource to people and put the same text before a model:
Markdown serves both, and its fences keep saved text apart. A second version as JSON would double what a
model reads; programs have the tools, whose results are JSON under a schema."""

_ID = re.compile(r"[1-9][0-9]{0,18}")
_SCHEME = "afresh://"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of resource."""

    template: str
    """A URI template with one variable."""
    title: str
    description: str
    variable: Literal["id", "project"]
    completes: Literal["memory", "memo", "project", "run", "answer"]
    """What the verb `complete` completes the variable with."""
    verb: str
    """What reads it."""
    arguments: Callable[[str], Mapping[str, Any]]
    """The verb's arguments for a value of the variable."""
    page: Callable[[Any], str] = field(compare=False)
    """The verb's result as text."""
    knows: Callable[[str], Mapping[str, Iterable[Any]]] = field(compare=False)
    """What a follower asks about, so that it is told when the resource is another."""
    told: Callable[[str, News], bool] = field(compare=False)
    """Whether news say that the resource is another."""


KINDS: tuple[Kind, ...] = (
    Kind(
        "afresh://project/{project}/stale",
        "Stale conclusions of a project",
        "Conclusions and memories whose files changed since, gravest first, with how badly and where.",
        "project",
        "project",
        "stale",
        lambda name: {"project": name},
        resource_pages.stale,
        lambda name: {"projects": [name]},
        lambda name, news: name in news.stale,
    ),
    Kind(
        "afresh://memo/{id}",
        "A conclusion about code",
        "What was concluded, from which files, and whether each is what it was, judged as it is read.",
        "id",
        "memo",
        "memo",
        lambda id_: {"id": int(id_)},
        resource_pages.memo,
        lambda id_: {"memos": [int(id_)]},
        lambda id_, news: int(id_) in news.memos,
    ),
    Kind(
        "afresh://memo/{id}/diff",
        "What changed under a conclusion",
        "The unified diff of each file that a conclusion was read from and that changed since.",
        "id",
        "memo",
        "memo_diff",
        lambda id_: {"id": int(id_)},
        resource_pages.memo_diff,
        lambda id_: {"memos": [int(id_)]},
        lambda id_, news: int(id_) in news.diffs,
    ),
    Kind(
        "afresh://memory/{id}",
        "A memory",
        "One saved memory whole: its text, where it came from, and whether the files it cites still stand.",
        "id",
        "memory",
        "memory_get",
        lambda id_: {"ids": [int(id_)]},
        resource_pages.memory,
        lambda id_: {"memories": [int(id_)]},
        lambda id_, news: int(id_) in news.memories,
    ),
    Kind(
        "afresh://run/{id}",
        "A recall in several steps",
        "How a memory_recall_iterative went: its searches, what was planned after each, and its evidence.",
        "id",
        "run",
        "run",
        lambda id_: {"id": int(id_)},
        resource_pages.run,
        # A run is over when it gets its id, and stays as it is.
        lambda id_: {},
        lambda id_, news: False,
    ),
    Kind(
        "afresh://answer/{id}",
        "An answer from memory",
        "A stored answer, and for each quote whether it still stands in its record, judged as it is read.",
        "id",
        "answer",
        "verify_answer",
        lambda id_: {"id": int(id_)},
        resource_pages.answer,
        lambda id_: {},
        lambda id_, news: False,
    ),
)


@dataclass(frozen=True, slots=True)
class Address:
    """One resource."""

    kind: Kind
    value: str
    """Of the template's variable, as it is: a project's name is not escaped here."""

    @property
    def uri(self) -> str:
        """As it is written in lists."""
        return self.kind.template.replace(f"{{{self.kind.variable}}}", quote(self.value, safe=""))


def address_of(uri: str) -> Address | None:
    """The resource that a URI names; None where it names none of ours. It need not exist."""
    if not uri.startswith(_SCHEME):
        return None
    parts = uri.removeprefix(_SCHEME).split("/")
    for kind in KINDS:
        shape = kind.template.removeprefix(_SCHEME).split("/")
        if len(shape) != len(parts):
            continue
        if any(there != here for there, here in zip(shape, parts, strict=True) if not there.startswith("{")):
            continue
        value = unquote(parts[shape.index(f"{{{kind.variable}}}")])
        if value and (kind.variable == "project" or _ID.fullmatch(value)):
            return Address(kind, value)
    return None


def kind_of(template: str) -> Kind | None:
    """The kind with that template, or of that resource."""
    found = next((kind for kind in KINDS if kind.template == template), None)
    if found is not None:
        return found
    address = address_of(template)
    return address.kind if address is not None else None


def stale_of(project: str) -> Address:
    """The list of what is stale in a project."""
    return Address(KINDS[0], project)


def memo(id_: int) -> Address:
    """One conclusion."""
    return Address(KINDS[1], str(id_))
