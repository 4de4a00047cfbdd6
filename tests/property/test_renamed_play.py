"""A character gets another name in the middle of a game: nothing of what is remembered or said changes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from campaigns import open_fixed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from talebearer import Campaign
from talebearer.content.editing import rename, write_changes
from talebearer.errors import TalebearerError

PEOPLE = ("odo-renn", "maelis-brandt", "wick", "jorik-thane")
ACTS = ("say", "confront", "walk", "bye", "think", "mind")
acts = st.tuples(st.sampled_from(ACTS), st.integers(0, 3), st.integers(0, 2))
scripts = st.lists(acts, min_size=1, max_size=9)
# Before and behind all others, so that no order may rest on names.
names = st.sampled_from(["aaa", "zz-top", "odo-marsh", "maelis"])


def play(
    campaign: Campaign, script: list[tuple[str, int, int]], called: dict[str, str]
) -> list[Any]:
    """Play *script* and return what came of each step; *called* has the names of today."""
    topics = [(), ("money",), ("trust",)]
    found: list[Any] = []
    for act, who, how in script:
        name = called.get(PEOPLE[who], PEOPLE[who])
        try:
            if act == "think":
                reply = campaign.think("detective", ("observe_npc", "enter_location")[how % 2])
                found.append(reply.text)
                continue
            if act == "mind":
                answer = campaign.game.line(
                    name, mind=f"npc:{called.get(PEOPLE[who - 1], PEOPLE[who - 1])}"
                )
                found.append(answer.pick and (answer.pick.text, answer.pick.line_id))
                continue
            talk = campaign.talk(name)
            reply = talk.say(*topics[how])
            found.append(
                (reply.text, reply.tick, reply.eligible, reply.probability, talk.history())
            )
            if act == "confront":
                found.append(talk.confront().state)
            if act in ("walk", "confront") and how:
                found.append([one.changed for one in talk.walk_away().consequences])
            elif act == "bye":
                found.append(talk.complete().state)
        except TalebearerError as error:
            found.append(error.code)
    return found


def known(campaign: Campaign, new: str, old: str) -> dict[str, Any]:
    """Return all that all minds know, with *old* in the place of *new*."""
    minds = {mind: campaign.graph(mind=mind) for mind in campaign.minds()}
    text = {mind: campaign.mind_text(mind=mind).replace(new, old) for mind in minds}
    return {mind.replace(new, old): sorted(text[mind].split("\n")) for mind in sorted(minds)}


@pytest.mark.spec("IM-M10-renamed-place")
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=scripts, after=scripts, new=st.sampled_from(["aaa", "zz-pier"]))
def test_the_same_is_said_and_thought_at_a_place_under_another_name(
    recorded_template: Path,
    tmp_path_factory: pytest.TempPathFactory,
    before: Any,
    after: Any,
    new: str,
) -> None:
    folder = tmp_path_factory.mktemp("moved")
    kept, moved = folder / "kept", folder / "moved"
    shutil.copytree(recorded_template, kept)
    with open_fixed(kept) as campaign:
        play(campaign, [*before, ("say", 0, 0), ("bye", 0, 0)], {})
    shutil.copytree(kept, moved)
    for name in ("first", new):
        old = "tollhouse-quay" if name == "first" else "first"
        write_changes(rename(moved / "content", "location", old, name).changes)
    script = [("think", 0, 0), ("think", 0, 1), *after]
    with open_fixed(kept) as here, open_fixed(moved) as there:
        assert play(there, script, {}) == play(here, script, {})
    shutil.rmtree(folder)


@pytest.mark.spec("IM-M10-renamed")
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=scripts, after=scripts, who=st.integers(0, 3), new=names)
def test_the_same_is_said_and_remembered_under_another_name(
    recorded_template: Path, tmp_path_factory: pytest.TempPathFactory,
    before: Any, after: Any, who: int, new: str,
) -> None:  # fmt: skip
    old = PEOPLE[who]
    folder = tmp_path_factory.mktemp("renamed")
    kept, moved = folder / "kept", folder / "moved"
    shutil.copytree(recorded_template, kept)
    with open_fixed(kept) as campaign:
        play(campaign, before, {})
    shutil.copytree(kept, moved)
    write_changes(rename(moved / "content", "npc", old, new).changes)
    with open_fixed(kept) as here, open_fixed(moved) as there:
        assert known(there, new, old) == known(here, new, old)
        assert play(there, after, {old: new}) == play(here, after, {})
        assert known(there, new, old) == known(here, new, old)
    with open_fixed(moved) as there:
        assert all(there.replay(mind=mind) for mind in there.minds())
        assert there.doctor().faults == ()
        assert f"npc:{old}" not in there.minds()
    write_changes(rename(moved / "content", "npc", new, old).changes)
    with open_fixed(kept) as here, open_fixed(moved) as there:
        assert known(there, new, old) == known(here, new, old)
        assert play(there, before, {}) == play(here, before, {})
    shutil.rmtree(folder)
