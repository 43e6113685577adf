"""The README's section for editors names every command and every setting, with its default."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

from tests.lsp.double import ScriptedEngine

from afresh_lsp.features.lenses import SHOW
from afresh_lsp.options import Options
from afresh_lsp.pages import Pages
from afresh_lsp.server import make_server

README = Path(__file__).parents[2] / "README.md"


def section() -> str:
    text = README.read_text(encoding="utf-8")
    return text.partition("\n## In the editor\n")[2].partition("\n## ")[0]


def test_every_command_for_people_is_named(tmp_path: Path) -> None:
    server = make_server(ScriptedEngine({}), Pages(tmp_path))
    named = set(re.findall(r"`(afresh\.\w+)`", section()))
    assert named == set(server.protocol.fm.commands) - {SHOW}


def test_every_setting_stands_in_the_table_with_its_default() -> None:
    rows = re.findall(r"^\| (`.*?`) \| `(.*?)` \|", section(), flags=re.MULTILINE)
    told = {name: default for names, default in rows for name in re.findall(r"`(\w+)`", names)}
    kept = Options()
    values = {one.metadata["name"]: getattr(kept, one.name) for one in fields(Options)}
    shown = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in values.items()
    }
    assert told == shown
