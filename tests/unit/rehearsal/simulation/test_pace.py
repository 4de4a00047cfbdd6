"""What makes a simulation fast and changes nothing that it finds."""

from __future__ import annotations

import gc
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from playing import small_pack

from talebearer.lines import Pick, SplitMix64, load_pack, number_of
from talebearer.memory import Event
from talebearer.rehearsal.simulation import Simulation
from talebearer.rehearsal.simulation._dice import Dice, numbers
from talebearer.rehearsal.simulation._garbage import rare_collections
from talebearer.rehearsal.simulation._playthrough import Request


class Quiet:
    """Somebody who watches, so that every hearing is an event, and says nothing."""

    def happened(self, mind: str, event: Event) -> None:
        pass

    def asked(self, request: Request, pick: Pick | None) -> None:
        pass


def test_who_watches_hears_the_same_lines_and_the_minds_know_the_same(tmp_path: Path) -> None:
    simulation = Simulation(turns=120, seed=5)
    setting = simulation.setting(load_pack(small_pack(tmp_path)))
    for number in range(1, 6):
        alone = simulation.playthrough(setting, number)
        watched = simulation.playthrough(setting, number, Quiet())
        assert alone.run() == watched.run()
        ours, theirs = alone._minds._minds, watched._minds._minds
        assert {name: mind.dumps() for name, mind in ours.items()} == {
            name: mind.dumps() for name, mind in theirs.items()
        }


@given(st.integers(0, 2**64 - 1))
def test_many_numbers_at_once_are_those_of_the_generator(state: int) -> None:
    generator = SplitMix64(state)
    found = numbers(state)[::-1]
    assert found == [generator.next() for _ in found]


def test_the_dice_throw_what_the_generator_gives() -> None:
    generator, dice = SplitMix64(number_of('["player",7,3]')), Dice(7, 3)
    for _ in range(300):
        assert dice.below(2**64) == generator.next(), "also where they are thrown anew"


def test_the_settings_of_the_collector_come_back() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with rare_collections():
        assert gc.get_threshold()[0] > before[0]
        with rare_collections():
            assert gc.get_freeze_count() > frozen
        assert gc.get_freeze_count() > frozen, "who froze first thaws"
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, frozen)


def test_a_collector_that_is_off_stays_off() -> None:
    before = gc.get_threshold()
    gc.set_threshold(0)
    try:
        with rare_collections():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)


def test_maybe_throws_as_a_chance_and_a_choice_do() -> None:
    words = ("quay", "mill", "tower")
    for chance in (0.0, 0.3, 1.0):
        one, other = Dice(7, 3), Dice(7, 3)
        for _ in range(40):
            wanted = (other.one(words),) if other.happens(chance) else ()
            assert one.maybe(chance, words) == wanted
        assert one.maybe(chance, ()) == ()
        assert one.below(2**40) == other.below(2**40), "as often as the other"
