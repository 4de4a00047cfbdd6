"""Checks of what callers ask with: a word that no line can have is a mistake."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NoReturn

from talebearer.errors import UsageFault, nearest
from talebearer.lines._declared import Declared, Scalar
from talebearer.lines._pack import Pack
from talebearer.lines._scene import Scene, Speech
from talebearer.lines._strategies import STRATEGIES
from talebearer.vocabulary import SLUG, fullmatch

_SCENES_KEPT = 4096


def whole(name: str, value: int) -> int:
    """Return the integer *value*."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise UsageFault(f"{name} {value!r} is no integer", hint="give a whole number")
    return value


def tick(value: int) -> int:
    """Return the tick *value*."""
    if whole("tick", value) < 0:
        raise UsageFault(f"tick {value} is negative", hint="ticks count from 0")
    return value


def declared(what: str, words: Iterable[str], allowed: Collection[str]) -> None:
    """Refuse the first of *words* that is not among the *allowed*."""
    for word in words:
        if word not in allowed:
            refuse(what, word, allowed)


def refuse(what: str, word: str, allowed: Collection[str]) -> NoReturn:
    """Refuse *word*, and name the nearest that is allowed."""
    close = nearest(word, allowed)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    raise UsageFault(
        f"{what} {word!r} is not known",
        hint=f"{hint}allowed: {', '.join(allowed) or 'none'}",
    )


def strategy(name: str) -> str:
    """Return the strategy *name*."""
    declared("strategy", (name,), STRATEGIES)
    return name


def slug(what: str, value: str) -> None:
    """Refuse what is no slug."""
    if not fullmatch(SLUG, value):
        raise UsageFault(f"{what} {value!r} is no slug", hint=f"slugs match {SLUG}")


def scene(asked: Scene, pack: Pack) -> None:
    """Refuse a scene with a word that the campaign does not declare.

    The pack keeps which words go together in scenes that were right.
    """
    layers, tags = (asked.access, asked.trust, asked.situations), (asked.topics, asked.moods)
    kept = pack.scenes
    if layers in kept and tags in kept:
        return
    enums = pack.enums
    declared("access tier", (asked.access,), enums.access)
    declared("trust tier", (asked.trust,), enums.trust)
    declared("situation", asked.situations, enums.situations)
    declared("topic", asked.topics, enums.topics)
    declared("mood", asked.moods, enums.moods)
    if len(kept) >= _SCENES_KEPT:
        kept.clear()
    kept.update((layers, tags))


def event(
    fields: Mapping[str, Scalar], known: Declared, trigger: str | None
) -> Mapping[str, Scalar]:
    """Return the event *fields*, each declared by the trigger and of the declared type."""
    allowed = known.fields_of(trigger)
    for name, value in fields.items():
        kind = allowed.get(name)
        if kind is None:
            refuse("event field", name, sorted(allowed))
        if not kind.fits(value):
            raise UsageFault(f"event field {name} {value!r} is no {kind}", hint=f"give a {kind}")
    return fields


def speaking(spoken: Sequence[Speech | tuple[str, str]], known: Declared) -> tuple[Speech, ...]:
    """Return what is being spoken, each of a declared class and by a slug."""
    found = tuple(Speech(*one) for one in spoken)
    for one in found:
        declared("class", (one.speaking_class,), sorted(known.classes))
        slug("character", one.character)
    return found
