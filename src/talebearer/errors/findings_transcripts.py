"""TB5xx: findings about transcripts."""

from __future__ import annotations

from talebearer.errors._catalogue import register
