"""What a model's work looks like in words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from talebearer.cli._models import Lines, progress_text, short_text, unfinished_text, usage_text
from talebearer.extraction import ModelProgress

Step = Callable[..., ModelProgress]


@pytest.fixture
def step() -> Step:
    def make(**changes: object) -> ModelProgress:
        values: dict[str, object] = {
            "lane": "npcs",
            "chunks_done": 3,
            "chunks_total": 9,
            "input_tokens": 41200,
            "output_tokens": 3100,
            "cost_usd": 0.01234,
            "left_s": 130.0,
        }
        return ModelProgress(**{**values, **changes})  # type: ignore[arg-type]  # by name

    return make


def test_progress_has_chunks_tokens_cost_and_time_left(step: Step) -> None:
    assert progress_text(step()) == (
        "3 of 9 chunks, 41,200 tokens in, 3,100 out, $0.0123, about 2 min left"
    )
    assert progress_text(step(left_s=60.4)).endswith("about 60 s left")
    assert progress_text(step(left_s=7200.0)).endswith("about 2.0 h left")


def test_what_is_not_known_is_left_out(step: Step) -> None:
    begun = step(chunks_done=0, input_tokens=0, output_tokens=0, cost_usd=None, left_s=None)
    assert progress_text(begun) == "0 of 9 chunks"
    assert "left" not in progress_text(step(chunks_done=9, left_s=0.0))


def test_a_bar_has_the_same_in_eighty_columns(step: Step) -> None:
    text = short_text(
        step(input_tokens=999_900, output_tokens=99_900, chunks_done=30, chunks_total=99)
    )
    assert text == "30/99 chunks, 999.9k in, 99.9k out, $0.0123, 2 min left"
    assert len(f"interactions {'=' * 10} {text}") <= 80
    assert short_text(step(input_tokens=0, output_tokens=0, cost_usd=None, left_s=None)) == (
        "3/9 chunks"
    )


def test_a_log_gets_a_line_a_tenth(step: Step, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines("recording")
    for done in range(101):
        lines(step(chunks_done=done, chunks_total=100))
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == 11
    assert printed[0].startswith("recording: npcs: 0 of 100 chunks")


def test_a_cost_report_counts_what_failed_and_what_was_kept() -> None:
    usage = {
        "requests": 12,
        "requests_answered": 9,
        "requests_busy": 2,
        "requests_re_asked": 1,
        "chunks_resumed": 4,
        "chunks_split": 1,
        "input_tokens": 10_000,
        "output_tokens": 500,
        "cached_tokens": 2_000,
        "cost_usd": 0.5,
        "prices_as_of": "2026-11-30",
    }
    assert usage_text(usage) == (
        "12 requests (1 asked again after a rejected reply, 2 not answered since the model was busy); "
        "4 chunks kept from before; 1 chunk split since a reply was cut off; "
        "10,000 tokens in (2,000 from a cache), 500 out; $0.5000 by prices of 2026-11-30"
    )
    assert "cost not known" in usage_text({**usage, "cost_usd": None})
    assert "run the same command again" in unfinished_text(usage)
