"""Lint refuses conditions that stand too deep in each other exactly where the pack would be refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from small_packs import pack, thoughts

from talebearer.content import compile_content, lint
from talebearer.errors import InvalidPack
from talebearer.lines import load_pack

DEEPEST = 64
POOL = "p/monologue/smuggler/quay"
FACTS = {
    "category": "sea",
    "facts": [{"id": "sea.new", "description": "x", "formerly": ["sea.old"]}],
}
CHARACTERS = {"values": [{"value": "smuggler", "letter": "s"}]}
GATES = (
    {"chance": 0.5},
    {"facts": [{"fact_id": "sea.new", "min_confidence": "suspects"}]},
    {"facts": [{"fact_id": "sea.new", "confidence": "suspects"}]},
    {"facts": [{"fact_id": "sea.new", "absent": True}]},
)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A content folder whose conditions and thoughts are written anew for each example."""
    found = tmp_path_factory.mktemp("depth") / "content"
    for name, value in (("knowledge/sea", FACTS), ("enums/characters", CHARACTERS)):
        path = found / "global" / f"{name}.yaml"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    (found / POOL).parent.mkdir(parents=True)
    return found


def inside(wraps: list[int], others: list[str], gate: dict[str, Any]) -> dict[str, Any]:
    """Return *gate* and the conditions *others*, in as many ``not`` and ``any_of`` as *wraps* says."""
    found: dict[str, Any] = {**gate, **({"conditions": others} if others else {})}
    for which in wraps:
        found = {"any_of": [found]} if which else {"not": found}
    return found


@st.composite
def trees(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return named conditions, each of which may name others beside it in any order, and a line's."""
    names = [f"c{n}" for n in range(draw(st.integers(0, 5)))]
    ordered = draw(st.permutations(names))
    wraps = st.lists(st.integers(0, 1), max_size=25)
    named = {}
    for at, name in enumerate(ordered):
        others = draw(st.lists(st.sampled_from(ordered[:at]), unique=True)) if at else []
        named[name] = inside(draw(wraps), others, draw(st.sampled_from(GATES)))
    others = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    return named, inside(draw(wraps), others, draw(st.sampled_from(GATES)))


def chain(length: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return so many conditions of which each names the one before, and a line with the last."""
    named: dict[str, Any] = {"c000": {"chance": 0.5}}
    for n in range(1, length):
        named[f"c{n:03}"] = {"conditions": [f"c{n - 1:03}"]}
    return named, {"conditions": [f"c{length - 1:03}"]}


@pytest.mark.spec("LP-L6-depth")
@settings(max_examples=150)
@example(chain(DEEPEST - 1))
@example(chain(DEEPEST))
@example(chain(DEEPEST + 1))
@given(trees())
def test_lint_tells_what_no_pack_may_have(root: Path, tree: tuple[Any, Any]) -> None:
    named, when = tree
    line = {"id": "x_m_s_001", "text": "Hm.", "trigger": "time_idle", "prerequisites": when}
    pool = {"character": "smuggler", "location": "quay", "lines": [line]}
    entries = [{"id": name, "when": one} for name, one in named.items()]
    conditions = root / "global" / "conditions.yaml"
    conditions.write_text(json.dumps({"conditions": entries}), encoding="utf-8")
    (root / f"{POOL}.yaml").write_text(json.dumps(pool), encoding="utf-8")
    problems = [one for one in lint(root) if one.severity == "error"]
    assert {one.code for one in problems} <= {"TB432"}
    assert bool(problems) == (deepest(named, when) > DEEPEST)
    if not problems:
        load_pack(compile_content(root).data)


@pytest.mark.spec("LP-L6-depth")
@pytest.mark.parametrize("turned", [False, True])
def test_a_chain_of_names_is_as_deep_from_either_end(turned: bool) -> None:
    named, _ = chain(DEEPEST + 1)
    if turned:
        named = dict(reversed(named.items()))
    with pytest.raises(InvalidPack, match="64 deep"):
        pack(thoughts({}), conditions=_packed(named))
    few = dict([one for one in named.items() if one[0] != f"c{DEEPEST:03}"])
    assert pack(thoughts({}), conditions=_packed(few)).size == 1
    with pytest.raises(InvalidPack, match="64 deep"):
        pack(thoughts({"when": {"conditions": [f"c{DEEPEST - 1:03}"]}}), conditions=_packed(few))


def _packed(named: dict[str, Any]) -> dict[str, Any]:
    return {name: {"chance": 5} if "chance" in one else one for name, one in named.items()}


def deepest(named: dict[str, Any], when: dict[str, Any]) -> int:
    """Return how deep the deepest of all conditions stands, as a pack has them."""

    def of(one: dict[str, Any]) -> int:
        inner = [
            of(part) for part in (*one.get("any_of", ()), *([one["not"]] if "not" in one else ()))
        ]
        inner += [of(named[name]) for name in one.get("conditions", ())]
        for gate in one.get("facts", ()):
            # A fact by either of two ids: any_of in all_of, and of an exact one not better by either.
            inner.append(0 if "absent" in gate else 3 if "confidence" in gate else 2)
        return 1 + max(inner, default=0)

    return max(of(one) for one in (*named.values(), when))
