"""What was read lately is answered from memory, and never otherwise than the database would."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from talebearer.errors import TalebearerError
from talebearer.store import CAMPAIGN_POLICY, DEFAULT_POLICY, Call, EntityRef, Store
from talebearer.store.calls import encoded
from talebearer.testing import counting_ids, sample_knowledge, sample_meta

SCOPES = st.sampled_from(["w", "w", "v"])
IDS = st.sampled_from(["a", "a", "b"])
TEXTS = st.sampled_from(["one", "two", "three"])
STRATEGIES = st.sampled_from(["reject", "mvcc", "merge"])
UNITS = st.sampled_from([{}, {}, {"transaction_id": "t"}, {"transaction_id": "u"}])
CLOSED = {"transaction_state": "commit"}
MEMORY = Path("/dev/shm")


class Undo(Exception):
    """Leaves a batch."""


def call(method, meta, data):
    return Call(f"patchouli.entity.{method}@1", meta, data)


def read(scope, name, **meta):
    return call("read", sample_meta(scope) | meta, {"ref": {"type": "knowledge", "id": name}})


class RecentMachine(RuleBasedStateMachine):
    """Whatever is written, undone and opened anew: both ways of reading say the same."""

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory(
            dir=MEMORY if os.access(MEMORY, os.W_OK) else None
        )
        self.now, self.step = 1_000_000, 0
        self.new_id = counting_ids()
        self.known = {}
        self.open()

    def open(self, policy=DEFAULT_POLICY):
        folder = Path(self.folder.name)
        self.store = Store.open(
            folder / "talebearer.db",
            artifacts=folder / "artifacts",
            now_ms=self.clock,
            new_id=self.new_id,
            policy=policy,
        )
        self.beside = self.store.reader()

    def clock(self):
        self.now += self.step
        return self.now

    def teardown(self):
        self.beside.close()
        self.store.close()
        self.folder.cleanup()

    def write(self, draw, **meta):
        """Return a mutation on versions that are, or were, or never will be."""
        scope, name, text = draw(SCOPES), draw(IDS), draw(TEXTS)
        kind = draw(st.sampled_from(["create", "update", "update", "delete"]))
        meta = sample_meta(scope) | draw(UNITS) | meta
        if kind == "create":
            data = {"type": "knowledge", "id": name, "value": sample_knowledge(text)}
            return call(kind, meta, data)
        bases = [*self.known.get((scope, name), ()), "never"]
        few = st.lists(st.sampled_from(bases[-4:]), min_size=1, max_size=3, unique=True)
        meta |= {"base_versions": draw(few), "conflict_strategy": draw(STRATEGIES)}
        data = {"ref": {"type": "knowledge", "id": name}}
        return call(
            kind, meta, data if kind == "delete" else data | {"value": sample_knowledge(text)}
        )

    @rule(data=st.data())
    def one(self, data):
        with suppress(TalebearerError):
            self.store.call_encoded(self.write(data.draw))

    @rule(data=st.data(), count=st.integers(1, 4), late_ms=st.none() | st.integers(1, 9))
    def group(self, data, count, late_ms):
        """Reads and writes share a commit; whose time is over before it undoes it for all."""
        calls = [self.write(data.draw) for _ in range(count)]
        calls[1:1] = [read(data.draw(SCOPES), data.draw(IDS))]
        if late_ms is not None:
            calls.insert(1, self.write(data.draw, deadline_unix_ms=self.now + late_ms))
        self.step = 1
        self.store.call_many_encoded([*calls, *calls[1:2]])
        self.step = 0

    @rule(data=st.data(), keep=st.booleans())
    def batch(self, data, keep):
        with suppress(Undo), self.store.batch():
            for _ in range(2):
                with suppress(TalebearerError):
                    self.store.call_encoded(self.write(data.draw))
                self.agree(self.store)
            if not keep:
                raise Undo

    @rule(scope=SCOPES, name=IDS, text=TEXTS)
    def upsert(self, scope, name, text):
        ref = EntityRef("knowledge", name)
        self.store.upsert(sample_meta(scope), ref, sample_knowledge(text))

    @rule(scope=SCOPES, unit=st.sampled_from(["t", "u"]), name=IDS)
    def close_unit(self, scope, unit, name):
        meta = sample_meta(scope) | {"transaction_id": unit} | CLOSED
        data = {"type": "knowledge", "id": f"{name}-last", "value": sample_knowledge("last")}
        with suppress(TalebearerError):
            self.store.call_encoded(call("create", meta, data))

    @rule(seconds=st.sampled_from([1, 100_000]))
    def wait(self, seconds):
        self.now += seconds * 1_000

    @rule(policy=st.sampled_from([DEFAULT_POLICY, CAMPAIGN_POLICY]))
    def reopen(self, policy):
        self.beside.close()
        self.store.close()
        self.open(policy)

    @rule(scope=SCOPES, name=IDS, unit=st.sampled_from(["t", "u"]))
    def read_in_unit(self, scope, name, unit):
        """A unit sees its own overlay, whatever was read outside of it."""
        self.same(self.store, read(scope, name, transaction_id=unit))

    @rule(scope=SCOPES)
    def follow(self, scope):
        """Looking at the log forgets the changes of long ago."""
        self.store.changes(sample_meta(scope))

    @precondition(lambda self: hasattr(self, "store"))
    @invariant()
    def agreed(self):
        # The second time, what was read the first time is at hand.
        for _ in range(2):
            self.agree(self.store)
        self.agree(self.beside)

    def agree(self, store):
        for scope in ("w", "v"):
            for name in ("a", "b", "a-last"):
                wanted = self.same(store, read(scope, name))
                if wanted is None:
                    continue
                versions = [one["version"] for one in wanted.data["variants"]]
                known = self.known.setdefault((scope, name), [])
                known += [one for one in versions if one not in known]

    def same(self, store, request):
        """Have *store* answer as the store does that keeps nothing; return the answer."""
        try:
            wanted = self.store.call(request)
        except TalebearerError as error:
            with pytest.raises(type(error)):
                store.call_encoded(request)
            return None
        assert store.call_encoded(request) == encoded(wanted)
        return wanted


RecentMachine.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=14,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
TestRecentMachine = RecentMachine.TestCase
