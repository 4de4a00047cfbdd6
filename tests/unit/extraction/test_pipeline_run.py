import json

import pytest

from talebearer.errors import InvalidArtifact, Problem, Severity, UsageFault
from talebearer.errors import findings_extraction as found
from talebearer.extraction import (
    Component,
    Components,
    Role,
    Session,
    built_in,
    load_pipelines,
    run,
    run_pipeline,
)
from talebearer.vocabulary import ArtifactKind

EXTERNAL = b"""
pipelines:
  p:
    input: transcript
    steps:
      - id: only
        references: {npcs: {external: cast}}
        artifacts:
          interactions: {extract: dnd/npc-interactions, normalize: dnd/npc-interactions}
"""
RULES = b"""
pipelines:
  p:
    input: transcript
    steps:
      - id: first
        artifacts:
          npcs: {extract: rules/npcs, normalize: dnd/npcs}
      - id: second
        references: {npcs: {artifact: {step: first, lane: npcs}}}
        artifacts:
          interactions: {extract: dnd/npc-interactions, normalize: dnd/npc-interactions}
"""
OWN = b"""
pipelines:
  p:
    input: transcript
    steps:
      - id: first
        artifacts:
          npcs:
            extract: mine/npcs
            normalize: dnd/npcs
            validate: {extract: [mine/strict]}
      - id: second
        references: {npcs: {artifact: {step: first, lane: npcs}}}
        artifacts:
          interactions: {extract: dnd/npc-interactions, normalize: dnd/npc-interactions}
"""
ONE = [{"name": "Orla Finch", "ranges": [{"start": 1, "end": 1}]}]


def own(propose, *, strict=lambda subject: []) -> Components:
    npcs = ArtifactKind.NPC_LIST
    mine = [
        Component(key="mine/npcs", role=Role.EXTRACT, version="7", kind=npcs, work=propose),
        Component(key="mine/strict", role=Role.VALIDATE, work=strict),
    ]
    return Components([*built_in(), *mine], plugged_in=())


@pytest.mark.spec("NI-pipe-external")
def test_a_registry_from_outside_fills_the_slot(session, roster, registry, model, answer) -> None:
    pipeline = load_pipelines(EXTERNAL)["p"]
    cast = registry(["Orla Finch"], "another-session")
    asked = []

    def one(request):
        asked.append(request)
        return answer(request).replace("Dov Pell", "Orla Finch")

    result = run(session(20), roster, pipeline=pipeline, externals={"cast": cast}, model=model(one))
    assert result.registry == cast
    assert {item["name"] for item in result.interactions.payload["interactions"]} == {"Orla Finch"}
    assert "another-session" not in result.interactions.encode().decode()
    assert all("npcs_response" not in request.schema_name for request in asked)
    lane = result.manifest["pipeline"]["steps"][0]["lanes"]["interactions"]
    assert lane["references"] == {"npcs": {"external": "cast", "digest": cast.digest}}


@pytest.mark.spec("NI-pipe-external")
def test_a_missing_or_incompatible_external_artifact_stops_before_anything_runs(
    session, roster, model, answer
) -> None:
    pipeline = load_pipelines(EXTERNAL)["p"]
    assert pipeline.externals == ("cast",)
    asked = []

    def keep(request):
        asked.append(request)
        return answer(request)

    with pytest.raises(UsageFault, match="'cast'"):
        run(session(8), roster, pipeline=pipeline, model=model(keep))
    interactions = run(session(8), roster).interactions
    with pytest.raises(InvalidArtifact, match="needs dnd/npc-list"):
        run(
            session(8),
            roster,
            pipeline=pipeline,
            externals={"cast": interactions},
            model=model(keep),
        )
    assert not asked


def test_the_embedded_rules_are_one_choice_of_component(session, roster, model, answer) -> None:
    lanes = []

    def keep(request):
        lanes.extend(request.schema["properties"])
        return answer(request)

    result = run(session(20), roster, pipeline=load_pipelines(RULES)["p"], model=model(keep))
    assert set(lanes) == {"interactions"}
    assert result.registry == run(session(20), roster).registry
    steps = result.manifest["pipeline"]["steps"]
    assert steps[0]["lanes"]["npcs"]["extractor"]["name"] == "rules"
    assert result.manifest["draft"] is True


def test_a_pipeline_takes_only_its_input(session, roster) -> None:
    pipeline = load_pipelines(RULES.replace(b"input: transcript", b"input: webvtt"))["p"]
    with pytest.raises(UsageFault, match="takes webvtt, not text"):
        run(session(8), roster, pipeline=pipeline)


def test_components_of_others_propose_and_are_named_in_the_manifest(session, roster) -> None:
    components = own(lambda session, names: ONE)
    result = run(session(8), roster, pipeline=load_pipelines(OWN, components=components)["p"])
    assert [npc["name"] for npc in result.registry.payload["npcs"]] == ["Orla Finch"]
    lane = result.manifest["pipeline"]["steps"][0]["lanes"]["npcs"]
    assert lane["extract"] == {"key": "mine/npcs", "version": "7"}
    assert lane["extractor"] == {"name": "mine/npcs", "version": "7"}


@pytest.mark.spec("NI-pipe-consumer-blocked")
@pytest.mark.parametrize(
    "proposed",
    [
        None,
        "words",
        [1],
        [{"name": "Orla Finch"}],
        [{"name": "Orla Finch", "ranges": [{"start": 1, "end": 99}]}],
        [{"name": "Orla Finch", "ranges": [{"start": 1, "end": 1}], "mood": "bad"}],
        [{"name": float("nan"), "ranges": []}],
        [{"name": object()}],
    ],
)
def test_what_a_component_proposes_keeps_the_contract_whatever_the_chain(
    session, roster, proposed
) -> None:
    pipeline = load_pipelines(OWN, components=own(lambda session, names: proposed))["p"]
    told = []
    with pytest.raises(InvalidArtifact):
        run(session(8), roster, pipeline=pipeline, progress=lambda *step: told.append(step))
    assert told == []


def finding(severity: Severity) -> Problem:
    return Problem(code=found.UNRELATED_SOURCE, severity=severity, message="mine")


@pytest.mark.spec("NI-val-chain")
def test_validators_of_others_reject_with_errors_and_tell_with_warnings(session, roster) -> None:
    def load(severity):
        components = own(lambda session, names: ONE, strict=lambda subject: [finding(severity)])
        return load_pipelines(OWN, components=components)["p"]

    with pytest.raises(InvalidArtifact, match="mine"):
        run(session(8), roster, pipeline=load(Severity.ERROR))
    result = run(session(8), roster, pipeline=load(Severity.WARNING))
    assert "mine" in [problem.message for problem in result.problems]


@pytest.mark.spec("NI-val-relatedness")
def test_evidence_without_the_name_is_a_warning_and_stays(
    transcript, roster, registry, model
) -> None:
    text = "GM: Orla Finch waves.\n" + "GM: It rains.\n" * 20
    reply = {"name": "Orla Finch", "kind": "mentioned"}

    def far(request):
        return json.dumps({"interactions": [{**reply, "ranges": [{"start": 18, "end": 19}]}]})

    result = run(
        transcript(text),
        roster,
        pipeline=load_pipelines(EXTERNAL)["p"],
        externals={"cast": registry(["Orla Finch"])},
        model=model(far, settings={"chunk_tokens": 8000}),
    )
    assert result.interactions.metadata == {"interaction_count": 1}
    (warning,) = [one for one in result.problems if one.code == "TB634"]
    assert (warning.severity, warning.where.first_unit, warning.where.last_unit) == (
        "warning",
        18,
        19,
    )
    assert "Orla" not in str(warning)


def test_run_pipeline_gives_every_artifact_by_step_and_lane(session, roster) -> None:
    made = run_pipeline(
        load_pipelines(RULES)["p"], Session(transcript=session(8), roster=roster, glossary={})
    )
    assert list(made.artifacts) == ["first/npcs", "second/interactions"]


@pytest.mark.spec("NI-pipe-manifest")
def test_the_manifest_has_identities_digests_and_fingerprints_and_no_contents(
    session, roster, model, answer
) -> None:
    result = run(session(20), roster, glossary={"Orla Finch": ("Finchy",)}, model=model(answer))
    text = json.dumps(result.manifest)
    for word in ("Orla", "Finchy", "Tavi", "ropes", "unit_id", "start", "You read part"):
        assert word not in text, word
    lane = result.manifest["pipeline"]["steps"][1]["lanes"]["interactions"]
    assert lane["references"]["npcs"]["digest"] == result.registry.digest
    assert lane["prompt"]["response_schema"]["name"] == "interactions_response_v1"
    assert lane["artifact"] == result.interactions.digest
    again = run(session(20), roster, glossary={"Orla Finch": ("Other",)}, model=model(answer))
    other = again.manifest["pipeline"]["steps"][1]["lanes"]["interactions"]
    assert other["fingerprint"] != lane["fingerprint"]


def test_a_pipeline_without_both_lists_is_no_session(session, roster) -> None:
    text = RULES[: RULES.index(b"      - id: second")]
    with pytest.raises(UsageFault, match="makes no dnd/npc-interaction-list"):
        run(session(8), roster, pipeline=load_pipelines(text)["p"])
