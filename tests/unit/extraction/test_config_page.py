"""docs/config.md says what the code does."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from talebearer.extraction import (
    PROVIDERS,
    Components,
    ProviderSettings,
    Role,
    built_in,
    load_pipelines,
    provider_settings,
)

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "config.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.spec("NI-doc-config")
def test_the_pipelines_of_the_page_load() -> None:
    assert len(blocks("yaml")) == 2
    for block in blocks("yaml"):
        assert load_pipelines(block.encode())


@pytest.mark.spec("NI-doc-config")
def test_the_page_names_every_component_provider_and_setting() -> None:
    components = Components(built_in(), plugged_in=())
    keys = {key for role in Role for key in components.keys(role)}
    members = {field.name for field in fields(ProviderSettings)}
    missing = [name for name in (*keys, *PROVIDERS, *members) if f"`{name}`" not in PAGE]
    assert not missing


def test_the_settings_of_the_page_are_accepted() -> None:
    (table,) = [
        tomllib.loads(block)["provider"] for block in blocks("toml") if "[provider]" in block
    ]
    assert provider_settings(table).model == "qwen3-8b"
