"""The ignore rules agree with git, because git is asked; these tests ask it in other ways."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh_indexer.errors import GitFailed
from afresh_indexer.ignore import SOURCE_GIT, SOURCE_LENT, SOURCE_PATHSPEC, IgnoreRules


@pytest.fixture(autouse=True)
def _only_our_git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path_factory.mktemp("config") / "gitconfig"
    config.write_text(
        "[user]\nname = t\nemail = t@example.org\n[init]\ndefaultBranch = main\n", encoding="utf-8"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(folder: Path, *arguments: str, **variables: str) -> str:
    result = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, env={**os.environ, **variables}, check=True
    )
    return os.fsdecode(result.stdout)


def write(root: Path, *paths: str, text: str = "x\n") -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def split(output: str) -> set[str]:
    return set(output.split("\0")) - {""}


def as_git_status_sees_it(root: Path) -> set[str]:
    """Tracked and untracked files by two commands that the rules don't use themselves."""
    entries = git(root, "status", "--porcelain=v1", "-uall", "--no-renames", "-z").split("\0")
    untracked = {entry[3:] for entry in entries if entry.startswith("?? ")}
    return split(git(root, "ls-tree", "-r", "-z", "--name-only", git(root, "write-tree").strip())) | untracked


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    return root


def rules_of(root: Path, tmp_path: Path) -> IgnoreRules:
    return IgnoreRules.for_root(root, tmp_path / "home")


def test_nested_rules_and_negations_decide_as_git_does(repository: Path, tmp_path: Path) -> None:
    write(repository, ".gitignore", text="*.log\nbuild/\n")
    write(repository, "a/.gitignore", text="!keep.log\n")
    write(
        repository,
        "x.log",
        "keep.log",
        "a/x.log",
        "a/keep.log",
        "a/b/keep.log",
        "build/out",
        "a/build/out",
        "t",
    )
    rules = rules_of(repository, tmp_path)
    assert rules.source == SOURCE_GIT
    assert set(rules.list_paths()) == {".gitignore", "a/.gitignore", "a/keep.log", "a/b/keep.log", "t"}
    assert rules.ignored(["x.log", "a/keep.log", "build", "build/out", "t", ".git/HEAD"]) == {
        "x.log",
        "build",
        "build/out",
        ".git/HEAD",
    }
    assert set(rules.ignored_entries()) == {"keep.log", "x.log", "a/x.log", "a/build/", "build/"}
    assert rules.ignored_folders() == {"a/build", "build"}


def test_the_rule_that_leaves_a_path_out_is_named(repository: Path, tmp_path: Path) -> None:
    write(repository, ".gitignore", text="*.log\n")
    write(repository, "a/.afreshignore", text="# data\nbig.*\n!big.py\n")
    write(repository, "x.log", "a/big.csv", "a/big.py")
    rules = rules_of(repository, tmp_path)
    assert rules.explain("x.log") == ".gitignore:1: *.log"
    assert rules.explain("a/big.csv") == "a/.afreshignore:2: big.*"
    assert rules.explain("a/big.py") is None
    assert rules.explain(".git/config") == "it is part of git's own folder"


def test_a_tracked_file_stays_although_a_rule_matches_it(repository: Path, tmp_path: Path) -> None:
    write(repository, ".gitignore", text="*.log\nbuild/\n")
    write(repository, "kept.log", "dropped.log", "build/kept", "build/dropped")
    git(repository, "add", "-f", "kept.log", "build/kept")
    rules = rules_of(repository, tmp_path)
    assert set(rules.list_paths()) == {".gitignore", "kept.log", "build/kept"}
    asked = ["kept.log", "dropped.log", "build", "build/kept", "build/dropped"]
    assert rules.ignored(asked) == {"dropped.log", "build/dropped"}
    assert rules.explain("kept.log") is None
    assert rules.listing(["build"]).paths == ["build/kept"]


def test_afreshignore_leaves_out_tracked_files_too_and_takes_nothing_back_in(
    repository: Path, tmp_path: Path
) -> None:
    write(repository, ".gitignore", text="secret\n")
    write(repository, ".afreshignore", text="vendor/\n!secret\n")
    write(repository, "vendor/a", "vendor/b", "secret", "a/vendor", "kept")
    git(repository, "add", "vendor/a")
    rules = rules_of(repository, tmp_path)
    listing = rules.listing()
    assert set(listing.paths) == {".gitignore", ".afreshignore", "a/vendor", "kept"}
    assert listing.left_out == 2
    assert rules.ignored(["vendor", "vendor/a", "a/vendor", "secret"]) == {"vendor", "vendor/a", "secret"}


def test_an_afreshignore_that_git_ignores_still_counts_and_is_no_file_itself(
    repository: Path, tmp_path: Path
) -> None:
    write(repository, ".git/info/exclude", text=".afreshignore\n")
    write(repository, "a/.afreshignore", text="*.csv\n")
    write(repository, "a/x.csv", "x.csv")
    rules = rules_of(repository, tmp_path)
    assert rules.list_paths() == ["x.csv"]
    assert rules.ignored(["a/x.csv", "x.csv"]) == {"a/x.csv"}
    assert rules.listing(["a/x.csv"]).paths == []


def test_a_folder_named_like_the_rule_file_is_judged_as_any_folder(repository: Path, tmp_path: Path) -> None:
    write(repository, ".gitignore", text="a/.afreshignore/\n")
    write(repository, "a/.afreshignore/x", "b/.afreshignore/y")
    rules = rules_of(repository, tmp_path)
    assert set(rules.list_paths()) == {".gitignore", "b/.afreshignore/y"}
    assert rules.ignored(["a/.afreshignore/x", "b/.afreshignore/y"]) == {"a/.afreshignore/x"}


def test_a_root_inside_a_repository_obeys_the_rules_above_it(repository: Path, tmp_path: Path) -> None:
    write(repository, ".gitignore", text="*.log\n")
    write(repository, ".afreshignore", text="/sub/data\n")
    write(repository, "sub/x.log", "sub/data/d", "sub/deep/t", "outside")
    rules = rules_of(repository / "sub", tmp_path)
    assert rules.source == SOURCE_GIT
    assert rules.list_paths() == ["deep/t"]
    assert rules.ignored(["x.log", "data/d", "deep/t"]) == {"x.log", "data/d"}
    assert rules.explain("data/d") == ".afreshignore:1: /sub/data"


def test_a_root_that_its_repository_ignores_is_taken_by_itself(repository: Path, tmp_path: Path) -> None:
    write(repository, ".gitignore", text="*\n")
    write(repository, "project/.gitignore", text="out\n")
    write(repository, "project/a", "project/out")
    rules = rules_of(repository / "project", tmp_path)
    assert rules.source == SOURCE_LENT
    assert "ignores" in rules.note
    assert set(rules.list_paths()) == {".gitignore", "a"}


def test_without_a_repository_the_rule_files_count_all_the_same(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    write(root, ".gitignore", text="*.log\n!a/keep.log\n")
    write(root, "x.log", "a/keep.log", "b")
    rules = rules_of(root, tmp_path)
    assert rules.source == SOURCE_LENT
    assert set(rules.list_paths()) == {".gitignore", "a/keep.log", "b"}
    assert rules.ignored(["x.log", "b"]) == {"x.log"}
    assert not (root / ".git").exists()


def test_the_users_global_excludes_count(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "excludes", text="*.swp\n")
    write(tmp_path, "config", text=f"[core]\nexcludesFile = {tmp_path / 'excludes'}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    write(repository, "a.swp", "a", ".afreshignore", text="nothing\n")
    rules = rules_of(repository, tmp_path)
    assert set(rules.list_paths()) == {"a", ".afreshignore"}
    assert rules.ignored(["a.swp", "a"]) == {"a.swp"}


def test_a_hooks_variables_do_not_point_git_elsewhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    write(repository, "a")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert rules_of(repository, tmp_path).list_paths() == ["a"]


def test_nested_repositories_are_entered_by_their_own_rules(repository: Path, tmp_path: Path) -> None:
    write(repository, ".gitignore", text="*.log\nvendor/\n")
    for name in ("inner", "vendor/hidden", "deep/er"):
        (repository / name).mkdir(parents=True)
        git(repository / name, "init", "-q")
        write(repository / name, "f", "g.log", "h.tmp", ".gitignore", text="*.tmp\n")
    write(repository, "inner/.afreshignore", text="f\n")
    rules = rules_of(repository, tmp_path)
    listed = set(rules.list_paths())
    assert listed == {
        ".gitignore",
        "inner/.gitignore",
        "inner/.afreshignore",
        "inner/g.log",
        "deep/er/.gitignore",
        "deep/er/f",
        "deep/er/g.log",
    }
    asked = [*listed, "inner/f", "inner/h.tmp", "deep/er/h.tmp", "vendor/hidden/f", "inner", "deep/er"]
    assert rules.ignored(asked) == {"inner/f", "inner/h.tmp", "deep/er/h.tmp", "vendor/hidden/f"}
    assert set(rules.listing(["deep", "deep/er/f"]).paths) == {p for p in listed if p.startswith("deep")}
    assert rules.listing(["inner/g.log", "inner/f"]).paths == ["inner/g.log"]
    assert rules.explain("inner/h.tmp") == ".gitignore:1: *.tmp"


def test_a_submodule_is_entered_and_one_not_checked_out_is_empty(repository: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    git(library, "init", "-q")
    write(library, "code")
    git(library, "add", ".")
    git(library, "commit", "-qm", "m")
    for name in ("here", "absent"):
        git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), name)
    git(repository, "submodule", "deinit", "-f", "absent")
    rules = rules_of(repository, tmp_path)
    assert set(rules.list_paths()) == {".gitmodules", "here/code"}
    write(repository, "absent/stray", "here/new")
    assert set(rules.list_paths()) == {".gitmodules", "here/code", "here/new"}
    assert set(rules.listing(["here/new", "absent/stray"]).paths) == {"here/new"}
    assert rules.ignored(["here/new", "here/code"]) == set()


def test_a_worktree_of_the_same_repository_below_the_root_is_another_checkout(
    repository: Path, tmp_path: Path
) -> None:
    write(repository, "a")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "m")
    git(repository, "worktree", "add", "-q", "trees/second")
    rules = rules_of(repository, tmp_path)
    listing = rules.listing()
    assert listing.paths == ["a"]
    assert listing.other_checkouts == ("trees/second",)
    assert rules.ignored(["trees/second/a", "a"]) == {"trees/second/a"}
    assert rules.explain("trees/second/a") == "trees/second is another checkout of the same repository"
    assert rules_of(repository / "trees/second", tmp_path).list_paths() == ["a"]


def test_a_broken_git_folder_inside_is_an_ordinary_folder_as_it_is_to_git(
    repository: Path, tmp_path: Path
) -> None:
    write(repository, ".gitignore", text="*.log\n")
    write(repository, "odd/.git", text="no gitfile\n")
    write(repository, "odd/a", "odd/b.log")
    rules = rules_of(repository, tmp_path)
    assert set(rules.list_paths()) == {".gitignore", "odd/a"} == as_git_status_sees_it(repository)
    assert rules.ignored(["odd/a", "odd/b.log"]) == {"odd/b.log"}
    assert rules.listing(["odd/a"]).paths == ["odd/a"]


def test_a_deleted_tracked_file_is_still_listed(repository: Path, tmp_path: Path) -> None:
    write(repository, "a", "b")
    git(repository, "add", ".")
    (repository / "a").unlink()
    assert rules_of(repository, tmp_path).list_paths() == ["a", "b"]


def test_nothing_is_listed_beyond_a_link_that_replaced_a_tracked_folder(
    repository: Path, tmp_path: Path
) -> None:
    write(repository, ".gitignore", text="a\n")
    write(repository, "a/x")
    git(repository, "add", "-f", "a/x")
    (repository / "a").rename(tmp_path / "elsewhere")
    (repository / "a").symlink_to(tmp_path / "elsewhere")
    rules = rules_of(repository, tmp_path)
    assert rules.list_paths() == [".gitignore"]
    assert rules.listing(["a/x"]).paths == []
    assert rules.ignored(["a/x"]) == {"a/x"}


def test_a_name_that_is_not_utf8_is_told_apart(repository: Path, tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(repository) + b"/caf\xe9.txt")).write_bytes(b"x")
    write(repository, "café.txt")
    listing = rules_of(repository, tmp_path).listing()
    assert listing.paths == ["café.txt"]
    assert listing.bad_names == ("caf\\xe9.txt",)


def test_a_damaged_index_is_an_error_and_no_empty_tree(repository: Path, tmp_path: Path) -> None:
    write(repository, "a")
    rules = rules_of(repository, tmp_path)
    (repository / ".git/index").write_bytes(b"no index")
    with pytest.raises(GitFailed, match=r"could not list the files of .*repository"):
        rules.list_paths()


def test_git_writes_nothing_into_the_repository(repository: Path, tmp_path: Path) -> None:
    write(repository, "a", "b")
    git(repository, "add", ".")
    os.utime(repository / "a", ns=(1, 1))
    before = {p: p.lstat().st_mtime_ns for p in repository.rglob("*")}
    rules = rules_of(repository, tmp_path)
    rules.list_paths()
    rules.ignored(["a", "c"])
    rules.ignored_entries()
    assert {p: p.lstat().st_mtime_ns for p in repository.rglob("*")} == before


def test_a_file_system_monitor_named_by_the_repository_is_not_started(
    repository: Path, tmp_path: Path
) -> None:
    program = tmp_path / "monitor"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'started'}\n", encoding="utf-8")
    program.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(program))
    write(repository, "a")
    git(repository, "status")
    assert (tmp_path / "started").exists()
    (tmp_path / "started").unlink()
    assert rules_of(repository, tmp_path).list_paths() == ["a"]
    assert not (tmp_path / "started").exists()


def test_many_paths_are_judged_as_few_are(repository: Path, tmp_path: Path) -> None:
    write(repository, ".gitignore", text="*.log\n")
    write(repository, *(f"d{i % 7}/f{i}.{'log' if i % 3 else 'txt'}" for i in range(200)))
    rules = rules_of(repository, tmp_path)
    asked = [f"d{i % 7}/f{i}.{'log' if i % 3 else 'txt'}" for i in range(200)]
    kept = {path for path in asked if path.endswith(".txt")}
    assert set(rules.listing(asked).paths) == kept
    assert {path for path in asked if rules.listing([path]).paths} == kept
    assert rules.ignored(asked) == set(asked) - kept


def test_without_git_the_rules_are_read_by_pathspec_and_the_source_says_so(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, ".gitignore", text="*.log\nbuild/\n")
    write(repository, "a/.gitignore", text="!keep.log\n")
    write(repository, "a/.afreshignore", text="big\n")
    write(repository, "x.log", "a/keep.log", "a/big", "build/x", "t")
    expected = rules_of(repository, tmp_path).list_paths()
    monkeypatch.setenv("PATH", str(tmp_path))
    rules = rules_of(repository, tmp_path)
    assert rules.source == SOURCE_PATHSPEC
    assert set(rules.list_paths()) == set(expected)
    assert rules.listing(["a"]).paths == ["a/.afreshignore", "a/.gitignore", "a/keep.log"]
    assert rules.ignored(["x.log", "t", "build/x", ".git/HEAD"]) == {"x.log", "build/x", ".git/HEAD"}
    assert rules.explain("a/big") == "a/.afreshignore:1: big"
    assert rules.ignored_folders() == {"build"}


NAMES = [
    "a", "b.log", "keep.log", "sp ace", "qu'ote", 'd"q', "ünï", "!bang", "#hash", "[br]", "st*r", "b\\s",
    "-d", "t ", ":c",
]  # fmt: skip
FOLDERS = ["", "d", "build", "d/e f", "d/build", "!n", "ü/d"]
PATTERNS = [
    "*.log", "!keep.log", "build/", "build", "/d", "d/*", "!d/", "**/a", "\\!bang", "\\#hash", "#hash", "*",
    "!*/", "sp ace", "/build/*", "!/build/keep.log", "ü", "\\[br\\]", "[br]", "t\\ ", "t ", "d/**/a", "!a",
    "e?f", "!bang", "st\\*r", "b\\\\s", "-d", "d/build/", "!d/build/a", "", "/*", "!/d", "/**", "a/", "ünï",
    "*o*", "!*", ":c",
]  # fmt: skip
RULES = st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=4).map("\n".join)
TREES = st.fixed_dictionaries(
    {
        "files": st.sets(
            st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES)), min_size=3, max_size=12
        ),
        "tracked": st.sets(st.integers(0, 11), max_size=4),
        "gitignore": st.dictionaries(st.sampled_from(FOLDERS[:5]), RULES, max_size=3),
        "own": st.dictionaries(st.sampled_from(FOLDERS[:5]), RULES, max_size=2),
        "exclude": st.one_of(st.just(""), RULES),
        "everywhere": st.one_of(st.just(""), RULES),
        "repository": st.booleans(),
    }
)


@pytest.fixture(scope="module")
def examples() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="afresh-ignore-") as folder:
        yield Path(os.path.realpath(folder))


@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(tree=TREES)
def test_any_tree_is_judged_as_git_judges_it(
    tree: dict[str, object], examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Path(tempfile.mkdtemp(dir=examples))
    root = case / "root"
    root.mkdir()
    with monkeypatch.context() as patch:
        write(case, "excludes", text=str(tree["everywhere"]))
        write(case, "config", text=f"[core]\nexcludesFile = {case / 'excludes'}\n")
        patch.setenv("GIT_CONFIG_GLOBAL", str(case / "config"))
        git(root, "init", "-q", "--template=")
        paths = build(root, tree)
        reference = reference_by_git(root, case)
        if not tree["repository"]:
            (root / ".git").rename(case / "was.git")
        rules = rules_of(root, case)
        listed = rules.list_paths()
        assert len(listed) == len(set(listed))
        assert set(listed) == reference
        assert set(paths) - rules.ignored(paths) == reference & set(paths)
        assert all((rules.explain(path) is None) == (path in reference) for path in paths[:2])
        for folder in ("d", "build"):
            below = {path for path in reference if path == folder or path.startswith(folder + "/")}
            assert set(rules.listing([folder]).paths) == below


def build(root: Path, tree: dict[str, object]) -> list[str]:
    paths = []
    for folder, name in sorted(tree["files"]):  # type: ignore[call-overload]
        path = f"{folder}/{name}" if folder else name
        if not any((root / parent).is_file() for parent in Path(path).parents) and not (root / path).exists():
            write(root, path)
            paths.append(path)
    for kind, key in ((".gitignore", "gitignore"), (".afreshignore", "own")):
        for folder, text in tree[key].items():  # type: ignore[attr-defined]
            if not (root / folder).is_file():
                write(root, f"{folder}/{kind}".lstrip("/"), text=text + "\n")
    write(root, ".git/info/exclude", text=str(tree["exclude"]) if tree["repository"] else "")
    if tree["repository"]:
        for file in list(root.rglob(".afreshignore")):
            # git does not look into a folder that it ignores, and we read no rules there.
            inside = file.parent.relative_to(root).as_posix()
            if inside != "." and git_ignores(root, inside):
                file.unlink()
    tracked = [paths[i] for i in tree["tracked"] if i < len(paths)]  # type: ignore[attr-defined]
    if tracked and tree["repository"]:
        git(root, "add", "-f", "--", *tracked, GIT_LITERAL_PATHSPECS="1")
    return paths


def git_ignores(root: Path, folder: str) -> bool:
    result = subprocess.run(["git", "check-ignore", "-q", "--no-index", folder], cwd=root, check=False)
    return result.returncode == 0


def reference_by_git(root: Path, case: Path) -> set[str]:
    """What `git status` shows, without what git leaves out by itself when told of `.afreshignore` files."""
    bare = case / "reference.git"
    git(case, "init", "-q", "--bare", "--template=", str(bare))
    where = {"GIT_DIR": str(bare), "GIT_WORK_TREE": str(root)}
    own = git(root, "ls-files", "-oi", "--exclude-per-directory=.afreshignore", "-z", **where)
    return as_git_status_sees_it(root) - split(own)


AGENT_TREE = (
    "CLAUDE.md", "CLAUDE.local.md", "a/CLAUDE.local.md", "a/AGENTS.md", ".cursor/rules/style.mdc",
    ".cursor/rules/deep/more.mdc", "a/.cursor/rules/x.mdc", ".clinerules/one.md", ".windsurf/rules/w.md",
    ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md", ".github/instructions/py.md",
)  # fmt: skip
BESIDE_THEM = (
    ".cursor/mcp.json", ".cursor/rules/notes.txt", ".github/workflows/ci.yml", "private.md",
    ".windsurf/x.json",
)  # fmt: skip


@pytest.mark.parametrize("way", ["git", "lent", "pathspec"])
@pytest.mark.parametrize(
    "hidden",
    [
        "CLAUDE*.md\nAGENTS.md\n.cursor/\n.clinerules/\n.windsurf/\n.*rules\n.github/\nprivate.md",
        "*.md\n*.mdc\n.*rules\n.cursor/*\n.github/**\n.windsurf\n",
        ".*\nprivate.md\nCLAUDE*\nAGENTS*\n",
    ],
)
def test_agents_files_count_although_git_ignores_them(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hidden: str, way: str
) -> None:
    write(repository, *AGENT_TREE, *BESIDE_THEM, "node_modules/p/CLAUDE.md", "main.py")
    write(repository, ".git/info/exclude", text=f"{hidden}\nnode_modules/\n")
    if way == "lent":
        (repository / ".git" / "info" / "exclude").rename(repository / ".gitignore")
        shutil.rmtree(repository / ".git")
    if way == "pathspec":
        monkeypatch.setenv("PATH", str(tmp_path))
    rules = rules_of(repository, tmp_path)
    listed = set(rules.list_paths()) - {".gitignore"}
    assert listed == {*AGENT_TREE, "main.py"}
    asked = [*AGENT_TREE, *BESIDE_THEM, "node_modules/p/CLAUDE.md"]
    assert rules.ignored(asked) == {*BESIDE_THEM, "node_modules/p/CLAUDE.md"}
    assert [path for path in asked if rules.explain(path) is None] == list(AGENT_TREE)
    assert rules.listing(["CLAUDE.local.md", "private.md"]).paths == ["CLAUDE.local.md"]
    folders = rules.ignored_folders()
    assert "node_modules" in folders
    assert not {".cursor", ".cursor/rules", ".clinerules", ".github"} & folders


@pytest.mark.parametrize("way", ["git", "pathspec"])
def test_agents_files_are_left_out_by_rules_of_our_own(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    write(repository, ".gitignore", text="*.local.md\n.cursor/\n")
    write(repository, "a/.gitignore", text="*.md\n")
    write(repository, ".afreshignore", text="CLAUDE.local.md\n.cursor/\n")
    write(repository, "CLAUDE.local.md", "a/CLAUDE.local.md", ".cursor/rules/x.mdc", "CLAUDE.md")
    if way == "pathspec":
        monkeypatch.setenv("PATH", str(tmp_path))
    rules = rules_of(repository, tmp_path)
    assert set(rules.list_paths()) == {".gitignore", "a/.gitignore", ".afreshignore", "CLAUDE.md"}
    assert rules.explain("CLAUDE.local.md") == ".afreshignore:1: CLAUDE.local.md"
    assert rules.explain(".cursor/rules/x.mdc") == ".afreshignore:2: .cursor/"


def test_what_lies_deep_in_an_ignored_folder_of_claudes_is_left_alone(
    repository: Path, tmp_path: Path
) -> None:
    write(repository, ".gitignore", text=".claude/\n")
    write(repository, ".claude/worktrees/x/CLAUDE.md", ".claude/rules/style.md", "CLAUDE.md")
    rules = rules_of(repository, tmp_path)
    assert set(rules.list_paths()) == {".gitignore", "CLAUDE.md"}
    assert ".claude" in rules.ignored_folders()
