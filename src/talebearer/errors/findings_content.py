"""TB4xx: findings about content."""

from __future__ import annotations

from talebearer.errors._catalogue import register
