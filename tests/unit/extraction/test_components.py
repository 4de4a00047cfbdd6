import sys
from importlib.metadata import EntryPoint

import pytest

from talebearer.errors import InvalidCampaign, UnknownProvider
from talebearer.extraction import (
    Components,
    Role,
    built_in,
    load_pipelines,
    open_provider,
    provider_settings,
)

MODULE = """
from talebearer.extraction import Component, Role, ScriptedProvider
from talebearer.vocabulary import ArtifactKind
npcs = (
    Component(key="lab/npcs", role=Role.EXTRACT, kind=ArtifactKind.NPC_LIST, work=lambda s, n: []),
    Component(key="lab/npcs", role=Role.NORMALIZE, kind=ArtifactKind.NPC_LIST, work=lambda i, n: []),
)
single = Component(key="lab/check", role=Role.VALIDATE, work=lambda subject: [])
wrong = 7
hijack = Component(key="dnd/npcs", role=Role.EXTRACT, kind=ArtifactKind.NPC_LIST, work=lambda s, n: [])
def provider(settings, environ):
    return ScriptedProvider(lambda request: "{}", model=settings.model)
"""
PIPELINE = """
pipelines:
  p:
    input: transcript
    steps:
      - id: a
        artifacts:
          npcs: {{extract: {key}, normalize: lab/npcs, validate: {{extract: [lab/check]}}}}
"""


@pytest.fixture
def installed(tmp_path, monkeypatch) -> None:
    """A distribution with entry points, as pip would leave it."""
    (tmp_path / "lab_plugin.py").write_text(MODULE)
    (tmp_path / "broken_plugin.py").write_text("raise RuntimeError('no')")
    info = tmp_path / "lab-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: lab\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[talebearer.components]\nlab/npcs = lab_plugin:npcs\nlab/check = lab_plugin:single\n"
        "lab/wrong = lab_plugin:wrong\nlab/broken = broken_plugin:x\ndnd/npcs = lab_plugin:hijack\n"
        "[talebearer.providers]\nlab = lab_plugin:provider\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in ("lab_plugin", "broken_plugin"):
        sys.modules.pop(name, None)


@pytest.mark.spec("NI-pipe-plug-ins")
def test_plug_ins_bring_components(installed) -> None:
    lane = load_pipelines(PIPELINE.format(key="lab/npcs").encode())["p"].steps[0].lanes[0]
    assert (lane.extract.key, lane.normalize.key) == ("lab/npcs", "lab/npcs")


@pytest.mark.spec("NI-pipe-plug-ins")
@pytest.mark.parametrize("key", ["lab/wrong", "lab/broken"])
def test_a_broken_plug_in_is_a_finding_and_only_where_it_is_named(installed, key) -> None:
    with pytest.raises(InvalidCampaign) as caught:
        load_pipelines(PIPELINE.format(key=key).encode())
    assert [one["code"] for one in caught.value.data["problems"]] == ["TB633"]


def test_built_in_components_cannot_be_replaced(installed) -> None:
    component = Components(built_in()).get(Role.EXTRACT, "dnd/npcs")
    assert component is not None
    assert component.work is None


def test_plug_ins_are_suggested_without_being_imported(installed) -> None:
    with pytest.raises(InvalidCampaign) as caught:
        load_pipelines(PIPELINE.format(key="lab/npc").encode())
    assert "did you mean lab/npcs?" in caught.value.data["problems"][0]["hint"]
    assert "broken_plugin" not in sys.modules


@pytest.mark.spec("NI-pipe-plug-ins")
def test_plug_ins_bring_providers(installed) -> None:
    opened = open_provider(provider_settings({}, provider="lab:tiny"), environ={})
    assert opened is not None
    assert opened.identity["model"] == "tiny"
    with pytest.raises(UnknownProvider) as caught:
        open_provider(provider_settings({}, provider="lap"), environ={})
    assert caught.value.code == "TB301"
    assert "lab" in caught.value.hint


def test_entry_points_may_be_given_by_the_caller() -> None:
    point = EntryPoint(name="x/y", value="nowhere:z", group="talebearer.components")
    components = Components(built_in(), plugged_in=[point])
    assert "x/y" in components.keys(Role.VALIDATE)
    with pytest.raises(ImportError, match="its module fails"):
        components.get(Role.VALIDATE, "x/y")
