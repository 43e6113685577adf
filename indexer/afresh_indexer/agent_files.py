"""Names the files that people write for coding agents, and which of them count although git ignores them.

Such files are often kept out of a repository because they are one person's own: CLAUDE.local.md by its name,
rules in a folder that a global excludes file hides. Their author wants them read, so that git's rules don't
leave them out; `.afreshignore` does.
"""

from __future__ import annotations

import re

_FILES = re.compile(
    r"""(?:.*/)?(?:
        (?:CLAUDE|AGENTS?|GEMINI)(?:\.local|\.override)?\.md
        | \.cursorrules
        | \.windsurfrules
        | \.clinerules
        | \.clinerules/(?:.*/)?[^/]+\.(?:md|txt)
        | \.cursor/rules/(?:.*/)?[^/]+\.mdc?
        | \.windsurf/rules/(?:.*/)?[^/]+\.md
        | \.claude/rules/(?:.*/)?[^/]+\.md
        | \.github/copilot-instructions\.md
        | \.github/instructions/(?:.*/)?[^/]+\.md
    )""",
    re.IGNORECASE | re.VERBOSE,
)

_OFTEN_IGNORED = (
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENT.md",
    "AGENTS.md",
    "AGENTS.local.md",
    "AGENTS.override.md",
    "GEMINI.md",
    "GEMINI.local.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
)
_FOLDERS = (".cursor/rules", ".windsurf/rules", ".clinerules", ".github/instructions")
"""`.claude` is not among them: where it is ignored it holds whole work trees and transcripts."""

_FOLDER = re.compile(
    r"(?:.*/)?\.(?:(?:cursor|windsurf)(?:/rules(?:/.*)?)?|github(?:/instructions(?:/.*)?)?|clinerules(?:/.*)?)"
)
_NEAR = re.compile(
    rb"(?:^|/)(?:\.(?:cursor|windsurf|clinerules|github)(?:/|$)|\.(?:cursor|windsurf)rules$|"
    rb"(?:CLAUDE|AGENTS?|GEMINI)(?:\.local|\.override)?\.md$)"
)


def is_agent_file(path: str) -> bool:
    """Whether the file at this path, POSIX and relative to the root, is written for agents."""
    return _FILES.fullmatch(path) is not None


def taken_back_in() -> tuple[str, ...]:
    """The patterns, in git's own syntax, by which ignored agent files are listed all the same.

    They let files through that only stand beside them; `may_be_let_through` finds those to be judged again.
    """
    patterns = [f"!{name}" for name in _OFTEN_IGNORED]
    patterns.append("!**/.github/copilot-instructions.md")
    for folder in _FOLDERS:
        above, _, _ = folder.rpartition("/")
        if above:
            patterns.append(f"!**/{above}/")
        patterns += [f"!**/{folder}/", f"!**/{folder}/**"]
    return tuple(dict.fromkeys(patterns))


def may_be_let_through(name: bytes) -> bool:
    """Whether `taken_back_in` may be why git lists this untracked name."""
    return _NEAR.search(name) is not None


def may_hold_agent_files(folder: str) -> bool:
    """Whether an ignored folder, in one that is not ignored, is looked into for agent files alone."""
    return _FOLDER.fullmatch(folder) is not None
