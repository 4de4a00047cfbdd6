"""Options of the commands that ask for lines."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from talebearer.errors import UsageFault

if TYPE_CHECKING:
    from talebearer.campaign import LineOptions, SceneDefaults

StrategyOption = Annotated[
    str | None,
    typer.Option("--strategy", metavar="S", help="How the draw is made; else the pools say."),
]
EventOption = Annotated[
    list[str] | None,
    typer.Option("--event", metavar="FIELD=VALUE", help="A field of what happened; repeatable."),
]
SpeakingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--speaking", metavar="CLASS:WHO", help="What is being spoken now, and by whom; repeatable."
    ),
]
SaidInOption = Annotated[
    str | None,
    typer.Option(
        "--language", metavar="CODE", help="Say lines in this language; else as campaign.toml says."
    ),
]


def line_options(
    strategy: str | None, event: list[str] | None, speaking: list[str] | None
) -> LineOptions:
    """Return what the three options say.

    Raises:
        UsageFault: One has another form (TB111).
    """
    from talebearer.campaign import LineOptions

    return LineOptions(
        strategy=strategy,
        event=dict(_field(text) for text in event or ()),
        speaking=tuple(_speech(text) for text in speaking or ()),
    )


def _field(text: str) -> tuple[str, str | int | float | bool]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise UsageFault(f"--event {text!r}", hint="such as --event item=lantern")
    return name, _scalar(value)


def _scalar(text: str) -> str | int | float | bool:
    """Return a number or a flag where *text* is one as JSON writes it, else the text."""
    try:
        value = json.loads(text, parse_constant=lambda word: word)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str | int | float | bool) else text


def _speech(text: str) -> tuple[str, str]:
    kind, sign, who = text.partition(":")
    if not sign or not kind or not who:
        raise UsageFault(f"--speaking {text!r}", hint="such as --speaking speech:maelis-brandt")
    return kind, who


def scene_options(
    *,
    location: str | None,
    access: str | None,
    trust: str | None,
    situations: list[str] | None,
    topics: list[str] | None,
    moods: list[str] | None,
) -> SceneDefaults:
    """Return the scene as far as options give it."""
    from talebearer.campaign import SceneDefaults

    return SceneDefaults(
        location=location,
        access=access,
        trust=trust,
        situations=tuple(situations) if situations else None,
        topics=tuple(topics) if topics else None,
        moods=tuple(moods) if moods else None,
    )
