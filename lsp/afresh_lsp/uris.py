"""URIs as paths and paths as URIs; pure, and without the protocol's types."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

SCHEME = "afresh"
"""Of the pages that this server writes."""
_DRIVE = re.compile(r"/[A-Za-z]:")


def path_of(uri: str) -> Path | None:
    """The absolute path that a `file:` URI names; None for any other, and for what can be no path here."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file":
        return None
    path = unquote(parts.path)
    if os.name == "nt":
        if parts.netloc and parts.netloc != "localhost":
            path = f"//{parts.netloc}{path}"
        elif _DRIVE.match(path):
            path = path[1:]
    elif parts.netloc not in ("", "localhost"):
        return None
    if "\0" in path or not os.path.isabs(path):  # noqa: PTH117 - the text is looked at before it is a path
        return None
    return Path(os.path.normpath(path))


def uri_of(path: Path, line: int | None = None) -> str:
    """The `file:` URI of an absolute path; with a line, from 1, as a fragment that editors follow."""
    where = path.as_uri()
    return where if line is None else f"{where}#L{line}"


def page_uri(name: str) -> str:
    """The URI under which a page of this server is read by clients that ask for its text."""
    return f"{SCHEME}:///{quote(name)}"


def page_name(uri: str) -> str | None:
    """The page that such a URI names."""
    parts = urlsplit(uri)
    return unquote(parts.path.lstrip("/")) if parts.scheme == SCHEME else None
