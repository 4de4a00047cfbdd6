"""A slow, plain selector: the published rules of selection, read sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from talebearer.memory import Event, fold
from talebearer.testing.reference._conditions import Asking
from talebearer.testing.reference._plain import (
    Hearing,
    Key,
    Moment,
    Row,
    best,
    digest_of,
    first_path_of,
    number_of,
    places_of,
    score_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceAnswer:
    """What a plain reading of the rules gives.

    Attributes:
        fates: Each line asked to the stage that it fell out at, or to its weight in the draw.
        chosen: The line that is drawn; None when no line is left.
        text: The text of it that is drawn.
        interrupts: Class and character of what it cuts short.
        effects: Mind, kind and data of each event that the pick carries.
    """

    fates: Mapping[Key, str | int]
    chosen: Key | None = None
    text: str | None = None
    interrupts: tuple[tuple[str, str], ...] = ()
    effects: tuple[tuple[str, str, Mapping[str, Any]], ...] = ()


class ReferenceSelector:
    """Answers as :class:`talebearer.lines.Selector` must, slowly.

    Args:
        pack: The JSON of a pack.
        logs: Mind id to events in order; the mind ``world`` may be among them.
        mind: Who listens or thinks.
        seed: Any integer.

    Source: docs/reference/selection.md; the line-pool spec sections 3.4 and 4.4.
    """

    def __init__(
        self, pack: Mapping[str, Any], logs: Mapping[str, Sequence[Event]], *, mind: str, seed: int
    ) -> None:
        self.pack = pack
        self.mind = mind
        self._seed = seed
        self.logs = {"world": [], mind: [], **logs}
        self.graphs = {name: fold(name, log).graph for name, log in self.logs.items()}
        self.heard = {name: list(self._hearings(log)) for name, log in self.logs.items()}

    # --- questions -------------------------------------------------------------------------------

    def dialogue(
        self,
        speaker: str,
        scene: Mapping[str, Any],
        *,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Any] | None = None,
        speaking: Sequence[tuple[str, str]] = (),
    ) -> ReferenceAnswer:
        """Answer what *speaker* says; *scene* has location, access, trust, situations, topics, moods."""
        moment = Moment(
            tick=tick,
            speaker=speaker,
            request="dialogue",
            trigger=None,
            event=event or {},
            speaking=speaking,
        )
        pools = self._speaks_from(speaker, scene["location"])
        moment.paths = [first_path_of(pool) for pool in pools]
        rows = [Row(pool=pool, line=line) for pool in pools for line in pool["lines"]]
        fates: dict[Key, str | int] = {}
        passed = []
        for row in rows:
            stage = self._layer(row.line, scene) or self._shared_stage(row, moment)
            if stage is None:
                passed.append(row)
            else:
                fates[row.key] = stage
        passed = self._without_repeat(passed, rows, moment, fates)
        scores = {row.key: score_of(row.line, scene) for row in passed}
        how = strategy or self._named(pools, own=speaker) or "top_scored"
        weights = {key: 2 ** (score + 2) for key, score in scores.items()}
        return self._answer(passed, scores, weights, how, moment, fates)

    def monologue(
        self,
        character: str,
        trigger: str,
        *,
        location: str,
        tick: int,
        strategy: str | None = None,
        event: Mapping[str, Any] | None = None,
        speaking: Sequence[tuple[str, str]] = (),
    ) -> ReferenceAnswer:
        """Answer what *character* thinks when *trigger* happens at *location*."""
        moment = Moment(
            tick=tick,
            speaker=character,
            request=trigger,
            trigger=trigger,
            event=event or {},
            speaking=speaking,
        )
        pools = self._thinks_from(character, location)
        moment.paths = [first_path_of(pool) for pool in pools]
        fates: dict[Key, str | int] = {}
        passed: list[Row] = []
        for general in (False, True):
            for pool in pools:
                if (pool["location"] == "general") is not general:
                    continue
                for line in pool["lines"]:
                    row = Row(pool=pool, line=line)
                    stage = self._thought_stage(row, moment)
                    if stage is None:
                        passed.append(row)
                    else:
                        fates[row.key] = stage
            if passed and not general:
                for pool in pools:
                    if pool["location"] == "general":
                        keys = [(pool["path"], line["id"]) for line in pool["lines"]]
                        fates.update(dict.fromkeys(keys, "location"))
                break
        scores = {row.key: row.line.get("priority", 5) for row in passed}
        how = strategy or self._named(pools, own=location) or "weighted"
        weights = {key: 2**score for key, score in scores.items()}
        return self._answer(passed, scores, weights, how, moment, fates)

    def _thought_stage(self, row: Row, moment: Moment) -> str | None:
        if row.line["trigger"] != moment.trigger:
            return "trigger"
        return self._shared_stage(row, moment)

    # --- candidates ------------------------------------------------------------------------------

    def _speaks_from(self, slug: str, place: str) -> list[Mapping[str, Any]]:
        profiles = self.pack["profiles"]
        owners = {*profiles, *(f"pc-{name}" for name in self.pack["characters"])}
        role = profiles.get(slug, {}).get("role")
        found = []
        for pool in self.pack["pools"]:
            if pool["kind"] != "dialogue" or pool["location"] != place:
                continue
            stem = pool["path"].rsplit("/", 1)[-1]
            of_role = role is not None and pool["role"] == role and stem not in owners
            if stem == slug or of_role:
                found.append(pool)
        return sorted(found, key=first_path_of)

    def _thinks_from(self, character: str, place: str) -> list[Mapping[str, Any]]:
        found = [
            pool
            for pool in self.pack["pools"]
            if pool["kind"] == "monologue"
            and pool["character"] == character
            and pool["location"] in (place, "general")
        ]
        return sorted(found, key=first_path_of)

    def _named(self, pools: Sequence[Mapping[str, Any]], *, own: str) -> str | None:
        naming = [pool for pool in pools if pool.get("strategy")]
        for pool in naming:
            if pool["path"].rsplit("/", 1)[-1] == own:
                return str(pool["strategy"])
        return str(naming[0]["strategy"]) if naming else None

    # --- stages ----------------------------------------------------------------------------------

    def _layer(self, line: Mapping[str, Any], scene: Mapping[str, Any]) -> str | None:
        order = list(self.pack["enums"]["trust"])
        if scene["access"] not in line["access"]:
            return "access"
        if not any(active in line["situation"] for active in scene["situations"]):
            return "situation"
        if order.index(scene["trust"]) < order.index(line["trust"]):
            return "trust"
        return None

    def _shared_stage(self, row: Row, moment: Moment) -> str | None:
        if not self._condition_met(row, moment):
            return "prerequisites"
        if self._spent(row, moment):
            return "once"
        hearings = self._of_line(row, moment.heard_as, self.mind)
        cooldown = row.line.get("cooldown", 0)
        if hearings and moment.tick - max(one.tick for one in hearings) < cooldown:
            return "cooldown"
        return "class" if self._shut_out(row.line, moment) else None

    def _spent(self, row: Row, moment: Moment) -> bool:
        scope = row.line.get("once")
        if scope is None:
            return False
        by = moment.heard_as if scope in ("pair", "character") else None
        minds = ("world", self.mind) if scope in ("character", "world") else (self.mind,)
        return any(self._of_line(row, by, mind) for mind in minds)

    def _shut_out(self, line: Mapping[str, Any], moment: Moment) -> bool:
        if "class" not in line:
            return False
        known = self.pack.get("state", {}).get("classes", {}).get(line["class"])
        if known is None:
            return True
        return any(
            spoken in known.get("excluded_by", ()) and spoken not in known.get("interrupts", ())
            for spoken, _ in moment.speaking
        )

    def _without_repeat(
        self,
        passed: list[Row],
        rows: list[Row],
        moment: Moment,
        fates: dict[Key, str | int],
    ) -> list[Row]:
        keys = {row.key for row in rows}
        last = None
        for hearing in self.heard[self.mind]:
            if hearing.key in keys and hearing.character == moment.heard_as:
                last = hearing.key
        if last is None or len(passed) < 2 or all(row.key != last for row in passed):
            return passed
        fates[last] = "repeat"
        return [row for row in passed if row.key != last]

    # --- what was heard --------------------------------------------------------------------------

    def _hearings(self, log: Sequence[Event]) -> Iterator[Hearing]:
        for event in log:
            if event.kind.value == "line_fired":
                data = event.data
                yield Hearing(
                    tick=event.tick,
                    character=self.slug_now(data.get("speaker", "")),
                    key=self.now_named(data["pool"], data["line"]),
                    variant=data.get("variant", ""),
                    round=data.get("round", 0),
                )

    def slug_now(self, slug: str) -> str:
        """Return the slug of the character who has this one, or had it when nobody has it now."""
        profiles = self.pack["profiles"]
        if slug in profiles:
            return slug
        named = (now for now, one in sorted(profiles.items()) if slug in one.get("formerly", ()))
        return next(named, slug)

    def now_named(self, path: str, line_id: str) -> Key:
        """Return the key of the line that has this name, or had it when none has it now."""
        lines = [(pool, line) for pool in self.pack["pools"] for line in pool["lines"]]
        if any((pool["path"], line["id"]) == (path, line_id) for pool, line in lines):
            return path, line_id
        for pool, line in lines:
            for alias in line.get("aliases", ()):
                former, _, name = alias.rpartition("#")
                if (former, name) == (path, line_id):
                    return pool["path"], line["id"]
        return path, line_id

    def _of_line(self, row: Row, character: str | None, mind: str) -> list[Hearing]:
        return [
            one
            for one in self.heard[mind]
            if one.key == row.key and (character is None or one.character == character)
        ]

    # --- conditions ------------------------------------------------------------------------------

    def _condition_met(self, row: Row, moment: Moment) -> bool:
        condition = row.line.get("when")
        if condition is None:
            return True
        asking = Asking(self, row, moment, name="", places=places_of(condition))
        return asking.holds(condition)

    # --- the draw --------------------------------------------------------------------------------

    def _answer(
        self,
        passed: list[Row],
        scores: Mapping[Key, int],
        weights: Mapping[Key, int],
        how: str,
        moment: Moment,
        fates: dict[Key, str | int],
    ) -> ReferenceAnswer:
        left, turn = self._narrowed(passed, scores, how, moment, fates)
        drawn = [(row, weights[row.key] if how == "weighted" else 1) for row in left]
        fates.update({row.key: weight for row, weight in drawn})
        if not drawn:
            return ReferenceAnswer(fates=fates)
        total = sum(weight for _, weight in drawn)
        point = (self.number(moment) * total) >> 64 if len(drawn) > 1 else 0
        for row, weight in drawn:
            if point < weight:
                return self._picked(row, turn, moment, fates)
            point -= weight
        raise AssertionError("a point lies within the weights")

    def _narrowed(
        self,
        passed: list[Row],
        scores: Mapping[Key, int],
        how: str,
        moment: Moment,
        fates: dict[Key, str | int],
    ) -> tuple[list[Row], int]:
        if not passed or how == "weighted":
            return passed, 0
        if how == "best_specific":
            counts = {row.key: self._count(row.line.get("when", {})) for row in passed}
            passed = best(passed, counts, "specificity", fates)
        passed = best(passed, scores, "score", fates)
        if how == "least_recent":
            rest = {}
            for row in passed:
                ticks = [one.tick for one in self._of_line(row, moment.heard_as, self.mind)]
                rest[row.key] = -max(ticks) if ticks else 1
            passed = best(passed, rest, "recency", fates)
        if how != "bag":
            return passed, 0
        turns = {
            row.key: max(
                (one.round for one in self._of_line(row, moment.heard_as, self.mind)), default=0
            )
            for row in passed
        }
        front = max(turns.values())
        behind = [row for row in passed if turns[row.key] < front]
        if not behind:
            return passed, front + 1
        fates.update({row.key: "bag" for row in passed if turns[row.key] == front})
        return behind, front

    def _count(self, condition: Mapping[str, Any]) -> int:
        total = 0
        for member, value in condition.items():
            if member == "all_of":
                total += sum(self._count(part) for part in value)
            elif member == "any_of":
                total += min(self._count(part) for part in value)
            elif member == "not":
                total += self._count(value)
            elif member == "conditions":
                named = self.pack.get("conditions", {})
                total += sum(self._count(named[one]) if one in named else 1 for one in value)
            elif member in ("reply_to", "chance"):
                total += 1
            else:
                total += len(value)
        return total

    def _picked(
        self, row: Row, turn: int, moment: Moment, fates: dict[Key, str | int]
    ) -> ReferenceAnswer:
        line = row.line
        text: str = line["text"]
        shown: dict[str, Any] = {}
        texts = [line["text"], *line.get("variants", ())]
        if len(texts) > 1:
            text = self._variant(row, texts, moment)
            shown["variant"] = digest_of(text)
        if turn:
            shown["round"] = turn
        classes = self.pack.get("state", {}).get("classes", {})
        cuts = classes.get(line.get("class"), {}).get("interrupts", ())
        return ReferenceAnswer(
            fates=fates,
            chosen=row.key,
            text=text,
            interrupts=tuple(one for one in moment.speaking if one[0] in cuts),
            effects=tuple(self._effects(row, shown, moment)),
        )

    def _variant(self, row: Row, texts: list[str], moment: Moment) -> str:
        turn: list[str] = []
        for one in self._of_line(row, moment.heard_as, self.mind):
            if one.variant:
                turn = [one.variant] if one.variant in turn else [*turn, one.variant]
        left = [text for text in texts if digest_of(text) not in turn]
        if not left:
            left = [text for text in texts if digest_of(text) != turn[-1]]
        if len(left) == 1:
            return left[0]
        number = self.number(moment, "variant", *row.first_key)
        return left[(number * len(left)) >> 64]

    def number(self, moment: Moment, *more: str | int) -> int:
        draw = sum(
            event.kind.value == "line_fired" and event.tick == moment.tick
            for event in self.logs[self.mind]
        )
        mind = self._first_mind()
        array = [self._seed, moment.tick, mind, moment.paths, moment.request, draw, *more]
        return number_of(array)

    def _first_mind(self) -> str:
        profile = self.pack["profiles"].get(self.mind.removeprefix("npc:"), {})
        is_renamed = self.mind.startswith("npc:") and profile.get("formerly")
        return f"npc:{profile['formerly'][0]}" if is_renamed else self.mind

    # --- effects ---------------------------------------------------------------------------------

    def _effects(
        self, row: Row, shown: Mapping[str, Any], moment: Moment
    ) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
        path, line_id = row.key
        fired = {"pool": path, "line": line_id, **shown}
        if moment.trigger is None:
            fired["speaker"] = moment.speaker
        yield self.mind, "line_fired", fired
        if row.line.get("once") in ("character", "world"):
            yield "world", "line_fired", fired
        state = self.pack.get("state", {})
        for effect in row.line.get("effects", ()):
            (what, given), *_ = effect.items()
            if what == "grant":
                via: dict[str, Any] = {"kind": "inferred", "payload": {"from": []}}
                if moment.trigger is None:
                    via = {"kind": "told_by", "payload": {"entity": f"npc:{moment.speaker}"}}
                yield self.mind, "fact_learned", {**given, "source": via}
                continue
            noun, kinds, event = {
                "set": ("value", "values", "value_set"),
                "add": ("counter", "counters", "counter_added"),
                "stamp": ("timer", "timers", "timer_stamped"),
            }[what]
            scope = state[kinds][given[noun]]["scope"]
            mind, owner = self.owner(scope, row, moment)
            yield mind, event, {**({"by": 1} if what == "add" else {}), **given, **owner}

    def owner(self, scope: str, row: Row, moment: Moment) -> tuple[str, dict[str, str]]:
        """Return in which mind something of *scope* is kept, and by what else."""
        mind = "world" if scope in ("character", "world") else self.mind
        if scope in ("pair", "character"):
            return mind, {"character": moment.speaker}
        if scope == "line":
            return mind, {"pool": row.key[0], "line": row.key[1]}
        return mind, {}
