"""The only reader of the environment, of the configuration file and of the system's folders.

It stands on the path of every start, also of the stdio pump's, so it imports no third party at the top.
A setting comes from the environment (`AFRESH_…`), else from `config.toml` in the configuration folder,
else from its default. A bad value is an error that names the setting, the value and what is allowed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from afresh.errors import UsageError

WatchMode = Literal["auto", "native", "poll", "off"]

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "transport": ("auto", "unix", "tcp"),
    "watch": ("auto", "native", "poll", "off"),
    "log_level": ("debug", "info", "warning", "error"),
    "llm_provider": ("none", "ollama", "openai", "scripted"),
    "contradiction_policy": ("resolve", "abstain"),
    "contradiction_scorer": ("", "llm", "rules"),
}
_SWITCHES: Mapping[str, bool] = {
    **dict.fromkeys(("on", "true", "yes", "1"), True),
    **dict.fromkeys(("off", "false", "no", "0"), False),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set. Durations are seconds, sizes bytes."""

    home: Path
    """AFRESH_HOME: the data folder, one keeper and one database for each."""
    runtime: Path
    """AFRESH_RUNTIME: the folder of the socket, mode 0700, one for each data folder; short, for a socket's
    path may have 104 bytes."""
    transport: str = "auto"
    """AFRESH_TRANSPORT: auto (a Unix socket where there are any), unix or tcp."""
    embed_model: str = "bundled"
    """AFRESH_EMBED_MODEL: bundled, none, or a model that fastembed knows by name."""
    watch: WatchMode = "auto"
    """AFRESH_WATCH: auto (native events, polling where they run out), native, poll or off."""
    idle_exit: float = 900.0
    """AFRESH_IDLE_EXIT: how long the keeper stays when no client is connected."""
    max_file_bytes: int = 32 * 1024 * 1024
    """AFRESH_MAX_FILE_BYTES: larger files are not indexed."""
    outline_workers: int = 0
    """AFRESH_OUTLINE_WORKERS: processes that parse; 0 is one for each core."""
    log_level: str = "info"
    """AFRESH_LOG_LEVEL: of the keeper's log in the data folder."""
    snapshot_bytes: int = 256 * 1024 * 1024
    """AFRESH_SNAPSHOT_BYTES: what the kept contents of recorded files may take together, compressed."""
    fiscal_month: int = 1
    """AFRESH_FISCAL_MONTH: the month, 1 to 12, in which the fiscal year begins, for quarters in a recall."""
    llm_provider: str = "none"
    """AFRESH_LLM_PROVIDER: none, ollama, openai (any compatible server) or scripted."""
    llm_model: str = ""
    """AFRESH_LLM_MODEL: the model that is asked."""
    llm_host: str = ""
    """AFRESH_LLM_HOST: the server's address; of Ollama its own on this machine unless set; of `scripted` the
    file with its answers."""
    llm_api_key: str = ""
    """AFRESH_LLM_API_KEY: for `openai`."""
    llm_keep_alive: str = "5m"
    """AFRESH_LLM_KEEP_ALIVE: how long Ollama keeps the model loaded."""
    llm_context: int = 4096
    """AFRESH_LLM_CONTEXT: tokens of context; prompts are cut to fit."""
    llm_timeout: float = 60.0
    """AFRESH_LLM_TIMEOUT: seconds that one request may take."""
    llm_total_timeout: float = 300.0
    """AFRESH_LLM_TOTAL_TIMEOUT: seconds that all requests of one task may take together."""
    contradiction_policy: str = "resolve"
    """AFRESH_CONTRADICTION_POLICY: resolve (answer with a caveat) or abstain."""
    contradiction_scorer: str = ""
    """AFRESH_CONTRADICTION_SCORER: llm or rules; unset: llm where there is a provider."""
    backups: int = 3
    """AFRESH_BACKUPS: how many copies from before a migration are kept."""
    requests: bool = True
    """AFRESH_REQUESTS: whether the calls of agents and editors are written down, for 30 days."""
    timezone: str = ""
    """AFRESH_TIMEZONE: an IANA name, for words such as yesterday in the terminal UI; unset: the system's."""
    editor: str = ""
    """AFRESH_EDITOR: the editor's command; unset: VISUAL, then EDITOR."""
    tui_theme: str = "afresh-dark"
    """AFRESH_TUI_THEME: afresh-dark, afresh-light, or one of Textual's own."""
    tui_keys: str = ""
    """AFRESH_TUI_KEYS: keys of the terminal UI by the ids of what they do, `recall.copy=c
    app.quit=ctrl+x`; in the configuration file a table `[tui_keys]` of the same."""
    tui_live: bool = True
    """AFRESH_TUI_LIVE: on, or off: the terminal UI then shows nothing by itself."""
    tui_blink: bool = True
    """AFRESH_TUI_BLINK: whether its cursor blinks."""
    tui_animations: bool = True
    """AFRESH_TUI_ANIMATIONS: whether anything on it glides."""

    @property
    def database(self) -> Path:
        return self.home / "afresh.duckdb"

    @property
    def lock(self) -> Path:
        return self.home / "keeper.lock"

    @property
    def models(self) -> Path:
        return self.home / "models"

    @property
    def cache(self) -> Path:
        return self.home / "cache"

    @property
    def log(self) -> Path:
        return self.home / "keeper.log"


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings.

    Raises UsageError for a value that is not allowed, and for a configuration file that can't be read.
    """
    env = os.environ if environ is None else environ
    home = Path(env["AFRESH_HOME"]).expanduser() if env.get("AFRESH_HOME") else _data_home(env)
    home = Path(os.path.abspath(home))  # noqa: PTH100 - absolute without resolving a link to the data folder
    values: dict[str, Any] = dict(_from_file(_config_file(env)))
    for name in (f.name for f in fields(Settings)):
        sent = env.get(f"AFRESH_{name.upper()}")
        if sent:
            values[name] = sent
    shown: dict[str, str] = {}
    for name in ("contradiction_policy", "contradiction_scorer"):
        # The names that clients of other memories set.
        if name not in values and env.get(f"MEMORY_{name.upper()}"):
            values[name] = env[f"MEMORY_{name.upper()}"]
            shown[name] = f"MEMORY_{name.upper()}"
    if "editor" not in values:
        # The names that every program with an editor reads.
        values["editor"] = env.get("VISUAL") or env.get("EDITOR") or ""
    values.pop("home", None)
    runtime = values.pop("runtime", None)
    checked: dict[str, Any] = {
        name: _checked(name, value, shown.get(name, f"AFRESH_{name.upper()}"))
        for name, value in values.items()
    }
    folder = Path(runtime).expanduser() if runtime else _runtime_folder(env, home)
    return Settings(home=home, runtime=Path(os.path.abspath(folder)), **checked)  # noqa: PTH100


def _checked(name: str, value: object, shown: str) -> object:
    kinds = {f.name: f.type for f in fields(Settings)}
    if name not in kinds:
        known = ", ".join(sorted(kinds))
        raise UsageError(f"unknown setting {name!r} in the configuration file; known ones: {known}")
    if name in _CHOICES:
        text = str(value).strip().lower()
        if text not in _CHOICES[name]:
            allowed = ", ".join(filter(None, _CHOICES[name]))
            raise UsageError(f"{shown} is {value!r}; it must be one of {allowed}")
        return text
    if kinds[name] == "bool":
        text = str(value).strip().lower()
        if text not in _SWITCHES:
            raise UsageError(f"{shown} is {value!r}; it must be on or off")
        return _SWITCHES[text]
    if name == "tui_keys":
        return _keys(shown, value)
    if kinds[name] in ("int", "float"):
        try:
            number = int(str(value)) if kinds[name] == "int" else float(str(value))
        except ValueError:
            raise UsageError(f"{shown} is {value!r}; it must be a number") from None
        if not number >= 0 or number == float("inf"):
            raise UsageError(f"{shown} is {value!r}; it must be a number from 0")
        if name == "fiscal_month" and not 1 <= number <= 12:
            raise UsageError(f"{shown} is {value!r}; it must be a month, 1 to 12")
        return number
    return str(value)


def _keys(shown: str, value: object) -> str:
    """Words of an id and its keys, from such words or from a table."""
    pairs = value.items() if isinstance(value, Mapping) else (_halves(word) for word in str(value).split())
    words = []
    for name, key in pairs:
        if not name or not isinstance(key, str) or not key or " " in f"{name}{key}":
            raise UsageError(
                f"{shown} has {key!r} for {name!r}; write an id and its key, such as recall.copy and c"
            )
        words.append(f"{name}={key}")
    return " ".join(words)


def _halves(word: str) -> tuple[str, str]:
    name, _, key = word.partition("=")
    return name, key


def _from_file(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"the configuration file {path} can't be read: {error}") from None


def _config_file(env: Mapping[str, str]) -> Path:
    if env.get("AFRESH_CONFIG"):
        return Path(env["AFRESH_CONFIG"]).expanduser()
    return _user_folder(env, "XDG_CONFIG_HOME", ".config", "user_config_path") / "config.toml"


def _data_home(env: Mapping[str, str]) -> Path:
    return _user_folder(env, "XDG_DATA_HOME", ".local/share", "user_data_path")


def _user_folder(env: Mapping[str, str], variable: str, default: str, elsewhere: str) -> Path:
    if sys.platform not in ("win32", "darwin"):
        base = env.get(variable, "")
        folder = Path(base) if base.startswith("/") else Path(env.get("HOME") or Path.home()) / default
        return folder / "afresh"
    import platformdirs

    return Path(getattr(platformdirs, elsewhere)("afresh", appauthor=False))


def _runtime_folder(env: Mapping[str, str], home: Path) -> Path:
    """A folder of our own for the socket: beside nothing else, short, and one for each data folder."""
    import hashlib

    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    user = getattr(os, "getuid", lambda: env.get("USERNAME", "user"))()
    base = env.get("XDG_RUNTIME_DIR") or env.get("TMPDIR") or ("/tmp" if os.name == "posix" else str(home))
    folder = Path(base) / f"afresh-{user}" / digest
    if len(os.fsencode(folder)) > 80 and os.name == "posix":
        folder = Path("/tmp") / f"afresh-{user}" / digest
    return folder
