"""The conformance suite on the embedded store."""

from subjects import StoreSubject

from talebearer.testing import conformance as suite


class OnStore:
    merges = True

    @classmethod
    def open_subject(cls, folder, policy):
        return StoreSubject(folder, policy)


class TestEntities(OnStore, suite.EntityConformance):
    pass


class TestMerges(OnStore, suite.MergeConformance):
    pass


class TestRetrieval(OnStore, suite.RetrieveConformance):
    pass


class TestIdempotency(OnStore, suite.IdempotencyConformance):
    pass


class TestCausality(OnStore, suite.CausalConformance):
    pass


class TestWorkUnits(OnStore, suite.WorkUnitConformance):
    pass


class TestFeed(OnStore, suite.FeedConformance):
    pass


class TestArtifacts(OnStore, suite.ArtifactConformance):
    pass


class TestControls(OnStore, suite.ControlConformance):
    pass


class TestPolicies(OnStore, suite.PolicyConformance):
    pass
