"""What the command line prints of numbers."""

import pytest

from windtunnel.cli.render import amount, difference, duration, estimate, number


def metric(mean: float, ci95: tuple[float, float] | None) -> dict[str, object]:
    return {"estimate": {"mean": mean, "ci95": ci95}, "against_baseline": None}


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (12.3456, 0.61, "12.35 ± 0.61"),
        (1480.2, 120.0, "1,480 ± 120"),
        (0.0, 0.0, "0 ± 0"),
        (16.5, 3.0, "16.5 ± 3.0"),
        (0.00123, 0.00045, "0.00123 ± 0.00045"),
    ],
)
def test_digits_follow_the_uncertainty(mean: float, half: float, text: str) -> None:
    assert estimate(metric(mean, (mean - half, mean + half))) == text


def test_a_single_observation_has_no_interval() -> None:
    assert estimate(metric(579.0, None)) == "579"
    assert number(4.855570053) == "4.856"


def test_differences_are_relative_where_that_is_possible() -> None:
    against = {
        "difference": {"mean": -3.0},
        "relative_mean": -0.756,
        "relative_ci95": (-0.857, -0.655),
    }
    assert difference({"against_baseline": against}) == "-75.6 % ± 10.1"
    absolute = {"difference": {"mean": -3.0}, "relative_mean": None, "relative_ci95": None}
    assert difference({"against_baseline": absolute}) == "-3"


def test_durations_and_amounts() -> None:
    assert [duration(s) for s in (0.4, 59, 70, 7500)] == ["0 s", "59 s", "1 min 10 s", "2 h 5 min"]
    assert [amount(n) for n in (12, 1234, 1.9e6, 2e9)] == ["12", "1.2 k", "1.9 M", "2.0 G"]
