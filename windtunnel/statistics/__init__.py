"""Statistics on plain numbers, independent of campaigns."""

from windtunnel.statistics.intervals import (
    CONFIDENCE,
    Difference,
    Estimate,
    estimate,
    paired_difference,
    unpaired_difference,
)
from windtunnel.statistics.lines import Line, fit_line

__all__ = [
    "CONFIDENCE",
    "Difference",
    "Estimate",
    "Line",
    "estimate",
    "fit_line",
    "paired_difference",
    "unpaired_difference",
]
