"""Many clients at once: what they were told fits one history."""

import threading

import pytest
from draws import Draws
from scale import scaled
from served import DaemonProcess, SharedClock, short_folder

from talebearer.testing import sample_meta
from talebearer.testing.conformance import Wire
from talebearer.testing.conformance.values import knowledge

META = sample_meta()
CREATE, READ = "patchouli.entity.create@1", "patchouli.entity.read@1"
UPDATE, RETRIEVE = "patchouli.entity.update@1", "patchouli.entity.retrieve@1"
SUBSCRIBE = "patchouli.changes.subscribe@1"
PAIR = ("left", "right")


def create(wire, name, value, **meta):
    data = {"type": "knowledge", "id": name, "value": value}
    return wire.call(CREATE, {**META, **meta}, data).data["entity"]


def update(wire, name, value, bases, **meta):
    ref = {"type": "knowledge", "id": name}
    meta = {**META, "base_versions": bases, **meta}
    return wire.call(UPDATE, meta, {"ref": ref, "value": value}).data["entity"]


def heads(wire, name):
    ref = {"ref": {"type": "knowledge", "id": name}}
    return [one["version"] for one in wire.call(READ, META, ref).data["variants"]]


def replay(endpoint, count):
    with Wire(endpoint) as wire:
        wire.call(SUBSCRIBE, META, {"after_cursor": "0"})
        return [wire.event()["data"]["change"] for _ in range(count)]


class Writer(threading.Thread):
    """Creates entities, several outstanding at a time, and remembers their versions."""

    def __init__(self, endpoint, number, count):
        super().__init__()
        self.endpoint, self.number, self.count = endpoint, number, count
        self.made = []

    def run(self):
        with Wire(self.endpoint) as wire:
            for start in range(0, self.count, 10):
                for number in range(start, start + 10):
                    data = {"type": "knowledge", "id": f"{self.number}-{number}",
                            "value": knowledge("a")}  # fmt: skip
                    params = {"meta": META, "data": data}
                    wire.send_message(
                        {"jsonrpc": "2.0", "id": number, "method": CREATE, "params": params}
                    )
                answers = [wire.answer() for _ in range(10)]
                self.made += [one["result"]["data"]["entity"]["version"] for one in answers]


@pytest.mark.slow
@pytest.mark.spec("PP-5.9-kill-and-resume")
def test_a_consumer_killed_and_resumed_anywhere_misses_and_repeats_nothing():
    """It stores its cursor after each event, and is cut off without a word at random."""
    draws, count = Draws(11), scaled(short=400, long=20_000)
    with short_folder() as folder:
        daemon = DaemonProcess(folder, SharedClock(folder / "clock"))
        writers = [Writer(daemon.endpoint, number, count) for number in range(3)]
        for writer in writers:
            writer.start()
        seen, cursor = [], "0"
        while len(seen) < count * len(writers):
            with Wire(daemon.endpoint) as wire:
                wire.call(SUBSCRIBE, META, {"after_cursor": cursor})
                left = count * len(writers) - len(seen)
                for _ in range(min(left, 1 + draws.number(150))):
                    change = wire.event()["data"]["change"]
                    seen.append(change)
                    cursor = change["cursor"]
        for writer in writers:
            writer.join()
        assert seen == replay(daemon.endpoint, len(seen))
        told = [change["head_versions"][0] for change in seen]
        for writer in writers:
            mine = set(writer.made)
            assert [version for version in told if version in mine] == writer.made
        assert sorted(told) == sorted(one for writer in writers for one in writer.made)
        daemon.stop()
