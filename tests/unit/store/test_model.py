"""What the store gives back is the same, whichever way it was made."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from talebearer.store import EntityRef, EntityVersion, ReadResult
from talebearer.store._model import one_head  # the shorter way, which the front door hides

REF = EntityRef("knowledge", "k")


@pytest.mark.parametrize(("state", "value"), [("active", {"a": [1]}), ("deleted", None)])
def test_one_head_is_what_the_constructors_make(state: Any, value: object) -> None:
    head = EntityVersion(ref=REF, version="v", state=state, value=value)
    plain = ReadResult(state=state, variants=(head,))
    short = one_head(REF, "v", state, value)
    assert short == plain
    assert repr(short) == repr(plain)
    assert (type(short), type(short.variants[0])) == (ReadResult, EntityVersion)
    assert copy.deepcopy(short) == pickle.loads(pickle.dumps(short)) == plain
    with pytest.raises(dataclasses.FrozenInstanceError):
        short.state = "conflicted"  # type: ignore[misc] - what nobody may do
    with pytest.raises(dataclasses.FrozenInstanceError):
        short.variants[0].value = 1  # type: ignore[misc] - nor here
