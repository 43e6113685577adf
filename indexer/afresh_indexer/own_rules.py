"""The rules of `.afreshignore`, judged by git under another file name.

git reads per-folder rules only from files named `.gitignore` when it judges paths, so that the rule files
are copied under that name into an empty tree, and git is asked there. Whatever the syntax can say means the
same in both, because one program reads both.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from afresh_indexer.fingerprint import read_regular
from afresh_indexer.git_tree import RULE_FILE, GitTree, IgnoreMatch

MAX_RULES_BYTES = 4 << 20
"""git gives up on longer rule files too, at 100 MB; this bound keeps a wrong file from filling the disk."""


@dataclass(frozen=True, slots=True)
class OwnRules:
    """The `.afreshignore` files from a work tree's top downwards."""

    top: str
    """Absolute: where rule files begin to count."""
    prefix: str
    """The root below the top, with a slash at its end, or empty."""
    lender: Path
    """The empty repository that lends git its place to stand."""

    def ignored(
        self, paths: Collection[str], rule_files: Iterable[str], *, files_only: bool = False
    ) -> set[str]:
        """Those of `paths` that a rule leaves out. Raises GitFailed.

        `rule_files` are all that can concern them, at or below the root; both are relative to it. Where there
        are none, here or above, no process is started. `files_only` promises that no path is a folder, and
        saves a look at each.
        """
        sources = self._sources(rule_files)
        if not sources or not paths:
            return set()
        with tempfile.TemporaryDirectory(prefix="afresh-rules-") as mirror:
            tree = self._mirrored(Path(mirror), sources, () if files_only else paths)
            matched = tree.matched([self.prefix + path for path in paths])
        start = len(self.prefix)
        return {path[start:] for path in matched}

    def match(self, path: str, rule_files: Iterable[str]) -> IgnoreMatch | None:
        """The last rule that matches `path`, its source named from the top. Raises GitFailed."""
        sources = self._sources(rule_files)
        if not sources:
            return None
        with tempfile.TemporaryDirectory(prefix="afresh-rules-") as mirror:
            match = self._mirrored(Path(mirror), sources, [path]).match(self.prefix + path)
        if match is None:
            return None
        return IgnoreMatch(match.source.removesuffix(".gitignore") + RULE_FILE, match.line, match.pattern)

    def _sources(self, rule_files: Iterable[str]) -> list[str]:
        """The folders, relative to the top, whose rule files count."""
        sources = [(self.prefix + file).rpartition("/")[0] for file in rule_files]
        above = self.prefix.removesuffix("/")
        while above:
            above = above.rpartition("/")[0]
            if Path(self.top, above, RULE_FILE).is_file():
                sources.append(above)
        return sources

    def _mirrored(self, mirror: Path, sources: Iterable[str], paths: Iterable[str]) -> GitTree:
        """A tree with nothing but the rule files, and those of `paths` that are folders."""
        real = Path(os.path.realpath(mirror))
        for folder in sources:
            try:
                content = read_regular(Path(self.top, folder, RULE_FILE), MAX_RULES_BYTES)
            except OSError:
                # A link or a folder of that name: git reads no rules from such either.
                continue
            place = real / folder
            place.mkdir(parents=True, exist_ok=True)
            (place / ".gitignore").write_bytes(content.data)
        for path in paths:
            # Rules that end in a slash need to see that it is a folder.
            if Path(self.top, self.prefix, path).is_dir():
                (real / self.prefix / path).mkdir(parents=True, exist_ok=True)
        variables = {"GIT_DIR": str(self.lender), "GIT_WORK_TREE": str(real)}
        return GitTree(str(real), str(real), variables, options=("-c", f"core.excludesFile={os.devnull}"))
