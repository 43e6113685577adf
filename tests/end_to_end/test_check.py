"""The gate with real processes: a branch before its merge, a commit's index, and a clone that imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.end_to_end.sandbox import AFRESH, Sandbox
from tests.repositories import git

FUNCTION = """def compute_{name}(values, factor=2):
    total = 0
    for value in values:
        total += value * factor + {number}
    if total > 1000:
        raise ValueError('too much: %d' % total)
    return {{'total': total, 'name': '{name}'}}
"""


def commit(root: Path, subject: str) -> None:
    git(root, "add", "-A")
    git(root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", subject)


def test_a_branch_that_edits_one_function_and_formats_ten_others_is_told_apart(sandbox: Sandbox) -> None:
    root = sandbox.root
    for number in range(11):
        (root / f"part{number}.py").write_text(
            FUNCTION.format(name=f"p{number}", number=number), encoding="utf-8"
        )
    commit(root, "eleven parts")
    assert sandbox.run("index").returncode == 0
    for number in range(11):
        done = sandbox.run(
            "record",
            f"What does part {number} compute?",
            "A total.",
            "--files",
            f"part{number}.py#compute_p{number}",
        )
        assert done.returncode == 0, done.stderr
    git(root, "checkout", "-q", "-b", "topic")
    formatted = subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            "format",
            "--isolated",
            "--config",
            "indent-width=2",
            *sorted(root.glob("part*.py")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert formatted.returncode == 0, formatted.stderr
    edited = root / "part0.py"
    edited.write_text(
        edited.read_text(encoding="utf-8").replace("total > 1000", "total > 500"), encoding="utf-8"
    )
    commit(root, "a lower bound, and another form")
    result = sandbox.json("check", "--base", "main")
    impacts = sorted(item["impact"] for item in result["items"])
    assert impacts == ["cosmetic"] * 10 + ["edited"]
    assert result["items"][0]["title"] == "What does part 0 compute?"
    assert sandbox.run("check", "--base", "main").returncode == 1
    assert sandbox.run("check", "--base", "main", "--fail-on", "gone").returncode == 0
    assert sandbox.run("check", "--at", "main").returncode == 0
    unknown = sandbox.run("check", "--base", "nowhere")
    assert unknown.returncode == 2 and "nowhere" in unknown.stderr


def test_a_hook_judges_what_is_staged_and_nothing_else(sandbox: Sandbox) -> None:
    root = sandbox.root
    (root / "one.py").write_text(FUNCTION.format(name="one", number=1), encoding="utf-8")
    commit(root, "one")
    assert sandbox.run("index").returncode == 0
    sandbox.run("record", "What does one compute?", "A total.", "--files", "one.py#compute_one")
    (root / "one.py").write_text(FUNCTION.format(name="one", number=2), encoding="utf-8")
    assert sandbox.run("check", "--staged").returncode == 0
    git(root, "add", "one.py")
    staged = sandbox.run("check", "--staged")
    assert staged.returncode == 1 and "edited" in staged.stdout


def test_a_git_hook_judges_the_index_of_its_commit(sandbox: Sandbox) -> None:
    root = sandbox.root
    for name in ("one", "two"):
        (root / f"{name}.py").write_text(FUNCTION.format(name=name, number=1), encoding="utf-8")
    commit(root, "one and two")
    assert sandbox.run("index").returncode == 0
    sandbox.run("record", "What does one compute?", "A total.", "--files", "one.py#compute_one")
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\nexec '{AFRESH}' check --staged --fail-on edited\n", encoding="utf-8")
    hook.chmod(0o755)
    by = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")

    def committed(*paths: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *by, "commit", "-q", "-m", "change", *paths],
            cwd=root,
            env=sandbox.env,
            capture_output=True,
            text=True,
            check=False,
        )

    (root / "one.py").write_text(FUNCTION.format(name="one", number=2), encoding="utf-8")
    (root / "two.py").write_text(FUNCTION.format(name="two", number=2), encoding="utf-8")
    git(root, "add", "one.py")
    # The commit of some paths alone has an index of its own, in which the other file is as it was.
    assert committed("two.py").returncode == 0
    refused = committed()
    assert refused.returncode == 1 and "one.py#compute_one" in refused.stdout + refused.stderr


@pytest.mark.parametrize("elsewhere", [False, True])
def test_another_clone_judges_what_it_imports_by_its_own_files(
    sandbox: Sandbox, tmp_path: Path, elsewhere: bool
) -> None:
    root = sandbox.root
    (root / "pack").mkdir()
    (root / "pack" / "one.py").write_text(FUNCTION.format(name="one", number=1), encoding="utf-8")
    commit(root, "one")
    assert sandbox.run("index", "--project", "shop").returncode == 0
    cited = ("--files", "one.py#compute_one", "--root", str(root / "pack"))
    done = sandbox.run("record", "What does one compute?", "A total.", *cited, cwd=root / "pack")
    assert done.returncode == 0, done.stderr
    exported = tmp_path / "knowledge.jsonl"
    assert sandbox.run("export", str(exported)).returncode == 0
    clone = tmp_path / "ci" / "clone"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    if elsewhere:
        root.rename(tmp_path / "gone")
    other = Sandbox(tmp_path / "other", tmp_path / "o", clone)
    assert other.run("--in-process", "import", str(exported), "--no-wait").returncode == 0
    fresh = other.run("--in-process", "check", "--base", "origin/main")
    assert fresh.returncode == 0, fresh.stdout + fresh.stderr
    (clone / "pack" / "one.py").unlink()
    written = tmp_path / "a.sarif"
    gone = other.run("--in-process", "check", "--base", "origin/main", "--sarif", str(written))
    assert gone.returncode == 1 and "pack/one.py#compute_one" in gone.stdout
    (result,) = json.loads(written.read_text(encoding="utf-8"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert (result["ruleId"], place["uri"]) == ("afresh/gone", "pack/one.py")
    by_name = other.run("--in-process", "check", "--project", "shop", "--fail-on", "gone")
    assert by_name.returncode == 1, by_name.stderr
