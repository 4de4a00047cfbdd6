"""Batches when something breaks, and when several threads write."""

import threading
from contextlib import suppress

import pytest

from talebearer.errors import InternalError
from talebearer.testing import counting_ids, sample_knowledge, sample_meta

META = sample_meta()


class Broken(Exception):
    """What an id source may raise."""


def test_a_batch_with_a_broken_write_in_it_is_lost_even_if_the_error_is_caught(open_store):
    ids, broken = counting_ids(), []

    def new_id():
        if broken:
            raise Broken
        return ids()

    store = open_store(new_id=new_id)

    def steps():
        with store.batch():
            store.create(META, "knowledge", sample_knowledge(), id="a")
            broken.append(True)
            with suppress(Broken):
                store.create(META, "knowledge", sample_knowledge(), id="b")
            broken.clear()
            with suppress(InternalError):
                store.create(META, "knowledge", sample_knowledge(), id="c")

    with pytest.raises(InternalError):
        steps()
    assert store.changes(META) == []
    store.create(META, "knowledge", sample_knowledge(), id="a")
    assert len(store.changes(META)) == 1


def test_an_inner_batch_with_a_broken_write_loses_the_outer_one(open_store):
    def new_id():
        raise Broken

    store = open_store(new_id=new_id)

    def steps():
        with store.batch(), suppress(Broken), store.batch():
            store.create(META, "knowledge", sample_knowledge(), id="a")

    with pytest.raises(InternalError):
        steps()
    assert store.changes(META) == []


def test_threads_write_one_after_another_and_lose_nothing(store):
    def write(name):
        for number in range(20):
            with store.batch():
                store.create(META, "knowledge", sample_knowledge(), id=f"{name}{number}:a")
                store.create(META, "knowledge", sample_knowledge(), id=f"{name}{number}:b")

    threads = [threading.Thread(target=write, args=(name,)) for name in "xyz"]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    ids = [change.ref.id for change in store.changes(META)]
    assert len(ids) == 120
    pairs = list(zip(ids[::2], ids[1::2], strict=True))
    assert all(first[:-1] == second[:-1] for first, second in pairs)
