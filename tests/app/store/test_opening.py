from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from afresh.errors import StoreError, StoreHeldError, StoreUnwritableError, StoreVersionError
from afresh.store import Store

STAMP = "20260301T120000.123456Z"

LEFT_BY_A_KILL = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from afresh.store import Store, projects

store = Store.open(Path(sys.argv[1]), clock=lambda: datetime.now(UTC))
for number in range(int(sys.argv[2])):
    with store.write() as tx:
        projects.create_project(tx, f"checkpointed-{number}", f"/c{number}", tx.now)
store.checkpoint()
for number in range(int(sys.argv[3])):
    with store.write() as tx:
        projects.create_project(tx, f"logged-{number}", f"/l{number}", tx.now)
os._exit(0)
"""


def run(code: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        **options,
    )


@pytest.fixture(scope="module")
def killed_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose owner was killed: three rows in its file and twenty more in its log."""
    home = tmp_path_factory.mktemp("killed") / "home"
    result = run(LEFT_BY_A_KILL, home / "afresh.duckdb", 3, 20)
    assert result.returncode == 0, result.stderr
    return home


@pytest.fixture
def killed(killed_home: Path, database: Path) -> Path:
    """The database of a copy of that folder."""
    shutil.copytree(killed_home, database.parent)
    return database


IN_FILE = [f"checkpointed-{number}" for number in range(3)]
IN_LOG = [f"logged-{number}" for number in range(20)]


def names(store: Store) -> list[str]:
    with store.read() as cursor:
        return [row[0] for row in cursor.execute("SELECT name FROM projects ORDER BY id").rows()]


def overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)


@pytest.fixture
def log(database: Path) -> Path:
    return database.with_name(database.name + ".wal")


def test_the_folder_is_made_for_its_owner_alone(database: Path, clock: Any) -> None:
    Store.open(database, clock=clock).close()
    assert database.exists()
    if os.name == "posix":
        assert database.parent.stat().st_mode & 0o777 == 0o700


def test_a_healthy_database_reports_nothing(killed: Path, clock: Any) -> None:
    with Store.open(killed, clock=clock) as store:
        assert (store.set_aside, store.note) == (None, "")
        assert names(store) == IN_FILE + IN_LOG


MAIN_FILE_DAMAGE = {
    "text": lambda path: path.write_bytes(b"hello, I am text\n" * 1000),
    "zero bytes": lambda path: path.write_bytes(b""),
    "one byte": lambda path: path.write_bytes(b"x"),
    "cut short": lambda path: os.truncate(path, 20_000),
    "cut in its headers": lambda path: os.truncate(path, 5_000),
    "main header": lambda path: overwrite(path, 0, bytes(4096)),
    "both database headers": lambda path: overwrite(path, 4096, b"\xa5" * 8192),
    "all data": lambda path: overwrite(path, 12288, b"\xa5" * (path.stat().st_size - 12288)),
}


@pytest.mark.parametrize("damage", MAIN_FILE_DAMAGE)
def test_a_damaged_database_is_set_aside_with_its_log_and_never_deleted(
    killed: Path, log: Path, clock: Any, damage: str
) -> None:
    database = killed
    MAIN_FILE_DAMAGE[damage](database)
    kept, kept_log = database.read_bytes(), log.read_bytes()
    with Store.open(database, clock=clock) as store:
        aside = database.with_name(f"{database.name}.damaged-{STAMP}")
        assert store.set_aside == aside
        assert str(aside) in store.note
        assert aside.read_bytes() == kept
        assert aside.with_name(aside.name + ".wal").read_bytes() == kept_log
        assert names(store) == []
        with store.write() as tx:
            tx.execute("INSERT INTO projects VALUES (1, 'new', '/n', ?)", [datetime(2026, 1, 1)])
        assert names(store) == ["new"]


LOG_DAMAGE = {
    "first bytes": lambda path: overwrite(path, 0, b"\xff" * 16),
    "version": lambda path: overwrite(path, 5, b"\x77"),
    "identifier": lambda path: overwrite(path, 9, b"\x01"),
    "size of its first entry": lambda path: overwrite(path, 42, b"\xff"),
    "middle": lambda path: overwrite(path, path.stat().st_size // 2, b"\xa5" * 8),
    "end": lambda path: overwrite(path, path.stat().st_size - 100, b"\xa5" * 100),
    "all": lambda path: path.write_bytes(b"\xa5" * 5000),
}


@pytest.mark.parametrize("damage", LOG_DAMAGE)
def test_a_damaged_log_is_set_aside_and_the_database_stays(
    killed: Path, log: Path, clock: Any, damage: str
) -> None:
    database = killed
    LOG_DAMAGE[damage](log)
    kept = log.read_bytes()
    with Store.open(database, clock=clock) as store:
        assert store.set_aside == database.with_name(f"{database.name}.damaged-{STAMP}.wal")
        assert store.set_aside.read_bytes() == kept
        assert "since the last checkpoint" in store.note
        assert names(store) == IN_FILE
        with store.write() as tx:
            tx.execute("INSERT INTO projects VALUES (99, 'new', '/n', ?)", [datetime(2026, 1, 1)])
    with Store.open(database, clock=clock) as store:
        assert names(store)[-1] == "new"


def test_a_log_that_was_cut_short_gives_what_was_whole(killed: Path, log: Path, clock: Any) -> None:
    os.truncate(log, log.stat().st_size - 30)
    with Store.open(killed, clock=clock) as store:
        assert store.set_aside is None
        assert names(store) == IN_FILE + IN_LOG[:-1]


def test_a_log_without_its_database_is_set_aside(killed: Path, log: Path, clock: Any) -> None:
    """DuckDB would delete it when it makes the new file."""
    kept = log.read_bytes()
    killed.unlink()
    with Store.open(killed, clock=clock) as store:
        assert store.set_aside is not None
        assert store.set_aside.read_bytes() == kept
        assert names(store) == []


def test_damaged_log_and_damaged_database_are_both_kept(killed: Path, log: Path, clock: Any) -> None:
    database = killed
    overwrite(log, 0, b"\xff" * 16)
    overwrite(database, 12288, b"\xa5" * (database.stat().st_size - 12288))
    sizes = sorted((database.stat().st_size, log.stat().st_size))
    with Store.open(database, clock=clock) as store:
        assert names(store) == []
    aside = [path.stat().st_size for path in database.parent.iterdir() if "damaged" in path.name]
    assert sorted(aside) == sizes


CUT_SHORT = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from afresh.store import Store

for point in sys.argv[2:]:
    store = Store.open(Path(sys.argv[1]) / point / "afresh.duckdb", clock=lambda: datetime.now(UTC))
    with store._cursor() as connection:
        connection.execute(f"SET debug_checkpoint_abort = '{point}'")
    try:
        store.checkpoint()
    except Exception as error:
        print(point, flush=True)
os._exit(0)
"""


def test_a_checkpoint_that_is_cut_short_loses_nothing(killed_home: Path, tmp_path: Path, clock: Any) -> None:
    """At each of the points at which DuckDB lets a checkpoint be cut short."""
    points = ["before_truncate", "before_header", "after_free_list_write", "before_moving_recovery"]
    for point in points:
        shutil.copytree(killed_home, tmp_path / point)
    result = run(CUT_SHORT, tmp_path, *points)
    assert result.returncode == 0, result.stderr
    assert "before_header" in result.stdout
    for point in points:
        with Store.open(tmp_path / point / "afresh.duckdb", clock=clock) as store:
            assert store.set_aside is None, (point, store.note)
            assert names(store) == IN_FILE + IN_LOG, point


def test_a_newer_schema_is_refused_with_both_versions_and_left_alone(database: Path, clock: Any) -> None:
    with Store.open(database, clock=clock) as store, store.write() as tx:
        tx.execute("INSERT INTO schema_migrations VALUES (999, ?)", [datetime(2026, 1, 1)])
    with pytest.raises(StoreVersionError, match=r"version 999, and this afresh knows versions up to \d+"):
        Store.open(database, clock=clock)
    with pytest.raises(StoreVersionError):
        Store.open(database, clock=clock)
    assert [path.name for path in database.parent.iterdir()] == [database.name]


def test_a_newer_storage_format_is_refused_and_left_alone(database: Path, clock: Any) -> None:
    """As a later DuckDB would write it: the version in the main header is one that this one doesn't know."""
    import duckdb

    Store.open(database, clock=clock).close()
    text = (
        f'IO Error: Trying to read a database file with version number 300, but we can only read "{database}"'
    )
    kept = database.read_bytes()

    def newer(*_: object, **__: object) -> object:
        raise duckdb.IOException(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "connect", newer)
        with pytest.raises(StoreVersionError, match="Update afresh"):
            Store.open(database, clock=clock)
    assert database.read_bytes() == kept


def test_a_database_of_another_program_is_refused_and_left_alone(database: Path, clock: Any) -> None:
    import duckdb

    database.parent.mkdir()
    with duckdb.connect(str(database)) as other:
        other.execute("CREATE TABLE invoices (id INTEGER)")
    for _ in range(2):
        with pytest.raises(StoreError, match=r"another program.*invoices"):
            Store.open(database, clock=clock)
    with duckdb.connect(str(database)) as other:
        assert other.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("invoices",)]


HOLD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from afresh.store import Store

store = Store.open(Path(sys.argv[1]), clock=lambda: datetime.now(UTC))
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(database: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process
        process.kill()


def test_another_process_that_has_it_open_is_named(
    database: Path, clock: Any, holder: subprocess.Popen[str]
) -> None:
    with pytest.raises(StoreHeldError, match=rf"process {holder.pid} \(.*-c import sys"):
        Store.open(database, clock=clock)
    assert holder.poll() is None


def test_it_opens_again_once_the_other_process_has_ended(
    database: Path, clock: Any, holder: subprocess.Popen[str]
) -> None:
    holder.kill()
    holder.wait(20)
    Store.open(database, clock=clock).close()


def test_no_second_process_gets_in_after_backups_and_checkpoints(database: Path, clock: Any) -> None:
    """Opening the file in any other way inside the owner would drop its lock without a sign."""
    with Store.open(database, clock=clock) as store:
        store.backup(database.parent / "copy.duckdb")
        store.checkpoint()
        assert store.size_bytes() > 0
        result = run(HOLD, database, input="")
        assert result.returncode != 0
        assert "StoreHeldError" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="permissions of folders work so only on POSIX")
@pytest.mark.parametrize("made_before", [True, False], ids=["with a database", "empty"])
def test_a_folder_that_cannot_be_written_is_named(made_before: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "home"
        folder.mkdir()
        if made_before:
            Store.open(folder / "afresh.duckdb", clock=lambda: datetime.now(UTC)).close()
        Path(name).chmod(0o755)
        folder.chmod(0o555)
        # Permissions don't bind root, so that the attempt is made as nobody.
        as_nobody = "import os\nif os.geteuid() == 0:\n    os.setgid(65534)\n    os.setuid(65534)\n"
        opening = HOLD.replace("store = ", f"{as_nobody}store = ")
        result = run(opening, folder / "afresh.duckdb", input="")
        folder.chmod(0o755)
    assert result.returncode != 0
    assert "StoreUnwritableError" in result.stderr
    assert f"{folder} can't be written" in result.stderr


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path, clock: Any) -> None:
    (tmp_path / "home").write_text("", encoding="utf-8")
    with pytest.raises(StoreUnwritableError, match="can't be made"):
        Store.open(tmp_path / "home" / "afresh.duckdb", clock=clock)


def test_a_folder_in_the_place_of_the_file_is_named(database: Path, clock: Any) -> None:
    database.mkdir(parents=True)
    with pytest.raises(StoreUnwritableError, match="directory"):
        Store.open(database, clock=clock)
    assert database.is_dir()
