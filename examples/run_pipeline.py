"""Run a pipelines file over a transcript and print both artifacts, one a line.

    python examples/run_pipeline.py PIPELINES TRANSCRIPT [GAME_MASTER ...]
    python examples/run_pipeline.py PIPELINES TRANSCRIPT GM --model anthropic:claude-haiku-4-5

Without --model the embedded rules propose. With it, what was accepted is kept in ./checkpoints, so
that a run that ended early goes on where it stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from talebearer.errors import TalebearerError
from talebearer.extraction import (
    ModelRun,
    Player,
    Roster,
    load_pipelines,
    open_provider,
    provider_settings,
    run,
)
from talebearer.transcripts import load


def main() -> int:
    """Run one pipeline and return the exit code."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("pipelines", type=Path)
    options.add_argument("transcript", type=Path)
    options.add_argument("game_masters", nargs="*")
    options.add_argument("--model")
    given = options.parse_args()
    pipelines = load_pipelines(given.pipelines.read_bytes(), file=given.pipelines.name)
    _, transcript = load(given.transcript)
    settings = provider_settings({}, provider=given.model)
    provider = open_provider(settings, environ=os.environ)
    try:
        extraction = run(
            transcript,
            Roster(game_masters=tuple(Player(name=name) for name in given.game_masters)),
            pipeline=next(iter(pipelines.values())),
            model=provider
            and ModelRun(provider=provider, settings=settings, checkpoints=Path("checkpoints")),
        )
    finally:
        if provider is not None:
            provider.close()
    sys.stdout.write(extraction.registry.encode().decode())
    sys.stdout.write(extraction.interactions.encode().decode())
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TalebearerError as error:
        sys.exit(f"{error}\nhint: {error.as_json()['hint']}")
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
