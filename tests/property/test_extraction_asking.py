"""Whatever a model sends, and in whatever order: no exception but ours, nothing unproved, same bytes."""

from __future__ import annotations

import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from talebearer.errors import BadModelOutput, TalebearerError
from talebearer.extraction import (
    ModelRequest,
    ModelRun,
    Player,
    ProviderSettings,
    Roster,
    ScriptedProvider,
    Session,
    decode_artifact,
    load_pipelines,
    run,
)
from talebearer.extraction.asking import make_prompt, plan_chunks
from talebearer.transcripts import Transcript, Unit
from talebearer.vocabulary import ArtifactKind, OccurrenceKind

ROSTER = Roster(
    players=(Player(name="Nia", characters=("Tavi Marsh",)),), game_masters=(Player(name="GM"),)
)
UNIT_COUNT = 24
TEXTS = st.lists(
    st.text(min_size=1, max_size=200).map(str.strip).filter(bool), min_size=1, max_size=25
)
NAMES = st.sampled_from(("Orla Finch", " Orla Finch ", "Dov Pell", "Zaphod", "Tavi Marsh", "", 3))
NUMBERS = st.one_of(st.integers(-2, UNIT_COUNT + 3), st.sampled_from((True, 1.5, "1", 10**30)))
RANGES = st.lists(
    st.dictionaries(st.sampled_from(("start", "end", "unit")), NUMBERS, max_size=3)
    | st.fixed_dictionaries({"start": NUMBERS, "end": NUMBERS}),
    max_size=3,
)
KINDS = st.sampled_from([*(kind.value for kind in OccurrenceKind), "romance", 7])
ITEMS = st.lists(
    st.fixed_dictionaries({"name": NAMES, "kind": KINDS, "ranges": RANGES})
    | st.fixed_dictionaries({"name": NAMES, "ranges": RANGES})
    | st.integers(),
    max_size=4,
)
REPLIES = st.one_of(
    st.builds(lambda items: json.dumps({"npcs": items}), ITEMS),
    st.builds(lambda items: json.dumps({"interactions": items}), ITEMS),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(("npcs", "interactions", "name")), inner, max_size=3)
        ),
        max_leaves=8,
    ).map(json.dumps),
    st.text(max_size=40),
    st.binary(max_size=40).map(lambda data: data.decode("utf-8", "surrogateescape")),
)


def made(texts: list[str]) -> Transcript:
    units = tuple(
        Unit(unit_id=number, speaker=("GM", "Nia")[number % 2], text=text)
        for number, text in enumerate(texts, 1)
    )
    return Transcript(source_id="s", digest="sha256:" + "0" * 64, format="text", units=units)


SESSION = made([f"Orla Finch and Dov Pell wait, {number}." for number in range(UNIT_COUNT)])


def model(answer, *, workers: int = 2) -> ModelRun:
    chosen = ProviderSettings(
        provider="scripted", model="m", chunk_tokens=200, context_units=2, workers=workers
    )
    return ModelRun(provider=ScriptedProvider(answer), settings=chosen)


@pytest.mark.spec("NI-val-hostile")
@settings(max_examples=80, deadline=None)
@given(replies=st.lists(REPLIES, min_size=1, max_size=4))
def test_any_reply_is_rejected_or_keeps_the_strict_contract(replies) -> None:
    count, lock = [0], threading.Lock()

    def answer(request: ModelRequest) -> str:
        with lock:
            count[0] += 1
            return replies[count[0] % len(replies)]

    rejected = None
    try:
        result = run(SESSION, ROSTER, model=model(answer))
    except BadModelOutput as error:
        rejected = error
    if rejected is not None:
        assert len(json.dumps(rejected.as_json())) < 12_000
        return
    decode_artifact(
        ArtifactKind.NPC_INTERACTION_LIST,
        result.interactions.encode(),
        transcript=SESSION,
        registry=decode_artifact(ArtifactKind.NPC_LIST, result.registry.encode()),
    )
    names = {npc["name"] for npc in result.registry.payload["npcs"]}
    assert names <= {"Orla Finch", "Dov Pell"}


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_the_order_in_which_replies_come_changes_no_byte(data) -> None:
    chunks = plan_chunks(SESSION, chunk_tokens=200, context_units=2)
    order = data.draw(st.permutations(range(len(chunks))))
    firsts = [chunks[index].first for index in order]

    def reply(request: ModelRequest) -> str:
        first = next(c.first for c in chunks if c.text == request.body)
        item = {"name": "Orla Finch", "ranges": [{"start": first, "end": first}]}
        if "interactions" in request.schema["properties"]:
            return json.dumps({"interactions": [{**item, "kind": "mentioned"}]})
        return json.dumps({"npcs": [item]})

    turn = threading.Condition()
    done: dict[str, list[int]] = {"npcs": [], "interactions": []}

    def in_turn(request: ModelRequest) -> str:
        (lane,) = request.schema["properties"]
        first = next(c.first for c in chunks if c.text == request.body)
        with turn:
            assert turn.wait_for(lambda: firsts[len(done[lane])] == first, 5)
            done[lane].append(first)
            turn.notify_all()
        return reply(request)

    expected = run(SESSION, ROSTER, model=model(reply, workers=1))
    shuffled = run(SESSION, ROSTER, model=model(in_turn, workers=len(chunks)))
    assert shuffled.interactions.encode() == expected.interactions.encode()
    assert shuffled.registry.encode() == expected.registry.encode()


@pytest.mark.spec("NI-prompt-stable")
@settings(max_examples=30, deadline=None)
@given(texts=TEXTS, names=st.lists(st.text(max_size=12), max_size=4), budget=st.integers(200, 900))
def test_the_prefix_is_the_same_bytes_for_every_chunk_and_run(texts, names, budget) -> None:
    session = Session(transcript=made(texts), roster=ROSTER, glossary={"Orla": ("Orly",)})
    prompt = make_prompt(ArtifactKind.NPC_INTERACTION_LIST, session, tuple(names))
    chunks = plan_chunks(session.transcript, chunk_tokens=budget, context_units=2)
    prefixes = {prompt.request(chunk, max_output_tokens=256).prefix for chunk in chunks}
    other = Session(transcript=SESSION, roster=ROSTER, glossary={"Orla": ("Orly",)})
    again = make_prompt(ArtifactKind.NPC_INTERACTION_LIST, other, tuple(names))
    assert prefixes == {again.prefix}


@settings(max_examples=40, deadline=None)
@given(texts=TEXTS, budget=st.integers(200, 900), context=st.integers(0, 5))
def test_chunks_hold_every_unit_once_and_a_line_each(texts, budget, context) -> None:
    transcript = made(texts)
    chunks = plan_chunks(transcript, chunk_tokens=budget, context_units=context)
    assert [unit for chunk in chunks for unit in chunk.units] == list(transcript.units)
    for chunk in chunks:
        heads = 1 + (2 if chunk.context else 0)
        assert chunk.text.count("\n") == len(chunk.units) + len(chunk.context) + heads


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_pipelines_or_a_list_of_problems(data) -> None:
    refused = None
    try:
        load_pipelines(data)
    except TalebearerError as error:
        refused = error
    assert refused is None or (refused.code == "TB107" and refused.data["problems"])
