"""Random clients: the embedded store answers every request as the plain model does."""

import os
import re
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from subjects import ModelSubject, StoreSubject, merge_joiner

from talebearer.testing import sample_artifact_metadata, sample_relation
from talebearer.testing.conformance import Actor, behavior, default_policy, meta_field
from talebearer.testing.conformance.values import indexed_artifact, knowledge, structured
from talebearer.testing.model import Answer, Refused

MEMORY = Path("/dev/shm")
TYPES = ("knowledge", "knowledge_relation", "artifact")
IDS = st.sampled_from(["a", "a", "a", "b", "c%\x00"])
USERS = st.sampled_from(["u", "u", "u", "%"])
WORDS = ["zebra", "quartz", "vexing"]
TEXTS = st.lists(st.sampled_from([*WORDS, "x", "y"]), min_size=1, max_size=4).map(" ".join)
LEAVES = st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(WORDS)
JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("pqr"), inner, max_size=2)
    ),
    max_leaves=4,
)
NOTES = st.sampled_from([None, None, "n"])
RECORDS = st.builds(lambda text, note: knowledge(text, note=note), TEXTS, NOTES) | st.builds(
    lambda value, note: structured(value, note=note), JSON, NOTES
)
ORDERS = st.sampled_from([None, "newest", "oldest", "id_asc", "id_desc"])
MINUTE_MS = 60_000
MADE = re.compile(r"v[0-9]{8}")


def machine_policy():
    """The default policy with short retentions, and a key for requests that carry one."""
    policy = default_policy(
        fields=meta_field("request_id", {"type": "string", "minLength": 1}),
        idempotency_seconds=600,
        changes_seconds=3_000,
    )
    for name, settings_of in policy["entity_types"].items():
        conflict = settings_of["fallback"]["conflict"]
        for batch in (False, True):
            extra = behavior(batch=batch, replay_by=("request_id",))
            extra["conflict"] = conflict
            present = ["request_id", "transaction_id"] if batch else ["request_id"]
            keyed = {"name": f"keyed_{batch}", "when": {"all_present": present}, "behavior": extra}
            settings_of["rules"].insert(0 if batch else len(settings_of["rules"]), keyed)
        assert name in TYPES
    return policy


POLICY = machine_policy()


class Names:
    """Calls the ids that one subject made #1, #2, ... in the order in which they were seen.

    A request that is refused may use an id up in one and not in the other; their order is equal.
    """

    def __init__(self):
        self._names = {}
        self._ids = {}

    def of(self, value):
        """Return *value* with names for ids."""
        if isinstance(value, str) and MADE.fullmatch(value):
            name = self._names.setdefault(value, f"#{len(self._names) + 1}")
            self._ids[name] = value
            return name
        if isinstance(value, dict):
            return {key: self.of(value[key]) for key in sorted(value)}
        return [self.of(item) for item in value] if isinstance(value, (list, tuple)) else value

    def back(self, value):
        """Return *value* with ids for names."""
        if isinstance(value, str):
            return self._ids.get(value, value)
        if isinstance(value, dict):
            return {key: self.back(item) for key, item in value.items()}
        return [self.back(item) for item in value] if isinstance(value, list) else value


class ClientsMachine(RuleBasedStateMachine):
    """Sends each request to both and compares the answers."""

    def __init__(self):
        super().__init__()
        base = MEMORY if os.access(MEMORY, os.W_OK) else None
        self.folder = tempfile.TemporaryDirectory(dir=base)
        self.subjects = (
            [ModelSubject(POLICY), ModelSubject(POLICY)]
            if os.environ.get("MM")
            else [
                StoreSubject(Path(self.folder.name), POLICY),
                ModelSubject(POLICY, joiner=merge_joiner()),
            ]
        )
        self.names = [Names() for _ in self.subjects]
        self.versions = ["never"]
        self.uploads = []
        self.cursors = ["0"]
        self.units = 0

    def teardown(self):
        try:
            self.compare_feeds()
        finally:
            for subject in self.subjects:
                subject.close()
            self.folder.cleanup()

    # --- both ----------------------------------------------------------------------------------

    def outcome(self, index, ask):
        """Return what a subject answers, as data with names; *ask* gets subject and names."""
        names = self.names[index]
        try:
            answer = ask(self.subjects[index], names)
        except Refused as error:
            details = {name: value for name, value in error.data.items() if name != "code"}
            return ["refused", error.code, error.reason, names.of(details)]
        if isinstance(answer, Answer):
            # The store says beside a result where it could not merge; the model knows no why.
            meta = {name: one for name, one in answer.meta.items() if name != "merge_fallback"}
            return ["answered", names.of(meta), names.of(answer.data)]
        return names.of(answer)

    def both(self, ask):
        real, model = [self.outcome(index, ask) for index in (0, 1)]
        assert real == model
        return real

    def send(self, method, data, meta):
        answer = self.both(
            lambda subject, names: Actor(subject, **names.back(meta)).call(method, names.back(data))
        )
        if answer[0] == "answered" and "entity" in answer[2]:
            self.versions.append(answer[2]["entity"]["version"])
        return answer

    def heads(self, ref, meta):
        found = self.send("entity.read", ref, meta)
        variants = found[2]["variants"] if found[0] == "answered" else []
        return [one["version"] for one in variants]

    def meta(self, data, user):
        """Metadata of a request: a scope, and sometimes a unit, a key, a strategy, a deadline."""
        meta = {"workspace_id": "w", "user_id": user}
        extras = data.draw(st.sampled_from(["", "", "", "t", "t", "tc", "r", "tr", "trc", "d"]))
        if "t" in extras:
            meta["transaction_id"] = f"t{self.units}"
        if "c" in extras:
            meta["transaction_state"] = "commit"
        if "r" in extras:
            meta["request_id"] = data.draw(st.sampled_from(["r1", "r2", "r3"]))
        if "d" in extras:
            late = data.draw(st.sampled_from([-1, 0, 1, MINUTE_MS]))
            meta["deadline_unix_ms"] = self.subjects[1].clock.now + late
        strategy = data.draw(st.sampled_from([None, None, "mvcc", "merge", "reject"]))
        return {**meta, "conflict_strategy": strategy} if strategy else meta

    def value(self, data, entity_type):
        if entity_type == "artifact":
            return indexed_artifact(name=data.draw(st.sampled_from([None, "n"])))
        if entity_type == "knowledge_relation":
            return sample_relation(data.draw(IDS), data.draw(IDS))
        return data.draw(RECORDS)

    # --- rules ---------------------------------------------------------------------------------

    @initialize()
    def begin(self):
        self.send(
            "entity.create",
            {"type": "knowledge", "id": "a", "value": knowledge("zebra x y")},
            {"workspace_id": "w", "user_id": "u"},
        )

    @rule(data=st.data(), user=USERS, entity_type=st.sampled_from(TYPES), entity_id=st.none() | IDS)
    def create(self, data, user, entity_type, entity_id):
        sent = {"type": entity_type, "value": self.value(data, entity_type)}
        if entity_id is not None:
            sent["id"] = entity_id
        self.send("entity.create", sent, self.meta(data, user))

    @rule(
        data=st.data(),
        user=USERS,
        entity_type=st.sampled_from(["knowledge", "knowledge", *TYPES]),
        entity_id=IDS,
        gone=st.sampled_from([False, False, True]),
    )
    def replace(self, data, user, entity_type, entity_id, gone):
        meta = self.meta(data, user)
        ref = {"ref": {"type": entity_type, "id": entity_id}}
        heads = self.heads(ref, {k: v for k, v in meta.items() if k != "deadline_unix_ms"})
        some = st.lists(st.sampled_from(self.versions), min_size=1, max_size=2, unique=True)
        known = st.just(heads) if heads else some
        part = st.lists(st.sampled_from(heads), min_size=1, unique=True) if heads else some
        meta["base_versions"] = data.draw(st.one_of(known, known, part, some))
        if gone:
            self.send("entity.delete", ref, meta)
        else:
            self.send("entity.update", {**ref, "value": self.value(data, entity_type)}, meta)

    @rule(data=st.data(), value=RECORDS)
    def fork(self, data, value):
        """Write on any earlier version of one entity, so that heads multiply and merge."""
        base = data.draw(st.sampled_from(self.versions))
        strategy = data.draw(st.sampled_from(["merge", "merge", "mvcc"]))
        meta = {"workspace_id": "w", "user_id": "u", "conflict_strategy": strategy}
        ref = {"ref": {"type": "knowledge", "id": "a"}, "value": value}
        self.send("entity.update", ref, {**meta, "base_versions": [base]})

    @rule(data=st.data(), user=USERS, entity_type=st.sampled_from(TYPES), entity_id=IDS)
    def read(self, data, user, entity_type, entity_id):
        ref = {"ref": {"type": entity_type, "id": entity_id}}
        self.send("entity.read", ref, self.meta(data, user))

    @rule(
        data=st.data(),
        user=USERS,
        text=st.none() | st.sampled_from([*WORDS, "ZEB", "qu", "x"]),
        ids=st.none() | st.lists(IDS, min_size=1, unique=True),
        where=st.sampled_from([{}, {"/content/kind": "text"}, {"/content/value": {"$ne": None}}]),
        order=ORDERS,
    )
    def search(self, data, user, text, ids, where, order):
        members = {"text": text, "ids": ids, "where": where, "order": order}
        query = {name: value for name, value in members.items() if value}
        query.setdefault("order", "newest")
        meta = self.meta(data, user)
        limit = data.draw(st.integers(1, 3))

        def ask(subject, _):
            actor, found, cursor = Actor(subject, **meta), [], {}
            for _ in range(40):
                answer = actor.retrieve({**query, **cursor}, limit=limit)
                found += answer.data["hits"]
                if "next_cursor" not in answer.meta:
                    break
                cursor = {"cursor": answer.meta["next_cursor"]}
            return [[hit["score"] > 0, hit["variants"]] for hit in found]

        self.both(ask)

    @rule(data=st.data(), user=USERS, entity_id=st.none() | IDS, content=st.binary(max_size=6))
    def upload(self, data, user, entity_id, content):
        meta = self.meta(data, user)
        fields = {} if entity_id is None else {"id": entity_id}

        def ask(subject, _):
            actor = Actor(subject, **meta)
            name = Actor(subject).begin(sample_artifact_metadata(), **fields)
            if content:
                Actor(subject).chunk(name, 0, content)
            return actor.commit(name)

        made = self.both(ask)
        if "version" in made:
            self.versions.append(made["version"])

    @rule(user=USERS, entity_id=IDS)
    def download(self, user, entity_id):
        meta = {"workspace_id": "w", "user_id": user}
        self.both(lambda subject, _: Actor(subject, **meta).download(entity_id))

    @rule(user=USERS, data=st.data())
    def follow(self, user, data):
        cursor = data.draw(st.sampled_from(self.cursors))
        told = self.both(lambda subject, _: self.events(subject, user, cursor))
        if told[:1] != ["refused"]:
            self.cursors += [event["change"]["cursor"] for event in told][-1:]

    @rule()
    def next_unit(self):
        self.units += 1

    @rule(minutes=st.sampled_from([1, 5, 15, 61, -3]))
    def wait(self, minutes):
        for subject in self.subjects:
            subject.clock.advance(ms=minutes * MINUTE_MS)

    @rule()
    def restart(self):
        for subject in self.subjects:
            subject.restart()

    @rule()
    def compare_feeds(self):
        for user in ("u", "%"):
            meta = {"workspace_id": "w", "user_id": user}
            self.both(lambda subject, _, meta=meta: Actor(subject, **meta).subscribe().cursor)

    def events(self, subject, user, cursor):
        meta = {"workspace_id": "w", "user_id": user}
        return subject.subscribe(meta, after_cursor=cursor).rest()


ClientsMachine.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestClientsMachine = ClientsMachine.TestCase
