"""Finding the NPC that a person means: by slug, name, alias or spelling."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from talebearer.errors import UnknownName, nearest
from talebearer.lines import Pack, Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Npc:
    """One character: what it is called and where its lines are.

    Attributes:
        slug: Its slug.
        name: Canonical name, or the profile's.
        profile: The content's profile, if there is one.
        met: Whether a recorded session has the name.
    """

    slug: str
    name: str
    profile: Profile | None
    met: bool


def everybody(met: Mapping[str, str], pack: Pack) -> dict[str, Npc]:
    """Return slug to NPC of all that were met (slug to name) or have a profile."""
    npcs: dict[str, Npc] = {}
    for slug in sorted({*met, *pack.profiles}):
        profile = pack.profiles.get(slug)
        name = met.get(slug) or (profile.name if profile else slug)
        npcs[slug] = Npc(slug=slug, name=name, profile=profile, met=slug in met)
    return npcs


def find_npc(asked: str, npcs: Mapping[str, Npc]) -> Npc:
    """Return the NPC that *asked* names, whatever its case and spacing.

    Raises:
        UnknownName: Nobody has that name, or several do (TB105); the hint names the nearest.
    """
    index: dict[str, set[str]] = {}
    for npc in npcs.values():
        aliases = npc.profile.aliases if npc.profile else ()
        own = npc.profile.name if npc.profile else npc.name
        for word in (npc.slug, f"npc:{npc.slug}", npc.name, own, *aliases):
            index.setdefault(_fold(word), set()).add(npc.slug)
    slugs = sorted(index.get(_fold(asked), ()))
    if len(slugs) == 1:
        return npcs[slugs[0]]
    if slugs:
        raise UnknownName(f"{asked!r} is several: {', '.join(slugs)}", hint="give the slug")
    names = {npc.name for npc in npcs.values()}
    close = nearest(asked, names | set(npcs))
    hint = f"did you mean {' or '.join(close)}?" if close else "list them: talebearer npcs"
    raise UnknownName(f"nobody is called {asked!r}", hint=hint, data={"nearest": list(close)})


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
