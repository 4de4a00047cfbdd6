"""A change is seen, by looking or by being told, and only a change."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from talebearer.content import changes

POOL = "location: quay\nrole: clerk\nlines: []\n"


@pytest.mark.slow
@pytest.mark.spec("LP-8.2-watch")
@pytest.mark.parametrize("looks", [True, False], ids=["looking", "told"])
def test_a_change_since_the_call_is_seen_and_the_watch_ends(tree, looks):
    root = tree({"dialogue/quay/odo.yaml": POOL})
    stop = threading.Event()
    seen = changes(root, stop, looks=looks)
    tree({"dialogue/quay/odo.yaml": POOL + "notes: x\n"})
    assert next(seen) is None
    stop.set()
    assert next(seen, "over") == "over"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dialogue/quay/No Slug.yaml", "dialogue/quay/odo.plan.yaml"])
def test_what_is_no_pool_comes_and_goes_as_a_change(tree, name):
    root = tree({name: POOL})
    stop = threading.Event()
    seen = changes(root, stop, looks=True)
    (root / name).unlink()
    assert next(seen) is None
    stop.set()


PIECES = [
    "",
    "location: quay\n",
    "location: quay\nrole: clerk\nlines: []\n",
    "location: quay\nrole: cl",
]


def _seen(root: Path, acts: list[Callable[[], object]], meanwhile: list[str]) -> list[int]:
    """Return after how many looks something was seen, each act before one; pauses write *meanwhile*."""
    pool = root / "dialogue/quay/odo.yaml"
    looks = 0

    def reasons() -> Iterator[None]:
        nonlocal looks
        for act in acts:
            act()
            looks += 1
            yield

    def pause(_: float) -> None:
        if meanwhile:
            _write(pool, meanwhile.pop(0))

    return [looks for _ in changes(root, threading.Event(), reasons=reasons(), pause=pause)]


def _write(path: Path, text: str) -> None:
    """Write over in place: what has the file open goes on with it."""
    with path.open("r+" if path.exists() else "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.truncate()


@pytest.mark.spec("LP-8.2-watch-whole")
@pytest.mark.parametrize("first", PIECES)
def test_a_file_that_is_written_in_pieces_is_seen_when_it_is_whole(tree, first: str) -> None:
    root = tree({"dialogue/quay/odo.yaml": f"{POOL}# one more row\n"})
    pool = root / "dialogue/quay/odo.yaml"
    more = [first + "#", first + "# and", f"{POOL}# another row, and longer\n"]
    texts = []

    def read() -> None:
        texts.append(pool.read_text(encoding="utf-8"))

    assert _seen(root, [lambda: _write(pool, first), read], more) == [1]
    assert texts == [f"{POOL}# another row, and longer\n"]


@pytest.mark.spec("LP-8.2-watch-whole")
def test_what_is_saved_whole_is_not_waited_for(tree) -> None:
    root = tree({"dialogue/quay/odo.yaml": f"{POOL}# one more row\n"})
    pool = root / "dialogue/quay/odo.yaml"

    def replace() -> None:
        new = pool.with_name("odo.new")
        new.write_text("location: quay", encoding="utf-8")
        new.replace(pool)

    waited = ["never written"]
    grown = [lambda: _write(pool, f"{POOL}# two more rows,\n# and this\n"), replace, pool.unlink]
    assert _seen(root, [*grown, lambda: None], waited) == [1, 2, 3]
    assert waited == ["never written"]


@pytest.mark.spec("LP-8.2-watch-whole")
def test_a_file_that_never_rests_is_seen_all_the_same(tree) -> None:
    root = tree({"dialogue/quay/odo.yaml": POOL})
    pool = root / "dialogue/quay/odo.yaml"
    restless = [f"location: quay{number}" for number in range(100, 200)]
    assert _seen(root, [lambda: _write(pool, "location: qu")], restless) == [1]
    assert restless
