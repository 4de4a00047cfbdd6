"""Who is meant: references, stable ids and slugs."""

from __future__ import annotations

import pytest

from talebearer.errors import InvalidId, UnknownName
from talebearer.memory import EntityRegistry

FILES = ["global/npcs/kael-davan.yaml", "global/npcs/lera-sessik.yml"]


@pytest.fixture
def registry() -> EntityRegistry:
    return EntityRegistry(FILES, stable_ids={"npc-0a1b2c": "kael-davan", "41": "kael-davan"})


@pytest.mark.spec("IM-3.1-slug-resolution")
@pytest.mark.parametrize("reference", ["npc:kael-davan", "kael-davan", "npc-0a1b2c", "41"])
def test_every_way_to_name_somebody_leads_to_the_slug(
    registry: EntityRegistry, reference: str
) -> None:
    assert registry.slug(reference) == "kael-davan"
    assert registry.entity(reference) == "npc:kael-davan"
    assert registry.stable_id(reference) == "41"
    assert registry.file(reference) == FILES[0]
    assert reference in registry


def test_slugs_come_in_order(registry: EntityRegistry) -> None:
    assert registry.slugs == ("kael-davan", "lera-sessik")
    assert registry.stable_id("lera-sessik") is None
    assert EntityRegistry(["odo", "a/b\\wick.json"]).slugs == ("odo", "wick")


@pytest.mark.parametrize("reference", ["npc:kael", "kael-davan.yaml", "pc:kael-davan", "", "npc:"])
def test_nobody_is_an_error_that_suggests(registry: EntityRegistry, reference: str) -> None:
    assert reference not in registry
    with pytest.raises(UnknownName):
        registry.slug(reference)


def test_a_near_miss_is_suggested(registry: EntityRegistry) -> None:
    with pytest.raises(UnknownName) as caught:
        registry.entity("npc:kael-davn")
    assert caught.value.hint == "did you mean kael-davan?"
    assert 5 not in registry


@pytest.mark.spec("IM-M11-unusable-stem")
@pytest.mark.parametrize("file", ["npcs/Kael Davan.yaml", "npcs/.yaml", "npcs/7.yaml", "a/b/"])
def test_a_profile_without_a_usable_stem_is_named(file: str) -> None:
    with pytest.raises(InvalidId) as caught:
        EntityRegistry([*FILES, file])
    assert file in str(caught.value)
    assert caught.value.data == {"file": file}


def test_one_stem_is_one_character() -> None:
    with pytest.raises(InvalidId, match=r"b/odo\.yaml and a/odo\.yaml both stand for 'odo'"):
        EntityRegistry(["a/odo.yaml", "b/odo.yaml"])


def test_a_stable_id_stands_for_somebody() -> None:
    with pytest.raises(InvalidId, match="which no profile declares"):
        EntityRegistry(FILES, stable_ids={"1": "odo"})
