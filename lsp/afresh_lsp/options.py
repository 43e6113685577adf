"""What a user can set in the editor, under `afresh`; a bad value is reported and its default applies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

IMPACTS = ("eol_only", "elsewhere", "cosmetic", "docs_only", "moved", "edited", "gone")
"""From the lightest to the gravest."""


def _flag(default: bool, name: str) -> Any:
    return field(default=default, metadata={"name": name})


def _choice(default: str, name: str, allowed: tuple[str, ...]) -> Any:
    return field(default=default, metadata={"name": name, "allowed": allowed})


def _number(default: int, name: str, least: int, most: int) -> Any:
    return field(default=default, metadata={"name": name, "least": least, "most": most})


@dataclass(frozen=True, slots=True)
class Options:
    """The settings of one client."""

    code_lens: bool = _flag(True, "codeLens")
    hover: bool = _flag(True, "hover")
    diagnostics: bool = _flag(True, "diagnostics")
    inlay_hints: bool = _flag(False, "inlayHints")
    completion: bool = _flag(True, "completion")
    least_impact: str = _choice("elsewhere", "leastImpact", IMPACTS)
    """The lightest impact of which a diagnostic tells."""
    dead_claims: str = _choice("agentFiles", "deadClaims", ("agentFiles", "documents", "off"))
    """Where dead claims are shown: in files for agents and decision records, in all documents, nowhere."""
    delay: int = _number(80, "delay", 0, 10_000)
    """Milliseconds without a key before a text is judged."""
    hover_items: int = _number(5, "hoverItems", 1, 50)
    """Conclusions and memories that a hover shows."""

    def shows(self, impact: str | None) -> bool:
        """Whether a diagnostic tells of this impact."""
        return impact is not None and IMPACTS.index(impact) >= IMPACTS.index(self.least_impact)

    def judges(self, note_kind: str | None) -> bool:
        """Whether dead claims of such a document are shown."""
        match self.dead_claims:
            case "off":
                return False
            case "documents":
                return note_kind is not None
            case _:
                return note_kind in ("agent_file", "decision")


def read(sent: object) -> tuple[Options, list[str]]:
    """Settings as a client sent them, and for each that can't be used what is wrong with it."""
    if sent is None:
        return Options(), []
    if not isinstance(sent, Mapping):
        return Options(), [f"the settings must be an object, not {_told(sent)}; the defaults apply"]
    known = {one.metadata["name"]: one for one in fields(Options)}
    values: dict[str, Any] = {}
    problems: list[str] = []
    for name, value in sent.items():
        if name not in known:
            problems.append(f"afresh.{name} is no setting; known ones: {', '.join(known)}")
            continue
        one = known[name]
        wanted = _wanted(one.metadata, one.default, value)
        if wanted is None:
            values[one.name] = value
        else:
            problems.append(f"afresh.{name} is {_told(value)}; it must be {wanted}")
    return Options(**values), problems


def _wanted(metadata: Mapping[str, Any], default: object, value: object) -> str | None:
    """What a value should be; None for one that is fine."""
    if "allowed" in metadata:
        allowed = metadata["allowed"]
        return None if value in allowed else f"one of {', '.join(allowed)}"
    if isinstance(default, bool):
        return None if isinstance(value, bool) else "true or false"
    least, most = metadata["least"], metadata["most"]
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return None if is_number and least <= value <= most else f"a whole number from {least} to {most}"


def _told(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
