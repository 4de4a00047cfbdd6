"""``talebearer facts``: what the catalogues of a content tree lack."""

from __future__ import annotations

from typing import Annotated

import typer

from talebearer.cli._content import DEFAULT_CONTENT, FINDINGS, ContentArgument, must_be_content
from talebearer.cli._options import JsonOption
from talebearer.cli._output import plural, print_json, print_plain, print_table, say

NAME = "facts"
EXAMPLE = "Example: talebearer facts content --missing --write"


def run(
    content: ContentArgument = DEFAULT_CONTENT,
    missing: Annotated[
        bool, typer.Option("--missing", help="List the facts that are used and declared nowhere.")
    ] = False,
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="Declare them, after what the catalogues hold; nothing is overwritten."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List facts that lines grant or ask for and no catalogue has; exit 1 while there are some."""
    from talebearer.content import draft_facts, missing_facts
    from talebearer.errors import UsageFault

    must_be_content(content)
    if not missing:
        raise UsageFault("facts needs to know which", hint="talebearer facts CONTENT --missing")
    facts = missing_facts(content)
    written = draft_facts(content, facts) if write else ()
    if as_json:
        print_json(
            {
                "missing": [
                    {
                        "id": fact.id,
                        "count": fact.count,
                        "places": fact.places,
                        "description": fact.draft,
                    }
                    for fact in facts
                ],
                "written": [str(path) for path in written],
            }
        )
    elif not facts:
        say("every fact that is used is declared")
    elif write:
        for path in written:
            print_plain(f"{path} written")
        say(f"{plural(len(facts), 'fact')} drafted; say in your own words what each one is")
    else:
        rows = [(fact.id, str(fact.count), ", ".join(fact.places)) for fact in facts]
        print_table(("fact", "uses", "first used by"), rows, wrap=("first used by",))
        say("declare them with --write")
    if facts and not write:
        raise typer.Exit(FINDINGS)
