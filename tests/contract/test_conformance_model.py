"""The conformance suite on the plain model."""

from subjects import ModelSubject, merge_joiner

from talebearer.testing import conformance as suite


class OnModel:
    @classmethod
    def open_subject(cls, folder, policy):
        return ModelSubject(policy, joiner=merge_joiner())


class TestEntities(OnModel, suite.EntityConformance):
    pass


class TestMerges(OnModel, suite.MergeConformance):
    pass


class TestRetrieval(OnModel, suite.RetrieveConformance):
    pass


class TestIdempotency(OnModel, suite.IdempotencyConformance):
    pass


class TestCausality(OnModel, suite.CausalConformance):
    pass


class TestWorkUnits(OnModel, suite.WorkUnitConformance):
    pass


class TestFeed(OnModel, suite.FeedConformance):
    pass


class TestArtifacts(OnModel, suite.ArtifactConformance):
    pass


class TestControls(OnModel, suite.ControlConformance):
    pass
