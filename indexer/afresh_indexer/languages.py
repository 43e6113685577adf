"""Names the language of a file, and loads the grammar of those languages that have one.

Grammars are imported when the first file of their language is parsed: together they are 30 MB of shared
objects, and most projects need three of them.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

import tree_sitter

HEAD_BYTES = 4096
"""How much of a file `language_of` looks at, at most."""


@dataclass(frozen=True, slots=True)
class Language:
    """How files of one language are recognised, and where its grammar is."""

    name: str
    extensions: tuple[str, ...] = ()
    """Without the dot, lower case."""
    filenames: tuple[str, ...] = ()
    """Whole names, compared without regard to case."""
    interpreters: tuple[str, ...] = ()
    """Programs of a `#!` line; a version at the end (python3.12) does not matter."""
    grammar: tuple[str, str] | None = None
    """The grammar's module and the function in it; None where symbols are not known."""


_ALL = (
    Language(
        "python",
        ("py", "pyi", "pyw", "bzl", "star"),
        ("sconstruct", "sconscript", "wscript", "build.bazel", "workspace.bazel"),
        ("python", "pypy", "uv"),
        ("tree_sitter_python", "language"),
    ),
    Language(
        "javascript",
        ("js", "jsx", "mjs", "cjs", "es6"),
        ("jakefile",),
        ("node", "nodejs", "bun"),
        ("tree_sitter_javascript", "language"),
    ),
    Language(
        "typescript",
        ("ts", "tsx", "mts", "cts"),
        (),
        ("ts-node", "tsx", "deno"),
        ("tree_sitter_typescript", "language_typescript"),
    ),
    Language("go", ("go",), (), (), ("tree_sitter_go", "language")),
    Language("rust", ("rs",), (), ("rust-script",), ("tree_sitter_rust", "language")),
    Language("java", ("java",), (), (), ("tree_sitter_java", "language")),
    Language("c", ("c",), (), ("tcc",), ("tree_sitter_c", "language")),
    Language(
        "cpp",
        (
            "cpp",
            "cc",
            "cxx",
            "c++",
            "hpp",
            "hh",
            "hxx",
            "h++",
            "ipp",
            "inl",
            "tpp",
            "txx",
            "ixx",
            "cppm",
            "cu",
        ),
        (),
        (),
        ("tree_sitter_cpp", "language"),
    ),
    Language("csharp", ("cs", "csx"), (), (), ("tree_sitter_c_sharp", "language")),
    Language(
        "ruby",
        ("rb", "rake", "gemspec", "ru", "podspec", "rbw", "jbuilder"),
        ("rakefile", "gemfile", "guardfile", "capfile", "vagrantfile", "brewfile", "podfile", "fastfile"),
        ("ruby", "jruby", "rake"),
        ("tree_sitter_ruby", "language"),
    ),
    Language("php", ("php", "php5", "php7", "phtml"), (), ("php",), ("tree_sitter_php", "language_php")),
    Language(
        "bash",
        ("sh", "bash", "zsh", "ksh", "bats", "ebuild"),
        (".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zshenv", "pkgbuild"),
        ("sh", "bash", "dash", "zsh", "ksh", "ash", "bats"),
        ("tree_sitter_bash", "language"),
    ),
    Language("kotlin", ("kt", "kts"), (), ("kotlin",), ("tree_sitter_kotlin", "language")),
    Language("swift", ("swift",), (), ("swift",), ("tree_sitter_swift", "language")),
    Language("scala", ("scala", "sc", "sbt"), (), ("scala", "scala-cli"), ("tree_sitter_scala", "language")),
    Language(
        "markdown",
        ("md", "markdown", "mdown", "mkd", "mdx", "mdc"),
        (".cursorrules", ".windsurfrules", ".clinerules"),
    ),
    Language("rst", ("rst", "rest")),
    Language("asciidoc", ("adoc", "asciidoc")),
    Language(
        "text", ("txt", "text"), ("readme", "changelog", "contributing", "license", "copying", "notice")
    ),
    Language("json", ("json", "jsonc", "json5", "jsonl", "ndjson", "geojson", "webmanifest", "ipynb")),
    Language("yaml", ("yaml", "yml"), (".clang-format", ".clang-tidy")),
    Language("toml", ("toml",), ("pipfile", "poetry.lock", "cargo.lock", "uv.lock")),
    Language(
        "ini", ("ini", "cfg", "conf", "properties", "editorconfig"), (".gitconfig", ".npmrc", ".flake8")
    ),
    Language("xml", ("xml", "xsd", "xsl", "xslt", "svg", "plist", "csproj", "props", "targets", "pom")),
    Language("html", ("html", "htm", "xhtml", "jinja", "jinja2", "j2", "hbs", "ejs", "erb")),
    Language("vue", ("vue",)),
    Language("svelte", ("svelte",)),
    Language("css", ("css",)),
    Language("scss", ("scss", "sass")),
    Language("less", ("less",)),
    Language("sql", ("sql", "ddl", "dml", "psql")),
    Language("graphql", ("graphql", "gql")),
    Language("protobuf", ("proto",)),
    Language("thrift", ("thrift",)),
    Language("dockerfile", ("dockerfile",), ("dockerfile", "containerfile")),
    Language("makefile", ("mk", "mak"), ("makefile", "gnumakefile"), ("make",)),
    Language("cmake", ("cmake",), ("cmakelists.txt",)),
    Language("meson", (), ("meson.build", "meson_options.txt", "meson.options")),
    Language("terraform", ("tf", "tfvars", "hcl")),
    Language("nix", ("nix",)),
    Language("perl", ("pl", "pm", "t"), (), ("perl",)),
    Language("lua", ("lua",), (), ("lua", "luajit")),
    Language("r", ("r",), (".rprofile",), ("rscript",)),
    Language("julia", ("jl",), (), ("julia",)),
    Language("haskell", ("hs", "lhs"), (), ("runhaskell",)),
    Language("ocaml", ("ml", "mli"), (), ("ocaml",)),
    Language("fsharp", ("fs", "fsx", "fsi")),
    Language("elixir", ("ex", "exs"), (), ("elixir",)),
    Language("erlang", ("erl", "hrl"), (), ("escript",)),
    Language("clojure", ("clj", "cljs", "cljc", "edn")),
    Language("dart", ("dart",), (), ("dart",)),
    Language("groovy", ("groovy", "gradle"), ("jenkinsfile",), ("groovy",)),
    Language("zig", ("zig",)),
    Language("objective-c", ("m", "mm")),
    Language("powershell", ("ps1", "psm1", "psd1"), (), ("pwsh",)),
    Language("batch", ("bat", "cmd")),
    Language("fish", ("fish",), (), ("fish",)),
    Language("awk", ("awk",), (), ("awk", "gawk", "mawk")),
    Language("vim", ("vim",), (".vimrc",)),
    Language("emacs-lisp", ("el",), (".emacs",), ("emacs",)),
    Language("assembly", ("s", "asm")),
    Language("latex", ("tex", "sty", "cls", "bib")),
    Language("solidity", ("sol",)),
    Language("diff", ("diff", "patch")),
    Language("csv", ("csv", "tsv")),
)

LANGUAGES: Mapping[str, Language] = {language.name: language for language in _ALL}
"""Every language that is known by name; those with a `grammar` have outlines."""

_BY_EXTENSION = {extension: language.name for language in _ALL for extension in language.extensions}
_BY_FILENAME = {filename: language.name for language in _ALL for filename in language.filenames}
_BY_INTERPRETER = {program: language.name for language in _ALL for program in language.interpreters}

_CPP_IN_HEADER = re.compile(
    rb"^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|public\s*:|private\s*:|protected\s*:"
    rb"|constexpr\b|friend\b|virtual\b|explicit\b|inline\s+constexpr\b|enum\s+class\b)"
    rb"|\bstd::|^[ \t]*#[ \t]*include[ \t]*<(?:c?std\w+|string|vector|memory|map|set|utility|functional"
    rb"|iostream|type_traits|array|optional|string_view|unordered_map|algorithm|atomic|mutex|thread)>",
    re.MULTILINE,
)
_CPP_GUARD = re.compile(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ (]+)__cplusplus.*?^[ \t]*#[ \t]*endif", re.M | re.S
)
_MODELINE = re.compile(
    rb"-\*-(?:[ \t]*|.*?mode:[ \t]*)([\w+#-]+)(?:[ \t]*-\*-|[ \t]*;)"
    rb"|\bvim?:.*?\b(?:ft|filetype|syntax)=([\w+#-]+)"
)
_EDITORS_NAMES = {
    "sh": "bash",
    "shell-script": "bash",
    "zsh": "bash",
    "c++": "cpp",
    "js": "javascript",
    "cs": "csharp",
}
_SHEBANG = re.compile(rb"#![ \t]*(\S+)((?:[ \t]+\S+)*)")


def language_of(path: str, head: bytes | None = None) -> str | None:
    """The language's name, from the file's name, its extension, or from `head`; None if it is not known.

    In the head a `#!` line counts, or what Emacs or Vim is told.

    `path` is POSIX. `head` is the file's beginning (HEAD_BYTES of it are enough); without it, an extension
    that two languages share is given to the more common one, and a script without an extension is unknown.
    """
    name = path.rpartition("/")[2].lower()
    if (by_name := _BY_FILENAME.get(name)) is not None:
        return by_name
    stem, dot, extension = name.rpartition(".")
    if dot and stem:
        if extension == "h":
            return "c" if head is None else _language_of_header(head[:HEAD_BYTES])
        if (by_extension := _BY_EXTENSION.get(extension)) is not None:
            return by_extension
    if stem.startswith("dockerfile") or name.startswith("dockerfile."):
        return "dockerfile"
    if head is None:
        return None
    return _language_of_script(head[:HEAD_BYTES]) or _language_of_modeline(head[:HEAD_BYTES])


OUTLINED = tuple(name for name, language in LANGUAGES.items() if language.grammar is not None)
"""The languages whose files have an outline."""


def has_grammar(language: str | None) -> bool:
    """Whether files of this language have an outline."""
    known = LANGUAGES.get(language) if language is not None else None
    return known is not None and known.grammar is not None


@cache
def grammar(language: str, path: str = "") -> tree_sitter.Language:
    """The grammar for a file of this language; `path` tells TypeScript with JSX from TypeScript without.

    Raises LookupError for a language that has none.
    """
    known = LANGUAGES.get(language)
    if known is None or known.grammar is None:
        with_grammar = ", ".join(name for name, one in LANGUAGES.items() if one.grammar is not None)
        raise LookupError(f"no grammar for the language {language!r}; there is one for {with_grammar}")
    module, function = known.grammar
    if language == "typescript" and path.lower().endswith(".tsx"):
        function = "language_tsx"
    return tree_sitter.Language(getattr(importlib.import_module(module), function)())


def _language_of_header(head: bytes) -> str:
    """C or C++ for a `.h` file: C++ if it uses a word or a header that C does not have.

    What stands between `#ifdef __cplusplus` and its `#endif` is C's own way to be usable from C++.
    """
    return "cpp" if _CPP_IN_HEADER.search(_CPP_GUARD.sub(b"", head)) else "c"


def _language_of_script(head: bytes) -> str | None:
    found = _SHEBANG.match(head)
    if found is None:
        return None
    words = [found[1].decode("utf-8", "replace"), *found[2].decode("utf-8", "replace").split()]
    programs = [PurePosixPath(word).name.lower() for word in words]
    if programs[0] == "env":
        programs = [word for word in programs[1:] if not word.startswith("-") and "=" not in word]
    if not programs:
        return None
    program = programs[0].removesuffix(".exe")
    return _BY_INTERPRETER.get(program) or _BY_INTERPRETER.get(program.rstrip("0123456789.-"))


def _language_of_modeline(head: bytes) -> str | None:
    """What a line for Emacs or Vim among the first five says."""
    found = _MODELINE.search(b"\n".join(head.split(b"\n", 5)[:5]))
    if found is None:
        return None
    name = (found[1] or found[2]).decode("ascii").lower()
    name = _EDITORS_NAMES.get(name, name)
    return name if name in LANGUAGES else None
