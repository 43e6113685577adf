"""Functions of a source file and how alike two are, by means that share nothing with the code under test.

Functions of Python are found and compared with `ast`; those of TypeScript, JavaScript, Rust and Go are found
by matching braces and compared as text without comments and white space.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

BRACED = ("typescript", "javascript", "rust", "go")

Key = tuple[str, str]
"""A qualified name, and what is around it where the name does not say that."""


@dataclass(eq=False)
class Function:
    """A function as the independent method sees it; what is seldom asked for is worked out then."""

    path: str
    name: str
    qualified_name: str
    start_line: int
    end_line: int
    raw: str
    """Its whole lines."""
    make_form: Callable[[], str]
    make_bare: Callable[[], str]
    around: str = ""
    """What the braces around it belong to, where the name does not say it."""
    make_signs: Callable[[], list[str]] = list
    """Its tokens but for what is form: an equal meaning in other tokens is for nobody to call cosmetic."""

    @property
    def key(self) -> Key:
        return self.qualified_name, self.around

    @cached_property
    def form(self) -> str:
        """What remains when only form is taken away."""
        return self.make_form()

    @cached_property
    def bare(self) -> str:
        """The same without docstrings."""
        return self.make_bare()

    @cached_property
    def signs(self) -> list[str]:
        return self.make_signs()

    @cached_property
    def words(self) -> Counter[str]:
        return Counter(re.findall(r"[A-Za-z]+|\d+", self.bare))

    @cached_property
    def anonymous(self) -> str:
        """The form without docstrings and without the function's own name."""
        return re.sub(rf"\b{re.escape(self.name)}\b", "_", self.bare)


def functions_of(path: str, data: bytes, language: str | None) -> list[Function]:
    """Every function, method and inner function, those whose key is there several times too."""
    if language == "python":
        return python_functions(path, data)
    return braced_functions(path, data, language) if language in BRACED else []


# --- Python, by its own parser ------------------------------------------------------------------------


def python_tree(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError):
            return None


def python_functions(path: str, data: bytes) -> list[Function]:
    text = data.decode("utf-8", "replace")
    tree = python_tree(text)
    if tree is None:
        return []
    lines = text.splitlines(keepends=True)
    found: list[Function] = []

    def visit(node: ast.AST, around: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append(python_function(path, child, around, lines))
            own = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            visit(child, (*around, child.name) if own else around)  # type: ignore[attr-defined]

    visit(tree, ())
    return found


def python_function(
    path: str, node: ast.FunctionDef | ast.AsyncFunctionDef, around: tuple[str, ...], lines: Sequence[str]
) -> Function:
    start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    end = node.end_lineno or start
    raw = "".join(lines[start - 1 : end])
    last = lines[end - 1].encode()[: node.end_col_offset].decode("utf-8", "replace")
    own = "".join([*lines[start - 1 : end - 1], last])
    return Function(
        path,
        node.name,
        ".".join((*around, node.name)),
        start,
        end,
        raw.strip(),
        lambda: ast.dump(node),
        lambda: ast.unparse(without_docstrings(node)),
        make_signs=lambda: python_signs(own.lstrip()),
    )


def python_signs(raw: str) -> list[str]:
    """The tokens of some source without white space, comments, commas, semicolons and parentheses.

    Strings stand by their values, rows of them joined, and numbers in lower case.
    """
    found: list[str] = []
    kept = (tokenize.NAME, tokenize.NUMBER, tokenize.OP)
    strings: list[str | bytes] = []
    for token in tokenize.generate_tokens(io.StringIO(raw + "\n").readline):
        if token.type == tokenize.STRING and "f" not in token.string[:2].lower():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                strings.append(ast.literal_eval(token.string))
            continue
        if token.type in (tokenize.COMMENT, tokenize.NL):
            continue
        if strings:
            found.append(repr(type(strings[0])().join(strings)))  # type: ignore[arg-type]
            strings = []
        if token.type == tokenize.STRING:
            found.append(token.string)
        elif token.type in kept and token.string not in ("(", ")", ",", ";"):
            found.append(token.string.lower() if token.type == tokenize.NUMBER else token.string)
    return found


def without_docstrings(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
) -> ast.FunctionDef | ast.AsyncFunctionDef:
    copy = ast.parse(ast.unparse(node)).body[0]
    strip_docstrings(copy)
    return copy  # type: ignore[return-value]


def strip_docstrings(tree: ast.AST) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module) and node.body:
            first = node.body[0]
            is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            if is_text and isinstance(first.value.value, str):  # type: ignore[attr-defined]
                node.body = node.body[1:]


# --- other languages, by their braces -----------------------------------------------------------------

BLANKED = re.compile(
    r"//[^\n]*|/\*[\s\S]*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)'|`(?:[^`\\]|\\[\s\S])*`"
)
BLANKED_SCRIPT = re.compile(
    r"//[^\n]*|/\*[\s\S]*?\*/|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`"
    r"|(?<=[=(,:!&|?;{}\[\n])\s*/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
)
SCRIPT_FUNCTION = (
    r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*(?P<name>[\w$]+)\s*[(<]"
    r"|^[ \t]+(?:(?:public|private|protected|static|override|async|get|set)\s+)*\*?(?P<method>[\w$#]+)\s*[(<]"
)
HEADS = {
    "typescript": re.compile(SCRIPT_FUNCTION, re.M),
    "javascript": re.compile(SCRIPT_FUNCTION, re.M),
    "rust": re.compile(
        r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+)*fn\s+(?P<name>\w+)\s*[(<]", re.M
    ),
    "go": re.compile(
        r"^func\s+(?:\(\s*(?:\w+\s+)?\*?(?P<receiver>\w+)(?:\[[^\]]*\])?\s*\)\s*)?(?P<name>\w+)\s*[(\[]", re.M
    ),
}
NO_METHODS = frozenset(
    ["if", "for", "while", "switch", "catch", "return", "function", "with", "await", "new", "typeof", "super"]
)


def blanked(text: str, language: str) -> str:
    """The text with its comments and strings as blanks, so that offsets stay."""
    pattern = BLANKED_SCRIPT if language in ("typescript", "javascript") else BLANKED
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def braced_functions(path: str, data: bytes, language: str) -> list[Function]:
    """Every function with a body, found by its braces; of scripts also the methods of classes."""
    text = data.decode("utf-8", "replace")
    blank = blanked(text, language)
    braces = Braces(blank)
    found: list[Function] = []
    for head in HEADS[language].finditer(blank):
        groups = head.groupdict()
        name, method, receiver = groups["name"], groups.get("method"), groups.get("receiver")
        if method in NO_METHODS:
            continue
        start = head.start() + len(head[0]) - len(head[0].lstrip())
        place = braces.around(start)
        owner = re.search(r"\bclass\s+([\w$]+)", place)
        body = None if method is not None and owner is None else body_of(blank, head.end())
        if body is None:
            continue
        if language == "rust":
            start = with_attributes(text, start)
        raw = text[start:body]
        name = name or method or ""
        outer = receiver or (owner[1] if method is not None and owner is not None else None)
        lines = text.count("\n", 0, start) + 1, text.count("\n", 0, body) + 1
        form = partial(formless, raw, language)
        qualified = name if outer is None else f"{outer}.{name}"
        found.append(
            Function(path, name, qualified, *lines, raw, form, form, "" if language == "go" else place)
        )
    return found


class Braces:
    """What stands in front of the innermost brace that is open at each offset of a text."""

    def __init__(self, blank: str) -> None:
        self._offsets = [0]
        self._places = ["0"]
        opened: list[str] = []
        last = 0
        for found in re.finditer(r"[{}]", blank):
            if found[0] == "{":
                before = re.split(r"[{};]", blank[last : found.start()])[-1]
                opened.append(" ".join(before.split()))
            elif opened:
                opened.pop()
            last = found.start() + (found[0] == "{")
            self._offsets.append(found.end())
            self._places.append(f"{len(opened)} {opened[-1]}" if opened else "0")

    def around(self, start: int) -> str:
        """The text in front of the brace, and how many are open."""
        return self._places[bisect_right(self._offsets, start) - 1]


def body_of(blank: str, at: int) -> int | None:
    """The offset behind the function's closing brace; None where it has no body."""
    depth, nesting = 0, 0
    for found in re.compile(r"[(\[\])};{]").finditer(blank, at - 1):
        index, sign = found.start(), found[0]
        if sign in "([":
            nesting += 1
        elif sign in ")]":
            nesting -= 1
        elif sign == ";" and depth == 0 and nesting == 0:
            return None
        elif sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            # The braces of a type in front of the body close before it opens.
            if depth == 0 and nesting == 0 and not re.match(r"\s*[{|&\[,)>]", blank[index + 1 : index + 40]):
                return index + 1
    return None


def with_attributes(text: str, start: int) -> int:
    """The start of the attributes right above a function, of several lines too."""
    lines = text[: text.rfind("\n", 0, start) + 1].split("\n")[:-1]
    first = len(lines)
    at = first - 1
    while at >= 0 and (lines[at].strip().endswith("]") or (at < first - 1 and lines[at].strip())):
        if lines[at].lstrip().startswith("#["):
            first = at
        at -= 1
        if first != at + 1 and at < first - 12:
            break
    if first == len(lines):
        return start
    return sum(len(line) + 1 for line in lines[:first]) + len(lines[first]) - len(lines[first].lstrip())


def uncommented(raw: str, language: str) -> str:
    """The text without comments, but for those that compilers obey."""
    pattern = BLANKED_SCRIPT if language in ("typescript", "javascript") else BLANKED
    return pattern.sub(
        lambda found: (
            " " if found[0].startswith(("//", "/*")) and not re.search(r"@ts-|//go:", found[0]) else found[0]
        ),
        raw,
    )


def formless(raw: str, language: str) -> str:
    """The text without comments, white space, trailing commas and semicolons, in one kind of quote mark."""
    text = uncommented(raw, language).replace("'", '"')
    text = re.sub(r"\s+", "", text)
    return re.sub(r",(?=[)\]}>])", "", text).replace(";", "")
