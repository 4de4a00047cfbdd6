"""Why: every reference leads to the units that prove it, or says what is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from campaigns import open_fixed, talebearer_here

from talebearer.campaign import Evidence
from talebearer.errors import UnknownReference


def walk(evidence: Evidence) -> Iterator[Evidence]:
    yield evidence
    for child in evidence.children:
        yield from walk(child)


def test_an_interaction_leads_through_its_occurrence_to_the_units(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        view = campaign.recall("Maelis Brandt").interactions[0]
        chain = campaign.why(view.id)
        kinds = [node.kind for node in walk(chain)]
        assert kinds[:3] == ["interaction", "occurrence", "transcript"]
        (occurrence,) = [node for node in walk(chain) if node.kind == "occurrence"]
        units = [node for node in walk(chain) if node.kind == "unit" and node.id]
        (stored,) = [item for item in campaign.occurrences() if item.id == occurrence.id]
        assert units[0].id == f"{stored.session}#{stored.quotes[0].unit_id}"
        assert stored.quotes[0].text in units[0].text
        assert campaign.why(stored.id).id == stored.id


def test_a_line_leads_through_its_gate_to_the_transcript(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk("Odo Renn")
        replies = [talk.say() for _ in range(25)]
        rests = [
            reply
            for reply in replies
            for gate in reply.gates
            if any(fact.startswith("interaction.jorik") for fact in gate.fact_ids)
        ]
        assert rests, "no line of Odo's rested on what passed with Jorik"
        chain = campaign.why(rests[0].reference or "")
        kinds = {node.kind for node in walk(chain)}
        assert {"line", "gate", "interaction", "occurrence", "transcript", "unit"} <= kinds
        short = (rests[0].reference or "").rpartition("/")[2]
        assert campaign.why(short) == chain


def test_a_learned_fact_names_the_line_that_told_it(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk("Maelis Brandt")
        learned = [fact for _ in range(30) for fact in talk.say().learned]
        assert learned
        fact_id = learned[0].id
        assert learned[0].description == campaign.pack.facts[fact_id]
        chain = campaign.why(fact_id)
        assert chain.kind == "fact"
        assert "told by npc:maelis-brandt" in chain.text
        assert [child.kind for child in chain.children] == ["line"]


@pytest.mark.spec("LP-L1-why-renamed")
def test_a_renamed_line_is_known_by_both_names_and_a_fact_by_what_was_heard(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        talk = campaign.talk("Maelis Brandt")
        reply = next(reply for reply in (talk.say() for _ in range(30)) if reply.learned)
        talk.complete()
    path, _, old = (reply.reference or "").partition(":")
    new = f"{old[:-3]}991"
    file = recorded / "content" / f"{path}.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace(f"- id: {old}\n", f"- id: {new}\n    aliases: [{old}]\n"), encoding="utf-8"
    )
    with open_fixed(recorded, read_only=True) as campaign:
        now = campaign.why(f"{path}:{new}")
        assert "was chosen at tick" in now.text
        assert "no longer has it" not in now.text
        assert campaign.why(f"{path}:{old}") == now
        (told,) = campaign.why(reply.learned[0].id).children
        assert told.id == f"{path}:{new}"
        assert told.text.startswith(f"from the line “{reply.text}”, at tick")
    file.unlink()
    with open_fixed(recorded, read_only=True) as campaign:
        (told,) = campaign.why(reply.learned[0].id).children
        assert told.text.startswith(f"from the line “{reply.text}”, at tick")
        assert told.text.endswith(", which the content no longer has")


def test_a_line_that_was_never_said_shows_what_it_waits_for(recorded: Path) -> None:
    with open_fixed(recorded) as campaign:
        line = next(
            line
            for pool in campaign.pack.dialogue_pools
            if pool.stem == "maelis-brandt"
            for line in pool.lines
            if any(getattr(gate, "state", None) == "walked_away" for gate in line.gates)
        )
        chain = campaign.why(line.id)
        assert "has not been said" in chain.text
        assert any("not met" in child.text for child in chain.children)


@pytest.mark.parametrize(
    ("reference", "part"),
    [
        ("interaction.maelis-brand_001", "interaction.maelis-brandt_001"),
        ("contraband.light_crates", "catalogue"),
        ("occurrence:session-01:0000", "did you mean"),
        ("nothing-of-the-kind_d_001", ""),
    ],
)
def test_a_reference_to_nothing(recorded: Path, reference: str, part: str) -> None:
    with open_fixed(recorded, read_only=True) as campaign:
        with pytest.raises(UnknownReference) as caught:
            campaign.why(reference)
        assert part in caught.value.hint


def test_an_id_that_several_pools_have_asks_for_the_pool(recorded: Path) -> None:
    with (
        open_fixed(recorded, read_only=True) as campaign,
        pytest.raises(UnknownReference) as caught,
    ):
        campaign.why("pc-detective_m_d_001")
    assert "monologue/detective/the-gilded-eel:pc-detective_m_d_001" in caught.value.hint


def test_why_on_the_command_line_is_a_tree(recorded: Path) -> None:
    result = talebearer_here("why", "interaction.maelis-brandt_001", cwd=recorded)
    assert result.code == 0, result.err
    assert "session-01.json, unit" in result.out
    assert "GM: " in result.out
