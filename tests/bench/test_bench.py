"""The benchmarks run, at a small size, and write what they promise; no time is asserted."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from campaigns import run_python

ROOT = Path(__file__).resolve().parents[2]


SHARES = 3
"""All parts together would keep one worker busy long after the others are done."""


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_the_small_benchmark_writes_its_table_and_picture(tmp_path: Path, share: int) -> None:
    from run import sections

    parts = list(sections(None, small=True))[share::SHARES]
    assert parts
    command = [str(ROOT / "bench" / "run.py"), "--small", "--only", *parts]
    result = run_python([*command, "--output", str(tmp_path)], cwd=tmp_path)
    assert result.code == 0, result.err
    rows = json.loads((tmp_path / "bench.json").read_text())
    assert rows
    for row in rows:
        assert set(row) == {"name", "ours", "other", "unit", "ratio", "goal", "met"}
        assert row["ours"] > 0
        assert (row["ratio"] is None) == (row["other"] is None)
        assert row["name"] in result.out
    picture = ElementTree.parse(tmp_path / "bench.svg").getroot()
    assert picture.tag.endswith("svg")
