"""One pool as one mind hears it from one speaker: which lines are open now.

A view keeps the answers of gates as sets of lines. It is told what changed in the minds, and asks
again only the gates that read that; what the clock alone changes waits in a heap until its tick.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any, TypeAlias

from talebearer.lines import _bits
from talebearer.lines._declared import Declared, SpeakingClass
from talebearer.lines._pack import Place
from talebearer.lines._pools import Pool
from talebearer.lines._scene import Speech
from talebearer.lines.gates import CHANCE, LATE, LINE, SAID, TIMED, Asked, Gate, GateResult, ReadKey
from talebearer.memory import Heard

Hearings: TypeAlias = Iterable[tuple[Place, Heard]]
"""Which lines of a pool were heard, and how."""

Blank: TypeAlias = tuple[bytes, int]
"""What a mind that knows nothing is answered: rule by rule, and the lines that are closed to it."""

_MEMO_MAX = 4096


class View:
    """A pool, a speaker and what is open.

    Attributes:
        pool: The pool.
        rules: Its gates.
        speaker: Who speaks or thinks.
        declared: What the campaign declares.
        heard_bits: The lines that were heard from this speaker.
        round_bits: Turn of the bag to the lines whose last turn it is, from 1.
        last_order: When the line was heard that was heard last, 0 for none.
        last_bit: That line.
        looked: Position to what was found at the line's gates; as :meth:`look` keeps it.
        closed: The lines whose gates are not met.
        spent: The lines that were to be said once and were.
        resting: The lines that rest.
        open: The lines that nothing of this bars; None when nothing ever could.
    """

    __slots__ = (
        "_all",
        "_asked",
        "_heap",
        "_late_memo",
        "_met",
        "_replies",
        "_rounds",
        "_said",
        "_stale",
        "_ticks",
        "_until",
        "closed",
        "declared",
        "heard_bits",
        "last_bit",
        "last_order",
        "looked",
        "open",
        "pool",
        "resting",
        "round_bits",
        "rules",
        "speaker",
        "spent",
        "tick",
    )

    def __init__(
        self,
        pool: Pool[Any],
        speaker: str,
        *,
        asked: Asked,
        declared: Declared,
        blank: Blank | None = None,
        seen: Collection[ReadKey] = (),
    ) -> None:
        """Ask every gate; with *blank*, only those that read what was *seen* since, and the timed."""
        self.pool: Any = pool  # of either kind; each request knows which
        self.rules = pool.rules
        self._all = (1 << pool.size) - 1
        self.speaker = speaker
        self.declared = declared
        self.tick = asked.tick
        self._asked = asked
        self._met = bytearray(len(self.rules.rules))
        self._until: dict[int, int] = {}
        self._heap: list[tuple[int, int]] = []
        self._late_memo: dict[Any, bool] = {}
        self.looked: dict[int, tuple[GateResult, ...]] = {}
        self._replies = SAID in self.rules.reads
        self._said = asked.said
        self._stale: set[int] = set()
        self._ticks: dict[int, int] = {}
        self._rounds: dict[int, int] = {}
        self.heard_bits = 0
        self.round_bits: dict[int, int] = {}
        self.last_order = 0
        self.last_bit = 0
        self.closed = 0
        self.spent = 0
        self.resting = 0
        if blank is None:
            self._ask_all()
        else:
            self._met[:], self.closed = blank
            watch = self.rules.watch
            again = set(self.rules.timed)
            for key in watch.keys() & seen:
                again.update(watch[key])
            self._ask(again)
        self.open: int | None = None
        self.reopen()

    @property
    def blank(self) -> Blank:
        """What its gates answered; of a mind that knows nothing, the beginning of any other."""
        return bytes(self._met), self.closed

    # --- what was heard --------------------------------------------------------------------------

    def heard(self, mine: Hearings, world: Hearings) -> None:
        """Take in all that was heard of this pool, by this mind and by all."""
        for place, one in mine:
            self.hear(place.position, place.character, one)
        for place, _ in world:
            self.hear_of_world(place.position, place.character)
        self.reopen()

    def hear(self, position: int, character: str, one: Heard) -> bool:
        """Take in how this mind heard a line from *character*, last of all so far.

        Returns:
            Whether that may bar it, and :meth:`reopen` is to follow.
        """
        pool = self.pool
        bars = position in pool.once and self._spend(position, character, shared=False)
        # Whom an older save forgot may have been anybody.
        if character == self.speaker or not character:
            bit = 1 << position
            self.heard_bits |= bit
            order, tick, _, _, turn = one
            ticks = self._ticks
            if tick >= ticks.get(position, 0):
                ticks[position] = tick
            if turn:
                self._turn(position, bit, turn)
            if order > self.last_order:
                self.last_order, self.last_bit = order, bit
            if position in pool.cooldown:
                self._rest(position, bit)
                bars = True
        return bars

    def hear_of_world(self, position: int, character: str) -> bool:
        """Take in that *character* said a line that is kept for all, as :meth:`hear` does."""
        return position in self.pool.once and self._spend(position, character, shared=True)

    def _spend(self, position: int, character: str, *, shared: bool) -> bool:
        """Note that a line which is said once was, if what was heard here is what counts."""
        scope = self.pool.once[position]
        if scope.shared is not shared:
            return False
        if scope.of_speaker and character and character != self.speaker:
            return False
        self.spent |= 1 << position
        return True

    def _turn(self, position: int, bit: int, number: int) -> None:
        before = self._rounds.get(position, 0)
        if number <= before:
            return
        if before:
            self.round_bits[before] ^= bit
            if not self.round_bits[before]:
                del self.round_bits[before]
        self._rounds[position] = number
        self.round_bits[number] = self.round_bits.get(number, 0) | bit

    def heard_at(self, position: int) -> int:
        """Return the latest tick at which the line, which was heard, was heard."""
        return self._ticks[position]

    def heard_in(self, tick: int, mask: int) -> int:
        """Return the lines of *mask* that were heard last at *tick*."""
        ticks = self._ticks
        places = (place for place in _bits.positions_of(mask) if ticks.get(place) == tick)
        return _bits.of_positions(places, self.pool.size)

    def round_of(self, mask: int) -> int:
        """Return the greatest turn of the bag that a line of *mask* has."""
        return max((turn for turn, bits in self.round_bits.items() if bits & mask), default=0)

    # --- gates and the clock ---------------------------------------------------------------------

    def changed(self, key: ReadKey) -> None:
        """Note that every gate that reads *key* is to be asked again, before anything else is."""
        self._stale.update(self.rules.watch.get(key, ()))
        if self._late_memo:
            self._late_memo.clear()
        if self.looked:
            self.looked.clear()

    def settle(self) -> None:
        """Ask again every gate that is to be asked."""
        if self._replies and self._said != self._asked.said:
            self._said = self._asked.said
            self.changed(SAID)
        if self._stale:
            self._ask(self._stale)
            self._stale.clear()
            self.reopen()

    def look(self, position: int, asked: Asked) -> tuple[GateResult, ...]:
        """Return what is found at the gates of a line.

        Where the minds alone decide that, it is kept until one of them changes.
        """
        asked.about(self.pool.path, self.pool.ids[position])
        gates = self.pool.when[position].gates
        found = tuple([gate.look(asked) for gate in gates])
        if not any(gate.traits & (TIMED | LATE) for gate in gates):
            if len(self.looked) >= _MEMO_MAX:
                self.looked.clear()
            self.looked[position] = found
        return found

    def open_at(self, tick: int) -> int | None:
        """Return the lines that are open at *tick*; None when nothing ever bars one."""
        heap = self._heap
        if tick > self.tick and (not heap or heap[0][0] > tick):
            self.tick = tick  # the clock alone changes nothing yet
            if self._late_memo:
                self._late_memo.clear()
        elif tick != self.tick:
            self._move(tick)
        if self._stale or self._replies:
            self.settle()
        return self.open

    def _move(self, tick: int) -> None:
        back = tick < self.tick
        self.tick = tick
        if self._late_memo:
            self._late_memo.clear()
        if back:
            self._ask(self.rules.timed)
            self._rest_all()
        else:
            heap = self._heap
            while heap and heap[0][0] <= tick:
                until, place = heappop(heap)
                if self._until.get(place) == until:
                    del self._until[place]
                    if place >= 0:
                        self._ask((place,))
                    else:
                        self._rest(-1 - place, 1 << (-1 - place))
        self.reopen()

    def _ask_all(self) -> None:
        """Ask every gate, and set all lines at once."""
        closed: list[int] = []
        many = 0
        rules = self.rules.rules
        self._answer(range(len(rules)))
        for rule, met in zip(rules, self._met, strict=True):
            if not met:
                closed.extend(rule.positions)
                many |= rule.bits
        self.closed = many | _bits.of_positions(closed, self.pool.size)

    def _ask(self, places: Iterable[int]) -> None:
        """Ask the gates of the rules at *places*, and open and close their lines."""
        for place in self._answer(places):
            self.closed ^= self.rules.rules[place].mask()

    def _answer(self, places: Iterable[int]) -> list[int]:
        """Ask the gates of the rules at *places*, and return those that answer otherwise than before."""
        asked, rules, answers = self._asked, self.rules.rules, self._met
        path, ids = self.pool.path, self.pool.ids
        asked.tick = self.tick
        asked.speaker = self.speaker
        changed = []
        asked.about(path, "")
        for place in places:
            rule = rules[place]
            if rule.line is not None or rule.timed or asked.named:
                asked.about(path, "" if rule.line is None else ids[rule.line])
            met = True
            for gate in rule.gates:
                if not gate.holds(asked):
                    met = False
                    break
            if met != answers[place]:
                answers[place] = met
                changed.append(place)
            if rule.timed and asked.until is not None:
                self._wait(place, asked.until)
        return changed

    def _wait(self, place: int, until: int) -> None:
        if self._until.get(place) == until:
            return
        self._until[place] = until
        heappush(self._heap, (until, place))
        if len(self._heap) > 4 * len(self._until) + 64:
            self._heap = [(tick, one) for one, tick in self._until.items()]
            heapify(self._heap)

    def _rest(self, position: int, bit: int) -> None:
        """Say whether a line that was heard rests."""
        ready = self._ticks[position] + self.pool.cooldown[position]
        if self.tick < ready:
            self.resting |= bit
            self._wait(-1 - position, ready)
        elif self.resting & bit:
            self.resting ^= bit

    def _rest_all(self) -> None:
        for position in self.pool.cooldown.keys() & self._ticks.keys():
            self._rest(position, 1 << position)

    def rest_in_words(self, position: int) -> str:
        """Return until when a line rests."""
        fired = self._ticks[position]
        ready = fired + self.pool.cooldown[position]
        return f"fired at tick {fired}, ready at {ready}; found: tick {self.tick}"

    def reopen(self) -> None:
        """Work out anew what is open."""
        barred = self.closed | self.spent | self.resting | self.rules.barred_bits
        self.open = self._all & ~barred if barred else None

    # --- what only the moment decides ------------------------------------------------------------

    def late(self, mask: int, asked: Asked) -> int:
        """Return *mask* without the lines whose gates on the event or the draw are not met."""
        waiting = mask & self.rules.late_bits
        if not waiting:
            return mask
        memo = self._late_memo
        event = (asked.trigger, tuple(sorted(asked.event.items())))
        closed = []
        path, ids, late = self.pool.path, self.pool.ids, self.rules.late
        for position in _bits.positions_of(waiting):
            gates = late[position]
            key = (id(gates), event)
            met = memo.get(key)
            if met is None:
                asked.about(path, ids[position])
                met = all(gate.holds(asked) for gate in gates)
                if len(memo) >= _MEMO_MAX:
                    memo.clear()
                if not _varies(gates):
                    memo[key] = met
            if not met:
                closed.append(position)
        if not closed:
            return mask
        return mask & ~_bits.of_positions(closed, self.pool.size)

    def audible(self, mask: int, spoken: Sequence[Speech]) -> int:
        """Return *mask* without the lines whose class what is *spoken* excludes."""
        for name, bits in self.rules.class_bits.items():
            found = self.declared.classes.get(name)
            if found is not None and excluder(found, spoken) is not None:
                mask &= ~bits
        return mask


def excluder(found: SpeakingClass, spoken: Sequence[Speech]) -> Speech | None:
    """Return what keeps a line of the class from being said, or None."""
    for one in spoken:
        if one.speaking_class in found.excluded_by and one.speaking_class not in found.interrupts:
            return one
    return None


def _varies(gates: Sequence[Gate]) -> bool:
    """Whether two lines with these gates, asked at one moment of one event, may differ."""
    return any(gate.traits & (CHANCE | LINE | TIMED) for gate in gates)
