"""Benchmarks: what the project promises, measured side by side in one run.

Prints a table and writes ``build/bench.json`` (a list of ``{name, ours, other, unit, ratio, goal, met}``)
and ``build/bench.svg``. ``ratio`` is a speed ratio, ours over other, above 1 is faster; it is null where
the goal is a limit. Nothing here is asserted in a timed test.

All of it takes about a quarter of an hour on two cores that are otherwise idle, and 6 GB of disk for the
time: most goes into a store of a million records. --only measures some parts.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
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
import upkeep_rows  # noqa: E402 - likewise


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


def sections(
    transcript: Path | None, *, small: bool
) -> dict[str, Callable[[], Iterable[rows.Row]]]:
    """Return what is measured, by its name, in the order of the table."""
    return {
        "record": lambda: rows.measure(transcript, small=small),
        "transcripts": lambda: transcript_rows.measure(small=small),
        "rules": lambda: rules_rows.measure(small=small),
        "extraction": lambda: extraction_rows.rows(small=small),
        "memory": lambda: memory_rows.memory(small=small),
        "store": lambda: store_rows.rows(small=small),
        "daemon": lambda: daemon_rows.rows(small=small),
        "large": lambda: large_rows.rows(small=small),
        "upkeep": lambda: upkeep_rows.rows(small=small),
        "content": lambda: content_rows.content(small=small),
        "coverage": lambda: coverage_rows.rows(small=small),
        "lines": lambda: line_rows.rows(small=small),
        "simulate": lambda: simulate_rows.rows(small=small),
        "lsp": lambda: lsp_rows.rows(small=small),
        "preview": lambda: preview_rows.rows(small=small),
        "authoring": lambda: authoring_rows.rows(small=small),
        "sheets": lambda: sheet_rows.rows(small=small),
    }


def measured(wanted: dict[str, Callable[[], Iterable[rows.Row]]], output: Path) -> list[rows.Row]:
    """Measure, tell on standard error how far it is, and keep what there is after each part."""
    results: list[rows.Row] = []
    output.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    for number, (name, measure) in enumerate(wanted.items(), start=1):
        minutes = (time.perf_counter() - began) / 60
        print(
            f"bench: {minutes:5.1f} min  {number}/{len(wanted)} {name}", file=sys.stderr, flush=True
        )
        results += measure()
        (output / "bench.json").write_text(json.dumps(results, indent=2) + "\n")
        (output / "bench.svg").write_text(picture.svg(results), encoding="utf-8")
    return results


def main() -> int:
    """Measure, print and write; return 0 even when a goal is missed, which the table says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--transcript", type=Path, help="a real transcript; else one is generated")
    parser.add_argument("--small", action="store_true", help="a small size, to see that it runs")
    parser.add_argument("--output", type=Path, default=ROOT / "build")
    parser.add_argument(
        "--only", nargs="+", metavar="PART", choices=sections(None, small=True), help="these parts"
    )
    options = parser.parse_args()
    wanted = sections(options.transcript, small=options.small)
    if options.only:
        wanted = {name: wanted[name] for name in wanted if name in options.only}
    results = measured(wanted, options.output)
    print(table(results))
    print(f"written: {options.output / 'bench.json'}, {options.output / 'bench.svg'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
