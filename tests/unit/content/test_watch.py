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
