"""How resources are addressed: whatever a project is called, its address leads back to it."""

from __future__ import annotations

import pytest

from afresh.faces import resource_kinds
from afresh.faces.resource_kinds import KINDS, address_of, kind_of


@pytest.mark.parametrize("name", ["shop", "my shop", "a/b", "50% off", "日本", "stale", "?#&", "{project}"])
def test_a_projects_address_leads_back_to_its_name(name):
    address = resource_kinds.stale_of(name)
    assert address.uri.startswith("afresh://project/") and address.uri.isascii()
    assert address_of(address.uri) == address


def test_a_name_that_is_written_plainly_is_understood_too():
    assert address_of("afresh://project/my shop/stale") == resource_kinds.stale_of("my shop")


@pytest.mark.parametrize(
    ("uri", "verb", "arguments"),
    [
        ("afresh://memo/7", "memo", {"id": 7}),
        ("afresh://memo/7/diff", "memo_diff", {"id": 7}),
        ("afresh://memory/12", "memory_get", {"ids": [12]}),
        ("afresh://run/4", "run", {"id": 4}),
        ("afresh://answer/6", "verify_answer", {"id": 6}),
        ("afresh://project/shop/stale", "stale", {"project": "shop"}),
    ],
)
def test_each_address_has_its_verb(uri, verb, arguments):
    address = address_of(uri)
    assert address is not None and address.uri == uri
    assert (address.kind.verb, address.kind.arguments(address.value)) == (verb, arguments)
    assert kind_of(uri) is address.kind is kind_of(address.kind.template)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "memo/7",
        "http://memo/7",
        "afresh://",
        "afresh://memo",
        "afresh://memo/",
        "afresh://memo/0",
        "afresh://memo/07",
        "afresh://memo/-1",
        "afresh://memo/seven",
        "afresh://memo/٧",
        "afresh://memo/7/",
        "afresh://memo/7/diffs",
        "afresh://memo/7/diff/more",
        "afresh://memo/7?at=HEAD",
        "afresh://memo/" + "9" * 40,
        "afresh://project//stale",
        "afresh://project/shop",
        "afresh://nothing/7",
        "AFRESH://memo/7",
    ],
)
def test_what_is_no_address_of_ours_is_none(uri):
    assert address_of(uri) is None
    assert kind_of(uri) is None


def test_templates_differ_and_each_has_its_one_variable():
    assert len({kind.template for kind in KINDS}) == len(KINDS)
    for kind in KINDS:
        assert kind.template.count("{") == 1 and f"{{{kind.variable}}}" in kind.template
