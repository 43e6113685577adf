"""The verdicts without a syntax tree: where there is one, it is the one that the syntax tree gives."""

from __future__ import annotations

import ast
import random
from textwrap import dedent

import pytest

from afresh_indexer.drift import drift
from afresh_indexer.hunks import diff
from afresh_indexer.outline import outline
from afresh_indexer.quick import QuickJudge
from afresh_indexer.source import Source
from afresh_indexer.verdicts import CitedSpan

CODE = (
    dedent(
        '''
    """A store of values."""

    import time

    LIMIT = 8


    def cached(function):
        # Keeps one value.
        """Remember what a function gave."""
        seen = {}

        def call(key):
            if key not in seen:
                seen[key] = function(key)  # first time

            return seen[key]

        return call


    class Store:
        """Values by key."""

        name = "store"

        def __init__(self, clock=time.time):
            self.values = {}
            self.clock = clock

        @property
        def size(self):
            return len(self.values)

        @cached
        def get(self, key):
            """One value.

            # not a comment
            """
            for _ in range(LIMIT):
                if key in self.values:
                    return self.values[key]
            text = """
    # neither is this
    """
            return text or None


    class Other(Store):
        def get(self, key):
            return super().get(key)

        class Inner:
            def get(self): return 1


    def main():
        store = Store()
        print(store.get("a"), store.size)
    '''
    )
    .lstrip()
    .encode()
)

INSERTED = (
    "",
    "    extra = 1",
    "        extra = 1",
    "@cached",
    "    @cached",
    "def added():\n    return LIMIT\n",
    "    def added(self):\n        return LIMIT\n",
    "class Added:",
    '    """Text."""',
)


def mutated(generator: random.Random) -> bytes | None:
    """The code with a few of its lines changed; None for what is no Python any more."""
    lines = CODE.decode().splitlines()
    for _ in range(generator.randint(1, 3)):
        at = generator.randrange(len(lines))
        match generator.randrange(7):
            case 0:
                del lines[at : at + generator.randint(1, 4)]
            case 1:
                lines.insert(at, generator.choice(INSERTED))
            case 2:
                lines.insert(at, " " * (len(lines[at]) - len(lines[at].lstrip())) + "# remark")
            case 3:
                lines[at] = lines[at].replace("self", "this").replace("key", "name")
            case 4:
                lines[at] = lines[at].replace("(", "( ").replace(" = ", "  =  ").rstrip() + "  "
            case 5:
                lines[at] += "  # remark"
            case 6:
                other = generator.randrange(len(lines))
                block = lines[at : at + 3]
                del lines[at : at + 3]
                lines[other:other] = block
        if not lines:
            return None
    text = "\n".join(lines) + "\n"
    try:
        ast.parse(text)
    except SyntaxError:
        return None
    return text.encode()


def spans() -> list[CitedSpan]:
    return [
        CitedSpan(
            symbol.start_line,
            symbol.end_line,
            symbol.qualified_name,
            None,
            symbol.source_sha256,
            symbol.tokens_sha256,
        )
        for symbol in outline("store.py", CODE, "python").symbols
    ]


def test_quick_verdicts_are_those_of_the_syntax_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = random.Random(20)
    versions = [new for _ in range(220) if (new := mutated(generator)) is not None]
    cited = spans()
    quick = [
        (drift(CODE, new, "python", cited, "s.py"), drift(CODE, new, "python", [], "s.py"))
        for new in versions
    ]
    for name in ("symbol", "whole_file", "lines"):
        monkeypatch.setattr(QuickJudge, name, lambda *_: None)
    assert len(versions) > 80
    for new, (some, whole) in zip(versions, quick, strict=True):
        slow = drift(CODE, new, "python", cited, "s.py")
        assert drift(CODE, new, "python", [], "s.py").change == whole.change, new.decode()
        for one, other in zip(some.spans, slow.spans, strict=True):
            assert (one.span.symbol, one.now) == (other.span.symbol, other.now), new.decode()


def judge_of(old: bytes, new: bytes, language: str = "python") -> QuickJudge:
    path = "a.py" if language == "python" else "a.ts"
    return QuickJudge(Source(old, language, path), Source(new, language, path), diff(old, new))


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("a = 1\n", "a = 2\n", "edited"),
        ("a = 1\n", "a = b\n", "edited"),
        ("a = 1\n", "a = 1\n# more\n", "cosmetic"),
        ("a = 1\n", "a = 1\n\n\n", "cosmetic"),
        ("a = 1\n", "a  =  1\n", None),
        ('"""a"""\n', '"""b"""\n', None),
        ('x = """\n# a\n"""\n', 'x = """\n# b\n"""\n', None),
        ("#!/bin/python\na = 1\n", "#!/bin/python3\na = 1\n", None),
        ("# coding: ascii\na = 1\n", "# coding: utf-8\na = 1\n", None),
        ('a = u"x"\n', 'a = "x"\n', None),
        ("a = (1)\n", "a = 1\n", None),
        ("a = 1;\n", "a = 1\n", None),
    ],
)
def test_only_what_is_certain_is_said_of_a_python_file(old: str, new: str, verdict: str | None) -> None:
    assert judge_of(old.encode(), new.encode()).whole_file() == verdict


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("let a = 1;\n", "let a = 2;\n", "edited"),
        ("let a = 1;\n// one\n", "let a = 1;\n// two\n", "cosmetic"),
        ("/*\n * one\n */\nlet a = 1;\n", "/*\n * two\n */\nlet a = 1;\n", None),
        ("let a = `\n// one\n`;\n", "let a = `\n// two\n`;\n", None),
        ("let a = 1;\n// @ts-ignore\nb();\n", "let a = 1;\nb();\n", None),
        ("let a = /`/;\n// one\nlet b = `x`;\n", "let a = /`/;\n// two\nlet b = `x`;\n", None),
        ("let a = <p>\n// one\n</p>;\n", "let a = <p>\n// two\n</p>;\n", None),
        ("let a = x\n * y;\n", "let a = x * y;\n", None),
        ("let a = 'b';\n", 'let a = "b"\n', None),
    ],
)
def test_only_what_is_certain_is_said_of_a_typescript_file(old: str, new: str, verdict: str | None) -> None:
    assert judge_of(old.encode(), new.encode(), "typescript").whole_file() == verdict


def test_a_language_whose_comments_are_not_known_is_left_to_others() -> None:
    judge = QuickJudge(Source(b"a\n", "text", "a"), Source(b"b\n", "text", "a"), diff(b"a\n", b"b\n"))
    assert judge.whole_file() is None
