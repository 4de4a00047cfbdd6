import json

import pytest

from talebearer.errors import InvalidArtifact, UnknownProvider
from talebearer.extraction import (
    EXTRACTORS,
    Roster,
    decode_artifact,
    extract_interactions,
    extract_npcs,
    run,
)
from talebearer.vocabulary import ArtifactKind

SESSION = """
GM: You meet Orla Finch at the ferry. “You are late,” says Orla.
Nia: “Sorry, Orla.”
Zed: Who wants tea?
GM: Orla nods.
"""


@pytest.mark.spec("NI-pipe-two-steps")
def test_both_lanes_run_in_order_and_agree_with_the_single_calls(transcript, roster) -> None:
    session = transcript(SESSION)
    told: list[tuple[str, int, int]] = []
    result = run(session, roster, progress=lambda *step: told.append(step))
    assert result.registry == extract_npcs(session, roster)
    assert result.interactions == extract_interactions(session, roster, result.registry)
    assert told == [("npcs", 1, 2), ("interactions", 2, 2)]


@pytest.mark.spec("NI-reg-required")
def test_an_artifact_that_is_no_registry_stops_the_lane(transcript, roster) -> None:
    session = transcript(SESSION)
    interactions = run(session, roster).interactions
    with pytest.raises(InvalidArtifact) as caught:
        extract_interactions(session, roster, interactions)
    assert caught.value.code == "TB110"


@pytest.mark.spec("NI-pipe-manifest")
def test_the_manifest_has_identities_and_no_contents(transcript, roster) -> None:
    result = run(transcript(SESSION), roster, glossary={"Dov Pell": ("Dovvy",)})
    text = json.dumps(result.manifest)
    assert "Orla" not in text
    assert "Dov" not in text
    assert "unit_id" not in text
    assert result.manifest["draft"] is True
    assert result.manifest["extractor"] == {"name": "rules", "version": "3"}
    consumed = result.manifest["artifacts"]["interactions"]["consumes"]
    assert consumed == {"npcs": result.registry.digest}
    assert result.manifest["artifacts"]["npcs"]["metadata"] == {"npc_count": 1}


def test_speakers_without_a_role_are_warned_of(transcript, roster) -> None:
    (problem,) = run(transcript(SESSION), roster).problems
    assert (problem.code, problem.severity, problem.where.first_unit) == ("TB620", "warning", 3)


def test_a_table_without_game_master_is_warned_of(transcript) -> None:
    problems = run(transcript("A: Hello."), Roster()).problems
    assert [problem.code for problem in problems] == ["TB620", "TB621"]
    assert [str(problem).startswith("-") for problem in problems] == [False, False]


def test_an_unknown_extractor_is_refused_with_those_there_are(transcript, roster) -> None:
    with pytest.raises(UnknownProvider) as caught:
        run(transcript(SESSION), roster, extractor="rule")
    assert caught.value.code == "TB301"
    assert "rules" in caught.value.hint
    assert EXTRACTORS == ("rules",)


def test_what_is_extracted_passes_its_own_contract(transcript, roster) -> None:
    session = transcript(SESSION)
    result = run(session, roster)
    again = decode_artifact(ArtifactKind.NPC_LIST, result.registry.encode(), transcript=session)
    assert again == result.registry


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["A" * 300_000, "a'" * 100_000, '"' * 200_000, "Zork says “hi”. " * 5_000, "Zork, " * 10_000],
)
def test_long_units_of_any_shape_are_read_in_one_pass(transcript, roster, text) -> None:
    session = transcript(f"GM: {text}\nGM: You meet Zork. Zork nods.")
    assert run(session, roster).registry.metadata["npc_count"] <= 1
