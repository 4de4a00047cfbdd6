"""campaign.toml: every setting, and every fault at once."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from talebearer.campaign import Campaign, load_config
from talebearer.errors import InvalidCampaign

GOOD = """
id = "c"
name = "A campaign"
seed = 7
sessions = ["one", "two"]
game_masters = ["Rosa", {name = "Kay", labels = ["GM2"]}]
guests = [{name = "Priya"}]
[[roster]]
player = "Ana"
labels = ["Ana", "SPEAKER_01"]
characters = ["Nora Fell"]
[glossary]
"Berra Quist" = ["Bera"]
[scene]
situations = ["arrival"]
[clock]
ticks_per_second = 20
"""


def _load(tmp_path: Path, text: str) -> object:
    path = tmp_path / "campaign.toml"
    path.write_text(text, encoding="utf-8")
    return load_config(path)


def test_settings_are_read(tmp_path: Path) -> None:
    config = _load(tmp_path, GOOD)
    assert config.id == "c"
    assert config.seed == 7
    assert config.sessions == ("one", "two")
    assert config.roster.role_of("gm2") == "game_master"
    assert config.roster.role_of("speaker_01") == "player"
    assert config.roster.role_of("Priya") == "guest"
    assert config.roster.role_of("Nobody") == "unknown"
    assert config.glossary == {"Berra Quist": ("Bera",)}
    assert config.scene.situations == ("arrival",)
    assert config.ticks_per_second == 20


def test_all_faults_are_listed_at_once(tmp_path: Path) -> None:
    text = """
id = "../up"
seed = -1
sessions = ["a/b"]
rooster = 1
[clock]
ticks_per_second = "fast"
[provider]
extractor = "oracle"
workers = 0
base_url = "http://user:hush@host/"
[content]
path = "../elsewhere"
[[roster]]
labels = ["Ana"]
"""
    with pytest.raises(InvalidCampaign) as caught:
        _load(tmp_path, text)
    pointers = [p["where"]["pointer"] for p in caught.value.data["problems"]]
    assert sorted(pointers) == [
        "$.clock.ticks_per_second",
        "$.content.path",
        "$.id",
        "$.provider.base_url",
        "$.provider.extractor",
        "$.provider.workers",
        "$.rooster",
        "$.roster[0].player",
        "$.seed",
        "$.sessions[0]",
    ]
    assert "did you mean roster?" in caught.value.hint
    assert "hush" not in str(caught.value.as_json())


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("id = \nseed = 1", "line 1"),
        ('id = "x"\nid = "y"\nseed = 1', "line 2"),
        ("seed = 1", "id is missing"),
    ],
)
def test_what_cannot_be_read_says_where(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(InvalidCampaign) as caught:
        _load(tmp_path, text)
    assert part in caught.value.message


def test_a_file_that_is_no_text_says_at_which_byte(tmp_path: Path) -> None:
    path = tmp_path / "campaign.toml"
    path.write_bytes(b'id = "\xff"')
    with pytest.raises(InvalidCampaign, match="byte 6"):
        load_config(path)


def test_a_new_campaign_has_settings_that_load(tmp_path: Path) -> None:
    with Campaign.create(tmp_path / "The “Bell” \\ Tower") as campaign:
        assert campaign.config.id == "the-bell-tower"
        assert campaign.config.name == "The “Bell” \\ Tower"
        assert tomllib.loads((campaign.folder / "campaign.toml").read_text("utf-8"))["seed"] == 1
