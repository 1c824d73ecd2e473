"""Names and figures of a comparison as text, for tables on the command line and exported ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windtunnel.numbers import number


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


def estimate(metric: Mapping[str, Any], planned: int, short: bool = False) -> str:
    """Format mean and half-width of the 95 % interval: ``12.4 ± 0.6``.

    Adds ``(n = 2)`` if seeds are missing. A value that is the same for every seed becomes
    ``0 in all 3 seeds``, or ``0 in all 3`` if ``short``.
    """
    values = len(metric["values"])
    sample_size = f" (n = {values})" if 0 < values < planned else ""
    if metric["estimate"] is None:
        return "n = 0"
    mean, half = metric["estimate"]["mean"], metric["estimate"]["half_width"]
    if half is None:
        return number(mean) + sample_size
    if half == 0:
        seeds = f"all {values}" if values == planned else f"{values} of {planned}"
        return f"{number(mean)} in {seeds}" + ("" if short else " seeds")
    return f"{number(mean, half)} ± {number(half, half)}{sample_size}"


def difference(metric: Mapping[str, Any]) -> str:
    """Format the difference to the baseline: ``-60.1 % ± 3.0``, or absolute if not available."""
    change = metric["against_baseline"]
    if change is None:
        return ""
    if change["relative_mean"] is None:
        mean, half = change["mean"], change["half_width"]
        return f"{number(mean, half)} ± {number(half, half)}" if half else number(mean)
    text = f"{100 * change['relative_mean']:+.1f} %"
    half = change["relative_half_width"]
    return text if half is None else f"{text} ± {100 * half:.1f}"


def title(metric: Mapping[str, Any]) -> str:
    """A metric's title with its unit: ``packet delay p99 (ms)``."""
    unit = f" ({metric['unit']})" if metric["unit"] not in ("", "packets") else ""
    return f"{metric['title']}{unit}"
