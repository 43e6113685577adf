"""Says, for each grammar, which nodes are definitions, of what kind, and what they enclose."""

from __future__ import annotations

from collections.abc import Mapping

import tree_sitter

from afresh_indexer import definition_kinds as kinds
from afresh_indexer import definition_names as names
from afresh_indexer.definition_rules import Rule, Scope

_TYPE, _FUNCTION, _MODULE = Scope.TYPE, Scope.FUNCTION, Scope.MODULE


def _no_names(_node: tree_sitter.Node, data: bytes) -> list[str]:
    return []


WRAPPER = Rule(names=_no_names)
"""Belongs to the one definition inside: `export`, `template <…>`, Python's decorators."""
ATTRIBUTE = Rule(names=_no_names)
"""Belongs to the definition that follows: Rust's `#[…]`, TypeScript's decorators."""
_ANONYMOUS = Rule(scope=_FUNCTION, names=_no_names)
_FUNCTION_RULE = Rule("function", "method", _FUNCTION)
_CLASS, _INTERFACE, _ENUM = (
    Rule("class", scope=_TYPE),
    Rule("interface", scope=_TYPE),
    Rule("enum", scope=_TYPE),
)


_PYTHON = {
    "decorated_definition": WRAPPER,
    "class_definition": _CLASS,
    "function_definition": _FUNCTION_RULE,
    "lambda": _ANONYMOUS,
    "type_alias_statement": Rule("type", names=names.python_alias),
    "assignment": Rule(
        "variable",
        "field",
        names=names.python_assignment,
        local=False,
        refine=kinds.python_variable,
        first_only=True,
    ),
}

_JAVASCRIPT = {
    "export_statement": WRAPPER,
    "lexical_declaration": WRAPPER,
    "variable_declaration": WRAPPER,
    "decorator": ATTRIBUTE,
    "class_declaration": _CLASS,
    "class": Rule(scope=_TYPE, names=_no_names),
    "function_declaration": Rule("function", scope=_FUNCTION),
    "generator_function_declaration": Rule("function", scope=_FUNCTION),
    "arrow_function": Rule(scope=_FUNCTION, names=_no_names, refine_scope=kinds.javascript_function_scope),
    "function_expression": Rule(
        "function",
        scope=_FUNCTION,
        names=names.own_function_name,
        refine_scope=kinds.javascript_function_scope,
    ),
    "generator_function": _ANONYMOUS,
    "method_definition": Rule(
        "method", scope=_FUNCTION, names=names.quoted_key, refine=kinds.javascript_member
    ),
    "field_definition": Rule(
        "field", names=names.quoted_key, refine=kinds.javascript_variable, encloses=True
    ),
    "variable_declarator": Rule(
        "variable",
        names=names.by_pattern,
        local=False,
        local_functions=True,
        encloses=True,
        refine=kinds.javascript_variable,
        first_only=True,
    ),
    "assignment_expression": Rule(
        "function",
        names=names.javascript_assignment,
        scope_names=names.javascript_holder,
        refine=kinds.javascript_assigned,
        encloses=True,
    ),
    "pair": Rule("method", names=names.javascript_pair, local=False, encloses=True),
}

_TYPESCRIPT = {
    **_JAVASCRIPT,
    "ambient_declaration": WRAPPER,
    "abstract_class_declaration": _CLASS,
    "function_signature": Rule("function", scope=_FUNCTION),
    "public_field_definition": Rule(
        "field", names=names.quoted_key, refine=kinds.javascript_variable, encloses=True
    ),
    "abstract_method_signature": Rule("method", scope=_FUNCTION, names=names.quoted_key),
    "method_signature": Rule("method", scope=_FUNCTION, names=names.quoted_key, only_in_type=True),
    "property_signature": Rule("field", scope=_TYPE, names=names.quoted_key, only_in_type=True),
    "interface_declaration": _INTERFACE,
    "type_alias_declaration": Rule("type", scope=_TYPE),
    "enum_declaration": _ENUM,
    "enum_body": Rule("constant", names=_no_names, parts=names.enum_members),
    "enum_assignment": Rule("constant", names=names.quoted_key),
    "internal_module": Rule("module", scope=_MODULE),
    "module": Rule("module", scope=_MODULE, names=names.quoted_key),
    "construct_signature": Rule("constructor", scope=_FUNCTION, names=kinds.fixed("new"), only_in_type=True),
    "required_parameter": Rule("field", names=kinds.typescript_parameter, lifted=True),
    "optional_parameter": Rule("field", names=kinds.typescript_parameter, lifted=True),
    "function_type": _ANONYMOUS,
}

_GO = {
    "type_declaration": WRAPPER,
    "const_declaration": WRAPPER,
    "var_declaration": WRAPPER,
    "function_declaration": Rule("function", scope=_FUNCTION),
    "method_declaration": Rule("method", scope=_FUNCTION, names=names.receiver_and_name),
    "func_literal": _ANONYMOUS,
    "type_spec": Rule("type", scope=_TYPE, refine=kinds.go_type),
    "type_alias": Rule("type", scope=_TYPE),
    "const_spec": Rule("constant", local=False),
    "var_spec": Rule("variable", local=False),
    "field_declaration": Rule("field", scope=_TYPE, only_in_type=True),
    "method_elem": Rule("method", scope=_FUNCTION, only_in_type=True),
}

_RUST = {
    "attribute_item": ATTRIBUTE,
    "function_item": _FUNCTION_RULE,
    "function_signature_item": _FUNCTION_RULE,
    "closure_expression": _ANONYMOUS,
    "struct_item": Rule("struct", scope=_TYPE),
    "union_item": Rule("union", scope=_TYPE),
    "enum_item": _ENUM,
    "enum_variant": Rule("constant", scope=_TYPE),
    "trait_item": Rule("trait", scope=_TYPE),
    "impl_item": Rule(scope=_TYPE, names=_no_names, scope_names=names.implemented_type),
    "mod_item": Rule("module", scope=_MODULE),
    "type_item": Rule("type"),
    "associated_type": Rule("type"),
    "const_item": Rule("constant"),
    "static_item": Rule("variable"),
    "field_declaration": Rule("field"),
    "macro_definition": Rule("macro"),
}

_JAVA = {
    "class_declaration": _CLASS,
    "record_declaration": Rule("class", scope=_TYPE),
    "interface_declaration": _INTERFACE,
    "annotation_type_declaration": _INTERFACE,
    "enum_declaration": _ENUM,
    "enum_constant": Rule("constant", scope=_TYPE),
    "constructor_declaration": Rule("constructor", scope=_FUNCTION),
    "compact_constructor_declaration": Rule("constructor", scope=_FUNCTION),
    "method_declaration": Rule("method", scope=_FUNCTION),
    "annotation_type_element_declaration": Rule("method"),
    "static_initializer": _ANONYMOUS,
    "lambda_expression": _ANONYMOUS,
    "object_creation_expression": Rule(scope=_TYPE, names=_no_names),
    "field_declaration": WRAPPER,
    "constant_declaration": WRAPPER,
    "variable_declarator": Rule("field", local=False, refine=kinds.java_field, encloses=True),
}

_C = {
    "function_definition": Rule(
        "function", "method", _FUNCTION, names=names.declarators, refine=kinds.c_function
    ),
    "declaration": Rule(
        "variable", "field", names=names.declarators, local=False, refine=kinds.c_declaration
    ),
    "field_declaration": Rule("field", names=names.declarators, local=False, refine=kinds.c_declaration),
    "struct_specifier": Rule("struct", scope=_TYPE, names=names.with_body),
    "union_specifier": Rule("union", scope=_TYPE, names=names.with_body),
    "enum_specifier": Rule("enum", scope=_TYPE, names=names.with_body),
    "enumerator": Rule("constant"),
    "type_definition": Rule("type", scope=_TYPE, names=names.declarators, scope_names=names.typedef_scope),
    "preproc_def": Rule("macro"),
    "preproc_function_def": Rule("macro"),
}

_CPP = {
    **_C,
    "template_declaration": WRAPPER,
    "friend_declaration": Rule(scope=_FUNCTION, names=_no_names),
    "lambda_expression": _ANONYMOUS,
    "class_specifier": Rule("class", scope=_TYPE, names=names.with_body),
    "namespace_definition": Rule("module", scope=_MODULE),
    "alias_declaration": Rule("type"),
    "concept_definition": Rule("type"),
    "namespace_alias_definition": Rule("module"),
}

_CSHARP = {
    "namespace_declaration": Rule("module", scope=_MODULE),
    "file_scoped_namespace_declaration": Rule("module"),
    "class_declaration": _CLASS,
    "record_declaration": _CLASS,
    "struct_declaration": Rule("struct", scope=_TYPE),
    "interface_declaration": _INTERFACE,
    "enum_declaration": _ENUM,
    "enum_member_declaration": Rule("constant"),
    "delegate_declaration": Rule("type"),
    "constructor_declaration": Rule("constructor", scope=_FUNCTION),
    "destructor_declaration": Rule(
        "method", scope=_FUNCTION, names=lambda node, data: [f"~{names.by_field(node, data)[0]}"]
    ),
    "method_declaration": Rule("method", scope=_FUNCTION),
    "local_function_statement": Rule("function", scope=_FUNCTION),
    "operator_declaration": Rule("method", scope=_FUNCTION, names=names.csharp_operator),
    "conversion_operator_declaration": Rule("method", scope=_FUNCTION, names=names.csharp_operator),
    "property_declaration": Rule("property", scope=_FUNCTION),
    "indexer_declaration": Rule("property", scope=_FUNCTION, names=kinds.fixed("this")),
    "event_declaration": Rule("property", scope=_FUNCTION),
    "lambda_expression": _ANONYMOUS,
    "anonymous_method_expression": _ANONYMOUS,
    "field_declaration": WRAPPER,
    "event_field_declaration": WRAPPER,
    "variable_declarator": Rule("field", local=False, only_in_type=True),
}

_RUBY = {
    "class": Rule("class", scope=_TYPE),
    "module": Rule("module", scope=_TYPE),
    "singleton_class": Rule(scope=_TYPE, names=_no_names),
    "method": Rule("function", "method", _FUNCTION, names=names.by_plain_field),
    "singleton_method": Rule("function", "method", _FUNCTION, names=names.by_plain_field),
    "alias": Rule("method", names=names.by_plain_field),
    "call": Rule("method", names=names.ruby_macro, starts=(b"attr_", b"alias_method", b"define_method")),
    "assignment": Rule("constant", scope=_TYPE, names=names.ruby_assignment),
}

_PHP = {
    "namespace_definition": Rule("module", scope=_MODULE),
    "class_declaration": _CLASS,
    "anonymous_class": Rule(scope=_TYPE, names=_no_names),
    "interface_declaration": _INTERFACE,
    "trait_declaration": Rule("trait", scope=_TYPE),
    "enum_declaration": _ENUM,
    "enum_case": Rule("constant"),
    "function_definition": Rule("function", scope=_FUNCTION),
    "method_declaration": Rule("method", scope=_FUNCTION),
    "anonymous_function": _ANONYMOUS,
    "arrow_function": _ANONYMOUS,
    "function_call_expression": Rule("constant", names=names.php_define, starts=(b"define(", b"define (")),
    "const_declaration": WRAPPER,
    "const_element": Rule("constant", names=names.by_first_identifier),
    "property_declaration": WRAPPER,
    "property_element": Rule("field", names=names.php_property),
    "property_promotion_parameter": Rule("field", names=names.php_property, lifted=True),
}

_BASH = {
    "function_definition": Rule("function", scope=_FUNCTION),
    "variable_assignment": Rule("variable", names=names.shell_assignment, local=False, first_only=True),
}

_KOTLIN = {
    "class_declaration": Rule("class", scope=_TYPE, refine=kinds.by_keyword(("interface", "enum"))),
    "object_declaration": Rule("class", scope=_TYPE),
    "companion_object": Rule(
        "class", scope=_TYPE, names=lambda node, data: names.by_field(node, data) or ["Companion"]
    ),
    "object_literal": Rule(scope=_TYPE, names=_no_names),
    "function_declaration": _FUNCTION_RULE,
    "secondary_constructor": Rule("constructor", scope=_FUNCTION, names=kinds.fixed("constructor")),
    "anonymous_initializer": _ANONYMOUS,
    "anonymous_function": _ANONYMOUS,
    "lambda_literal": _ANONYMOUS,
    "getter": _ANONYMOUS,
    "setter": _ANONYMOUS,
    "property_declaration": Rule("variable", "property", names=kinds.kotlin_property, local=False),
    "class_parameter": Rule("property", names=kinds.kotlin_parameter),
    "enum_entry": Rule("constant", scope=_TYPE, names=names.by_first_identifier),
    "type_alias": Rule("type", names=kinds.alias_target),
}

_SWIFT = {
    "class_declaration": Rule("class", scope=_TYPE, refine=kinds.by_keyword(("struct", "enum", "extension"))),
    "protocol_declaration": _INTERFACE,
    "function_declaration": Rule("function", "method", _FUNCTION, names=kinds.swift_function),
    "protocol_function_declaration": Rule("method", scope=_FUNCTION, names=kinds.swift_function),
    "init_declaration": Rule("constructor", scope=_FUNCTION, names=kinds.fixed("init")),
    "deinit_declaration": Rule("method", scope=_FUNCTION, names=kinds.fixed("deinit")),
    "subscript_declaration": Rule("method", scope=_FUNCTION, names=kinds.fixed("subscript")),
    "lambda_literal": _ANONYMOUS,
    "computed_property": _ANONYMOUS,
    "property_declaration": Rule("variable", "property", names=names.swift_property, local=False),
    "protocol_property_declaration": Rule("property", names=names.swift_property),
    "typealias_declaration": Rule("type", names=kinds.swift_function),
    "associatedtype_declaration": Rule("type", names=kinds.swift_function),
    "enum_entry": Rule("constant"),
    "macro_declaration": Rule("macro", names=names.by_first_identifier),
}

_SCALA = {
    "class_definition": _CLASS,
    "object_definition": _CLASS,
    "package_object": Rule("module", scope=_TYPE),
    "trait_definition": Rule("trait", scope=_TYPE),
    "enum_definition": _ENUM,
    "simple_enum_case": Rule("constant"),
    "full_enum_case": Rule("constant", scope=_TYPE),
    "function_definition": Rule("function", "method", _FUNCTION, names=names.by_plain_field),
    "function_declaration": Rule("function", "method", _FUNCTION, names=names.by_plain_field),
    "lambda_expression": _ANONYMOUS,
    "val_definition": Rule("variable", "field", names=names.by_pattern, local=False, scope=_FUNCTION),
    "val_declaration": Rule("variable", "field", names=names.scala_declaration, local=False),
    "var_definition": Rule("variable", "field", names=names.by_pattern, local=False, scope=_FUNCTION),
    "var_declaration": Rule("variable", "field", names=names.scala_declaration, local=False),
    "given_definition": Rule("variable", "field"),
    "type_definition": Rule("type"),
    "instance_expression": Rule(scope=_TYPE, names=_no_names),
}

DEFINITIONS: Mapping[str, Mapping[str, Rule]] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": _C,
    "cpp": _CPP,
    "csharp": _CSHARP,
    "ruby": _RUBY,
    "php": _PHP,
    "bash": _BASH,
    "kotlin": _KOTLIN,
    "swift": _SWIFT,
    "scala": _SCALA,
}
"""By language name, and then by the kind of node."""
