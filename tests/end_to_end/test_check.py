"""The gate with real processes: a branch before its merge, a commit's index, and a clone that imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.end_to_end.sandbox import Sandbox
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


def test_a_clone_elsewhere_judges_what_it_imports_by_its_own_files(sandbox: Sandbox, tmp_path: Path) -> None:
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
    root.rename(tmp_path / "gone")
    other = Sandbox(tmp_path / "other", tmp_path / "o", clone)
    assert other.run("--in-process", "import", str(exported), "--no-wait").returncode == 0
    fresh = other.run("--in-process", "check", "--project", "shop")
    assert fresh.returncode == 0, fresh.stdout + fresh.stderr
    (clone / "pack" / "one.py").unlink()
    gone = other.run("--in-process", "check", "--project", "shop", "--sarif", str(tmp_path / "a.sarif"))
    assert gone.returncode == 1 and "pack/one.py" in gone.stdout
    assert (tmp_path / "a.sarif").exists()
