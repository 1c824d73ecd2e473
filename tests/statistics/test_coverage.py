"""The interval of a relative difference contains the true one in 95 % of all samples."""

from __future__ import annotations

import os
import zlib
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from tests.coverage import CASES, Case, coverage, fixed_denominator_coverage

SAMPLES = 20_000
# Every fifth case. Each ratio has 36 combinations of correlation, number of pairs, what is equal,
# and spread; 5 and 36 have no common divisor, so that each combination occurs once, and every
# ratio seven times or eight. (Every third case would be the same 12 of the 36 for each ratio.)
# `make coverage` takes all cases.
COVERED = CASES if os.environ.get("COVERAGE_OF_ALL_CASES") else CASES[::5]


def _generator(case: Case) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(case.name.encode()))


def _paired(case: Case) -> float:
    return coverage(case, SAMPLES, _generator(case))


def _unpaired(case: Case) -> float:
    return coverage(case, SAMPLES, _generator(case), paired=False)


def _fixed(case: Case) -> float:
    return fixed_denominator_coverage(case, SAMPLES, _generator(case))


def test_paired_intervals_cover() -> None:
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        covered = dict(zip(COVERED, pool.map(_paired, COVERED), strict=True))
    outside = {case.name: share for case, share in covered.items() if not 0.935 <= share <= 0.965}
    assert outside == {}


def test_unpaired_intervals_cover() -> None:
    """With three values coverage is slightly off, because degrees of freedom are estimated."""
    cases = [case for case in COVERED if case.correlation == 0]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        covered = dict(zip(cases, pool.map(_unpaired, cases), strict=True))
    bounds = {3: (0.92, 0.972), 5: (0.935, 0.965), 30: (0.935, 0.965)}
    outside = {
        case.name: share
        for case, share in covered.items()
        if not bounds[case.n][0] <= share <= bounds[case.n][1]
    }
    assert outside == {}


def test_treating_the_baseline_mean_as_exact_loses_coverage() -> None:
    """The control: the cases expose an interval that ignores the variance of y."""
    shares = [_fixed(case) for case in CASES]
    assert sum(not 0.935 <= share <= 0.965 for share in shares) >= 4
