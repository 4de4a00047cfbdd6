import pytest

from talebearer.errors import InvalidCampaign
from talebearer.extraction import Stage, default_chain, default_pipelines, load_pipelines
from talebearer.vocabulary import ArtifactKind

NPC_STEP = """
      - id: identify-npcs
        artifacts:
          npcs:
            extract: dnd/npcs
            normalize: dnd/npcs
"""
INTERACTION_STEP = """
      - id: extract-interactions
        references:
          npcs:
            artifact:
              step: identify-npcs
              lane: npcs
        artifacts:
          interactions:
            extract: dnd/npc-interactions
            normalize: dnd/npc-interactions
"""


def written(*steps: str, given: str = "seriatim") -> bytes:
    body = "".join(step.lstrip("\n") for step in steps)
    return f"pipelines:\n  p:\n    input: {given}\n    steps:\n{body}".encode()


GOOD = written(NPC_STEP, INTERACTION_STEP)


def problems_of(data: bytes) -> list[dict]:
    with pytest.raises(InvalidCampaign) as caught:
        load_pipelines(data, file="pipelines.yaml")
    assert caught.value.code == "TB107"
    return caught.value.data["problems"]


@pytest.mark.spec("NI-pipe-yaml")
def test_the_two_steps_load_as_written() -> None:
    pipeline = load_pipelines(GOOD)["p"]
    assert [step.id for step in pipeline.steps] == ["identify-npcs", "extract-interactions"]
    lane = pipeline.steps[1].lanes[0]
    assert (lane.extract.key, lane.normalize.key) == ("dnd/npc-interactions",) * 2
    assert (lane.bindings["npcs"].step, lane.bindings["npcs"].lane) == ("identify-npcs", "npcs")
    assert lane.kind is ArtifactKind.NPC_INTERACTION_LIST
    assert pipeline.input == "seriatim"


@pytest.mark.spec("NI-pipe-yaml")
def test_a_new_campaign_gets_the_same_steps() -> None:
    pipeline = load_pipelines(default_pipelines())["dnd-npc-interactions"]
    assert [step.id for step in pipeline.steps] == ["identify-npcs", "extract-interactions"]
    assert pipeline.input == "transcript"


@pytest.mark.spec("NI-val-chain")
def test_the_default_chains_stand_in_the_order_of_the_contract() -> None:
    lane = load_pipelines(GOOD)["p"].steps[1].lanes[0]
    prefix = "dnd/npc-interactions"
    assert [one.key for one in lane.chains[Stage.EXTRACT]] == [
        "generic/valid_json",
        f"{prefix}/shape",
        f"{prefix}/registry",
        f"{prefix}/source-refs",
        "generic/valid_json_schema",
        f"{prefix}/relatedness",
    ]
    assert [one.key for one in lane.chains[Stage.NORMALIZE]] == [
        "generic/valid_json",
        f"{prefix}/shape",
        f"{prefix}/registry",
        f"{prefix}/source-refs",
        "generic/valid_json_schema",
        f"{prefix}/invariants",
        f"{prefix}/relatedness",
    ]
    assert [one.warning_only for one in lane.chains[Stage.NORMALIZE]] == [False] * 6 + [True]


@pytest.mark.spec("NI-val-chain")
def test_a_lane_may_choose_its_chains() -> None:
    chosen = NPC_STEP + (
        "            validate:\n"
        "              extract: [generic/valid_json, dnd/npcs/shape]\n"
        "              normalize: [dnd/npcs/invariants]\n"
    )
    lane = load_pipelines(written(chosen))["p"].steps[0].lanes[0]
    assert [one.key for one in lane.chains[Stage.EXTRACT]] == [
        "generic/valid_json",
        "dnd/npcs/shape",
    ]
    assert [one.key for one in lane.chains[Stage.NORMALIZE]] == ["dnd/npcs/invariants"]
    kept = written(chosen.replace("normalize: [dnd/npcs/invariants]\n", ""))
    lane = load_pipelines(kept)["p"].steps[0].lanes[0]
    kind = ArtifactKind.NPC_LIST
    assert tuple(one.key for one in lane.chains[Stage.NORMALIZE]) == default_chain(
        kind, Stage.NORMALIZE
    )


SLOT = "          npcs:\n            artifact:"
CHANGES = {
    "unknown component": ("extract: dnd/npcs", "extract: dnd/npcz", "TB631", (8, 22)),
    "a role that it has not": ("extract: dnd/npcs", "extract: dnd/npcs/shape", "TB631", (8, 22)),
    "another normaliser": ("ize: dnd/npcs\n", "ize: dnd/npc-interactions\n", "TB630", (9, 24)),
    "unknown member": ("normalize: dnd/npcs\n", "normalise: dnd/npcs\n", "TB630", (9, 24)),
    "missing member": ("normalize: dnd/npcs\n", "normalise: dnd/npcs\n", "TB630", (8, 13)),
    "unknown step": ("step: identify-npcs", "step: identify-npc", "TB632", (14, 15)),
    "unknown lane": ("lane: npcs", "lane: people", "TB632", (14, 15)),
    "unknown input": ("input: seriatim", "input: serial", "TB630", (3, 12)),
    "step twice": ("id: extract-interactions", "id: identify-npcs", "TB630", (10, 13)),
    "a bad step id": ("id: identify-npcs", "id: ../up", "TB630", (5, 13)),
    "a bad lane name": ("          interactions:", "          Inter/actions:", "TB630", (18, 13)),
    "slot not bound": (SLOT, SLOT.replace("npcs", "cast"), "TB632", (18, 13)),
    "slot not used": (SLOT, SLOT.replace("npcs", "cast"), "TB632", (13, 13)),
}


@pytest.mark.spec("NI-pipe-checked-first")
@pytest.mark.parametrize("case", CHANGES)
def test_what_is_wrong_is_found_with_its_place(case) -> None:
    old, new, code, place = CHANGES[case]
    text = GOOD.decode()
    assert old in text
    problems = problems_of(text.replace(old, new, 1).encode())
    found = [one for one in problems if one["code"] == code]
    assert found, problems
    assert place in [(one["where"]["line"], one["where"]["column"]) for one in found]


@pytest.mark.spec("NI-pipe-checked-first")
def test_all_problems_come_at_once() -> None:
    text = GOOD.decode().replace("dnd/npcs", "dnd/x").replace("seriatim", "serial")
    assert len(problems_of(text.encode())) >= 3


@pytest.mark.spec("NI-pipe-order")
def test_a_step_refers_only_to_earlier_ones() -> None:
    (problem,) = problems_of(written(INTERACTION_STEP, NPC_STEP))
    assert problem["code"] == "TB632"
    assert "no step comes before" in problem["hint"]
    own = INTERACTION_STEP.replace("step: identify-npcs", "step: extract-interactions")
    assert problems_of(written(own))[0]["code"] == "TB632"


@pytest.mark.spec("NI-reg-required")
def test_the_registry_slot_must_be_bound() -> None:
    head, _, tail = INTERACTION_STEP.partition("        references:")
    unbound = head + "        artifacts:" + tail.partition("        artifacts:")[2]
    (problem,) = problems_of(written(NPC_STEP, unbound))
    assert problem["code"] == "TB632"
    assert "'npcs' is not bound" in problem["message"]


def test_a_slot_is_not_filled_by_another_kind() -> None:
    third = (
        INTERACTION_STEP.replace("id: extract-interactions", "id: third")
        .replace("step: identify-npcs", "step: extract-interactions")
        .replace("lane: npcs", "lane: interactions")
    )
    (problem,) = problems_of(written(NPC_STEP, INTERACTION_STEP, third))
    assert (problem["code"], "not dnd/npc-interaction-list" in problem["message"]) == (
        "TB632",
        True,
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "pipelines:",
        "pipelines: {}",
        "pipelines: {p: {input: transcript, steps: []}}",
        "pipelines: {p: {input: transcript, steps: [{id: a, artifacts: {}}]}}",
        "pipelines: {p: {input: transcript, steps: [{id: a, artifacts: []}]}}",
        "a: [",
        "a: &x 1\nb: *x",
        "pipelines: {p: {input: transcript}, p: {input: transcript}}",
        "? [a]\n: 1",
        "[" * 5000,
        "pipelines: !!python/object/apply:os.system [true]",
        "\x00",
        "a: 1\n---\nb: 2",
    ],
)
def test_anything_else_is_refused_with_a_line(text) -> None:
    for problem in problems_of(text.encode()):
        assert problem["where"]["line"] >= 1


def test_bytes_that_are_no_text_and_files_without_end_are_refused() -> None:
    assert problems_of(b"\xff\xfe\x00")
    assert "bytes" in problems_of(b"#" * (256 * 1024 + 1))[0]["message"]


def test_words_stay_words() -> None:
    text = GOOD.decode().replace("npcs:\n            extract", "no:\n            extract")
    text = text.replace("lane: npcs", "lane: no")
    assert load_pipelines(text.encode())["p"].steps[0].lanes[0].name == "no"
