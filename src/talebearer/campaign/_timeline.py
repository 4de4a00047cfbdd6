"""The log of a mind in words, for reports and people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.campaign.records import Minds
from talebearer.campaign.views import EventView
from talebearer.lines import Pack
from talebearer.memory import Event, gossip_text
from talebearer.vocabulary import EventKind


def timeline(minds: Minds, pack: Pack, mind: str) -> tuple[EventView, ...]:
    """Return every event of *mind*, in the one order of its log."""
    thinkers = {pool.path: pool.character for pool in pack.monologue_pools}
    stories = {
        fact.origin: gossip_text(fact.gossip)
        for fact in minds.get(mind).graph.facts.values()
        if fact.gossip is not None
    }
    return tuple(
        _view(event, pack, thinkers, stories.get((event.stream, event.sequence)))
        for event, _ in minds.log(mind)
    )


EXPLAINED = (
    EventKind.STANDING_CHANGED,
    EventKind.STRESS_CHANGED,
    EventKind.FACT_STATE_CHANGED,
)
WRITTEN = (EventKind.COUNTER_ADDED, EventKind.VALUE_SET, EventKind.TIMER_STAMPED)


def _plain(data: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in sorted(data.items()) if key != "target")


def _view(event: Event, pack: Pack, thinkers: Mapping[str, str], story: str | None) -> EventView:
    data = event.data
    target = data.get("target") or (f"npc:{data['speaker']}" if data.get("speaker") else None)
    reference, known, speaker = None, True, None
    text = event.kind.value.replace("_", " ")
    if event.kind == EventKind.LINE_FIRED:
        reference = f"{data['pool']}:{data['line']}"
        speaker = data.get("speaker") or thinkers.get(data["pool"])
        heard = pack.heard_text(data["pool"], data["line"], data.get("variant"))
        known = heard is not None
        text = "a line that the content no longer has" if heard is None else heard
    elif event.kind == EventKind.FACT_LEARNED:
        reference = data["fact_id"]
        text = pack.facts.get(reference, reference)
    elif event.kind == EventKind.INTERACTION_STARTED:
        slug = data["target"].removeprefix("npc:")
        reference = f"interaction.{slug}_{data['number']:03d}" if "number" in data else None
    elif event.kind == EventKind.GOSSIP_HEARD:
        target = data["teller"]
        text = f"gossip heard: {story or _plain(data)}"
    elif event.kind in WRITTEN:
        text = f"{text}: {_plain(data)}"
    elif event.kind in EXPLAINED:
        text = f"{text}: {data.get('reason') or data.get('text') or _plain(data)}"
    return EventView(
        stream=event.stream,
        tick=event.tick,
        kind=event.kind.value,
        target=target.removeprefix("npc:") if target else None,
        text=text,
        reference=reference,
        known=known,
        speaker=speaker,
    )
