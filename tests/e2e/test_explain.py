"""talebearer explain, and what a request for a line may say beyond the scene."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from campaigns import open_fixed, talebearer_here, unpack_bundled

from talebearer.campaign import Evidence, LineOptions, SceneDefaults
from talebearer.errors import UsageFault

CLASSES = """
classes:
  - {id: speech, excluded_by: [shout]}
  - {id: shout, interrupts: [speech]}
"""
POOL = """
location: the-jetty
role: ferryman
lines:
  - id: nan-tolley_d_001
    text: "One for the river."
    role: ferryman
    access: [public]
    trust: surface
    situation: [social]
    class: speech
    prerequisites: {counters: [{counter: toasts, "<": 1}]}
    effects: [{add: {counter: toasts}}, {stamp: {timer: bell}}]
  - id: nan-tolley_d_002
    text: "And one for who it kept."
    role: ferryman
    access: [public]
    trust: surface
    situation: [social]
    prerequisites: {counters: [{counter: toasts, ">=": 1}], timers: [{timer: bell, within: 100}]}
"""
THOUGHTS = """
character: smuggler
location: the-jetty
lines:
  - id: pc_m_s_900
    text: "That lamp is Jorik's."
    trigger: discover_evidence
    prerequisites: {event: {item: lamp}}
"""


@pytest.fixture
def jetty(tmp_path: Path) -> Path:
    """The bundled campaign with one more place, where lines count and stamp."""
    folder = unpack_bundled(tmp_path / "bell")
    content = folder / "content"
    state = content / "global" / "state.yaml"
    declared = state.read_text(encoding="utf-8")
    declared = declared.replace("counters:\n", "counters:\n  - {id: toasts, scope: pair}\n")
    declared = declared.replace("timers:\n", "timers:\n  - {id: bell, scope: world}\n")
    state.write_text(declared + CLASSES, encoding="utf-8")
    (content / "global" / "npcs" / "nan-tolley.yaml").write_text(
        "name: Nan Tolley\nrole: ferryman\nlocation: the-jetty\n", encoding="utf-8"
    )
    below = content / "campaigns" / "more"
    (below / "dialogue" / "the-jetty").mkdir(parents=True)
    (below / "monologue" / "smuggler").mkdir(parents=True)
    pool = below / "dialogue" / "the-jetty" / "nan-tolley.yaml"
    pool.write_text(POOL, encoding="utf-8")
    (below / "monologue" / "smuggler" / "the-jetty.yaml").write_text(THOUGHTS, encoding="utf-8")
    return folder


def walk(evidence: Evidence) -> Iterator[Evidence]:
    yield evidence
    for child in evidence.children:
        yield from walk(child)


@pytest.mark.spec("LP-L6-why-written")
def test_why_names_the_line_that_wrote_what_a_gate_read(jetty: Path) -> None:
    with open_fixed(jetty) as campaign:
        talk = campaign.talk("Nan Tolley")
        assert talk.say().text == "One for the river."
        second = talk.say()
        assert second.text == "And one for who it kept."
        chain = campaign.why(second.reference or "")
        written = [one.text for one in walk(chain) if one.id and one.id.endswith("_d_001")]
        assert [text.partition(" by the line")[0] for text in written] == [
            "the timer bell stamped",
            "+1 on the counter toasts",
        ]
        assert "world" in campaign.minds()
        assert campaign.replay(mind="world")
        assert campaign.replay()
    with open_fixed(jetty) as again:
        assert again.talk("Nan Tolley").say().text == "And one for who it kept."


def test_the_text_that_was_heard_is_the_one_that_is_shown(jetty: Path) -> None:
    pool = next(path for path in jetty.rglob("nan-tolley.yaml") if "dialogue" in path.parts)
    text = pool.read_text(encoding="utf-8")
    old = '    text: "One for the river."\n'
    pool.write_text(text.replace(old, f'{old}    variants: ["Two for the river."]\n'), "utf-8")
    with open_fixed(jetty) as campaign:
        said = campaign.talk("Nan Tolley").say()
        shown = [one.text for one in campaign.timeline() if one.kind == "line_fired"]
        assert shown == [said.text]
        assert said.text in campaign.why(said.reference or "").text


@pytest.mark.spec("LP-L6-explain")
def test_explain_is_what_a_pick_would_do_and_changes_nothing(jetty: Path) -> None:
    with open_fixed(jetty) as campaign:
        before = campaign.game.line("Nan Tolley", explain=True, pick=False)
        picked = campaign.game.line("Nan Tolley", keep=False)
        assert before.explanation is not None
        assert picked.pick is not None
        assert [one.line_id for one in before.explanation.eligible] == [picked.pick.line_id]
        assert campaign.minds() == ()
        dropped = before.explanation.verdicts[1]
        assert (dropped.dropped_by, dropped.detail) == (
            "prerequisites",
            "needs: the timer bell was stamped within 100 ticks; found: never",
        )
        shouted = LineOptions(speaking=(("shout", "odo-renn"),))
        answer = campaign.game.line("Nan Tolley", more=shouted, explain=True, pick=False)
        assert answer.explanation is not None
        assert answer.explanation.verdicts[0].dropped_by == "class"


def test_a_thought_reads_the_event(jetty: Path) -> None:
    with open_fixed(jetty) as campaign:
        asked: Any = {"location": "the-jetty"}
        lamp = LineOptions(event={"item": "lamp"})
        assert campaign.think("smuggler", "discover_evidence", more=lamp, **asked).text
        other = campaign.game.thought(
            "smuggler", "discover_evidence", more=LineOptions(event={"item": "rope"}), **asked
        )
        assert other.pick is None or other.pick.line_id != "pc_m_s_900"
        with pytest.raises(UsageFault, match="itme"):
            campaign.think(
                "smuggler", "discover_evidence", more=LineOptions(event={"itme": "x"}), **asked
            )
        with pytest.raises(UsageFault, match="past"):
            campaign.game.line("Nan Tolley", scene=SceneDefaults(), tick=-5)


def test_the_command_explains_in_words_and_as_json(jetty: Path) -> None:
    words = talebearer_here("explain", "Nan Tolley", cwd=jetty).out
    assert "+ nan-tolley_d_001" in words
    assert "stopped at prerequisites: needs: the timer bell was stamped" in words
    assert "1 line in the draw (lines 2, access 2," in words
    found = json.loads(
        talebearer_here(
            *("explain", "Nan Tolley", "--speaking", "shout:odo-renn", "--json"), cwd=jetty
        ).out
    )
    assert found["pick"] is None
    assert found["explanation"]["verdicts"][0]["dropped_by"] == "class"
    thought = talebearer_here(
        *("think", "--character", "smuggler", "--trigger", "discover_evidence"),
        *("--location", "the-jetty", "--event", "item=lamp"),
        cwd=jetty,
    )
    assert "That lamp is Jorik's." in thought.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain",),
        ("explain", "Nan", "--character", "smuggler"),
        ("explain", "--character", "smuggler"),
        ("explain", "Nan Tolley", "--event", "item"),
        ("explain", "Nan Tolley", "--speaking", "shout"),
        ("explain", "Nan Tolley", "--topic", "wether"),
        ("explain", "Nan Tolley", "--line", "x_d_001"),
        ("explain", "Nan Tolley", "--strategy", "best"),
    ],
)
def test_what_cannot_be_asked_is_refused(jetty: Path, arguments: tuple[str, ...]) -> None:
    done = talebearer_here(*arguments, cwd=jetty)
    assert (done.code, done.out) == (2, "")
    assert "hint:" in done.err
