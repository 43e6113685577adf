"""What a workspace's code defines and refers to, from real outlines of a real repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.app.engine.conftest import Desk
from tests.app.engine.scenario import index, write

from afresh.contracts import IterateResult
from afresh.engine import workspaces
from afresh.engine.references import MOST_PLACES, References

CHARGE = '''from billing.locks import acquire_lock


class Charger:
    """Takes money."""

    def charge_invoice(self, invoice):
        with acquire_lock(invoice.account):
            return self.post_entry(invoice)

    def post_entry(self, invoice):
        return invoice.amount
'''
LOCKS = """def acquire_lock(account):
    return account


def release_lock(account):
    return None
"""


@pytest.fixture
def shop(lexical_desk: Desk, tmp_path: Path) -> Desk:
    write(lexical_desk.root, {"billing/charge.py": CHARGE, "billing/locks.py": LOCKS})
    index(lexical_desk, lexical_desk.root, tmp_path / "settings")
    return lexical_desk


def references(desk: Desk) -> References:
    with desk.engine.store.read() as cursor:
        workspace = workspaces.at(cursor, desk.root)
    assert workspace is not None
    return References(desk.engine.store, workspace.checkout)


def told(definitions: object) -> list[tuple[str, str]]:
    return [(item.path, item.symbol.qualified_name) for item in definitions]  # type: ignore[attr-defined]


def test_a_name_is_found_where_it_is_defined(shop: Desk) -> None:
    graph = references(shop)
    assert told(graph.named(["acquire_lock"])) == [("billing/locks.py", "acquire_lock")]
    assert told(graph.named(["Charger.charge_invoice", "charge_invoice"])) == [
        ("billing/charge.py", "Charger.charge_invoice")
    ]
    assert graph.named(["zebra_crossing", ""]) == []
    assert graph.named([]) == []


def test_a_qualified_name_means_the_one_that_is_qualified_so(shop: Desk, tmp_path: Path) -> None:
    write(shop.root, {"other.py": "class Till:\n    def post_entry(self):\n        return 0\n"})
    index(shop, shop.root, tmp_path / "settings")
    graph = references(shop)
    assert told(graph.named(["Till.post_entry"])) == [("other.py", "Till.post_entry")]
    assert len(graph.named(["post_entry"])) == 2


def test_a_definition_refers_to_what_its_source_mentions_and_the_workspace_defines(shop: Desk) -> None:
    graph = references(shop)
    (charge,) = graph.named(["charge_invoice"])
    assert told(graph.referred(charge)) == [
        ("billing/locks.py", "acquire_lock"),
        ("billing/charge.py", "Charger.post_entry"),
    ]


def test_a_definition_refers_neither_to_itself_nor_to_its_own_parts(shop: Desk) -> None:
    graph = references(shop)
    (charger,) = graph.named(["Charger"])
    assert told(graph.referred(charger)) == [("billing/locks.py", "acquire_lock")]


def test_a_name_that_is_defined_everywhere_says_nothing(shop: Desk, tmp_path: Path) -> None:
    write(
        shop.root,
        {f"part{n}.py": "def run_all():\n    return acquire_lock(0)\n" for n in range(MOST_PLACES + 1)},
    )
    index(shop, shop.root, tmp_path / "settings")
    assert references(shop).named(["run_all"]) == []


def test_a_file_that_changed_since_or_is_gone_refers_to_nothing(shop: Desk) -> None:
    graph = references(shop)
    (charge,) = graph.named(["charge_invoice"])
    path = shop.root / "billing" / "charge.py"
    path.write_text("# moved\n" + CHARGE, encoding="utf-8")
    assert graph.referred(charge) == []
    path.unlink()
    assert graph.referred(charge) == []


def test_without_a_checkout_there_is_no_code(shop: Desk) -> None:
    assert References(shop.engine.store, None).named(["acquire_lock"]) == []


def ask(desk: Desk, query: str) -> IterateResult:
    result: IterateResult = desk.ask("memory_recall_iterative", query=query, llm_model="none")
    return result


def test_a_question_about_code_is_led_on_by_what_the_code_refers_to(shop: Desk) -> None:
    """Neither the question nor any memory says that charging takes a lock: only the code does."""
    shop.ask("memory_save", content="charge_invoice must be idempotent, because the queue delivers twice.")
    order = "billing/locks.py: acquire_lock sorts accounts first, or two payers deadlock."
    shop.ask("memory_save", content=order)
    for n in range(12):
        shop.ask("memory_save", content=f"Screen {n} of the dashboard shows figure {n} of the month.")
    question = "What has to be known before changing charge_invoice?"
    one_pass = shop.ask("recall", query=question).result
    assert order not in [memory.content for memory in one_pass.memories]
    result = ask(shop, question)
    assert result.sub_queries == [
        question,
        "billing/charge.py Charger.charge_invoice",
        "billing/locks.py acquire_lock",
        "billing/charge.py Charger.post_entry",
    ]
    assert order in [item.content for item in result.evidence[:2]]
    assert {step.origin for step in result.provenance.iters} == {"decomposer"}


def test_a_question_without_names_of_code_is_one_search_at_first(shop: Desk) -> None:
    shop.ask("memory_save", content="The dashboards are drawn with D3.")
    assert ask(shop, "What are the dashboards drawn with?").sub_queries == [
        "What are the dashboards drawn with?"
    ]
