"""Which language a file is in, and the grammars."""

from __future__ import annotations

import subprocess
import sys

import pytest

from afresh_indexer.languages import LANGUAGES, OUTLINED, grammar, has_grammar, language_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("types.pyi", "python"),
        ("a.JS", "javascript"),
        ("a.mjs", "javascript"),
        ("a.jsx", "javascript"),
        ("a.ts", "typescript"),
        ("a.tsx", "typescript"),
        ("a.d.ts", "typescript"),
        ("a.go", "go"),
        ("a.rs", "rust"),
        ("a.java", "java"),
        ("a.c", "c"),
        ("a.hpp", "cpp"),
        ("a.cs", "csharp"),
        ("Rakefile", "ruby"),
        ("x.gemspec", "ruby"),
        ("a.php", "php"),
        (".bashrc", "bash"),
        ("a.kts", "kotlin"),
        ("a.swift", "swift"),
        ("build.sbt", "scala"),
        ("README.md", "markdown"),
        ("README", "text"),
        ("a.rst", "rst"),
        ("package.json", "json"),
        ("a.yml", "yaml"),
        ("pyproject.toml", "toml"),
        ("a.html", "html"),
        ("a.css", "css"),
        ("a.sql", "sql"),
        ("Dockerfile", "dockerfile"),
        ("Dockerfile.dev", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("a.unknown", None),
        ("LOGO", None),
        (".gitignore", None),
        (".py", None),
    ],
)
def test_a_name_tells_the_language(path: str, language: str | None) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        (b"#!/usr/bin/env python3\n", "python"),
        (b"#!/usr/bin/python3.12 -u\n", "python"),
        (b"#!/usr/bin/env -S FOO=1 node --harmony\n", "javascript"),
        (b"#! /bin/sh\n", "bash"),
        (b"#!/bin/bash -e\n", "bash"),
        (b"#!/usr/bin/env ruby\n", "ruby"),
        (b"#!/usr/bin/perl\n", "perl"),
        (b"#!/usr/bin/env\n", None),
        (b"#!\n", None),
        (b"#!/opt/tool/of-our-own\n", None),
        (b"# completion  -*- shell-script -*-\n", "bash"),
        (b"\n# vim: set ft=python :\n", "python"),
        (b"// -*- mode: C++; indent-tabs-mode: nil -*-\n", "cpp"),
        (b"plain text\n", None),
        (b"", None),
        (b"\xff\xfe\x00", None),
    ],
)
def test_the_beginning_tells_the_language_of_a_file_without_extension(
    head: bytes, language: str | None
) -> None:
    assert language_of("bin/tool", head) == language


@pytest.mark.parametrize(
    ("head", "language"),
    [
        (b"#ifndef A_H\n#define A_H\nstruct a { int x; };\nint f(void);\n#endif\n", "c"),
        (b'#ifdef __cplusplus\nextern "C" {\nnamespace x {}\n#endif\nint f(void);\n', "c"),
        (b"#include <stdio.h>\n/* template of a class */\n", "c"),
        (b"#pragma once\nnamespace a { class B; }\n", "cpp"),
        (b"#include <string>\nint f();\n", "cpp"),
        (b"#include <cstdint>\n", "cpp"),
        (b"void f(std::vector<int> a);\n", "cpp"),
        (b"template <class T> struct A;\n", "cpp"),
        (b"class A {\n public:\n  int x;\n};\n", "cpp"),
    ],
)
def test_the_content_tells_a_header_of_c_from_one_of_cpp(head: bytes, language: str) -> None:
    assert language_of("a.h", head) == language


def test_a_header_without_its_content_is_taken_for_c() -> None:
    assert language_of("a.h") == "c"


def test_every_grammar_loads_and_parses() -> None:
    import tree_sitter

    assert set(OUTLINED) == {name for name in LANGUAGES if has_grammar(name)}
    for name in OUTLINED:
        tree = tree_sitter.Parser(grammar(name)).parse(b"\n")
        assert tree.root_node.type


def test_typescript_with_jsx_has_a_grammar_of_its_own() -> None:
    assert grammar("typescript", "a.tsx") != grammar("typescript", "a.ts")


@pytest.mark.parametrize("language", ["markdown", "klingon"])
def test_a_language_without_a_grammar_is_named_in_the_error(language: str) -> None:
    assert not has_grammar(language)
    with pytest.raises(LookupError, match=f"{language}.*python"):
        grammar(language)


def test_no_name_or_extension_is_claimed_twice() -> None:
    for values in ("extensions", "filenames", "interpreters"):
        claimed = [value for language in LANGUAGES.values() for value in getattr(language, values)]
        assert len(claimed) == len(set(claimed))


def test_a_grammar_is_imported_only_when_it_is_asked_for() -> None:
    script = (
        "import sys; from afresh_indexer.languages import grammar, language_of; language_of('a.go');"
        "before = [n for n in sys.modules if n.startswith('tree_sitter_')]; grammar('go');"
        "print(before, [n for n in sys.modules if n.startswith('tree_sitter_') and '.' not in n])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "[] ['tree_sitter_go']"
