"""The README: every command that it shows is run here, in its order, in one workspace."""

from __future__ import annotations

import dataclasses
import re
import shlex
from pathlib import Path

import click

from afresh.faces import cli
from afresh.settings import Settings
from afresh.verbs import TOOLS

README = Path(__file__).parents[2] / "README.md"


def shown_commands():
    text = README.read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    return [
        line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")
    ]


def test_every_afresh_command_shown_works(sandbox):
    # Its notes would take the ids that the README shows for the first memories.
    (sandbox.root / "README.md").unlink()
    sandbox.until_model()
    ran = 0
    for command in shown_commands():
        program, *arguments = shlex.split(command)
        assert program == "afresh", command
        done = sandbox.run(*arguments)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        ran += 1
    assert ran > 15


def test_every_command_is_in_the_readme():
    text = README.read_text(encoding="utf-8")
    group = cli.commands
    assert isinstance(group, click.Group)
    missing = [name for name in group.commands if f"afresh {name}" not in text]
    assert missing == []


def test_every_tool_and_every_setting_is_in_the_readme():
    text = README.read_text(encoding="utf-8")
    assert [verb.name for verb in TOOLS if f"`{verb.name}`" not in text] == []
    fields = [f"AFRESH_{field.name.upper()}" for field in dataclasses.fields(Settings)]
    assert [name for name in fields if f"`{name}`" not in text] == []
