"""Statistics on plain numbers, independent of campaigns."""

from windtunnel.statistics.contrasts import Contrast, Moments, moments
from windtunnel.statistics.intervals import (
    CONFIDENCE,
    Difference,
    Estimate,
    difference,
    estimate,
    paired_difference,
    unpaired_difference,
)
from windtunnel.statistics.lines import Line, fit_line

__all__ = [
    "CONFIDENCE",
    "Contrast",
    "Difference",
    "Estimate",
    "Line",
    "Moments",
    "difference",
    "estimate",
    "fit_line",
    "moments",
    "paired_difference",
    "unpaired_difference",
]
