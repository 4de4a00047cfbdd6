"""Lists that people keep by hand: each row once, each guide where a reader looks for it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["CHANGELOG.md", "docs/decisions.md", "docs/glossary.md"])
def test_no_row_stands_twice(name: str) -> None:
    """Joining two branches can put a row in twice."""
    text = (ROOT / name).read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^- (?:\*\*.+?\*\*|.{60}.*)|^\| [^|]+ \|", text)
    assert rows
    assert [row for row, count in Counter(rows).items() if count > 1] == []


def test_the_readme_leads_to_every_guide() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    guides = sorted((ROOT / "docs/guides").glob("*.md"))
    assert guides
    assert [one.name for one in guides if f"](docs/guides/{one.name})" not in readme] == []
