"""Finds the names that a definition's node introduces, for the grammars in which that is not just its `name`.

Each function takes a node and gives its names, in order; none where the node defines nothing. A name that is
written with its path (`A::B::f`, `N.M`, `Foo.prototype.bar`) comes out joined by dots.
"""

from __future__ import annotations

import re

import tree_sitter

_BRACKETS = re.compile(r"[<\[(].*[>\])]", re.DOTALL)
_SEPARATOR = re.compile(r"\s*(?:::|\\|\.|->)\s*")
_IDENTIFIERS = frozenset(("identifier", "simple_identifier", "variable_name", "constant", "type_identifier"))
_PATTERN_NAMES = frozenset(
    (
        "identifier",
        "shorthand_property_identifier_pattern",
        "simple_identifier",
        "constant",
        "type_identifier",
    )
)
_RUBY_NAMES = ("simple_symbol", "string", "delimited_symbol")
_DECLARATORS = frozenset(
    (
        "identifier",
        "field_identifier",
        "type_identifier",
        "qualified_identifier",
        "destructor_name",
        "operator_name",
        "operator_cast",
        "template_function",
    )
)
_FUNCTION_VALUES = frozenset(
    ("arrow_function", "function_expression", "generator_function", "function", "anonymous_function")
)


def text_of(node: tree_sitter.Node, data: bytes) -> str:
    """The node's source; bytes that are not UTF-8 are replaced."""
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def dotted(text: str) -> str:
    """A written path as names joined by dots, without type arguments and white space."""
    if text.isidentifier():
        return text
    if "<" in text or "[" in text:
        text = _BRACKETS.sub("", text) or text
    return ".".join(part for part in _SEPARATOR.split(text.strip()) if part)


def by_field(node: tree_sitter.Node, data: bytes) -> list[str]:
    """What stands in the field `name`; several where the grammar repeats it."""
    return [dotted(text_of(name, data)) for name in node.children_by_field_name("name") if name.is_named]


def by_plain_field(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The field `name` as it is written, for operators and other names that are no paths."""
    return [text_of(name, data).strip() for name in node.children_by_field_name("name")[:1]]


def by_first_identifier(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The first child that is an identifier, in grammars that do not give it a field."""
    for child in node.named_children:
        if child.type in _IDENTIFIERS or child.type == "name":
            return [text_of(child, data).lstrip("$")]
    return []


def by_pattern(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The names that the pattern in the field `name`, `pattern` or `left` binds."""
    for field in ("name", "pattern", "left"):
        if (pattern := node.child_by_field_name(field)) is not None:
            return _bound(pattern, data)
    return []


def quoted_key(node: tree_sitter.Node, data: bytes) -> list[str]:
    """A property's name in JavaScript, which may stand in quote marks, or in brackets when it is computed."""
    for field in ("name", "property", "key"):
        if (name := node.child_by_field_name(field)) is not None:
            return [text_of(name, data).strip("\"'`")]
    return []


def python_assignment(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The plain names on the left of an assignment; attributes and items of something are no definitions."""
    left = node.child_by_field_name("left")
    if left is None:
        return []
    if left.type == "identifier":
        return [text_of(left, data)]
    if left.type in ("pattern_list", "tuple_pattern", "list_pattern"):
        return [text_of(child, data) for child in left.named_children if child.type == "identifier"]
    return []


def ruby_assignment(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The constants on the left of an assignment."""
    left = node.child_by_field_name("left")
    if left is None:
        return []
    targets = left.named_children if left.type == "left_assignment_list" else [left]
    return [
        dotted(text_of(target, data))
        for target in targets
        if target.type == "constant"
        or (target.type == "scope_resolution" and text_of(target, data)[-1:] != ")")
    ]


def ruby_macro(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The methods that `attr_accessor :a, :b`, `alias_method :new, :old` or `define_method(:a)` define."""
    method, arguments = node.child_by_field_name("method"), node.child_by_field_name("arguments")
    if method is None or arguments is None:
        return []
    kind = text_of(method, data)
    given = [text_of(one, data).strip(":\"'") for one in arguments.named_children if one.type in _RUBY_NAMES]
    if kind in ("alias_method", "define_method"):
        return given[:1]
    if kind == "attr_writer":
        return [f"{name}=" for name in given]
    if kind == "attr_accessor":
        return [name for one in given for name in (one, f"{one}=")]
    return given if kind == "attr_reader" else []


def php_define(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The constant of `define("NAME", value)`."""
    arguments = node.child_by_field_name("arguments")
    first = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    text = text_of(first, data) if first is not None else ""
    return [text[1:-1]] if text[:1] in ("'", '"') and "$" not in text else []


def shell_assignment(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The variable that is set; an element of an array is none."""
    name = node.child_by_field_name("name")
    return [text_of(name, data)] if name is not None and name.type == "variable_name" else []


def javascript_assignment(node: tree_sitter.Node, data: bytes) -> list[str]:
    """What `exports.f = function …` and `Type.prototype.m = …` define: only functions and classes count."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or left.type not in ("member_expression", "identifier") or not is_function_value(right):
        return []
    if parts := _assigned_path(node, data):
        return [".".join(parts)]
    unnamed = right is not None and right.child_by_field_name("name") is None
    return ["exports"] if unnamed and text_of(left, data).replace(" ", "") == "module.exports" else []


def javascript_holder(node: tree_sitter.Node, data: bytes) -> list[str]:
    """What the names inside an assigned function start with."""
    if not is_function_value(node.child_by_field_name("right")):
        return []
    return [".".join(parts)] if (parts := _assigned_path(node, data)) else []


def python_alias(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The name that a `type` statement gives."""
    left = node.child_by_field_name("left")
    return [dotted(text_of(left, data))] if left is not None else []


def _assigned_path(assignment: tree_sitter.Node, data: bytes) -> list[str]:
    """The names on the left of an assignment, less those that only say where a module keeps its own."""
    left = assignment.child_by_field_name("left")
    parts = [part.strip() for part in text_of(left, data).split(".")] if left is not None else []
    parts = [part for part in parts if part not in _HOLDERS]
    return parts if all(re.fullmatch(r"[#$\w]+", part) for part in parts) else []


def own_function_name(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The name of a function expression, unless what it is assigned to names it already."""
    holder = node.parent
    named = holder is not None and (
        holder.type in ("variable_declarator", "pair")
        or (holder.type == "assignment_expression" and bool(_assigned_path(holder, data)))
    )
    return [] if named else by_field(node, data)


_HOLDERS = ("module", "exports", "this", "prototype", "window", "self", "globalThis")


def is_function_value(value: tree_sitter.Node | None) -> bool:
    """Whether an expression is a function or a class that is being written down right there."""
    return value is not None and (value.type in _FUNCTION_VALUES or value.type == "class")


def javascript_pair(node: tree_sitter.Node, data: bytes) -> list[str]:
    """A property of an object literal that holds a function."""
    return quoted_key(node, data) if is_function_value(node.child_by_field_name("value")) else []


def enum_members(node: tree_sitter.Node, data: bytes) -> list[tuple[str, tree_sitter.Node]]:
    """The members of a TypeScript enum that have no value; those with one are nodes of their own."""
    return [(text_of(child, data).strip("\"'"), child) for child in node.children_by_field_name("name")]


def csharp_operator(node: tree_sitter.Node, data: bytes) -> list[str]:
    """`operator +`, or `operator int` for a conversion."""
    operator = node.child_by_field_name("operator") or node.child_by_field_name("type")
    return [f"operator {text_of(operator, data)}"] if operator is not None else []


def php_property(node: tree_sitter.Node, data: bytes) -> list[str]:
    """A property's name without its `$`."""
    return [name.lstrip("$&") for name in by_plain_field(node, data)]


def swift_property(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The names that `let` and `var` bind."""
    return [name for pattern in node.children_by_field_name("name") for name in _bound(pattern, data)]


def scala_declaration(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The names of a `val` or `var` without a value; several may share a type."""
    return [text_of(name, data) for name in node.children_by_field_name("name") if name.is_named]


def receiver_and_name(node: tree_sitter.Node, data: bytes) -> list[str]:
    """A Go method's name, after the type of its receiver."""
    name, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if name is None:
        return []
    parameter = receiver.named_child(0) if receiver is not None and receiver.named_child_count else None
    kind = parameter.child_by_field_name("type") if parameter is not None else None
    owner = dotted(text_of(kind, data).lstrip("*( ")).rstrip(")") if kind is not None else ""
    return [f"{owner}.{text_of(name, data)}" if owner else text_of(name, data)]


def implemented_type(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The type of a Rust `impl`, or of a Scala or Kotlin extension."""
    kind = node.child_by_field_name("type")
    return [dotted(text_of(kind, data).lstrip("&'"))] if kind is not None else []


def declarators(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The names that a C or C++ declaration declares."""
    names = (_declared(declarator, data)[0] for declarator in node.children_by_field_name("declarator"))
    return [name for name in names if name]


def declares_function(node: tree_sitter.Node, data: bytes) -> bool:
    """Whether the first declarator is a function's, not that of a pointer to one."""
    declarator = node.child_by_field_name("declarator")
    return declarator is not None and _declared(declarator, data)[1]


def with_body(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The name of a C struct, union, enum or class where it is defined, not where it is only mentioned."""
    if node.child_by_field_name("body") is None:
        return []
    return by_field(node, data)


def typedef_scope(node: tree_sitter.Node, data: bytes) -> list[str]:
    """The name under which an unnamed struct's fields are known: that of its typedef."""
    kind = node.child_by_field_name("type")
    unnamed = (
        kind is not None and kind.type.endswith("_specifier") and kind.child_by_field_name("name") is None
    )
    return declarators(node, data)[:1] if unnamed else []


def _declared(declarator: tree_sitter.Node, data: bytes) -> tuple[str, bool]:
    """The name in a C declarator, and whether it is a function's."""
    is_function = False
    while declarator.type not in _DECLARATORS:
        inner = declarator.child_by_field_name("declarator")
        if declarator.type == "function_declarator":
            is_function = inner is not None and inner.type != "parenthesized_declarator"
        if inner is None:
            if not declarator.named_child_count:
                return "", False
            inner = declarator.named_children[-1]
        declarator = inner
    if declarator.type == "operator_cast":
        kind = declarator.child_by_field_name("type")
        return f"operator {text_of(kind, data)}" if kind is not None else "operator", True
    if declarator.type == "operator_name":
        return " ".join(text_of(declarator, data).split()), True
    text = text_of(declarator, data)
    if "operator" in text and declarator.type == "qualified_identifier":
        owner, _, operator = text.rpartition("::")
        return f"{dotted(owner)}.{' '.join(operator.split())}", True
    return dotted(text), is_function


def _bound(pattern: tree_sitter.Node, data: bytes) -> list[str]:
    """Every name in a pattern that is not a property's key or a default value."""
    names: list[str] = []
    waiting = [pattern]
    while waiting:
        node = waiting.pop()
        if node.type in _PATTERN_NAMES:
            names.append(text_of(node, data))
            continue
        skipped = {node.child_by_field_name(field) for field in ("key", "right", "type")} - {None}
        waiting.extend(child for child in reversed(node.named_children) if child not in skipped)
    return names
