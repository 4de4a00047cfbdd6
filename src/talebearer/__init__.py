"""Characters with a memory that has receipts.

The front door of the library is :class:`Campaign`. It is loaded on first use, so that importing
the package, or printing its version, costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from talebearer._version import __version__

if TYPE_CHECKING:
    from talebearer.campaign import Campaign

__all__ = ["Campaign", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Campaign":
        from talebearer.campaign import Campaign

        return Campaign
    raise AttributeError(f"module 'talebearer' has no attribute {name!r}")
