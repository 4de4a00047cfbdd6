"""A picture of the minds: who knows what of whom, and how sure, as inline SVG."""

from __future__ import annotations

import math

from markupsafe import Markup, escape

from talebearer.errors import visible
from talebearer.memory import Edge, Picture

WIDTH_PX = 900
HEIGHT_PX = 520
RADIUS_X_PX = 300
RADIUS_Y_PX = 200
NODE_PX = 7
BEND = 0.12
"""How far an edge bows to its right, as a share of its length: two between a pair stay apart."""

Point = tuple[float, float]


def minds_svg(picture: Picture, *, title: str) -> Markup:
    """Return the picture: everybody on a ring, a line from each mind to each that it knows of.

    A thicker line is surer, its colour is the relationship, and one that rests on gossip alone is
    dotted. What a line says in words is its tooltip, and the table beside the picture has it too.
    """
    count = max(len(picture.nodes), 1)
    places: dict[str, Point] = {}
    for index, node in enumerate(picture.nodes):
        angle = 2 * math.pi * index / count - math.pi / 2
        places[node.id] = (
            WIDTH_PX / 2 + RADIUS_X_PX * math.cos(angle),
            HEIGHT_PX / 2 + RADIUS_Y_PX * math.sin(angle),
        )
    parts = [
        f'<svg viewBox="0 0 {WIDTH_PX} {HEIGHT_PX}" role="img" aria-label="{escape(title)}" '
        f'class="minds"><title>{escape(title)}</title>'
    ]
    parts += [_edge(edge, places[edge.source], places[edge.target]) for edge in picture.edges]
    for node in picture.nodes:
        x, y = places[node.id]
        kind = "mind" if node.is_mind else "known"
        anchor = "start" if x > WIDTH_PX / 2 + 1 else "end" if x < WIDTH_PX / 2 - 1 else "middle"
        shift = {"start": 12.0, "end": -12.0, "middle": 0.0}[anchor]
        drop = 4 if anchor != "middle" else (-14 if y < HEIGHT_PX / 2 else 22)
        name = escape(visible(node.id.removeprefix("npc:")))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{NODE_PX}" class="{kind}"/>')
        parts.append(
            f'<text x="{x + shift:.1f}" y="{y + drop:.1f}" text-anchor="{anchor}">{name}</text>'
        )
    parts.append("</svg>")
    return Markup("".join(parts))  # noqa: S704 - every text in it went through escape


def _edge(edge: Edge, start: Point, end: Point) -> str:
    (x1, y1), (x2, y2) = start, end
    middle_x = (x1 + x2) / 2 - (y2 - y1) * BEND
    middle_y = (y1 + y2) / 2 + (x2 - x1) * BEND
    hearsay = edge.relationship == "unknown" and bool(edge.gossip)
    return (
        f'<path d="M{x1:.1f} {y1:.1f} Q{middle_x:.1f} {middle_y:.1f} {x2:.1f} {y2:.1f}" '
        f'class="r-{escape(edge.relationship)}{" hearsay" if hearsay else ""}" '
        f'stroke-width="{edge.sureness}"><title>{escape(visible(in_words(edge)))}</title></path>'
    )


def in_words(edge: Edge) -> str:
    """Return what a line of the picture says."""
    parts = [f"{edge.relationship.replace('_', ' ')}, {edge.confidence.replace('_', ' ')}"]
    if edge.standing:
        parts.append(f"standing {edge.standing:+d}")
    for count, what in (
        (edge.conversations, "conversations"),
        (edge.walk_aways, "walked out on"),
        (edge.left, "left by them"),
        (edge.confrontations, "confrontations"),
    ):
        if count:
            parts.append(f"{what} {count}")
    parts += edge.gossip
    return f"{edge.source} of {edge.target}: {'; '.join(parts)}"
