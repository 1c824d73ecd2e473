"""What a planned campaign can show, before anything has run."""

from __future__ import annotations

from windtunnel.spec.analysis import Family
from windtunnel.statistics.significance import detectable_effect

_RECOMMENDED = 10  # replications


def power_note(family: Family, replications: int) -> str:
    """The difference that verdicts can detect with 80 % power; empty without a family.

    In standard deviations of the differences by seed, because their size is known only afterwards.
    """
    if not family.size:
        return ""
    metrics = len(family.metrics)
    size = (
        f"family: {family.comparisons} comparison{'s' if family.comparisons != 1 else ''} x "
        f"{metrics} metric{'s' if metrics != 1 else ''}"
    )
    effect = detectable_effect(replications, family.size)
    if effect is None:
        return f"{size}; a single seed gives no intervals and no verdicts"
    text = (
        f"{size}; {replications} seeds can show differences of {effect:.1f} standard deviations "
        "by seed"
    )
    more = detectable_effect(_RECOMMENDED, family.size)
    if replications < _RECOMMENDED and more is not None:
        text += f", {_RECOMMENDED} seeds {more:.1f}"
    return text
