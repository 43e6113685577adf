"""Which files a checkout gives CRLF where git keeps LF: by git's own rules, attributes and settings.

git could convert by itself (`cat-file --filters`), and would start whatever filter a repository's settings
name. Here only line ends are converted, and no program of the repository is started.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from afresh_indexer.git_objects import GitObjects

_TRUE = ("true", "yes", "on", "1")
_LONE_LF = re.compile(rb"(?<!\r)\n")


class CheckoutLineEnds:
    """The line ends of one checkout's files; settings are asked for once."""

    def __init__(self, objects: GitObjects) -> None:
        self._objects = objects
        self._auto = self._setting("core.autocrlf")
        eol = self._setting("core.eol")
        native = os.linesep == "\r\n"
        self._crlf = self._auto in _TRUE or (
            self._auto != "input" and (eol == "crlf" or (native and eol in ("", "native")))
        )

    def checked_out(self, contents: dict[str, bytes]) -> dict[str, bytes]:
        """Blobs by their path, as a checkout writes them. Raises GitFailed."""
        wanted = [path for path, data in contents.items() if b"\n" in data]
        found = dict(contents)
        for path, (text, eol) in self._attributes(wanted).items():
            data = contents[path]
            if self._converts(text, eol, data):
                found[path] = _LONE_LF.sub(b"\r\n", data)
        return found

    def _converts(self, text: str, eol: str, data: bytes) -> bool:
        if text == "unset":
            return False
        named = eol in ("lf", "crlf")
        if text == "unspecified" and not named and self._auto not in _TRUE:
            return False
        if not (eol == "crlf" if named else self._crlf):
            return False
        guessed = text == "auto" or (text == "unspecified" and not named)
        # Where git guesses, a file that is binary or has a CR already stays as it is.
        return not (guessed and (b"\r" in data or b"\0" in data))

    def _attributes(self, paths: Sequence[str]) -> dict[str, tuple[str, str]]:
        """The attributes `text` and `eol` of each path; `text` also by its former name, `crlf`."""
        if not paths:
            return {}
        names = b"".join(os.fsencode(path) + b"\0" for path in paths)
        command = ["check-attr", "-z", "--stdin", "text", "crlf", "eol"]
        fields = self._objects.output(command, "read attributes", names).split(b"\0")[:-1]
        values = [value.decode("utf-8", "replace") for value in fields[2::3]]
        found: dict[str, tuple[str, str]] = {}
        for path, text, crlf, eol in zip(paths, values[::3], values[1::3], values[2::3], strict=True):
            if text == "unspecified":
                found[path] = ("auto", "lf") if crlf == "input" else (crlf, eol)
            else:
                found[path] = (text, eol)
        return found

    def _setting(self, name: str) -> str:
        result = self._objects.run(["config", "--get", name])
        return result.stdout.decode("utf-8", "replace").strip().lower()
