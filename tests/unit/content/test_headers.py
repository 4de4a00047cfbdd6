"""The row that tells YAML editors a file's schema."""

from __future__ import annotations

import json

import pytest

from talebearer.content import lint, write_schemas
from talebearer.content.editing import schema_headers, write_changes

FILES = {
    "global/npcs/odo.yaml": "\ufeff# him\r\nname: Odo\r\n",
    "global/state.yaml": "timers: []",
    "a/b/dialogue/quay/odo.yaml": (
        "# Odo\n# yaml-language-server: $schema=../wrong.json\nlocation: quay\nrole: clerk\nlines: []\n"
    ),
    "a/monologue/detective/quay.yaml": "character: detective\nlocation: quay\nlines: []\n",
    "a/b/dialogue/quay/odo.plan.yaml": "cases: []\n",
    "global/knowledge/sea.yaml": "category: sea\nfacts: []\n",
}


@pytest.mark.spec("LP-8.3-headers")
def test_each_file_leads_to_the_schema_of_its_kind_and_nothing_else_changes(tree) -> None:
    root = tree(FILES)
    write_schemas(root / "_schema")
    write_changes(schema_headers(root))
    assert schema_headers(root) == ()
    kinds = {}
    for name, before in FILES.items():
        data = (root / name).read_bytes().decode()
        rows = data.removeprefix("\ufeff").splitlines(keepends=True)
        at = next(n for n, row in enumerate(rows) if "yaml-language-server" in row)
        target = rows.pop(at).strip().partition("$schema=")[2]
        schema = json.loads(((root / name).parent / target).resolve().read_text())
        kinds[name] = schema["$id"].split(":")[-2]
        kept = before.removeprefix("\ufeff").splitlines(keepends=True)
        assert rows == [row for row in kept if "yaml-language-server" not in row]
        assert data.startswith("\ufeff") == before.startswith("\ufeff")
    assert [*kinds.values()] == [
        "npc-profile",
        "state",
        "dialogue-pool",
        "monologue-pool",
        "plan",
        "fact-catalog",
    ]
    assert [p for p in lint(root) if p.severity == "error"] == []
