"""The arrows of the house, proved twice: by import-linter, and by what each layer really loads."""

from __future__ import annotations

import configparser
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]
ROOTS = {
    "afresh": TOP / "app",
    "afresh_indexer": TOP / "indexer",
    "afresh_tui": TOP / "tui",
    "afresh_lsp": TOP / "lsp",
}
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, ROOTS.values()))}

PROTOCOLS_AND_SCREENS = {"textual", "mcp", "mcp_types", "pygls", "starlette", "rich", "click"}
HEAVY = {"pydantic", "mcp", "mcp_types", "duckdb", "numpy", "fastembed", "onnxruntime"}
_COMMAND_LINE = ("afresh.faces.cli", "afresh.faces.render")
OTHER_ROOTS = {"afresh_indexer", "afresh_tui", "afresh_lsp"}


def modules(name: str) -> list[str]:
    """Every module at or below a dotted name, from the files."""
    base = ROOTS[name.partition(".")[0]]
    folder = base.joinpath(*name.split("."))
    if not folder.is_dir():
        return [name]
    found = [path.relative_to(base).with_suffix("").parts for path in sorted(folder.rglob("*.py"))]
    return [".".join(parts).removesuffix(".__init__") for parts in found]


def loaded_by(*names: str) -> set[str]:
    """What a process of its own has loaded after it imported these: whole names and their first parts."""
    code = (
        "import importlib, sys\n"
        f"for name in {list(names)!r}: importlib.import_module(name)\n"
        "sys.stdout.write('\\n'.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=ENVIRONMENT,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split("\n"))
    return loaded | {name.partition(".")[0] for name in loaded}


@pytest.mark.parametrize(
    ("layer", "forbidden"),
    [
        ("afresh.errors", HEAVY | PROTOCOLS_AND_SCREENS | OTHER_ROOTS | {"platformdirs", "asyncio"}),
        ("afresh.settings", HEAVY | PROTOCOLS_AND_SCREENS | OTHER_ROOTS | {"asyncio"}),
        ("afresh.contracts", (HEAVY | PROTOCOLS_AND_SCREENS | OTHER_ROOTS) - {"pydantic"}),
        ("afresh.verbs", (HEAVY | PROTOCOLS_AND_SCREENS | OTHER_ROOTS) - {"pydantic"}),
        (
            "afresh_indexer",
            PROTOCOLS_AND_SCREENS | {"afresh", "afresh_tui", "afresh_lsp", "duckdb", "pydantic"},
        ),
        ("afresh.text", PROTOCOLS_AND_SCREENS | OTHER_ROOTS | {"duckdb", "afresh.store", "afresh.engine"}),
        ("afresh.store", PROTOCOLS_AND_SCREENS | {"afresh.text", "afresh.engine", "afresh.faces"}),
        (
            "afresh.engine",
            PROTOCOLS_AND_SCREENS | {"afresh.faces", "afresh.keeper", "afresh_tui", "afresh_lsp"},
        ),
        ("afresh.client", HEAVY | PROTOCOLS_AND_SCREENS | OTHER_ROOTS | {"asyncio"}),
        ("afresh.faces.bridge", HEAVY | PROTOCOLS_AND_SCREENS | OTHER_ROOTS | {"asyncio", "argparse"}),
        ("afresh.faces.handshake", HEAVY | PROTOCOLS_AND_SCREENS | OTHER_ROOTS | {"asyncio"}),
        ("afresh.faces.cli", HEAVY | OTHER_ROOTS | {"rich", "mcp", "asyncio", "afresh.engine"}),
        (
            "afresh.faces.mcp_server",
            {"duckdb", "numpy", "fastembed", "afresh.store", "textual", "rich"},
        ),
        ("afresh.__main__", HEAVY | PROTOCOLS_AND_SCREENS | OTHER_ROOTS | {"asyncio", "argparse"}),
        (
            "afresh_lsp",
            (HEAVY | {"afresh.engine", "afresh.store", "afresh.faces", "afresh_tui", "afresh_indexer"})
            | {"textual", "starlette", "rich"},
        ),
        ("afresh_lsp.early", HEAVY | PROTOCOLS_AND_SCREENS | {"lsprotocol", "attrs", "asyncio", "logging"}),
        (
            "afresh_lsp.serving",
            HEAVY | (PROTOCOLS_AND_SCREENS - {"click"}) | {"lsprotocol", "attrs", "asyncio"},
        ),
        ("afresh", {"afresh_tui", "afresh_lsp", "textual", "pygls"}),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_a_layer_loads_only_what_lies_below_it(layer: str, forbidden: set[str]) -> None:
    assert loaded_by(*modules(layer)) & forbidden == set()


def test_a_module_that_is_loaded_is_seen() -> None:
    assert {"mcp", "mcp.server", "starlette"} <= loaded_by("afresh.faces.mcp_server")


def test_the_import_contracts_hold() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()"),
            *("--config", str(TOP / ".importlinter"), "--no-cache"),
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=TOP,
        env=ENVIRONMENT,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_of_the_command_line_stands_in_its_contract() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(TOP / ".importlinter", encoding="utf-8")
    listed = set(contracts["importlinter:contract:command-line"]["source_modules"].split())
    built = {
        name for name in modules("afresh.faces") if name.rpartition(".")[2].startswith(("cli", "render"))
    }
    assert listed == built | {"afresh.client"}
