"""Setups come back from every form; what is told of them is what the engine does."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rehearsed
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from talebearer.campaign import run_plans
from talebearer.campaign.plans import MadeUpMinds
from talebearer.content import LineIndex, read_plans
from talebearer.errors import UsageFault
from talebearer.lines import Explanation, Pick
from talebearer.rehearsal import Filter, Rehearsal, Setup, address, setup_of_case


@pytest.fixture(scope="module")
def rehearsal() -> Iterator[Rehearsal]:
    with tempfile.TemporaryDirectory() as folder:
        yield Rehearsal(rehearsed.write(Path(folder) / "content"))


def _possible(rehearsal: Rehearsal, value: dict[str, Any]) -> Setup | None:
    """Return the setup of *value*, unless what is given cannot have happened."""
    setup = rehearsal.read_json(value)
    refused: list[dict[str, Any]] = []
    try:
        rehearsal.ask(setup, rows=0)
    except UsageFault as error:
        refused = error.data["problems"]
    assert all(one["where"]["pointer"].startswith("$.given.") for one in refused)
    return None if refused else setup


@pytest.mark.spec("LP-rehearsal-forms")
@given(value=rehearsed.SETUPS)
def test_a_setup_comes_back_from_json_and_from_its_address(
    rehearsal: Rehearsal, value: dict[str, Any]
) -> None:
    setup = rehearsal.read_json(value)
    assert rehearsal.read_json(json.loads(json.dumps(setup.as_json()))) == setup
    query = address(setup)
    assert rehearsal.read_address(query) == setup
    assert address(rehearsal.read_address(query)) == query
    assert rehearsal.read_address(f"{query}&row=5", beside=("row",)) == setup
    assert rehearsal.check(setup) == ()


@pytest.mark.spec("LP-rehearsal-cases")
@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(values=st.lists(rehearsed.SETUPS, min_size=1, max_size=3), crlf=st.booleans())
def test_a_setup_comes_back_from_the_plan_that_it_was_written_to(
    values: list[dict[str, Any]], crlf: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = rehearsed.write(Path(folder) / "content")
        tried = Rehearsal(root)
        setups = [one for value in values if (one := _possible(tried, value))]
        kept = "# kept\ncases:\n- name: one   # kept, too\n  speaker: odo\n  location: quay\n"
        kept += "  access: public\n  trust: surface\n  situations: [social]\n  never: [odo_d_003]\n"
        kept += "\n# of the notes\nnotes: Last.\n"
        plan = root / "c" / "dialogue" / "quay" / "mine.plan.yaml"
        plan.write_bytes(kept.replace("\n", "\r\n").encode() if crlf else kept.encode())
        for number, setup in enumerate(setups):
            added = tried.add_case(
                setup, f"case {number}: “ü”", file="c/dialogue/quay/mine.plan.yaml"
            )
            assert not added.is_new
            row = plan.read_text(encoding="utf-8").splitlines()[added.line - 1]
            assert row.startswith(f'- name: "case {number}')
        report = run_plans(root)
        assert not report.failed, report
        (read,) = read_plans(root, tried.pack).plans
        assert [setup_of_case(read.root, case) for case in read.root["cases"][1:]] == setups
        text = plan.read_bytes().decode().replace("\r\n", "\n")
        for row in kept.splitlines():
            assert row in text.splitlines()


def _selector(rehearsal: Rehearsal, setup: Setup) -> Any:
    minds = MadeUpMinds(rehearsal.pack, LineIndex(rehearsal.pack), setup.mind)
    minds.give(setup.given, tick=0)
    return minds.selector(setup.seed)


def _engine(rehearsal: Rehearsal, setup: Setup) -> tuple[Explanation, Pick | None]:
    """Return what the engine says of *setup*, asked without a rehearsal."""
    selector = _selector(rehearsal, setup)
    more: dict[str, Any] = {
        "tick": setup.tick,
        "strategy": setup.strategy,
        "event": setup.event,
        "speaking": setup.speaking,
    }
    if setup.speaker is not None:
        talk = (setup.speaker, setup.scene)
        return selector.explain_dialogue(*talk, **more), selector.pick_dialogue(*talk, **more)
    thought = (setup.character, setup.trigger)
    more["location"] = setup.location
    return selector.explain_monologue(*thought, **more), selector.pick_monologue(*thought, **more)


@pytest.mark.spec("LP-rehearsal-ask")
@given(value=rehearsed.SETUPS, first=st.integers(0, 9), rows=st.integers(0, 5))
def test_an_answer_is_the_engine_s(
    rehearsal: Rehearsal, value: dict[str, Any], first: int, rows: int
) -> None:
    setup = _possible(rehearsal, value)
    if setup is None:
        return
    explanation, pick = _engine(rehearsal, setup)
    whole = rehearsal.ask(setup, shown=Filter(order="file"))
    assert tuple(row.verdict for row in whole.rows) == explanation.verdicts
    assert list(whole.funnel) == explanation.funnel
    assert whole.eligible == len(explanation.eligible)
    assert whole.dropped == Counter(v.dropped_by for v in explanation.verdicts if v.dropped_by)
    assert whole.pick == pick
    window = rehearsal.ask(setup, first_row=first, rows=rows, shown=Filter(order="file"))
    assert window.rows == whole.rows[first : first + rows]
    assert (window.funnel, window.matching) == (whole.funnel, whole.matching)
    by_odds = rehearsal.ask(setup).rows
    assert Counter(row.verdict.line_id for row in by_odds) == Counter(
        verdict.line_id for verdict in explanation.verdicts
    )
    drawable = [row.verdict.probability for row in by_odds[: whole.eligible]]
    assert None not in drawable
    assert drawable == sorted(drawable, reverse=True)


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=12,
)


def _is_setup_or_refused(rehearsal: Rehearsal, read: Callable[[], Setup]) -> None:
    problems: list[Any] | None = None
    setup = None
    try:
        setup = read()
    except UsageFault as error:
        problems = error.data["problems"]
    if setup is None:
        assert problems
    else:
        assert rehearsal.check(setup) == ()


MEMBERS = st.sampled_from(
    [*rehearsed.TALK, "character", "trigger", "given", "event", "speaking", "topics", "mind", "x"]
)


@pytest.mark.spec("LP-rehearsal-hostile")
@given(value=JUNK | st.dictionaries(MEMBERS, JUNK, max_size=6))
def test_whatever_comes_as_json_is_a_setup_or_one_error_with_everything(
    rehearsal: Rehearsal, value: Any
) -> None:
    _is_setup_or_refused(rehearsal, lambda: rehearsal.read_json(value))


@pytest.mark.spec("LP-rehearsal-hostile")
@given(
    query=st.text(max_size=60)
    | st.lists(
        st.tuples(
            st.sampled_from(
                ["speaker", "tick", "seed", "event.item", "given.facts", "topic", "a.b"]
            ),
            st.text(max_size=12)
            | st.sampled_from(["NaN", "1e999", "{}", "[", "-1", "%ff", "9" * 40]),
        ),
        max_size=6,
    ).map(lambda pairs: "&".join(f"{name}={text}" for name, text in pairs))
)
def test_whatever_comes_as_an_address_is_a_setup_or_one_error_with_everything(
    rehearsal: Rehearsal, query: str
) -> None:
    _is_setup_or_refused(rehearsal, lambda: rehearsal.read_address(query))
