"""The previewer's server: who is refused, what is bounded, what it never reads, how it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import pytest
from campaigns import talebearer, unpack_bundled
from previews import SECONDS, Preview, previewing

from talebearer.server.preview._connection import WAITING_MAX  # bounds of the server's own
from talebearer.server.preview._events import LISTENERS_MAX

FIXTURES = Path(__file__).parents[1] / "fixtures" / "content"


@pytest.fixture(scope="module")
def preview(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Preview]:
    folder = tmp_path_factory.mktemp("preview")
    shutil.copytree(FIXTURES / "small" / "content", folder / "content")
    (folder / "secret.yaml").write_text("nobody: reads this\n", encoding="utf-8")
    (folder / "content" / "out.yaml").symlink_to(folder / "secret.yaml")
    with previewing(folder / "content", "--editor", "vscode") as running:
        yield running


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Host": None}, 400),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({}, 200),
    ],
)
def test_questions_of_other_pages_are_refused(
    preview: Preview, headers: dict[str, str | None], status: int
) -> None:
    assert preview.ask("/api/content", headers=headers).status == status


def test_a_link_from_elsewhere_opens_the_page_and_nothing_else(preview: Preview) -> None:
    link = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    assert preview.ask("/?tick=1", headers=link).status == 200
    assert preview.ask("/", headers={**link, "Sec-Fetch-Dest": "iframe"}).status == 403
    assert preview.ask("/api/content", headers=link).status == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": None}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": None}, 415),
        ({"X_Talebearer_Token": "guess"}, 403),
        ({"X_Talebearer_Token": None}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
def test_changes_need_origin_type_and_token(
    preview: Preview, headers: dict[str, str | None], status: int
) -> None:
    assert preview.change("/api/save", {"name": "x", "setup": {}}, **headers).status == status


def test_bodies_and_addresses_are_bounded(preview: Preview) -> None:
    assert preview.change("/api/save", {"name": "x" * 100_000}).status == 413
    assert preview.ask(f"/api/ask?find={'x' * 40_000}").status == 414
    assert preview.ask("/api/content", method="PUT").status == 405
    assert preview.ask("/api/save").status == 405
    answer = preview.change("/api/save", ["no", "object"])
    assert (answer.status, answer.json["error"]["message"]) == (400, "the body is no JSON object")


def test_a_scene_that_is_wrong_is_refused_with_everything_that_is_wrong(preview: Preview) -> None:
    answer = preview.ask(
        "/api/ask?speaker=bram-holt&location=nowhere&access=pulbic&trust=x&tick=-1"
    )
    assert answer.status == 400
    said = answer.json["error"]["message"]
    assert all(one in said for one in ("pulbic", "trust", "tick"))
    assert preview.ask("/api/ask?speaker=bram-holt&from=x").status == 400
    assert preview.ask("/api/line?speaker=bram-holt&pool=x&line=y").status == 400
    assert preview.ask("/api/ask?find=%ff").status == 400


@pytest.mark.parametrize("name", ["../out", "a/b", "", "x" * 65, ".hidden", "UPPER", 7, None])
def test_scenes_are_saved_below_the_content_only(preview: Preview, name: object) -> None:
    setup = preview.ask("/api/content").json["first"]["dialogue"]
    assert preview.change("/api/save", {"name": name, "setup": setup}).status == 400


def test_a_case_is_written_once(preview: Preview) -> None:
    setup = preview.ask("/api/content").json["first"]["dialogue"]
    assert preview.change("/api/plan", {"name": "One", "setup": setup}).status == 200
    again = preview.change("/api/plan", {"name": "One", "setup": setup})
    assert again.status == 400
    assert "already" in again.json["error"]["message"]


def test_every_answer_binds_the_browser(preview: Preview) -> None:
    for target in ("/", "/static/main.js", "/api/content", "/nowhere"):
        headers = preview.ask(target).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


@pytest.mark.parametrize(
    "name",
    [
        "secret.yaml",
        "../secret.yaml",
        "content/../secret.yaml",
        "content/../../secret.yaml",
        "content/out.yaml",
        "/etc/passwd",
        "content/../content/../secret.yaml",
        "content/global/enums",
        "content/\x00.yaml",
        "",
    ],
)
def test_nothing_but_content_is_read(preview: Preview, name: str) -> None:
    answer = preview.ask(f"/api/source?file={quote(name, safe='')}")
    assert answer.status == 400, answer.body
    assert b"nobody" not in answer.body


def test_no_folder_that_links_away_is_read(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "small" / "content", tmp_path / "content")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.yaml").write_text("nobody: reads this\n", encoding="utf-8")
    (tmp_path / "content" / "away").symlink_to(tmp_path / "elsewhere")
    with previewing(tmp_path / "content") as running:
        inside = running.ask(
            "/api/source?file=content/campaigns/mire/dialogue/the-quay/bram-holt.yaml"
        )
        answer = running.ask("/api/source?file=content/away/secret.yaml")
    assert inside.status == 200, inside.body
    assert answer.status == 400, answer.body
    assert b"nobody" not in answer.body


@pytest.mark.parametrize(
    "name", ["..%2fmain.js", "%2e%2e/_app.py", "..", "main.py", "preview.css.x"]
)
def test_static_names_are_no_paths(preview: Preview, name: str) -> None:
    assert preview.ask(f"/static/{name}").status == 404


def test_a_file_is_shown_with_a_link_to_the_named_editor(preview: Preview) -> None:
    name = "content/campaigns/mire/dialogue/the-quay/bram-holt.yaml"
    answer = preview.ask(f"/api/source?file={name}&line=3").json
    assert answer["lines"][0].startswith("#") or ":" in answer["lines"][0]
    assert answer["place"]["editor"].startswith("vscode://file/")
    assert answer["place"]["editor"].endswith("/bram-holt.yaml:3:1")


@pytest.mark.spec("LP-7-previewer")
def test_what_an_author_noted_is_shown(preview: Preview) -> None:
    scene = "speaker=bram-holt&location=the-quay&access=public&trust=surface&situation=social"
    line = "pool=campaigns/mire/dialogue/the-quay/bram-holt&line=bram-holt_d_001"
    shown = preview.ask(f"/api/line?{scene}&tick=0&seed=0&{line}").json
    assert ["smuggler", "He knows me."] in shown["readings"]
    assert ["detective", "He knows something."] in shown["readings"]
    both = preview.ask(f"/api/lens?{scene}&tick=0&seed=0&{line}").json["readings"]
    assert {one["character"]: one["note"] for one in both} == dict(shown["readings"])


@pytest.mark.spec("LP-8.2-previewer")
def test_findings_of_guidelines_are_shown_with_their_places(preview: Preview) -> None:
    found = preview.ask("/api/findings?from=0&count=200").json
    assert found["total"] == len(found["rows"])
    guideline = next(one for one in found["rows"] if one["code"] == "TB470")
    assert guideline["place"]["file"].startswith("content/campaigns/mire/dialogue/the-quay/")
    assert guideline["place"]["line"] >= 1


def test_it_listens_on_the_loopback_interface_only(preview: Preview) -> None:
    port = int(preview.host.rpartition(":")[2])
    listening = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    bound = {row.split()[1] for row in listening if row.split()[1].endswith(f":{port:04X}")}
    own = {address for address in bound if address.rpartition(":")[0] != "0100007F"}
    assert bound
    assert not own


def test_a_busy_port_is_told_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = talebearer("preview", "content", "--port", port, "--no-browser", cwd=tmp_path)
    assert done.code == 2
    assert f"port {port} is in use" in done.err
    assert "--port 0" in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--port", "70000"), "is no port"),
        (("--editor", "javascript:alert(1)//{path}"), "no editor's"),
        (("--editor", "https://example.org/{path}"), "no editor's"),
        (("--editor", "vscod"), "vscode"),
        (("--editor", "my://open?{file}"), "is no editor"),
    ],
)
def test_options_that_cannot_be_are_refused(
    tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "content").mkdir()
    done = talebearer("preview", "content", "--no-browser", *options, cwd=tmp_path)
    assert done.code == 2
    assert said in done.err


def test_it_opens_the_browser_at_its_address(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "small" / "content", tmp_path / "content")
    asked = tmp_path / "asked"
    os.mkfifo(asked)
    command = [sys.executable, "-m", "talebearer", "preview", "content", "--port", "0"]
    with subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "BROWSER": f"sh -c 'echo %s > {asked}'"},
    ) as process:
        try:
            opened = asked.read_text(encoding="utf-8").strip()
            assert process.stdout is not None
            printed = process.stdout.readline()
        finally:
            process.send_signal(signal.SIGINT)
    assert f"preview of content: {opened} (Ctrl-C ends it)" in printed
    assert opened.startswith("http://127.0.0.1:")
    assert process.returncode == 0


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "content").mkdir()
    program = (
        "import sys\n"
        "sys.modules['uvicorn'] = None\n"
        "sys.argv[1:] = ['preview', 'content', '--no-browser']\n"
        "from talebearer.cli import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2, done.stderr
    assert "pip install 'talebearer[authoring]'" in done.stderr


def test_a_scene_with_a_long_past_fits_into_an_address(preview: Preview) -> None:
    scene = (
        "speaker=bram-holt&location=the-quay&access=public&trust=surface&situation=social&seed=0"
    )
    met = quote('{"target":"npc:bram-holt","state":"completed","tick":%d}')
    past = "".join(f"&given.interactions={met.replace('%25d', str(one))}" for one in range(250))
    asked = f"/api/ask?{scene}&tick=999{past}"
    assert len(asked) > 20_000
    assert preview.ask(asked).status == 200


@pytest.mark.parametrize("settings", ["[content]\npath = 'lines'\n", "no settings"])
def test_the_folder_of_a_campaign_is_not_taken_for_its_content(
    tmp_path: Path, settings: str
) -> None:
    named = "lines" if "lines" in settings else "content"
    shutil.copytree(FIXTURES / "small" / "content", tmp_path / named)
    (tmp_path / "campaign.toml").write_text(
        f'id = "mire"\nname = "Mire"\n{settings}', encoding="utf-8"
    )
    done = talebearer("preview", ".", "--no-browser", cwd=tmp_path)
    assert done.code == 2
    assert "campaign's folder, not its content" in done.err
    assert f"name {named}" in done.err
    assert talebearer("lint", named, cwd=tmp_path).code == 0


def test_there_must_be_content(tmp_path: Path) -> None:
    done = talebearer("preview", os.fspath(tmp_path / "nowhere"), cwd=tmp_path)
    assert done.code == 2
    assert "is not a folder" in done.err


def test_a_first_save_that_only_moves_lines_is_told_though_the_content_came_from_the_cache(
    tmp_path: Path,
) -> None:
    content = (
        unpack_bundled(tmp_path / "bell") / "content"
    )  # it has no finding that would move along
    name = "campaigns/drowned-bell/systems/saltmere/stations/harbour/districts/lowtide/dialogue"
    pool = content / f"{name}/the-gilded-eel/maelis-brandt.yaml"
    scene = "speaker=maelis-brandt&location=the-gilded-eel&access=public&trust=surface"
    line = f"pool={name}/the-gilded-eel/maelis-brandt&line=maelis-brandt_d_001"
    asked = f"/api/line?{scene}&situation=social&tick=0&seed=0&{line}"
    with previewing(content) as first:  # which fills the cache
        before = first.ask(asked).json["place"]["line"]
    with (
        previewing(content) as running,
        closing(HTTPConnection(running.host, timeout=SECONDS)) as page,
    ):
        number = running.ask("/api/content").json["number"]
        page.request("GET", "/api/events", headers={"Host": running.host})
        events = page.getresponse()
        pool.write_text("# a comment\n" + pool.read_text(encoding="utf-8"), encoding="utf-8")
        told = number
        while told == number:
            row = events.readline()
            told = json.loads(row[5:])["number"] if row.startswith(b"data:") else number
        assert running.ask(asked).json["place"]["line"] == before + 1


def _connected(preview: Preview, sent: str) -> socket.socket:
    host, _, port = preview.host.rpartition(":")
    connection = socket.create_connection((host, int(port)), timeout=SECONDS)
    connection.sendall(sent.encode())
    return connection


def test_no_more_pages_than_places_listen_however_fast_they_come(preview: Preview) -> None:
    asked = f"GET /api/events HTTP/1.1\r\nHost: {preview.host}\r\n\r\n"
    with ExitStack() as pages:
        opened = [pages.enter_context(_connected(preview, asked)) for _ in range(53)]
        heads = [one.recv(12).decode() for one in opened]
    assert heads.count("HTTP/1.1 200") == LISTENERS_MAX
    assert heads.count("HTTP/1.1 503") == len(opened) - LISTENERS_MAX


def test_requests_that_are_never_finished_keep_nobody_out(preview: Preview) -> None:
    halves = ("", "GET / HT", f"GET / HTTP/1.1\r\nHost: {preview.host}\r\nX-More: ")
    with ExitStack() as others:
        begun = [
            others.enter_context(_connected(preview, half)) for half in halves for _ in range(60)
        ]
        assert preview.ask("/api/content").status == 200
        # Only the newest few are kept; the oldest were let go.
        assert all(_is_ended(one) for one in begun[: len(begun) - WAITING_MAX])


def _is_ended(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True
