"""What a game asks a campaign over the daemon's socket: a line, an event, a reason.

A request's ``data`` is an object; unknown members are refused. See docs/reference/game-methods.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from talebearer.campaign import Campaign, LineOptions, SceneDefaults, to_json
from talebearer.errors import InvalidRecord, nearest
from talebearer.server.daemon import Handler, MethodRegistry
from talebearer.store import Call, Reply, Store
from talebearer.vocabulary import EventKind

LINE_PICK = "talebearer.line.pick@1"
EVENT_APPLY = "talebearer.event.apply@1"
WHY = "talebearer.why@1"

_SCENE = ("location", "access", "trust", "situations", "topics", "moods")
_MORE = ("strategy", "event", "speaking")
_PICK = ("speaker", "character", "trigger", "mind", "tick", "keep", "explain", *_SCENE, *_MORE)
_THOUGHTS = frozenset(_PICK) - {*_SCENE, "speaker"} | {"location"}
_LISTED_MAX = 64


def game_methods(
    folder: Path, *, now_ms: Callable[[], int] | None = None, seed: int | None = None
) -> Callable[[Store], Mapping[str, Handler]]:
    """Return what gives a daemon the methods of the campaign in *folder*, over the daemon's store.

    Args:
        folder: The campaign's folder.
        now_ms: The clock, Unix milliseconds.
        seed: The seed of all draws; campaign.toml's by default.
    """

    def over(store: Store) -> Mapping[str, Handler]:
        game = GameMethods(Campaign.over(folder, store, now_ms=now_ms, seed=seed))
        registry = MethodRegistry()
        registry.register(LINE_PICK, game.pick)
        registry.register(EVENT_APPLY, game.apply)
        registry.register(WHY, game.why)
        return registry

    return over


class GameMethods:
    """The methods, over one campaign."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign

    def pick(self, call: Call) -> Reply:
        """Answer ``talebearer.line.pick@1``: one line, with its effects kept unless told otherwise."""
        data = _members(call.data, (), _PICK)
        if ("speaker" in data) is ("character" in data):
            raise _refused("", "is to have one of 'speaker' and 'character'")
        mind = _text(data, "mind") or "party"
        common: dict[str, Any] = {
            "mind": mind,
            "more": _more(data),
            "tick": _tick(data),
            "explain": _flag(data, "explain", default=False),
            "keep": _flag(data, "keep", default=True),
        }
        if "speaker" in data:
            if "trigger" in data:
                raise _refused("/trigger", "goes with 'character' only")
            speaker = _text(data, "speaker") or ""
            answer = self._campaign.game.line(speaker, scene=_scene(data), **common)
        else:
            for name in data:
                if name not in _THOUGHTS:
                    raise _refused(f"/{name}", "goes with 'speaker' only")
            answer = self._campaign.game.thought(
                _text(data, "character") or "",
                _text(data, "trigger", needed=True) or "",
                location=_text(data, "location"),
                **common,
            )
        return Reply({}, answer.as_json())

    def apply(self, call: Call) -> Reply:
        """Answer ``talebearer.event.apply@1``: something happens, with all that follows from it."""
        data = _members(call.data, ("kind", "data"), ("mind", "tick"))
        kind = _text(data, "kind", needed=True)
        kinds = [one.value for one in EventKind]
        if kind not in kinds:
            close = " or ".join(nearest(str(kind), kinds))
            raise _refused("/kind", f"{kind!r} is no kind of event", hint=f"did you mean {close}?")
        if not isinstance(data["data"], Mapping):
            raise _refused("/data", "is no object")
        answer = self._campaign.game.apply_event(
            EventKind(kind), data["data"], mind=_text(data, "mind") or "party", tick=_tick(data)
        )
        return Reply({}, answer.as_json())

    def why(self, call: Call) -> Reply:
        """Answer ``talebearer.why@1``: the chain of evidence behind a reference."""
        data = _members(call.data, ("reference",), ("mind",))
        evidence = self._campaign.why(
            _text(data, "reference", needed=True) or "", mind=_text(data, "mind") or "party"
        )
        return Reply({}, {"evidence": to_json(evidence)})


def _refused(place: str, what: str, *, hint: str = "") -> InvalidRecord:
    return InvalidRecord(f"the request is refused at /params/data{place}: it {what}", hint=hint)


def _members(
    value: Mapping[str, Any], required: tuple[str, ...], optional: tuple[str, ...]
) -> Mapping[str, Any]:
    for name in required:
        if name not in value:
            raise _refused(f"/{name}", "is missing")
    for name in value:
        if name not in required and name not in optional:
            known = ", ".join((*required, *optional))
            raise _refused(f"/{name[:60]}", "is not known", hint=f"known here: {known}")
    return value


def _text(data: Mapping[str, Any], name: str, *, needed: bool = False) -> str | None:
    found = data.get(name)
    if found is None and not needed:
        return None
    if not isinstance(found, str) or not found:
        raise _refused(f"/{name}", "is no text")
    return found


def _flag(data: Mapping[str, Any], name: str, *, default: bool) -> bool:
    found = data.get(name, default)
    if not isinstance(found, bool):
        raise _refused(f"/{name}", "is neither true nor false")
    return found


def _tick(data: Mapping[str, Any]) -> int | None:
    found = data.get("tick")
    if found is not None and (isinstance(found, bool) or not isinstance(found, int)):
        raise _refused("/tick", "is no whole number")
    return found


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...] | None:
    if name not in data:
        return None
    found = data[name]
    if not isinstance(found, list) or len(found) > _LISTED_MAX:
        raise _refused(f"/{name}", f"is no list of up to {_LISTED_MAX} texts")
    for place, one in enumerate(found):
        if not isinstance(one, str):
            raise _refused(f"/{name}/{place}", "is no text")
    return tuple(found)


def _scene(data: Mapping[str, Any]) -> SceneDefaults:
    return SceneDefaults(
        location=_text(data, "location"),
        access=_text(data, "access"),
        trust=_text(data, "trust"),
        situations=_texts(data, "situations"),
        topics=_texts(data, "topics"),
        moods=_texts(data, "moods"),
    )


def _more(data: Mapping[str, Any]) -> LineOptions:
    event = data.get("event", {})
    if not isinstance(event, Mapping) or len(event) > _LISTED_MAX:
        raise _refused("/event", f"is no object of up to {_LISTED_MAX} fields")
    for name, value in event.items():
        if not isinstance(value, str | int | float | bool):
            raise _refused(f"/event/{name[:60]}", "is no text, number or flag")
    spoken = data.get("speaking", [])
    if not isinstance(spoken, list) or len(spoken) > _LISTED_MAX:
        raise _refused("/speaking", f"is no list of up to {_LISTED_MAX} entries")
    return LineOptions(
        strategy=_text(data, "strategy"),
        event=event,
        speaking=tuple(_speech(one, f"/speaking/{place}") for place, one in enumerate(spoken)),
    )


def _speech(value: Any, place: str) -> tuple[str, str]:
    if not isinstance(value, Mapping) or set(value) != {"class", "character"}:
        raise _refused(place, "is no object of 'class' and 'character'")
    kind, who = value["class"], value["character"]
    if not isinstance(kind, str) or not isinstance(who, str):
        raise _refused(place, "is to hold two texts")
    return kind, who
