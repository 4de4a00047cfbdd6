import pytest

from talebearer.errors import InvalidArtifact
from talebearer.extraction import normalise_interactions, normalise_npcs

NAMES = ("Mora Lint", "Émile")


def ref(first, last):
    return {"source_id": "s1", "start_unit_id": first, "end_unit_id": last}


def item(first, last, *, name="Mora Lint", kind="dialogue"):
    return {"name": name, "kind": kind, "source_refs": [ref(first, last)]}


@pytest.mark.spec("NI-ord-order")
def test_order_is_earliest_position_then_name_then_kind_then_ranges() -> None:
    wanted = [
        item(1, 9, name="Mora Lint", kind="other"),
        item(2, 2, name="Mora Lint", kind="dialogue"),
        item(2, 2, name="Mora Lint", kind="mentioned"),
        item(2, 3, name="Mora Lint", kind="mentioned"),
        item(2, 2, name="Émile", kind="dialogue"),
    ]
    assert normalise_interactions(reversed(wanted), names=NAMES) == wanted


@pytest.mark.spec("NI-ord-exact-duplicates")
def test_only_exact_duplicates_collapse() -> None:
    near = [item(2, 3), item(2, 4), item(2, 3, kind="mentioned"), item(4, 4)]
    result = normalise_interactions([*near, item(2, 3)], names=NAMES)
    assert len(result) == len(near)


@pytest.mark.spec("NI-reg-lookup")
def test_names_are_looked_up_trimmed_and_in_one_unicode_form() -> None:
    (found,) = normalise_interactions([item(1, 1, name="  E\u0301mile ")], names=NAMES)
    assert found["name"] == "Émile"


@pytest.mark.spec("NI-reg-lookup")
@pytest.mark.parametrize("name", ["mora lint", "Mora", "Mora  Lint", "Mora Lint the Elder"])
def test_nothing_but_the_exact_name_is_found(name: str) -> None:
    with pytest.raises(InvalidArtifact, match="not in the registry"):
        normalise_interactions([item(1, 1, name=name)], names=NAMES)


@pytest.mark.spec("NI-ord-refs")
def test_ranges_inside_a_record_are_ordered() -> None:
    record = {"name": "Émile", "kind": "other", "source_refs": [ref(8, 9), ref(2, 3), ref(2, 2)]}
    (found,) = normalise_interactions([record], names=NAMES)
    assert found["source_refs"] == [ref(2, 2), ref(2, 3), ref(8, 9)]


def test_registry_entries_of_one_name_become_one() -> None:
    first = {"name": "Émile", "source_refs": [ref(4, 4)]}
    second = {"name": "E\u0301mile", "source_refs": [ref(2, 2)]}
    (found,) = normalise_npcs([first, second])
    assert found["name"] == "Émile"
    assert found["source_refs"] == [ref(2, 2), ref(4, 4)]
