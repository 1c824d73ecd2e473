"""Locations of non-Python files: beside the package in a checkout, inside it in a wheel."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource(name: str) -> Path:
    """A folder such as ``migrations`` or ``sim-images/ns3``; it may not exist."""
    shipped = _PACKAGE / "_shipped" / name
    return shipped if shipped.exists() else _PACKAGE.parent / name
