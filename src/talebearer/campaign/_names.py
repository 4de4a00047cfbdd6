"""Finding the NPC that a person means: by slug, name, alias or spelling."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from talebearer.errors import UnknownName, did_you_mean
from talebearer.lines import Pack, Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Npc:
    """One character: what it is called and where its lines are.

    Attributes:
        slug: Its slug.
        name: The canonical name that it was met under first, or the profile's.
        names: All canonical names that it was met under.
        profile: The content's profile, if there is one.
        met: Whether a recorded session has the name.
    """

    slug: str
    name: str
    names: tuple[str, ...]
    profile: Profile | None
    met: bool


def everybody(met: Mapping[str, tuple[str, ...]], pack: Pack) -> dict[str, Npc]:
    """Return slug to NPC of all that were met (slug to names) or have a profile."""
    npcs: dict[str, Npc] = {}
    for slug in sorted({*met, *pack.profiles}):
        profile = pack.profiles.get(slug)
        names = met.get(slug) or ((profile.name if profile else slug),)
        npcs[slug] = Npc(slug=slug, name=names[0], names=names, profile=profile, met=slug in met)
    return npcs


def find_npc(asked: str, npcs: Mapping[str, Npc]) -> Npc:
    """Return the NPC that *asked* names, whatever its case and spacing.

    Raises:
        UnknownName: Nobody has that name, or several do (TB105); the hint names the nearest.
    """
    if not isinstance(asked, str):
        raise UnknownName(f"{asked!r} is no name", hint="give a slug, a name or an alias")
    exact = asked.removeprefix("npc:")
    if exact in npcs:
        return npcs[exact]
    index: dict[str, set[str]] = {}
    for npc in npcs.values():
        aliases = (*npc.profile.aliases, *npc.profile.formerly) if npc.profile else ()
        own = npc.profile.name if npc.profile else npc.name
        for word in (npc.slug, *npc.names, own, *aliases):
            index.setdefault(_fold(word), set()).add(npc.slug)
    slugs = sorted(index.get(_fold(asked), ()) or _by_word(_fold(asked), index))
    if len(slugs) == 1:
        return npcs[slugs[0]]
    if slugs:
        raise UnknownName(f"{asked!r} is several: {', '.join(slugs)}", hint="give the slug")
    names = {npc.name for npc in npcs.values()}
    hint = did_you_mean(asked, names | set(npcs), otherwise="list them: talebearer npcs")
    raise UnknownName(f"nobody is called {asked!r}", hint=hint)


def _by_word(word: str, index: Mapping[str, set[str]]) -> set[str]:
    """Return who has *word* as a part of a name: a first name is enough where it is unique."""
    return {slug for name, slugs in index.items() if word in name.split() for slug in slugs}


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())
