"""The conformance suite: what every store of the protocol does, as pytest classes to inherit from.

Each class is a part of the protocol; a case's number is that of the protocol sheet's list of
behaviours. The cases talk at the level of the wire: a method's name, metadata and data go in, a
result or an error's number, reason and data come out. An implementation gives a
:class:`Subject`, and takes each class that it wants to keep::

    class TestMyEntities(EntityConformance):
        @classmethod
        def open_subject(cls, folder, policy):
            return MySubject(folder, policy)

``open_subject`` starts the implementation with a policy document on an empty folder. One running
subject serves all cases of a class that ask for the same policy: each case works in a scope of
its own.
"""

from talebearer.testing.conformance._bytes import ArtifactConformance
from talebearer.testing.conformance._deadlines import ControlConformance
from talebearer.testing.conformance._entities import EntityConformance
from talebearer.testing.conformance._feeds import FeedConformance
from talebearer.testing.conformance._lives import LifecycleConformance, Spawned, StartRefused
from talebearer.testing.conformance._merges import MergeConformance
from talebearer.testing.conformance._policies import (
    behavior,
    causal_policy,
    default_policy,
    entity_type,
    keyed_policy,
    meta_field,
)
from talebearer.testing.conformance._replays import CausalConformance, IdempotencyConformance
from talebearer.testing.conformance._retrievals import RetrieveConformance
from talebearer.testing.conformance._starts import PolicyConformance, PolicyRefused
from talebearer.testing.conformance._subject import (
    SCOPES,
    Actor,
    Conformance,
    Events,
    House,
    ManualClock,
    Subject,
    refused,
)
from talebearer.testing.conformance._transports import TransportConformance
from talebearer.testing.conformance._units import WorkUnitConformance
from talebearer.testing.conformance._wire import HANDSHAKE, Running, Wire, WireSubject

__all__ = [
    "HANDSHAKE",
    "SCOPES",
    "Actor",
    "ArtifactConformance",
    "CausalConformance",
    "Conformance",
    "ControlConformance",
    "EntityConformance",
    "Events",
    "FeedConformance",
    "House",
    "IdempotencyConformance",
    "LifecycleConformance",
    "ManualClock",
    "MergeConformance",
    "PolicyConformance",
    "PolicyRefused",
    "RetrieveConformance",
    "Running",
    "Spawned",
    "StartRefused",
    "Subject",
    "TransportConformance",
    "Wire",
    "WireSubject",
    "WorkUnitConformance",
    "behavior",
    "causal_policy",
    "default_policy",
    "entity_type",
    "keyed_policy",
    "meta_field",
    "refused",
]
