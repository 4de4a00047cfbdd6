"""A pack on disk: whole, with its digest, and only from content without errors."""

import shutil
import subprocess
from pathlib import Path

import generated_content
import pytest

from talebearer.content import build, compile_content
from talebearer.errors import InvalidContent, findings_content
from talebearer.lines import load_pack

SMALL = Path(__file__).parents[2] / "fixtures" / "content" / "small" / "content"
FAULTS = SMALL.parents[1] / "five-faults" / "content"
POOL = "campaigns/mire/dialogue/the-quay/bram-holt.yaml"


@pytest.mark.spec("LP-11-pack-bytes")
def test_the_pack_and_its_digest_are_put_side_by_side(tmp_path):
    output = tmp_path / "game" / "lines.json"
    built = build(SMALL, output)
    assert output.read_bytes() == built.data == compile_content(SMALL).data
    assert (built.pools, built.lines, built.is_written) == (4, 5, True)
    assert load_pack(output.read_bytes()).digest == built.digest
    subprocess.run(["sha256sum", "--check", "--strict", "lines.json.sha256"], cwd=output.parent,
                   check=True, capture_output=True)  # fmt: skip


def test_the_same_bytes_are_not_written_again(tmp_path):
    output = tmp_path / "lines.json"
    build(SMALL, output)
    before = output.stat()
    built = build(SMALL, output, cache=tmp_path / "cache")
    assert not built.is_written
    assert output.stat().st_mtime_ns == before.st_mtime_ns


def test_nothing_is_written_over_errors(tmp_path):
    output = tmp_path / "lines.json"
    output.write_bytes(b"the old one")
    with pytest.raises(InvalidContent):
        build(FAULTS, output)
    assert [p.name for p in tmp_path.iterdir()] == ["lines.json"]
    assert output.read_bytes() == b"the old one"


def test_strict_lets_warnings_bar_the_pack(tmp_path):
    root = tmp_path / "content"
    shutil.copytree(SMALL, root)
    path = root / POOL
    text = path.read_text()
    path.write_text(text.replace("fact_id: ferry.runs_at_night", "fact_id: ferry.nix"))
    build(root, tmp_path / "lines.json")
    with pytest.raises(InvalidContent, match=r"ferry\.nix"):
        build(root, tmp_path / "strict.json", strict=True)
    assert not (tmp_path / "strict.json").exists()


@pytest.mark.spec("LP-5.4-id-stability")
def test_a_text_with_a_new_id_is_reported_against_the_pack_before(tmp_path):
    root, output = tmp_path / "content", tmp_path / "lines.json"
    shutil.copytree(SMALL, root)
    build(root, output)
    path = root / POOL
    text = path.read_text()
    path.write_text(text.replace("bram-holt_d_001", "bram-holt_d_007"))
    found = build(root, output).problems
    renamed = [p for p in found if p.code == findings_content.RENAMED_LINE]
    assert [str(p.where) for p in renamed] == [f"content/{POOL}:5:9"]
    assert (renamed[0].severity, renamed[0].hint) == ("warning", "aliases: [bram-holt_d_001]")


@pytest.mark.spec("LP-5.4-id-stability")
def test_an_alias_answers_for_the_old_id(tmp_path):
    root, output = tmp_path / "content", tmp_path / "lines.json"
    shutil.copytree(SMALL, root)
    build(root, output)
    path = root / POOL
    new = "bram-holt_d_007\n    aliases: [bram-holt_d_001]"
    path.write_text(path.read_text().replace("bram-holt_d_001", new))
    assert findings_content.RENAMED_LINE not in [p.code for p in build(root, output).problems]


def test_what_lay_there_may_be_anything(tmp_path):
    output = tmp_path / "lines.json"
    for junk in (b"{}", b"[1]", b'{"pools": [{"path": 1}]}', b"\xff"):
        output.write_bytes(junk)
        assert build(SMALL, output).is_written


@pytest.mark.slow
@pytest.mark.spec("LP-10-volume")
def test_content_of_the_specification_s_volume_is_one_pack(tmp_path):
    """How long it takes is measured by `make bench`."""
    generated_content.write(tmp_path / "content", 12_000)
    built = build(tmp_path / "content", tmp_path / "pack.json")
    assert (built.lines, built.pools) == (12_000, 24)
    assert [str(p) for p in built.problems if p.severity != "note"] == []
