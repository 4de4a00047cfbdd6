"""A command that is built alone is the command that is built with all others."""

import pytest
from typer.main import get_command

from talebearer.cli._app import COMMAND_NAMES, app
from talebearer.cli._root import app_for

FAMILIES = {name.partition(" ")[0] for name in COMMAND_NAMES}


@pytest.fixture(scope="module")
def whole():
    return get_command(app)


@pytest.mark.parametrize("name", sorted({*COMMAND_NAMES, *FAMILIES}))
def test_each_command_alone_has_the_help_that_it_has_among_all(name, whole, capsys):
    words = [*name.split(), "--help"]
    found = app_for(words)
    assert found is not app
    alone, among_all = (said(one, words, capsys) for one in (get_command(found), whole))
    assert alone == among_all
    assert alone.startswith(f"Usage: talebearer {name} ")


def said(command, words, capsys):
    command.main(args=words, prog_name="talebearer", standalone_mode=False)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [[], ["--help"], ["--version"], ["lnit"], ["evaluate"], ["_options"], ["../lint"], [""]],
)
def test_what_is_no_command_is_asked_of_all_of_them(words):
    assert app_for(words) is app
