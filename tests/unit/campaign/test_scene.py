"""Scenes: what a caller leaves out is filled in by relationship, settings, profile and options."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import open_fixed
from small_packs import pack

from talebearer.campaign import SceneDefaults
from talebearer.campaign._scene import scene_for  # the rule itself, which the front door hides
from talebearer.lines import Scene
from talebearer.memory import Event, Mind
from talebearer.vocabulary import EventKind

NOTHING = SceneDefaults()


def _scene(
    campaign_folder: Path,
    slug: str,
    *events: tuple[EventKind, dict[str, object]],
    settings: SceneDefaults = NOTHING,
    options: SceneDefaults = NOTHING,
) -> Scene:
    mind = Mind("party")
    for number, (kind, data) in enumerate(events, start=1):
        mind.apply(
            Event(
                stream="live",
                sequence=number,
                tick=number,
                kind=kind,
                data={"target": f"npc:{slug}", **data},
            )
        )
    with open_fixed(campaign_folder) as campaign:
        return scene_for(slug, campaign.pack, mind.graph, campaign=settings, options=options)


@pytest.mark.parametrize(
    ("enums", "state", "expected"),
    [
        ({"trust": ["shut", "open"]}, "friendly", ("peer", "shut")),
        ({"trust": ["surface"]}, "friendly", ("peer", "surface")),
        ({"access": ["stranger", "kin"]}, "hostile", ("stranger", "surface")),
        ({"access": ["crew", "peer"]}, "friendly", ("peer", "real")),
        ({"access": ["crew", "peer"]}, "unknown", ("crew", "surface")),
    ],
)
def test_a_relationship_gives_no_tier_that_the_content_has_not(
    enums: dict[str, list[str]], state: str, expected: tuple[str, str]
) -> None:
    usual = {"access": ["public", "peer", "hostile"], "trust": ["surface", "real"]}
    others: dict[str, list[str]] = {"situations": [], "topics": [], "moods": [], "triggers": []}
    own = pack(enums=usual | others | enums)
    mind = Mind("party")
    data = {"target": "npc:odo", "state": state}
    kind = EventKind.RELATIONSHIP_CHANGED
    mind.apply(Event(stream="live", sequence=1, tick=1, kind=kind, data=data))
    scene = scene_for("odo", own, mind.graph, campaign=NOTHING, options=NOTHING)
    assert (scene.access, scene.trust) == expected


@pytest.mark.spec("LP-L10-scene")
@pytest.mark.parametrize(
    ("state", "access", "trust"),
    [
        ("unknown", "public", "surface"),
        ("known", "public", "surface"),
        ("person_of_interest", "public", "surface"),
        ("friendly", "peer", "real"),
        ("hostile", "hostile", "surface"),
    ],
)
def test_relationship_decides_access_and_trust(
    bundled: Path, state: str, access: str, trust: str
) -> None:
    change = (EventKind.RELATIONSHIP_CHANGED, {"state": state})
    scene = _scene(bundled, "maelis-brandt", change)
    assert (scene.access, scene.trust) == (access, trust)
    assert scene.location == "the-gilded-eel"
    assert scene.situations == ("social",)
    assert (scene.topics, scene.moods) == ((), ())


@pytest.mark.spec("LP-L10-confrontation")
def test_a_running_confrontation_is_a_situation(bundled: Path) -> None:
    start = (EventKind.INTERACTION_STARTED, {"player_initiated": True, "location": "x"})
    confront = (EventKind.INTERACTION_CONFRONTATION, {})
    assert _scene(bundled, "maelis-brandt", start).situations == ("social",)
    heated = _scene(bundled, "maelis-brandt", start, confront)
    assert heated.situations == ("social", "confrontation")
    chosen = _scene(
        bundled,
        "maelis-brandt",
        start,
        confront,
        options=SceneDefaults(situations=("bar_evening",)),
    )
    assert chosen.situations == ("bar_evening", "confrontation")


@pytest.mark.spec("LP-L10-overrides")
def test_settings_then_profile_then_options_override(bundled: Path) -> None:
    """Wick's profile has situations of its own; the last layer that speaks decides."""
    settings = SceneDefaults(situations=("arrival",), moods=("warm",), access="insider")
    own = _scene(bundled, "wick", settings=settings)
    assert own.situations == ("social", "night_shift")
    assert own.moods == ("warm",)
    assert own.access == "insider"
    options = SceneDefaults(situations=(), access="peer", trust="secret", location="drowned-chapel")
    asked = _scene(bundled, "wick", settings=settings, options=options)
    assert asked.situations == ()
    assert (asked.access, asked.trust, asked.location) == ("peer", "secret", "drowned-chapel")


def test_an_npc_without_a_profile_is_nowhere_known(bundled: Path) -> None:
    assert _scene(bundled, "sergeant-pell").location == "unknown"
