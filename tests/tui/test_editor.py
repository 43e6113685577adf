"""The reader's own editor."""

from __future__ import annotations

from pathlib import Path

import pytest

from afresh.errors import UsageError
from afresh_tui.editor import edited_text, editor_command, readable_text


@pytest.mark.parametrize(
    ("editor", "words"),
    [
        ("vim", ["vim", "+7", "/w/a.py"]),
        ("/usr/bin/nvim -R", ["/usr/bin/nvim", "-R", "+7", "/w/a.py"]),
        ("code --wait", ["code", "--wait", "--goto", "/w/a.py:7"]),
        ("hx", ["hx", "/w/a.py:7"]),
        ("pycharm", ["pycharm", "--line", "7", "/w/a.py"]),
        ("'/opt/my editor/bin/odd'", ["/opt/my editor/bin/odd", "/w/a.py"]),
    ],
)
def test_each_editor_is_told_the_line_in_its_own_way(editor: str, words: list[str]) -> None:
    assert editor_command(editor, Path("/w/a.py"), 7) == words


def test_an_editor_that_returns_at_once_is_told_to_wait_where_a_text_is_wanted_back() -> None:
    assert editor_command("zed", Path("a"), wait=True) == ["zed", "--wait", "a"]
    assert editor_command("code --wait", Path("a"), wait=True) == ["code", "--wait", "a"]


@pytest.mark.parametrize(("editor", "why"), [("", "no editor is set"), ("vim 'x", "can't be read")])
def test_without_a_usable_editor_it_is_said_what_to_set(editor: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        editor_command(editor, Path("a"))


def test_a_file_that_is_gone_or_binary_now_is_not_opened(tmp_path: Path) -> None:
    binary = tmp_path / "a.bin"
    binary.write_bytes(b"\x89PNG\0\1")
    for path, why in (
        (tmp_path / "none.py", "not there"),
        (binary, "binary now"),
        (tmp_path, "can't be read"),
    ):
        with pytest.raises(UsageError, match=why):
            readable_text(path, path.name)
    text = tmp_path / "a.py"
    text.write_text("x = 1\n", encoding="utf-8")
    readable_text(text, "a.py")


def test_an_edited_text_comes_back_and_an_untouched_one_is_none() -> None:
    def change(command: list[str]) -> int:
        path = Path(command[-1])
        assert path.read_text(encoding="utf-8") == "before\n"
        path.write_text("after ünï\n\n", encoding="utf-8")
        return 0

    assert edited_text("vim", "before", change) == "after ünï"
    assert edited_text("vim", "before", lambda _command: 0) is None


def test_an_editor_that_fails_or_writes_no_text_changes_nothing() -> None:
    with pytest.raises(UsageError, match="ended with code 3"):
        edited_text("vim", "before", lambda _command: 3)

    def spoil(command: list[str]) -> int:
        Path(command[-1]).write_bytes(b"\xff\xfe\xff")
        return 0

    with pytest.raises(UsageError, match="not UTF-8"):
        edited_text("vim", "before", spoil)
