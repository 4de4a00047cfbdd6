"""The report: one HTML file without scripts or outside requests, to read or to mail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from talebearer.campaign import (
    Campaign,
    EventView,
    Evidence,
    OccurrenceView,
    Recollection,
    SessionRecord,
)
from talebearer.server.pages._environment import environment_of
from talebearer.server.pages._minds_svg import in_words, minds_svg
from talebearer.server.pages._timeline_svg import timeline_svg
from talebearer.transcripts import format_time

QUOTES_PER_OCCURRENCE_MAX = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage:
    """One session as the page shows it."""

    record: SessionRecord
    occurrences: tuple[OccurrenceView, ...]
    length: str | None
    axis: str
    picture: Any
    kinds: tuple[str, ...]


def render_report(campaign: Campaign) -> str:
    """Return the report of an open campaign as one HTML document.

    All text of transcripts and content is escaped: it is data, never markup.
    """
    environment = environment_of()
    occurrences = campaign.occurrences()
    npcs = campaign.npcs()
    live = tuple(event for event in campaign.timeline() if event.stream == "live")
    people = [campaign.recall(npc.slug) for npc in npcs]
    picture = campaign.picture()
    return environment.get_template("report.html.j2").render(
        minds_picture=minds_svg(picture, title="Who knows what of whom") if picture.edges else None,
        minds_words=[in_words(edge) for edge in picture.edges],
        name=campaign.config.name,
        sessions=[_session(campaign, record, occurrences) for record in campaign.sessions()],
        npcs=npcs,
        occurrences=occurrences,
        secrets=any(npc.game_master_only for npc in npcs)
        or any(item.game_master_only for item in occurrences),
        people=[person for person in people if _worth_a_card(person)],
        spoken_of=[person for person in people if not _worth_a_card(person)],
        live=live,
        names={npc.slug: npc.name for npc in npcs},
        cards={person.slug for person in people if _worth_a_card(person)},
        facts=campaign.facts(),
        chains=_chains(campaign, live),
        quotes_max=QUOTES_PER_OCCURRENCE_MAX,
        kinds=_kinds(),
    )


def _kinds() -> tuple[str, ...]:
    from talebearer.vocabulary import OccurrenceKind

    return tuple(kind.value for kind in OccurrenceKind)


def _session(
    campaign: Campaign, record: SessionRecord, occurrences: tuple[OccurrenceView, ...]
) -> SessionPage:
    own = tuple(item for item in occurrences if item.session == record.id)
    units = campaign.transcript(record.id).units
    timed = all(unit.start_s is not None for unit in units)
    labels = [
        format_time(unit.start_s) if timed and unit.start_s is not None else str(unit.unit_id)
        for unit in units
    ]
    return SessionPage(
        record=record,
        occurrences=own,
        length=labels[-1] if timed else None,
        axis="time" if timed else "unit",
        picture=timeline_svg(own, labels=labels, title=f"Who was met in {record.id}"),
        kinds=tuple(kind for kind in _kinds() if any(item.kind == kind for item in own)),
    )


def _worth_a_card(person: Recollection) -> bool:
    """Whether there is more to tell of somebody than that the name was said."""
    told = {item.kind for item in person.occurrences} - {"mentioned"}
    return bool(told or person.interactions)


def _chains(campaign: Campaign, live: tuple[EventView, ...]) -> list[Evidence]:
    """Return why each live line was chosen, each line once, the latest first."""
    references = [
        event.reference
        for event in reversed(live)
        if event.kind == "line_fired"
        and event.reference
        # A line that the content no longer has is shown in the log, but has no chain.
        and not event.text.startswith("(a line that")
    ]
    return [campaign.why(reference) for reference in dict.fromkeys(references)][:20]
