"""The canonical form: order, quotes, brackets, rows, and comments that stay with what they are about."""

from __future__ import annotations

from pathlib import Path

import pytest

from talebearer.content._tree import FileKind
from talebearer.content.editing import format_content, write_changes
from talebearer.content.editing._formatted import Formatted
from talebearer.errors import EditRefused, UsageFault, findings_content

POOL = "dialogue/quay/odo.yaml"
HEAD = "location: quay\nrole: clerk\nlines:\n"


def formatted(tree, name: str, text: str) -> str:
    """Return *text* as the file *name* after formatting; a second time changes nothing."""
    root = tree({name: text})
    found = format_content(root)
    assert found.problems == ()
    write_changes(found.changes)
    assert format_content(root).changes == ()
    return (root / name).read_bytes().decode()


@pytest.mark.spec("LP-8.3-fmt-form")
def test_a_line_is_written_in_one_way(tree) -> None:
    messy = (
        "lines:\n- tags: ['a',  b]\n  text: 'It''s deep.'\n  id: \"odo_d_001\"\n  access:\n"
        "    - public\n    - peer\n"
        "  prerequisites: {facts: [{min_confidence: suspects, fact_id: sea.deep}]}\n"
        "- {id: odo_d_002, text: A: b}\nrole: clerk\nlocation: quay"
    ).replace("A: b", "Aye")
    assert formatted(tree, POOL, messy) == (
        "location: quay\nrole: clerk\nlines:\n"
        '  - id: odo_d_001\n    text: "It\'s deep."\n    access: [public, peer]\n    tags: [a, b]\n'
        "    prerequisites: {facts: [{fact_id: sea.deep, min_confidence: suspects}]}\n\n"
        '  - id: odo_d_002\n    text: "Aye"\n'
    )


@pytest.mark.spec("LP-8.3-fmt-comments")
def test_comments_stay_with_what_they_are_about(tree) -> None:
    messy = (
        "# head\n\n# more head\nrole: clerk # the role\nlocation: quay\nlines:   # all of them\n"
        "# before one\n- text: One. # said low\n  # about the id\n  id: odo_d_001\n"
        "  # cooldown: 5\n# before two\n\n\n- # of two\n  id: odo_d_002\n  text: |  # long\n"
        "    a\n    b\n  access: [public, # everyone\n    peer]  # both\n# the end\n"
    )
    assert formatted(tree, POOL, messy) == (
        "# head\n\n# more head\nlocation: quay\nrole: clerk  # the role\nlines:  # all of them\n"
        '  # before one\n  # about the id\n  - id: odo_d_001\n    text: "One."  # said low\n'
        "    # cooldown: 5\n\n  # before two\n  # of two\n  - id: odo_d_002\n    text: |  # long\n"
        "      a\n      b\n    access:  # both\n      - public  # everyone\n      - peer\n# the end\n"
    )


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("no", '"no"'),
        ("'true'", '"true"'),
        ("'12'", '"12"'),
        ("2024-01-01", '"2024-01-01"'),
        ("'12:30'", '"12:30"'),
        ("'a: b'", '"a: b"'),
        ("a:b", "a:b"),
        ("'a #b'", '"a #b"'),
        ("npc:vesk", "npc:vesk"),
        ("'a, b'", "a, b"),
        ("12", "12"),
        ("1.50", "1.50"),
        ("true", "true"),
        ("''", '""'),
        ('"a\\tb"', '"a\\tb"'),
        ("'-'", '"-"'),
        (">-\n    two\n    rows", "two rows"),
        ('"a\\nb"', "|-\n    a\n    b"),
        ('"Caf\u00e9 \U0001f56f"', "Caf\u00e9 \U0001f56f"),
    ],
)
def test_a_value_is_plain_where_every_reader_takes_it_for_what_it_is(
    tree, written: str, canonical: str
) -> None:
    text = formatted(tree, "global/npcs/odo.yaml", f"name: Odo\nattributes:\n  it: {written}\n")
    assert text == f"name: Odo\nattributes:\n  it: {canonical}\n"


def test_lists_and_braces_open_up_when_they_no_longer_fit(tree) -> None:
    names = ", ".join(f"alias-number-{n:03}" for n in range(9))
    text = formatted(tree, "global/npcs/odo.yaml", f"name: Odo\naliases: [{names}]\n")
    assert text.count("\n  - alias-number-") == 9


def test_bytes_around_the_text_are_settled(tree) -> None:
    text = "\ufeff---\r\nname: Odo   \r\n\r\n\r\n\r\nrole: clerk\r\n...\r\n"
    assert formatted(tree, "global/npcs/odo.yaml", text) == "name: Odo\n\nrole: clerk\n"


@pytest.mark.spec("LP-8.3-fmt-left")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("name: &a Odo\n", findings_content.NOT_FORMATTED),
        ("name: !!str Odo\n", findings_content.NOT_FORMATTED),
        ("? [name]\n: Odo\n", findings_content.NOT_FORMATTED),
        ("name: [\n", findings_content.YAML_SYNTAX),
        ("name: Odo\nname: Renn\n", findings_content.DUPLICATE_KEY),
        (b"name: \xff\n", findings_content.NOT_UTF8),
        ("", findings_content.EMPTY_FILE),
    ],
)
def test_what_cannot_be_formatted_is_left_and_the_rest_is_formatted(tree, text, code) -> None:
    root = tree({"global/npcs/odo.yaml": text, "global/npcs/vesk.yaml": "name:   Vesk\n"})
    found = format_content(root)
    assert [(p.code, p.where.file) for p in found.problems] == [
        (code, "content/global/npcs/odo.yaml")
    ]
    assert found.problems[0].where.line is not None
    assert [change.name for change in found.changes] == ["content/global/npcs/vesk.yaml"]
    assert found.files == 2


def test_only_content_files_below_the_folder_are_touched(tree, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text("name:   Out\n")
    root = tree({"global/npcs/odo.yaml": "name:   Odo\n", "global/npcs/vesk.yaml": "name: Vesk\n"})
    (root / "global/npcs/out.yaml").symlink_to(outside)
    (root / "global/npcs/again.yaml").symlink_to(root / "global/npcs/odo.yaml")
    (root / "global/npcs/odo.yaml").chmod(0o600)
    found = format_content(root)
    assert len(found.changes) == 1
    write_changes(found.changes)
    assert outside.read_text() == "name:   Out\n"
    assert (root / "global/npcs/odo.yaml").read_text() == "name: Odo\n"
    assert (root / "global/npcs/odo.yaml").stat().st_mode & 0o777 == 0o600
    assert (root / "global/npcs/again.yaml").is_symlink()
    with pytest.raises(UsageFault, match="no content file"):
        format_content(root, only=[outside])


def test_a_file_that_changed_meanwhile_is_not_overwritten(tree) -> None:
    root = tree(
        {"global/npcs/odo.yaml": "name:   Odo\n", "global/npcs/vesk.yaml": "name:   Vesk\n"}
    )
    found = format_content(root)
    (root / "global/npcs/vesk.yaml").write_text("name: Somebody\n")
    with pytest.raises(EditRefused, match="has changed"):
        write_changes(found.changes)
    assert (root / "global/npcs/odo.yaml").read_text() == "name:   Odo\n"


@pytest.mark.spec("LP-8.3-fmt-memory")
def test_what_is_known_as_canonical_is_not_looked_at_again(tree, tmp_path: Path) -> None:
    messy = "location:   quay\nrole: clerk\nlines: []\n"
    root = tree({POOL: messy, "dialogue/quay/ada.yaml": f"{messy}\n\n"})
    told = Formatted(tmp_path / "cache")
    told.note(messy.encode(), FileKind.DIALOGUE)  # only a memory can say so
    told.keep()
    found = format_content(root, cache=tmp_path / "cache")
    assert [change.name for change in found.changes] == ["content/dialogue/quay/ada.yaml"]
    assert [change.name for change in format_content(root).changes] == [
        "content/dialogue/quay/ada.yaml",
        f"content/{POOL}",
    ]


@pytest.mark.spec("LP-8.3-fmt-memory")
def test_bytes_are_canonical_for_their_kind_of_file_only(tree, tmp_path: Path) -> None:
    text = 'location: quay\nrole: clerk\ntext: "Aye."\n'
    root = tree({POOL: text, "global/npcs/odo.yaml": text})
    both = format_content(root)
    write_changes(both.changes)
    moved = root / "dialogue/quay/ada.yaml"
    moved.write_bytes((root / "global/npcs/odo.yaml").read_bytes())
    cache = tmp_path / "cache"
    format_content(root, cache=cache)
    assert format_content(root, cache=cache) == format_content(root)


@pytest.mark.spec("LP-8.3-fmt-memory")
@pytest.mark.parametrize("damage", [b"", b"x", b"\n{}", None])
def test_a_damaged_memory_is_as_none(tree, tmp_path: Path, damage: bytes | None) -> None:
    root = tree(
        {POOL: HEAD + "  - id: odo_d_001\n    text: Aye.\n", "global/npcs/odo.yaml": "name: [\n"}
    )
    cache = tmp_path / "cache"
    plain = format_content(root)
    assert len(plain.changes) == len(plain.problems) == 1
    assert format_content(root, cache=cache) == plain
    kept = cache / "formatted.json"
    whole = kept.read_bytes()
    kept.write_bytes(whole[:-2] + b"0]}" if damage is None else damage)
    assert format_content(root, cache=cache) == plain
    assert kept.read_bytes() == whole


@pytest.mark.spec("LP-8.3-fmt-memory")
def test_a_run_over_some_files_forgets_none_of_the_others(tree, tmp_path: Path) -> None:
    root = tree({POOL: "location: quay\nrole: clerk\nlines: []\n", "dialogue/quay/ada.yaml": HEAD})
    cache = tmp_path / "cache"
    format_content(root, cache=cache)
    whole = (cache / "formatted.json").read_bytes()
    format_content(root, only=[root / POOL], cache=cache)
    assert (cache / "formatted.json").read_bytes() == whole
