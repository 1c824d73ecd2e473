"""Whether a series of samples grew: the second quarter of the soak against the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median


class Kind(Enum):
    """What is measured, and hence how much it may differ at the end."""

    MEMORY = "MB"  # by 10 % or 10 MB
    SIZE = "size"  # by 10 % or 10
    COUNT = "count"  # up to the most that was seen in the second quarter
    TABLE = "table MB"  # by 25 % or 2 MB: rows in between two vacuums
    KEPT = "kept MB"  # kept on purpose, such as the audit log


@dataclass(frozen=True)
class Series:
    """What a series of samples is about. ``limit``: what it may reach at any time, such as the size
    of a pool that fills up."""

    name: str
    kind: Kind
    limit: float = 0.0


Sample = dict[Series, float]


@dataclass(frozen=True)
class Verdict:
    """Medians of the second and the last quarter, the most that was seen, and whether it grew."""

    series: Series
    early: float
    late: float
    most: float
    grew: bool


def judge(samples: Sequence[tuple[float, Sample]], seconds: float) -> list[Verdict]:
    """Judge each series of a soak of this length; samples are (seconds since the start, values).

    The first quarter is the warm-up. A series without samples in both quarters is not judged.
    """
    names = {series: None for _, sample in samples for series in sample}
    verdicts = []
    for series in names:
        points = [(at / seconds, sample[series]) for at, sample in samples if series in sample]
        early = [value for part, value in points if 0.25 <= part < 0.5]
        late = [value for part, value in points if part >= 0.75]
        if early and late:
            most = max(value for _, value in points)
            grew = median(late) > max(series.limit, _allowed(series.kind, early))
            verdicts.append(Verdict(series, median(early), median(late), most, grew))
    return verdicts


def _allowed(kind: Kind, early: Sequence[float]) -> float:
    usual = median(early)
    match kind:
        case Kind.MEMORY | Kind.SIZE:
            return usual + max(0.1 * usual, 10)
        case Kind.COUNT:
            return max(early)
        case Kind.TABLE:
            return usual + max(0.25 * usual, 2)
        case Kind.KEPT:
            return float("inf")
