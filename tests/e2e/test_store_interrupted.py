"""What a crash or an interrupt at the worst moment leaves: a store that opens, and whole."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path

import pytest
from campaigns import open_fixed, run_python, talebearer_here

WAL_HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24


def _frames(wal: bytes) -> list[tuple[int, bytes]]:
    """Return page number and content of each frame of a write-ahead log."""
    (page_bytes,) = struct.unpack(">I", wal[8:12])
    size = FRAME_HEADER_BYTES + page_bytes
    return [
        (struct.unpack(">I", wal[at : at + 4])[0], wal[at + FRAME_HEADER_BYTES : at + size])
        for at in range(WAL_HEADER_BYTES, len(wal) - size + 1, size)
    ]


@pytest.mark.spec("KM-S2-cut-checkpoint")
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.95])
def test_a_checkpoint_that_was_cut_off_is_no_damage(bundled: Path, share: float) -> None:
    """Some pages of the log are in the file already, the log is still there, the writer is gone."""
    with open_fixed(bundled) as campaign:
        campaign.record(bundled / "sessions" / "session-01.json")
        expected = campaign.npcs()
        for name in ("talebearer.db", "talebearer.db-wal"):
            shutil.copy(bundled / name, bundled / f"{name}.copy")
    database = bundled / "talebearer.db"
    (bundled / "talebearer.db-shm").unlink(missing_ok=True)
    (bundled / "talebearer.db.copy").replace(database)
    (bundled / "talebearer.db-wal.copy").replace(bundled / "talebearer.db-wal")
    wal = (bundled / "talebearer.db-wal").read_bytes()
    latest = dict(_frames(wal))
    assert len(latest) > 20
    pages = sorted(latest)[: max(1, round(len(latest) * share))]
    with database.open("r+b") as file:
        for number in pages:
            file.seek((number - 1) * len(latest[number]))
            file.write(latest[number])
    with open_fixed(bundled, read_only=True) as campaign:
        assert campaign.npcs() == expected
    with open_fixed(bundled) as campaign:
        assert campaign.doctor().faults == ()
        assert campaign.npcs() == expected


def test_an_interrupt_right_after_the_commit_undoes_nothing(bundled: Path) -> None:
    """The signal comes while COMMIT returns; the recording is there with all its bytes."""
    script = (
        "import apsw, signal, sys\n"
        "from pathlib import Path\n"
        "from campaigns import open_fixed\n"
        "armed = []\n"
        "def after_commit(connection, name, pages):\n"
        "    if armed:\n"
        "        armed.clear()\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "    return apsw.SQLITE_OK\n"
        "with open_fixed(Path('.')) as campaign:\n"
        "    for connection in apsw.connections():\n"
        "        connection.set_wal_hook(after_commit)\n"
        "    armed.append(True)\n"
        "    try:\n"
        "        campaign.record('sessions/session-01.json')\n"
        "    except KeyboardInterrupt:\n"
        "        sys.exit(42)\n"
    )
    result = run_python(["-c", script], cwd=bundled)
    assert result.code == 42, result.err
    assert talebearer_here("doctor", cwd=bundled).code == 0
    again = talebearer_here("record", "sessions/session-01.json", "--json", cwd=bundled)
    assert again.json["already"]


@pytest.mark.parametrize("damage", ["missing", "changed"])
def test_recording_again_heals_damaged_bytes(recorded: Path, damage: str) -> None:
    blobs = [path for path in (recorded / "artifacts" / "objects").rglob("*") if path.is_file()]
    for blob in blobs:
        blob.chmod(0o600)
        if damage == "missing":
            blob.unlink()
        else:
            blob.write_bytes(b"something else")
    assert talebearer_here("doctor", cwd=recorded).code == 1
    for name in ("session-01.json", "session-02.vtt"):
        result = talebearer_here("record", f"sessions/{name}", cwd=recorded)
        assert result.code == 0, result.err
    assert talebearer_here("doctor", cwd=recorded).code == 0
