"""A catalogue drafted from use, comments kept and nothing overwritten."""

from pathlib import Path

import pytest

from talebearer.content import draft_facts, lint, missing_facts
from talebearer.errors import UsageFault, findings_content

POOL = """\
location: quay
role: clerk
lines:
  - id: odo_d_001
    text: "It is deep, and cold."
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
    knowledge_grant: {fact_id: sea.deep, confidence: suspects}
    prerequisites:
      any_of:
        - facts: [{fact_id: sea.salt, min_confidence: suspects}]
        - not: {facts: [{fact_id: ship.sunk, absent: true}]}
        - facts: [{fact_id: interaction.odo_001, min_confidence: suspects}]
        - facts: [{fact_id: gossip.odo_001, min_confidence: suspects}]
"""
SEA = "global/knowledge/sea.yaml"


def missing(root: Path) -> list[str]:
    return [p.message for p in lint(root) if p.code == findings_content.UNKNOWN_FACT]


def test_facts_are_found_wherever_they_are_used(tree):
    found = missing_facts(tree({"dialogue/quay/odo.yaml": POOL}))
    assert [fact.id for fact in found] == ["sea.deep", "sea.salt", "ship.sunk"]
    assert found[0].draft == "Told by: It is deep, and cold."
    assert found[1].draft == "Asked for by odo#odo_d_001; nobody tells it yet."


@pytest.mark.spec("LP-8.2-facts-drafted")
@pytest.mark.parametrize(
    "before",
    [
        "category: sea\nfacts:\n  # kept\n  - id: sea.old\n    description: Old.  # this too\n",
        "category: sea\nfacts: []  # none\n",
        "category: sea\n",
        "category: sea\nfacts:\n- id: sea.old\n  description: >\n    Old\n    words.\n# end\n",
        "facts:\n  - {id: sea.old, description: Old.}\ncategory: sea # last",
        "\ufeffcategory: sea\r\nfacts:\r\n  - id: sea.old\r\n    description: Old.\r\n",
        None,
    ],
)
def test_a_catalogue_is_added_to_and_never_overwritten(tree, before):
    files = {"dialogue/quay/odo.yaml": POOL}
    root = tree(files if before is None else {**files, SEA: before})
    written = draft_facts(root, missing_facts(root))
    assert [path.name for path in written] == ["sea.yaml", "ship.yaml"]
    after = (root / SEA).read_bytes().decode()
    for word in ("# kept", "# this too", "# last", "words."):
        assert (word in after) == (word in (before or ""))
    assert after.count("\r\n") == (after.count("\n") if before and "\r\n" in before else 0)
    assert [p for p in lint(root) if p.severity != "note"] == []
    assert missing_facts(root) == ()


@pytest.mark.parametrize(
    "before",
    [
        "category: sea\nfacts: [{id: sea.old, description: Old.}]\n",
        "category: [\n",
        "a: &x 1\nb: *x\n",
    ],
)
def test_what_cannot_be_added_to_is_refused_and_nothing_is_written(tree, before):
    root = tree({"dialogue/quay/odo.yaml": POOL, SEA: before})
    facts = missing_facts(root)
    with pytest.raises(UsageFault):
        draft_facts(root, facts)
    assert (root / SEA).read_text() == before
    assert not (root / "global/knowledge/ship.yaml").exists()


def test_a_link_is_not_written_through(tree, tmp_path):
    root = tree(
        {"dialogue/quay/odo.yaml": POOL, "global/knowledge/a.yaml": "category: a\nfacts: []\n"}
    )
    (root / SEA).symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(UsageFault):
        draft_facts(root, missing_facts(root))
    assert not (tmp_path / "elsewhere.yaml").exists()


def test_an_existing_tree_comes_in_with_drafted_facts(tree):
    root = tree({"dialogue/quay/odo.yaml": POOL})
    assert len(missing(root)) == 3
    draft_facts(root, missing_facts(root))
    assert missing(root) == []
