"""Streams of normalised tokens: what is form does not change them, and what has a meaning does."""

from __future__ import annotations

import ast
import io
import random
import tokenize
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh_indexer.languages import OUTLINED
from afresh_indexer.parsing import NotParsedError, parse
from afresh_indexer.stream import read_stream
from afresh_indexer.stream_state import EXACT
from afresh_indexer.tokens import docstring_ranges, token_stream, tokens_sha256

SAME = [
    ("python", "x = 'a'\n", 'x  =  "a" # a comment\n'),
    ("python", "x = u'a'\n", 'x = """a"""\n'),
    ("python", "x = 'it\\'s'\n", 'x = "it\'s"\n'),
    ("python", "x = r'a'\n", "x = 'a'\n"),
    ("python", "x = B'a'\n", 'x = b"a"\n'),
    ("python", "f(a, b)\n", "f(\n    a,\n    b,\n)\n"),
    ("python", "def f(a, b): pass\n", "def f(\n    a,\n    b,\n):\n    pass\n"),
    ("python", "x = [a, b]\n", "x = [\n    a,  # why\n    b,  # why not\n]\n"),
    ("python", "x = {'a': 1}\n", 'x = {"a": 1,}\n'),
    ("python", "x = (a, b)\n", "x = (a, b,)\n"),
    ("python", "if a: b\n", "if (a):\n        b;\n"),
    ("python", "x = (a)\n", "x = a\n"),
    ("python", "x = (a * b) + c\n", "x = a * b + c\n"),
    ("python", "x = (a\n     + b)\n", "x = a + b\n"),
    ("python", "x = ((a))\n", "x = a\n"),
    ("python", "return (yield x)\n", "return(yield x)\n"),
    ("python", "from a import (b, c,)\n", "from a import b, c\n"),
    ("python", "x = f'{a}'\n", 'x = f"{ a }"\n'),
    ("python", "a; b\n", "a\nb\n"),
    ("python", "x = 'a' 'b'\n", "x = 'ab'\n"),
    ("python", "f(\n    'a'  # why\n    'it\\'s'\n)\n", 'f("ait\'s")\n'),
    ("python", "x = '\\x41\\n'\n", "x = 'A\\012'\n"),
    ("python", "x = r'a\\d'\n", "x = 'a\\\\d'\n"),
    ("python", "for (a, b) in c: pass\n", "for a, b in c: pass\n"),
    ("python", "x = {a: b for (a, b) in c}\n", "x = {a: b for a, b in c}\n"),
    ("python", "def f():\n    return (a, b)\n", "def f():\n    return a, b\n"),
    ("python", "x = a,\n", "x = (a,)\n"),
    ("python", "x = yield (a, b,)\n", "x = yield a, b\n"),
    ("python", "x = tuple((a for a in b))\n", "x = tuple(a for a in b)\n"),
    ("python", "class A(): pass\n", "class A: pass\n"),
    ("python", "with (open(a) as b, c): pass\n", "with open(a) as b, c: pass\n"),
    ("python", "try: a\nexcept (B): c\n", "try: a\nexcept B: c\n"),
    ("python", "del (a)\n", "del a\n"),
    ("python", "if (a and b) or c: pass\n", "if a and b or c: pass\n"),
    ("python", "f(*(a), **(b))\n", "f(*a, **b)\n"),
    ("python", "(a)[(b):(c)].d()\n", "a[b:c].d()\n"),
    ("python", "def f(a: (int)) -> (str): pass\n", "def f(a: int) -> str: pass\n"),
    ("python", "x = 0XFF + 1E5 + 1J\n", "x = 0xff + 1e5 + 1j\n"),
    ("javascript", "f(a => a, async b => b)", "f((a) => a, async (b) => b);"),
    ("typescript", "f(a => a)", "f((a) => a);"),
    ("javascript", "x = 0XFF + !(a) + 1E5", "x = 0xff + !a + 1e5;"),
    ("python", "x = a + \\\n    b\n", "x = a + b\n"),
    ("python", "x = a not in b\n", "x = a not  in b\n"),
    (
        "python",
        "class A:\n  x = 1\n  def f(self): pass\n",
        "class A:\n\n    x = 1\n\n    def f(self):\n        pass\n",
    ),
    ("javascript", "a = 'x'\nb()\n", 'a = "x";\nb();\n'),
    ("javascript", "x = [a, b]", "x = [\n  a,\n  b,\n];"),
    ("javascript", "f({a, b})", "f({\n  a,\n  b,\n});"),
    ("javascript", "const f = (a) => (a + 1)", "const f = (a) => a + 1;"),
    ("javascript", "x = <a>\n  hi\n  there\n</a>", "x = <a>hi there</a>"),
    ("javascript", "x = <a>\n  <b/>\n</a>", "x = <a><b/></a>"),
    ("javascript", "x = <a b='c'/>", 'x = <a b="c" />'),
    ("javascript", "'use strict'", '"use strict";'),
    ("javascript", "if ((a)) b()", "if (a) b();"),
    ("javascript", "class A { x = 1\n f() {} }", "class A {\n  x = 1;\n  f() {}\n}"),
    ("typescript", "interface A { a: string, b: number }", "interface A {\n  a: string\n  b: number;\n}"),
    ("typescript", "type A = { a: string; b: number }", "type A = {\n  a: string,\n  b: number,\n};"),
    ("go", "package a\nfunc f() { a(); b() }", "package a\n\nfunc f() {\n\ta()\n\tb()\n}\n"),
    ("go", "package a\nvar x = []int{1, 2}", "package a\n\nvar x = []int{\n\t1,\n\t2,\n}\n"),
    ("go", "package a\nfunc f() { if (a) { b() } }", "package a\nfunc f() {\n\tif a {\n\t\tb()\n\t}\n}\n"),
    ("rust", "fn f() { if (a) { g(b,c,) } }", "fn f() {\n    if a {\n        g(b, c)\n    } // why\n}"),
    ("rust", "fn f(x: u8) { match x { 1 => {} _ => {} } }", "fn f(x: u8) { match x { 1 => {}, _ => {} } }"),
    ("rust", "/// old\nstruct A { a: u8 }", "/// new\nstruct A {\n    a: u8,\n}"),
    (
        "java",
        "class A { int f() { return (a+b); } }",
        "class A {\n  // sum\n  int f() {\n    return a + b;\n  }\n}",
    ),
    ("java", "class A { int[] x = {1,2,}; }", "class A { int[] x = { 1, 2 }; }"),
    ("c", "int f(){return (a);}", "int f(void) {\n  return a; /* why */\n}".replace("void", "")),
    ("c", "int a[] = {1,2,};", "int a[] = { 1, 2 };"),
    ("c", "#  define A   1 + 2\n", "#define A 1 + 2\n"),
    ("c", "int x = a + \\\n  b;", "int x = a + b;"),
    ("cpp", "class A { public: int x; };", "class A {\n public:\n  int x; // why\n};"),
    (
        "csharp",
        "class A { int F() { return (a+b); } }",
        "class A\n{\n    int F()\n    {\n        return a + b;\n    }\n}",
    ),
    ("ruby", "x = 'a'; y", 'x = "a"\ny # why'),
    ("ruby", "f(a, b)", "f(\n  a,\n  b,\n)"),
    ("ruby", "x = {a: 1}", "x = {\n  a: 1,\n}"),
    ("php", "<?php $a = 'x'; f(1,2);", '<?php\n$a = "x"; // why\nf(1, 2);'),
    ("php", "<?php $a = [1, 2];", "<?php $a = [\n  1,\n  2,\n];"),
    ("bash", "if a; then b; fi", "if a\nthen\n  b # why\nfi\n"),
    ("bash", "echo a  b", "echo a b"),
    ("kotlin", "fun f() { a(); b() }", "fun f() {\n    a()\n    b() // why\n}"),
    ("kotlin", "val x = listOf(1, 2)", "val x = listOf(\n    1,\n    2,\n)"),
    ("swift", "func f() { a(); b() }", "func f() {\n    a()\n    b() // why\n}"),
    ("scala", "object A { def f = { a; b } }", "object A {\n  def f = {\n    a\n    b // why\n  }\n}"),
]

DIFFERENT = [
    ("python", "x = (a,)\n", "x = (a)\n"),
    ("python", "x[a,]\n", "x[a]\n"),
    ("python", "x: list[int,]\n", "x: list[int]\n"),
    ("python", "(a): int = 1\n", "a: int = 1\n"),
    ("python", "if a:\n  b\n  c\n", "if a:\n  b\nc\n"),
    ("python", "for a in b:\n  c\nelse:\n  d\n", "for a in b:\n  c\n  d\n"),
    ("python", "x = (a + b) * c\n", "x = a + b * c\n"),
    ("python", "x = (a < b) < c\n", "x = a < b < c\n"),
    ("python", "x = -(a ** b)\n", "x = (-a) ** b\n"),
    ("python", "x = f'{a=}'\n", 'x = f"{a =}"\n'),
    ("python", "x = f'{a!r}'\n", "x = f'{a}'\n"),
    ("python", "x = f'{a:>3}'\n", "x = f'{a:>4}'\n"),
    ("python", "x = r'\\n'\n", "x = '\\n'\n"),
    ("python", "x = r'\\''\n", 'x = "\'"\n'),
    ("python", "x = b'a'\n", "x = 'a'\n"),
    ("python", "x = f'a'\n", "x = 'a'\n"),
    ("python", "x = ' a'\n", "x = 'a'\n"),
    ("python", "x = '''a\n b'''\n", "x = '''a\nb'''\n"),
    ("python", "x = 'a' b'b'\n", "x = 'ab'\n"),
    ("python", "x = 'a', 'b'\n", "x = 'ab'\n"),
    ("python", "x = '\\x5cn'\n", "x = '\\n'\n"),
    ("python", "x = '\\0'\n", "x = '\\\\0'\n"),
    ("python", "x = b'\\u0041'\n", "x = b'A'\n"),
    ("python", "for (a,) in b: pass\n", "for a in b: pass\n"),
    ("python", "(a,) = b\n", "(a) = b\n"),
    ("python", "x = (a, (b, c))\n", "x = a, b, c\n"),
    ("python", "f((a, b))\n", "f(a, b)\n"),
    ("python", "f((a for a in b), c)\n", "f(a for a in b)\n"),
    ("python", "f([a for a in b])\n", "f(a for a in b)\n"),
    ("python", "class A(b()): pass\n", "class A: pass\n"),
    ("python", "if (a or b) and c: pass\n", "if a or b and c: pass\n"),
    ("python", "except_(A, B)\n", "except_((A, B))\n"),
    ("python", "(a + b).c\n", "a + b.c\n"),
    ("python", "x = [*a or b]\n", "x = [(*a,) or b]\n"),
    ("python", "x = 1\n", "x = 1.0\n"),
    ("python", "print(a)\n", "print((a, b))\n"),
    ("python", "# -*- coding: latin-1 -*-\nx = 1\n", "x = 1\n"),
    ("python", "x = 'a'  # b\n", "x = 'a # b'\n"),
    ("javascript", "return\na", "return a"),
    ("javascript", "f((a, b) => a)", "f(a => a)"),
    ("javascript", "f(({a}) => a)", "f(a => a)"),
    ("typescript", "f((a: b) => a)", "f(a => a)"),
    ("typescript", "f((a?) => a)", "f(a => a)"),
    ("javascript", "x=[,]", "x=[]"),
    ("javascript", "x=[a,,]", "x=[a,]"),
    ("javascript", "(a?.b).c", "a?.b.c"),
    ("javascript", "for(;a;b);", "for(a;b;);"),
    ("javascript", "('use strict')", "'use strict'"),
    ("javascript", "x = () => ({})", "x = () => {}"),
    ("javascript", "x = `a`", "x = 'a'"),
    ("javascript", "x = `a  b`", "x = `a b`"),
    ("javascript", "x = /a b/", "x = /ab/"),
    ("javascript", "x = <a>b c</a>", "x = <a>bc</a>"),
    ("javascript", "x = <a>b &amp;\n &amp;</a>", "x = <a>b &amp;&amp;</a>"),
    ("javascript", "x = <a b='\\\"'/>", "x = <a b='\"'/>"),
    ("javascript", "a\n++b", "a++\nb"),
    ("javascript", "while (a);b()", "while (a) b()"),
    ("javascript", "(a, b)", "f(a, b)"),
    ("typescript", "let x: (A | B)[]", "let x: A | B[]"),
    ("go", "package a\n//go:embed x\nvar a int", "package a\n// go on\nvar a int"),
    ("go", 'package a\n// #include <a.h>\nimport "C"', 'package a\nimport "C"'),
    ("go", "package a\nvar a = `a b`", "package a\nvar a = `ab`"),
    ("go", "package a\nfunc f() { for ; a; {} }", "package a\nfunc f() { for a; ; {} }"),
    ("rust", "fn f() -> u8 { a }", "fn f() -> u8 { a; }"),
    ("rust", "fn f() { (s.f)(x) }", "fn f() { s.f(x) }"),
    ("rust", 'const A: &str = r"a b";', 'const A: &str = r"ab";'),
    ("rust", "const A: (u8,) = a;", "const A: (u8) = a;"),
    ("rust", "macro_rules! a { ($($x:expr),*) => {} }", "macro_rules! a { ($($x:expr);*) => {} }"),
    ("rust", "fn f() { a![x,] }", "fn f() { a![x] }"),
    ("rust", 'const A: &[u8] = b"a";', 'const A: &str = "a";'),
    ("java", 'class A { String a = "b c"; }', 'class A { String a = "bc"; }'),
    ("c", "x = (A) * 3;", "x = A * 3;"),
    ("c", "#define A(x) x\n", "#define A (x) x\n"),
    ("c", "int x = 'a';", "int x = 'b';"),
    ("cpp", "decltype(auto) f() { return (x); }", "decltype(auto) f() { return x; }"),
    ("cpp", "using A = decltype((x));", "using A = decltype(x);"),
    ("csharp", 'class A { string a = @"b\\c"; }', 'class A { string a = "b\\c"; }'),
    ("csharp", 'class A { string a = $"{b}"; }', 'class A { string a = $"{c}"; }'),
    ("ruby", "x = 'a\\n'", 'x = "a\\n"'),
    ("ruby", "x = '#{a}'", 'x = "#{a}"'),
    ("ruby", "x = %w[a b]", "x = %w[ab]"),
    ("ruby", "# frozen_string_literal: true\nx", "x"),
    ("ruby", "x = <<~A\n  a\n   b\nA\n", "x = <<~A\n  a\n  b\nA\n"),
    ("ruby", "x = :a", "x = :b"),
    ("php", "<?php $a = '$x';", '<?php $a = "$x";'),
    ("php", "<?php $a = '\\n';", '<?php $a = "\\n";'),
    ("php", "<?php function &f() { return ($a); }", "<?php function &f() { return $a; }"),
    ("php", "<p> a</p><?php f();", "<p>a</p><?php f();"),
    ("bash", "echo a b", 'echo "a b"'),
    ("bash", "a & b", "a; b"),
    ("bash", "echo a\\ b", "echo a b"),
    ("bash", "cat <<E\na  b\nE\n", "cat <<E\na b\nE\n"),
    ("kotlin", "val x = a !is B", "val x = a is B"),
    ("kotlin", "val c = 'a'", "val c = 'b'"),
    ("kotlin", 'val s = """a\n b"""', 'val s = """a\nb"""'),
    ("swift", "func f() throws {}", "func f() {}"),
    ("swift", 'let s = "a b"', 'let s = "ab"'),
    ("scala", 'val s = "a b"', 'val s = "ab"'),
    ("scala", 'val s = s"$a"', 'val s = s"$b"'),
]


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_what_differs_only_in_form_has_one_hash(language: str, one: str, other: str) -> None:
    assert tokens_sha256(one.encode(), language) == tokens_sha256(other.encode(), language)


@pytest.mark.parametrize(("language", "one", "other"), DIFFERENT)
def test_what_differs_in_meaning_has_two_hashes(language: str, one: str, other: str) -> None:
    assert tokens_sha256(one.encode(), language) != tokens_sha256(other.encode(), language)


def test_every_language_has_cases_of_both_kinds() -> None:
    assert {language for language, _, _ in SAME} == set(OUTLINED)
    assert {language for language, _, _ in DIFFERENT} == set(OUTLINED)


@pytest.mark.parametrize("language", OUTLINED)
def test_line_ends_and_a_byte_order_mark_are_form(language: str) -> None:
    source = next(one for known, one, _ in SAME if known == language).encode() + b"\n"
    expected = tokens_sha256(source, language)
    assert tokens_sha256(source.replace(b"\n", b"\r\n"), language) == expected
    if language != "php":
        assert tokens_sha256(b"\xef\xbb\xbf" + source, language) == expected


@pytest.mark.parametrize("language", OUTLINED)
def test_no_character_of_a_word_can_change_unseen(language: str) -> None:
    """Every letter and digit of the samples is replaced by another, one at a time."""
    for known, source, _ in SAME + DIFFERENT:
        if known != language:
            continue
        data = source.encode()
        comments = _comments(data, language)
        expected = tokens_sha256(data, language)
        for at, byte in enumerate(data):
            if not chr(byte).isalnum() or any(start <= at < end for start, end in comments):
                continue
            changed = data[:at] + (b"q" if byte != ord("q") else b"z") + data[at + 1 :]
            if language == "python" and _dump(changed) == _dump(data) is not None:
                continue
            assert tokens_sha256(changed, language) != expected, (source, changed)


def _comments(data: bytes, language: str) -> list[tuple[int, int]]:
    found = []
    waiting = [parse(data, language).root_node]
    while waiting:
        node = waiting.pop()
        if "comment" in node.type:
            found.append((node.start_byte, node.end_byte))
        waiting.extend(node.children)
    return found


def _dump(source: bytes) -> str | None:
    """Python's own syntax tree, which does not tell `u'a'` from `'a'` here; None for what is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(tree)


PYTHON_SAMPLES = sorted(Path(ast.__file__).parent.glob("*.py"))[::9]


def _reformatted(source: str, chance: random.Random) -> str:
    """The source with other blanks, quote marks and comments, and with line breaks inside brackets.

    What continues a line is indented further than its statement: the grammar does not take it otherwise.
    """
    out: list[str] = []
    row, column, depth = 1, 0, 0
    lines = source.splitlines(keepends=True)
    previous = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        start_row, start_column = token.start
        gap = ""
        if start_row == row:
            gap = lines[row - 1][column:start_column] if row <= len(lines) else ""
        elif row <= len(lines):
            gap = lines[row - 1][column:] + "".join(lines[row : start_row - 1])
            gap += lines[start_row - 1][:start_column] if start_row <= len(lines) else ""
        if depth and chance.random() < 0.3 and previous not in ("", "\n"):
            indent = " " * 40
            gap += chance.choice([" ", "  ", f"\n{indent}", f" # a comment\n{indent}"])
        out.append(gap)
        text = token.string
        if token.type == tokenize.OP:
            depth += (text in "([{") - (text in ")]}")
        plain = token.type == tokenize.STRING and text[:1] in "'\"" and text[:3] not in ("'''", '"""')
        if plain and "\\" not in text and '"' not in text[1:-1] and "'" not in text[1:-1]:
            text = ('"' if text[0] == "'" else "'").join(["", text[1:-1], ""])
        if token.type == tokenize.COMMENT and "coding" not in text and not text.startswith("#!"):
            text = "# other words"
        out.append(text)
        previous = token.string
        row, column = token.end
    return "".join(out)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.sampled_from(PYTHON_SAMPLES), st.integers(0, 2**32))
def test_python_that_is_written_in_another_form_has_the_same_hash(path: Path, seed: int) -> None:
    source = path.read_text(encoding="utf-8")[:20_000].rpartition("\n\n")[0] + "\n"
    expected = _dump(source.encode())
    if expected is None:
        return
    changed = _reformatted(source, random.Random(seed))
    assert _dump(changed.encode()) == expected
    assert tokens_sha256(changed.encode(), "python") == tokens_sha256(source.encode(), "python")


SNIPPETS = [
    "(",
    ")",
    ",",
    "\n",
    " ",
    "    ",
    "'",
    '"',
    "\\\n",
    ";",
    "[a]",
    "a",
    "not ",
    "#",
    ":",
    "f",
    "r",
    "()",
    "# c\n",
]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    st.sampled_from(
        [source for language, *both in SAME + DIFFERENT if language == "python" for source in both]
    ),
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 3), st.sampled_from(SNIPPETS)), min_size=1, max_size=3
    ),
)
def test_python_with_an_equal_hash_has_an_equal_syntax_tree(
    source: str, edits: list[tuple[int, int, str]]
) -> None:
    changed = source
    for at, removed, inserted in edits:
        changed = changed[:at] + inserted + changed[at + removed :]
    if _dump(source.encode()) is None or _dump(changed.encode()) is None:
        return
    if tokens_sha256(source.encode(), "python") == tokens_sha256(changed.encode(), "python"):
        assert _dump(changed.encode()) == _dump(source.encode())


MODULE = b'''"""Module."""

class A:
    """Class."""

    x = "no docstring"

    def f(self):
        # a comment first
        """Function."""
        "no docstring"

    def g(self):
        ("In " "parentheses.")

def h():
    b"bytes"

def i():
    f"{x}"

if x:
    "no docstring"
'''


def test_docstrings_are_found_where_python_finds_them() -> None:
    found = [MODULE[start:end] for start, end in docstring_ranges(MODULE, "python")]
    assert found == [b'"""Module."""', b'"""Class."""', b'"""Function."""', b'("In " "parentheses.")']


def test_without_docstrings_only_they_are_left_out() -> None:
    changed = MODULE.replace(b"Module", b"Other").replace(b"Function", b"Other").replace(b"Class", b"Other")
    assert tokens_sha256(MODULE, "python") != tokens_sha256(changed, "python")
    assert tokens_sha256(MODULE, "python", docstrings=False) == tokens_sha256(
        changed, "python", docstrings=False
    )
    for text in (b"bytes", b"no docstring", b"{x}"):
        other = MODULE.replace(text, text + b" ")
        assert tokens_sha256(MODULE, "python", docstrings=False) != tokens_sha256(
            other, "python", docstrings=False
        )


def test_other_languages_have_no_docstrings() -> None:
    assert docstring_ranges(b"// doc\nfunc f() {}", "go") == ()


def test_a_range_has_the_tokens_that_stand_in_it() -> None:
    data = b"a = 1\nb = [2, 3]\nc = 4\n"
    start = data.index(b"b")
    words = [token.text for token in token_stream(data, "python", start, start + 10)]
    assert [word for word in words if word[:1] not in b"\x02\x03"] == [b"=", b"[", b",", b"]"]
    assert [word.partition(b"\x1f")[2] for word in words if b"\x1f" in word] == [b"b", b"2", b"3"]
    for token in token_stream(data, "python"):
        if token.end_byte > token.start_byte:
            assert token.text.endswith(data[token.start_byte : token.end_byte])


def test_a_function_has_the_same_tokens_wherever_it_stands() -> None:
    function = b"def f(a):\n    return a + 1\n"
    before = b"import os\n\n\n" + function + b"\nx = 1\n"
    after = b"def g(): pass\n\n" + function.replace(b"\n    ", b" ") + b"\n"
    ranges = [(source, source.index(b"def f"), source.index(b"+ 1") + 3) for source in (before, after)]
    one, other = (tokens_sha256(source, "python", start, end) for source, start, end in ranges)
    assert one == other


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(:\n    return 1\n", "def f(:\n    return 2\n"),
        ("f(a\n", "f(a)\n"),
        ("x = 'abc\n", "x = 'abd\n"),
    ],
)
def test_what_could_not_be_parsed_is_compared_exactly(one: str, other: str) -> None:
    assert tokens_sha256(one.encode(), "python") != tokens_sha256(other.encode(), "python")


def test_source_that_a_grammar_leaves_out_of_its_leaves_is_compared_exactly() -> None:
    data = b"x = 1\n"
    tree = parse(data, "python")
    assert not read_stream(tree, data, "python").exact
    other = b"x = 1\x01"
    assert read_stream(tree, other[:5] + b"?", "python").exact
    assert token_stream(b"x \xc2\xa0= 1\n", "python")[0].text != EXACT


@pytest.mark.parametrize("opening", ["(", "[", "{", "-", "not ", "lambda: ", "f(", "a[", "(yield "])
def test_deep_nesting_does_not_exhaust_the_stack(opening: str) -> None:
    depth = 5_000
    closing = {"(": ")", "[": "]", "{": "}", "f(": ")", "a[": "]", "(yield ": ")"}.get(opening, "")
    one, other = (f"x = {opening * depth}{name}{closing * depth}\n".encode() for name in "ab")
    assert len(token_stream(one, "python")) > 10
    assert tokens_sha256(one, "python") != tokens_sha256(other, "python")


def test_bounds_are_errors_that_name_what_was_met() -> None:
    with pytest.raises(NotParsedError, match="6 bytes, the limit is 5"):
        parse(b"x = 1\n", "python", max_bytes=5)
    with pytest.raises(NotParsedError, match="NUL byte at offset 4"):
        parse(b"x = \0\n", "python")
    ticks = iter(range(10_000))
    with pytest.raises(NotParsedError, match="over 3 seconds"):
        parse(b"x = [1, 2, 3]\n" * 5000, "python", seconds=3, clock=lambda: float(next(ticks)))
    with pytest.raises(LookupError, match="klingon"):
        parse(b"", "klingon")
