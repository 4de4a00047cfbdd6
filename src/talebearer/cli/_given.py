"""Options that make up a past: what a mind knows, and what happened with whom."""

from __future__ import annotations

from typing import Any

from talebearer.errors import UsageFault, did_you_mean
from talebearer.vocabulary import Confidence, InteractionState, RelationshipState

_STATES = {
    **{state.value: "interactions" for state in InteractionState},
    **{state.value: "relationships" for state in RelationshipState},
}
"""What may have happened to the kind of a ``given`` that says it."""


def given_options(
    knows: list[str] | None, happened: list[str] | None
) -> dict[str, list[dict[str, Any]]] | None:
    """Return the ``given`` that the options say, as a plan has it; None without any.

    Raises:
        UsageFault: One has another form (TB111).
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for text in knows or ():
        found.setdefault("facts", []).append(_fact(text))
    for text in happened or ():
        kind, entry = _past(text)
        found.setdefault(kind, []).append(entry)
    return found or None


def _fact(text: str) -> dict[str, Any]:
    said, when = _when(text, "--knows")
    fact_id, sign, how = said.partition(":")
    confidence = how if sign else Confidence.KNOWS_OF.value
    words = [one.value for one in Confidence]
    if not fact_id:
        raise UsageFault(f"--knows {text!r} names no fact", hint="such as places.bell_rang")
    if confidence not in words:
        hint = did_you_mean(confidence, words)
        raise UsageFault(f"--knows {text!r}: {confidence!r} is no confidence", hint=hint)
    return {"fact_id": fact_id, "confidence": confidence, **when}


def _past(text: str) -> tuple[str, dict[str, Any]]:
    said, when = _when(text, "--happened")
    who, _, what = said.rpartition(":")
    kind = _STATES.get(what)
    if not who or kind is None:
        hint = did_you_mean(what, _STATES) if who else "such as maelis-brandt:walked_away"
        raise UsageFault(f"--happened {text!r} does not say what with whom", hint=hint)
    slug = who.removeprefix("npc:")
    if ":" in slug:
        hint = "an NPC by its slug, such as maelis-brandt:walked_away"
        raise UsageFault(f"--happened {text!r}: {who!r} is no NPC", hint=hint)
    target = f"npc:{slug}"
    return kind, {"target": target, "state": what, **when}


def _when(text: str, option: str) -> tuple[str, dict[str, int]]:
    """Return what is said before the tick, and the tick where there is one."""
    said, sign, tick = text.partition("@")
    if not sign:
        return said, {}
    if not (tick.isascii() and tick.isdigit() and len(tick) <= 12):
        raise UsageFault(
            f"{option} {text!r}: {tick!r} is no tick", hint="a whole number, such as @40"
        )
    return said, {"tick": int(tick)}
