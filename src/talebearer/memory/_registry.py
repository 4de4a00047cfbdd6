"""Who is meant: entity references, stable ids and content slugs, resolved to one another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from talebearer.errors import InvalidId, UnknownName, meant, nearest
from talebearer.memory import _checks
from talebearer.vocabulary import SLUG

_SLUG = re.compile(SLUG)
_SUFFIXES = (".yaml", ".yml", ".json")
_NPC = "npc:"


class EntityRegistry:
    """Every declared character, found by reference, stable id or slug.

    Args:
        profile_files: Paths of the profiles, or bare slugs; the slug is the file's stem.
        stable_ids: Stable id to slug, where something outside the content names characters: the
            ids of an extracted registry, or the handles of a game's entities, as texts.

    Raises:
        InvalidId: A file has no usable stem, two files have the same, or a stable id stands for
            nobody; the message names the file (TB109).

    Source: the interaction-memory spec section 3.1; IM-M11.
    """

    __slots__ = ("_files", "_ids", "_slugs")

    def __init__(
        self, profile_files: Iterable[str], *, stable_ids: Mapping[str, str] | None = None
    ) -> None:
        self._files: dict[str, str] = {}
        for file in profile_files:
            slug = profile_slug(file)
            if slug in self._files:
                raise InvalidId(
                    f"{file} and {self._files[slug]} both stand for {slug!r}",
                    hint="rename one: the stem of a profile's file is its character's slug",
                    data={"file": file, "slug": slug},
                )
            self._files[slug] = file
        self._slugs: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        for stable_id, slug in sorted((stable_ids or {}).items()):
            if slug not in self._files:
                raise InvalidId(
                    f"the stable id {_checks.show(stable_id)} stands for {_checks.show(slug)}, "
                    "which no profile declares",
                    data={"stable_id": stable_id, "slug": slug},
                )
            self._slugs[stable_id] = slug
            self._ids.setdefault(slug, stable_id)

    def __contains__(self, reference: object) -> bool:
        return isinstance(reference, str) and self._find(reference) is not None

    @property
    def slugs(self) -> tuple[str, ...]:
        """The slugs of all declared characters, in order."""
        return tuple(sorted(self._files))

    def slug(self, reference: str) -> str:
        """Return the slug of *reference*: ``npc:{slug}``, a stable id, or the slug itself.

        Raises:
            UnknownName: It stands for nobody (TB105); the hint names the nearest.
        """
        slug = self._find(reference)
        if slug is None:
            close = nearest(str(reference).removeprefix(_NPC), self.slugs)
            message = f"there is no character {_checks.show(reference)}"
            raise UnknownName(message, hint=meant(close))
        return slug

    def entity(self, reference: str) -> str:
        """Return ``npc:{slug}`` of *reference*.

        Raises:
            UnknownName: It stands for nobody (TB105).
        """
        return f"{_NPC}{self.slug(reference)}"

    def stable_id(self, reference: str) -> str | None:
        """Return the stable id of *reference*, the first in order where it has several.

        Raises:
            UnknownName: It stands for nobody (TB105).
        """
        return self._ids.get(self.slug(reference))

    def file(self, reference: str) -> str:
        """Return the profile's file.

        Raises:
            UnknownName: It stands for nobody (TB105).
        """
        return self._files[self.slug(reference)]

    def _find(self, reference: str) -> str | None:
        if reference.startswith(_NPC):
            slug = reference.removeprefix(_NPC)
            return slug if slug in self._files else None
        if reference in self._slugs:
            return self._slugs[reference]
        return reference if reference in self._files else None


def profile_slug(file: str) -> str:
    """Return the slug of a profile's *file*, which is the file's stem.

    Raises:
        InvalidId: The stem is no slug; the message names the file (TB109).

    Source: IM-M11.
    """
    name = file.replace("\\", "/").rpartition("/")[2]
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix)
    if _SLUG.fullmatch(name) is None:
        raise InvalidId(
            f"the profile {_checks.show(file)} has no usable stem: {_checks.show(name)} is no slug",
            hint="rename the file: lower-case words joined by hyphens, first a letter",
            data={"file": file},
        )
    return name
