"""Numbers in, dataclasses out; knows nothing of campaigns."""

from windtunnel.statistics.intervals import Estimate, PairedDifference, estimate, paired_difference

__all__ = ["Estimate", "PairedDifference", "estimate", "paired_difference"]
