"""What a game writes is what a gate can read."""

from __future__ import annotations

from typing import Any

import pytest

from talebearer.campaign._cells import check_written
from talebearer.errors import UsageFault
from talebearer.lines import Declared, DeclaredCounter, DeclaredValue, FieldType, Scope
from talebearer.vocabulary import EventKind

DECLARED = Declared(
    timers={one.value: one for one in Scope},
    counters={one.value: DeclaredCounter(scope=one) for one in Scope},
    values={"flag": DeclaredValue(scope=Scope.PLAYER, type=FieldType.FLAG)},
)
LINE = {"pool": "p/dialogue/quay/odo", "line": "odo_d_001"}
ODO = {"character": "odo"}
OWNERS: dict[Scope, dict[str, str]] = {Scope.LINE: LINE, Scope.PAIR: ODO, Scope.CHARACTER: ODO}


@pytest.mark.parametrize("scope", list(Scope))
@pytest.mark.parametrize("owner", [{}, ODO, LINE, {**ODO, **LINE}])
@pytest.mark.parametrize("mind", ["party", "world"])
@pytest.mark.spec("LP-L6-written-as-declared")
def test_owner_and_mind_are_those_of_the_scope(
    scope: Scope, owner: dict[str, str], mind: str
) -> None:
    right = owner == OWNERS.get(scope, {}) and (mind == "world" or not scope.shared)
    for kind, word in ((EventKind.COUNTER_ADDED, "counter"), (EventKind.TIMER_STAMPED, "timer")):
        data: dict[str, Any] = {word: scope.value, "by": 1, **owner}
        if right:
            check_written(DECLARED, mind, kind, data)
            continue
        with pytest.raises(UsageFault) as caught:
            check_written(DECLARED, mind, kind, data)
        assert caught.value.hint


@pytest.mark.parametrize(
    ("data", "part"),
    [
        ({"value": "flag", "to": 1}, "is a flag"),
        ({"value": "flg", "to": True}, "declared nowhere"),
    ],
)
@pytest.mark.spec("LP-L6-written-as-declared")
def test_a_value_has_its_type(data: dict[str, Any], part: str) -> None:
    check_written(DECLARED, "party", EventKind.VALUE_SET, {"value": "flag", "to": True})
    with pytest.raises(UsageFault, match=part):
        check_written(DECLARED, "party", EventKind.VALUE_SET, data)
