"""Findings for other programs: SARIF, baselines that survive moves, editor schemas."""

import json
import shutil
from pathlib import Path

import pytest

from talebearer.content import (
    SCHEMAS,
    compare,
    dump_baseline,
    fingerprints,
    lint,
    load_baseline,
    sarif,
    schemas_for,
    write_schemas,
)
from talebearer.errors import CATALOGUE, InvalidBaseline, findings_content

FAULTS = Path(__file__).parents[2] / "fixtures" / "content" / "five-faults" / "content"
POOL = "campaigns/mire/dialogue/the-quay/ferryman.yaml"


@pytest.fixture
def faults(tmp_path: Path) -> Path:
    root = tmp_path / "content"
    shutil.copytree(FAULTS, root)
    return root


def log_of(root: Path, **kwargs) -> dict:
    return json.loads(sarif(root, lint(root), **kwargs))


@pytest.mark.spec("LP-8.2-sarif")
def test_a_log_has_the_structure_of_sarif_2_1_0():
    log = log_of(FAULTS)
    assert log["version"] == "2.1.0"
    assert set(log) == {"$schema", "version", "runs"}
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "talebearer"
    assert run["columnKind"] == "unicodeCodePoints"
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"] == CATALOGUE[rule["id"]].title
        assert rule["help"]["text"] == CATALOGUE[rule["id"]].fix
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    for result in run["results"]:
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        assert not place["artifactLocation"]["uri"].startswith(("/", "file:"))
        assert set(place.get("region", {})) <= {"startLine", "startColumn"}
        assert all(len(mark) == 64 for mark in result["partialFingerprints"].values())


@pytest.mark.spec("LP-8.2-sarif")
def test_a_result_stands_where_the_finding_does():
    problems, results = lint(FAULTS), log_of(FAULTS)["runs"][0]["results"]
    for problem, result in zip(problems, results, strict=True):
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == problem.where.file
        if problem.where.line is not None:
            region = {"startLine": problem.where.line, "startColumn": problem.where.column}
            assert place["region"] == region


def test_addresses_are_percent_encoded(tree):
    log = log_of(tree({"é #/dialogue/quay/odo.yaml": "nothing: 1\n"}))
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for r in log["runs"][0]["results"]}  # fmt: skip
    assert uris == {"content/%C3%A9%20%23/dialogue/quay/odo.yaml"}


def test_no_findings_are_a_log_without_results(tree):
    run = log_of(tree({}))["runs"][0]
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])


@pytest.mark.spec("LP-8.2-baseline-file")
def test_a_fingerprint_survives_what_is_written_above_it(faults):
    before = fingerprints(faults, lint(faults))
    path = faults / POOL
    text = path.read_text()
    first = text.index("  - id:")
    line = (
        "  - id: new_d_001\n    text: New.\n    role: ferryman\n    access: [public]\n"
        "    trust: surface\n    situation: [social]\n"
    )
    path.write_text("# a\n\n" + text[:first] + line + text[first:])
    assert sorted(fingerprints(faults, lint(faults))) == sorted(before)


@pytest.mark.spec("LP-8.2-baseline-file")
def test_known_findings_are_told_apart_from_new_ones(faults):
    baseline = load_baseline(dump_baseline(faults, lint(faults)))
    path = faults / POOL
    path.write_text(path.read_text().replace("text: 42", "text: Fine.") + "    tropic: []\n")
    found = compare(faults, lint(faults), baseline)
    assert [(p.code, "tropic" in p.message) for p in found.new] == [
        (findings_content.UNKNOWN_FIELD, True)
    ]
    assert len(found.known) == len(baseline) - len(found.gone)
    states = [r["baselineState"] for r in log_of(faults, baseline=baseline)["runs"][0]["results"]]
    assert states.count("new") == 1
    assert states.count("unchanged") == len(found.known)


def test_equal_findings_are_counted(tree):
    text = "location: quay\nrole: clerk\nlines:\n  - {}\n  - {}\n"
    root = tree({"dialogue/quay/odo.yaml": text})
    marks = fingerprints(root, lint(root))
    assert len(marks) == len(set(marks))
    baseline = load_baseline(dump_baseline(root, lint(root)))
    (root / "dialogue/quay/odo.yaml").write_text(text + "  - {}\n")
    assert {p.code for p in compare(root, lint(root), baseline).new} == {"TB420"}


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"format": "talebearer.lint-baseline", "version": 2, "findings": []}',
     b'{"format": "talebearer.lint-baseline", "version": 1, "findings": [{"fingerprint": "x"}]}',
     b'{"format": "talebearer.lint-baseline", "version": 1}', b"[" * 100_000, b"\xff"],
)  # fmt: skip
def test_what_is_no_baseline_is_refused(data):
    with pytest.raises(InvalidBaseline, match="TB120"):
        load_baseline(data)


@pytest.mark.spec("LP-11-schemas-stale")
def test_schemas_that_no_longer_fit_are_a_note(tree):
    root = tree({"global/enums/moods.yaml": "values: [{value: giddy}]\n"})
    write_schemas(root / "_schema")
    assert lint(root) == ()
    tree({"global/enums/moods.yaml": "values: [{value: calm}]\n"})
    found = lint(root)
    assert [(p.code, p.severity) for p in found] == [(findings_content.STALE_SCHEMA, "note")]
    assert "dialogue-pool.schema.json" in found[0].message
    write_schemas(root / "_schema")
    assert lint(root) == ()


def test_the_cache_sees_stale_schemas(tree, tmp_path):
    root = tree({"global/enums/moods.yaml": "values: [{value: giddy}]\n"})
    write_schemas(root / "_schema")
    cache = tmp_path / "cache"
    assert lint(root, cache=cache) == ()
    (root / "_schema" / "dialogue-pool.schema.json").write_text("{}")
    assert [p.code for p in lint(root, cache=cache)] == [findings_content.STALE_SCHEMA]


def test_the_schemas_of_a_folder_are_those_that_are_written(tree):
    root = tree({"global/enums/moods.yaml": "values: [{value: giddy}]\n"})
    write_schemas(root / "_schema")
    assert schemas_for(root) == {
        path.name: path.read_text() for path in sorted((root / "_schema").iterdir())
    }
    assert len(schemas_for(root)) == len(SCHEMAS)


def test_schemas_explain_themselves_to_editors():
    """Each has a title, a description and an example; every field says what it is for."""
    import jsonschema_rs

    for name, text in schemas_for(Path("nowhere")).items():
        schema = json.loads(text)
        assert schema["title"], name
        assert schema["description"], name
        for example in schema["examples"]:
            assert jsonschema_rs.Draft202012Validator(schema).is_valid(example), name
        for definition, part in schema.get("$defs", {}).items():
            assert "description" in part or "$ref" in part, f"{name}: {definition}"
