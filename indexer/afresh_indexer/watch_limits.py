"""Why a tree can't be watched natively, in words that say what to do about it.

The figures live in `/proc`, so only Linux names its limits; elsewhere the system's own text has to do.
"""

from __future__ import annotations

from pathlib import Path

_WATCH_LIMITS = ("sys/fs/inotify/max_user_watches", "sys/user/max_inotify_watches")
_INSTANCE_LIMITS = ("sys/fs/inotify/max_user_instances", "sys/user/max_inotify_instances")

_REMOTE_FILE_SYSTEMS = frozenset(
    {
        "9p",
        "afs",
        "ceph",
        "cifs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "fuse.vmhgfs-fuse",
        "nfs",
        "nfs4",
        "prl_fs",
        "smb3",
        "vboxsf",
    }
)
"""File systems whose contents change on another machine, of which this kernel then tells nothing."""

_FULL = "OS file watch limit reached"
_TOO_MANY_OPEN = "Too many open files"


def smallest_limit(names: tuple[str, ...], proc: Path = Path("/proc")) -> tuple[str, int] | None:
    """The tightest of some kernel limits as `fs.inotify.x` and its value, or None where none can be read.

    A user namespace has a second limit of its own, which holds beside the system's.
    """
    found: list[tuple[str, int]] = []
    for name in names:
        try:
            value = int((proc / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        found.append((name.removeprefix("sys/").replace("/", "."), value))
    return min(found, key=lambda pair: pair[1]) if found else None


def explain_refusal(error: Exception, folders: int, poll_s: float, proc: Path = Path("/proc")) -> str:
    """One sentence for a person: why native watching of so many folders was refused, and what to do."""
    text = str(error)
    if _FULL in text:
        limit = smallest_limit(_WATCH_LIMITS, proc)
        cause = f"the limit on watched folders is reached ({_named(limit)}; this tree needs {folders:,})"
        remedy = _raise(limit, "ignore folders that need no watching, or raise the limit")
    elif _TOO_MANY_OPEN in text:
        limit = smallest_limit(_INSTANCE_LIMITS, proc)
        cause = f"too many watches or files are open ({_named(limit)}, or the limit of `ulimit -n`)"
        remedy = _raise(limit, "end other programs that watch files, or raise the limit")
    else:
        cause = f"the system refused native watching ({text})"
        remedy = "mend that, and native watching comes back by itself"
    return f"{cause}: changes are looked for every {poll_s:g} s instead; {remedy}"


def _named(limit: tuple[str, int] | None) -> str:
    return f"{limit[0]}={limit[1]:,}" if limit else "the system doesn't tell it"


def _raise(limit: tuple[str, int] | None, advice: str) -> str:
    return f"{advice}: sudo sysctl {limit[0]}={max(524_288, limit[1] * 2)}" if limit else advice


def remote_file_system(root: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str | None:
    """The type of the network or host-shared file system that `root` is on, or None where it is local.

    Native events tell only of changes made through this kernel. An edit made on the server, or by a Windows
    editor under WSL, would never be seen.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    best, kind = -1, ""
    for line in lines:
        before, _, after = line.partition(" - ")
        fields = before.split()
        if len(fields) < 5 or not after:
            continue
        point = Path(_unescaped(fields[4]))
        # A later line mounts over an earlier one at the same point.
        if (root == point or point in root.parents) and len(point.parts) >= best:
            best, kind = len(point.parts), after.split()[0]
    return kind if kind in _REMOTE_FILE_SYSTEMS else None


def _unescaped(field: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field
