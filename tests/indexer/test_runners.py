"""What make, just and npm can run by name, and when that can't be known."""

from __future__ import annotations

import pytest

from afresh_indexer.runners import runners


def test_targets_recipes_and_scripts_of_all_folders_are_known() -> None:
    makefile = (
        b".PHONY: all \\\n  clean\nVAR := x\nOTHER = a:b\nall: build test\n\techo not-a-target: x\n"
        b"build test:: dep\n# old: gone\nout/a.o: a.c\n"
    )
    files = {
        "Makefile": makefile,
        "docs/Makefile": b"html:\r\n\tsphinx\r\n",
        "justfile": b"alias t := test\nset shell := ['sh']\nx := 'y'\n@test A='1': build\n  pytest\nbuild:\n",
        "web/package.json": b'{"scripts": {"build": "vite", "test:unit": "x"}}',
        "README.md": b"nope: here\n",
    }
    assert runners(files) == {
        "make": {"all", "clean", "build", "test", "out/a.o", "html"},
        "just": {"t", "test", "build"},
        "npm": {"build", "test:unit"},
    }


@pytest.mark.parametrize(
    "makefile",
    [
        b"include other.mk\nall:\n",
        b"-include x\nall:\n",
        b"%: Makefile\n\tsphinx $@\nall:\n",
        b"$(NAMES): x\nall:\n",
        b"$(eval $(call rule,x))\nall:\n",
        b".DEFAULT:\n\tx\nall:\n",
    ],
)
def test_a_makefile_that_makes_up_targets_leaves_make_unjudged(makefile: bytes) -> None:
    assert runners({"Makefile": b"all:\n", "docs/Makefile": makefile}) == {}


@pytest.mark.parametrize("package", [b"{", b"[]", b'{"scripts": []}', b"\xff"])
def test_a_package_file_that_can_not_be_read_leaves_npm_unjudged(package: bytes) -> None:
    assert runners({"package.json": package}) == {}
    assert runners({"package.json": b"{}"}) == {"npm": frozenset()}
    assert runners({"justfile": b"import 'x.just'\na:\n"}) == {}
