"""Many clients at once: what they were told fits one history."""

import json
import threading

import pytest
from draws import Draws
from scale import scaled
from served import DaemonProcess, SharedClock, short_folder

from talebearer.testing import sample_meta
from talebearer.testing.conformance import Wire
from talebearer.testing.conformance.values import knowledge, structured
from talebearer.testing.model import Refused

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


class Client(threading.Thread):
    """Works on shared entities and remembers what it was told.

    ``acked`` are (entity, version) of its writes; ``seen`` are (entity, its last own write of
    it, heads) of its reads; ``torn`` are searches that saw half of a work unit.
    """

    def __init__(self, endpoint, number, steps):
        super().__init__()
        self.endpoint, self.number, self.steps = endpoint, number, steps
        self.draws = Draws(number)
        self.acked, self.seen, self.torn, self.fault = [], [], [], None

    def run(self):
        try:
            with Wire(self.endpoint) as wire:
                for step in range(self.steps):
                    self.step(wire, step)
        except BaseException as error:
            self.fault = error

    def step(self, wire, step):
        kind = self.draws.number(6)
        if kind == 0:
            name = f"own-{self.number}-{step}"
            made = create(wire, name, knowledge("mine"))
            self.acked.append((name, made["version"]))
            assert heads(wire, name) == [made["version"]]
        elif kind in (1, 2, 3):
            self.write_shared(wire, f"{self.number}-{step}")
        elif kind == 4:
            self.write_pair(wire, f"{self.number}-{step}")
        else:
            self.look_at_pair(wire)

    def write_shared(self, wire, mark):
        name = self.draws.pick(["one", "two"])
        strategy = self.draws.pick(["mvcc", "merge", "reject"])
        bases = heads(wire, name)
        try:
            value = structured({mark: 1})
            made = update(wire, name, value, bases, conflict_strategy=strategy)
        except Refused as error:
            if (error.reason, strategy) != ("VERSION_CONFLICT", "reject"):
                raise
            return
        self.acked.append((name, made["version"]))
        self.seen.append((name, made["version"], heads(wire, name)))

    def write_pair(self, wire, mark):
        """Change both sides in one work unit, to the same text, unless somebody was faster."""
        unit = {"transaction_id": mark, "conflict_strategy": "reject"}
        try:
            for side, state in zip(PAIR, ("open", "commit"), strict=True):
                ref = {"ref": {"type": "knowledge", "id": side}}
                (head,) = wire.call(READ, {**META, **unit}, ref).data["variants"]
                update(wire, side, knowledge(mark), [head["version"]],
                       transaction_state=state, **unit)  # fmt: skip
        except Refused as error:
            if error.reason != "VERSION_CONFLICT":
                raise

    def look_at_pair(self, wire):
        data = {"query": json.dumps({"ids": [*PAIR], "order": "id_asc"})}
        hits = wire.call(RETRIEVE, META, data).data["hits"]
        texts = {hit["variants"][0]["value"]["content"]["text"] for hit in hits}
        if len(hits) != 2 or len(texts) != 1:
            self.torn.append(hits)


def replay(endpoint, count):
    with Wire(endpoint) as wire:
        wire.call(SUBSCRIBE, META, {"after_cursor": "0"})
        return [wire.event()["data"]["change"] for _ in range(count)]


def log_until(endpoint, entity_id):
    """Return the whole log up to the change of *entity_id*."""
    with Wire(endpoint) as wire:
        wire.call(SUBSCRIBE, META, {"after_cursor": "0"})
        log = [wire.event()["data"]["change"]]
        while log[-1]["ref"]["id"] != entity_id:
            log.append(wire.event()["data"]["change"])
    return log


def check_history(clients, log):
    assert [client.fault for client in clients] == [None] * len(clients)
    assert [client.torn for client in clients] == [[] for _ in clients]
    cursors = [int(change["cursor"]) for change in log]
    assert cursors == sorted(set(cursors))
    states = [(change["ref"]["id"], change["head_versions"]) for change in log]
    place = {}
    for index, (name, versions) in enumerate(states):
        for version in versions:
            place.setdefault((name, version), index)
    for client in clients:
        lost = [one for one in client.acked if one not in place]
        assert lost == [], "an acknowledged write is in no head set of the log"
        for name, version, found in client.seen:
            later = states[place[(name, version)] :]
            assert (name, found) in later, "a read shows a state from before its own write"


@pytest.mark.slow
@pytest.mark.spec("PP-6-histories")
def test_what_many_clients_are_told_is_one_history():
    with short_folder() as folder:
        daemon = DaemonProcess(folder, SharedClock(folder / "clock"))
        with Wire(daemon.endpoint) as wire, Wire(daemon.endpoint) as listener:
            listener.call(SUBSCRIBE, META, {})
            for name in ("one", "two"):
                create(wire, name, structured({}))
            for side in PAIR:
                create(wire, side, knowledge("begin"), transaction_id="begin",
                       transaction_state="commit" if side == PAIR[1] else "open")  # fmt: skip
            clients = [
                Client(daemon.endpoint, number, scaled(short=60, long=2_000))
                for number in range(1, scaled(short=5, long=9))
            ]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            create(wire, "the end", knowledge("end"))
            log = log_until(daemon.endpoint, "the end")
            live = [listener.event()["data"]["change"] for _ in log]
        assert live == log, "a listener was told something else than the log holds"
        check_history(clients, log)
        daemon.stop()


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
