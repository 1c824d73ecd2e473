"""A comparison as Markdown and LaTeX, and a run as a data file of Flent."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from datetime import UTC, datetime
from typing import Any

import pytest

from windtunnel.exports.flent_file import FlentRun, data_file, flent_archive, is_goodput
from windtunnel.exports.latex_file import escaped, figure, latex_file
from windtunnel.exports.markdown_file import markdown_file
from windtunnel.exports.origin import Origin

ORIGIN = Origin("7f3a", "study", "comparison", planned=12, finished=11, failed=1)
STARTED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def cell(label: str, mean: float, change: float | None, outcome: str | None) -> dict[str, Any]:
    difference = None
    if change is not None:
        difference = {
            "mean": mean - 10, "half_width": 0.5, "relative_mean": change,
            "relative_half_width": 0.01,
        }  # fmt: skip
    verdict = {"label": outcome or "no verdict", "outcome": outcome} if change is not None else None
    return {
        "coordinates": {"scenario.algorithm": label},
        "is_baseline": change is None,
        "planned": 3,
        "metrics": {
            "goodput_mbps": {
                "values": {"1": mean, "2": mean, "3": mean},
                "estimate": {"mean": mean, "half_width": 0.25},
                "against_baseline": difference,
                "verdict": verdict,
            }
        },
    }


def comparison(*outcomes: str | None) -> dict[str, Any]:
    """The baseline, and a cell 20 % above it for each outcome."""
    others = [cell(f"a_{number}", 12.0, 0.2, outcome) for number, outcome in enumerate(outcomes)]
    return {
        "axes": ["scenario.algorithm"],
        "baseline": {"scenario.algorithm": "new_reno"},
        "metrics": [{"name": "goodput_mbps", "title": "goodput", "unit": "Mb/s"}],
        "cells": [cell("new_reno", 10.0, None, None), *others],
        "notes": ["3 seeds; a_b"],
    }


def test_markdown_has_a_table_per_metric() -> None:
    shown = b"".join(markdown_file(ORIGIN, comparison("better", None))).decode()
    assert shown == (
        "# study\n\n"
        "> incomplete: 11 of 12 runs have finished, 1 failed\n\n"
        "## goodput (Mb/s)\n\n"
        "| algorithm | mean ± 95 % | difference to new\\_reno | verdict |\n"
        "| --- | ---: | ---: | --- |\n"
        "| new\\_reno | 10.00 ± 0.25 | baseline |  |\n"
        "| a\\_0 | 12.00 ± 0.25 | +20.0 % ± 1.0 | better |\n"
        "| a\\_1 | 12.00 ± 0.25 | +20.0 % ± 1.0 | no verdict |\n"
        "\n- 3 seeds; a\\_b\n"
    )


def test_latex_marks_verdicts_and_explains_the_marks() -> None:
    shown = b"".join(latex_file(ORIGIN, comparison("worse", "equivalent", None))).decode()
    lines = [line.strip() for line in shown.splitlines()]
    assert lines[:2] == [
        "% study, campaign 7f3a; needs \\usepackage{booktabs}",
        "% incomplete: 11 of 12 runs have finished, 1 failed",
    ]
    difference = r"12.00 $\pm$ 0.25 & +20.0\,\% $\pm$ 1.0"
    assert rf"a\_0 & {difference}$^{{*}}$ \\" in lines
    assert rf"a\_1 & {difference}$^{{=}}$ \\" in lines
    assert rf"a\_2 & {difference} \\" in lines
    assert "$^{*}$ significant at 5\\,\\% after Holm's correction" in shown
    assert "$^{=}$ equivalent within the relevance threshold." in shown


def test_one_seed_has_no_interval() -> None:
    content = comparison(None)
    for each in content["cells"]:
        each["planned"] = 1
    latex = b"".join(latex_file(ORIGIN, content)).decode()
    assert (
        r"\caption{goodput (Mb/s): over 1 seed, without an interval, and difference to new\_reno.}"
    ) in latex
    assert "confidence" not in latex
    markdown = b"".join(markdown_file(ORIGIN, content)).decode()
    assert "| algorithm | 1 seed, without an interval | difference" in markdown
    assert "95" not in markdown


def test_latex_does_not_explain_marks_that_it_does_not_use() -> None:
    shown = b"".join(latex_file(ORIGIN, comparison(None))).decode()
    assert "$^{" not in shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50%", r"50\%"),
        ("a_b", r"a\_b"),
        ("{x}", r"\{x\}"),
        ("\\", r"\textbackslash{}"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("#&$", r"\#\&\$"),
        ("--", "{-}{-}"),
        ("±", r"$\pm$"),
    ],
)
def test_latex_prints_text_as_it_is(text: str, expected: str) -> None:
    assert escaped(text) == expected


def test_negative_figures_have_a_minus() -> None:
    assert figure("-60.1 % ± 3.0") == r"$-$60.1\,\% $\pm$ 3.0"


def run_of_two_flows() -> FlentRun:
    series = {
        "goodput flow0": ([0.1, 0.2], [2.0, 3.0]),
        "goodput flow10": ([0.1, 0.2], [4.0, 1.0]),
        "rtt flow0": ([0.05, 0.1], [20.0, 25.0]),
        "rtt flow7": ([0.1], [1.0]),  # a flow without a goodput
        "queue_length bottleneck": ([0.1], [5.0]),
    }
    return FlentRun(3, 2, "ab12", {"algorithm": "cubic"}, series)


def test_a_flent_file_has_the_series_of_flents_test() -> None:
    content = json.loads(gzip.decompress(data_file(ORIGIN, STARTED, run_of_two_flows())))
    assert content["version"] == 4
    assert content["x_values"] == [0.1, 0.2]
    assert content["results"] == {
        "TCP upload::1": [2.0, 3.0],
        "TCP upload::2": [4.0, 1.0],
        "TCP upload avg": [3.0, 2.0],
        "TCP upload sum": [6.0, 4.0],
        "TCP upload fairness": [pytest.approx(36 / 40), pytest.approx(16 / 20)],
    }
    begin = STARTED.timestamp()
    assert content["raw_values"]["TCP upload::1"] == [
        {"t": begin + 0.05, "tcp_rtt": 20.0},
        {"t": begin + 0.1, "tcp_rtt": 25.0, "val": 2.0},
        {"t": begin + 0.2, "val": 3.0},
    ]
    metadata = content["metadata"]
    assert metadata["NAME"] == "tcp_nup"
    assert metadata["TITLE"] == "study: algorithm=cubic, seed 2"
    assert metadata["TIME"] == "2026-01-02T03:04:05.000000Z"
    assert metadata["TEST_PARAMETERS"] == {"upload_streams": "2"}


def test_sums_need_every_flow() -> None:
    series = {"goodput flow0": ([0.1, 0.2], [2.0, 3.0]), "goodput flow1": ([0.2], [1.0])}
    run = FlentRun(0, 1, "ab12", {}, series)
    results = json.loads(gzip.decompress(data_file(ORIGIN, STARTED, run)))["results"]
    assert results["TCP upload::2"] == [None, 1.0]
    assert results["TCP upload sum"] == [None, 4.0]


def test_the_archive_has_a_file_per_run_and_the_origin() -> None:
    chunks = list(flent_archive(ORIGIN, STARTED, [run_of_two_flows()]))
    with tarfile.open(fileobj=io.BytesIO(b"".join(chunks))) as archive:
        assert archive.getnames() == ["campaign.json", "cell0003-seed0002.flent.gz"]
        origin = archive.extractfile("campaign.json")
        assert origin is not None
        assert json.load(origin)["complete"] is False


def test_goodput_of_flows_only() -> None:
    assert is_goodput("goodput flow12")
    assert not is_goodput("goodput")
    assert not is_goodput("rtt flow1")
