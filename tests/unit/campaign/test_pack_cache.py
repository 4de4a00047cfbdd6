"""A campaign's commands do not compile again what did not change."""

from __future__ import annotations

from pathlib import Path

from talebearer.campaign import Campaign
from talebearer.content import compile_content


def test_the_pack_is_kept_in_runs_and_follows_the_content(tmp_path: Path) -> None:
    folder = tmp_path / "bell"
    with Campaign.create(folder, template="drowned-bell") as campaign:
        first = campaign.pack.digest
    record = folder / "runs" / "cache" / "content.json"
    assert record.is_file()
    written = record.read_bytes()
    with Campaign.open(folder) as campaign:
        assert campaign.pack.digest == first
    assert record.read_bytes() == written
    profile = folder / "content" / "global" / "npcs" / "wick.yaml"
    profile.write_text(profile.read_text().replace("name: Wick", "name: Wick Marrow"))
    with Campaign.open(folder, read_only=True) as campaign:
        assert campaign.pack.digest == compile_content(folder / "content").digest != first
    assert record.read_bytes() == written, "a reader leaves the cache as it is"
