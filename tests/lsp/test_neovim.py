"""A real editor: Neovim, driven by a script, over the real server and a real keeper."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.sandbox import AFRESH, Sandbox

SCRIPT = Path(__file__).with_name("neovim.lua")
NEOVIM = shutil.which("nvim")
WARNING = 2


@pytest.mark.skipif(NEOVIM is None, reason="nvim isn't installed")
def test_neovim_sees_what_went_stale_where_it_is_and_verifies_it(shop: Sandbox, tmp_path: Path) -> None:
    locks = shop.root / "billing" / "locks.py"
    locks.write_text(locks.read_text("utf-8").replace("return True", 'return "é😀", False'), "utf-8")
    rules = shop.root / "CLAUDE.md"
    rules.write_text(rules.read_text("utf-8").replace("`billing/locks.py`;", "`billing/lock.py`;"), "utf-8")
    seen = drive(shop, tmp_path / "seen.json")
    edited = {
        "message": "Stale conclusion: How do locks work? (its code was edited)",
        "severity": WARNING,
        "source": "afresh",
    }
    line = '        return "é😀", False'
    columns = {"column": 8, "end_column": len(line.encode())}
    assert seen["at_first"] == [{**edited, **columns, "line": 2, "end_line": 2}]
    assert seen["lenses_at_first"] == [
        {"line": 0, "title": "1 memory · 1 stale"},
        {"line": 1, "title": "1 memory · 1 stale"},
    ]

    assert seen["moved"] == [{**edited, **columns, "line": 4, "end_line": 4}]
    assert seen["lenses_moved"][1] == {"line": 3, "title": "1 memory · 1 stale"}
    hover = seen["hover_moved"]
    assert "acquire always succeeds" in hover["contents"]["value"]
    assert hover["range"]["start"] == {"line": 3, "character": 8}

    behind = seen["hover_behind_wide"]
    assert "How do locks work?" in behind["contents"]["value"]
    # Two UTF-16 units for the one, one for the other, where UTF-8 has four and two.
    assert behind["range"]["start"]["character"] == seen["main_column"] - 3

    (dead,) = seen["dead"]
    assert dead["message"] == ("the workspace has no billing/lock.py. Probably meant: billing/locks.py.")
    text = seen["dead_text"].encode()
    assert text[dead["column"] : dead["end_column"]] == b"billing/lock.py"
    (definition,) = seen["definition"]
    assert definition["uri"] == locks.as_uri()

    assert seen["actions"][0] == "Verify: still holds: How do locks work?"
    assert seen["after_verify"] == []
    assert [lens["title"] for lens in seen["lenses_after_verify"]] == ["1 memory", "1 memory"]
    assert seen["messages"] == ["afresh: memo 1 is verified"]
    assert shop.json("memo", "show", "1")["status"] == "fresh"


def drive(shop: Sandbox, seen: Path) -> Any:
    """Run the script in Neovim; what it saw."""
    assert NEOVIM is not None
    env = {
        **shop.env,
        "AFRESH_COMMAND": AFRESH,
        "AFRESH_ROOT": str(shop.root),
        "AFRESH_SEEN": str(seen),
        "XDG_STATE_HOME": str(seen.parent / "state"),
        "XDG_CACHE_HOME": str(seen.parent / "cache"),
        "XDG_DATA_HOME": str(seen.parent / "data"),
        "XDG_CONFIG_HOME": str(seen.parent / "config"),
    }
    done = subprocess.run(
        [NEOVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {SCRIPT}"],
        cwd=shop.root,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=110,
        check=False,
    )
    assert seen.exists(), done.stdout + done.stderr
    told = json.loads(seen.read_text(encoding="utf-8"))
    assert "failure" not in told, (told, done.stderr)
    return told
