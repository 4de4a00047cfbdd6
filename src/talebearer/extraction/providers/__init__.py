"""Model providers: one protocol, replayed and scripted ones for tests, and real models.

A provider takes a request and gives a reply; it waits, repeats and checks nothing. Real models are
reached through the optional ``llm`` packages, which are imported when the first one is opened.
"""

from talebearer.extraction.providers._cassette import Cassette, RecordingProvider
from talebearer.extraction.providers._open import PROVIDERS, open_provider, require_provider
from talebearer.extraction.providers._prices import PRICES_AS_OF, Price, known_price
from talebearer.extraction.providers._protocol import (
    FinishReason,
    ModelReply,
    ModelRequest,
    Provider,
    Usage,
)
from talebearer.extraction.providers._scripted import ScriptedProvider
from talebearer.extraction.providers._settings import (
    ProviderSettings,
    SettingFault,
    check_settings,
    provider_settings,
)
from talebearer.extraction.providers._waiting import retry_after_s

__all__ = [
    "PRICES_AS_OF",
    "PROVIDERS",
    "Cassette",
    "FinishReason",
    "ModelReply",
    "ModelRequest",
    "Price",
    "Provider",
    "ProviderSettings",
    "RecordingProvider",
    "ScriptedProvider",
    "SettingFault",
    "Usage",
    "check_settings",
    "known_price",
    "open_provider",
    "provider_settings",
    "require_provider",
    "retry_after_s",
]
