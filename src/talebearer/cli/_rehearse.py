"""What ``explain`` says of a content folder that no campaign plays yet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from talebearer.cli._content import cache_of, must_be_content
from talebearer.cli._output import indented, plural, print_json, print_plain, say
from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.campaign import LineOptions
    from talebearer.rehearsal import Answer, Rehearsal, Rolls, Row, Setup

_SHOWN_MAX = 20


def explain_content(
    content: Path,
    *,
    address: str | None,
    words: dict[str, Any],
    line: str | None,
    find: str | None,
    rolls: int,
    rows: int,
    as_json: bool,
) -> None:
    """Show what becomes of the lines of a scene that is made up.

    Args:
        content: The content folder.
        address: The scene as the previewer's address has it, or a saved scene's name; *words* change it.
        words: The scene as far as options give it.
        line: Only this line.
        find: Only the lines that these words find.
        rolls: How many draws to make beside the odds; 0 for none.
        rows: How many lines are shown at most.
        as_json: For programs.

    Raises:
        InvalidContent: The content has errors (TB106).
        UnknownName: Nobody, or several, are called as the speaker of *words* (TB105).
        UsageFault: The scene is wrong (TB111).
    """
    from talebearer.rehearsal import Filter, Rehearsal

    must_be_content(content)
    tried = Rehearsal(content, cache=cache_of(content, no_cache=False))
    if isinstance(words.get("speaker"), str):
        words = {**words, "speaker": _slug(tried, words["speaker"])}
    setup = _setup(tried, address, words)
    every_pool = setup.is_thought and line is not None
    shown = Filter(line=line, text=find or "", every_pool=every_pool)
    answer = tried.ask(setup, rows=rows, shown=shown)
    if line is not None and not answer.matching:
        raise UsageFault(f"no line {line!r} is asked here", hint="leave --line out to see all")
    rolled = tried.roll(setup, rolls) if rolls else None
    if as_json:
        value = {**answer.as_json(), "address": tried.address(setup)}
        print_json(value if rolled is None else {**value, "rolls": rolled.as_json()})
        return
    _show(tried, answer)
    if rolled is not None:
        _show_rolls(rolled)


def made_up_scene(words: Mapping[str, object], more: LineOptions) -> dict[str, Any]:
    """Return the scene as far as options give it, in the form of a setup."""
    given = {name: part for name, part in words.items() if part not in (None, [])}
    if given.get("mind") == "party":
        del given["mind"]
    if more.strategy is not None:
        given["strategy"] = more.strategy
    if more.event:
        given["event"] = dict(more.event)
    if more.speaking:
        given["speaking"] = [{"class": kind, "character": who} for kind, who in more.speaking]
    return given


def _setup(tried: Rehearsal, address: str | None, words: dict[str, Any]) -> Setup:
    if address is None:
        value = _begun(tried, words)
    elif "=" in address:
        value = tried.read_address(address.partition("?")[2] or address).as_json()
    else:
        value = tried.load(address).as_json()
    return tried.read_json({**value, **words, **_both_given(value, words)})


def _both_given(value: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the scene gives and what options give, the latter after it."""
    before, more = value.get("given", {}), words.get("given", {})
    kinds = dict.fromkeys((*before, *more))
    given = {kind: [*before.get(kind, ()), *more.get(kind, ())] for kind in kinds}
    return {"given": given} if given else {}


def _slug(tried: Rehearsal, asked: str) -> str:
    """Return the slug of whom *asked* names, as for a campaign: by slug, name or alias."""
    from talebearer.campaign import everybody, find_npc

    slugs = {slug for pool in tried.pools for slug in pool.speakers}
    return find_npc(asked, everybody(dict.fromkeys(slugs, ()), tried.pack)).slug


def _begun(tried: Rehearsal, words: dict[str, Any]) -> dict[str, Any]:
    """Return a setup to begin from: that of the pool of whoever speaks or thinks.

    Raises:
        UsageFault: It is nobody (TB111).
    """
    who = words.get("speaker") or words.get("character")
    place = words.get("location")
    if who is None:
        hint = "an NPC, --character, or --scene"
        raise UsageFault("explain needs somebody who speaks or thinks", hint=hint)
    own = [pool for pool in tried.pools if who in (*pool.speakers, pool.character)]
    # Somebody who has no line at that place is asked there as elsewhere.
    for pool in [one for one in own if place in (None, one.location)] or own:
        value = tried.first_setup(pool.path).as_json()
        if "speaker" in words and "speaker" in value:
            return {**value, "speaker": who}
        if "character" in words and "character" in value:
            return value
    return (
        {"tick": 0, "seed": 0, "situations": []} if "speaker" in words else {"tick": 0, "seed": 0}
    )


def _show(tried: Rehearsal, answer: Answer) -> None:
    if not answer.is_current:
        say("the files have errors; these are the lines of before", "yellow")
    value = answer.setup.as_json()
    say("; ".join(f"{name} {_words(part)}" for name, part in value.items()), style="dim")
    for row in answer.rows:
        _row(row)
    more = answer.matching - len(answer.rows)
    if more:
        say(f"and {plural(more, 'more line')}; --rows shows up to 200", "dim")
    steps = ", ".join(f"{stage} {left}" for stage, left in answer.funnel)
    say(f"{plural(answer.eligible, 'line')} in the draw ({steps})", "dim")
    if answer.pick is not None:
        say(f"seed {answer.setup.seed} draws {answer.pick.line_id} “{answer.pick.text}”")
    print_plain(f"this scene: {tried.address(answer.setup)}")


def _row(row: Row) -> None:
    verdict = row.verdict
    chance = verdict.probability
    if chance is None:
        indented(f"- {verdict.line_id} “{verdict.text}”", 0)
        indented(f"stopped at {verdict.dropped_by}: {verdict.detail}", 4, "dim")
    else:
        indented(f"+ {verdict.line_id} “{verdict.text}”", 0)
        indented(f"weight {verdict.weight}, chance {float(chance):.1%} ({chance})", 4, "dim")
    print_plain(f"    {row.where}")


def _show_rolls(rolls: Rolls) -> None:
    say(f"{plural(rolls.draws, 'draw')} in a row, each heard before the next:")
    for one in rolls.lines[:_SHOWN_MAX]:
        odds = "-" if one.odds is None else f"{float(one.odds):.1%}"
        gap = "" if one.gap is None else f", again after {one.gap}"
        indented(f"{one.count:>5}  {one.line_id} (odds {odds}{gap})", 2)
    say(
        f"nothing {rolls.nothing}, the same twice running {rolls.repeats}, "
        f"heard before {rolls.heard_again}",
        "dim",
    )


def _words(part: object) -> str:
    if isinstance(part, list) and all(isinstance(one, str) for one in part):
        return ", ".join(part)
    return json.dumps(part, ensure_ascii=False) if isinstance(part, list | dict) else str(part)
