"""Outlines: which definitions a source has, under which names, and where."""

from __future__ import annotations

import hashlib

import pytest

from afresh_indexer.languages import OUTLINED
from afresh_indexer.outline import outline
from afresh_indexer.records import Symbol
from afresh_indexer.tokens import tokens_sha256

SAMPLES: dict[str, tuple[str, str]] = {
    "python": (
        '''
X = 1
y, z = 1, 2
y = 3
@dec
class A(B):
    """d"""
    f: int = 1
    @property
    def p(self):
        def inner(): pass
        q = 1
if X:
    def g(): pass
type T = int
''',
        "constant X 2-2, variable y 3-3, variable z 3-3, class A 5-12, field A.f 8-8, method A.p 9-12, "
        "function A.p.inner 11-11, function g 14-14, type T 15-15",
    ),
    "javascript": (
        """export default class A extends B { #x = 1; constructor() {} get y() { return 1 } static z = () => 1 }
export const f = async () => { const local = 1; const h = () => 2 }
const a = 1, { b, c: d } = e
var v
module.exports = function main() {}
exports.g = function () {}
A.prototype.m = function () {}
const api = { get() {}, key: 1, post: function () {} };
(function () { var inside = 1; function k() {} })()
function* gen() {}
on(event, function handler() {})
""",  # noqa: E501
        "class A 1-1, field A.#x 1-1, constructor A.constructor 1-1, property A.y 1-1, method A.z 1-1, "
        "function f 2-2, function f.h 2-2, constant a 3-3, constant b 3-3, constant d 3-3, variable v 4-4, "
        "function main 5-5, function g 6-6, method A.m 7-7, constant api 8-8, "
        "method api.get 8-8, method api.post 8-8, variable inside 9-9, function k 9-9, function gen 10-10, "
        "function handler 11-11",
    ),
    "typescript": (
        """interface I { a: string; m(): void; new (x: number): I }
type T = { b: number }
enum E { A, B = 2 }
namespace N.M { export function f() {} }
declare module "foo" { export const x: number }
declare function g(): void
abstract class Q { constructor(private p: number, q: number) {} abstract r(): void; @dec() s() {} }
""",
        "interface I 1-1, field I.a 1-1, method I.m 1-1, constructor I.new 1-1, type T 2-2, field T.b 2-2, "
        "enum E 3-3, constant E.A 3-3, constant E.B 3-3, module N.M 4-4, function N.M.f 4-4, module foo 5-5, "
        "constant foo.x 5-5, function g 6-6, class Q 7-7, constructor Q.constructor 7-7, field Q.p 7-7, "
        "method Q.r 7-7, method Q.s 7-7",
    ),
    "go": (
        """package a
type (
	A struct { B; x, y int }
	I interface { M(a int); io.Reader }
)
type F = int
const ( X, Y = 1, 2 )
var z = 1
func (a *A[T]) M() { f := func() { var q int } }
func G[T any]() { type local struct{} }
""",
        "struct A 3-3, field A.x 3-3, field A.y 3-3, interface I 4-4, method I.M 4-4, type F 6-6, "
        "constant X 7-7, constant Y 7-7, variable z 8-8, method A.M 9-9, function G 10-10, "
        "struct G.local 10-10",
    ),
    "rust": (
        """#[derive(A)]
// why
pub struct S<T> { a: i32 }
impl<T> fmt::Display for S<T> { #[inline] fn f(&self) { let x = 1; } const K: i32 = 1; }
trait T { fn a(); type X; }
enum E { A, B { x: i32 } }
mod m { static Q: i32 = 1; }
macro_rules! mm { () => {} }
""",
        "struct S 1-3, field S.a 3-3, method S.f 4-4, constant S.K 4-4, trait T 5-5, method T.a 5-5, "
        "type T.X 5-5, enum E 6-6, constant E.A 6-6, constant E.B 6-6, field E.B.x 6-6, module m 7-7, "
        "variable m.Q 7-7, macro mm 8-8",
    ),
    "java": (
        """package a;
@Deprecated
class A<T> { int x, y = 1; static final int K = 1; A() {} void m() { int l; class L {} }
  enum E { X, Y { void z() {} }; int q; }
  Runnable r = new Runnable() { public void run() {} };
}
interface I { void n(); }
@interface An { int v() default 1; }
record R(int a) { R {} }
""",
        "class A 2-6, field A.x 3-3, field A.y 3-3, constant A.K 3-3, constructor A.A 3-3, method A.m 3-3, "
        "class A.m.L 3-3, enum A.E 4-4, constant A.E.X 4-4, constant A.E.Y 4-4, method A.E.Y.z 4-4, "
        "field A.E.q 4-4, field A.r 5-5, method A.r.run 5-5, interface I 7-7, method I.n 7-7, "
        "interface An 8-8, method An.v 8-8, class R 9-9, constructor R.R 9-9",
    ),
    "c": (
        """#define M(x) x
#define K 1
typedef struct { int q; } TS;
typedef int (*FT)(int);
struct S { int a; struct { int b; } c; };
enum E { X, Y = 2 };
int (*fp)(int);
static int v = 1, w[3];
int proto(void);
int *f(int a) { int local; return 0; }
""",
        "macro M 1-1, macro K 2-2, type TS 3-3, field TS.q 3-3, type FT 4-4, struct S 5-5, field S.a 5-5, "
        "field S.c 5-5, field S.b 5-5, enum E 6-6, constant E.X 6-6, constant E.Y 6-6, variable fp 7-7, "
        "variable v 8-8, variable w 8-8, prototype proto 9-9, function f 10-10",
    ),
    "cpp": (
        """namespace a::b {
template <class T> class C : public D { int x; C(); ~C(); static int s; enum class E { A }; operator int(); C operator+(C); using T2 = int; };
}
a::b::C::C() : x(1) {}
void a::b::C::m() const {}
constexpr int k = 1;
auto l = [](int a) { int loc; return a; };
""",  # noqa: E501
        "module a.b 1-3, class a.b.C 2-2, field a.b.C.x 2-2, method a.b.C.C 2-2, method a.b.C.~C 2-2, "
        "field a.b.C.s 2-2, enum a.b.C.E 2-2, constant a.b.C.E.A 2-2, method a.b.C.operator int 2-2, "
        "method a.b.C.operator+ 2-2, type a.b.C.T2 2-2, method a.b.C.C 4-4, method a.b.C.m 5-5, "
        "variable k 6-6, variable l 7-7",
    ),
    "csharp": (
        """namespace A.B { [Serializable] class C<T> { int a, b = 1; event E e; int P { get; set; } int this[int i] => 1;
  C() {} ~C() {} public static C operator +(C a) => a; public static implicit operator int(C c) => 1;
  void M<T>() { int l; void N() {} } enum E { X, Y = 2 } delegate void D(); } record R(int a); interface I { void Q(); } struct S {} }
""",  # noqa: E501
        "module A.B 1-3, class A.B.C 1-3, field A.B.C.a 1-1, field A.B.C.b 1-1, field A.B.C.e 1-1, "
        "property A.B.C.P 1-1, property A.B.C.this 1-1, constructor A.B.C.C 2-2, method A.B.C.~C 2-2, "
        "method A.B.C.operator + 2-2, method A.B.C.operator int 2-2, method A.B.C.M 3-3, "
        "function A.B.C.M.N 3-3, "
        "enum A.B.C.E 3-3, constant A.B.C.E.X 3-3, constant A.B.C.E.Y 3-3, type A.B.C.D 3-3, "
        "class A.B.R 3-3, "
        "interface A.B.I 3-3, method A.B.I.Q 3-3, struct A.B.S 3-3",
    ),
    "ruby": (
        """module A::B
  class C < D
    K = 1
    attr_accessor :x
    attr_reader :r
    def self.f; end
    def g=(v) local = 1 end
    class << self
      def h; end
    end
    alias a b
    alias_method :n, :o
  end
end
S = Struct.new(:a) do
  def z; end
end
def ==(o) end
def []=(a, b) end
""",
        "module A.B 1-14, class A.B.C 2-13, constant A.B.C.K 3-3, method A.B.C.x 4-4, method A.B.C.x= 4-4, "
        "method A.B.C.r 5-5, method A.B.C.f 6-6, method A.B.C.g= 7-7, method A.B.C.h 9-9, "
        "method A.B.C.a 11-11, "
        "method A.B.C.n 12-12, constant S 15-17, method S.z 16-16, function == 18-18, function []= 19-19",
    ),
    "php": (
        """<?php
namespace A\\B;
const Q = 1;
define("X", 1);
#[Attr]
class C extends D { const K = 1, L = 2; public $p = 1, $q; function f() { $local = 1; } function __construct(private int $n) {} }
interface I {} trait T {} enum E: int { case A = 1; }
function g() {}
""",  # noqa: E501
        "module A.B 2-2, constant Q 3-3, constant X 4-4, class C 5-6, constant C.K 6-6, constant C.L 6-6, "
        "field C.p 6-6, field C.q 6-6, method C.f 6-6, method C.__construct 6-6, field C.n 6-6, "
        "interface I 7-7, "
        "trait T 7-7, enum E 7-7, constant E.A 7-7, function g 8-8",
    ),
    "bash": (
        """A=1
f() { local b=2; c=3; }
function g { :; }
A=2
export D=4
""",
        "variable A 1-1, function f 2-2, function g 3-3, variable D 5-5",
    ),
    "kotlin": (
        """class A(val x: Int, y: Int) : B() {
  companion object {
    const val Z = 1
  }
  constructor(a: Int) : this(a, 1) { val local = 1 }
  fun String.foo(): Int = 1
}
interface I {
  fun q()
}
enum class E { X, Y }
object O { }
typealias T = Int
val (a1, b1) = c
""",
        "class A 1-7, property A.x 1-1, class A.Companion 2-4, property A.Companion.Z 3-3, "
        "constructor A.constructor 5-5, method A.foo 6-6, interface I 8-10, method I.q 9-9, enum E 11-11, "
        "constant E.X 11-11, constant E.Y 11-11, class O 12-12, type T 13-13, variable a1 14-14, "
        "variable b1 14-14",
    ),
    "swift": (
        """struct A: B { let x: Int = 1
  var z: Int { return 1 }
  init(a: Int) { let local = 1 }
  deinit {}
  func foo() {}
  subscript(i: Int) -> Int { 1 }
  enum E: Int { case a, b = 2 }
}
extension A.C: D { static func q() {} }
protocol P { associatedtype T; func r(); var v: Int { get } }
typealias U = Int
let g = 1
func + (a: Int, b: Int) -> Int { 1 }
""",
        "struct A 1-8, property A.x 1-1, property A.z 2-2, constructor A.init 3-3, method A.deinit 4-4, "
        "method A.foo 5-5, method A.subscript 6-6, enum A.E 7-7, constant A.E.a 7-7, constant A.E.b 7-7, "
        "extension A.C 9-9, method A.C.q 9-9, interface P 10-10, type P.T 10-10, method P.r 10-10, "
        "property P.v 10-10, type U 11-11, variable g 12-12, function + 13-13",
    ),
    "scala": (
        """class A[T](val x: Int) { def f(y: Int) = { val local = 1; local }; val (p, q) = z; var r: Int = 2; type T = Int; def u: Int }
object O { case class C(a: Int) }
trait T2 { val w: Int; def + (o: Int): Int }
enum E { case X, Y; case Z(a: Int) }
""",  # noqa: E501
        "class A 1-1, method A.f 1-1, field A.p 1-1, field A.q 1-1, field A.r 1-1, type A.T 1-1, "
        "method A.u 1-1, "
        "class O 2-2, class O.C 2-2, trait T2 3-3, field T2.w 3-3, method T2.+ 3-3, enum E 4-4, "
        "constant E.X 4-4, "
        "constant E.Y 4-4, constant E.Z 4-4",
    ),
}


def symbols(language: str, source: str, path: str = "x") -> tuple[Symbol, ...]:
    found = outline(path, source.encode(), language)
    assert found.error is None
    return found.symbols


def named(found: tuple[Symbol, ...]) -> dict[str, Symbol]:
    return {symbol.qualified_name: symbol for symbol in found}


@pytest.mark.parametrize("language", OUTLINED)
def test_definitions_have_their_kinds_names_and_lines(language: str) -> None:
    source, expected = SAMPLES[language]
    found = [
        f"{one.kind} {one.qualified_name} {one.start_line}-{one.end_line}"
        for one in symbols(language, source)
    ]
    assert found == expected.split(", ")


@pytest.mark.parametrize("language", OUTLINED)
def test_ranges_and_hashes_are_those_of_the_source(language: str) -> None:
    source = SAMPLES[language][0].encode()
    found = outline("x", source, language)
    assert found.sha256 == hashlib.sha256(source).hexdigest()
    for symbol in found.symbols:
        text = source[symbol.start_byte : symbol.end_byte]
        assert text.strip() == text
        written = symbol.name.removeprefix("~").removesuffix("=").split()[-1:]
        assert symbol.name == "Companion" or all(part.encode() in text for part in written)
        assert symbol.source_sha256 == hashlib.sha256(text).hexdigest()
        assert symbol.start_line == source[: symbol.start_byte].count(b"\n") + 1
        assert symbol.end_line == source[: symbol.end_byte].count(b"\n") + 1
        assert symbol.qualified_name.endswith(symbol.name)


@pytest.mark.parametrize("language", OUTLINED)
def test_a_definition_keeps_its_hashes_when_it_is_moved_down(language: str) -> None:
    source = SAMPLES[language][0]
    first, rest = ("<?php\n", source.removeprefix("<?php\n")) if language == "php" else ("", source)
    before, after = symbols(language, source), symbols(language, f"{first}\n\n{rest}")
    assert [(one.qualified_name, one.source_sha256, one.tokens_sha256) for one in before] == [
        (one.qualified_name, one.source_sha256, one.tokens_sha256) for one in after
    ]
    assert [one.start_line + 2 for one in before if one.start_line > 1] == [
        one.start_line for one in after if one.start_line > 3
    ]


def test_formatting_changes_the_hash_of_the_source_and_not_that_of_the_tokens() -> None:
    before = named(symbols("python", "class A:\n    def f(self): return 'a'\n    def g(self): pass\n"))
    after = named(
        symbols(
            "python", 'class A:\n\n    def f(self):\n        return "a"  # why\n\n    def g(self): pass\n'
        )
    )
    for name in ("A", "A.f"):
        assert before[name].source_sha256 != after[name].source_sha256
        assert before[name].tokens_sha256 == after[name].tokens_sha256
    assert before["A.g"].source_sha256 == after["A.g"].source_sha256


def test_a_change_in_one_method_is_a_change_of_its_class_and_of_no_other_method() -> None:
    before = named(symbols("python", "class A:\n    def f(self): return 1\n    def g(self): pass\n"))
    after = named(symbols("python", "class A:\n    def f(self): return 2\n    def g(self): pass\n"))
    changed = {name for name in before if before[name].tokens_sha256 != after[name].tokens_sha256}
    assert changed == {"A", "A.f"}


def test_the_hash_of_a_definition_without_decorators_is_that_of_its_range() -> None:
    source = b"import os\n\ndef f(a):\n    return [a]\n\nx = 1\n"
    [function, _] = outline("x", source, "python").symbols
    assert function.tokens_sha256 == tokens_sha256(source, "python", function.start_byte, function.end_byte)


@pytest.mark.parametrize(
    ("language", "source", "name", "start"),
    [
        ("python", "# why\n@a\n@b(1)\ndef f(): pass\n", "f", 2),
        ("typescript", "// why\n@a\nexport class A {}\n", "A", 2),
        ("typescript", "class A {\n  // why\n  @a() f() {}\n}\n", "A.f", 3),
        ("javascript", "// why\nexport const f = () => 1\n", "f", 2),
        ("java", "/** why */\n@Override\npublic class A {}\n", "A", 2),
        ("rust", "/// why\n#[a]\n// why\n#[b]\npub fn f() {}\n", "f", 2),
        ("cpp", "// why\ntemplate <class T>\nT f(T x) { return x; }\n", "f", 2),
        ("csharp", "// why\n[A]\nclass B {}\n", "B", 2),
        ("php", "<?php\n// why\n#[A]\nfunction f() {}\n", "f", 3),
        ("kotlin", "// why\n@A\nfun f() {}\n", "f", 2),
        ("swift", "// why\n@A\nfunc f() {}\n", "f", 2),
        ("scala", "// why\n@a\nclass B\n", "B", 2),
    ],
)
def test_decorators_and_attributes_are_in_the_range_and_comments_before_are_not(
    language: str, source: str, name: str, start: int
) -> None:
    assert named(symbols(language, source))[name].start_line == start


def test_an_attribute_belongs_to_the_next_definition_only() -> None:
    found = named(symbols("rust", "#[a]\nuse x::y;\nfn f() {}\n#[b]\nfn g() {}\nfn h() {}\n"))
    assert [found[name].start_line for name in "fgh"] == [3, 4, 6]


def test_overloads_share_a_name() -> None:
    source = "class A { void f(int a) {} void f(String a) {} }"
    assert [one.qualified_name for one in symbols("java", source)] == ["A", "A.f", "A.f"]


def test_what_parses_beside_a_syntax_error_is_there() -> None:
    source = "def f(): pass\n\nx = = 1\n\ndef g(): pass\n\nclass A:\n    def m(self): return 1\n"
    assert {"f", "g", "A", "A.m"} <= set(named(symbols("python", source)))


def test_a_language_without_a_grammar_has_an_empty_outline() -> None:
    for language in ("markdown", "klingon", None):
        found = outline("a", b"# a\n", language)
        assert (found.symbols, found.error, found.sha256) == ((), None, hashlib.sha256(b"# a\n").hexdigest())


def test_tsx_is_parsed_as_such() -> None:
    source = "export const A = () => <b>{c}</b>\nfunction f<T>(x: T) {}\n"
    assert list(named(symbols("typescript", source, "a.tsx"))) == ["A", "f"]


@pytest.mark.parametrize("language", OUTLINED)
def test_any_bytes_have_an_outline_or_an_error(language: str) -> None:
    source = SAMPLES[language][0].encode()
    for data in (
        b"",
        b"\n",
        b"\xff\xfe\xfa",
        source[: len(source) // 2],
        source[::-1],
        source.replace(b"\n", b"\r"),
    ):
        found = outline("x", data, language)
        assert found.error is None
        for symbol in found.symbols:
            assert 0 <= symbol.start_byte < symbol.end_byte <= len(data)
    assert outline("x", b"\0", language).error


def test_a_source_that_is_too_large_or_slow_says_so() -> None:
    assert (
        outline("x", b"x = 1\n" * 10, "python", max_bytes=50).error
        == "too large to parse: 60 bytes, the limit is 50"
    )
    ticks = iter(range(100_000))
    found = outline("x", b"x = [1, 2]\n" * 5000, "python", seconds=2.0, clock=lambda: float(next(ticks)))
    assert (found.symbols, found.error) == ((), "parsing took over 2 seconds")


def test_a_minified_file_in_one_line_ends() -> None:
    source = "var a=[" + "{b:function(){return[1,2,'x']}}," * 10_000 + "];function last(){}"
    assert list(named(symbols("javascript", source)))[-1] == "last"


@pytest.mark.parametrize(
    ("language", "opening", "closing"),
    [
        ("python", "class A:\n", ""),
        ("javascript", "function f(){", "}"),
        ("java", "class A{", "}"),
        ("c", "struct A { ", "} x;"),
        ("rust", "mod a{", "}"),
        ("go", "package a\n" + "var x = " + "(" * 1200, ")" * 1200),
    ],
)
def test_deep_nesting_does_not_exhaust_the_stack(language: str, opening: str, closing: str) -> None:
    if language == "python":
        source = "".join(" " * depth + opening for depth in range(300)) + " " * 300 + "x = 1\n"
    else:
        source = (
            opening * (1 if language == "go" else 1200) + "1" + closing * (1 if language == "go" else 1200)
        )
    assert symbols(language, source)
