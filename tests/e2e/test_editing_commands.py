"""fmt, new, rename and schemas --headers on the command line: what they write, print and exit with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from campaigns import talebearer_here

FIXTURES = Path(__file__).parents[1] / "fixtures" / "content"
POOL = "content/campaigns/mire/dialogue/the-quay/bram-holt.yaml"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    shutil.copytree(FIXTURES / "small", tmp_path / "work")
    return tmp_path / "work"


def test_fmt_checks_writes_and_has_nothing_left_to_do(small: Path) -> None:
    pool = small / POOL
    pool.write_text(pool.read_text().replace("lines:", "lines:   # all", 1))
    before = pool.read_bytes()
    checked = talebearer_here("fmt", "content", "--check", "--json", cwd=small)
    assert checked.code == 1
    assert POOL in json.loads(checked.out)["changed"]
    shown = talebearer_here("fmt", POOL, "--diff", cwd=small)
    assert shown.code == 1
    assert "+lines:  # all" in shown.out
    assert pool.read_bytes() == before
    assert talebearer_here("fmt", "content", cwd=small).code == 0
    assert talebearer_here("fmt", "content", "--check", cwd=small).code == 0
    assert talebearer_here("fmt", "/etc/hostname", cwd=small).code == 2
    assert talebearer_here("fmt", "nowhere", cwd=small).code == 2


def test_new_and_rename_write_only_when_they_may(small: Path) -> None:
    said = ("--text", "Aye.", "--access", "public", "--trust", "surface", "--situation", "social")
    before = (small / POOL).read_bytes()
    dry = talebearer_here(
        "new", "line", "the-quay/bram-holt", *said, "--dry-run", "--json", cwd=small
    )
    assert dry.code == 0, dry.err
    assert (small / POOL).read_bytes() == before
    made = talebearer_here("new", "line", "the-quay/bram-holt", *said, "--json", cwd=small)
    line_id = json.loads(made.out)["id"]
    assert line_id == json.loads(dry.out)["id"]
    assert line_id in (small / POOL).read_text()
    for what, missing in (("npc", "--name, --role, --location"), ("location", "--role")):
        refused = talebearer_here("new", what, "ada-moll", cwd=small)
        assert refused.code == 2
        assert f"missing: {missing}\n" in refused.err
    bad = talebearer_here("new", "line", "the-quay/bram-holt", "--text", "Aye.", cwd=small)
    assert (bad.code, "TB106" in bad.err) == (2, True)
    named = talebearer_here("rename", "line", line_id, "bram-holt_d_777", "--json", cwd=small)
    assert named.code == 0, named.err
    assert json.loads(named.out)["written"] is True
    assert f"aliases: [{line_id}]" in (small / POOL).read_text()
    assert talebearer_here("rename", "npc", "nobody", "somebody", cwd=small).code == 2


def test_schemas_puts_headers_in(small: Path) -> None:
    first = talebearer_here("schemas", "content", "--headers", "--write", "--json", cwd=small)
    assert first.code == 0, first.err
    again = talebearer_here("schemas", "content", "--headers", "--json", cwd=small)
    assert (again.code, json.loads(again.out)["headers"]) == (0, [])
