"""What is known of each client's configuration: where it lies, what it is called there, what goes into it.

Where the facts come from, as of 2026: Claude Code, its settings, hooks and skills: docs.claude.com, "Claude
Code settings", "Hooks reference", "Connect Claude Code to tools via MCP"; `CLAUDE_CONFIG_DIR` moves its
files. Claude Desktop: modelcontextprotocol.io, "Connect to local MCP servers"; the folder under Linux is that
of its community builds. Cursor: cursor.com/docs, "Model Context Protocol", "Hooks", "Skills"; it puts in
`${workspaceFolder}`. VS Code: code.visualstudio.com/docs, "MCP configuration reference", "Agent hooks",
"Agent skills" and "User and workspace settings". Zed: zed.dev/docs, "Model Context Protocol" and "Configuring
Zed"; it starts servers in the project's folder. Windsurf: docs.windsurf.com, "Cascade MCP integration" and
"Memories & rules". Codex: developers.openai.com/codex, "Configuration reference", "Hooks", "Agent skills";
`CODEX_HOME` moves its files. Gemini CLI: github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md,
docs/hooks/reference.md. Neovim: `:help lsp-config` (0.11), `:help vim.lsp.start()` (0.8) and
`:help vim.lsp.start_client()` (0.7); `:help $NVIM_APPNAME`. Helix: docs.helix-editor.com, "Languages" and
languages.toml of 25.07. Emacs: the manual's "Find Init", and Eglot's "Setting Up LSP Servers".
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from afresh.errors import UsageError
from afresh.faces.install import texts
from afresh.faces.install.edits import Block, Edit, HookItem, JsonMember, TomlTable, WholeFile

Scope = Literal["project", "user"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an installation goes."""

    scope: Scope
    root: Path
    """The project's folder."""
    home: Path
    """The user's home folder."""
    environ: Mapping[str, str]
    platform: str = sys.platform

    def config(self, *, mac: str | None = None) -> Path:
        """The folder of configurations: XDG's, or the system's own on macOS (`mac`) and Windows."""
        if self.platform == "win32":
            return self._moved("APPDATA", self.home / "AppData" / "Roaming")
        if self.platform == "darwin" and mac is not None:
            return self.home / mac
        return self._moved("XDG_CONFIG_HOME", self.home / ".config")

    def moved(self, variable: str, default: str) -> Path:
        """A folder that a variable of the environment moves."""
        return self._moved(variable, self.home / default)

    def _moved(self, variable: str, default: Path) -> Path:
        value = self.environ.get(variable, "")
        return Path(value) if Path(value).is_absolute() else default


@dataclass(frozen=True, slots=True)
class Server:
    """The command that a client starts."""

    command: str
    home: str | None = None
    """The data folder, where it isn't the default."""
    root: str | None = None
    """Where it works, for a client that starts its servers elsewhere."""

    def entry(self, where: str | None = None) -> dict[str, Any]:
        """The command as clients take it; `where` is how the client itself names the project's folder."""
        root = self.root or where
        entry: dict[str, Any] = {
            "command": self.command,
            "args": ["mcp", *(["--root", root] if root else [])],
        }
        if self.home is not None:
            entry["env"] = {"AFRESH_HOME": self.home}
        return entry

    def hook(self, event: str, client: str) -> str:
        """The command of a hook, for a shell."""
        home = ("--home", self.home) if self.home is not None else ()
        return " ".join(map(_quoted, (self.command, *home, "hook", event, "--client", client)))


@dataclass(frozen=True, slots=True)
class Client:
    """One client: what is edited for it, in each scope that it has."""

    name: str
    title: str
    scopes: tuple[Scope, ...]
    """The first is the default."""
    serve: Callable[[Place, Server], Sequence[Edit]]
    hooks: Callable[[Place, Server], Sequence[Edit] | str] = field(
        default=lambda _place, _server: "it has none that could tell an agent anything"
    )
    """Edits, or why there are none."""
    instructions: Callable[[Place, Server], Sequence[Edit] | str] = field(
        default=lambda _place, _server: "it has no file for them"
    )
    then: str = ""
    """What is left for a person to do."""


def _quoted(word: str) -> str:
    if sys.platform != "win32":
        return shlex.quote(word)
    return f'"{word}"' if " " in word else word


def _in(place: Place, project: str, user: Path) -> Path:
    return place.root / project if place.scope == "project" else user


def _skill(folder: Path) -> WholeFile:
    return WholeFile(folder / "skills" / "afresh" / "SKILL.md", texts.SKILL)


def _agents(path: Path) -> Block:
    return Block(path, "markdown", texts.AGENTS)


def _hook_items(
    path: Path, *, edited: str, matcher: str, server: Server, client: str, **more: Any
) -> list[Edit]:
    """Hooks in the shape that Claude Code began and others took over."""

    def group(event: str, **also: Any) -> dict[str, Any]:
        return {**also, "hooks": [{"type": "command", "command": server.hook(event, client), **more}]}

    return [
        HookItem(path, ("hooks", "SessionStart"), group("session-start")),
        HookItem(path, ("hooks", edited), group("edited", matcher=matcher)),
    ]


# --- agents -------------------------------------------------------------------------------------------


def _claude(place: Place) -> Path:
    return place.moved("CLAUDE_CONFIG_DIR", ".claude")


def _claude_code(place: Place, server: Server) -> Sequence[Edit]:
    moved = place.environ.get("CLAUDE_CONFIG_DIR")
    path = _in(place, ".mcp.json", (_claude(place) if moved else place.home) / ".claude.json")
    return [JsonMember(path, ("mcpServers", "afresh"), {"type": "stdio", **server.entry()})]


def _claude_code_hooks(place: Place, server: Server) -> Sequence[Edit]:
    path = _in(place, ".claude", _claude(place)) / "settings.json"
    matcher = "Edit|MultiEdit|Write|NotebookEdit"
    return _hook_items(
        path, edited="PostToolUse", matcher=matcher, server=server, client="claude-code", timeout=20
    )


def _claude_code_instructions(place: Place, _server: Server) -> Sequence[Edit]:
    path = _in(place, "CLAUDE.md", _claude(place) / "CLAUDE.md")
    return [_skill(_in(place, ".claude", _claude(place))), _agents(path)]


def _claude_desktop(place: Place, server: Server) -> Sequence[Edit]:
    folder = place.config(mac="Library/Application Support") / "Claude"
    return [JsonMember(folder / "claude_desktop_config.json", ("mcpServers", "afresh"), server.entry())]


def _cursor(place: Place, server: Server) -> Sequence[Edit]:
    path = _in(place, ".cursor", place.home / ".cursor") / "mcp.json"
    where = "${workspaceFolder}" if place.scope == "project" else None
    return [JsonMember(path, ("mcpServers", "afresh"), server.entry(where))]


def _cursor_hooks(place: Place, server: Server) -> Sequence[Edit]:
    path = _in(place, ".cursor", place.home / ".cursor") / "hooks.json"
    start, edited = server.hook("session-start", "cursor"), server.hook("edited", "cursor")
    return [
        JsonMember(path, ("version",), 1, only_if_absent=True),
        HookItem(path, ("hooks", "sessionStart"), {"command": start}),
        HookItem(path, ("hooks", "postToolUse"), {"command": edited, "matcher": "Write"}),
    ]


def _cursor_instructions(place: Place, _server: Server) -> Sequence[Edit]:
    skill = _skill(_in(place, ".cursor", place.home / ".cursor"))
    return [skill, _agents(place.root / "AGENTS.md")] if place.scope == "project" else [skill]


def _vscode(place: Place, server: Server) -> Sequence[Edit]:
    user = place.config(mac="Library/Application Support") / "Code" / "User" / "mcp.json"
    path = _in(place, ".vscode/mcp.json", user)
    entry = {"type": "stdio", **server.entry("${workspaceFolder}")}
    return [JsonMember(path, ("servers", "afresh"), entry)]


def _vscode_hooks(place: Place, server: Server) -> Sequence[Edit] | str:
    if place.scope == "user":
        return "VS Code reads those of a project from .github/hooks; install them with --project"
    path = place.root / ".github" / "hooks" / "afresh.json"

    def hook(event: str) -> dict[str, Any]:
        return {"type": "command", "command": server.hook(event, "vscode"), "timeout": 20}

    return [
        HookItem(path, ("hooks", "SessionStart"), hook("session-start")),
        HookItem(path, ("hooks", "PostToolUse"), hook("edited")),
    ]


def _vscode_instructions(place: Place, _server: Server) -> Sequence[Edit]:
    if place.scope == "user":
        return [_skill(place.home / ".copilot")]
    return [_skill(place.root / ".github"), _agents(place.root / "AGENTS.md")]


def _zed(place: Place, server: Server) -> Sequence[Edit]:
    user = place.config() / ("Zed" if place.platform == "win32" else "zed")
    path = _in(place, ".zed", user) / "settings.json"
    return [JsonMember(path, ("context_servers", "afresh"), {"source": "custom", **server.entry()})]


def _zed_instructions(place: Place, _server: Server) -> Sequence[Edit] | str:
    if place.scope == "user":
        return "Zed reads AGENTS.md of a project; install it with --project"
    return [_agents(place.root / "AGENTS.md")]


def _windsurf(place: Place, server: Server) -> Sequence[Edit]:
    path = place.home / ".codeium" / "windsurf" / "mcp_config.json"
    return [JsonMember(path, ("mcpServers", "afresh"), server.entry())]


def _windsurf_instructions(place: Place, _server: Server) -> Sequence[Edit]:
    return [_agents(place.home / ".codeium" / "windsurf" / "memories" / "global_rules.md")]


def _codex_folder(place: Place) -> Path:
    return _in(place, ".codex", place.moved("CODEX_HOME", ".codex"))


def _codex(place: Place, server: Server) -> Sequence[Edit]:
    return [TomlTable(_codex_folder(place) / "config.toml", ("mcp_servers", "afresh"), server.entry())]


def _codex_hooks(place: Place, server: Server) -> Sequence[Edit]:
    path = _codex_folder(place) / "hooks.json"
    matcher = "apply_patch|Edit|Write"
    return _hook_items(path, edited="PostToolUse", matcher=matcher, server=server, client="codex", timeout=20)


def _codex_instructions(place: Place, _server: Server) -> Sequence[Edit]:
    path = _in(place, "AGENTS.md", _codex_folder(place) / "AGENTS.md")
    return [_skill(_in(place, ".agents", place.home / ".agents")), _agents(path)]


def _gemini_folder(place: Place) -> Path:
    return _in(place, ".gemini", place.home / ".gemini")


def _gemini(place: Place, server: Server) -> Sequence[Edit]:
    return [JsonMember(_gemini_folder(place) / "settings.json", ("mcpServers", "afresh"), server.entry())]


def _gemini_hooks(place: Place, server: Server) -> Sequence[Edit]:
    return _hook_items(
        _gemini_folder(place) / "settings.json",
        edited="AfterTool",
        matcher="write_file|replace",
        server=server,
        client="gemini",
        # Here it is milliseconds.
        timeout=20_000,
    )


def _gemini_instructions(place: Place, _server: Server) -> Sequence[Edit]:
    path = _in(place, "GEMINI.md", _gemini_folder(place) / "GEMINI.md")
    return [_skill(_gemini_folder(place)), _agents(path)]


# --- editors, by the language server ------------------------------------------------------------------


def _neovim(place: Place, server: Server) -> Sequence[Edit]:
    if place.platform == "win32":
        base = place.moved("LOCALAPPDATA", "AppData/Local")
    else:
        base = place.moved("XDG_CONFIG_HOME", ".config")
    folder = base / (place.environ.get("NVIM_APPNAME") or "nvim")
    return [Block(folder / "plugin" / "afresh.lua", "lua", texts.neovim(server.command, server.home))]


def _helix(place: Place, server: Server) -> Sequence[Edit]:
    path = _in(place, ".helix", place.config() / "helix") / "languages.toml"
    entry: dict[str, Any] = {"command": server.command, "args": ["lsp"]}
    if server.home is not None:
        entry["environment"] = {"AFRESH_HOME": server.home}
    return [TomlTable(path, ("language-server", "afresh"), entry, texts.helix_languages)]


def _emacs(place: Place, server: Server) -> Sequence[Edit]:
    folders = (place.home / ".emacs.d", place.moved("XDG_CONFIG_HOME", ".config") / "emacs")
    files = [place.home / ".emacs.el", place.home / ".emacs", *(folder / "init.el" for folder in folders)]
    known = next((path for path in files if path.exists()), None)
    made = next((folder for folder in folders if folder.is_dir()), folders[0]) / "init.el"
    return [Block(known or made, "lisp", texts.emacs(server.command, server.home))]


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            ("user", "project"),
            _claude_code,
            _claude_code_hooks,
            _claude_code_instructions,
            "Start a new session; /mcp shows the server.",
        ),
        Client(
            "claude-desktop",
            "Claude Desktop",
            ("user",),
            _claude_desktop,
            then="Quit Claude Desktop and start it again. It starts its servers outside any project: "
            "--root names one.",
        ),
        Client(
            "cursor",
            "Cursor",
            ("project", "user"),
            _cursor,
            _cursor_hooks,
            _cursor_instructions,
            "Cursor asks once whether the server may run.",
        ),
        Client(
            "vscode",
            "VS Code",
            ("project", "user"),
            _vscode,
            _vscode_hooks,
            _vscode_instructions,
            "VS Code asks once whether the server may run; `MCP: List Servers` shows it.",
        ),
        Client(
            "zed",
            "Zed",
            ("user", "project"),
            _zed,
            instructions=_zed_instructions,
            then="The agent panel's settings show the server.",
        ),
        Client(
            "windsurf",
            "Windsurf",
            ("user",),
            _windsurf,
            instructions=_windsurf_instructions,
            then="Refresh the servers in Cascade. It may start them outside the project: --root names one.",
        ),
        Client(
            "codex",
            "Codex",
            ("user", "project"),
            _codex,
            _codex_hooks,
            _codex_instructions,
            "Start a new session; hooks are to be trusted once, with /hooks.",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            ("user", "project"),
            _gemini,
            _gemini_hooks,
            _gemini_instructions,
            "Start a new session; /mcp shows the server.",
        ),
        Client(
            "neovim", "Neovim", ("user",), _neovim, then="Open a file; :checkhealth lsp shows the server."
        ),
        Client(
            "helix",
            "Helix",
            ("user", "project"),
            _helix,
            then="hx --health LANGUAGE shows the server. A language that your file has already keeps its "
            'language-servers: add "afresh" to them there.',
        ),
        Client(
            "emacs",
            "Emacs",
            ("user",),
            _emacs,
            then="M-x eglot in a file without a server of its own; M-x afresh-eglot anywhere.",
        ),
    )
}
"""Each client by the name that the command takes."""


def scope_of(client: Client, asked: Scope | None) -> Scope:
    """The scope to work in. Raises UsageError for one that the client doesn't have."""
    scope = asked or client.scopes[0]
    if scope not in client.scopes:
        raise UsageError(
            f"{client.title} has no configuration of a {scope}; leave --{scope} out, "
            f"or write --{client.scopes[0]}"
        )
    return scope
