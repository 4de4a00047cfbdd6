"""The source itself: sizes, public names, and nothing that does not belong in it."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "talebearer"
MODULES = sorted(SOURCE.rglob("*.py"))
FUNCTION_LINES_MAX = 70
MODULE_LINES_MAX = 800
MODULES_PER_PACKAGE_MAX = 24
TEXT_SUFFIXES = {
    *(".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".sh", ".json", ".j2", ".vtt", ""),
    *(".js", ".css", ".svg"),
}


def _name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(_text(path))


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_functions_and_modules_stay_short(path: Path) -> None:
    assert _text(path).count("\n") <= MODULE_LINES_MAX
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            docstring = ast.get_docstring(node, clean=False) or ""
            length -= docstring.count("\n") + 1 if docstring else 0
            assert length <= FUNCTION_LINES_MAX, f"{node.name} has {length} lines"


SCRIPTS = sorted([*SOURCE.rglob("*.js"), *SOURCE.rglob("*.css")])
SCRIPT_LINES_MAX = 400
# Ways to turn a string into markup or code, and addresses of elsewhere.
NOT_IN_SCRIPTS = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|@import"
    r"|url\(|https?://(?!www\.w3\.org/2000/svg)"
)


@pytest.mark.parametrize("path", SCRIPTS, ids=_name)
def test_the_page_s_own_files_stay_small_and_inert(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= SCRIPT_LINES_MAX
    assert text.startswith(("//", "/*")), "a file of the page says first what it is for"
    assert not NOT_IN_SCRIPTS.findall(text)


def test_packages_stay_few_and_deep() -> None:
    packages = [path for path in SOURCE.iterdir() if (path / "__init__.py").exists()]
    for package in packages:
        count = len(list(package.glob("*.py")))
        assert count <= MODULES_PER_PACKAGE_MAX, f"{package.name} has {count} modules"


def test_every_package_has_a_front_door() -> None:
    for path in SOURCE.glob("*/__init__.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), f"{path} says nothing"
        if path.parent.name != "bundled":
            assert "__all__" in path.read_text(encoding="utf-8"), f"{path} exports nothing by name"


def test_packages_are_imported_by_their_front_doors() -> None:
    """No module reaches into another package's private modules."""
    wrong = []
    for path in MODULES:
        package = path.relative_to(SOURCE).parts[0]
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                match = re.fullmatch(r"talebearer\.(\w+)\._\w+.*", node.module)
                if match and match[1] != package:
                    wrong.append(f"{_name(path)}: {node.module}")
    assert not wrong, wrong


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [ROOT / name for name in listed if (ROOT / name).is_file()]


def test_no_registry_address_and_no_machine_path_is_committed() -> None:
    patterns = (r"https?://[^\s\"']*(?:pypi|pythonhosted|npmjs|/simple)", r"/work/(?:main|shared)")
    wrong = []
    for path in _tracked():
        if path.suffix in TEXT_SUFFIXES and path != Path(__file__).resolve():
            text = path.read_text(encoding="utf-8", errors="replace")
            wrong += [f"{path}: {pattern}" for pattern in patterns if re.search(pattern, text)]
    assert not wrong, wrong


def test_pinned_versions_are_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9._!+]+", line) for line in lines)


def test_an_error_code_is_registered_once() -> None:
    from talebearer.errors._catalogue import register

    with pytest.raises(ImportError, match="registered twice"):
        register("TB101", "again", "again", "again")


@pytest.mark.parametrize("package", ["vocabulary", "errors", "memory", "lines"])
def test_what_a_game_ships_imports_the_standard_library_only(package: str) -> None:
    foreign = []
    for path in (SOURCE / package).rglob("*.py"):
        for node in ast.walk(_tree(path)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            roots = {name.partition(".")[0] for name in names}
            foreign += [
                f"{_name(path)}: {root}"
                for root in sorted(roots - {"talebearer"})
                if root not in sys.stdlib_module_names
            ]
    assert not foreign, foreign


def test_sources_cite_rules_that_the_repository_has() -> None:
    """A docstring that names a design's rule names one of docs/rules.md."""
    rules = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    wrong = []
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        for rule in re.findall(r"\b(?:IM-M|LP-L|NI-E|KM-S)\d+", text):
            if not re.search(rf"\| {rule}-", rules):
                wrong.append(f"{_name(path)}: {rule}")
        if re.search(r"\bdesign(?:'s)?(?: rules?)? [MLES]\d", text):
            wrong.append(f"{_name(path)} cites a design that the repository lacks")
    assert not wrong, wrong
