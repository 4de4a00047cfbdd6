"""Artifacts, typed: bytes in and out of a store, whole or in parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from talebearer.store._controller import Controller
from talebearer.store._model import EntityVersion
from talebearer.store.artifacts import Chunk


class Bytes:
    """The methods of a store that take and give the bytes of artifacts."""

    _controller: Controller

    def upload(
        self,
        meta: Mapping[str, Any],
        data: bytes,
        *,
        media_type: str,
        name: str | None,
        metadata: Mapping[str, Any],
        id: str | None = None,
    ) -> EntityVersion:
        """Store *data* and create its artifact; equal bytes are stored once.

        With ``base_versions`` in *meta*, the artifact exists and its named heads are replaced,
        as by :meth:`update`.

        Args:
            meta: The request's metadata.
            data: The bytes, which may be none.
            media_type: Such as ``application/json``.
            name: A display name, or None.
            metadata: The artifact's metadata, see ``artifact_metadata``.
            id: Its id; None has one made.

        Raises:
            InvalidRecord: The schema refuses the artifact (TB115).
            NotFound: ``base_versions`` is given, and there is no such artifact (TB204).
            VersionConflict: The entity exists, or the base versions do not fit (TB205).
            StoreCorrupt: Other bytes stand under the same digest (TB207).

        Source: the protocol sheet, section 5.11.
        """
        about = {"media_type": media_type, "name": name, "metadata": dict(metadata)}
        return self._controller.upload(meta, data, about, entity_id=id).entity

    def download(
        self,
        meta: Mapping[str, Any],
        id: str,
        *,
        version: str | None = None,
    ) -> bytes:
        """Return the bytes of an artifact, checked against their digest.

        Args:
            meta: The request's metadata.
            id: The artifact.
            version: One of its active heads; None wants it to have one head only.

        Raises:
            NotFound: No such artifact, a deleted one, or not a current version (TB204).
            VersionConflict: It has several heads and *version* is None (TB205).
            StoreCorrupt: The bytes are missing or damaged; ``data["file"]`` says where (TB207).
            UnsupportedPlacement: Another provider holds the bytes (TB212).

        Source: the protocol sheet, section 5.11.
        """
        chosen, _ = self._controller.download(meta, id, version=version)
        return self._controller.managed.read(chosen)

    def begin_upload(
        self,
        *,
        media_type: str,
        name: str | None,
        metadata: Mapping[str, Any],
        id: str | None = None,
        expected_size_bytes: int | None = None,
        expected_digest: str | None = None,
    ) -> str:
        """Begin an upload in chunks and return its id.

        Raises:
            Overloaded: Too many uploads are open (TB217).

        Source: the protocol sheet, section 5.11.
        """
        return self._controller.begin_upload(
            media_type=media_type,
            name=name,
            metadata=metadata,
            entity_id=id,
            expected_size_bytes=expected_size_bytes,
            expected_digest=expected_digest,
        )

    def upload_chunk(self, upload_id: str, chunk: bytes, *, offset: int) -> int:
        """Add *chunk* to an upload and return the next offset.

        Raises:
            InvalidRecord: The chunk is empty, too long or out of place (TB115).
            UploadNotFound: There is no such upload (TB220).
        """
        return self._controller.managed.add(upload_id, chunk, offset=offset)

    def commit_upload(self, meta: Mapping[str, Any], upload_id: str) -> EntityVersion:
        """Store an upload's bytes and create its artifact.

        When the artifact is refused, the upload stays and can be committed again.

        Raises:
            InvalidRecord: The bytes are not what was announced, or the schema refuses (TB115).
            UploadNotFound: There is no such upload (TB220).
            VersionConflict: The artifact exists (TB205).
            ArtifactDamaged: Other bytes stand under the same digest (TB207).
        """
        return self._controller.commit_upload(meta, upload_id).entity

    def download_chunk(
        self,
        meta: Mapping[str, Any],
        id: str,
        *,
        offset: int,
        size_bytes_max: int,
        version: str | None = None,
    ) -> Chunk:
        """Return a part of an artifact's bytes.

        Args:
            meta: The request's metadata.
            id: The artifact.
            offset: Where the part begins, at most the artifact's length.
            size_bytes_max: At most this many bytes.
            version: One of its active heads; None wants it to have one head only.

        Raises:
            InvalidRecord: The offset is beyond the end (TB115).
            NotFound: No such artifact, a deleted one, or not a current version (TB204).
            VersionConflict: It has several heads and *version* is None (TB205).
            ArtifactDamaged: The bytes are missing or damaged (TB207).
            UnsupportedPlacement: Another provider holds the bytes (TB212).

        Source: the protocol sheet, section 5.11.
        """
        part, _ = self._controller.download_chunk(
            meta, id, version=version, offset=offset, size_bytes_max=size_bytes_max
        )
        return part
