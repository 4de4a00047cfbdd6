"""Tables look as they always did, however they are laid out."""

from __future__ import annotations

import io

import pytest
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from talebearer.cli._output import PLAIN_WIDTH, print_table


@pytest.mark.parametrize(
    ("columns", "rows"),
    [
        (("access", "trust"), [("public", "surface"), ("", "·")]),
        (("access", "first\nvisit", "a\nb\nc"), [("insider", "1", "2 gap")]),
        (("name",), []),
        (("name", "said"), [("鐘", "e\u0301tat"), ("🔔 bell", "[bold]x[/bold]")]),
        (("name", "text"), [("one", "x" * 300), ("two", "word " * 40)]),
    ],
)
def test_a_table_is_what_rich_makes_of_it(
    columns: tuple[str, ...],
    rows: list[tuple[str, ...]],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    table = Table(box=box.SIMPLE, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    wanted = io.StringIO()
    Console(file=wanted, width=PLAIN_WIDTH, highlight=False, emoji=False).print(table)
    print_table(columns, rows)
    assert capsys.readouterr().out == wanted.getvalue()
