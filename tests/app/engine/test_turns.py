"""What turns is told to those who see it where it turned, and only what cites a touched file is judged."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.repositories import git

from afresh.engine import turns as turns_module
from afresh.engine.calls import Caller, News
from afresh.engine.turns import Follower, Turns
from afresh.engine.views import seen_from
from afresh.errors import NotFoundError, UnknownProjectError

BOUND = 30.0
LOCKS = "billing/locks.py"


class Ear:
    """A follower's listener."""

    def __init__(self, turns: Turns, cwd: Path | None) -> None:
        self.heard: queue.Queue[News] = queue.Queue()
        self.following: Follower = turns.follow(Caller(cwd=cwd, client="test"), self.heard.put)

    def next(self) -> News:
        return self.heard.get(timeout=BOUND)


@pytest.fixture
def turns(lexical_desk) -> Iterator[Turns]:
    made = Turns(lexical_desk.engine)
    yield made
    made.close()


@pytest.fixture
def recorded(lexical_desk) -> Callable[..., int]:
    def record(question: str = "How do locks work?", **arguments: object) -> int:
        arguments = {"conclusion": "They hold.", "project": "shop", "files": [LOCKS], **arguments}
        return lexical_desk.ask("memory_exploration_record", question=question, **arguments).id

    return record


def edit(root: Path, text: str = "changed = True\n", path: str = LOCKS) -> None:
    (root / path).write_text(text, encoding="utf-8")


def test_a_memo_that_turns_is_told_with_its_diff_its_list_and_the_listing(lexical_desk, turns, recorded):
    root, id_ = lexical_desk.root, recorded()
    before = (root / LOCKS).read_text(encoding="utf-8")
    ear = Ear(turns, root)
    told = News(memos=frozenset({id_}), diffs=frozenset({id_}), stale=frozenset({"shop"}), listing=True)
    edit(root)
    turns.touched(str(root), [LOCKS])
    assert ear.next() == told
    edit(root, before)
    turns.touched(str(root), [LOCKS])
    assert ear.next() == told, "and when it turns back"


def test_what_is_as_it_was_is_not_told_again(lexical_desk, turns, recorded):
    root, id_, other = lexical_desk.root, recorded(), recorded("And main?", files=["main.py"])
    ear = Ear(turns, root)
    turns.touched(str(root), [LOCKS, "main.py", "no/such.py"])
    edit(root)
    turns.touched(str(root), [LOCKS])
    assert ear.next().memos == {id_}
    turns.touched(str(root), [LOCKS])
    edit(root, path="main.py")
    turns.touched(str(root), ["main.py"])
    assert ear.next().memos == {other}


def test_a_stale_memo_whose_file_changes_again_has_another_diff_and_no_other_status(
    lexical_desk, turns, recorded
):
    root, id_ = lexical_desk.root, recorded()
    ear = Ear(turns, root)
    edit(root)
    turns.touched(str(root), [LOCKS])
    assert ear.next().listing
    edit(root, "changed = 'again'\n")
    turns.touched(str(root), [LOCKS])
    assert ear.next() == News(diffs=frozenset({id_}), stale=frozenset({"shop"}))


def test_only_what_cites_a_touched_file_is_judged(lexical_desk, turns, recorded, monkeypatch):
    root, id_ = lexical_desk.root, recorded()
    recorded("And main?", files=["main.py"])
    ear = Ear(turns, root)
    judged = []
    real = turns_module.stands

    def stands(pairs):
        wanted = list(pairs)
        judged.extend(learned.id for learned, _ in wanted)
        return real(wanted)

    monkeypatch.setattr(turns_module, "stands", stands)
    edit(root)
    turns.touched(str(root), [LOCKS, "README.md"])
    ear.next()
    assert judged == [id_]


def test_what_anybody_writes_is_told(lexical_desk, turns, recorded):
    root = lexical_desk.root
    ear = Ear(turns, root)
    id_ = recorded()
    turns.written()
    new = News(memos=frozenset({id_}), diffs=frozenset({id_}), listing=True)
    assert ear.next() == new, "a fresh one changes no list of stale ones"
    edit(root)
    turns.touched(str(root), [LOCKS])
    ear.next()
    in_the_list = News(
        memos=frozenset({id_}), diffs=frozenset({id_}), stale=frozenset({"shop"}), listing=True
    )
    for action in ("verify", "undo", "retire", "undo"):
        lexical_desk.ask("memory_exploration_verify", id=id_, action=action)
        turns.written()
        assert ear.next() == in_the_list, action
    recorded(conclusion="Otherwise.")
    turns.written()
    assert ear.next() == in_the_list


def test_a_new_project_is_told_as_a_change_of_the_listing(lexical_desk, turns):
    ear = Ear(turns, lexical_desk.root)
    lexical_desk.ask("memory_save", content="Tea is at four.", project="kitchen")
    turns.written()
    assert ear.next() == News(listing=True)


def test_each_worktree_hears_of_itself(lexical_desk, turns, recorded, tmp_path):
    root, other = lexical_desk.root, tmp_path / "other"
    id_ = recorded()
    git(root, "worktree", "add", "-q", str(other))
    lexical_desk.ask("memory_save", content="Made here.", cwd=other)
    here, there, elsewhere = Ear(turns, root), Ear(turns, other / "billing"), Ear(turns, tmp_path)
    edit(other)
    turns.touched(str(other), [LOCKS])
    assert there.next().memos == {id_}
    edit(root)
    turns.touched(str(root), [LOCKS])
    assert here.next().memos == {id_}
    news = elsewhere.next()
    assert news.memos == {id_}, "from outside it is seen where it was recorded"
    assert not news.listing
    assert there.heard.empty()


def test_a_memo_that_was_recorded_below_the_root_is_found(lexical_desk, turns, recorded):
    root = lexical_desk.root
    ear = Ear(turns, root)
    id_ = recorded(root=str(root / "billing"), files=["locks.py"])
    turns.written()
    ear.next()
    edit(root)
    turns.touched(str(root), [LOCKS])
    assert ear.next().memos == {id_}


def test_a_memory_that_cites_a_file_turns_too(lexical_desk, turns):
    root = lexical_desk.root
    id_ = lexical_desk.ask("memory_save", content="Locks never block.", files=[LOCKS]).id
    ear = Ear(turns, root)
    edit(root)
    turns.touched(str(root), [LOCKS])
    assert ear.next() == News(memories=frozenset({id_}), stale=frozenset({"shop"}), listing=True)


def test_a_memory_is_told_when_it_is_written_if_somebody_asked_about_it(lexical_desk, turns):
    asked, other = (
        lexical_desk.ask("memory_save", content=text).id for text in ("Tea is at four.", "No tea.")
    )
    ear = Ear(turns, lexical_desk.root)
    ear.following.know(memories=[asked])
    lexical_desk.ask("memory_update", id=other, content="No tea at all.")
    turns.written()
    for verb, arguments in (
        ("memory_update", {"content": "Tea is at five."}),
        ("memory_delete", {}),
        ("memory_delete", {"undo": True}),
    ):
        lexical_desk.ask(verb, id=asked, **arguments)
        turns.written()
        assert ear.next() == News(memories=frozenset({asked})), verb


def test_what_is_asked_about_is_told_wherever_it_is(lexical_desk, turns, recorded, tmp_path):
    root, id_ = lexical_desk.root, recorded()
    ear = Ear(turns, tmp_path)
    ear.following.know(memos=[id_], projects=["shop"])
    edit(root)
    turns.touched(str(root), [LOCKS])
    assert ear.next() == News(memos=frozenset({id_}), diffs=frozenset({id_}), stale=frozenset({"shop"}))


def test_asking_finds_what_turned_unseen_and_tells_the_others(lexical_desk, turns, recorded):
    root, id_ = lexical_desk.root, recorded()
    ear = Ear(turns, root)
    edit(root)
    late = Ear(turns, root)
    late.following.know(memos=[id_])
    assert ear.next().memos == {id_}


def test_asking_about_what_does_not_exist_is_an_error_that_names_it(lexical_desk, turns, recorded):
    id_ = recorded()
    following = Ear(turns, lexical_desk.root).following
    with pytest.raises(NotFoundError, match="memo 99, -1"):
        following.know(memos=[id_, 99, -1])
    with pytest.raises(NotFoundError, match=f"memory {2**70}"):
        following.know(memories=[2**70])
    with pytest.raises(UnknownProjectError, match="'nowhere'"):
        following.know(projects=["nowhere"])


def test_many_that_are_written_at_once_are_told_without_being_judged(
    lexical_desk, turns, recorded, monkeypatch
):
    monkeypatch.setattr(turns_module, "_JUDGED_AT_ONCE", 2)
    ear = Ear(turns, lexical_desk.root)
    ids = {recorded(f"Question {n}?") for n in range(3)}
    turns.written()
    assert ear.next() == News(
        memos=frozenset(ids), diffs=frozenset(ids), stale=frozenset({"shop"}), listing=True
    )
    edit(lexical_desk.root)
    turns.touched(str(lexical_desk.root), [LOCKS])
    assert ear.next().memos == ids


def test_who_left_hears_nothing_and_nobody_is_judged_for(lexical_desk, turns, recorded):
    root, id_ = lexical_desk.root, recorded()
    gone = Ear(turns, root)
    gone.following.close()
    gone.following.close()
    edit(root)
    turns.touched(str(root), [LOCKS])
    turns.written()
    ear = Ear(turns, root)
    ear.following.know(memos=[id_])
    edit(root, "and = 'again'\n")
    turns.touched(str(root), [LOCKS])
    assert ear.next().diffs == {id_}
    assert gone.heard.empty()


def test_a_listener_that_fails_harms_no_later_news(lexical_desk, turns, recorded, caplog):
    root, id_ = lexical_desk.root, recorded()
    broken: queue.Queue[News] = queue.Queue()

    def fail(news: News) -> None:
        broken.put(news)
        raise ZeroDivisionError

    turns.follow(Caller(cwd=root), fail)
    edit(root)
    turns.touched(str(root), [LOCKS])
    assert broken.get(timeout=BOUND).memos == {id_}
    edit(root, "and = 'again'\n")
    turns.touched(str(root), [LOCKS])
    assert broken.get(timeout=BOUND).diffs == {id_}
    assert "could not be judged" in caplog.text


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        ("/a", {"b/x.py", "b/c/y.py"}),
        ("/a/b", {"x.py", "c/y.py"}),
        ("/a/b/c", {"y.py"}),
        ("/a/bc", set()),
        ("/", {"a/b/x.py", "a/b/c/y.py"}),
    ],
)
def test_paths_are_seen_from_above_and_from_below(view, expected):
    assert seen_from(Path(view), {Path("/a/b"): ["x.py", "c/y.py"]}) == expected
