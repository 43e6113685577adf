"""What can be said of a kind of node: whether it is a definition, of what kind, and what it encloses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import tree_sitter

from afresh_indexer import definition_names as names


class Scope(Enum):
    """What a node is for the definitions inside of it."""

    NONE = "none"
    """Nothing: they belong to what is around it."""
    TYPE = "type"
    """Its functions are methods and its variables are fields."""
    MODULE = "module"
    FUNCTION = "function"
    """Its variables are local and left out; its functions and types are not."""


Names = Callable[[tree_sitter.Node, bytes], list[str]]


@dataclass(frozen=True, slots=True)
class Rule:
    """What to do at nodes of one kind."""

    kind: str = ""
    """The symbol's kind; empty for a node that only encloses."""
    member: str = ""
    """The kind directly inside a type, where it differs."""
    scope: Scope = Scope.NONE
    names: Names = names.by_field
    scope_names: Names | None = None
    """What its members' names start with, where that is not its own name."""
    refine_scope: Callable[[tree_sitter.Node], Scope] | None = None
    """Tells what the node is for those inside, where it stands outside of all functions."""
    local: bool = True
    """Whether it is also a definition inside a function."""
    only_in_type: bool = False
    refine: Callable[[tree_sitter.Node, str, bytes], str] | None = None
    """Tells kinds apart that the grammar gives one node: takes the node and the kind so far."""
    local_functions: bool = False
    """Where it is not: still one if what it defines is a function or a class."""
    encloses: bool = False
    """Definitions inside start with its name, although it is no scope."""
    parts: Callable[[tree_sitter.Node, bytes], list[tuple[str, tree_sitter.Node]]] | None = None
    """In place of `names`: single words inside of it that are definitions of their own."""
    lifted: bool = False
    """It stands in a function's parameters and belongs to what is around the function."""
    starts: tuple[bytes, ...] = ()
    """What its source must start with, for kinds that are common and seldom definitions."""
    first_only: bool = False
    """A name that is set again in the same scope is one definition."""
