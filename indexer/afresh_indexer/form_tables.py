"""Turns a Form into tables by the grammar's numbers, which a walk can look things up in quickly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import tree_sitter

from afresh_indexer import quotes
from afresh_indexer.forms import FORMS, Form
from afresh_indexer.languages import grammar

ERROR = 0xFFFF
"""tree-sitter's number for a node that could not be parsed, in every grammar."""

FIXED, PLAIN, BRACKET, SEPARATOR, COMMENT, OPAQUE, STRING, PARENTHESES = range(8)
QUOTE, INTERPOLATION, VARYING, WATCHED, BROKEN, MARKUP, ENTITY, UNSURE = range(8, 16)
NUMBER, ROW, HEAD, OWN_BRACKETS, PARAMETERS = range(16, 21)

WHOLE = frozenset((COMMENT, OPAQUE, STRING, BROKEN, MARKUP))
"""Actions that take a node's source as a whole, so that what its leaves leave out is not lost."""

_WORDS = frozenset(
    (
        "identifier",
        "type_identifier",
        "field_identifier",
        "property_identifier",
        "shorthand_property_identifier",
        "private_property_identifier",
        "package_identifier",
        "namespace_identifier",
        "primitive_type",
        "predefined_type",
        "constant",
        "integer",
        "float",
        "number",
        "number_literal",
        "int_literal",
        "integer_literal",
        "decimal_integer_literal",
        "boolean_literal",
        "true",
        "false",
        "none",
        "null",
        "null_literal",
        "nil",
        "this",
        "self",
        "word",
        "operator",
        "string_fragment",
    )
)
"""Kinds without nodes inside in any grammar; if one had some, its text would stand in the stream as it is."""

_CLOSERS = (")", "]", "}", ">")


@dataclass(frozen=True, slots=True)
class Watch:
    """Which nodes of one kind a caller wants to hear of."""

    kind: str
    starts: tuple[bytes, ...] = ()
    """What their source must start with; nothing there means any."""
    local: bool = True
    """Also those inside a function."""
    is_function: bool | None = None
    """Whether what is inside of them is inside a function; None where that depends on what is around."""


Watched = frozenset[Watch]


@dataclass(frozen=True, slots=True)
class Tables:
    """A Form with numbers in place of the names of kinds. Lists are indexed by kind."""

    form: Form
    names: list[str]
    actions: list[int]
    actions_in_errors: list[int]
    """For a tree with errors, in which a word or sign may be missing, so that each is looked at."""
    fixed: list[bytes | None]
    """The text of a word or sign that always stands for itself; None for all other kinds."""
    fixed_in_errors: list[bytes | None]
    """The same for a tree with errors, in which any may be missing: none."""
    opened: list[bytes | None]
    """The mark that opens an ordinary node; None for all other kinds."""
    words: list[bytes | None]
    """What stands before a name or a number, which has no nodes inside; None for all other kinds."""
    texts: list[bytes]
    """What stands for a kind: the text of a word or sign, or the mark that opens a node."""
    leaves: list[bytes]
    """What stands before the text of a named leaf."""
    watched: Mapping[int, Watch]
    strings: Mapping[int, Callable[[bytes], bytes | None]]
    loose: Mapping[int, frozenset[str]]
    """The fields of a parent in which parentheses are form; empty where all of it is meant."""
    kept: frozenset[int]
    trailing: frozenset[int]
    dropped: frozenset[tuple[int, bytes]]
    delicate: frozenset[int]
    """The parents in `dropped`."""
    unescaped: frozenset[int]
    flat: frozenset[int]
    string_rows: frozenset[int]
    """The kinds of several strings that are read as one."""
    rows: Mapping[int, int]
    """The kind that a row of expressions counts as."""
    single_in: frozenset[int]
    """The parents in which a parameter's parentheses may be form."""


@cache
def tables_of(language: str, tsx: bool, watched: Watched, skips: bool) -> Tables:
    """The tables of a language (TypeScript has two grammars), with these kinds watched.

    With `skips` expression statements are looked at one by one.

    Raises LookupError for a language without a grammar.
    """
    known = grammar(language, "x.tsx" if tsx else "")
    form = FORMS[language]
    kinds = range(known.node_kind_count)
    names = [known.node_kind_for_id(kind) or "" for kind in kinds]
    named = [known.node_kind_is_named(kind) for kind in kinds]
    padding = ERROR - known.node_kind_count

    def numbers(wanted: frozenset[str]) -> frozenset[int]:
        return frozenset(kind for kind in kinds if named[kind] and names[kind] in wanted)

    loose: dict[int, frozenset[str]] = {}
    for place in sorted(form.loose):
        parent, _, field = place.partition(".")
        for kind in numbers(frozenset((parent,))):
            loose[kind] = loose.get(kind, frozenset()) | ({field} if field else frozenset())
    dropped = frozenset(
        (kind, sign.encode()) for parent, sign in form.dropped for kind in numbers(frozenset((parent,)))
    )
    noticed = frozenset(watch.kind for watch in watched) | ({"expression_statement"} if skips else set())
    actions = _actions(known, form, noticed)
    texts = [b"\x02%d" % kind if named[kind] else names[kind].encode() for kind in kinds]
    leaves = [b"\x02%d\x1f" % kind for kind in kinds]
    words = [named[kind] and actions[kind] == PLAIN and names[kind] in _WORDS for kind in kinds]
    nothing: list[bytes | None] = [None] * (padding + 1)
    return Tables(
        form=form,
        names=[*names, *[""] * padding, "ERROR"],
        actions=[*actions, *[PLAIN] * padding, BROKEN],
        actions_in_errors=[
            *(UNSURE if action == FIXED else action for action in actions),
            *[PLAIN] * padding,
            BROKEN,
        ],
        fixed=[
            *(text if action == FIXED else None for text, action in zip(texts, actions, strict=True)),
            *nothing,
        ],
        fixed_in_errors=[None] * (ERROR + 1),
        opened=[
            *(
                text if action == PLAIN and not word else None
                for text, action, word in zip(texts, actions, words, strict=True)
            ),
            *nothing,
        ],
        words=[*(leaf if word else None for leaf, word in zip(leaves, words, strict=True)), *nothing],
        texts=[*texts, *[b"\x02"] * (padding + 1)],
        leaves=[*leaves, *[b"\x02\x1f"] * (padding + 1)],
        watched={kind: watch for watch in watched for kind in numbers(frozenset((watch.kind,)))},
        strings={kind: form.strings[names[kind]] for kind in numbers(frozenset(form.strings))},
        loose=loose,
        kept=numbers(form.separators_kept_in),
        trailing=numbers(form.trailing_commas),
        dropped=dropped,
        delicate=frozenset(parent for parent, _ in dropped),
        unescaped=numbers(form.unescaped_in),
        flat=numbers(form.flat),
        string_rows=numbers(frozenset(("concatenated_string",))) & numbers(frozenset(form.strings)),
        rows={
            kind: min(numbers(frozenset((form.rows[names[kind]],)))) for kind in numbers(frozenset(form.rows))
        },
        single_in=numbers(frozenset((form.single_in,))),
    )


def _actions(known: tree_sitter.Language, form: Form, watched: frozenset[str]) -> list[int]:
    brackets = {sign for _, sign in form.dropped}
    if form.parentheses:
        brackets |= {"(", ")"}
    if form.trailing_commas:
        brackets |= set(_CLOSERS)
    actions: list[int] = []
    for kind in range(known.node_kind_count):
        name = known.node_kind_for_id(kind) or ""
        if known.node_kind_is_named(kind):
            actions.append(_named_action(name, form, watched))
        elif name in form.separators:
            actions.append(SEPARATOR)
        elif name in brackets:
            actions.append(BRACKET)
        elif name in form.heads:
            actions.append(HEAD)
        elif not name or name[0] in "#$\"'" or any(character.isspace() for character in name):
            actions.append(VARYING)
        else:
            actions.append(FIXED)
    return actions


def _named_action(name: str, form: Form, watched: frozenset[str]) -> int:
    if name in form.comments:
        return COMMENT
    if name in form.strings:
        return STRING
    if name in form.numbers:
        return NUMBER
    if name in form.rows:
        return ROW
    if name in form.own_brackets:
        return OWN_BRACKETS
    if name == form.single_parameters:
        return PARAMETERS
    if name in form.opaque:
        return OPAQUE
    if name == form.markup_text:
        return MARKUP
    if name == "html_character_reference":
        return ENTITY
    if name == form.parentheses:
        return PARENTHESES
    if form.strings.get("string") is quotes.python_string:
        if name in ("string_start", "string_end"):
            return QUOTE
        if name == "interpolation":
            return INTERPOLATION
    return WATCHED if name in watched else PLAIN
