"""recall: what it finds, what it leaves out, and what it says when nothing is relevant."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh.errors import UnknownProjectError

MEMORIES = (
    ("Invoices are totalled in integer cents; floats lost a cent in March.", "decision", "billing/invoices"),
    ("The lock table is cleaned by the janitor job every five minutes.", "fact", "billing/locks"),
    ("Never call the payment gateway inside a database transaction.", "lesson", "billing/gateway"),
    ("Branch names start with the ticket's key.", "convention", "process/git"),
    ("数据库迁移必须在部署之前运行", "convention", "ops/部署"),
    ("Retry uploads with exponential backoff and jitter, at most six times.", "solution", "storage/uploads"),
)


@pytest.fixture
def filled(desk):
    desk.ids = {
        path: desk.ask("memory_save", content=text, type=kind, path=path).id for text, kind, path in MEMORIES
    }
    return desk


def first(desk, query, **arguments):
    return desk.ask("recall", query=query, **arguments).result


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("why do we not use floating point for money", "billing/invoices"),
        ("how are branches named", "process/git"),
        ("数据库迁移", "ops/部署"),
        ("exponential backoff", "storage/uploads"),
        ("what removes stale rows from the lock table", "billing/locks"),
    ],
)
def test_a_question_in_other_words_finds_its_memory(filled, query, path):
    result = first(filled, query)
    assert not result.nothing_relevant
    assert result.memories[0].id == filled.ids[path]
    assert (result.retrieval == "hybrid") == query.isascii()


@pytest.mark.parametrize(
    "query", ["best pizza in Naples", "kubernetes ingress certificates renewal", "zebra migration"]
)
def test_a_question_about_something_else_ends_in_nothing_relevant_with_the_nearest_apart(filled, query):
    result = first(filled, query)
    assert result.nothing_relevant and result.memories == [] and result.count == 0
    assert result.nearest


@pytest.mark.parametrize(
    "query",
    [
        *"/.:-'\"()*~^",
        "AND",
        "OR",
        "NOT",
        "NEAR",
        "a AND (b OR",
        "x" * 8000,
        "lock " * 1600,
        "🦆",
        "مرحبا بالعالم",
        "\0",
    ],
)
def test_no_query_is_an_error(filled, query):
    result = first(filled, query)
    assert result.count == len(result.memories)


def test_without_a_model_words_are_matched_and_the_result_says_so(lexical_desk):
    lexical_desk.ask("memory_save", content="The janitor job cleans the lock table.")
    result = first(lexical_desk, "janitor lock table")
    assert result.count == 1 and result.retrieval == "lexical"
    assert "no embedding model" in result.retrieval_note


def test_filters_narrow_what_is_returned(filled):
    assert {m.path for m in first(filled, "billing", path_filter="billing/%", limit=50).memories} <= {
        "billing/invoices",
        "billing/locks",
        "billing/gateway",
    }
    only = first(filled, "payment gateway transaction", memory_type="lesson")
    assert [m.type for m in only.memories] == ["lesson"]
    assert first(filled, "payment gateway transaction", memory_type="identity").nothing_relevant


def test_only_own_returns_what_that_agent_saved(desk):
    mine = desk.ask("memory_save", content="The cache is warmed at start.", agent_id="one")
    desk.ask("memory_save", content="The cache is warmed at night.", agent_id="two")
    assert [m.id for m in first(desk, "cache warmed", agent_id="one", only_own=True).memories] == [mine.id]
    assert len(first(desk, "cache warmed", agent_id="one").memories) == 2


def test_another_projects_memories_neither_appear_nor_change_the_scores(filled):
    before = first(filled, "lock table janitor")
    for n in range(20):
        filled.ask("memory_save", content=f"The lock table of tenant {n} has a janitor.", project="other")
    after = first(filled, "lock table janitor")
    assert [(m.id, m.score) for m in after.memories] == [(m.id, m.score) for m in before.memories]
    assert len(first(filled, "lock table janitor", project="%", limit=50).memories) > len(before.memories)


def test_an_unknown_project_is_an_error_that_lists_the_known(filled):
    with pytest.raises(UnknownProjectError, match="Known: shop"):
        first(filled, "x", project="shoop")


def test_the_same_question_twice_has_the_same_answer(filled):
    assert first(filled, "locks") == first(filled, "locks")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(min_size=1, max_size=60))
def test_the_parts_add_up_to_the_score(filled, query):
    result = first(filled, query, explain=True)
    shown = {m.id: m.score for m in [*result.memories, *result.nearest]}
    for hit in result.explain.hits:
        assert hit.score == shown[hit.id]
        assert abs(sum(hit.parts.values()) - hit.score) < 1e-6
