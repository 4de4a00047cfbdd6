"""The log of a mind in words, for reports and people."""

from __future__ import annotations

from collections.abc import Mapping

from talebearer.campaign._views import EventView
from talebearer.campaign.records import Minds
from talebearer.errors import UnknownReference
from talebearer.lines import Pack
from talebearer.memory import Event
from talebearer.vocabulary import EventKind


def timeline(minds: Minds, pack: Pack, mind: str) -> tuple[EventView, ...]:
    """Return every event of *mind*, in the one order of its log."""
    thinkers = {pool.path: pool.character for pool in pack.monologue_pools}
    return tuple(_view(event, pack, thinkers) for event, _ in minds.log(mind))


def _view(event: Event, pack: Pack, thinkers: Mapping[str, str]) -> EventView:
    data = event.data
    target = data.get("target") or (f"npc:{data['speaker']}" if data.get("speaker") else None)
    reference, known, speaker = None, True, None
    text = event.kind.value.replace("_", " ")
    if event.kind == EventKind.LINE_FIRED:
        reference = f"{data['pool']}:{data['line']}"
        speaker = data.get("speaker") or thinkers.get(data["pool"])
        try:
            text = pack.line(data["pool"], data["line"]).text
        except UnknownReference:
            text, known = "a line that the content no longer has", False
    elif event.kind == EventKind.FACT_LEARNED:
        reference = data["fact_id"]
        text = pack.facts.get(reference, reference)
    elif event.kind == EventKind.INTERACTION_STARTED:
        slug = data["target"].removeprefix("npc:")
        reference = f"interaction.{slug}_{data['number']:03d}" if "number" in data else None
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
