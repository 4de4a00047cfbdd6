"""Benchmarks: what the project promises, measured side by side in one run.

Prints a table and writes ``build/bench.json`` (a list of ``{name, ours, other, unit, ratio, goal, met}``)
and ``build/bench.svg``. ``ratio`` is a speed ratio, ours over other, above 1 is faster; it is null where
the goal is a limit. Nothing here is asserted in a timed test.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import authoring_rows  # noqa: E402 - the folder is put on the path first
import content_rows  # noqa: E402 - likewise
import coverage_rows  # noqa: E402 - likewise
import daemon_rows  # noqa: E402 - likewise
import extraction_rows  # noqa: E402 - likewise
import large_rows  # noqa: E402 - likewise
import line_rows  # noqa: E402 - likewise
import lsp_rows  # noqa: E402 - likewise
import memory_rows  # noqa: E402 - likewise
import picture  # noqa: E402 - likewise
import preview_rows  # noqa: E402 - likewise
import rows  # noqa: E402 - likewise
import rules_rows  # noqa: E402 - likewise
import sheet_rows  # noqa: E402 - likewise
import simulate_rows  # noqa: E402 - likewise
import store_rows  # noqa: E402 - likewise
import transcript_rows  # noqa: E402 - likewise


def table(results: list[rows.Row]) -> str:
    """Return the results as a plain table."""
    head = ("name", "ours", "other", "unit", "ratio", "goal", "met")
    lines = [head] + [
        (
            row["name"],
            f"{row['ours']:.3g}",
            "-" if row["other"] is None else f"{row['other']:.3g}",
            row["unit"],
            "-" if row["ratio"] is None else f"{row['ratio']:.2f}",
            row["goal"],
            "yes" if row["met"] else "NO",
        )
        for row in results
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def main() -> int:
    """Measure, print and write; return 0 even when a goal is missed, which the table says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--transcript", type=Path, help="a real transcript; else one is generated")
    parser.add_argument("--small", action="store_true", help="a small size, to see that it runs")
    parser.add_argument("--output", type=Path, default=ROOT / "build")
    options = parser.parse_args()
    results = [
        *rows.measure(options.transcript, small=options.small),
        *transcript_rows.measure(small=options.small),
        *rules_rows.measure(small=options.small),
        *extraction_rows.rows(small=options.small),
        *memory_rows.memory(small=options.small),
        *store_rows.rows(small=options.small),
        *daemon_rows.rows(small=options.small),
        *large_rows.rows(small=options.small),
        *content_rows.content(small=options.small),
        *coverage_rows.rows(small=options.small),
        *line_rows.rows(small=options.small),
        *simulate_rows.rows(small=options.small),
        *lsp_rows.rows(small=options.small),
        *preview_rows.rows(small=options.small),
        *authoring_rows.rows(small=options.small),
        *sheet_rows.rows(small=options.small),
    ]
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "bench.json").write_text(json.dumps(results, indent=2) + "\n")
    (options.output / "bench.svg").write_text(picture.svg(results), encoding="utf-8")
    print(table(results))
    print(f"written: {options.output / 'bench.json'}, {options.output / 'bench.svg'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
