"""Short names of axes for tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence


def axis_titles(axes: Sequence[str]) -> list[str]:
    """The shortest endings of axis names that tell them apart.

    ``algorithm``, or ``groups[0].algorithm`` beside ``groups[1].algorithm``.
    """
    return [_axis_title(axis, [other for other in axes if other != axis]) for axis in axes]


def _axis_title(axis: str, others: Sequence[str]) -> str:
    parts = axis.split(".")
    endings = (".".join(parts[-length:]) for length in range(1, len(parts)))
    return next(
        (
            ending
            for ending in endings
            if not any(other == ending or other.endswith(f".{ending}") for other in others)
        ),
        axis,
    )
