"""The YAML of the documents is what they say: together a tree without errors and warnings."""

import re
from pathlib import Path

import pytest

from talebearer.content import compile_content, lint, schema_of

DOCS = Path(__file__).parents[3] / "docs"
BLOCK = re.compile(r"^```yaml\n# content/(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["reference/pools.md"])
def test_the_files_of_a_page_are_a_valid_tree(tree, page):
    files = dict(BLOCK.findall((DOCS / page).read_text(encoding="utf-8")))
    assert len(files) > 5
    root = tree(files)
    assert [str(p) for p in lint(root) if p.severity != "note"] == []
    assert len(compile_content(root).pack["pools"]) == 3


def test_pages_of_pools_and_packs_name_every_gate_and_member():
    pools = (DOCS / "reference/pools.md").read_text(encoding="utf-8")
    condition = schema_of("dialogue-pool")["$defs"]["condition"]["properties"]
    assert [name for name in condition if f"`{name}" not in pools] == []
    for schema in ("dialogue-pool", "monologue-pool"):
        line = schema_of(schema)["$defs"]["line"]["properties"]
        assert [name for name in line if name not in pools] == []


def test_the_page_of_packs_names_every_member(tree):
    packs = (DOCS / "reference/packs.md").read_text(encoding="utf-8")
    assert [name for name in compile_content(tree({})).pack if f"`{name}`" not in packs] == []
