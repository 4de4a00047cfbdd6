"""The embedded store and the plain model agree on every call."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from talebearer.errors import TalebearerError
from talebearer.store import CAMPAIGN_POLICY, EntityRef, Store
from talebearer.testing import (
    ModelStore,
    counting_ids,
    sample_artifact_metadata,
    sample_knowledge,
    sample_meta,
    sample_relation,
    stepping_clock,
)

SCOPES = ("w", "w%")
SOME_SCOPE = st.sampled_from(["w", "w", "w", "w%"])
IDS = st.sampled_from(["a", "a", "a", "a%\x00"])
TEXTS = st.sampled_from(["one", "two", "three"])
MEMORY = Path("/dev/shm")


class Undo(Exception):
    """Leaves a batch."""


def outcome(call):
    """Return what *call* gives, or the kind of refusal with its current versions."""
    try:
        result = call()
    except TalebearerError as error:
        return type(error).__name__, error.data.get("current_versions")
    return list(result) if hasattr(result, "__next__") else result


class StoreMachine(RuleBasedStateMachine):
    """Runs each rule on both stores."""

    def __init__(self):
        super().__init__()
        base = MEMORY if os.access(MEMORY, os.W_OK) else None
        self.folder = tempfile.TemporaryDirectory(dir=base)
        folder = Path(self.folder.name)
        self.real = Store.open(
            folder / "talebearer.db",
            artifacts=folder / "artifacts",
            now_ms=stepping_clock(),
            new_id=counting_ids(),
            policy=CAMPAIGN_POLICY,
        )
        self.model = ModelStore(new_id=counting_ids())
        self.seen = {}
        self.batches = []

    def teardown(self):
        try:
            while self.batches:
                self.leave(keep=True)
            self.compare()
        finally:
            self.real.close()
            self.folder.cleanup()

    def both(self, call):
        real, model = outcome(lambda: call(self.real)), outcome(lambda: call(self.model))
        assert real == model
        if hasattr(real, "version"):
            self.seen.setdefault(real.ref, ["never"]).append(real.version)
        return real

    def bases(self, data, ref, meta):
        """Current heads, or versions that the entity ever had, in any scope."""
        found = outcome(lambda: self.model.read(meta, ref))
        heads = list(getattr(found, "versions", ())) or ["never"]
        old = st.sampled_from(self.seen.get(ref, ["never"]))
        some = st.lists(st.sampled_from(heads), max_size=2)
        return data.draw(st.one_of(st.just(heads), some, st.lists(old, min_size=1, max_size=2)))

    @initialize()
    def begin(self):
        self.create("w", "a", "one")

    @rule(scope=SOME_SCOPE, entity_id=st.none() | IDS, text=TEXTS)
    def create(self, scope, entity_id, text):
        meta, value = sample_meta(scope), sample_knowledge(text)
        self.both(lambda store: store.create(meta, "knowledge", value, id=entity_id))

    @rule(
        data=st.data(),
        scope=SOME_SCOPE,
        entity_id=IDS,
        text=st.none() | TEXTS,
        strategy=st.sampled_from([None, "mvcc", "merge", "reject"]),
    )
    def replace(self, data, scope, entity_id, text, strategy):
        meta, ref = sample_meta(scope), EntityRef("knowledge", entity_id)
        meta["base_versions"] = self.bases(data, ref, meta)
        if strategy is not None:
            meta["conflict_strategy"] = strategy
        if text is None:
            self.both(lambda store: store.delete(meta, ref))
        else:
            self.both(lambda store: store.update(meta, ref, sample_knowledge(text)))

    @rule(data=st.data(), text=TEXTS)
    def fork(self, data, text):
        """Write on any earlier version, so that heads multiply."""
        meta, ref = sample_meta("w", conflict_strategy="mvcc"), EntityRef("knowledge", "a")
        meta["base_versions"] = [data.draw(st.sampled_from(self.seen[ref]))]
        self.both(lambda store: store.update(meta, ref, sample_knowledge(text)))

    @rule(scope=SOME_SCOPE, entity_id=IDS, text=TEXTS)
    def upsert(self, scope, entity_id, text):
        meta, ref = sample_meta(scope), EntityRef("knowledge", entity_id)
        self.both(lambda store: store.upsert(meta, ref, sample_knowledge(text)))

    @rule(scope=SOME_SCOPE, from_id=IDS, to_id=IDS)
    def relate(self, scope, from_id, to_id):
        meta, ref = sample_meta(scope), EntityRef("knowledge_relation", from_id)
        value = sample_relation(from_id, to_id)
        self.both(lambda store: store.upsert(meta, ref, value))

    @rule(scope=SOME_SCOPE, entity_id=IDS, data=st.binary(max_size=4))
    def upload(self, scope, entity_id, data):
        meta, metadata = sample_meta(scope), sample_artifact_metadata()

        def call(store):
            return store.upload(
                meta, data, media_type="a/b", name=None, metadata=metadata, id=entity_id
            )

        self.both(call)

    @rule(scope=SOME_SCOPE, entity_id=IDS)
    def look(self, scope, entity_id):
        meta = sample_meta(scope)
        self.both(lambda store: store.read(meta, EntityRef("knowledge", entity_id)))
        self.both(lambda store: store.list(meta, "knowledge", id_prefix=entity_id))
        self.both(lambda store: store.download(meta, entity_id))

    @rule()
    def enter(self):
        pair = (self.real.batch(), self.model.batch())
        for one in pair:
            one.__enter__()
        self.batches.append(pair)

    @rule(keep=st.booleans())
    def leave(self, keep):
        if not self.batches:
            return
        exits = [self.exit_of(one, keep=keep) for one in self.batches.pop()]
        assert exits[0] == exits[1]

    def exit_of(self, batch, *, keep):
        if keep:
            return outcome(lambda: batch.__exit__(None, None, None))
        undo = Undo()
        with suppress(Undo):
            batch.__exit__(Undo, undo, None)
        return "undone"

    @rule()
    def compare(self):
        for scope in SCOPES:
            meta = sample_meta(scope)
            self.both(lambda store, meta=meta: store.changes(meta))
            for kind in ("knowledge", "knowledge_relation", "artifact"):
                self.both(lambda store, meta=meta, kind=kind: store.list(meta, kind))


StoreMachine.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow],
)
TestStoreMachine = StoreMachine.TestCase
