"""What counts as growth in an hour of soak."""

from __future__ import annotations

import pytest

from soak.verdicts import Kind, Series, judge

LATER = 80.0  # of 100 s


def grew(kind: Kind, warm_up: float, early: list[float], late: float) -> bool:
    """The verdict on a series with these values in its first, second and last quarter."""
    series = Series("something", kind)
    points = [(10.0, warm_up), *((30.0 + i, value) for i, value in enumerate(early)), (LATER, late)]
    (verdict,) = judge([(at, {series: value}) for at, value in points], 100)
    assert verdict.most == max(warm_up, *early, late)
    return verdict.grew


@pytest.mark.parametrize(
    ("kind", "early", "late", "expected"),
    [
        (Kind.MEMORY, [50.0], 60.0, False),  # 10 MB
        (Kind.MEMORY, [50.0], 60.1, True),
        (Kind.MEMORY, [500.0], 550.0, False),  # 10 %
        (Kind.MEMORY, [500.0], 550.1, True),
        (Kind.COUNT, [3.0, 9.0, 4.0], 9.0, False),  # the most that was seen
        (Kind.COUNT, [3.0, 9.0, 4.0], 10.0, True),
        (Kind.TABLE, [1.0], 3.0, False),
        (Kind.TABLE, [100.0], 126.0, True),
        (Kind.KEPT, [1.0], 100.0, False),
    ],
)
def test_growth_is_judged_by_kind(
    kind: Kind, early: list[float], late: float, expected: bool
) -> None:
    assert grew(kind, 0.0, early, late) is expected


def test_a_pool_may_fill_up_to_its_size() -> None:
    for late, expected in ((20.0, False), (21.0, True)):
        series = Series("connections", Kind.COUNT, limit=20)
        (verdict,) = judge([(30.0, {series: 9.0}), (80.0, {series: late})], 100)
        assert verdict.grew is expected


def test_the_warm_up_does_not_count() -> None:
    assert grew(Kind.COUNT, 100.0, [5.0], 6.0)
    assert not grew(Kind.MEMORY, 1.0, [50.0], 50.0)


def test_a_series_without_samples_in_both_quarters_is_not_judged() -> None:
    series = Series("gone", Kind.COUNT)
    assert judge([(30.0, {series: 1.0}), (60.0, {series: 2.0})], 100) == []
