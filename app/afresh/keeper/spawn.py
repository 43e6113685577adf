"""Starting a keeper: its command line, and as much of the environment as it needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from afresh.errors import KeeperUnavailableError
from afresh.keeper import system
from afresh.keeper.election import unwritable
from afresh.settings import Settings

_NEEDED = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "USERNAME", "USERPROFILE", "VIRTUAL_ENV"),
        *("LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP"),
        *("SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA"),
        *("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "OMP_NUM_THREADS"),
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE"),
        *("OLLAMA_HOST", "FASTEMBED_CACHE_PATH"),
        *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"),
    }
)
_NEEDED_PREFIXES = ("AFRESH_", "LC_", "XDG_", "HF_", "PYTHON")
"""GIT_DIR and its like are not among them: they mean the starter's repository, not the workspace's."""
_NOT_KEPT = frozenset({"PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONPATH"})


def keeper_command() -> tuple[str, ...]:
    """How a keeper is started: this interpreter, without the working directory among its modules."""
    flags = ("-I",) if sys.flags.isolated else ("-P",)
    return (sys.executable, *flags, "-m", "afresh", "keeper", "run")


def keeper_environment(settings: Settings, environ: Mapping[str, str]) -> dict[str, str]:
    """The keeper's environment: what it needs, with every setting as this process has it."""
    kept = {
        name: value
        for name, value in environ.items()
        if (name.upper() in _NEEDED or name.startswith(_NEEDED_PREFIXES)) and name not in _NOT_KEPT
    }
    for field in fields(settings):
        kept[f"AFRESH_{field.name.upper()}"] = str(getattr(settings, field.name))
    kept["PYTHONPATH"] = _module_path(environ.get("PYTHONPATH", ""))
    return kept


def start(settings: Settings, command: Sequence[str], environ: Mapping[str, str]) -> system.Process:
    """Start a keeper in the background.

    Raises StoreUnwritableError where it would have no place to log to, and KeeperUnavailableError where the
    system starts no process.
    """
    try:
        settings.home.mkdir(parents=True, mode=0o700, exist_ok=True)
        descriptor = os.open(settings.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as error:
        raise unwritable(settings.home, error) from None
    with os.fdopen(descriptor, "wb", buffering=0) as log:
        try:
            return system.start_detached(command, keeper_environment(settings, environ), log)
        except OSError as error:
            raise KeeperUnavailableError(
                f"the keeper can't be started with `{' '.join(command)}` ({error.strerror or error})"
            ) from None


def _module_path(sent: str) -> str:
    """The module path with absolute entries, since the keeper's working directory is another.

    The folder that this package was loaded from comes last, for starters that found it in their own.
    """
    entries = [os.path.abspath(entry) for entry in sent.split(os.pathsep) if entry]  # noqa: PTH100
    root = Path(__file__).resolve().parents[2]
    if root.name not in ("site-packages", "dist-packages"):
        entries.append(str(root))
    return os.pathsep.join(dict.fromkeys(entries))
