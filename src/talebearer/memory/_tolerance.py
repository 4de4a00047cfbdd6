"""How a character takes it when somebody walks out: from its profile and the seed.

A value that the profile gives as a pair is drawn from it, one that it leaves out from the whole
range. The draw of a field is a number of its own, so that editing one field moves no other::

    text  = the canonical JSON array ["tolerance", seed, slug, field]
    draw  = the first 8 bytes of its SHA-256, big-endian
    value = low + (draw * (high - low + 1) >> 64)

Penalties are drawn in thousandths. The permanent memory of a profile that does not say is drawn
from 0 to 1. Stress has no range in the specification: the threshold is 50 and the delta 10 then.

Source: the interaction-memory spec section 8; IM-M8.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from talebearer.errors import InvalidContent
from talebearer.memory import _checks
from talebearer.memory._checks import Malformed

# One encoder: json.dumps makes a new one for every text.
_array = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode

WALK_AWAYS = (1, 5)
PENALTY_THOUSANDTHS = (100, 500)
STRESS_THRESHOLD = 50
STRESS_DELTA = 10

_FIELDS = frozenset(
    {
        "threshold",
        "walk_away_threshold",
        "walk_away_penalty",
        "walk_away_stress_delta",
        "permanent_confrontation_memory",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToleranceThreshold:
    """The stress that a character bears.

    Attributes:
        threshold: From this stress on it is strained, 0 to 32767.
    """

    threshold: int

    def strained_at(self, stress: int) -> bool:
        """Whether *stress* is as much as the character bears, or more."""
        return stress >= self.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionTolerance:
    """How a character takes being walked out on.

    Attributes:
        walk_away_threshold: Walk-aways that it puts up with, 1 to 5.
        walk_away_penalty: What each one beyond takes from the standing, 100 to 500 thousandths.
        walk_away_stress_delta: Stress that each one adds to a calm character, 0 to 32767.
        permanent_confrontation_memory: Whether it never forgives an abandoned confrontation.
    """

    walk_away_threshold: int
    walk_away_penalty: int
    walk_away_stress_delta: int
    permanent_confrontation_memory: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """Both sides of one character's patience.

    Attributes:
        slug: Whose it is.
        strain: What it bears at all.
        walk_away: What it makes of walk-aways.
    """

    slug: str
    strain: ToleranceThreshold
    walk_away: InteractionTolerance

    def as_json(self) -> dict[str, Any]:
        """Return the values as a JSON object, in the profile's words and units."""
        walk = self.walk_away
        return {
            "threshold": self.strain.threshold,
            "walk_away_threshold": walk.walk_away_threshold,
            "walk_away_penalty": walk.walk_away_penalty / 1000,
            "walk_away_stress_delta": walk.walk_away_stress_delta,
            "permanent_confrontation_memory": walk.permanent_confrontation_memory,
        }


def tolerance_of(slug: str, profile: Mapping[str, Any], *, seed: int) -> Tolerance:
    """Return the tolerance of the character *slug* in the playthrough of *seed*.

    Args:
        slug: The character.
        profile: Its profile's ``tolerance``; every member may be missing.
        seed: The campaign's or the save's seed.

    Raises:
        InvalidContent: A member is unknown, of the wrong kind or out of range (TB106).
    """
    try:
        given = _checks.members(profile, "tolerance", frozenset(), _FIELDS)
        permanent = given.get("permanent_confrontation_memory")
        if permanent is None:
            permanent = draw(seed, slug, "permanent_confrontation_memory", (0, 1)) == 1
        return Tolerance(
            slug=slug,
            strain=ToleranceThreshold(threshold=_stress(given, "threshold", STRESS_THRESHOLD)),
            walk_away=InteractionTolerance(
                walk_away_threshold=_drawn(given, "walk_away_threshold", slug, seed=seed),
                walk_away_penalty=_drawn(given, "walk_away_penalty", slug, seed=seed),
                walk_away_stress_delta=_stress(given, "walk_away_stress_delta", STRESS_DELTA),
                permanent_confrontation_memory=_checks.flag(
                    permanent, "tolerance.permanent_confrontation_memory"
                ),
            ),
        )
    except Malformed as fault:
        raise InvalidContent(
            f"{slug}: {fault.field}: {fault.problem}",
            hint=f"allowed here: {fault.allowed}" if fault.allowed else "",
            data={"slug": slug, "field": fault.field},
        ) from None


def draw(seed: int, slug: str, field: str, bounds: tuple[int, int]) -> int:
    """Return the number that *seed* gives to a character's *field*, within *bounds* inclusively."""
    text = _array(["tolerance", seed, slug, field])
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8")).digest()[:8], "big")
    low, high = bounds
    return low + (number * (high - low + 1) >> 64)


def _drawn(given: Mapping[str, Any], field: str, slug: str, *, seed: int) -> int:
    """Return a field that has a range: given, drawn from a given pair, or from all of it."""
    penalty = field == "walk_away_penalty"
    least, most = PENALTY_THOUSANDTHS if penalty else WALK_AWAYS
    value = given.get(field)
    if value is None:
        return draw(seed, slug, field, (least, most))
    read = _thousandths if penalty else _checks.whole
    pair = value if isinstance(value, list | tuple) else (value, value)
    name = f"tolerance.{field}"
    if len(pair) != 2:
        raise Malformed(name, f"{_checks.show(value)} is neither a number nor a pair")
    low, high = read(pair[0], name), read(pair[1], name)
    if not least <= low <= high <= most:
        allowed = "0.1 to 0.5" if penalty else "1 to 5"
        problem = f"{_checks.show(value)} is out of range"
        raise Malformed(name, problem, f"{allowed}, and in a pair the smaller first")
    return draw(seed, slug, field, (low, high)) if pair is value else low


def _thousandths(value: object, field: str) -> int:
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < 1000:
        raise Malformed(field, f"{_checks.show(value)} is not a number", "0.1 to 0.5")
    return round(value * 1000)


def _stress(given: Mapping[str, Any], field: str, default: int) -> int:
    value = given.get(field)
    if value is None:
        return default
    number = _checks.whole(value, f"tolerance.{field}")
    if number > _checks.STRESS_MAX:
        problem = f"{number} is out of range"
        raise Malformed(f"tolerance.{field}", problem, f"0 to {_checks.STRESS_MAX}")
    return number
