from __future__ import annotations

import pytest

from talebearer.memory import slug_of


@pytest.mark.spec("IM-M11-spelled")
@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Odo Renn", "odo-renn"),
        ("  Zoë  d'Arc ", "zoe-d-arc"),
        ("Zoe\u0308", "zoe"),
        ("7th Guard", "npc-7th-guard"),
        ("--Lux--", "lux"),
        ("ﬁnn", "finn"),
    ],
)
def test_a_name_is_spelled_in_ascii(name: str, slug: str) -> None:
    assert slug_of(name, taken=(), profiles={}) == slug


@pytest.mark.spec("IM-M11-empty")
def test_a_name_without_ascii_gets_a_digest() -> None:
    slug = slug_of("李", taken=(), profiles={})
    assert slug == "npc-c16667ca"
    assert slug_of(" 李", taken=(), profiles={}) == slug


@pytest.mark.spec("IM-M11-taken")
def test_a_taken_slug_is_numbered() -> None:
    assert slug_of("Odo", taken={"odo"}, profiles={}) == "odo-2"
    assert slug_of("Odo", taken={"odo", "odo-2"}, profiles={}) == "odo-3"


@pytest.mark.spec("IM-M11-profile")
@pytest.mark.spec("IM-3.1-slug-stem")
def test_a_profile_gives_its_stem() -> None:
    profiles = {"odo-renn": ("Odo Renn", "Old Odo"), "zed": ("Zoe\u0308",)}
    assert slug_of("Old Odo", taken={"odo-renn"}, profiles=profiles) == "odo-renn"
    assert slug_of("Zoë", taken=(), profiles=profiles) == "zed"
    assert slug_of("old odo", taken=(), profiles=profiles) == "old-odo"


def test_a_profile_of_another_name_is_somebody_else() -> None:
    assert slug_of("Odo", taken=(), profiles={"odo": ("Odo the Elder",)}) == "odo-2"
