"""A change is seen, by looking or by being told, and only a change."""

import threading

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
