"""Tells apart kinds of definitions that a grammar gives one node, and what a node encloses."""

from __future__ import annotations

from collections.abc import Callable

import tree_sitter

from afresh_indexer import definition_names as names
from afresh_indexer.definition_rules import Names, Scope


def python_variable(node: tree_sitter.Node, kind: str, data: bytes) -> str:
    left = node.child_by_field_name("left")
    return (
        "constant"
        if kind == "variable" and left is not None and names.text_of(left, data).isupper()
        else kind
    )


def javascript_variable(node: tree_sitter.Node, kind: str, data: bytes) -> str:
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    if names.is_function_value(value):
        if value is not None and value.type == "class":
            return "class"
        return "method" if kind in ("field", "method") else "function"
    declaration = node.parent
    if kind == "variable" and declaration is not None and declaration.children[0].type == "const":
        return "constant"
    return kind


def javascript_function_scope(node: tree_sitter.Node) -> Scope:
    """A function that is called where it is written, `(function () { … })()`, stands for a module."""
    outer = node.parent
    while outer is not None and outer.type in _CALLED:
        outer = outer.parent
    called = outer is not node.parent and outer is not None and outer.type == "expression_statement"
    return Scope.MODULE if called else Scope.FUNCTION


_CALLED = ("call_expression", "member_expression", "parenthesized_expression", "unary_expression")


def javascript_member(node: tree_sitter.Node, kind: str, data: bytes) -> str:
    if names.quoted_key(node, data) == ["constructor"]:
        return "constructor"
    return "property" if any(child.type in ("get", "set", "static get") for child in node.children) else kind


def javascript_assigned(node: tree_sitter.Node, kind: str, data: bytes) -> str:
    left = node.child_by_field_name("left")
    prototype = left is not None and ".prototype." in names.text_of(left, data)
    return "method" if prototype else javascript_variable(node, kind, data)


def by_keyword(kinds: tuple[str, ...]) -> Callable[[tree_sitter.Node, str, bytes], str]:
    """The kind is the first of these words that stands before the name."""

    def refine(node: tree_sitter.Node, kind: str, data: bytes) -> str:
        for child in node.children:
            if child.type in kinds:
                return child.type
            if child.type == "modifiers" and (word := names.text_of(child, data).split()[-1]) in kinds:
                return word
        return kind

    return refine


def go_type(node: tree_sitter.Node, kind: str, data: bytes) -> str:
    value = node.child_by_field_name("type")
    return {"struct_type": "struct", "interface_type": "interface"}.get(value.type if value else "", kind)


def c_declaration(node: tree_sitter.Node, kind: str, data: bytes) -> str:
    if names.declares_function(node, data):
        return "method" if kind == "field" else "prototype"
    return kind


def c_function(node: tree_sitter.Node, kind: str, data: bytes) -> str:
    return "method" if kind == "function" and "." in "".join(names.declarators(node, data)) else kind


def java_field(node: tree_sitter.Node, kind: str, data: bytes) -> str:
    head = node.parent.children[0] if node.parent is not None else node
    words = names.text_of(head, data).split() if head.type == "modifiers" else []
    return "constant" if "static" in words and "final" in words else kind


def swift_function(node: tree_sitter.Node, data: bytes) -> list[str]:
    return names.by_plain_field(node, data)


def fixed(name: str) -> Names:
    return lambda _node, _data: [name]


def typescript_parameter(node: tree_sitter.Node, data: bytes) -> list[str]:
    """A constructor's parameter is a field only with `private`, `readonly` and the like before it."""
    modified = any(
        child.type in ("accessibility_modifier", "readonly", "override_modifier") for child in node.children
    )
    return names.by_pattern(node, data) if modified else []


def kotlin_parameter(node: tree_sitter.Node, data: bytes) -> list[str]:
    """A constructor's parameter is a property only with `val` or `var`."""
    is_property = any(child.type in ("val", "var") for child in node.children)
    return names.by_first_identifier(node, data) if is_property else []


def kotlin_property(node: tree_sitter.Node, data: bytes) -> list[str]:
    found: list[str] = []
    for child in node.named_children:
        if child.type in ("variable_declaration", "multi_variable_declaration"):
            inner = child.named_children if child.type.startswith("multi") else [child]
            found += [name for one in inner for name in names.by_first_identifier(one, data)]
    return found


def alias_target(node: tree_sitter.Node, data: bytes) -> list[str]:
    name = node.child_by_field_name("type") or node.child_by_field_name("name")
    return [names.text_of(name, data)] if name is not None else []
