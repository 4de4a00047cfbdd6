"""The providers file: the local database is named, everything else is told at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from talebearer.errors import InvalidProviders, StoreUnavailable
from talebearer.server.daemon._providers import FILE_BYTES_MAX, local_database
from talebearer.store import DEFAULT_POLICY

LOCAL = {"kind": "local", "database": "data/db"}


def _document(**changes: Any) -> dict[str, Any]:
    return {
        "$schema": "./providers.schema.json",
        "version": 1,
        "providers": {"local": LOCAL},
        "routing": {"default": "local", "rules": []},
        **changes,
    }


def _places(folder: Path, document: Any) -> list[str]:
    path = folder / "providers.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    with pytest.raises(InvalidProviders) as caught:
        local_database(path, DEFAULT_POLICY)
    problems = caught.value.data.get("problems", [])
    return [problem["where"]["pointer"] for problem in problems]


@pytest.mark.spec("PP-3.6-cli")
def test_the_database_is_relative_to_the_file(tmp_path: Path) -> None:
    rules = [{"scope": {"workspace_id": "w", "user_id": "u"}, "provider": "local"}]
    document = _document(routing={"default": "local", "rules": rules})
    path = tmp_path / "providers.json"
    path.write_text(json.dumps(document))
    assert local_database(path, DEFAULT_POLICY) == tmp_path / "data" / "db"


@pytest.mark.spec("PP-3.6-cli")
def test_all_faults_of_the_meaning_are_told_at_once(tmp_path: Path) -> None:
    remote = {"kind": "remote", "endpoint": "https://h", "token_env": "T"}
    rules = [
        {"scope": {"channel_id": "c"}, "provider": "local"},
        {"scope": {"workspace_id": ""}, "provider": "nobody"},
    ]
    document = _document(
        providers={"local": {**LOCAL, "database": "a\0b"}, "far": remote},
        routing={"default": "none", "rules": rules},
    )
    assert _places(tmp_path, document) == [
        "$.providers.far",
        "$.providers.local.database",
        "$.routing.default",
        "$.routing.rules[1].provider",
        "$.routing.rules[0].scope.channel_id",
        "$.routing.rules[1].scope.workspace_id",
    ]


@pytest.mark.parametrize(
    ("document", "places"),
    [
        ([], ["$"]),
        (_document(version=2), ["$.version"]),
        (_document(providers={}), ["$.providers"]),
        (_document(providers={"local": {"kind": "local"}}), ["$.providers.local"]),
        (_document(more=1), ["$"]),
        (
            _document(routing={"default": "local", "rules": [{"scope": {}, "provider": ""}]}),
            ["$.routing.rules[0].provider", "$.routing.rules[0].scope"],
        ),
        ("{", []),
        (" " * (FILE_BYTES_MAX + 1), []),
    ],
)
def test_another_shape_is_refused(tmp_path: Path, document: Any, places: list[str]) -> None:
    assert sorted(_places(tmp_path, document)) == places


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=r"none\.json"):
        local_database(tmp_path / "none.json", DEFAULT_POLICY)
