"""Record values for tests: small, valid, and different where a test needs it."""

from __future__ import annotations

from typing import Any

from talebearer.testing._samples import (
    sample_artifact_metadata,
    sample_knowledge,
    sample_structured,
)

__all__ = ["indexed_artifact", "knowledge", "managed_artifact", "structured", "with_profile"]


def knowledge(text: str, *, note: str | None = None) -> dict[str, Any]:
    """Return a text record; records with different notes differ outside their content."""
    return _noted(sample_knowledge(text), note)


def structured(value: Any, *, note: str | None = None) -> dict[str, Any]:
    """Return a structured record."""
    return _noted(sample_structured(value), note)


def with_profile(**dimensions: Any) -> dict[str, Any]:
    """Return a text record with other profile dimensions."""
    value = sample_knowledge()
    value["profile"] = {**value["profile"], **dimensions}
    return value


def indexed_artifact(**members: Any) -> dict[str, Any]:
    """Return an artifact whose bytes another provider holds."""
    placement = {"kind": "indexed", "provider": "disk", "locator": "notes.txt", "revision": None}
    return {**_artifact(placement), **members}


def managed_artifact(provider: str = "local", **members: Any) -> dict[str, Any]:
    """Return an artifact that claims managed bytes."""
    key = f"sha256/{'0' * 64}"
    placement = {"kind": "managed", "provider": provider, "key": key}
    digest = f"sha256:{'0' * 64}"
    return {**_artifact(placement), "byte_length": 3, "digest": digest, **members}


def _artifact(placement: dict[str, Any]) -> dict[str, Any]:
    return {
        "media_type": "text/plain",
        "name": None,
        "byte_length": None,
        "digest": None,
        "placement": placement,
        "metadata": sample_artifact_metadata(),
    }


def _noted(value: dict[str, Any], note: str | None) -> dict[str, Any]:
    if note is not None:
        value["metadata"]["extensions"] = {"test.note": {"text": note}}
    return value
