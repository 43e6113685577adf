"""Which claims are dead: what was there and is gone, and never what a reader would find."""

from __future__ import annotations

import pytest

from afresh_indexer.claim_world import PathIndex, World
from afresh_indexer.claims import claims
from afresh_indexer.dead_claims import DeadClaim, dead

TREE = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/guide.md",
    "docs/api/index.md",
    "src/pkg/__init__.py",
    "src/pkg/client.py",
    "src/pkg/store/rows.py",
    "src/pkg/util/times.py",
    "server/graph/main.py",
    "server/AGENTS.md",
    "web/src/App.tsx",
    "tests/client/test_send.py",
    "tests/conftest.py",
)


def world(**known: object) -> World:
    return World(**({"paths": PathIndex(TREE), "name": "afresh"} | known))  # type: ignore[arg-type]


def judge(text: str, source: str | None = "AGENTS.md", **known: object) -> list[DeadClaim]:
    return dead(claims(text, source_path=source), world(**known), source_path=source)


def names(text: str, source: str | None = "AGENTS.md", **known: object) -> list[str]:
    return [found.claim.text for found in judge(text, source, **known)]


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("`src/pkg/client.py`", "AGENTS.md"),
        ("`client.py` and `store/rows.py` and `pkg/store/`", "AGENTS.md"),
        ("`graph/main.py`", "server/AGENTS.md"),
        ("`../docs/guide.md`", "server/AGENTS.md"),
        ("[x](../README.md) and [y](/docs/guide.md)", "docs/guide.md"),
        ("`docs/guide.md`", "docs/api/index.md"),
        ("`afresh/src/pkg/client.py`", "AGENTS.md"),
        ("`src/pkg/Client.py`", "AGENTS.md"),
        ("`web/src/App.js` is what is built from it", "AGENTS.md"),
        ("`pkg/client` without its ending", "AGENTS.md"),
        ("[the folder](src/pkg) and [it](docs/)", "AGENTS.md"),
        ("`./src/pkg/../pkg/client.py`", "AGENTS.md"),
    ],
)
def test_a_path_is_found_wherever_a_reader_would_look_for_it(text: str, source: str) -> None:
    assert names(text, source, once_paths=PathIndex(TREE)) == []


@pytest.mark.parametrize(
    ("text", "path", "instead"),
    [
        ("The pool is in `src/pkg/pool.py`.", "src/pkg/pool.py", None),
        ("The rows are in `src/pkg/rows.py`.", "src/pkg/rows.py", "src/pkg/store/rows.py"),
        ("`src/pkg/clients.py` sends", "src/pkg/clients.py", "src/pkg/client.py"),
        ("`src/pkg/store.py` keeps", "src/pkg/store.py", "src/pkg/store/"),
        ("`web/src/App.vue` shows", "web/src/App.vue", "web/src/App.tsx"),
        ("The folder `server/routers/` has them.", "server/routers/", None),
        ("See [rules](docs/rules.md).", "docs/rules.md", None),
        ("See [rules](RULES.md).", "RULES.md", None),
    ],
)
def test_a_path_that_can_only_be_one_of_the_workspace_is_dead_also_without_a_history(
    text: str, path: str, instead: str | None
) -> None:
    (found,) = judge(text)
    assert (found.claim.text, found.suggestion) == (path, instead)
    assert path in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "`src/other/app.py` of some repository",
        "`lib/thing/core.py`",
        "`numpy/core/numeric.py`",
        "`pool.py`",
        "`tests/test_file.py` or `tests/client/test_your_feature.py`",
        "`src/pkg/my_module.py` and `docs/foo.md`",
        "`docs/_build/index.html` and `server/dist/main.js`",
        "`server/.env.local` and `server/settings.local.json`",
        "`server/missing` may be a branch",
        "run `pytest tests/client/test_gone.py`",
        "e.g. `docs/rules.md`",
        "`org/repo` and `and/or` and `text/html`",
        "drivers live in server/drivers",
        "[up](../elsewhere/a.md)",
    ],
)
def test_what_may_be_of_another_project_or_an_example_is_left_alone(text: str) -> None:
    assert names(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "`numpy/core/numeric.py`",
        "`numeric.py`",
        "core/numeric.py",
        "numeric.py",
        "run `python numpy/core/numeric.py`",
        "e.g. `numpy/core/numeric.py`",
        "`numpy/core/` has it",
        "see numpy/core",
        "```sh\npython numpy/core/numeric.py\n```",
    ],
)
def test_what_a_history_knows_is_dead_however_it_is_written(text: str) -> None:
    once = PathIndex([*TREE, "numpy/core/numeric.py"])
    (found,) = judge(text, once_paths=once)
    assert "numpy/core" in found.reason and "no more" in found.reason


def test_an_exact_path_that_is_gone_is_dead_although_another_file_ends_like_it() -> None:
    once = PathIndex([*TREE, "pkg/client.py", "client.py"])
    (found,) = judge("`pkg/client.py` sends.", once_paths=once)
    assert found.suggestion == "src/pkg/client.py"
    assert names("`client.py` sends.", once_paths=once) == []


def test_a_file_that_is_ignored_but_there_is_alive() -> None:
    asked: list[str] = []

    def exists(path: str) -> bool:
        asked.append(path)
        return path == "server/docs/notes.md"

    text = "See [notes](docs/notes.md)."
    assert names(text, "server/AGENTS.md", exists=exists) == []
    assert asked == ["server/docs/notes.md"]
    assert names(text, "AGENTS.md", exists=exists) == ["docs/notes.md"]


def test_a_drawn_tree_is_believed_when_most_of_it_is_there() -> None:
    drawn = (
        "```\nsrc/pkg/\n├── client.py\n├── pool.py\n├── store/\n│   └── rows.py\n└── util/\n"
        "    └── times.py\n```\n"
    )
    assert names(drawn) == ["src/pkg/pool.py"]
    other = "```\nsrc/pkg/\n├── client.py\n├── pool.py\n├── lock.py\n├── queue.py\n└── heap.py\n```\n"
    assert names(other) == []


def test_a_document_of_the_past_or_among_examples_has_no_dead_claims_of_its_own() -> None:
    text = "`src/pkg/pool.py` holds connections."
    assert names(text, "docs/guide.md") == ["src/pkg/pool.py"]
    assert names(text, "CHANGELOG.md") == []
    assert names(text, "examples/app/README.md") == []
    once = PathIndex([*TREE, "src/pkg/pool.py"])
    assert names(text, "CHANGELOG.md", once_paths=once) == []
    assert names(text, "examples/app/README.md", once_paths=once) == ["src/pkg/pool.py"]


SYMBOLS = {
    "src/pkg/client.py": ["Client", "Client.close", "get"],
    "src/pkg/store/rows.py": ["Rows", "Rows.get"],
}
ONCE = {
    "src/pkg/client.py": ["Client", "Client.close", "Client.send", "get", "parse_header", "Retry"],
    "src/pkg/store/rows.py": ["Rows", "Rows.get", "read"],
    "src/pkg/old.py": ["Old", "Old.run", "times"],
}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("`Client.send` retries.", "Client.send"),
        ("`pkg.client.Client.send` retries.", "pkg.client.Client.send"),
        ("`Client::send` retries.", "Client::send"),
        ("`parse_header()` splits.", "parse_header"),
        ("parse_header splits.", "parse_header"),
        ("The Retry class counts.", "Retry"),
        ("`Old` is the base.", "Old"),
        ("`read` in `src/pkg/store/rows.py` reads.", "read"),
        ("`parse_header(text, strict=True)` splits.", "parse_header"),
    ],
)
def test_a_definition_that_was_there_and_is_gone_is_dead(text: str, name: str) -> None:
    assert names(text, symbols=SYMBOLS, once_symbols=ONCE) == [name]
    assert names(text, symbols=ONCE, once_symbols=ONCE) == []
    assert names(text, symbols=None, once_symbols=ONCE) == []


@pytest.mark.parametrize(
    "text",
    [
        "`Client.close` closes, `Rows.get` reads, `get()` gets.",
        "`pytest.mark` and `asyncio.gather()` are not ours, nor is SomeThing.",
        "`times` is also the name of a module here.",
        "Retry if it fails; the old run was read by send.",
        "`True`, `main`, `self.client`",
    ],
)
def test_a_living_name_a_foreign_one_and_a_plain_word_are_not_dead(text: str) -> None:
    assert names(text, symbols=SYMBOLS, once_symbols=ONCE) == []


def test_a_name_is_dead_in_its_file_although_another_file_has_it() -> None:
    once = {"a.py": ["load", "Box", "Box.load"], "b.py": ["load"]}
    now = {"a.py": ["Box", "Box.load"], "b.py": ["load"]}
    paths = PathIndex(["a.py", "b.py"])
    text = "`load` in `a.py` parses."
    (found,) = judge(text, paths=paths, symbols=now, once_symbols=once)
    assert "a.py" in found.reason
    assert names("`load` in `b.py` parses.", paths=paths, symbols=now, once_symbols=once) == []
    assert names("`load` parses.", paths=paths, symbols=now, once_symbols=once) == []
    assert names("`a.load` parses.", paths=paths, symbols=now, once_symbols=once) == ["a.load"]


def test_where_a_definition_is_now_is_suggested() -> None:
    once = {"src/pkg/client.py": ["parse_header"]}
    now = {"src/pkg/client.py": [], "src/pkg/util/times.py": ["Headers.parse_header"]}
    (found,) = judge("`parse_header` in `src/pkg/client.py`", symbols=now, once_symbols=once)
    assert found.suggestion == "src/pkg/util/times.py: Headers.parse_header"


@pytest.mark.parametrize(("answer", "count"), [(True, 0), (False, 1), (None, 0)])
def test_a_commit_is_dead_only_where_a_whole_history_lacks_it(answer: bool | None, count: int) -> None:
    def lookup(id: str) -> bool | None:
        return answer if id == "a1b2c3d" else True

    assert len(judge("Fixed in commit `a1b2c3d`.", commit=lookup)) == count


def test_a_command_is_dead_only_where_all_that_can_be_run_is_known() -> None:
    known = {"make": {"test", "lint", "docs-html"}}
    (found,) = judge("Run `make docs_html` and `make test`, then `npm run build`.", commands=known)
    assert (found.claim.text, found.suggestion) == ("make docs_html", "make docs-html")
    assert judge("Run `make docs_html`.") == []


def test_nothing_is_dead_in_a_world_of_which_nothing_is_known() -> None:
    text = "`src/a.py`, `Client.send`, commit `a1b2c3d`, `make x`"
    assert dead(claims(text, source_path="AGENTS.md"), World(), source_path="AGENTS.md") == []
