"""From a transcript and a roster to two evidence-cited artifacts.

Two lanes run in order. The registry lane finds who of the story is named (``dnd/npc-list``); the
interaction lane finds what each of them does where (``dnd/npc-interaction-list``), and gets only
the registry's names. Each lane is extract, normalise, validate: an extractor proposes, the rest is
deterministic and the same for all. The embedded extractor ``rules`` needs no model and no network.

``pipeline`` has the order of steps from YAML and the components that it can name, ``providers`` the
models, ``asking`` how one is asked, and ``scoring`` how well an extractor does.
"""

from typing import TYPE_CHECKING

from talebearer._doors import opened_on_use

if TYPE_CHECKING:
    from talebearer.extraction._artifacts import Artifact, decode_artifact
    from talebearer.extraction._estimate import Estimate, LaneEstimate, estimate
    from talebearer.extraction._extractors import EXTRACTORS
    from talebearer.extraction._normalise import normalise_interactions, normalise_npcs
    from talebearer.extraction._roster import (
        JOINED_LABELS,
        Player,
        Roster,
        SpeakerRole,
        UnknownSpeaker,
        fold_label,
        unknown_speakers,
    )
    from talebearer.extraction._run import Extraction, extract_interactions, extract_npcs, run
    from talebearer.extraction._session import Glossary, Session
    from talebearer.extraction._validate import canonical_name
    from talebearer.extraction.asking import ModelProgress, ModelRun
    from talebearer.extraction.pipeline import (
        Component,
        Components,
        Pipeline,
        PipelineResult,
        Role,
        Stage,
        Subject,
        built_in,
        default_chain,
        default_pipelines,
        load_pipelines,
        run_pipeline,
    )
    from talebearer.extraction.providers import (
        PROVIDERS,
        Cassette,
        FinishReason,
        ModelReply,
        ModelRequest,
        Price,
        Provider,
        ProviderSettings,
        RecordingProvider,
        ScriptedProvider,
        SettingFault,
        Usage,
        check_settings,
        open_provider,
        provider_settings,
        require_provider,
    )
    from talebearer.extraction.scoring import (
        Found,
        LabelledExcerpt,
        evaluate,
        find_by,
        find_by_model,
        load_labelled,
        mention_baseline,
        parse_labelled,
    )

__all__ = [
    "EXTRACTORS",
    "JOINED_LABELS",
    "PROVIDERS",
    "Artifact",
    "Cassette",
    "Component",
    "Components",
    "Estimate",
    "Extraction",
    "FinishReason",
    "Found",
    "Glossary",
    "LabelledExcerpt",
    "LaneEstimate",
    "ModelProgress",
    "ModelReply",
    "ModelRequest",
    "ModelRun",
    "Pipeline",
    "PipelineResult",
    "Player",
    "Price",
    "Provider",
    "ProviderSettings",
    "RecordingProvider",
    "Role",
    "Roster",
    "ScriptedProvider",
    "Session",
    "SettingFault",
    "SpeakerRole",
    "Stage",
    "Subject",
    "UnknownSpeaker",
    "Usage",
    "built_in",
    "canonical_name",
    "check_settings",
    "decode_artifact",
    "default_chain",
    "default_pipelines",
    "estimate",
    "evaluate",
    "extract_interactions",
    "extract_npcs",
    "find_by",
    "find_by_model",
    "fold_label",
    "load_labelled",
    "load_pipelines",
    "mention_baseline",
    "normalise_interactions",
    "normalise_npcs",
    "open_provider",
    "parse_labelled",
    "provider_settings",
    "require_provider",
    "run",
    "run_pipeline",
    "unknown_speakers",
]

__getattr__ = opened_on_use(
    __name__,
    {
        "_artifacts": "Artifact decode_artifact",
        "_estimate": "Estimate LaneEstimate estimate",
        "_extractors": "EXTRACTORS",
        "_normalise": "normalise_interactions normalise_npcs",
        "_roster": """
            JOINED_LABELS Player Roster SpeakerRole UnknownSpeaker fold_label unknown_speakers
        """,
        "_run": "Extraction extract_interactions extract_npcs run",
        "_session": "Glossary Session",
        "_validate": "canonical_name",
        "asking": "ModelProgress ModelRun",
        "pipeline": """
            Component Components Pipeline PipelineResult Role Stage Subject built_in
            default_chain default_pipelines load_pipelines run_pipeline
        """,
        "providers": """
            PROVIDERS Cassette FinishReason ModelReply ModelRequest Price Provider
            ProviderSettings RecordingProvider ScriptedProvider SettingFault Usage
            check_settings open_provider provider_settings require_provider
        """,
        "scoring": """
            Found LabelledExcerpt evaluate find_by find_by_model load_labelled mention_baseline
            parse_labelled
        """,
    },
)
