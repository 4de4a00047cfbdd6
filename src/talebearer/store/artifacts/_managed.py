"""Artifacts whose bytes this store keeps: what is uploaded becomes a record, and is read by it.

Source: the protocol sheet, section 5.11.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from jsonschema_rs import Draft202012Validator

from talebearer.errors import UnsupportedPlacement
from talebearer.store._canonical import encode, problem, refuse
from talebearer.store._engine import Database
from talebearer.store._model import EntityRef, EntityVersion, ReadResult
from talebearer.store._records import compile_schema, schema_problems
from talebearer.store.artifacts._blobs import Blobs, digest_of, key_of
from talebearer.store.artifacts._uploads import Chunk, Upload, Uploads
from talebearer.store.versions import conflict, not_found
from talebearer.vocabulary import RecordType

_ARTIFACT = RecordType.ARTIFACT.value
_METADATA = {"$ref": "urn:patchouli:schema:artifact:1#/properties/metadata"}
_NULLABLE: Mapping[str, tuple[str, ...]] = {
    "scope": ("tenant", "workspace", "user", "session"),
    "origin": ("provider", "binding", "native_type", "native_id", "native_revision"),
    "time": ("event_at", "source_created_at", "source_updated_at"),
    "lifecycle": ("expires_at",),
}


class Managed:
    """Uploads and downloads of one store."""

    def __init__(
        self, database: Database, blobs: Blobs, *, node_id: str, now_ms: Callable[[], int]
    ) -> None:
        self._db = database
        self._blobs = blobs
        self._node_id = node_id
        self._uploads = Uploads(blobs.uploads_folder, now_ms=now_ms)
        self._metadata: Draft202012Validator | None = None

    def begin(
        self,
        upload_id: str,
        *,
        media_type: str,
        name: str | None,
        metadata: Any,
        entity_id: str | None,
        expected_size_bytes: int | None,
        expected_digest: str | None,
    ) -> None:
        """Begin the upload *upload_id*; members of *metadata* that may be null may be left out.

        Raises:
            InvalidRecord: The metadata is none (TB115). What else the artifact's schema asks for is
                looked at when the upload is committed.
            Overloaded: Too many uploads are open (TB217).
        """
        whole = _with_nulls(encode(metadata).value)
        self._check_metadata(whole)
        self._uploads.begin(
            upload_id,
            about={"media_type": media_type, "name": name, "metadata": whole},
            entity_id=entity_id,
            expected_size_bytes=expected_size_bytes,
            expected_digest=expected_digest,
        )

    def add(self, upload_id: str, chunk: bytes, *, offset: int) -> int:
        """Add *chunk* to an upload and return the next offset."""
        return self._uploads.add(upload_id, chunk, offset=offset)

    def complete(self, upload_id: str) -> tuple[Upload, dict[str, Any]]:
        """Store the bytes of an upload and return it with its artifact's value.

        Raises:
            InvalidRecord: The bytes are not what was announced (TB115).
            UploadNotFound: There is no such upload (TB220).
            ArtifactDamaged: Other bytes stand under the same digest (TB207).
        """
        upload = self._uploads.get(upload_id)
        self._uploads.check_complete(upload)
        if not upload.stored:
            self._blobs.adopt(upload.part, digest=upload.digest)
            upload.stored = True
        return upload, self._value(upload.about, upload.digest, upload.size_bytes)

    def finish(self, upload: Upload) -> None:
        """Have *upload* forgotten when the open transaction is committed."""
        upload.finished = True
        self._db.after_commit(partial(self._uploads.forget, upload))
        self._db.after_rollback(partial(setattr, upload, "finished", False))

    def value_of(self, data: bytes, about: Mapping[str, Any]) -> dict[str, Any]:
        """Return the artifact's value for *data*, which :meth:`put` stores."""
        return self._value(about, digest_of(data), len(data))

    def put(self, data: bytes, *, digest: str) -> None:
        """Store bytes inside a transaction; what is rolled back takes them away again."""
        if self._blobs.put(data, digest=digest):
            self._db.after_rollback(partial(self._blobs.discard, digest))

    def read(self, chosen: EntityVersion) -> bytes:
        """Return all bytes of an artifact, checked against their digest."""
        value = chosen.value
        return self._blobs.get(
            key=value["placement"]["key"],
            digest=value["digest"],
            size_bytes=value["byte_length"],
        )

    def read_chunk(self, chosen: EntityVersion, *, offset: int, size_bytes_max: int) -> Chunk:
        """Return a part of an artifact's bytes.

        Raises:
            InvalidRecord: The offset is beyond the end (TB115).
            ArtifactDamaged: The bytes are missing or damaged (TB207).
        """
        value = chosen.value
        length = value["byte_length"]
        if offset > length:
            hint = f"allowed: 0 to {length}"
            found = problem(("offset",), f"{offset} is beyond the end", hint=hint)
            refuse([found], what="the request")
        data = self._blobs.get_part(
            key=value["placement"]["key"],
            digest=value["digest"],
            size_bytes=length,
            offset=offset,
            size_bytes_max=size_bytes_max,
        )
        at_end = offset + len(data) == length
        return Chunk(entity=chosen, offset=offset, data=data, at_end=at_end)

    def placed_here(
        self, ref: EntityRef, found: ReadResult, *, version: str | None
    ) -> EntityVersion:
        """Return the head of an artifact whose bytes are to be read.

        Raises:
            NotFound: It is deleted, or *version* is not a current one (TB204).
            VersionConflict: It has several heads and *version* is None (TB205).
            UnsupportedPlacement: Another provider holds the bytes (TB212).
        """
        heads = {head.version: head for head in found.variants}
        if version is None and len(heads) > 1:
            raise conflict(ref, tuple(heads))
        chosen = heads.get(min(heads) if version is None else version)
        if chosen is None or not chosen.active:
            raise not_found(ref, version=version)
        placement = chosen.value["placement"]
        if placement["kind"] != "managed" or placement["provider"] != self._node_id:
            raise UnsupportedPlacement(
                f"the bytes of artifact {ref.id!r} are held by {placement['provider']!r}",
                data={"id": ref.id, "provider": placement["provider"]},
            )
        return chosen

    def _value(self, about: Mapping[str, Any], digest: str, size_bytes: int) -> dict[str, Any]:
        return {
            **about,
            "byte_length": size_bytes,
            "digest": digest,
            "placement": {"kind": "managed", "provider": self._node_id, "key": key_of(digest)},
        }

    def _check_metadata(self, metadata: Any) -> None:
        validator = self._metadata = self._metadata or compile_schema(_METADATA)
        if not validator.is_valid(metadata):
            found = schema_problems(validator, metadata, path=("metadata",))
            refuse(list(found), what="the upload")


def _with_nulls(metadata: Any) -> Any:
    """Return *metadata* with the members that may be null there, as null."""
    core = metadata.get("core") if isinstance(metadata, dict) else None
    if not isinstance(core, dict):
        return metadata
    core = dict(core)
    for part, names in _NULLABLE.items():
        if isinstance(core.get(part), dict):
            core[part] = {**dict.fromkeys(names), **core[part]}
    if isinstance(core.get("provenance"), list):
        core["provenance"] = [
            {"source": None, **one} if isinstance(one, dict) else one for one in core["provenance"]
        ]
    return {**metadata, "core": core}
