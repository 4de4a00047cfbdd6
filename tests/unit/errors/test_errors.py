"""The error tree: codes, exit codes, suggestions, and places in words."""

from __future__ import annotations

import pytest

from talebearer import errors
from talebearer.errors import (
    CATALOGUE,
    IllegalTransition,
    InputError,
    ProviderError,
    StoreError,
    TalebearerError,
    Where,
    nearest,
)

CLASSES = [
    value
    for name in errors.__all__
    if isinstance(value := getattr(errors, name), type)
    and issubclass(value, TalebearerError)
    and value.code
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_class_is_in_the_catalogue_with_a_way_out(kind: type[TalebearerError]) -> None:
    entry = CATALOGUE[kind.code]
    assert entry.title
    assert entry.text
    assert entry.fix
    expected = {InputError: 2, StoreError: 3, ProviderError: 4}
    exits = [code for base, code in expected.items() if issubclass(kind, base)]
    assert kind.exit_code == (exits[0] if exits else 70)


def test_an_error_is_json_ready_and_falls_back_to_the_way_out() -> None:
    error = IllegalTransition("no", data={"state": "completed"})
    assert str(error) == "TB101: no"
    assert error.as_json() == {
        "code": "TB101",
        "message": "no",
        "hint": IllegalTransition.fix,
        "data": {"state": "completed"},
    }


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (Where(), "-"),
        (Where(file="a.yaml", line=3, column=7), "a.yaml:3:7"),
        (Where(first_unit=12, last_unit=13), "units 12–13"),
        (Where(first_unit=12, last_unit=12), "unit 12"),
        (Where(pointer="$.lines[3].trust"), "$.lines[3].trust"),
    ],
)
def test_a_place_reads_as_a_person_would_write_it(where: Where, text: str) -> None:
    assert str(where) == text


def test_nearest_finds_slips_and_parts_whatever_the_case() -> None:
    names = ["Maelis Brandt", "Odo Renn", "Halene Voss"]
    assert nearest("Malis Brant", names) == ("Maelis Brandt",)
    assert nearest("maelis", names) == ("Maelis Brandt",)
    assert nearest("zzzz", names) == ()


def test_a_file_name_with_a_line_break_leaves_a_finding_on_one_line() -> None:
    assert str(Where(file="a\nb\u2028.yaml", line=3)) == "a\\nb\\u2028.yaml:3"


@pytest.mark.spec("KM-artifact-no-paths")
@pytest.mark.parametrize("name", ["path", "file"])
def test_a_place_on_this_machine_stays_on_it(name: str) -> None:
    place = "/srv/secret/talebearer.db"
    error = errors.StoreFull(f"no space left while writing {place}", data={name: place})
    assert place in error.message
    assert error.as_wire()["message"] == "no space left while writing talebearer.db"
    known = errors.ArtifactDamaged(f"{place} is missing", data={name: place, "key": "sha256/00"})
    assert known.as_wire()["message"] == "sha256/00 is missing"
