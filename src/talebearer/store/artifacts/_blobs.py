"""Content-addressed bytes: ``objects/sha256/<2 hex>/<62 hex>`` below the artifact folder.

Bytes are written to ``uploads/*.part``, made durable, and moved into place, so an object is
whole or absent. Equal bytes are stored once; the stored copy is hashed again before it is relied
on. Bytes that were published for a transaction that is then rolled back are taken away again; a
crash in between leaves an object that nothing refers to, which does no harm.

Source: the protocol sheet, sections 4.6 and 5.11; the knowledge model, "Artifact".
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from talebearer.errors import ArtifactDamaged, StoreCorrupt, TalebearerError
from talebearer.store._engine import file_fault
from talebearer.store._open import FILE_MODE, FOLDER_MODE, make_private_folder, sync_folder, tighten

HASHED_BYTES_MAX = 8 * 1024 * 1024
_KEY = re.compile(r"sha256/([0-9a-f]{2})([0-9a-f]{62})")


def digest_of(data: bytes) -> str:
    """Return the digest of *data*: ``sha256:`` and 64 lower-case hex digits."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def key_of(digest: str) -> str:
    """Return the placement key of *digest*."""
    return digest.replace(":", "/", 1)


class Blobs:
    """The artifact folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.uploads_folder = root / "uploads"

    def prepare(self) -> tuple[str, ...]:
        """Make the folders, drop unfinished uploads, and return what was tightened.

        Raises:
            StoreUnavailable: The file system refuses (TB210).
            StoreFull: There is no space (TB206).
        """
        for folder in (self.root, self.root / "objects" / "sha256", self.uploads_folder):
            make_private_folder(folder)
        try:
            for part in sorted(self.uploads_folder.glob("*.part")):
                part.unlink()
        except OSError as error:
            raise file_fault(error, path=self.uploads_folder) from error
        return (str(self.root),) if tighten(self.root) else ()

    def put(self, data: bytes, *, digest: str) -> bool:
        """Store *data*, whose digest is *digest*; return whether it was not there before.

        Raises:
            StoreFull: There is no space; nothing is left behind (TB206).
            StoreUnavailable: The file system refuses (TB210).
        """
        place = self._place(key_of(digest))
        there = place.exists()
        if there and self._whole(place, digest=digest):
            return False
        # What stands there is damaged, and these are the right bytes: they take its place. They
        # are no news to the store then, so a rollback leaves them.
        part = self.uploads_folder / f"{place.parent.name}{place.name}.part"
        try:
            self._write(part, data)
            self._move(part, place)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise file_fault(error, path=part) from error
        return not there

    def _whole(self, place: Path, *, digest: str) -> bool:
        try:
            return digest_of(self._read(place)) == digest
        except StoreCorrupt:
            return False

    def get(self, *, key: str, digest: str, size_bytes: int) -> bytes:
        """Return the bytes under *key*, checked against *digest* and *size_bytes*.

        Raises:
            StoreCorrupt: They are missing, or are not what was recorded (TB207).
        """
        place = self._recorded(key, digest=digest)
        data = self._read(place)
        if len(data) != size_bytes:
            raise self._damaged(place, f"has {len(data)} bytes, recorded are {size_bytes}")
        self._check(place, data, digest=digest)
        return data

    def adopt(self, part: Path, *, digest: str) -> None:
        """Move the file *part*, whose digest is *digest*, into the store; it is durable then.

        Raises:
            ArtifactDamaged: Other bytes stand there under that digest (TB207).
            StoreFull: There is no space (TB206).
            StoreUnavailable: The file system refuses (TB210).
        """
        place = self._place(key_of(digest))
        if place.exists():
            self._check_file(place, digest=digest)
            part.unlink(missing_ok=True)
            return
        try:
            fd = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                os.fsync(fd)
            finally:
                os.close(fd)
            self._move(part, place)
        except OSError as error:
            raise file_fault(error, path=part) from error

    def get_part(
        self, *, key: str, digest: str, size_bytes: int, offset: int, size_bytes_max: int
    ) -> bytes:
        """Return up to *size_bytes_max* bytes under *key* from *offset* on.

        Objects up to :data:`HASHED_BYTES_MAX` are hashed before their first part is given out;
        of larger ones only the length is checked, and the reader has the digest to check.

        Raises:
            ArtifactDamaged: They are missing, or are not what was recorded (TB207).
        """
        place = self._recorded(key, digest=digest)
        try:
            found_bytes = place.stat().st_size
            if found_bytes != size_bytes:
                raise self._damaged(place, f"has {found_bytes} bytes, recorded are {size_bytes}")
            if offset == 0 and size_bytes <= HASHED_BYTES_MAX:
                self._check_file(place, digest=digest)
            with place.open("rb", buffering=0) as file:
                file.seek(offset)
                return file.read(size_bytes_max)
        except FileNotFoundError:
            raise self._damaged(place, "is missing") from None
        except OSError as error:
            raise file_fault(error, path=place) from error

    def discard(self, digest: str) -> None:
        """Take away bytes that no committed record refers to."""
        self._place(key_of(digest)).unlink(missing_ok=True)

    def _recorded(self, key: str, *, digest: str) -> Path:
        if not _KEY.fullmatch(key) or key != key_of(digest):
            raise ArtifactDamaged(
                f"the placement key {key!r} does not belong to the digest {digest}",
                hint="write the artifact again with its bytes",
                data={"key": key, "digest": digest},
            )
        return self._place(key)

    def _move(self, part: Path, place: Path) -> None:
        if not place.parent.exists():
            place.parent.mkdir(mode=FOLDER_MODE)
            sync_folder(place.parent.parent)
        part.replace(place)
        sync_folder(place.parent)

    def _check_file(self, place: Path, *, digest: str) -> None:
        with place.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        if f"sha256:{found}" != digest:
            raise self._damaged(place, f"does not match its digest {digest}")

    def _place(self, key: str) -> Path:
        match = _KEY.fullmatch(key)
        assert match is not None, key
        return self.root / "objects" / "sha256" / match[1] / match[2]

    def _write(self, part: Path, data: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(part, flags, FILE_MODE), "wb", buffering=0) as file:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())

    def _read(self, place: Path) -> bytes:
        try:
            return place.read_bytes()
        except FileNotFoundError:
            raise self._damaged(place, "is missing") from None
        except OSError as error:
            raise file_fault(error, path=place) from error

    def _check(self, place: Path, data: bytes, *, digest: str) -> None:
        if digest_of(data) != digest:
            raise self._damaged(place, f"does not match its digest {digest}")

    def _damaged(self, place: Path, what: str) -> TalebearerError:
        return ArtifactDamaged(
            f"{place} {what}",
            hint="restore this file from a backup",
            data={"file": str(place), "key": f"sha256/{place.parent.name}{place.name}"},
        )
