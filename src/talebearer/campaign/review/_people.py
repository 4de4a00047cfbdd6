"""Who goes by which name after review, and who of them is for the game master only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from talebearer.campaign.review._apply import Names
from talebearer.campaign.review._decisions import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """The NPCs of a campaign after review.

    Attributes:
        names: Slug to names, first the one that it goes by; former ones follow.
        hidden: The slugs that are for the game master only.
        settled: The slugs of which a person has settled a name.
    """

    names: Mapping[str, tuple[str, ...]]
    hidden: frozenset[str]
    settled: frozenset[str]


def people_after_review(
    met: Mapping[str, tuple[str, ...]], decisions: Iterable[Decision]
) -> People:
    """Return who is there after review.

    A rejected name is nobody's; a merged or renamed one leads to who it became. Somebody is hidden
    as soon as one of the names is.

    Args:
        met: Slug to the names that it was stored for.
        decisions: All decisions of the campaign.
    """
    names = Names(decisions)
    by_name = {name: slug for slug, listed in met.items() for name in listed}
    current: dict[str, dict[str, None]] = {}
    former: dict[str, dict[str, None]] = {}
    hidden: set[str] = set()
    settled: set[str] = set()
    for slug, listed in met.items():
        for name in listed:
            resolved = names.resolve(name)
            owner = slug if resolved.name is None else by_name.get(resolved.name, slug)
            if resolved.hidden:
                hidden.update((slug, owner))
            if resolved.name is None:
                continue
            if resolved.accepted:
                settled.add(owner)
            current.setdefault(owner, {})[resolved.name] = None
            if resolved.name != name:
                former.setdefault(owner, {})[name] = None
    return People(
        names={
            slug: tuple(dict.fromkeys((*current[slug], *former.get(slug, ()))))
            for slug in sorted(current)
        },
        hidden=frozenset(hidden),
        settled=frozenset(settled),
    )
