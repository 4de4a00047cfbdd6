"""The schema that editors check campaign.toml with knows what the program reads."""

from __future__ import annotations

import dataclasses
import tomllib
from importlib.resources import files
from pathlib import Path

import jsonschema_rs
import pytest
import tomlkit

from talebearer.campaign import Campaign, load_config
from talebearer.content import schema_of
from talebearer.errors import InvalidCampaign
from talebearer.extraction import ProviderSettings

SCHEMA = schema_of("campaign")
VALIDATOR = jsonschema_rs.Draft202012Validator(SCHEMA)


def read(folder: Path, table: dict[str, object]) -> None:
    """Have the program read *table* as a campaign.toml."""
    path = folder / "campaign.toml"
    path.write_text(tomlkit.dumps(table))
    load_config(path)


def test_a_new_campaign_s_settings_and_the_bundled_one_s_are_valid(tmp_path: Path) -> None:
    with Campaign.create(tmp_path / "new", name="New"):
        pass
    bundled = files("talebearer") / "bundled" / "drowned-bell" / "campaign.toml"
    for text in ((tmp_path / "new" / "campaign.toml").read_text(), bundled.read_text()):
        assert text.startswith("#:schema content/_schema/campaign.schema.json\n")
        assert [error.message for error in VALIDATOR.iter_errors(tomllib.loads(text))] == []


def test_the_program_reads_every_key_of_the_schema_and_no_other(tmp_path: Path) -> None:
    with pytest.raises(InvalidCampaign) as caught:
        read(tmp_path, {"id": "a", **{f"{key}x": 1 for key in SCHEMA["properties"]}})
    unknown = {p["where"]["pointer"] for p in caught.value.data["problems"]}
    assert len(unknown) == len(SCHEMA["properties"])
    for key in sorted(SCHEMA["properties"]):
        assert not _is_unknown(tmp_path, key), key


def _is_unknown(tmp_path: Path, key: str) -> bool:
    try:
        read(tmp_path, {"id": "a", key: "a"})
    except InvalidCampaign as error:
        return "unknown key" in error.message
    return False


def test_the_provider_s_settings_are_those_of_the_schema() -> None:
    fields = {field.name for field in dataclasses.fields(ProviderSettings)}
    assert set(SCHEMA["properties"]["provider"]["properties"]) == fields


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"id": "a b"},
        {"id": "a", "seed": -1},
        {"id": "a", "sessions": ["a", "a"]},
        {"id": "a", "roster": [{"labels": ["x"]}]},
        {"id": "a", "game_masters": [{"labels": ["x"]}]},
        {"id": "a", "scene": {"location": "The Quay"}},
        {"id": "a", "clock": {"ticks_per_second": 0}},
        {"id": "a", "decay": {"facts": {"hearsay": 1}}},
        {"id": "a", "provider": {"workers": 0}},
    ],
)
def test_schema_and_program_refuse_the_same(tmp_path: Path, wrong: dict[str, object]) -> None:
    assert not VALIDATOR.is_valid(wrong)
    with pytest.raises(InvalidCampaign):
        read(tmp_path, wrong)
