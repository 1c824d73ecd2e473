"""A comparison fits the terminal, and says what it leaves out."""

from __future__ import annotations

import io
import itertools
import re
from typing import Any

import pytest
from rich.console import Console

from windtunnel.cli.comparison_table import print_comparison

LABELS = ["newreno", "vegas Alpha=1"]


def comparison(baseline: bool = True, metrics: int = 4) -> dict[str, Any]:
    names = [f"metric {index} with a title" for index in range(metrics)]
    value = {
        "estimate": {"mean": 1234.56, "half_width": 12.3},
        "values": {"1": 1, "2": 2, "3": 3},
        "against_baseline": None,
    }
    change = {"mean": 1, "half_width": 1, "relative_mean": -0.756, "relative_half_width": 0.015}
    return {
        "axes": ["algorithm", "topology.queue.limit"],
        "baseline": {"algorithm": "newreno"} if baseline else {},
        "family": {"comparisons": 7 if baseline else 0, "metrics": names, "size": 7 * metrics},
        "metrics": [{"name": name, "title": name, "unit": "ms"} for name in names],
        "rankings": [],
        "coexistence": [],
        "summary": [],
        "cells": [
            {
                "index": index,
                "coordinates": {"algorithm": label, "topology.queue.limit": "100p"},
                "is_baseline": label == "newreno",
                "planned": 3,
                "finished": 3,
                "metrics": {
                    name: {
                        **value,
                        "against_baseline": change if baseline and label != "newreno" else None,
                        "verdict": {"label": "better"} if baseline else None,
                    }
                    for name in names
                },
            }
            for index, label in enumerate(LABELS)
        ],
        "notes": ["3 seeds; mean ± half-width"],
    }


def printed(width: int, **options: Any) -> str:
    stream = io.StringIO()
    print_comparison(
        comparison(**options), Console(file=stream, width=width, force_terminal=True, no_color=True)
    )
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


@pytest.mark.parametrize("width", range(20, 220, 5))
def test_no_number_and_no_axis_is_cut_at_any_width(width: int) -> None:
    text = " ".join(printed(width).split())
    assert text.count("1,235 ± 12") == 2 * 4
    assert "…" not in text
    for part in ("algorithm", "limit", "vegas Alpha=1", "100p"):
        assert part in text
    assert all(len(line) <= width for line in printed(width).splitlines())


@pytest.mark.parametrize("width", range(20, 220, 5))
def test_differences_are_shown_or_named_in_the_footer(width: int) -> None:
    text = " ".join(printed(width).split())
    left_out = (
        f"differences to newreno left out: the terminal has {width} columns; --json or a wider "
        "terminal shows them"
    )
    assert (text.count("-75.6 % ± 1.5") == 4) != (left_out in text)


def test_wide_terminals_have_one_table_and_narrow_ones_a_table_per_metric() -> None:
    assert printed(200).count("algorithm") == 1
    assert "-75.6 %" in printed(200)
    assert printed(130).count("algorithm") == 1
    assert "-75.6 %" not in printed(130)
    assert printed(70).count("algorithm") == 4


def test_without_a_baseline_nothing_is_left_out() -> None:
    text = printed(80, baseline=False)
    assert "left out" not in text
    assert "vs" not in text


def coexistence(baseline: dict[str, str], finished: int = 3) -> str:
    """The comparison of two groups that each have an axis of algorithms."""
    groups = [f"workload.groups[{group}].algorithm" for group in (0, 1)]
    shown = comparison(metrics=1)
    cells = [
        {
            **shown["cells"][0 if pair == ("cubic", "cubic") else 1],
            "coordinates": dict(zip(groups, pair, strict=True)),
            "finished": finished,
            "is_baseline": False,
        }
        for pair in itertools.product(("cubic", "bbr"), repeat=2)
    ]
    stream = io.StringIO()
    print_comparison(
        {**shown, "axes": groups, "baseline": baseline, "cells": cells},
        Console(file=stream, width=200),
    )
    return stream.getvalue()


def test_axes_and_the_baseline_of_equal_names_can_be_told_apart() -> None:
    first, second = (f"workload.groups[{group}].algorithm" for group in (0, 1))
    both = coexistence({first: "cubic", second: "bbr"})
    assert "groups[0].algorithm   groups[1].algorithm" in both
    assert "cubic, bbr" in both
    assert "groups[1].algorithm cubic" in coexistence({second: "cubic"})


def test_without_any_result_there_are_reasons_only() -> None:
    assert coexistence({}, finished=0).splitlines() == [
        "no run has succeeded, so there is nothing to compare",
        "3 seeds; mean ± half-width",  # the service's notes
    ]


def test_verdicts_are_shown_at_any_width() -> None:
    for width in (200, 110, 80, 60, 30):
        text = " ".join(printed(width).split())
        assert text.count("better") == 4, width
        assert "baseline" in text


def test_metrics_outside_the_family_have_no_verdict_column() -> None:
    shown = comparison()
    shown["family"]["metrics"] = shown["family"]["metrics"][:1]
    for cell in shown["cells"]:
        for name in list(cell["metrics"])[1:]:
            cell["metrics"][name] = {**cell["metrics"][name], "verdict": None}
    stream = io.StringIO()
    print_comparison(shown, Console(file=stream, width=200))
    assert stream.getvalue().count("better") == 1
