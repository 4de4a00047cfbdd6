"""A new name everywhere, and saves that know the old one."""

from __future__ import annotations

from pathlib import Path

import pytest

from talebearer.content import compile_content, lint, read_plans
from talebearer.content.editing import rename, write_changes
from talebearer.errors import EditRefused, UnknownReference, UsageFault, findings_content
from talebearer.lines import Scene, Selector, load_pack
from talebearer.memory import Event, Mind
from talebearer.vocabulary import EventKind

ODO = """\
# Odo, at the window
location: quay   # where
role: clerk
lines:
  - id: odo_d_001
    text: 'npc:odo says sea.deep.'   # prose stays
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
    cooldown: 500
    prerequisites: {not: {facts: [{fact_id: sea.deep, absent: true}]}}
  - id: odo_d_002
    text: "Two."
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
    once: pair
    prerequisites:
      reply_to: {line: odo_d_001}
      interaction: {target: npc:odo}
    effects:
      - grant: {fact_id: sea.deep, confidence: knows_of}
  - id: odo_d_004
    text: Four.
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
    once: pair
"""
BRAM = """\
location: quay
role: smith
lines:
  - id: bram_d_001
    text: "Odo said it."
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
    prerequisites:
      any_of:
        - reply_to: {line: quay/odo#odo_d_001}
        - reply_to: {character: odo}
"""
PLAN = """\
defaults: {location: quay, access: public, trust: surface, situations: [social]}
cases:
  - name: sea.deep  # prose stays
    given:
      facts: [{fact_id: sea.deep, confidence: direct}]
      heard: [{line: quay/odo#odo_d_002, speaker: odo, tick: 0}]
    speaker: odo
    says: odo_d_001
    dropped: {odo_d_002: prerequisites}
"""
FILES = {
    "m/dialogue/quay/odo.yaml": ODO,
    "m/dialogue/quay/bram.yaml": BRAM,
    "m/dialogue/quay/odo.plan.yaml": PLAN,
    "m/monologue/detective/quay.yaml": "character: detective\nlocation: quay\nlines: []\n",
    "global/npcs/odo.yaml": "# him\nname: Odo\nrole: clerk\nlocation: quay\n",
    "global/knowledge/sea.yaml": (
        'category: sea\nfacts:\n  # how deep\n  - id: sea.deep\n    description: "Deep."\n'
    ),
}


def renamed(root: Path, kind: str, old: str, new: str) -> dict[str, str]:
    """Rename, write, check that lint and the plans take it, and return all files."""
    write_changes(rename(root, kind, old, new).changes)
    assert [p for p in lint(root) if p.severity == "error"] == []
    pack = load_pack(compile_content(root).data)
    assert [p for p in read_plans(root, pack).problems if p.severity == "error"] == []
    return {p.relative_to(root).as_posix(): p.read_text() for p in sorted(root.rglob("*.yaml"))}


@pytest.mark.spec("LP-8.3-rename")
def test_a_fact_is_renamed_wherever_it_is_named_and_nothing_else_changes(tree) -> None:
    found = renamed(tree(FILES), "fact", "sea.deep", "sea.bottomless")
    for name, text in FILES.items():
        wanted = text.replace("fact_id: sea.deep", "fact_id: sea.bottomless")
        entry = "id: sea.bottomless\n    formerly: [sea.deep]\n"
        assert found[name] == wanted.replace("id: sea.deep\n", entry)


@pytest.mark.spec("LP-8.3-rename")
def test_a_line_is_renamed_and_its_answers_and_plans_follow(tree) -> None:
    found = renamed(tree(FILES), "line", "odo_d_001", "odo_d_009")
    assert found["m/dialogue/quay/odo.yaml"] == ODO.replace(
        "id: odo_d_001\n", "id: odo_d_009\n    aliases: [odo_d_001]\n"
    ).replace("{line: odo_d_001}", "{line: odo_d_009}")
    assert found["m/dialogue/quay/bram.yaml"] == BRAM.replace("odo_d_001", "odo_d_009")
    assert found["m/dialogue/quay/odo.plan.yaml"] == PLAN.replace("odo_d_001", "odo_d_009")


@pytest.mark.spec("LP-8.3-rename")
def test_a_character_s_files_and_references_are_renamed(tree) -> None:
    found = renamed(tree(FILES), "npc", "odo", "odo-renn")
    assert sorted(set(FILES) ^ set(found)) == [
        "global/npcs/odo-renn.yaml",
        "global/npcs/odo.yaml",
        "m/dialogue/quay/odo-renn.plan.yaml",
        "m/dialogue/quay/odo-renn.yaml",
        "m/dialogue/quay/odo.plan.yaml",
        "m/dialogue/quay/odo.yaml",
    ]
    assert found["global/npcs/odo-renn.yaml"] == (
        "# him\nname: Odo\nformerly: [odo]\nrole: clerk\nlocation: quay\n"
    )
    assert found["m/dialogue/quay/odo-renn.yaml"] == ODO.replace(
        "role: clerk\nlines", "role: clerk\nformerly: [m/dialogue/quay/odo]\nlines"
    ).replace("target: npc:odo", "target: npc:odo-renn")
    assert found["m/dialogue/quay/bram.yaml"] == BRAM.replace(
        "quay/odo#", "quay/odo-renn#"
    ).replace("character: odo", "character: odo-renn")
    assert found["m/dialogue/quay/odo-renn.plan.yaml"] == PLAN.replace(
        "quay/odo#", "quay/odo-renn#"
    ).replace("speaker: odo", "speaker: odo-renn")


@pytest.mark.spec("LP-8.3-rename")
def test_a_location_s_folders_files_and_references_are_renamed(tree) -> None:
    root = tree(FILES)
    found = renamed(root, "location", "quay", "moor")
    assert not (root / "m/dialogue/quay").exists()
    assert "location: moor   # where\n" in found["m/dialogue/moor/odo.yaml"]
    assert "formerly: [m/dialogue/quay/odo]\n" in found["m/dialogue/moor/odo.yaml"]
    assert "line: moor/odo#odo_d_001" in found["m/dialogue/moor/bram.yaml"]
    assert "formerly: [m/monologue/detective/quay]" in found["m/monologue/detective/moor.yaml"]
    assert "location: moor" in found["global/npcs/odo.yaml"]
    assert "quay" not in found["m/dialogue/moor/odo.plan.yaml"]


def test_a_role_is_renamed_with_the_file_that_is_named_for_it(tree) -> None:
    clerk = ODO.replace("odo_d", "clerk_d").replace("odo_d_001", "clerk_d_001")
    found = renamed(tree({**FILES, "m/dialogue/quay/clerk.yaml": clerk}), "role", "clerk", "scribe")
    assert "role: clerk" not in "".join(found.values())
    assert "formerly: [m/dialogue/quay/clerk]" in found["m/dialogue/quay/scribe.yaml"]
    assert "role: scribe" in found["global/npcs/odo.yaml"]


@pytest.mark.spec("LP-8.3-rename-back")
@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("fact", "sea.deep", "sea.low"),
        ("line", "odo_d_001", "odo_d_005"),
        ("npc", "odo", "renn"),
        ("location", "quay", "moor"),
    ],
)
def test_a_rename_can_be_taken_back(tree, kind: str, old: str, new: str) -> None:
    root = tree(FILES)
    renamed(root, kind, old, new)
    found = renamed(root, kind, new, old)
    for name, text in FILES.items():
        rows = [
            row
            for row in found[name].split("\n")
            if "formerly:" not in row and "aliases:" not in row
        ]
        assert "\n".join(rows) == text


@pytest.mark.parametrize(
    ("kind", "old", "new", "error"),
    [
        ("fact", "sea.dep", "sea.low", UnknownReference),
        ("fact", "sea.deep", "Sea", UsageFault),
        ("fact", "sea.deep", "ship.sunk", UsageFault),
        ("line", "odo_d_003", "odo_d_004", UnknownReference),
        ("line", "odo_d_001", "odo_d_002", UsageFault),
        ("npc", "bram", "bram-holt", UnknownReference),
        ("npc", "odo", "bram", UsageFault),
        ("location", "moor", "mire", UnknownReference),
        ("location", "quay", "general", UsageFault),
        ("role", "priest", "monk", UnknownReference),
        ("role", "clerk", "smith", UsageFault),
        ("word", "a", "b", UsageFault),
    ],
)
def test_a_rename_that_cannot_be_is_refused(
    tree, kind: str, old: str, new: str, error: type
) -> None:
    with pytest.raises(error):
        rename(tree(FILES), kind, old, new)


def test_files_with_faults_are_all_named_before_anything_is_renamed(tree) -> None:
    root = tree(
        {**FILES, "global/state.yaml": "a: [\n", "global/npcs/x.yaml": "name: &a X\nb: *a\n"}
    )
    with pytest.raises(EditRefused, match=r"global/npcs/x\.yaml, content/global/state\.yaml"):
        rename(root, "fact", "sea.deep", "sea.low")


@pytest.mark.parametrize(
    ("link", "kind", "old", "new", "error"),
    [
        ("global/npcs/zed.yaml", "npc", "odo", "zed", UsageFault),
        ("m/dialogue/moor", "location", "quay", "moor", EditRefused),
    ],
)
def test_nothing_is_renamed_through_a_link_out_of_the_folder(
    tree, tmp_path: Path, link: str, kind: str, old: str, new: str, error: type
) -> None:
    root, outside = tree(FILES), tmp_path / "outside"
    outside.mkdir()
    (root / link).symlink_to(outside if kind == "location" else outside / "zed.yaml")
    with pytest.raises(error):
        rename(root, kind, old, new)
    assert not [*outside.iterdir()]


# --- saves -------------------------------------------------------------------------------------


def played(tick: int) -> Mind:
    """Return a mind that knows the sea and heard two of Odo's lines at *tick*, saved and loaded."""
    mind = Mind("party")
    told = {"fact_id": "sea.deep", "confidence": "suspects", "source": {"kind": "background"}}
    lines = [
        {"pool": "m/dialogue/quay/odo", "line": f"odo_d_00{n}", "speaker": "odo"} for n in (1, 4)
    ]
    things = [(EventKind.FACT_LEARNED, told), *((EventKind.LINE_FIRED, line) for line in lines)]
    for sequence, (kind, data) in enumerate(things, 1):
        mind.apply(Event(stream="live", sequence=sequence, tick=tick, kind=kind, data=data))
    return Mind.loads(mind.dumps())


def fates(root: Path, mind: Mind, npc: str, place: str, tick: int) -> dict[str, str | None]:
    """Return why each line of *npc* is not said to *mind*."""
    selector = Selector(load_pack(compile_content(root).data), mind, seed=1)
    scene = Scene(location=place, access="public", trust="surface", situations=("social",))
    verdicts = selector.explain_dialogue(npc, scene, tick=tick).verdicts
    return {verdict.line_id: verdict.dropped_by for verdict in verdicts}


@pytest.mark.spec("LP-8.3-former")
@pytest.mark.parametrize(
    ("known", "gate", "holds"),
    [
        ("sea.old", "{fact_id: sea.deep, min_confidence: suspects}", True),
        ("sea.old", "{fact_id: sea.deep, min_confidence: direct}", False),
        ("sea.old", "{fact_id: sea.deep, absent: true}", False),
        ("", "{fact_id: sea.deep, absent: true}", True),
        ("sea.old", "{fact_id: sea.deep, confidence: knows_of}", True),
        ("sea.deep", "{fact_id: sea.deep, confidence: knows_of}", True),
        ("sea.deep sea.old", "{fact_id: sea.deep, confidence: knows_of}", True),
        ("sea.old", "{fact_id: sea.deep, confidence: suspects}", False),
        ("sea.other", "{fact_id: sea.deep, min_confidence: suspects}", False),
    ],
)
def test_a_gate_counts_what_is_known_under_a_former_id(
    tree, known: str, gate: str, holds: bool
) -> None:
    pool = ODO.replace(
        "{not: {facts: [{fact_id: sea.deep, absent: true}]}}", f"{{facts: [{gate}]}}"
    )
    facts = FILES["global/knowledge/sea.yaml"].replace(
        "id: sea.deep", "id: sea.deep\n    formerly: [sea.old]"
    )
    root = tree({**FILES, "m/dialogue/quay/odo.yaml": pool, "global/knowledge/sea.yaml": facts})
    mind = Mind("party")
    for sequence, fact in enumerate(known.split(), 1):
        data = {"fact_id": fact, "confidence": "knows_of", "source": {"kind": "background"}}
        event = Event(
            stream="live", sequence=sequence, tick=0, kind=EventKind.FACT_LEARNED, data=data
        )
        mind.apply(event)
    assert (fates(root, mind, "odo", "quay", 0)["odo_d_001"] is None) is holds


@pytest.mark.spec("LP-8.3-former")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "m/dialogue/quay/odo.yaml",
            ODO.replace(
                "role: clerk\nlines", "role: clerk\nformerly: [m/dialogue/quay/bram]\nlines"
            ),
        ),
        ("global/npcs/odo.yaml", "name: Odo\nformerly: [odo]\n"),
        (
            "global/knowledge/sea.yaml",
            "category: sea\nfacts:\n"
            "  - {id: sea.deep, formerly: [sea.low], description: D.}\n"
            "  - {id: sea.high, formerly: [sea.low], description: H.}\n",
        ),
    ],
)
def test_a_former_name_that_something_else_has_is_an_error(tree, name: str, text: str) -> None:
    found = [p.code for p in lint(tree({**FILES, name: text})) if p.severity == "error"]
    assert found == [findings_content.ALIAS_TAKEN]


@pytest.mark.spec("LP-8.3-rename-saves")
@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("line", "odo_d_001", "odo_d_009"),
        ("npc", "odo", "renn"),
        ("location", "quay", "moor"),
        ("fact", "sea.deep", "sea.low"),
    ],
)
def test_a_save_keeps_cooldowns_once_and_facts_through_a_rename(
    tree, kind: str, old: str, new: str
) -> None:
    root = tree(FILES)
    mind = played(100)
    before = [fates(root, mind, "odo", "quay", tick) for tick in (300, 700)]
    renamed(root, kind, old, new)
    npc = new if kind == "npc" else "odo"
    place = new if kind == "location" else "quay"
    after = [fates(root, mind, npc, place, tick) for tick in (300, 700)]
    assert [[*one.values()] for one in after] == [[*one.values()] for one in before]
    assert [[*one.values()] for one in before] == [
        ["cooldown", "prerequisites", "once"],
        [None, "prerequisites", "once"],
    ]


def test_a_wrong_name_is_told_with_what_there_is(tree) -> None:
    root = tree({"global/npcs/odo.yaml": "name: Odo\n", "global/npcs/ada.yaml": "name: Ada\n"})
    with pytest.raises(UnknownReference, match="no npc is called 'nobody'") as unknown:
        rename(root, "npc", "nobody", "somebody")
    assert unknown.value.hint == "allowed: ada, odo"
    with pytest.raises(UsageFault, match="'Bad Name' is no name of an npc"):
        rename(root, "npc", "odo", "Bad Name")
