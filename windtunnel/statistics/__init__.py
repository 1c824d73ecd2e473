"""Statistics on plain numbers, independent of campaigns."""

from windtunnel.statistics.intervals import (
    CONFIDENCE,
    Difference,
    Estimate,
    estimate,
    paired_difference,
    unpaired_difference,
)

__all__ = [
    "CONFIDENCE",
    "Difference",
    "Estimate",
    "estimate",
    "paired_difference",
    "unpaired_difference",
]
