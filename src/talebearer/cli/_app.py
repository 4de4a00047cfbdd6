"""The Typer application with all commands, in reading order."""

from __future__ import annotations

from talebearer.cli._root import add, bare
from talebearer.cli.commands import (
    build,
    checkpoint,
    coverage,
    demo,
    doctor,
    estimate,
    evaluate,
    explain,
    facts,
    fmt,
    init,
    lines,
    lint,
    lsp,
    mcp,
    mind,
    new,
    npcs,
    preview,
    recall,
    record,
    rename,
    report,
    review,
    schemas,
    serve,
    simulate,
    speakers,
    status,
    stop,
    store,
    talk,
    test,
    think,
    vendor,
    why,
)

COMMANDS = (
    *(init, record, estimate, speakers, npcs, recall, talk, think, explain, why),
    *(lint, lsp, fmt, preview, coverage, test, simulate, build),
    *(rename, facts, schemas, vendor, report, demo, evaluate, doctor),
    *(serve, status, checkpoint, stop, mcp),
)
COMMAND_NAMES = (
    *(command.NAME for command in COMMANDS),
    *(f"{mind.NAME} {name}" for name in mind.SUBCOMMANDS),
    *(f"{new.NAME} {name}" for name in new.SUBCOMMANDS),
    review.NAME,
    *(f"{review.NAME} {name}" for name in review.SUBCOMMANDS),
    *(f"{lines.NAME} {name}" for name in lines.SUBCOMMANDS),
    *(f"{store.NAME} {name}" for name in store.SUBCOMMANDS),
)

app = bare()
for command in (*COMMANDS, mind, new, review, lines, store):
    add(app, command)
