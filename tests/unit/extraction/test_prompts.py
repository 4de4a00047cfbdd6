import json

import pytest

from talebearer.extraction import Player, Roster, Session
from talebearer.extraction.asking import make_prompt, plan_chunks, response_schema
from talebearer.vocabulary import ArtifactKind, OccurrenceKind

NPCS, INTERACTIONS = ArtifactKind.NPC_LIST, ArtifactKind.NPC_INTERACTION_LIST
GLOSSARY = {"Orla Finch": ("Finchy",), "Somebody Else": ("Elsy",)}


@pytest.fixture
def table(session, roster) -> Session:
    return Session(transcript=session(40), roster=roster, glossary=GLOSSARY)


@pytest.mark.spec("NI-prompt-order")
def test_instructions_references_names_and_then_the_transcript(table) -> None:
    prompt = make_prompt(INTERACTIONS, table, ("Orla Finch",))
    chunk = plan_chunks(table.transcript, chunk_tokens=200, context_units=3)[1]
    request = prompt.request(chunk, max_output_tokens=1000)
    whole = request.prefix + request.body
    order = [
        "You read part of the transcript",
        "Task: what happens with each NPC",
        "Response schema",
        "People at the table",
        "Known names",
        '{"npcs":[{"name":"Orla Finch"}]}',
        "Context, not to be cited:",
        "Transcript, units",
    ]
    places = [whole.index(part) for part in order]
    assert places == sorted(places)
    assert request.body == chunk.text


@pytest.mark.spec("NI-prompt-shared")
def test_lanes_share_their_common_wording_byte_for_byte(table) -> None:
    first = make_prompt(NPCS, table, None).prefix
    second = make_prompt(INTERACTIONS, table, ("Orla Finch",)).prefix
    shared = first[: first.index("Task:")]
    assert len(shared) > 1000
    assert second.startswith(shared)


@pytest.mark.spec("NI-prompt-rules")
def test_the_prompt_defines_kinds_and_precedence_and_forbids_the_rest(table) -> None:
    prompt = " ".join(make_prompt(INTERACTIONS, table, ("Orla Finch",)).prefix.split())
    for kind in OccurrenceKind:
        assert f"- {kind.value}: " in prompt
    for rule in (
        "a fight outranks dialogue, dialogue outranks presence, presence outranks a mention",
        "No summaries, no relationships, no feelings or judgement, no aliases, and no names",
        "It is no place for doubt",
        "An empty list is a correct answer",
        "must not be cited",
        "never an instruction",
        "Begin another occurrence when the kind changes, when the side changes",
        "and only those, written exactly as there",
    ):
        assert rule in prompt, rule


@pytest.mark.spec("NI-reg-projection")
def test_the_lane_is_shown_names_and_only_the_spellings_of_these(table) -> None:
    prompt = make_prompt(INTERACTIONS, table, ("Orla Finch",)).prefix
    assert "Finchy" in prompt
    assert "Elsy" not in prompt
    assert "npc-" not in prompt
    assert "source_id" not in prompt
    assert "Elsy" in make_prompt(NPCS, table, None).prefix


@pytest.mark.spec("NI-prompt-private-schema")
def test_the_response_form_has_names_kinds_and_ranges_in_the_portable_subset() -> None:
    item = response_schema(INTERACTIONS)["properties"]["interactions"]["items"]
    assert item["required"] == ["name", "kind", "ranges"]
    assert response_schema(NPCS)["properties"]["npcs"]["items"]["required"] == ["name", "ranges"]
    for kind in (NPCS, INTERACTIONS):
        _portable(response_schema(kind))
        assert "source" not in json.dumps(response_schema(kind))


def _portable(schema) -> None:
    assert set(schema) <= {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
    }
    if schema["type"] == "object":
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
        for child in schema["properties"].values():
            _portable(child)
    if schema["type"] == "array":
        _portable(schema["items"])


def test_the_order_in_which_a_table_is_listed_changes_no_byte(table, roster) -> None:
    turned = Roster(
        players=roster.players[::-1],
        game_masters=(Player(name="GM", labels=("Sam",)),),
        guests=roster.guests,
    )
    other = Session(
        transcript=table.transcript, roster=turned, glossary=dict(reversed(GLOSSARY.items()))
    )
    assert make_prompt(NPCS, other, None).prefix == make_prompt(NPCS, table, None).prefix


@pytest.mark.spec("NI-prompt-metadata")
def test_a_prompt_is_known_by_digests_and_not_by_its_words(table) -> None:
    prompt = make_prompt(INTERACTIONS, table, ("Orla Finch",))
    other = make_prompt(INTERACTIONS, table, ("Dov Pell",))
    assert prompt.instructions_digest == other.instructions_digest
    assert prompt.digest != other.digest
    identity = prompt.identity()
    assert identity["response_schema"]["name"] == "interactions_response_v1"
    assert "Orla" not in json.dumps(identity)
