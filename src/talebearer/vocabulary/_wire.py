"""The daemon's wire: method names, capabilities and limits, the same for server and client.

Source: the protocol sheet, sections 1.1, 1.3 and 1.4.
"""

from __future__ import annotations

from enum import StrEnum

WIRE_VERSION = 1
"""The protocol version that the handshake negotiates."""
REQUEST_BYTES_MAX = 1_048_576
"""Longest request line, its line feed not counted."""
ARTIFACT_CHUNK_BYTES_MAX = 524_288
"""Most bytes of one upload or download chunk, before Base64."""
RESULT_ITEMS_MAX = 100
"""Most hits of one retrieval."""


class WireCapability(StrEnum):
    """What a client and the daemon may agree on, in the daemon's order."""

    ARTIFACTS = "artifacts"
    SUBSCRIPTIONS = "subscriptions"


class WireMethod(StrEnum):
    """The methods of the daemon's wire."""

    HANDSHAKE = "patchouli.protocol.handshake@1"
    STATUS = "patchouli.control.status@1"
    CHECKPOINT = "patchouli.control.checkpoint@1"
    SHUTDOWN = "patchouli.control.shutdown@1"
    CREATE = "patchouli.entity.create@1"
    READ = "patchouli.entity.read@1"
    UPDATE = "patchouli.entity.update@1"
    DELETE = "patchouli.entity.delete@1"
    RETRIEVE = "patchouli.entity.retrieve@1"
    UPLOAD_BEGIN = "patchouli.artifact.upload.begin@1"
    UPLOAD_CHUNK = "patchouli.artifact.upload.chunk@1"
    UPLOAD_COMMIT = "patchouli.artifact.upload.commit@1"
    DOWNLOAD_CHUNK = "patchouli.artifact.download.chunk@1"
    SUBSCRIBE = "patchouli.changes.subscribe@1"
    UNSUBSCRIBE = "patchouli.changes.unsubscribe@1"
    EVENT = "patchouli.changes.event@1"
