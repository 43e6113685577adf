"""Every error that afresh foresees, in one tree.

    AfreshError                     exit 3   the engine or something it depends on failed
    ├── NotFoundError               exit 1   nothing of that name or id
    ├── UsageError                  exit 2   the caller asked wrongly
    │   ├── InvalidArgumentError             an argument out of bounds, unknown, or of the wrong type
    │   ├── UnknownProjectError              a read of a project that doesn't exist; lists the known ones
    │   ├── RootRefusedError                 a folder that can't or shouldn't be indexed
    │   └── SourceFilesError                 cited files that can't be recorded, each with its reason
    ├── StoreError                           the database
    │   ├── StoreVersionError                the file is from a newer afresh
    │   ├── StoreCorruptError                the file can't be opened; it was set aside, never deleted
    │   ├── StoreHeldError                   another process, named, has it open
    │   ├── StoreFullError                   the disk is full; what was acknowledged is on it
    │   └── StoreUnwritableError             its folder is read-only or not ours
    ├── KeeperError                          the keeper
    │   ├── KeeperUnavailableError           it doesn't answer and couldn't be started
    │   └── KeeperLostError                  it went away while a call was in flight: try again
    ├── ModelError                           an embedding model that was asked for isn't there
    ├── LlmError                             a language model
    │   ├── LlmUnavailableError              its server doesn't answer, or refuses us
    │   ├── LlmBusyError                     its server has too much to do
    │   ├── LlmModelMissingError             the server has no model of that name
    │   ├── LlmTimeoutError                  no answer in time
    │   ├── LlmFailedError                   the connection broke, or the server failed
    │   └── LlmOutputError                   its answer stayed unusable
    └── CancelledCallError          exit 130 the caller took the call back

A text is fit for a person and for a model: what happened, with which value, and what to do. Each face
translates once: an exit code, a tool error, a notification.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class AfreshError(Exception):
    """The root of the tree."""

    kind: ClassVar[str] = "engine"
    """A stable name for programs; it travels over the wire."""
    exit_code: ClassVar[int] = 3

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotFoundError(AfreshError):
    """Nothing has that name or id."""

    kind = "not_found"
    exit_code = 1


class UsageError(AfreshError):
    """The caller asked wrongly; asking again unchanged can't help."""

    kind = "usage"
    exit_code = 2


class InvalidArgumentError(UsageError):
    """An argument is out of bounds, unknown, or of the wrong type."""

    kind = "invalid_arguments"


class UnknownProjectError(UsageError):
    """A read named a project that doesn't exist."""

    kind = "unknown_project"


class RootRefusedError(UsageError):
    """A folder can't be indexed, or shouldn't without `--force`."""

    kind = "root_refused"


class SourceFilesError(UsageError):
    """Cited files can't be recorded; nothing was stored."""

    kind = "source_files"


class StoreError(AfreshError):
    """The database failed."""

    kind = "store"


class StoreVersionError(StoreError):
    """The database was written by a newer afresh."""

    kind = "store_version"


class StoreCorruptError(StoreError):
    """The database can't be opened; it was set aside, never deleted."""

    kind = "store_corrupt"


class StoreHeldError(StoreError):
    """Another process has the database open."""

    kind = "store_held"


class StoreFullError(StoreError):
    """The disk is full; everything acknowledged before is stored."""

    kind = "store_full"


class StoreUnwritableError(StoreError):
    """The data folder is read-only, or is not ours to write."""

    kind = "store_unwritable"


class KeeperError(AfreshError):
    """The keeper failed."""

    kind = "keeper"


class KeeperUnavailableError(KeeperError):
    """The keeper doesn't answer and couldn't be started."""

    kind = "keeper_unavailable"


class KeeperLostError(KeeperError):
    """The keeper went away while a call was in flight; the call may be tried again."""

    kind = "keeper_lost"


class ModelError(AfreshError):
    """An embedding model that was asked for by name isn't there."""

    kind = "model"


class LlmError(AfreshError):
    """A language model could not answer."""

    kind = "llm"


class LlmUnavailableError(LlmError):
    """Its server doesn't answer, or refuses us."""

    kind = "llm_unavailable"


class LlmBusyError(LlmError):
    """Its server has too much to do."""

    kind = "llm_busy"


class LlmModelMissingError(LlmError):
    """The server has no model of that name."""

    kind = "llm_model_missing"


class LlmTimeoutError(LlmError):
    """No answer in time."""

    kind = "llm_timeout"


class LlmFailedError(LlmError):
    """The connection broke, or the server failed."""

    kind = "llm_failed"


class LlmOutputError(LlmError):
    """The model's answer stayed unusable, also after it was asked to correct it."""

    kind = "llm_output"


class CancelledCallError(AfreshError):
    """The caller took the call back."""

    kind = "cancelled"
    exit_code = 130


def _tree(root: type[AfreshError]) -> dict[str, type[AfreshError]]:
    found = {root.kind: root}
    for child in root.__subclasses__():
        found.update(_tree(child))
    return found


BY_KIND: Mapping[str, type[AfreshError]] = _tree(AfreshError)
"""Each error by its `kind`, to raise it again on the other side of a socket."""
