"""Names as they come in notes: which are files, which stand for any, which are made or local."""

from __future__ import annotations

import re


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


SOURCE_EXTENSIONS = _set(
    "py pyi pyx ts tsx mts cts js jsx mjs cjs vue svelte go rs java kt kts scala c h cc cpp cxx hpp hh "
    "cs fs rb php swift m mm sh bash zsh fish ps1 lua pl pm r jl ex exs erl hs ml mli clj dart zig nim "
    "sql graphql proto tcss css scss sass less html htm jinja j2"
)
DOCUMENT_EXTENSIONS = _set("md mdx rst txt adoc ipynb")
SETTING_EXTENSIONS = _set(
    "toml yaml yml json jsonc json5 ini cfg conf xml gradle cmake mk tf bicep nix lock csv"
)
EXTENSIONS = SOURCE_EXTENSIONS | DOCUMENT_EXTENSIONS | SETTING_EXTENSIONS

NAMES_WITHOUT_EXTENSION = _set(
    "Makefile Dockerfile Containerfile Justfile justfile Procfile Vagrantfile Jenkinsfile Rakefile "
    "Gemfile LICENSE CODEOWNERS BUILD WORKSPACE"
)

OUTPUT_FOLDERS = _set(
    "dist build out output outputs target node_modules .venv venv env .env __pycache__ .git coverage "
    "htmlcov .tox .nox .cache tmp temp logs log .pytest_cache .mypy_cache .ruff_cache _build site _site "
    "public .next .nuxt .turbo obj bin .gradle .idea .vs generated gen .generated artifacts results "
    "reports site-packages dist-packages vendor third_party bower_components .direnv .eggs data uploads "
    "downloads"
)
"""What is made, fetched or left behind: a name below these says nothing about what a repository holds."""

COMMON_ROOTS = _set(
    "src lib libs app apps tests test docs doc scripts pkg cmd internal packages config examples"
)
"""Folders that most repositories have at their top: they don't tell this one from another."""

_OF_OTHERS = _set(
    "examples example samples sample templates template fixtures testdata tutorials demos demo cookbook "
    "vendor _vendor third_party node_modules site-packages"
)

EXAMPLE_FOLDERS = _set("path to foo bar baz qux example.com some your my")

_STAND_INS = _set(
    "any bar baz dir directory file filename folder foo foobar module myapp myfile mymodule mypackage "
    "myproject n name particular qux some something spam specific such that thing this whatever x xx "
    "xxx xyz y yourapp yourfile yourmodule yourpackage yourproject z"
)
"""A name that is one of these words is no file's own name."""
_LOOSE = _STAND_INS | _set(
    "a an and another app case class component custom dummy entity example feature first func function "
    "hello item language main method mod model my new old one or other package page path plugin project "
    "provider resource rule sample script second service single suite template test tests testing the "
    "tool topic type unit util utils your"
)
"""A name of several words that are all among these stands for any, unless it is known to have been there."""
_MARKS = _set("bar baz foo foobar my placeholder your yours")
"""One of these among several words is enough."""

_LOCAL = re.compile(r"(?:^|[._-])(?:local|secrets?|private|credentials|overrides?|user)(?:[._-]|$)|^\.env")
_OF_THE_PAST = re.compile(
    r"(?:^|/)(?:changelog|changes|history|news|release[-_ ]?notes?|releases|migration|migrating|upgrading)\b"
    r"[^/]*$|(?:^|/)(?:archive|archived|attic)/",
    re.IGNORECASE,
)
_HOST = re.compile(
    r"(?:^www\.|\.(?:com|org|net|io|dev|ai|app|co|edu|gov|me|sh|cloud|so|gg|tv|info)$)", re.IGNORECASE
)
_TEMPLATE_CHARACTERS = re.compile(r"[*?<>{}$%~^|\\#!=@…]|\.\.\.|YOUR|XXX|\bNNN+\b|0000")
_EACH_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def is_template(token: str) -> bool:
    """Whether a token has a mark of something to be filled in, a pattern, a variable or another address."""
    return _TEMPLATE_CHARACTERS.search(token) is not None


def is_host(component: str) -> bool:
    """Whether a first component is a host's name: the rest is an address on the web."""
    return _HOST.search(component) is not None


def extension(name: str) -> str:
    """The extension in lower case, without its dot; empty for none and for a name that is nothing else."""
    stem, dot, last = name.rpartition(".")
    return last.lower() if dot and stem.strip(".") else ""


def is_generic(name: str) -> bool:
    """Whether a file's or a folder's name is made of words that stand for any."""
    words = [word.lower() for word in _EACH_WORD.findall(name.partition(".")[0])]
    if not words:
        return not any(character.isalpha() for character in name)
    if len(words) == 1:
        return words[0] in _STAND_INS
    return any(_is_mark(word) for word in words) or all(word in _LOOSE or word.isdigit() for word in words)


def _is_mark(word: str) -> bool:
    return word in _MARKS or word.removeprefix("my").removeprefix("your") in _LOOSE - {word}


def stands_for_any(names: list[str]) -> bool:
    """Whether a path, given by its components, is one that examples are written with."""
    return any(is_generic(name) or name.lower() in EXAMPLE_FOLDERS for name in names)


def is_among_examples(path: str) -> bool:
    """Whether a document stands among examples or copies of other projects, and may be about those."""
    return any(name.lower() in _OF_OTHERS for name in path.split("/")[:-1])


def is_local(name: str) -> bool:
    """Whether a file is one that each checkout has for itself, and no repository."""
    return _LOCAL.search(name) is not None


def is_of_the_past(path: str) -> bool:
    """Whether a document tells of how things were: nothing in it claims to hold now."""
    return _OF_THE_PAST.search(path) is not None
