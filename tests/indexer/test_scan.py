"""A scan leads from what was known to what is on the disk, and opens nothing that did not change."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh_indexer import fingerprint
from afresh_indexer import scan as scan_module
from afresh_indexer.errors import GitFailed, RootRefused
from afresh_indexer.fingerprint import Content
from afresh_indexer.ignore import IgnoreRules
from afresh_indexer.records import Batch, Excluded, ExcludedReason, FileRecord
from afresh_indexer.scan import scan

LATER_NS = 3_600_000_000_000
"""So far after every stamp that the racy rule is at rest."""

FAR_FUTURE_NS = 9_000_000_000_000_000_000


@pytest.fixture(autouse=True)
def _only_our_git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path_factory.mktemp("config") / "gitconfig"
    config.write_text("[user]\nname=t\nemail=t@example.org\n[init]\ndefaultBranch=main\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)


@dataclass
class Index:
    """What a caller of the scan keeps, brought up to date by nothing but batches."""

    root: Path
    home: Path
    clock_ns: Callable[[], int]
    files: dict[str, FileRecord] = field(default_factory=dict)
    excluded: dict[str, Excluded] = field(default_factory=dict)

    def scan(
        self, only: Collection[str] | None = None, max_bytes: int = 1 << 20, batch_files: int = 500
    ) -> list[Batch]:
        rules = IgnoreRules.for_root(self.root, self.home)
        batches = list(
            scan(
                self.root,
                self.files,
                self.excluded,
                rules=rules,
                max_bytes=max_bytes,
                clock_ns=self.clock_ns,
                batch_files=batch_files,
                only=only,
                language_of=lambda path, head: "python" if path.endswith(".py") else None,
            )
        )
        for batch in batches:
            self.apply(batch)
        return batches

    def apply(self, batch: Batch) -> None:
        for path in batch.removed:
            del self.files[path]
        for record in batch.changed:
            self.files[record.path] = record
        for path in batch.included_again:
            del self.excluded[path]
        for entry in batch.excluded:
            self.excluded[entry.path] = entry
        assert not self.files.keys() & self.excluded.keys()

    def step(self, only: Collection[str] | None = None) -> Batch:
        (batch,) = self.scan(only)
        return batch


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "root"
    root.mkdir()
    git(root, "init", "-q")
    return root


@pytest.fixture
def index(root: Path, tmp_path: Path) -> Index:
    return Index(root, tmp_path / "home", lambda: root.lstat().st_mtime_ns + LATER_NS)


def write(root: Path, **files: str | bytes) -> None:
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def paths(batch: Batch) -> list[str]:
    return sorted(record.path for record in batch.changed)


def names(batch: Batch) -> tuple[list[str], list[str]]:
    return paths(batch), sorted(batch.removed)


def test_a_first_scan_records_every_file_with_its_hashes_stamps_and_language(
    root: Path, index: Index
) -> None:
    write(root, a__m_dot_py="x\r\n", b=b"caf\xe9")
    batch = index.step()
    assert paths(batch) == ["a/m.py", "b"]
    assert (batch.total, batch.listed, batch.read) == (2, 2, 2)
    stamps = (root / "a/m.py").lstat()
    assert index.files["a/m.py"] == FileRecord(
        path="a/m.py",
        size=3,
        mtime_ns=stamps.st_mtime_ns,
        ctime_ns=stamps.st_ctime_ns,
        inode=stamps.st_ino,
        sha256=sha256(b"x\r\n").hexdigest(),
        eol_sha256=sha256(b"x\n").hexdigest(),
        language="python",
        hashed_at_ns=index.clock_ns(),
    )


def test_nothing_is_opened_when_nothing_changed(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, a="a", b__c="c", bin=b"\0", big="x" * 100)
    (root / "link").symlink_to("a")
    index.scan(max_bytes=50)

    def refuse(*arguments: object) -> Content:
        raise AssertionError(f"opened {arguments}")

    monkeypatch.setattr(scan_module, "read_regular", refuse)
    monkeypatch.setattr(scan_module, "hash_file", refuse)
    assert index.scan(max_bytes=50) == [Batch(listed=5, total=5)]


def test_only_the_edited_file_is_read(root: Path, index: Index) -> None:
    write(root, a="a", b="b", c="c")
    index.step()
    write(root, b="B")
    batch = index.step()
    assert (names(batch), batch.read, batch.listed) == ((["b"], []), 1, 3)
    assert index.files["b"].sha256 == sha256(b"B").hexdigest()


def test_a_file_that_was_only_touched_gets_new_stamps_and_the_same_hash(root: Path, index: Index) -> None:
    write(root, a="a")
    index.step()
    before = index.files["a"]
    os.utime(root / "a", ns=(before.mtime_ns, before.mtime_ns + 1))
    assert paths(index.step()) == ["a"]
    assert index.files["a"].sha256 == before.sha256
    assert index.files["a"].mtime_ns == before.mtime_ns + 1
    assert index.step().read == 0


def test_a_file_hashed_in_the_moment_of_its_change_is_read_once_more(root: Path, index: Index) -> None:
    write(root, a="a")
    index.clock_ns = lambda: (root / "a").lstat().st_mtime_ns
    index.step()
    index.clock_ns = lambda: (root / "a").lstat().st_mtime_ns + LATER_NS
    assert (index.step().read, index.step().read) == (1, 0)


def test_a_renamed_folder_is_one_batch(root: Path, index: Index) -> None:
    write(root, **{f"old__f{i}": str(i) for i in range(40)}, other="x")
    index.step()
    (root / "old").rename(root / "new")
    batch = index.step(only={"old", "new"})
    assert names(batch) == (sorted(f"new/f{i}" for i in range(40)), sorted(f"old/f{i}" for i in range(40)))
    assert index.scan() == [Batch(listed=41, total=41)]


def test_batches_are_bounded_and_the_first_has_the_total(root: Path, index: Index) -> None:
    write(root, **{f"f{i}": str(i) for i in range(10)})
    batches = index.scan(batch_files=4)
    assert [len(batch.changed) for batch in batches] == [4, 4, 2]
    assert [batch.total for batch in batches] == [10, None, None]
    assert sum(batch.listed for batch in batches) == 10
    shutil.rmtree(root / ".git")
    write(root, **{f"f{i}": f"new {i}" for i in range(8)})
    assert [len(batch.changed) for batch in index.scan(batch_files=4)] == [4, 4]


def test_batches_are_read_only_as_they_are_asked_for(root: Path, index: Index) -> None:
    write(root, **{f"f{i}": str(i) for i in range(10)})
    rules = IgnoreRules.for_root(root, index.home)
    batches = scan(
        root,
        {},
        {},
        rules=rules,
        max_bytes=99,
        clock_ns=index.clock_ns,
        batch_files=1,
        language_of=lambda p, h: None,
    )
    next(batches)
    write(root, f9="changed before its turn")
    assert {r.path: r for b in batches for r in b.changed}["f9"].size == 23


def test_only_the_paths_named_and_those_below_them_are_compared(root: Path, index: Index) -> None:
    write(root, a__x="x", a__b__y="y", ab="ab", c="c")
    index.step()
    write(root, a__x="X", a__b__y="Y", ab="AB", c="C", a__new="n")
    (root / "c").unlink()
    batch = index.step(only=["a", "./c"])
    assert names(batch) == (["a/b/y", "a/new", "a/x"], ["c"])
    assert batch.total == 3
    assert names(index.step(only=["ab/"])) == (["ab"], [])
    assert index.step(only=["nowhere", ".git/HEAD"]) == Batch(total=0)
    write(root, ab="whole", a__x="whole")
    assert names(index.step(only=[""])) == (["a/x", "ab"], [])


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x"])
def test_a_path_that_leaves_the_root_is_an_error_that_names_it(index: Index, path: str) -> None:
    with pytest.raises(ValueError, match="is not below the root") as caught:
        index.scan(only=[path])
    assert repr(path) in str(caught.value)


def test_binary_large_and_linked_files_are_excluded_with_a_reason_and_come_back(
    root: Path, index: Index, tmp_path: Path
) -> None:
    (tmp_path / "outside").write_text("x", encoding="utf-8")
    write(root, bin=b"a\0", big="x" * (1 << 20) + "y", text="t")
    (root / "link").symlink_to("text")
    (root / "loop").symlink_to("loop")
    (root / "out").symlink_to(tmp_path / "outside")
    batch = index.step()
    assert paths(batch) == ["text"]
    assert {entry.path: entry.reason for entry in batch.excluded} == {
        "bin": ExcludedReason.BINARY,
        "big": ExcludedReason.TOO_LARGE,
        "link": ExcludedReason.LINK,
        "loop": ExcludedReason.LINK,
        "out": ExcludedReason.OUTSIDE_ROOT,
    }
    (root / "link").unlink()
    write(root, bin="text now", big="small", link="a file")
    (root / "out").unlink()
    batch = index.step()
    assert paths(batch) == ["big", "bin", "link"]
    assert sorted(batch.included_again) == ["big", "bin", "link", "out"]


def test_a_file_that_becomes_binary_or_ignored_is_removed(root: Path, index: Index) -> None:
    write(root, a="a", b_dot_log="b", c="c")
    index.step()
    write(root, a=b"\0", _dot_gitignore="*.log\n", c="x" * (1 << 20) + "y")
    batch = index.step()
    assert names(batch) == ([".gitignore"], ["a", "b.log", "c"])
    assert sorted(entry.path for entry in batch.excluded) == ["a", "c"]


def test_a_binary_file_that_changes_is_read_again_and_stays_excluded(root: Path, index: Index) -> None:
    write(root, a=b"\0")
    index.step()
    write(root, a=b"\0\0")
    batch = index.step()
    assert batch.read == 1
    assert [(entry.path, entry.size) for entry in batch.excluded] == [("a", 2)]
    assert index.step() == Batch(listed=1, total=1)


def test_a_file_replaced_by_a_folder_and_back_again(root: Path, index: Index) -> None:
    write(root, a="file")
    git(root, "add", ".")
    index.step()
    (root / "a").unlink()
    write(root, a__b="inside")
    assert names(index.step(only=["a"])) == (["a/b"], ["a"])
    shutil.rmtree(root / "a")
    write(root, a="file again")
    assert names(index.step(only=["a"])) == (["a"], ["a/b"])
    assert index.excluded == {}


def test_a_folder_replaced_by_a_link_takes_its_files_with_it(
    root: Path, index: Index, tmp_path: Path
) -> None:
    write(root, a__x="x")
    git(root, "add", ".")
    index.step()
    (root / "a").rename(tmp_path / "a")
    (root / "a").symlink_to(tmp_path / "a")
    batch = index.step(only=["a"])
    assert names(batch) == ([], ["a/x"])
    assert [(entry.path, entry.reason) for entry in batch.excluded] == [("a", ExcludedReason.OUTSIDE_ROOT)]
    assert index.scan() == [Batch(listed=1, total=1)]


def test_a_rename_that_changes_only_case_is_two_paths_where_case_counts(root: Path, index: Index) -> None:
    write(root, Name="n")
    if (root / "name").exists():
        pytest.skip("this file system does not tell names apart by case")
    index.step()
    (root / "Name").rename(root / "name")
    assert names(index.step()) == (["name"], ["Name"])


def change_before_reading(monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None]) -> None:
    """Between the look at a file's stamps and its reading, `change` happens to it."""

    def read(path: str, limit: int) -> Content:
        change(Path(path))
        return fingerprint.read_regular(path, limit)

    monkeypatch.setattr(scan_module, "read_regular", read)


def test_a_file_that_vanishes_before_it_is_read_is_gone(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, a="a", bin=b"\0")
    index.step()
    write(root, a="changed", bin=b"\0 changed", new="new")
    change_before_reading(monkeypatch, Path.unlink)
    batch = index.step()
    assert (names(batch), batch.included_again, batch.read) == (([], ["a"]), ("bin",), 0)
    assert (index.files, index.excluded) == ({}, {})


def test_a_file_that_turns_into_something_else_before_it_is_read_is_told_so(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def turn(path: Path) -> None:
        path.unlink()
        match path.name:
            case "pipe":
                os.mkfifo(path)
            case "folder":
                path.mkdir()
            case _:
                path.symlink_to("/etc")

    write(root, pipe="p", folder="f", link="l")
    change_before_reading(monkeypatch, turn)
    batch = index.step()
    assert {entry.path: entry.reason for entry in batch.excluded} == {
        "pipe": ExcludedReason.NOT_REGULAR,
        "link": ExcludedReason.OUTSIDE_ROOT,
    }
    assert batch.changed == ()


def test_a_file_that_never_holds_still_is_read_again_next_time(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, a="a")

    def unsettled(path: str, limit: int) -> Content:
        content = fingerprint.read_regular(path, limit)
        return Content(content.data, content.stamps, content.whole, settled=False)

    with monkeypatch.context() as patch:
        patch.setattr(scan_module, "read_regular", unsettled)
        index.step()
    assert index.files["a"].hashed_at_ns == 0
    assert (index.step().read, index.step().read) == (1, 0)


def test_a_file_longer_than_memory_should_hold_is_streamed_to_the_same_hash(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_module, "WHOLE_BYTES", 10)
    data = b"line\r\n" * 100
    write(root, a=data)
    index.step()
    assert index.files["a"].sha256 == sha256(data).hexdigest()
    assert index.files["a"].eol_sha256 == sha256(data.replace(b"\r", b"")).hexdigest()


def test_a_read_error_is_an_exclusion_and_no_crash(
    root: Path, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, a="a", b="b")

    def read(path: str, limit: int) -> Content:
        if path.endswith("/a"):
            raise OSError(5, "Input/output error", path)
        return fingerprint.read_regular(path, limit)

    monkeypatch.setattr(scan_module, "read_regular", read)
    batch = index.step()
    assert batch.excluded == (Excluded("a", ExcludedReason.UNREADABLE, "Input/output error"),)
    assert paths(batch) == ["b"]


def test_a_name_that_is_not_utf8_is_excluded_and_shown(root: Path, index: Index) -> None:
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9")).write_bytes(b"x")
    batch = index.step()
    assert [(entry.path, entry.reason) for entry in batch.excluded] == [("caf\\xe9", ExcludedReason.BAD_NAME)]
    assert index.step() == Batch(listed=1, total=1)


def test_a_root_that_is_gone_removes_nothing_and_says_so(root: Path, index: Index) -> None:
    write(root, a="a")
    index.step()
    root.rename(root.with_name("moved"))
    with pytest.raises(RootRefused, match="can't be read: No such file"):
        index.scan()
    assert list(index.files) == ["a"]


def test_a_root_replaced_while_it_is_listed_removes_nothing(root: Path, index: Index) -> None:
    write(root, a="a")
    index.step()

    class Replacing(IgnoreRules):
        def listing(self, under: Collection[str] | None = None):  # type: ignore[no-untyped-def]
            root.rename(root.with_name("moved"))
            root.mkdir()
            return super().listing(under)

    rules = Replacing.for_root(root, index.home)
    arguments = {"rules": rules, "max_bytes": 9, "clock_ns": index.clock_ns, "language_of": lambda p, h: None}
    with pytest.raises((RootRefused, GitFailed)):
        scan(root, index.files, {}, **arguments)  # type: ignore[arg-type]


def test_a_listing_that_fails_removes_nothing(root: Path, index: Index) -> None:
    write(root, a="a")
    index.step()
    (root / ".git/index").write_bytes(b"no index")
    with pytest.raises(GitFailed):
        index.scan()


def test_what_a_user_may_not_read_is_excluded_file_by_file_and_folder_by_folder(tmp_path: Path) -> None:
    """The superuser may read everything, so that the scan runs in a process that has become somebody else."""
    script = Path(__file__).with_name("scan_as_nobody.py")
    result = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(scan_module.__file__).parents[1])},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == [
        "changed=readable",
        "excluded=file:unreadable",
        "excluded=folder:unreadable",
        "excluded=tracked:unreadable",
        "excluded=tracked/t:unreadable",
        "again=0",
    ]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["write", "binary", "delete", "rename", "touch", "link", "ignore"]),
        st.sampled_from(["a", "b", "d/x", "d/y", "d", "e/z"]),
        st.sampled_from(["a", "d/x", "e/z", "f"]),
    ),
    min_size=1,
    max_size=5,
)


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(rounds=st.lists(STEPS, min_size=1, max_size=3))
def test_after_any_changes_batches_lead_to_what_a_fresh_scan_finds(
    rounds: list[list[tuple[str, str, str]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("any").resolve()
    root = base / "root"
    root.mkdir()
    git(root, "init", "-q", "--template=")
    index = Index(root, base / "home", lambda: FAR_FUTURE_NS)
    for number, steps in enumerate(rounds):
        touched = {path for action, *paths in steps for path in paths}
        for action, one, other in steps:
            perform(root, action, root / one, root / other, number)
        ignoring = any(action == "ignore" for action, *_ in steps)
        index.scan(only=None if ignoring else touched)
        fresh = Index(root, base / "home", lambda: FAR_FUTURE_NS)
        fresh.scan()
        assert index.files == fresh.files
        # Where a link leads can change without the link; what is told of it may be as old as the link.
        assert reasons(index) == reasons(fresh)


def reasons(index: Index) -> dict[str, ExcludedReason]:
    return {path: entry.reason for path, entry in index.excluded.items()}


def perform(root: Path, action: str, one: Path, other: Path, number: int) -> None:
    try:
        one.parent.mkdir(exist_ok=True)
        match action:
            case "write":
                one.write_text(f"{number}", encoding="utf-8")
            case "binary":
                one.write_bytes(b"\0")
            case "delete" if one.is_dir():
                shutil.rmtree(one)
            case "delete":
                one.unlink()
            case "rename":
                one.rename(other)
            case "touch":
                os.utime(one, ns=(number, number), follow_symlinks=False)
            case "link":
                one.symlink_to(other)
            case _:
                (root / ".gitignore").write_text(f"/{one.name}\n", encoding="utf-8")
    except OSError:
        # Not every step is possible in every tree; those that are not change nothing.
        return
