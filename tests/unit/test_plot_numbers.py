"""Digits, ticks, hues and dashes of figures are those of the pages."""

from __future__ import annotations

import json
import math
import re

import pytest

from tests.conftest import ROOT
from windtunnel.plot import algorithms
from windtunnel.plot.algorithms import algorithm_style, dashes_of_lines, fnv1a, split_name
from windtunnel.plot.axes import axes_of, parse_quantity, with_unit
from windtunnel.plot.heat import DIVERGING, SEQUENTIAL, cell_number, diverging
from windtunnel.plot.numbers import (
    fixed,
    format_compact,
    format_interval,
    format_place,
    format_tick,
    format_value,
)
from windtunnel.plot.scales import (
    Estimate,
    interval_ends,
    linear_ticks,
    log_ticks,
    nice_domain,
    place_ticks,
    spread_labels,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (fixed(1234.5, 0), "1,235"),
        (fixed(-0.04, 1), "0.0"),
        (fixed(-2.5, 1), "−2.5"),
        (format_value(782.19, 0.84), "782.2"),
        (format_value(782.19, 12), "782"),
        (format_value(0.12345), "0.123"),
        (format_value(40, 0), "40"),
        (format_interval(782.19, 781.35, 783.03), "782.2 ± 0.8"),
        (format_interval(42, 31, 55), "42 (31 to 55)"),
        (format_interval(5, 5, 5), "5"),
        (format_compact(12345), "12k"),
        (format_compact(1234), "1.2k"),
        (format_compact(0.1234), "0.123"),
        (format_tick(0, 1), "0"),
        (format_tick(0.25, 0.25), "0.25"),
        (format_tick(2e6, 1e6), "2M"),
        (format_tick(1e-5, 1e-5), "1e−5"),
        (format_place(0.1), "0.1"),
        (format_place(16384), "16,384"),
        (format_place(-3), "−3"),
        (cell_number(167.4, 3, False), "167"),
        (cell_number(9.44, 1.98, False), "9.4"),
    ],
)
def test_digits(text: str, expected: str) -> None:
    assert text == expected


def test_ends_and_ticks_of_linear_axes_are_round() -> None:
    assert nice_domain([3, 847], 0) == (0, 1000)
    assert nice_domain([3, 7]) == (3, 7)
    assert nice_domain([0], 0) == (0, 1)
    assert nice_domain([]) == (0, 1)
    assert [tick.label for tick in linear_ticks((0, 1), 4)] == [
        "0",
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1.0",
    ]


def test_ticks_of_log_axes_are_doublings_or_decades() -> None:
    assert [tick.value for tick in log_ticks((1, 32))] == [1, 2, 4, 8, 16, 32]
    assert [tick.value for tick in log_ticks((0.5, 20))] == [0.5, 1, 2, 5, 10, 20]
    assert [tick.value for tick in log_ticks((1.4, 3000))] == [10, 100, 1000]
    assert nice_domain([0.5, 30], log=True) == pytest.approx((0.1, 100))
    assert nice_domain([1, 30], log=True) == (1, 32)


def test_places_are_labelled_where_they_fit() -> None:
    def position(value: float) -> float:
        return 20 * math.log2(value)

    ticks = place_ticks([1, 2, 4, 8, 9, 16], position, True, 7, [])
    assert [tick.label for tick in ticks] == ["1", "2", "4", "8", "", "16"]


def test_an_interval_far_above_all_means_is_cut() -> None:
    ends = interval_ends([Estimate(10, 8, 12, 5), Estimate(4, -900, 900, 2)])
    assert max(ends) == 25
    assert min(ends) == -25


def test_labels_are_moved_apart_as_little_as_possible() -> None:
    assert spread_labels([10, 11, 40], 9, 0, 50) == [6.0, 15.0, 40]
    assert spread_labels([0, 0, 0], 9, 0, 12) == [0, 6, 12]
    assert spread_labels([], 9, 0, 12) == []


def test_hues_are_those_of_the_pages_table() -> None:
    table = json.loads((ROOT / "web/src/figures/algorithms.json").read_text())
    for name, (hue, marker) in table["kinds"].items():
        style = algorithm_style(name)
        assert (style.hue, style.marker, style.dash) == (hue, marker, 0)
        assert algorithms.hue(style.hue) == table["hues"]["light"][hue]


def test_unknown_names_and_variants_are_hashed() -> None:
    # FNV-1a's published test vectors
    assert (fnv1a(""), fnv1a("a"), fnv1a("foobar")) == (0x811C9DC5, 0xE40C292C, 0xBF9CF968)
    assert split_name("vegas Alpha=1") == ("vegas", "Alpha=1")
    assert split_name("linux/cubic") == ("cubic", "linux")
    assert algorithm_style("mine").hue == fnv1a("mine") % 12
    variant = algorithm_style("vegas Alpha=1")
    assert (variant.hue, variant.dash) == (4, 1 + fnv1a("Alpha=1") % 7)


def test_lines_of_one_name_have_different_dashes() -> None:
    assert dashes_of_lines(["cubic", "cubic", "bbr"]) == [0, 1, 0]
    variants = [f"vegas Alpha={index}" for index in range(7)]
    assert sorted(dashes_of_lines(variants)) == [1, 2, 3, 4, 5, 6, 7]


def test_tones_are_those_of_the_pages() -> None:
    tokens = (ROOT / "web/src/styles/tokens.css").read_text()
    light = dict(re.findall(r"--([qd]\d): (#\w+);", tokens.split("@media", 1)[0]))
    assert [light[f"q{index}"] for index in range(7)] == list(SEQUENTIAL)
    assert [light[f"d{index}"] for index in range(9)] == list(DIVERGING)
    assert [diverging(share) for share in (0, 25, 92.5, 107.5, 108, 175, 176)] == [
        DIVERGING[index] for index in (0, 1, 4, 4, 5, 7, 8)
    ]


def test_labels_of_an_axis_are_numbers_in_one_unit() -> None:
    cells = [{"coordinates": {"a.size": label}} for label in ("0", "500KB", "2MB")]
    [axis] = axes_of(["a.size"], cells)
    assert (axis.title, axis.unit, axis.numbers) == (
        "size",
        "KB",
        {"0": 0, "500KB": 500, "2MB": 2000},
    )
    mixed = [{"coordinates": {"a.size": label}} for label in ("10ms", "2MB")]
    assert axes_of(["a.size"], mixed)[0].numbers is None
    assert parse_quantity("1.5 Gbps") == (1.5, "Gbps")
    assert parse_quantity("auto") is None


def test_titles_of_axes() -> None:
    assert with_unit("goodput", "Mb/s") == "Goodput (Mb/s)"
    assert with_unit("cwnd mean", "segments") == "cwnd mean (segments)"
    assert with_unit("FCT p99", "ms") == "FCT p99 (ms)"
    assert with_unit("throughput share", "1") == "Throughput share"
