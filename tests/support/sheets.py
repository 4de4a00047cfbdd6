"""A small content tree with everything that a sheet shows, and sheets as rows of dictionaries."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable
from pathlib import Path

import openpyxl

from talebearer.content.sheets import export_lines

DIALOGUE = """\
# Kael at the bar.
location: the-last-shift   # where
role: dock-worker

lines:
  # the greeting
  - id: kael-davan_d_015
    text: "Saved you a seat."  # warm
    variants:
      - "Your seat is free."  # plainly
      - 'There''s a seat.'
    role: dock-worker
    access: [insider, peer]
    trust: surface
    situation: [ bar_evening, social ]
    tags:
      - kael   # himself
      - greeting

  - id: kael-davan_d_016
    text: >-
      Lera knows more
      than she lets on.
    role: dock-worker
    access: [insider]
    trust: real   # for now
    situation: [social]
    cooldown: 600
    aliases: [kael-davan_d_001]
    dual_lens:
      smuggler: A way in.
      detective: |
        She hides
        something.
    notes: "=Low voice."
    knowledge_grant:
      fact_id: knowledge.bar_ring
      confidence: suspects
"""
MONOLOGUE = """\
character: detective
location: the-last-shift
lines:
  - id: pc-detective_m_d_001
    text: "Smells of freight lubricant."
    trigger: enter_location
    priority: 7
    prerequisites:
      facts:
        - fact_id: knowledge.bar_ring
          min_confidence: suspects
"""
FACTS = """\
category: knowledge
facts:
  - id: knowledge.bar_ring
    description: "The bar has a ring."
"""
SAID = "dialogue/the-last-shift/kael-davan"
THOUGHT = "monologue/detective/the-last-shift"
FILES = {f"{SAID}.yaml": DIALOGUE, f"{THOUGHT}.yaml": MONOLOGUE,
         "global/knowledge/knowledge.yaml": FACTS}  # fmt: skip

Rows = list[dict[str, str]]


def tree(folder: Path) -> Path:
    """Write the tree into *folder* and return its root."""
    root = folder / "content"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return root


def texts(root: Path) -> dict[str, str]:
    """Return what the files of *root* hold, by name."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode()
        for path in sorted(root.rglob("*.yaml"))
    }


def rows_of(data: bytes) -> Rows:
    """Return the rows of a CSV as they stand in it."""
    return list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def csv_of(rows: Rows) -> bytes:
    """Return *rows* as a CSV."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().encode()


def changed_csv(root: Path, change: Callable[[Rows], object]) -> Path:
    """Export *root*, let *change* alter the rows, and return the sheet."""
    rows = rows_of(export_lines(root, ".csv").data)
    change(rows)
    path = root.parent / "lines.csv"
    path.write_bytes(csv_of(rows))
    return path


def changed_xlsx(root: Path, change: Callable[[openpyxl.Workbook], object]) -> Path:
    """Export *root* as a workbook, let *change* alter it as a person would, and return it."""
    path = root.parent / "lines.xlsx"
    book = openpyxl.load_workbook(io.BytesIO(export_lines(root, ".xlsx").data))
    change(book)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book.save(path)
    return path
