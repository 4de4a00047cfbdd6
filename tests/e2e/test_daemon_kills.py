"""A daemon killed at random points under load keeps every word that it gave."""

import json
from contextlib import closing

import apsw
import pytest
from draws import Draws
from scale import scaled
from served import DaemonProcess, SharedClock, short_folder

from talebearer.testing import sample_meta
from talebearer.testing.conformance import Wire
from talebearer.testing.conformance.values import knowledge
from talebearer.testing.model import Refused

META = sample_meta()
CREATE, READ = "patchouli.entity.create@1", "patchouli.entity.read@1"
UPDATE, STATUS = "patchouli.entity.update@1", "patchouli.control.status@1"
KILLS = scaled(short=5, long=500)
EMPTY = {"meta": {}, "data": {}}


class Book:
    """What was sent, what was acknowledged, and what must therefore be there."""

    def __init__(self, draws):
        self.draws = draws
        self.heads = {}
        self.pending = []
        self.cursor = "0"

    def value(self, text):
        return knowledge(f"{text} " + "x" * 600)

    def plan(self, round_number):
        """Return a round's requests, each with the ids that it makes visible together."""
        planned = []
        old = sorted(self.heads)
        for number in range(30):
            name = f"{round_number}-{number}"
            kind = self.draws.number(4)
            if kind == 0 and old:
                target = old.pop(self.draws.number(len(old)))
                planned.append(self.update(target, name))
            elif kind == 1:
                planned += self.unit(name)
            else:
                planned.append(self.create(name, name, META, visible=(name,)))
        return planned

    def create(self, name, text, meta, *, visible):
        data = {"type": "knowledge", "id": name, "value": self.value(text)}
        return {"method": CREATE, "meta": meta, "data": data, "visible": visible}

    def update(self, target, text):
        ref = {"type": "knowledge", "id": target}
        meta = {**META, "base_versions": [self.heads[target][0]]}
        data = {"ref": ref, "value": self.value(text)}
        return {"method": UPDATE, "meta": meta, "data": data, "visible": (target,)}

    def unit(self, name):
        members = tuple(f"{name}-{letter}" for letter in "abc")
        meta = {**META, "transaction_id": name}
        closing_meta = {**meta, "transaction_state": "commit"}
        return [
            self.create(members[0], name, meta, visible=()),
            self.create(members[1], name, meta, visible=()),
            self.create(members[2], name, closing_meta, visible=members),
        ]

    def load(self, daemon, wire, planned):
        """Send everything at once, kill the daemon after some answers, keep all that came."""
        lines = [
            {"jsonrpc": "2.0", "id": number, "method": one["method"],
             "params": {"meta": one["meta"], "data": one["data"]}}
            for number, one in enumerate(planned)
        ]  # fmt: skip
        wire.send(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        answers = [wire.answer() for _ in range(self.draws.number(len(planned) + 1))]
        daemon.kill()
        try:
            while (more := wire.line()) is not None:
                answers.append(more)
        except ConnectionError:
            pass
        assert [answer["id"] for answer in answers] == list(range(len(answers)))
        assert all("result" in answer for answer in answers), answers
        self.pending = list(zip(planned, [*answers, *[None] * len(planned)], strict=False))

    def check(self, wire, endpoint):
        """Every acknowledged write is there; every other is there as a whole or not at all."""
        changed = []
        for one, answer in self.pending:
            seen = [self.read(wire, name) for name in one["visible"]]
            old = [self.heads.get(name) for name in one["visible"]]
            assert len({now != before for now, before in zip(seen, old, strict=True)}) <= 1, one
            if answer is not None and one["visible"]:
                entity = answer["result"]["data"]["entity"]
                assert seen[-1] == (entity["version"], entity["value"]), one
            if seen and seen != old:
                assert [value for _, value in seen] == [one["data"]["value"]] * len(seen)
                self.heads.update(zip(one["visible"], seen, strict=True))
                changed += one["visible"]
        self.check_feed(endpoint, changed)
        self.pending = []

    def check_feed(self, endpoint, changed):
        with Wire(endpoint) as wire:
            data = {"after_cursor": self.cursor}
            wire.call("patchouli.changes.subscribe@1", META, data)
            told = [wire.event()["data"]["change"] for _ in changed]
        assert sorted(change["ref"]["id"] for change in told) == sorted(changed)
        for change in told:
            assert change["head_versions"] == [self.heads[change["ref"]["id"]][0]]
        if told:
            self.cursor = told[-1]["cursor"]

    def read(self, wire, name):
        ref = {"ref": {"type": "knowledge", "id": name}}
        try:
            (only,) = wire.call(READ, META, ref).data["variants"]
        except Refused as error:
            if error.reason != "NOT_FOUND":
                raise
            return None
        return only["version"], only["value"]


@pytest.mark.slow
@pytest.mark.spec("PP-6-kill", "PP-6-crash-recovery", "PP-4.1-lock-dies")
def test_a_killed_daemon_keeps_its_word():
    book = Book(Draws(20_261_130))
    with short_folder() as folder:
        clock = SharedClock(folder / "clock")
        for number in range(1, KILLS + 1):
            daemon = DaemonProcess(folder, clock, start=number)
            with Wire(daemon.endpoint) as wire:
                status = wire.request(STATUS, EMPTY)["data"]
                assert status["generation"] == number
                assert status["recovered_after_unclean_shutdown"] is (number > 1)
                book.check(wire, daemon.endpoint)
                book.load(daemon, wire, book.plan(number))
        clean = DaemonProcess(folder, clock, start=KILLS + 1)
        with Wire(clean.endpoint) as wire:
            book.check(wire, clean.endpoint)
            for name, head in sorted(book.heads.items()):
                assert book.read(wire, name) == head
        clean.stop()
        again = DaemonProcess(folder, clock, start=KILLS + 2)
        with Wire(again.endpoint) as wire:
            status = wire.request(STATUS, EMPTY)["data"]
            assert status["recovered_after_unclean_shutdown"] is False
        again.stop()
        database = folder / "root" / "data" / "talebearer.db"
        with closing(apsw.Connection(str(database))) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
