"""Recording: once, twice, again with other bytes, and with everything that can be wrong."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from campaigns import MEETING, create_fixed, open_fixed, run_python, seriatim, talebearer_here

from talebearer.errors import AlreadyRecorded


def _write(folder: Path, *lines: tuple[str, str], name: str = "one.json") -> Path:
    path = folder / name
    path.write_text(seriatim(*lines), encoding="utf-8")
    return path


@pytest.mark.spec("NI-E7-draft")
def test_an_occurrence_cites_the_units_that_prove_it(tmp_path: Path) -> None:
    path = _write(tmp_path, *MEETING)
    with create_fixed(tmp_path / "c") as campaign:
        recording = campaign.record(path)
        assert recording.session == "one"
        assert recording.npcs == ("Berra Quist",)
        (dialogue,) = [item for item in recording.occurrences if item.kind == "dialogue"]
        assert dialogue.slug == "berra-quist"
        assert dialogue.draft
        texts = {quote.unit_id: quote.text for quote in dialogue.quotes}
        assert all(texts[unit] == MEETING[unit - 1][1] for unit in texts)
        assert all(quote.time for quote in dialogue.quotes)
        recollection = campaign.recall("berra quist")
        assert [view.state for view in recollection.interactions] == ["completed"]
        assert recollection.interactions[0].id == "interaction.berra-quist_001"
        assert recollection.relationship == "known"


@pytest.mark.spec("IM-M13-same-bytes")
def test_the_same_bytes_again_change_nothing(tmp_path: Path) -> None:
    path = _write(tmp_path, *MEETING)
    with create_fixed(tmp_path / "c") as campaign:
        first = campaign.record(path)
        log = campaign.timeline()
        again = campaign.record(path)
        assert again.already
        assert not first.already
        assert again.occurrences == first.occurrences
        assert campaign.timeline() == log


def test_the_same_bytes_under_another_id_are_refused(tmp_path: Path) -> None:
    path = _write(tmp_path, *MEETING)
    with create_fixed(tmp_path / "c") as campaign:
        campaign.record(path)
        with pytest.raises(AlreadyRecorded, match="recorded as session 'one'"):
            campaign.record(path, session="two")


@pytest.mark.spec("IM-M13-recorded-again")
def test_other_bytes_under_the_same_id_are_refused_and_replace_takes_their_place(
    tmp_path: Path,
) -> None:
    """A kept occurrence keeps its number; a number that vanished is not given again."""
    with create_fixed(tmp_path / "c") as campaign:
        campaign.record(_write(tmp_path, *MEETING))
        target = "npc:berra-quist"
        (number_one,) = campaign.graph().interaction_ids_with(target)
        talk = campaign.talk("berra-quist")
        talk.walk_away()
        moved = (("GM", "You wake up late, and it is raining."), *MEETING)
        path = _write(tmp_path, *moved)
        with pytest.raises(AlreadyRecorded):
            campaign.record(path)
        recording = campaign.record(path, replace=True)
        assert recording.replaced
        ids = campaign.graph().interaction_ids_with(target)
        # The moved passage is another occurrence; 002 was given to the live conversation.
        assert number_one not in ids
        assert set(ids) == {"interaction.berra-quist_002", "interaction.berra-quist_003"}
        assert campaign.recall("berra-quist").walked_away
        assert campaign.doctor().faults == ()
        unchanged = campaign.record(path, replace=True)
        assert unchanged.occurrences == recording.occurrences
        assert campaign.graph().interaction_ids_with(target) == ids


def test_a_recording_does_not_touch_a_live_conversation(tmp_path: Path) -> None:
    with create_fixed(tmp_path / "c") as campaign:
        campaign.record(_write(tmp_path, *MEETING))
        talk = campaign.talk("berra-quist")
        other = _write(tmp_path, ("GM", "A quiet night."), *MEETING, name="two.json")
        campaign.record(other)
        assert talk.state == "active"
        assert campaign.graph().in_progress_id == talk.interaction
        assert talk.complete().state == "completed"
        assert campaign.doctor().faults == ()


@pytest.mark.spec("NI-roster-unknown-label")
def test_unknown_speakers_are_shown_with_their_longest_utterances(tmp_path: Path) -> None:
    lines = (
        *MEETING,
        ("Zed", "Short."),
        ("Zed", "A rather long thing to say about tea, all in all."),
        ("Zed", "Middling, this."),
        ("Zed", "Also middling one."),
    )
    _write(tmp_path, *lines)
    create_fixed(tmp_path / "c").close()
    result = talebearer_here("record", "../one.json", cwd=tmp_path / "c")
    assert result.code == 0, result.err
    assert "unknown speaker 'Zed', 4 units" in result.out
    assert "A rather long thing to say about tea" in result.out
    assert "Short." not in result.out.split("NPCs found")[0]
    assert "talebearer speakers" in result.out


def test_times_are_shown_where_the_source_has_them(recorded: Path) -> None:
    result = talebearer_here("recall", "Jorik", cwd=recorded)
    assert result.code == 0, result.err
    assert "[1:" in result.out


BAD_FILES = {
    "empty.json": (b"", "empty"),
    "binary.json": (b"\x00\x01\x02\xff" * 50, "binary"),
    "cut.json": (seriatim(*MEETING).encode()[:-40], "cut"),
    "blank.txt": (b"  \n \n", "empty"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_file_that_is_no_transcript_is_refused(tmp_path: Path, name: str) -> None:
    data, _ = BAD_FILES[name]
    (tmp_path / name).write_bytes(data)
    create_fixed(tmp_path / "c").close()
    result = talebearer_here("record", f"../{name}", cwd=tmp_path / "c")
    assert result.code == 2
    assert "TB103" in result.err
    assert name.partition(".")[0] in result.err
    assert "hint:" in result.err
    assert talebearer_here("npcs", "--json", cwd=tmp_path / "c").json == {"npcs": []}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    create_fixed(tmp_path / "c").close()
    result = talebearer_here("record", "nowhere.json", cwd=tmp_path / "c")
    assert result.code == 2
    assert "TB103" in result.err
    assert "nowhere.json" in result.err


def test_a_file_above_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(65 * 1024 * 1024)  # sparse: reading it would show in the time, not on disk
    create_fixed(tmp_path / "c").close()
    result = talebearer_here("record", "../huge.json", cwd=tmp_path / "c")
    assert result.code == 2
    assert "TB104" in result.err
    assert "--max-size" in result.err


@pytest.mark.spec("NI-E1-session-id")
def test_a_session_id_cannot_leave_the_campaign(tmp_path: Path) -> None:
    path = _write(tmp_path, *MEETING)
    create_fixed(tmp_path / "c").close()
    result = talebearer_here("record", str(path), "--session", "../../evil", cwd=tmp_path / "c")
    assert result.code == 2
    assert "TB109" in result.err


def test_an_unknown_name_suggests_the_nearest(recorded: Path) -> None:
    result = talebearer_here("recall", "Malis Brandt", "--json", cwd=recorded)
    assert result.code == 2
    assert result.json["error"]["code"] == "TB105"
    assert "Maelis Brandt" in result.json["error"]["hint"]


def test_a_folder_without_a_campaign_is_refused(tmp_path: Path) -> None:
    result = talebearer_here("npcs", cwd=tmp_path)
    assert result.code == 2
    assert "TB108" in result.err
    assert "talebearer init" in result.err


@pytest.mark.spec("KM-S7-readers")
def test_a_second_writer_is_refused_and_a_reader_is_not(recorded: Path) -> None:
    with open_fixed(recorded):
        writer = talebearer_here("record", "sessions/session-01.json", cwd=recorded)
        reader = talebearer_here("npcs", "--json", cwd=recorded)
    assert writer.code == 3
    assert "TB203" in writer.err
    assert reader.code == 0, reader.err
    assert reader.json["npcs"]


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    create_fixed(tmp_path / "c").close()
    database = tmp_path / "c" / "talebearer.db"
    for extra in tmp_path.joinpath("c").glob("talebearer.db*"):
        extra.unlink()
    database.write_bytes(b"not a database at all, but somebody's notes " * 40)
    before = database.read_bytes()
    result = talebearer_here("npcs", cwd=tmp_path / "c")
    assert result.code == 3
    assert "TB202" in result.err
    assert database.read_bytes() == before


def test_a_newer_schema_is_refused_with_both_numbers(tmp_path: Path) -> None:
    import apsw

    create_fixed(tmp_path / "c").close()
    connection = apsw.Connection(str(tmp_path / "c" / "talebearer.db"))
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    result = talebearer_here("npcs", cwd=tmp_path / "c")
    assert result.code == 3
    assert "TB201" in result.err
    assert "99" in result.err
    assert "11" in result.err


@pytest.mark.parametrize("kibibytes", [16, 64, 128])
def test_a_full_disk_stores_nothing_and_the_next_run_completes(
    bundled: Path, kibibytes: int
) -> None:
    """No file may grow beyond a limit: it hits the transcript's bytes first, or the database."""
    open_fixed(bundled).close()
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"limit = {kibibytes} * 1024\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))\n"
        "sys.argv = ['talebearer', 'record', 'sessions/session-01.json', '--json']\n"
        "from talebearer.cli import main\n"
        "main()\n"
    )
    result = run_python(["-c", script], cwd=bundled)
    assert result.code == 3, result.err
    assert result.json["error"]["code"] == "TB206"
    assert talebearer_here("npcs", "--json", cwd=bundled).json == {"npcs": []}
    again = talebearer_here("record", "sessions/session-01.json", "--json", cwd=bundled)
    assert again.code == 0, again.err
    assert not again.json["already"]
    assert len(again.json["occurrences"]) > 20
    assert talebearer_here("doctor", cwd=bundled).code == 0


@pytest.mark.spec("KM-S6-derived-ids")
@pytest.mark.spec("KM-S6-provenance")
def test_the_store_holds_the_chain_under_derived_ids(tmp_path: Path) -> None:
    from talebearer.store import EntityRef, Store, campaign_meta

    path = _write(tmp_path, *MEETING)
    with create_fixed(tmp_path / "c") as campaign:
        recording = campaign.record(path)
        (dialogue,) = [item for item in recording.occurrences if item.kind == "dialogue"]
    meta = campaign_meta("c")
    with Store.open(
        tmp_path / "c" / "talebearer.db",
        artifacts=tmp_path / "c" / "artifacts",
        now_ms=lambda: 0,
        new_id=lambda: "unused",
        read_only=True,
    ) as store:
        assert store.download(meta, "transcript:one") == path.read_bytes()
        for entity_id in ("registry:one", "interactions:one"):
            assert store.read(meta, EntityRef("artifact", entity_id)).state == "active"
        items = json.loads(store.download(meta, "interactions:one"))["interactions"]
        (item,) = [item for item in items if item["kind"] == "dialogue"]
        plain = json.dumps(item, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256(plain.encode()).hexdigest()
        assert dialogue.id == f"occurrence:one:{digest[:16]}"
        occurrence = store.read(meta, EntityRef("knowledge", dialogue.id)).value
        cited = [(ref["id"], ref["role"]) for ref in occurrence["artifact"]]
        assert cited == [("transcript:one", "source"), ("interactions:one", "source")]
        assert occurrence["metadata"]["extensions"]["talebearer.extraction"]["draft"]
        event = f"event:party:session:one:{_first_sequence(store, meta, dialogue.id)}"
        relation = store.read(meta, EntityRef("knowledge_relation", f"derived_from:{event}")).value
        assert relation["type"] == "derived_from"
        assert [end["id"] for end in relation["from"] + relation["to"]] == [event, dialogue.id]


def _first_sequence(store: Any, meta: Any, occurrence: str) -> int:
    """Return the sequence of the first event that the occurrence gave."""
    values = [
        version.value["content"]["value"]
        for version in store.list(meta, "knowledge", id_prefix="event:party:")
    ]
    return min(
        value["sequence"] for value in values if value["provenance"]["occurrence"] == occurrence
    )


def test_a_recording_that_fails_leaves_nothing_in_memory_either(bundled: Path) -> None:
    """In one process: the disk fills up, is freed, and the campaign knows nothing of the attempt."""
    script = (
        "import resource, signal\n"
        "from pathlib import Path\n"
        "from campaigns import open_fixed\n"
        "from talebearer.errors import StoreFull\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "with open_fixed(Path('.')) as campaign:\n"
        "    infinity = resource.RLIM_INFINITY\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (128 * 1024, infinity))\n"
        "    try:\n"
        "        campaign.record('sessions/session-01.json')\n"
        "    except StoreFull:\n"
        "        pass\n"
        "    else:\n"
        "        raise SystemExit('it was stored')\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (infinity, infinity))\n"
        "    assert campaign.sessions() == ()\n"
        "    assert list(campaign.graph().facts) == []\n"
        "    assert list(Path('transcripts').glob('*')) == []\n"
        "    campaign.talk('Maelis').walk_away()\n"
        "    campaign.record('sessions/session-01.json')\n"
        "    ids = campaign.graph().interaction_ids_with('npc:maelis-brandt')\n"
        "    assert sorted(ids) == [f'interaction.maelis-brandt_00{n}' for n in (1, 2)], ids\n"
        "    assert campaign.doctor().faults == ()\n"
    )
    result = run_python(["-c", script], cwd=bundled)
    assert result.code == 0, result.err


@pytest.mark.spec("IM-M12-session-ticks")
def test_a_session_has_a_place_of_its_own_whatever_campaign_toml_says_later(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    first = _write(tmp_path, *MEETING, name="a.json")
    second = _write(tmp_path, ("GM", "Rain."), *MEETING, name="b.json")
    third = _write(tmp_path, ("GM", "Snow."), *MEETING, name="d.json")
    with create_fixed(folder) as campaign:
        assert campaign.record(first).base_tick == 10_000_000
    settings = folder / "campaign.toml"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("sessions = []", 'sessions = ["b", "d", "a"]'))
    with open_fixed(folder) as campaign:
        assert campaign.record(second).base_tick == 40_000_000, "place 1 is taken"
        assert campaign.record(third).base_tick == 20_000_000
        assert [record.id for record in campaign.sessions()] == ["a", "d", "b"]
        assert campaign.doctor().faults == ()


def test_a_replacement_that_fails_leaves_the_former_files(tmp_path: Path) -> None:
    from talebearer.errors import UsageFault

    path = _write(tmp_path, *MEETING)
    with create_fixed(tmp_path / "c") as campaign:
        campaign.record(path)
    copies = tmp_path / "c" / "transcripts"
    before = {file.name: file.read_bytes() for file in copies.iterdir()}
    other = tmp_path / "one.txt"
    other.write_text("".join(f"{who}: {text}\n" for who, text in MEETING), encoding="utf-8")
    with open_fixed(tmp_path / "c", read_only=True) as campaign, pytest.raises(UsageFault):
        campaign.record(other, replace=True)
    assert {file.name: file.read_bytes() for file in copies.iterdir()} == before
    with open_fixed(tmp_path / "c") as campaign:
        campaign.record(other, replace=True)
    assert [file.name for file in copies.iterdir()] == ["one.txt"], "the former copy is gone"


def test_two_names_of_one_profile_keep_its_slug(bundled: Path) -> None:
    """The profile's alias is dropped later; whoever had the slug keeps it."""
    scene = (
        ("GM", "The man at the desk is Odo Renn. Odo says, “Next.”"),
        ("Ana", "Odo, good morning."),
        ("GM", "“It is not,” Odo says."),
    )
    path = bundled / "odd.json"
    path.write_text(seriatim(*scene), encoding="utf-8")
    with open_fixed(bundled) as campaign:
        campaign.record(path)
        assert campaign.recall("Odo Renn").slug == "odo-renn"
    profile = bundled / "content" / "global" / "npcs" / "odo-renn.yaml"
    text = profile.read_text(encoding="utf-8")
    profile.write_text(text.replace("name: Odo Renn", "name: Odo the Clerk"), encoding="utf-8")
    with open_fixed(bundled, read_only=True) as campaign:
        assert campaign.recall("Odo Renn").slug == "odo-renn"
        assert (
            campaign.recall("Odo the Clerk").interactions
            == campaign.recall("odo-renn").interactions
        )


def test_a_fault_in_a_pool_does_not_stop_recording_or_recalling(bundled: Path) -> None:
    pool = next((bundled / "content").rglob("dialogue/the-gilded-eel/maelis-brandt.yaml"))
    pool.write_text("location: [\n", encoding="utf-8")
    recorded = talebearer_here("record", "sessions/session-01.json", "--json", cwd=bundled)
    assert recorded.code == 0, recorded.out
    assert (
        talebearer_here("recall", "Maelis", "--json", cwd=bundled).json["slug"] == "maelis-brandt"
    )
    doctor = talebearer_here("doctor", "--json", cwd=bundled)
    assert doctor.code == 1
    assert "maelis-brandt.yaml" in doctor.json["faults"][0]
    assert talebearer_here("talk", "Maelis", cwd=bundled).code == 2


def test_an_unknown_provider_is_told_also_for_a_recorded_file(recorded: Path) -> None:
    result = talebearer_here(
        "record", "sessions/session-01.json", "--provider", "ruels", cwd=recorded
    )
    assert result.code == 4
    assert "TB301" in result.err
    assert "did you mean rules?" in result.err


def test_a_lost_copy_of_a_transcript_is_put_back(recorded: Path) -> None:
    copy = recorded / "transcripts" / "session-01.json"
    data = copy.read_bytes()
    copy.unlink()
    assert talebearer_here("record", "sessions/session-01.json", cwd=recorded).code == 0
    assert copy.read_bytes() == data


@pytest.mark.spec("NI-E1-several-sources")
def test_a_session_in_several_files_is_one_source_with_one_proof(tmp_path: Path) -> None:
    half = len(MEETING) // 2
    parts = [
        _write(tmp_path, *MEETING[:half], name="evening-1.json"),
        _write(tmp_path, *MEETING[half:], name="evening-2.json"),
    ]
    folder = tmp_path / "c"
    create_fixed(folder).close()
    files = [path.as_posix() for path in parts]
    result = talebearer_here("record", *files, "--session", "s1", "--json", cwd=folder)
    assert result.code == 0, result.err
    assert (result.json["session"], result.json["file"]) == ("s1", "s1.json")
    assert result.json["unit_count"] == len(MEETING)
    quoted = {quote["text"] for item in result.json["occurrences"] for quote in item["quotes"]}
    assert quoted & {text for _, text in MEETING[half:]}
    assert (folder / "transcripts" / "s1.json").exists()
    again = talebearer_here("record", *files, "--session", "s1", "--json", cwd=folder)
    assert again.json["already"]
    turned = talebearer_here("record", *files[::-1], "--session", "s1", cwd=folder)
    assert "TB112" in turned.err
    assert talebearer_here("estimate", *files, cwd=folder).code == 0


def _captions(*pairs: tuple[int, str]) -> str:
    cues = (f"00:{at:02}.000 --> 00:{at + 1:02}.000\n{text}\n" for at, text in pairs)
    return "WEBVTT\n\n" + "\n".join(cues)


@pytest.mark.spec("NI-E1-source-files")
@pytest.mark.parametrize("by_files", [False, True])
def test_a_folder_of_tracks_is_recorded_by_one_command(tmp_path: Path, by_files: bool) -> None:
    """The manifest lists each file with its digest, and why says in which of them it was said."""
    folder = tmp_path / "evening"
    folder.mkdir()
    told = [(at * 2, text) for at, (who, text) in enumerate(MEETING) if who == "GM"]
    played = [(at * 2, text) for at, (who, text) in enumerate(MEETING) if who != "GM"]
    (folder / "info.txt").write_text("Recording abc\n\nTracks:\n\tGM#0 (1)\n\tAna#0 (2)\n")
    (folder / "1-gm.vtt").write_text(_captions(*told), encoding="utf-8")
    (folder / "2-ana.vtt").write_text(_captions(*played), encoding="utf-8")
    create_fixed(tmp_path / "c").close()
    named = sorted(path.as_posix() for path in folder.iterdir()) if by_files else [str(folder)]
    done = talebearer_here("record", *named, "--json", cwd=tmp_path / "c")
    assert done.code == 0, done.err
    assert (done.json["session"], done.json["format"]) == ("evening", "craig")
    assert done.json["speakers"] == ["GM", "Ana"]
    assert done.json["unit_count"] == len(MEETING)
    path = tmp_path / "c" / "runs" / "evening.manifest.json"
    listed = {one["file"]: one["digest"] for one in json.loads(path.read_text())["source"]["files"]}
    assert listed == {
        path.name: "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
    }
    shown = talebearer_here("why", done.json["occurrences"][0]["id"], "--json", cwd=tmp_path / "c")
    units = shown.json["children"][0]["children"]
    assert units
    assert all(one["text"].rpartition(" (")[2].startswith(("1-gm.", "2-ana.")) for one in units)
