"""The language server, as an editor sees it: a real process, the protocol over its pipes."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from campaigns import talebearer_here
from editors import Editor, find, where

from talebearer.content import lint
from talebearer.errors import CATALOGUE

SEVERITIES = {"error": 1, "warning": 2, "note": 3}
POOL = "m/dialogue/quay/odo.yaml"
FACTS = "global/knowledge/sea.yaml"
PLAN = "m/dialogue/quay/odo.plan.yaml"
FILES = {
    FACTS: (
        "category: sea\nfacts:\n"
        "  - id: sea.deep\n    description: The sea is deep.\n"
        "  - id: sea.cold\n    description: And cold.\n"
    ),
    "global/npcs/odo.yaml": "name: Odo Renn\nrole: clerk\nlocation: quay\n",
    "global/state.yaml": (
        "counters:\n  - {id: visits, scope: pair, description: How often she came.}\n"
        "timers:\n  - {id: toll, scope: world}\n"
        "values:\n  - {id: weather, scope: world, type: text}\n"
        "classes:\n  - {id: shout}\n"
    ),
    "global/conditions.yaml": (
        "conditions:\n  - id: met\n    description: They met.\n"
        "    when: {interaction: {target: npc:odo, state: walked_away}}\n"
    ),
    "global/enums/triggers.yaml": (
        "values:\n  - value: time_idle\n    description: Nothing happens.\n"
        "  - value: observe_npc\n    fields: [{name: item, type: text}]\n"
    ),
    POOL: """\
location: quay
role: clerk
lines:
  - id: odo_d_001
    text: "It is deep out there 😀, they say."
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
    tags: [sea]
    knowledge_grant: {fact_id: sea.deep, confidence: knows_of}
    effects: [{add: {counter: visits}}, {stamp: {timer: toll}}]
  - id: odo_d_002
    text: "Told you."
    role: clerk
    access: [public]
    trust: surface
    situation: [social]
    class: shout
    prerequisites:
      facts:
        - fact_id: "sea.deep"
          min_confidence: suspects
      reply_to: {line: odo_d_001}
      counters: [{counter: visits, ">=": 2}]
      conditions: [met]
""",
    "m/monologue/detective/quay.yaml": """\
character: detective
location: quay
lines:
  - id: pc_m_d_001
    text: "Hm."
    trigger: observe_npc
    prerequisites:
      event: {item: rope}
      relationship: {target: npc:odo, state: known}
""",
    PLAN: """\
cases:
  - name: She knows
    given:
      facts: [{fact_id: sea.deep, confidence: direct}]
    speaker: odo
    location: quay
    access: public
    trust: surface
    situations: [social]
    never: [odo_d_002]
""",
}


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A small campaign's content, without errors."""
    root = tmp_path / "campaign" / "content"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def server() -> Iterator[Editor]:
    """A server for all tests that leave it as it was."""
    with Editor() as found:
        yield found
        assert found.leave() == 0


@pytest.fixture
def editor(server: Editor, content: Path) -> Iterator[Editor]:
    """An editor that has the campaign's folder open, and one pool of it."""
    folder = {"uri": content.parent.as_uri(), "name": "campaign"}
    event: dict[str, Any] = {"added": [folder], "removed": []}
    server.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    server.open(content / POOL)
    server.findings(content / POOL, 1)
    yield server
    for uri in server.opened:
        server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    server.opened.clear()
    event = {"added": [], "removed": [folder]}
    server.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    assert server.request("workspace/symbol", {"query": ""}) == []
    server.diagnosed.clear()


def linted(root: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return what lint tells, by file: place, code, severity, message with the hint."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for one in lint(root):
        hint = one.hint or CATALOGUE[one.code].fix
        place = (one.where.line or 1) - 1, (one.where.column or 1) - 1
        entry = (*place, one.code, SEVERITIES[one.severity], f"{one.message}\n{hint}")
        found.setdefault(str(root.parent / (one.where.file or "")), []).append(entry)
    return found


def told(found: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return the same of what the server tells of one file."""
    return [
        (
            one["range"]["start"]["line"],
            one["range"]["start"]["character"],
            one["code"],
            one["severity"],
            one["message"],
        )
        for one in found
    ]


@pytest.mark.spec("LP-tools-editor-findings")
@pytest.mark.slow
def test_the_findings_of_all_files_are_those_of_lint_on_what_is_open(
    content: Path, tmp_path: Path
) -> None:
    """A buffer with faults, a file with faults that nobody has open, and a rule of the whole tree."""
    (content / "m/monologue/detective/quay.yaml").write_text(
        FILES["m/monologue/detective/quay.yaml"]
        .replace("item:", "itme:")
        .replace("npc:odo", "npc:ode")
    )
    changed = (
        FILES[POOL].replace("trust: surface", "trust: surfac", 1).replace("visits}}", "visit}}")
    )
    saved = tmp_path / "saved" / "content"
    shutil.copytree(content, saved)
    (saved / POOL).write_text(changed)
    wanted = {path.replace(str(saved), str(content)): v for path, v in linted(saved).items()}
    with Editor(content.parent) as editor:
        editor.open(content / POOL)
        editor.findings(content / POOL, 1)
        editor.change(content / POOL, changed, 2)
        assert told(editor.findings(content / POOL, 2)) == wanted.pop(str(content / POOL))
        assert wanted
        for path, findings in wanted.items():
            editor.until(Path(path), lambda found, findings=findings: told(found) == findings)
        assert editor.leave() == 0


@pytest.mark.spec("LP-tools-editor-findings")
@pytest.mark.slow
def test_findings_follow_what_is_typed_in_another_file(editor: Editor, content: Path) -> None:
    editor.open(content / FACTS)
    assert [one["code"] for one in editor.findings(content / FACTS, 1)] == []
    editor.change(content / FACTS, FILES[FACTS].replace("sea.deep", "sea.depe"), 2)
    found = [one for one in editor.findings(content / POOL, 1) if one["code"] == "TB445"]
    assert [one["range"] for one in found] == [
        {"start": {"line": 10, "character": 31}, "end": {"line": 10, "character": 39}},
        {"start": {"line": 21, "character": 19}, "end": {"line": 21, "character": 29}},
    ]
    assert "did you mean sea.depe?" in found[0]["message"]
    editor.change(content / FACTS, "category: sea\nfacts: [\n", 3)
    assert [one["code"] for one in editor.findings(content / FACTS, 3)] == ["TB405"]
    editor.notify("textDocument/didClose", {"textDocument": {"uri": (content / FACTS).as_uri()}})
    assert [one["code"] for one in editor.findings(content / POOL, 1)].count("TB445") == 2
    assert [one["code"] for one in editor.findings(content / POOL, 1)].count("TB445") == 0


@pytest.mark.spec("LP-tools-editor-findings")
@pytest.mark.slow
def test_an_open_plan_has_the_findings_of_a_test_run(editor: Editor, content: Path) -> None:
    editor.open(content / PLAN, FILES[PLAN].replace("sea.deep", "sea.dep"))
    (fact,) = editor.findings(content / PLAN, 1)
    assert (fact["code"], fact["range"]["start"]) == ("TB445", {"line": 3, "character": 24})
    editor.change(content / PLAN, FILES[PLAN].replace("odo_d_002", "odo_d_009"), 2)
    assert [one["code"] for one in editor.findings(content / PLAN, 2)] == ["TB461"]
    editor.change(content / PLAN, FILES[PLAN].replace("speaker", "speeker"), 3)
    assert "TB421" in [one["code"] for one in editor.findings(content / PLAN, 3)]
    editor.change(content / PLAN, FILES[PLAN], 4)
    assert editor.findings(content / PLAN, 4) == []
    editor.change(content / POOL, FILES[POOL].replace("odo_d_002", "odo_d_003"), 2)
    assert [one["code"] for one in editor.findings(content / PLAN, 4)] == ["TB461"]


def test_a_collision_names_the_place_of_the_first(editor: Editor, content: Path) -> None:
    editor.change(content / POOL, FILES[POOL].replace("odo_d_002", "odo_d_001", 1), 2)
    (found,) = [one for one in editor.findings(content / POOL, 2) if one["code"] == "TB440"]
    (related,) = found["relatedInformation"]
    assert related["location"]["range"]["start"] == {"line": 3, "character": 2}


LINE = "  - id: odo_d_003\n    text: Hm.\n    role: clerk\n    access: [public]\n    situation: [social]\n"
TYPED = [
    ("    trust: ", {"surface", "real", "secret"}),
    ("    trust: su", {"surface", "real", "secret"}),
    ("    mood: [", {"anxious", "warm"}),
    ("    topic:\n      - ", {"money", "cargo"}),
    ("    knowledge_grant: {fact_id: ", {"sea.deep", "sea.cold"}),
    ("    knowledge_grant:\n      fact_id: sea.", {"sea.deep", "sea.cold"}),
    ("    knowledge_grant:\n      ", {"fact_id", "confidence"}),
    ("    prerequisites:\n      facts:\n        - ", {"fact_id", "min_confidence", "absent"}),
    ("    prerequisites:\n      facts:\n        - fact_id: ", {"sea.deep", "sea.cold"}),
    ("    prerequisites: {any_of: [{not: {facts: [{fact_id: ", {"sea.deep", "sea.cold"}),
    ("    prerequisites: {counters: [{counter: ", {"visits"}),
    ("    prerequisites: {timers: [{timer: ", {"toll"}),
    ("    prerequisites: {values: [{value: ", {"weather"}),
    ("    prerequisites: {conditions: [", {"met"}),
    ("    prerequisites: {relationship: {target: ", {"npc:odo"}),
    ("    prerequisites: {relationship: {target: npc:odo, state: ", {"friendly", "hostile"}),
    ("    prerequisites: {reply_to: {line: ", {"odo_d_001", "odo_d_002", "pc_m_d_001"}),
    ("    prerequisites: {event: {", {"item"}),
    ("    effects:\n      - add: {counter: ", {"visits"}),
    ("    effects:\n      - ", {"grant", "set", "add", "stamp"}),
    ("    class: ", {"shout"}),
    ("    once: ", {"pair", "world"}),
    ("    ", {"trust", "mood", "prerequisites", "effects"}),
    ("    pre", {"prerequisites"}),
]


@pytest.mark.spec("LP-tools-editor-completion")
@pytest.mark.slow
def test_what_may_be_written_is_offered_though_the_file_is_no_yaml_just_now(
    editor: Editor, content: Path
) -> None:
    for version, (typed, wanted) in enumerate(TYPED, start=2):
        text = FILES[POOL] + LINE + typed
        editor.change(content / POOL, text, version)
        place = text.count("\n"), len(typed.rpartition("\n")[2])
        labels = editor.labels(content / POOL, place)
        assert wanted <= set(labels), typed
        assert not {"text", "role", "access"} & set(labels), typed


@pytest.mark.slow
def test_the_next_free_id_is_offered_where_a_line_begins(editor: Editor, content: Path) -> None:
    typed = "  - id: "
    text = FILES[POOL].replace("odo_d_002", "odo_d_007") + typed
    editor.change(content / POOL, text, 2)
    editor.findings(content / POOL, 2)
    place = text.count("\n"), len(typed)
    assert editor.labels(content / POOL, place) == ["odo_d_008"]


@pytest.mark.slow
def test_what_is_offered_says_what_it_means_and_takes_the_word_s_place(
    editor: Editor, content: Path
) -> None:
    typed = '    knowledge_grant: {fact_id: "sea.c'
    text = FILES[POOL] + LINE + typed + '"}\n'
    editor.change(content / POOL, text, 2)
    row = text.count("\n") - 1
    found = editor.at("completion", content / POOL, (row, len(typed)))
    (cold,) = [item for item in found["items"] if item["label"] == "sea.cold"]
    assert cold["documentation"] == "And cold."
    start = len(typed) - len("sea.c")
    assert cold["textEdit"] == {
        "newText": "sea.cold",
        "range": {
            "start": {"line": row, "character": start},
            "end": {"line": row, "character": len(typed)},
        },
    }


HOVERED = [
    (POOL, "sea.deep", ["The sea is deep.", "granted by odo", "asked for by odo"]),
    (POOL, "odo_d_001}", ["It is deep out there 😀", "tags: sea", "referred to by odo"]),
    (POOL, "surface", ["trust surface", "Safe and non-committal"]),
    (POOL, "prerequisites", ["must hold", "sea.deep is known at suspects or better", ">= 2"]),
    (POOL, "visits}}", ["How often she came.", "scope: pair", "written by odo"]),
    (POOL, "met]", ["They met."]),
    ("m/monologue/detective/quay.yaml", "npc:odo", ["Odo Renn, clerk, quay"]),
    ("global/conditions.yaml", "when", ["a walked", "away interaction with npc:odo"]),
]


@pytest.mark.spec("LP-tools-editor-hover")
@pytest.mark.slow
def test_hover_says_what_a_name_means_and_who_uses_it(editor: Editor, content: Path) -> None:
    for name in sorted({file for file, _, _ in HOVERED} - {POOL}):
        editor.open(content / name)
    for name, word, wanted in HOVERED:
        found = editor.at("hover", content / name, find(FILES[name], word, after=1))
        shown = found["contents"]["value"].replace("\\", "")
        assert all(part in shown for part in wanted), shown
    assert editor.at("hover", content / POOL, find(FILES[POOL], "deep out")) is None
    assert editor.at("hover", content / POOL, (0, 0)) is not None
    assert editor.at("hover", content / POOL, (9999, 9999)) is None


FOUND = [
    ("sea.deep", "fact", (FACTS, "sea.deep"), 4),
    ("odo_d_001}", "line", (POOL, "odo_d_001"), 2),
    ("visits,", "counter", ("global/state.yaml", "visits"), 3),
    ("met]", "condition", ("global/conditions.yaml", "met"), 2),
    ("shout", "class", ("global/state.yaml", "shout"), 2),
    ("toll", "timer", ("global/state.yaml", "toll"), 2),
]


@pytest.mark.spec("LP-tools-editor-names")
@pytest.mark.slow
def test_definition_and_references_of_every_kind_of_name(editor: Editor, content: Path) -> None:
    for word, kind, (name, declared), count in FOUND:
        place = find(FILES[POOL], word, after=1)
        (target,) = editor.at("definition", content / POOL, place)
        assert target["uri"] == (content / name).as_uri(), kind
        assert target["range"]["start"] == position(FILES[name], declared), kind
        context = {"includeDeclaration": True}
        found = editor.at("references", content / POOL, place, context=context)
        assert len(found) == count, (kind, found)
        without = editor.at(
            "references", content / POOL, place, context={"includeDeclaration": False}
        )
        assert [one for one in found if one not in without] == [target], kind
    (profile,) = editor.at(
        "definition", content / POOL, find(FILES[POOL], "clerk", after=1)
    )  # a role comes from the header of its pool
    assert profile["range"]["start"] == {"line": 1, "character": 6}


def position(text: str, word: str) -> dict[str, int]:
    row, character = find(text, word)
    return {"line": row, "character": character}


def applied(edit: dict[str, Any], root: Path, texts: dict[Path, str]) -> dict[Path, str]:
    """Return *texts* with *edit* in them, as an editor would apply it."""
    from urllib.parse import unquote, urlsplit

    found = dict(texts)
    for change in edit["documentChanges"]:
        if change.get("kind") == "rename":
            old, new = (Path(unquote(urlsplit(change[name]).path)) for name in ("oldUri", "newUri"))
            found[new] = found.pop(old)
            continue
        if change.get("kind") == "create":
            found[Path(unquote(urlsplit(change["uri"]).path))] = ""
            continue
        path = Path(unquote(urlsplit(change["textDocument"]["uri"]).path))
        assert path.is_relative_to(root)
        rows = found[path].split("\n")
        for one in sorted(change["edits"], key=last_first):
            start, end = one["range"]["start"], one["range"]["end"]
            head = utf16(rows[start["line"]])[: 2 * start["character"]].decode("utf-16-le")
            tail = utf16(rows[end["line"]])[2 * end["character"] :].decode("utf-16-le")
            rows[start["line"] : end["line"] + 1] = (head + one["newText"] + tail).split("\n")
        found[path] = "\n".join(rows)
    return found


def last_first(edit: dict[str, Any]) -> tuple[int, int]:
    start = edit["range"]["start"]
    return -start["line"], -start["character"]


def utf16(row: str) -> bytes:
    return row.encode("utf-16-le")


@pytest.mark.spec("LP-tools-editor-rename")
@pytest.mark.slow
def test_a_fact_is_renamed_everywhere_plans_along(editor: Editor, content: Path) -> None:
    """What is open is renamed as it is in the editor, and only words change."""
    opened = FILES[POOL].replace("Told you.", "Told you so 😀.").replace("\n", "\r\n")
    editor.change(content / POOL, opened, 2)
    place = find(opened, "sea.deep", after=2)
    ready = editor.at("prepareRename", content / POOL, place)
    assert ready["placeholder"] == "sea.deep"
    assert ready["range"]["start"] == {"line": place[0], "character": place[1] - 2}
    before = {content / name: text for name, text in FILES.items()} | {content / POOL: opened}
    edit = editor.at("rename", content / POOL, place, newName="sea.bottomless")
    versions = {
        one["textDocument"]["uri"]: one["textDocument"]["version"]
        for one in edit["documentChanges"]
    }
    assert versions.pop((content / POOL).as_uri()) == 2
    assert set(versions) == {(content / FACTS).as_uri(), (content / PLAN).as_uri()}
    assert set(versions.values()) == {None}
    after = applied(edit, content, before)
    for path, text in after.items():
        if path == content / FACTS:
            assert "formerly" in text  # saves know the fact by its former id
        else:
            assert text == before[path].replace("sea.deep", "sea.bottomless")
        path.write_text(text, newline="")
    assert not [one for one in lint(content) if one.severity in ("error", "warning")]


@pytest.mark.spec("LP-tools-editor-rename")
@pytest.mark.slow
def test_lines_and_characters_are_renamed_too_and_files_follow(
    editor: Editor, content: Path
) -> None:
    before = {content / name: text for name, text in FILES.items()}
    place = find(FILES[POOL], "odo_d_001}", after=1)
    edit = editor.at("rename", content / POOL, place, newName="odo_d_009")
    after = applied(edit, content, before)
    assert "line: odo_d_009" in after[content / POOL]
    assert "aliases: [odo_d_001]" in after[content / POOL]
    editor.open(content / "global/conditions.yaml")
    who = find(FILES["global/conditions.yaml"], "npc:odo", after=6)
    ready = editor.at("prepareRename", content / "global/conditions.yaml", who)
    assert ready["placeholder"] == "odo"
    edit = editor.at("rename", content / "global/conditions.yaml", who, newName="berra")
    after = applied(edit, content, before)
    assert not [path for path in after if path.name.startswith("odo.")]
    for path in before.keys() - after.keys():
        path.unlink()
    for path, text in after.items():
        path.write_text(text)
    found = lint(content)
    assert not [one for one in found if one.severity in ("error", "warning")]
    assert "npc:berra" in (content / "global/conditions.yaml").read_text()


@pytest.mark.spec("LP-tools-editor-rename")
@pytest.mark.slow
def test_a_rename_that_cannot_be_is_refused_with_the_reason(editor: Editor, content: Path) -> None:
    place = find(FILES[POOL], "sea.deep", after=2)
    refusals = [
        ("No Id", "no name of a fact"),
        ("sea.cold", "already"),
        ("", "no name of a fact"),
        ("sky.deep", "another category"),
    ]
    for new, reason in refusals:
        params = {**where(content / POOL, place), "newName": new}
        reply = editor.reply(editor.ask("textDocument/rename", params))
        assert reason in reply["error"]["message"], reply
    text = find(FILES[POOL], "Told", after=1)
    assert editor.at("prepareRename", content / POOL, text) is None
    assert editor.at("rename", content / POOL, text, newName="sea.wide") is None
    editor.open(content / PLAN, FILES[PLAN] + "  - [\n")
    params = {**where(content / POOL, place), "newName": "sea.wide"}
    reply = editor.reply(editor.ask("textDocument/rename", params))
    assert "odo.plan.yaml" in reply["error"]["message"]


@pytest.mark.spec("LP-tools-editor-outline")
@pytest.mark.slow
def test_the_outline_has_the_lines_and_a_search_finds_names(editor: Editor, content: Path) -> None:
    outline = editor.request(
        "textDocument/documentSymbol", {"textDocument": {"uri": (content / POOL).as_uri()}}
    )
    assert [one["name"] for one in outline] == ["odo_d_001", "odo_d_002"]
    assert outline[1]["detail"] == "Told you."
    assert outline[0]["range"]["end"]["line"] == 11
    assert outline[1]["range"]["end"]["line"] == FILES[POOL].count("\n") - 1
    found = editor.request("workspace/symbol", {"query": "DEEP"})
    assert [(one["name"], one["location"]["uri"]) for one in found] == [
        ("sea.deep", (content / FACTS).as_uri())
    ]
    everything = {one["name"] for one in editor.request("workspace/symbol", {"query": ""})}
    assert {"odo", "odo_d_001", "visits", "toll", "weather", "met", "shout"} <= everything


def fixes(editor: Editor, path: Path, one: dict[str, Any]) -> list[dict[str, Any]]:
    params = {
        "textDocument": {"uri": path.as_uri()},
        "range": one["range"],
        "context": {"diagnostics": [one]},
    }
    found: list[dict[str, Any]] = editor.request("textDocument/codeAction", params)
    return found


@pytest.mark.spec("LP-tools-editor-fixes")
@pytest.mark.slow
def test_what_a_finding_suggests_is_one_step_away(editor: Editor, content: Path) -> None:
    slips = [
        ("trust: surface", "trust: surfac"),
        ("{counter: visits, ", "{counter: visit, "),
        ('fact_id: "sea.deep"', 'fact_id: "sea.dep"'),
        ("    class:", "    clas:"),
        ("location: quay", "location: quai"),
    ]
    for version, (right, wrong) in enumerate(slips, start=2):
        text = FILES[POOL].replace(right, wrong, 1)
        editor.change(content / POOL, text, version)
        found = editor.findings(content / POOL, version)
        row = find(text, wrong)[0]
        (one, *_) = [
            one for one in found if one["range"]["start"]["line"] == row and one["severity"] < 3
        ]
        (fix, *_) = fixes(editor, content / POOL, one)
        assert fix["isPreferred"]
        mended = applied(fix["edit"], content, {content / POOL: text})
        assert mended == {content / POOL: FILES[POOL]}, wrong


@pytest.mark.spec("LP-tools-editor-fixes")
@pytest.mark.slow
def test_a_fact_that_is_used_is_declared_in_its_catalogue_or_a_new_one(
    editor: Editor, content: Path
) -> None:
    catalogue = content / "global/knowledge/sky.yaml"
    for version, fact in enumerate(["sea.wide", "sky.blue"], start=2):
        text = FILES[POOL].replace("{fact_id: sea.deep", f"{{fact_id: {fact}")
        editor.change(content / POOL, text, version)
        found = editor.findings(content / POOL, version)
        (one,) = [one for one in found if one["code"] == "TB445"]
        (fix,) = [f for f in fixes(editor, content / POOL, one) if "Declare" in f["title"]]
        before = {content / FACTS: (content / FACTS).read_text()}
        for path, after in applied(fix["edit"], content, before).items():
            path.write_text(after)
        editor.notify(
            "workspace/didChangeWatchedFiles",
            {
                "changes": [
                    {"uri": path.as_uri(), "type": 1} for path in (catalogue, content / FACTS)
                ]
            },
        )
        codes = [one["code"] for one in editor.findings(content / POOL, version)]
        assert "TB445" not in codes
    assert "id: sea.wide" in (content / FACTS).read_text()
    assert catalogue.read_text().startswith("# Drafted from use")


@pytest.mark.spec("LP-tools-editor-encodings")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("encodings", "chosen", "column"),
    [([], "utf-16", 19), (["utf-8"], "utf-8", 21), (["utf-32", "utf-16"], "utf-32", 18)],
)
def test_columns_are_counted_as_the_editor_does(
    content: Path, encodings: list[str], chosen: str, column: int
) -> None:
    """In front of the place is a character beyond the basic plane; rows end as they do."""
    plain = FILES[POOL].replace("access: [public]", 'access: ["😀", publik]', 1)
    with Editor(content.parent, encodings=encodings) as editor:
        assert editor.capabilities["positionEncoding"] == chosen
        editor.open(content / POOL)
        variants = [(mark, newline) for mark in ("", "\ufeff") for newline in ("\n", "\r\n", "\r")]
        for version, (mark, newline) in enumerate(variants, start=2):
            editor.change(content / POOL, mark + plain.replace("\n", newline), version)
            found = editor.findings(content / POOL, version)
            (one,) = [one for one in found if "publik" in one["message"]]
            assert one["range"] == {
                "start": {"line": 6, "character": column},
                "end": {"line": 6, "character": column + 6},
            }
            assert "public" in editor.labels(content / POOL, (6, column + 2))
        first = FILES[POOL].replace("location: quay", "location: 😀")
        editor.change(content / POOL, "\ufeff" + first, 20)
        (one,) = [one for one in editor.findings(content / POOL, 20) if "form" in one["message"]]
        mark_units = {"utf-8": 3}.get(chosen, 1)
        assert one["range"]["start"] == {"line": 0, "character": 10 + mark_units}
        assert editor.leave() == 0


@pytest.mark.spec("LP-tools-editor-hostile")
@pytest.mark.slow
def test_nothing_that_is_sent_ends_the_server(editor: Editor, content: Path) -> None:
    pool = (content / POOL).as_uri()
    editor.send(b"Nonsense\r\nContent-Length: x\r\n\r\n")
    editor.send(b'Content-Length: 5\r\n\r\n{"a":')
    editor.send(b"Content-Length: 2\r\n\r\n[]")
    editor.send(b"Content-Length: 4\r\n\r\n\xff\xfe\xfd\xfc")
    deep = b"[" * 100_000
    editor.send(b"Content-Length: %d\r\n\r\n%s" % (len(deep), deep))
    editor.send(b"Content-Length: %d\r\n\r\n" % (64 * 1024 * 1024 + 1))
    for size in (*[1024 * 1024] * 64, 1):
        editor.send(b" " * size)
    editor.post({"jsonrpc": "1.0", "id": "x", "method": "shutdown"})
    unknown = editor.reply(editor.ask("talebearer/nothing", {}))
    assert unknown["error"]["code"] == -32601
    places = ({"line": -1, "character": 0}, {"line": 0, "character": 2**31}, {"line": 0.5}, {})
    wrong = [{"textDocument": {"uri": pool}, "position": place} for place in places]
    for params in ({}, [], None, {"textDocument": {"uri": 3}, "position": "x"}, *wrong):
        refused = editor.reply(editor.ask("textDocument/hover", params))
        assert refused["error"]["code"] in (-32600, -32602, -32603), params
    for uri in ("", "untitled:x", "file:///", "file:///%00", "http://[", pool + "/../../../../etc"):
        editor.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "yaml", "version": 1, "text": "a: ["}},
        )
    assert editor.at("hover", content / POOL, (-0, 10**9)) is not None
    editor.change(content / POOL, "x" * (4 * 1024 * 1024 + 1), 2)
    assert [one["code"] for one in editor.findings(content / POOL, 2)] == ["TB402"]
    assert editor.labels(content / POOL, (0, 0)) == []
    editor.change(content / POOL, FILES[POOL], 3)
    assert all(one["severity"] == 3 for one in editor.findings(content / POOL, 3))


@pytest.mark.spec("LP-tools-editor-positions")
@pytest.mark.slow
def test_names_of_a_file_that_is_no_yaml_just_now_are_at_places_of_its_text(
    editor: Editor, content: Path
) -> None:
    """The outline is that of the last text that could be read, in the text as it is."""
    lines = FILES[POOL].splitlines(keepends=True)
    editor.change(content / POOL, "".join(lines[:6]) + '  - {id: "😀', 2)
    (first, second) = editor.request(
        "textDocument/documentSymbol", {"textDocument": {"uri": (content / POOL).as_uri()}}
    )
    assert (first["name"], second["name"]) == ("odo_d_001", "odo_d_002")
    assert first["selectionRange"]["start"] == {"line": 3, "character": 8}
    assert second["range"]["end"] == {"line": 6, "character": 12}
    editor.change(content / POOL, FILES[POOL], 3)


@pytest.mark.slow
def test_a_state_older_than_the_last_changes_nothing(editor: Editor, content: Path) -> None:
    editor.change(content / POOL, FILES[POOL].replace("surface", "surfac", 1), 5)
    editor.change(content / POOL, FILES[POOL], 4)
    assert "TB423" in [one["code"] for one in editor.findings(content / POOL, 5)]
    ranged = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}}
    editor.notify(
        "textDocument/didChange",
        {
            "textDocument": {"uri": (content / POOL).as_uri(), "version": 6},
            "contentChanges": [{**ranged, "text": "l"}],
        },
    )
    assert editor.at("hover", content / POOL, (0, 0)) is not None


@pytest.mark.spec("LP-tools-editor-hostile")
@pytest.mark.slow
def test_files_outside_and_links_that_lead_out_are_left_alone(
    editor: Editor, content: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside" / "dialogue" / "quay" / "odo.yaml"
    outside.parent.mkdir(parents=True)
    outside.write_text("location: nowhere\n")
    link = content / "m/dialogue/quay/link.yaml"
    link.symlink_to(outside)
    (content / "m/dialogue/away").symlink_to(outside.parent)
    editor.open(outside, "location: [\n")
    editor.open(link, "location: [\n")
    inner = content / "m/dialogue/away/odo.yaml"
    editor.open(inner, "location: [\n")
    editor.change(content / POOL, FILES[POOL] + "\n", 2)
    editor.findings(content / POOL, 2)
    assert outside.as_uri() not in editor.diagnosed
    assert [one["code"] for one in editor.findings(link, 1)] == ["TB412"]
    assert "TB405" not in str(editor.diagnosed.get(inner.as_uri(), ""))
    assert editor.at("hover", outside, (0, 0)) is None


@pytest.mark.spec("LP-tools-editor-life")
@pytest.mark.slow
def test_the_content_is_found_in_every_folder_that_is_open(content: Path, tmp_path: Path) -> None:
    """A campaign that names its folder, content itself, and a folder without any."""
    named = tmp_path / "named"
    shutil.copytree(content, named / "lines")
    (named / "campaign.toml").write_text('id = "named"\n[content]\npath = "lines"\n')
    bare = tmp_path / "bare"
    bare.mkdir()
    with Editor(named, content, bare) as editor:
        for root in (named / "lines", content):
            editor.open(root / POOL, FILES[POOL].replace("surface", "surfac", 1))
            assert "TB423" in [one["code"] for one in editor.findings(root / POOL, 1)]
        gone = {"uri": named.as_uri(), "name": "named"}
        editor.notify(
            "workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [gone]}}
        )
        assert editor.findings(named / "lines" / POOL) == []
        assert editor.at("hover", named / "lines" / POOL, (0, 0)) is None
        editor.notify(
            "workspace/didChangeWorkspaceFolders", {"event": {"added": [gone], "removed": []}}
        )
        assert "TB423" in [one["code"] for one in editor.findings(named / "lines" / POOL, 1)]
        assert editor.leave() == 0


@pytest.mark.slow
def test_a_single_file_finds_the_content_around_it(content: Path) -> None:
    with Editor() as editor:
        editor.open(content / POOL, FILES[POOL].replace("surface", "surfac", 1))
        assert "TB423" in [one["code"] for one in editor.findings(content / POOL, 1)]
        assert editor.leave() == 0


@pytest.mark.slow
def test_a_change_on_disk_is_seen_when_the_editor_tells(editor: Editor, content: Path) -> None:
    registered = [one for one in editor.asked if one["method"] == "client/registerCapability"]
    assert "**/*.yaml" in json.dumps(registered)
    (content / FACTS).write_text("category: sea\nfacts: []\n")
    changes = [{"uri": (content / FACTS).as_uri(), "type": 2}]
    editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    assert "TB445" in [one["code"] for one in editor.findings(content / POOL, 1)]


@pytest.mark.spec("LP-tools-editor-life")
@pytest.mark.slow
def test_the_exit_code_tells_whether_the_end_was_asked_for(content: Path) -> None:
    with Editor(content.parent) as editor:
        editor.notify("exit", None)
        assert editor.process.wait(60) == 1
    with Editor(content.parent) as editor:
        assert editor.process.stdin is not None
        editor.process.stdin.close()
        assert editor.process.wait(60) == 1
    with Editor(begins=False) as editor:
        early = editor.reply(editor.ask("textDocument/hover", where(content / POOL, (0, 0))))
        assert early["error"]["code"] == -32002
        editor.begin(content.parent)
        editor.request("shutdown", None)
        editor.notify("exit", None)
        assert editor.process.wait(60) == 0


@pytest.mark.spec("LP-tools-editor-life")
@pytest.mark.slow
def test_a_request_that_is_no_longer_wanted_is_answered_as_cancelled(tmp_path: Path) -> None:
    import generated_content

    root = tmp_path / "campaign" / "content"
    pool = generated_content.write(root, 4800)[0]
    with Editor(root.parent) as editor:
        editor.open(pool)
        hover = editor.ask("textDocument/hover", where(pool, (0, 0)))
        editor.notify("$/cancelRequest", {"id": hover})
        assert editor.reply(hover)["error"]["code"] == -32800
        assert editor.at("hover", pool, (0, 0)) is not None
        assert editor.leave() == 0


@pytest.mark.spec("LP-tools-editor-life")
def test_it_says_what_it_can_do_and_takes_the_flag_that_some_editors_add(tmp_path: Path) -> None:
    told = talebearer_here("lsp", "--json", cwd=tmp_path)
    assert (told.code, told.err) == (0, "")
    assert (told.json["command"], told.json["transport"]) == (["talebearer", "lsp"], "stdio")
    with Editor(options=["--stdio"]) as editor:
        capabilities = editor.capabilities
        assert editor.leave() == 0
    # Renames are prepared only for editors that say that they know of that.
    assert told.json["capabilities"].keys() == capabilities.keys()
    assert told.json["capabilities"]["hoverProvider"] is True


@pytest.mark.spec("LP-tools-editor-life")
def test_without_its_library_the_command_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'pygls'\", name='pygls')\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    with Editor(begins=False, environment={"PYTHONPATH": path}) as editor:
        assert editor.process.wait(60) == 2
    assert b"talebearer[authoring]" in editor.stderr
    assert talebearer_here("lsp", "--help", cwd=tmp_path).code == 0
