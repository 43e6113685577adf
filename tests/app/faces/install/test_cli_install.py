"""The command install: every client's configuration comes back byte for byte."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.app.faces.command_line import Outcome, run

from afresh.faces import cli_install
from afresh.faces.install import jsonc
from afresh.faces.install.clients import CLIENTS, Place, Server
from afresh.faces.install.edits import Edit
from afresh.faces.install.plan import Installation, Wanted

CASES = [(name, scope) for name, client in CLIENTS.items() for scope in client.scopes]
SERVER = Server("/opt/afresh/bin/afresh")

JSON = (
    '// mine\n{\n\t"theme": "dark", // not light\n\t"mcpServers": {\n\t\t"other": {\n\t\t\t"command": "x", '
    '"env": {"TOKEN": "s3cret",},\n\t\t},\n\t},\n\t"servers": {"other": {}}, "context_servers": {},\n\t'
    '"version": 1,\n\t"hooks": {"Stop": [{"hooks": []}], /* none */ "SessionStart": '
    '[{"hooks": [{"command": "x"}]}],},'
    "\n}\n"
)
TOML = (
    'model = "o3" # good\n\n[mcp_servers.other]\ncommand = "x"\n\n[[language]]\nname = "python" # mine\n'
    'language-servers = [\n  "pylsp", # old\n]\n'
)
FILES = {
    ".json": JSON,
    ".toml": TOML,
    ".md": "# Rules\n\n- Be kind.   \n",
    ".lua": "-- mine\nprint('x')\n",
    ".el": ";; mine\n(setq x 1)\n",
}


@dataclass(frozen=True)
class World:
    """A home, a project and a data folder."""

    home: Path
    project: Path
    data: Path

    def place(self, scope: str) -> Place:
        return Place("project" if scope == "project" else "user", self.project, self.home, {}, "linux")

    def install(self, *arguments: str) -> Outcome:
        return run("install", *arguments, home=self.data, environment=[("HOME", str(self.home))])

    def files(self) -> dict[str, bytes | None]:
        """Everything in the home and in the project; None for a folder."""
        return {
            str(path): path.read_bytes() if path.is_file() else None
            for base in (self.home, self.project)
            for path in sorted(base.rglob("*"))
        }


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    found = World(tmp_path / "home", tmp_path / "work" / "shop", tmp_path / "data")
    found.home.mkdir()
    (found.project / ".git").mkdir(parents=True)
    (found.project / "src").mkdir()
    monkeypatch.chdir(found.project / "src")
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "NVIM_APPNAME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    yield found


def edits_of(name: str, place: Place) -> list[Edit]:
    client = CLIENTS[name]
    found = list(client.serve(place, SERVER))
    for more in (client.hooks(place, SERVER), client.instructions(place, SERVER)):
        found += [] if isinstance(more, str) else more
    return found


def everything(name: str, place: Place) -> list[str]:
    """The options that ask for all that a client has."""
    client = CLIENTS[name]
    options = [("--hooks", client.hooks), ("--instructions", client.instructions)]
    return [option for option, find in options if not isinstance(find(place, SERVER), str)]


def given_files(name: str, place: Place) -> None:
    for edit in edits_of(name, place):
        edit.path.parent.mkdir(parents=True, exist_ok=True)
        edit.path.write_text(FILES[edit.path.suffix or ".el"], encoding="utf-8", newline="")


def test_the_names_are_the_tables() -> None:
    assert tuple(CLIENTS) == cli_install.CLIENTS


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_install_and_remove_leave_no_trace_where_there_was_nothing(
    world: World, name: str, scope: str
) -> None:
    before = world.files()
    options = everything(name, world.place(scope))
    done = world.install(name, f"--{scope}", *options)
    assert done.code == 0, done.err
    assert world.files() != before
    assert "+++ " in done.out
    for again in range(2):
        repeated = world.install(name, f"--{scope}", *options)
        assert (repeated.code, repeated.out) == (0, ""), again
        assert "nothing to change" in repeated.err
    removed = world.install(name, f"--{scope}", "--remove")
    assert removed.code == 0, removed.err
    assert world.files() == before
    assert "nothing to change" in world.install(name, f"--{scope}", "--remove").err


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_install_and_remove_round_trip_files_with_remarks_and_other_servers(
    world: World, name: str, scope: str
) -> None:
    given_files(name, world.place(scope))
    before = world.files()
    done = world.install(name, f"--{scope}", *everything(name, world.place(scope)))
    assert done.code == 0, done.err
    after = world.files()
    assert after != before
    for path, content in before.items():
        if path.endswith(".json") and content is not None and after[path] != content:
            held = jsonc.parse((after[path] or b"").decode())
            assert held["mcpServers"]["other"]["env"] == {"TOKEN": "s3cret"}
            assert b"// not light" in (after[path] or b"")
        if path.endswith(".toml"):
            assert (after[path] or b"").startswith(content or b"")
    removed = world.install(name, f"--{scope}", "--remove")
    assert removed.code == 0, removed.err
    assert world.files() == before


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_what_somebody_changed_in_between_stays(world: World, name: str, scope: str) -> None:
    place = world.place(scope)
    given_files(name, place)
    before = world.files()
    assert world.install(name, f"--{scope}", *everything(name, place)).code == 0
    for edit in edits_of(name, place):
        if edit.path.suffix == ".json":
            text = edit.path.read_text(encoding="utf-8")
            edit.path.write_text(text.replace("// mine", "// ours"), encoding="utf-8")
        elif edit.path.name != "SKILL.md":
            edit.path.write_text("\n" + edit.path.read_text(encoding="utf-8"), encoding="utf-8")
    assert world.install(name, f"--{scope}", "--remove").code == 0
    for path, content in world.files().items():
        if content is None or path.endswith("SKILL.md"):
            continue
        expected = before[path]
        assert expected is not None
        if path.endswith(".json"):
            assert content == expected.replace(b"// mine", b"// ours")
        else:
            assert content == b"\n" + expected


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("content", [b"\xff\xfe{}", None], ids=["not UTF-8", "a folder"])
def test_a_file_that_cannot_be_read_is_named_and_nothing_is_written(
    world: World, name: str, content: bytes | None
) -> None:
    scope = CLIENTS[name].scopes[0]
    # The last one, so that the others would have been written before it.
    path = edits_of(name, world.place(scope))[-1].path
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    before = world.files()
    for more in ([], ["--remove"]):
        done = world.install(name, f"--{scope}", *(more or everything(name, world.place(scope))))
        assert done.code == 3
        assert str(path) in done.err
        assert "nothing was changed" in done.err
        assert world.files() == before
    assert not world.data.exists()


@pytest.mark.parametrize(
    ("name", "broken"), [("cursor", '{"mcpServers": '), ("codex", "[mcp_servers"), ("zed", "[]")]
)
def test_a_broken_file_is_named_with_the_place(world: World, name: str, broken: str) -> None:
    scope = CLIENTS[name].scopes[0]
    path = edits_of(name, world.place(scope))[0].path
    path.parent.mkdir(parents=True)
    path.write_text(broken, encoding="utf-8")
    done = world.install(name)
    assert done.code == 3
    assert str(path) in done.err
    assert "Correct it" in done.err
    assert path.read_text(encoding="utf-8") == broken


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_a_link_stays_a_link_and_what_it_leads_to_is_edited(world: World, name: str, scope: str) -> None:
    place = world.place(scope)
    given_files(name, place)
    dotfiles = world.home / "dotfiles"
    dotfiles.mkdir()
    paths = list(dict.fromkeys(edit.path for edit in edits_of(name, place)))
    for number, path in enumerate(paths):
        kept = dotfiles / f"{number}{path.suffix}"
        path.replace(kept)
        kept.chmod(0o600)
        path.symlink_to(kept)
    before = world.files()
    assert world.install(name, f"--{scope}", *everything(name, place)).code == 0
    assert all(path.is_symlink() for path in paths)
    assert {path.resolve().stat().st_mode & 0o777 for path in paths} == {0o600}
    assert all(before[str(path.resolve())] != path.read_bytes() for path in paths)
    assert world.install(name, f"--{scope}", "--remove").code == 0
    assert all(path.is_symlink() for path in paths)
    assert world.files() == before


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_a_dry_run_shows_and_writes_nothing(world: World, name: str, scope: str) -> None:
    given_files(name, world.place(scope))
    before = world.files()
    done = world.install(name, f"--{scope}", "--dry-run", *everything(name, world.place(scope)))
    assert done.code == 0
    assert any(line.startswith("+") for line in done.out.splitlines())
    assert "nothing was written" in done.err
    assert world.files() == before
    assert not world.data.exists()


@pytest.mark.parametrize(("name", "scope"), CASES)
def test_what_is_written_is_what_the_client_reads(world: World, name: str, scope: str) -> None:
    assert world.install(name, f"--{scope}", *everything(name, world.place(scope))).code == 0
    command = "afresh" if scope == "project" else cli_install._program()
    for edit in edits_of(name, world.place(scope)):
        text = edit.path.read_text(encoding="utf-8")
        data: Any = {}
        if edit.path.suffix == ".json":
            # Some clients read nothing but plain JSON.
            data = json.loads(text)
        elif edit.path.suffix == ".toml":
            data = tomllib.loads(text)
        if edit.path.suffix in (".json", ".toml"):
            held = data
            for key in edit.keys:
                held = held[key]
            shown = json.dumps(held)
            assert held == 1 or command in shown
        else:
            assert "afresh" in text
    if name == "helix":
        assert data["language-server"]["afresh"]["args"] == ["lsp"]
        assert all(entry["language-servers"][-1] == "afresh" for entry in data["language"])


def test_the_data_folder_goes_with_the_users_server_and_never_into_a_project(world: World) -> None:
    world.install("claude-code", "--user", "--hooks")
    held = json.loads((world.home / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]["afresh"]
    assert held["env"] == {"AFRESH_HOME": str(world.data)}
    hooks = json.loads((world.home / ".claude" / "settings.json").read_text(encoding="utf-8"))["hooks"]
    assert f"--home {world.data} hook session-start" in hooks["SessionStart"][0]["hooks"][0]["command"]
    world.install("claude-code", "--project")
    assert json.loads((world.project / ".mcp.json").read_text(encoding="utf-8")) == {
        "mcpServers": {"afresh": {"type": "stdio", "command": "afresh", "args": ["mcp"]}}
    }


def test_a_root_is_written_for_clients_that_start_elsewhere(world: World) -> None:
    assert world.install("claude-desktop", "--root", str(world.project)).code == 0
    path = world.home / ".config" / "Claude" / "claude_desktop_config.json"
    held = json.loads(path.read_text(encoding="utf-8"))["mcpServers"]["afresh"]
    assert held["args"] == ["mcp", "--root", str(world.project)]
    done = world.install("claude-desktop", "--root", "nowhere")
    assert done.code == 2
    assert "nowhere" in done.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("claude-desktop", "--project"), "no configuration of a project"),
        (("emacs", "--project"), "no configuration of a project"),
        (("zed", "--hooks"), "no --hooks for Zed"),
        (("vscode", "--user", "--hooks"), "--project"),
        (("neovim", "--instructions"), "no --instructions for Neovim"),
        (("vim",), "'vim' is not one of"),
        ((), "Missing argument"),
    ],
)
def test_what_a_client_does_not_have_is_refused(world: World, arguments: tuple[str, ...], told: str) -> None:
    before = world.files()
    done = world.install(*arguments)
    assert done.code == 2
    assert told in " ".join(done.err.split())
    assert world.files() == before


def test_a_block_that_two_clients_share_goes_with_the_last(world: World) -> None:
    agents = world.project / "AGENTS.md"
    agents.write_text("# Rules\n", encoding="utf-8")
    for name in ("cursor", "codex", "zed"):
        assert world.install(name, "--project", "--instructions").code == 0
    assert agents.read_text(encoding="utf-8").count("memory_exploration_recall") == 1
    for name in ("codex", "cursor"):
        world.install(name, "--project", "--remove")
        assert "memory_exploration_recall" in agents.read_text(encoding="utf-8")
    world.install("zed", "--project", "--remove")
    assert agents.read_text(encoding="utf-8") == "# Rules\n"


def test_an_entry_that_was_there_already_is_taken_out_and_the_rest_stays(world: World) -> None:
    path = world.home / ".claude.json"
    path.write_text('{"n": 1, "mcpServers": {"afresh": {"command": "old"}, "b": {}}}', encoding="utf-8")
    assert world.install("claude-code").code == 0
    assert "old" not in path.read_text(encoding="utf-8")
    assert world.install("claude-code", "--remove").code == 0
    assert jsonc.parse(path.read_text(encoding="utf-8")) == {"n": 1, "mcpServers": {"b": {}}}


def test_what_an_earlier_install_left_is_brought_up_to_date(world: World) -> None:
    world.install("gemini", "--hooks", "--root", str(world.home))
    path = world.home / ".gemini" / "settings.json"
    world.install("gemini", "--hooks", "--root", str(world.project))
    held = json.loads(path.read_text(encoding="utf-8"))
    assert held["mcpServers"]["afresh"]["args"][-1] == str(world.project)
    assert [len(held["hooks"][event]) for event in ("SessionStart", "AfterTool")] == [1, 1]
    world.install("gemini", "--remove")
    assert not path.parent.exists()


def test_a_file_made_for_us_stays_when_somebody_put_something_in(world: World) -> None:
    world.install("cursor")
    path = world.project / ".cursor" / "mcp.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"mcpServers": {', '"mcpServers": {"mine": {},'), encoding="utf-8")
    world.install("cursor", "--remove")
    assert json.loads(path.read_text(encoding="utf-8")) == {"mcpServers": {"mine": {}}}


def test_a_skill_that_somebody_changed_stays(world: World) -> None:
    world.install("claude-code", "--instructions")
    skill = world.home / ".claude" / "skills" / "afresh" / "SKILL.md"
    skill.write_text(skill.read_text(encoding="utf-8") + "mine\n", encoding="utf-8")
    world.install("claude-code", "--remove")
    assert skill.read_text(encoding="utf-8").endswith("mine\n")


def test_a_copy_is_kept_for_its_owner_alone(world: World) -> None:
    path = world.home / ".claude.json"
    path.write_text('{"a": 1}', encoding="utf-8")
    done = world.install("claude-code")
    (copy,) = (world.data / "installed").glob("*.bak")
    assert copy.read_bytes() == b'{"a": 1}'
    assert copy.stat().st_mode & 0o777 == 0o600
    assert str(copy.parent) in done.err


def test_a_write_that_fails_takes_back_those_before_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    given_files("claude-code", world.place("user"))
    before = world.files()
    real = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "settings.json":
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", full)
    done = world.install("claude-code", "--hooks")
    assert done.code == 3
    assert "No space left on device" in done.err
    assert "nothing was changed" in done.err
    monkeypatch.undo()
    assert world.files() == before


def test_a_file_that_changes_between_the_look_and_the_write_is_not_overwritten(world: World) -> None:
    path = world.home / ".claude.json"
    path.write_text("{}", encoding="utf-8")
    installation = Installation(world.data)
    edits = CLIENTS["claude-code"].serve(world.place("user"), SERVER)
    changes = installation.plan([Wanted("claude-code server", edits)])
    path.write_text('{"new": 1}', encoding="utf-8")
    with pytest.raises(Exception, match="changed by somebody else"):
        installation.write(changes)
    assert path.read_text(encoding="utf-8") == '{"new": 1}'


@pytest.mark.parametrize(
    ("name", "platform", "environ", "path"),
    [
        ("claude-desktop", "darwin", {}, "Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", {}, "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("vscode", "darwin", {}, "Library/Application Support/Code/User/mcp.json"),
        ("vscode", "linux", {}, ".config/Code/User/mcp.json"),
        ("zed", "darwin", {}, ".config/zed/settings.json"),
        ("zed", "win32", {}, "AppData/Roaming/Zed/settings.json"),
        ("neovim", "darwin", {}, ".config/nvim/plugin/afresh.lua"),
        ("neovim", "win32", {}, "AppData/Local/nvim/plugin/afresh.lua"),
        ("neovim", "linux", {"NVIM_APPNAME": "mine"}, ".config/mine/plugin/afresh.lua"),
        ("helix", "linux", {}, ".config/helix/languages.toml"),
        ("codex", "linux", {}, ".codex/config.toml"),
        ("gemini", "linux", {}, ".gemini/settings.json"),
        ("windsurf", "linux", {}, ".codeium/windsurf/mcp_config.json"),
        ("claude-code", "linux", {}, ".claude.json"),
        ("emacs", "linux", {}, ".emacs.d/init.el"),
    ],
)
def test_each_system_has_its_own_places(
    world: World, name: str, platform: str, environ: dict[str, str], path: str
) -> None:
    place = Place("user", world.project, world.home, environ, platform)
    assert CLIENTS[name].serve(place, SERVER)[0].path == world.home / path


@pytest.mark.parametrize(
    ("name", "variable", "path"),
    [
        ("codex", "CODEX_HOME", "config.toml"),
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("helix", "XDG_CONFIG_HOME", "helix/languages.toml"),
        ("zed", "XDG_CONFIG_HOME", "zed/settings.json"),
    ],
)
def test_variables_that_move_a_configuration_are_followed(
    world: World, name: str, variable: str, path: str
) -> None:
    moved = world.home / "moved"
    place = Place("user", world.project, world.home, {variable: str(moved)}, "linux")
    assert CLIENTS[name].serve(place, SERVER)[0].path == moved / path


def test_emacs_has_one_file_and_it_is_the_one_that_emacs_reads(world: World) -> None:
    place = world.place("user")
    (world.home / ".config" / "emacs").mkdir(parents=True)
    assert CLIENTS["emacs"].serve(place, SERVER)[0].path == world.home / ".config" / "emacs" / "init.el"
    (world.home / ".emacs").write_text("", encoding="utf-8")
    assert CLIENTS["emacs"].serve(place, SERVER)[0].path == world.home / ".emacs"


def test_paths_with_odd_characters_are_escaped_in_each_language(world: World) -> None:
    server = Server("/o'p\\t/a\"b c/afresh")
    place = world.place("user")
    for name in ("neovim", "helix", "emacs", "codex", "claude-code"):
        edit = CLIENTS[name].serve(place, server)[0]
        text = edit.put("", [])
        if name == "helix":
            assert tomllib.loads(text)["language-server"]["afresh"]["command"] == server.command
        elif name == "codex":
            assert tomllib.loads(text)["mcp_servers"]["afresh"]["command"] == server.command
        elif name == "claude-code":
            assert json.loads(text)["mcpServers"]["afresh"]["command"] == server.command
        elif name == "neovim":
            assert "'/o\\'p\\\\t/a\"b c/afresh'" in text
        else:
            assert '"/o\'p\\\\t/a\\"b c/afresh"' in text


@pytest.mark.skipif(shutil.which("nvim") is None, reason="no Neovim here")
def test_neovim_runs_what_is_written(world: World) -> None:
    assert world.install("neovim").code == 0
    file = world.home / ".config" / "nvim" / "plugin" / "afresh.lua"
    done = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-c", f"luafile {file}", "-c", "echo 'loaded'", "-c", "qa!"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=30,
        env={**os.environ, "HOME": str(world.home)},
        check=False,
    )
    assert done.stderr.strip() == "loaded", done.stderr
