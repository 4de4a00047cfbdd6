"""Artifact bytes: content-addressed objects, and the uploads that become them."""

from talebearer.store.artifacts._blobs import Blobs, digest_of, key_of
from talebearer.store.artifacts._managed import Managed
from talebearer.store.artifacts._uploads import (
    CHUNK_BYTES_MAX,
    UPLOAD_BYTES_MAX,
    Chunk,
    Upload,
    Uploads,
)

__all__ = [
    "CHUNK_BYTES_MAX",
    "UPLOAD_BYTES_MAX",
    "Blobs",
    "Chunk",
    "Managed",
    "Upload",
    "Uploads",
    "digest_of",
    "key_of",
]
