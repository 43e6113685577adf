"""Line ends of a checkout: as git itself would write them."""

from __future__ import annotations

import subprocess
from itertools import product

import pytest

from afresh_indexer.history import Revisions

CONTENTS = {
    "lf.py": b"one\ntwo\n",
    "crlf.py": b"one\r\ntwo\r\n",
    "mixed.py": b"one\r\ntwo\n",
    "binary.bin": b"one\n\0two\n",
    "empty.txt": b"",
    "open.txt": b"no end",
    "other.md": b"# title\n",
}
ATTRIBUTES = [
    "",
    "*.py text\n",
    "* text=auto\n",
    "*.py eol=crlf\n",
    "* text=auto eol=crlf\n*.md -text\n",
    "*.py eol=lf\n",
    "*.py crlf\n*.md -crlf\n",
    "*.py crlf=input\n",
    "*.py binary\n",
]
SETTINGS = [
    (),
    ("core.autocrlf=true",),
    ("core.autocrlf=input",),
    ("core.eol=crlf",),
    ("core.autocrlf=true", "core.eol=lf"),
]


@pytest.mark.parametrize(("attributes", "settings"), list(product(ATTRIBUTES, SETTINGS)))
def test_blobs_get_the_line_ends_that_git_gives_them(
    repo, attributes: str, settings: tuple[str, ...]
) -> None:
    repo.commit("files", CONTENTS)
    (repo.root / ".gitattributes").write_text(attributes, encoding="utf-8")
    for setting in settings:
        repo.git("config", *setting.split("="))
    wanted = {
        path: subprocess.run(
            ["git", "cat-file", "--filters", f"HEAD:{path}"], cwd=repo.root, capture_output=True, check=True
        ).stdout
        for path in CONTENTS
    }
    assert Revisions.open(repo.root).checked_out(CONTENTS) == wanted


def test_below_the_top_attributes_of_the_path_there_count(repo) -> None:
    repo.commit("files", {"pkg/a.py": b"one\n", ".gitattributes": b"/pkg/*.py eol=crlf\n"})
    assert Revisions.open(repo.root / "pkg").checked_out({"a.py": b"one\n"}) == {"a.py": b"one\r\n"}


def test_a_bare_repository_has_no_checkout(repo, tmp_path) -> None:
    repo.commit("files", {"a.py": b"one\n"})
    repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    repo.git("--git-dir", str(tmp_path / "bare.git"), "config", "core.autocrlf", "true")
    assert Revisions.open(tmp_path / "bare.git").checked_out({"a.py": b"one\n"}) == {"a.py": b"one\n"}
