"""What is mere form in each language: the syntax that can change without changing what a program means.

Each entry is a claim that two sources which differ only there mean the same, so an entry is missing rather
than doubtful. Positions of parentheses are listed one by one: `(s.f)(x)` in Rust, `(a?.b).c` in JavaScript,
`return ($x)` in PHP and every operand in C (where an identifier may be a macro) do depend on theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from afresh_indexer import quotes


@dataclass(frozen=True, slots=True)
class Form:
    """The syntax of one language that is only form. Kinds are names of nodes in the language's grammar."""

    comments: frozenset[str] = frozenset({"comment"})
    """Kinds that are dropped with all that they contain."""
    opaque: frozenset[str] = frozenset()
    """Kinds whose text is one exact token: parts of it are in no leaf, or nothing in it is form."""
    strings: Mapping[str, Callable[[bytes], bytes | None]] = field(default_factory=dict)
    """For a kind of string, what makes its quote marks alike; where that gives None it is read exactly."""
    numbers: frozenset[str] = frozenset()
    """Kinds of numbers in which the case of letters means nothing."""
    rows: Mapping[str, str] = field(default_factory=dict)
    """Rows of expressions with parentheses or without, and the kind that stands for both."""
    heads: frozenset[str] = frozenset()
    """Words before a name behind which empty parentheses are form."""
    own_brackets: frozenset[str] = frozenset()
    """Kinds with parentheses of their own, which can serve as those of a call."""
    single_parameters: str = ""
    """The kind of a list of parameters whose parentheses are form around just a name, in `single_in`."""
    single_in: str = ""
    unescaped_in: frozenset[str] = frozenset()
    """Parents in which a string has no escapes, so that a backslash is kept."""
    markup_text: str = ""
    """The kind of text between tags, in which line breaks and indentation are form."""
    separators: frozenset[str] = frozenset()
    """Tokens between or after statements; the tree tells where statements end."""
    separators_kept_in: frozenset[str] = frozenset()
    """Parents in which those tokens tell parts apart, as in `for (;;)`."""
    dropped: frozenset[tuple[str, str]] = frozenset()
    """Further (parent, token) pairs of form."""
    trailing_commas: frozenset[str] = frozenset()
    """Parents in which one comma before the closing bracket is form."""
    parentheses: str = ""
    """The kind of an expression in parentheses."""
    loose: frozenset[str] = frozenset()
    """`parent` or `parent.field` where the parentheses of a whole expression are form."""
    flat: frozenset[str] = frozenset()
    """Operators of which a compiler reads a row as one: a group of the same one keeps its parentheses."""
    unseen: bytes = b""
    """Characters that the grammar leaves in no leaf, though the tree's structure tells of them."""
    directives: re.Pattern[bytes] | None = None
    """Comments that tools obey, which are kept."""
    directive_lines: int | None = None
    """How many lines at the top may have such comments; None for any line."""
    keeps_comments: re.Pattern[bytes] | None = None
    """Sources with this in them keep all their comments."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    return frozenset((pair.split()[0], pair.split()[1]) for pair in text.splitlines() if pair.strip())


_PYTHON = Form(
    comments=_words("comment line_continuation"),
    opaque=_words("string_content format_specifier"),
    strings={"string": quotes.python_string, "concatenated_string": quotes.python_strings},
    numbers=_words("integer float"),
    separators=_words(";"),
    dropped=_pairs("import_from_statement (\nimport_from_statement )\nwith_clause (\nwith_clause )"),
    trailing_commas=_words(
        "argument_list list parameters dictionary set import_from_statement list_pattern with_clause"
    ),
    rows={
        "tuple": "expression_list",
        "expression_list": "expression_list",
        "tuple_pattern": "pattern_list",
        "pattern_list": "pattern_list",
    },
    heads=_words("class"),
    own_brackets=_words("generator_expression"),
    parentheses="parenthesized_expression",
    loose=_words(
        "expression_statement return_statement assignment.right augmented_assignment.right yield await type "
        "with_item.value except_clause.value delete_statement decorator match_statement.subject "
        "attribute.object subscript.value call.function list_splat dictionary_splat slice "
        "named_expression.value if_statement.condition elif_clause.condition while_statement.condition "
        "for_statement.right assert_statement raise_statement argument_list keyword_argument.value list set "
        "pair expression_list default_parameter.value typed_default_parameter.value lambda.body "
        "subscript.subscript list_comprehension.body set_comprehension.body generator_expression.body "
        "for_in_clause.right if_clause binary_operator boolean_operator comparison_operator not_operator "
        "unary_operator conditional_expression as_pattern"
    ),
    flat=_words("boolean_operator"),
    directives=re.compile(rb"#.*?coding[:=](?![ \t]*[uU][tT][fF]-?8\b)"),
    directive_lines=2,
)

_JAVASCRIPT = Form(
    comments=_words("comment html_comment"),
    opaque=_words("regex"),
    strings={"string": quotes.javascript_string},
    numbers=_words("number"),
    single_parameters="formal_parameters",
    single_in="arrow_function",
    unescaped_in=_words("jsx_attribute"),
    markup_text="jsx_text",
    separators=_words(";"),
    separators_kept_in=_words("for_statement empty_statement"),
    dropped=_pairs("object_type ,\ninterface_body ,"),
    trailing_commas=_words(
        "arguments formal_parameters array object object_pattern array_pattern named_imports export_clause "
        "type_parameters tuple_type enum_body"
    ),
    parentheses="parenthesized_expression",
    loose=_words(
        "return_statement throw_statement variable_declarator.value assignment_expression.right "
        "augmented_assignment_expression.right arguments array pair.value spread_element "
        "template_substitution subscript_expression.index arrow_function.body binary_expression "
        "ternary_expression parenthesized_expression unary_expression await_expression "
        "for_in_statement.right switch_case.value"
    ),
    directives=re.compile(
        rb"/\*\*?\s*@(?:jsx|flow|license|preserve)|//\s*@(?:ts-|flow|jsx)|///\s*<|//[#@]\s*source"
    ),
)

_GO = Form(
    opaque=_words("interpreted_string_literal raw_string_literal"),
    separators=_words(";"),
    separators_kept_in=_words(
        "for_clause if_statement expression_switch_statement type_switch_statement empty_statement"
    ),
    trailing_commas=_words("literal_value argument_list parameter_list type_parameter_list"),
    parentheses="parenthesized_expression",
    loose=_words(
        "if_statement.condition expression_list argument_list binary_expression parenthesized_expression"
    ),
    directives=re.compile(rb"//(?:go:|export |line |\s*\+build )|/\*line "),
    keeps_comments=re.compile(rb'^\s*import\s*(?:\(\s*)?"C"', re.MULTILINE),
)

_RUST = Form(
    comments=_words("line_comment block_comment"),
    opaque=_words("string_literal raw_string_literal char_literal token_repetition token_repetition_pattern"),
    dropped=_pairs("match_arm ,"),
    trailing_commas=_words(
        "arguments parameters field_declaration_list field_initializer_list enum_variant_list "
        "array_expression tuple_expression use_list ordered_field_declaration_list "
        "struct_pattern type_parameters type_arguments"
    ),
    parentheses="parenthesized_expression",
    loose=_words(
        "let_declaration.value assignment_expression.right arguments if_expression.condition "
        "while_expression.condition match_expression.value return_expression parenthesized_expression"
    ),
)

_JAVA = Form(
    comments=_words("line_comment block_comment"),
    opaque=_words("string_literal"),
    trailing_commas=_words("array_initializer element_value_array_initializer"),
    parentheses="parenthesized_expression",
    loose=_words(
        "return_statement variable_declarator.value assignment_expression.right argument_list "
        "array_initializer binary_expression ternary_expression lambda_expression.body "
        "parenthesized_expression"
    ),
)

_C = Form(
    opaque=_words("string_literal raw_string_literal char_literal preproc_arg"),
    strings={"preproc_arg": quotes.preprocessor_argument},
    trailing_commas=_words("initializer_list enumerator_list"),
    parentheses="parenthesized_expression",
    loose=_words("parenthesized_expression return_statement"),
)

_CPP = Form(
    opaque=_C.opaque,
    strings=_C.strings,
    trailing_commas=_C.trailing_commas,
    parentheses="parenthesized_expression",
    loose=_words("parenthesized_expression"),
)

_CSHARP = Form(
    opaque=_words("interpolated_string_expression raw_string_literal string_literal character_literal"),
    trailing_commas=_words("initializer_expression enum_member_declaration_list switch_expression"),
    parentheses="parenthesized_expression",
    loose=_words(
        "return_statement variable_declarator assignment_expression.right argument binary_expression "
        "conditional_expression arrow_expression_clause parenthesized_expression"
    ),
)

_RUBY = Form(
    opaque=_words(
        "string regex string_array symbol_array subshell delimited_symbol heredoc_body character bare_string"
    ),
    strings={"string": quotes.ruby_string},
    separators=_words(";"),
    separators_kept_in=_words("block_parameters lambda_parameters empty_statement"),
    trailing_commas=_words("hash array argument_list"),
    parentheses="parenthesized_statements",
    loose=_words("assignment.right if.condition unless.condition while.condition"),
    directives=re.compile(
        rb"#.*?(?:coding|frozen_string_literal|warn_indent|shareable_constant_value)\s*[:=]"
    ),
)

_PHP = Form(
    opaque=_words("heredoc nowdoc shell_command_expression"),
    strings={"string": quotes.php_string, "encapsed_string": quotes.php_string},
    trailing_commas=_words(
        "array_creation_expression arguments formal_parameters match_block anonymous_function_use_clause"
    ),
    parentheses="parenthesized_expression",
    loose=_words("assignment_expression.right parenthesized_expression"),
)

_BASH = Form(
    opaque=_words("string expansion heredoc_body regex"),
    separators=_words(";"),
    separators_kept_in=_words("c_style_for_statement"),
)

_KOTLIN = Form(
    comments=_words("line_comment block_comment"),
    opaque=_words("character_literal"),
    separators=_words(";"),
    unseen=b";!",
    trailing_commas=_words(
        "value_arguments function_value_parameters class_parameters enum_class_body type_arguments "
        "type_parameters collection_literal"
    ),
    parentheses="parenthesized_expression",
    loose=_words("return_expression property_declaration value_argument parenthesized_expression"),
)

_SWIFT = Form(
    comments=_words("comment multiline_comment"),
    opaque=_words("throws_clause raw_string_literal"),
    separators=_words(";"),
    unseen=b";",
    trailing_commas=_words("array_literal dictionary_literal"),
    directives=re.compile(rb"//\s*swift-tools-version"),
)

_SCALA = Form(
    comments=_words("comment block_comment"),
    opaque=_words("string interpolated_string interpolated_string_expression vararg character_literal"),
    separators=_words(";"),
    trailing_commas=_words("arguments parameters class_parameters"),
    parentheses="parenthesized_expression",
    loose=_words("val_definition.value var_definition.value return_expression parenthesized_expression"),
    directives=re.compile(rb"//>"),
)

FORMS: Mapping[str, Form] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
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
"""By language name; every language that has a grammar is here."""
