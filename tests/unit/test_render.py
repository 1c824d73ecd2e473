"""Formatting of numbers on the command line."""

import io
import re
from datetime import datetime
from typing import Any

import pytest
from rich.console import Console

from windtunnel.cli.following import time_left
from windtunnel.cli.render import (
    ProgressBar,
    amount,
    builds,
    cpu_time,
    duration,
    grid_size,
    print_message,
    print_status,
    runs_text,
    size,
)
from windtunnel.numbers import number
from windtunnel.texts import axis_titles, difference, estimate, title


def metric(mean: float, half_width: float | None, n: int = 3) -> dict[str, Any]:
    return {
        "estimate": {"mean": mean, "half_width": half_width},
        "values": {str(seed): mean for seed in range(1, n + 1)},
        "against_baseline": None,
    }


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [
        (12.3456, 0.61, "12.3 ± 0.6"),
        (1480.2, 120.0, "1,480 ± 120"),
        (0.0, 0.0, "0 in all 3 seeds"),
        (100.0, 0.0, "100 in all 3 seeds"),
        (16.5, 3.0, "16 ± 3"),
        (0.00123, 0.00045, "0.0012 ± 0.0004"),
    ],
)
def test_digits_follow_the_uncertainty(mean: float, half: float, text: str) -> None:
    assert estimate(metric(mean, half), planned=3) == text


def test_a_single_observation_has_no_interval() -> None:
    assert estimate(metric(579.0, None, n=1), planned=1) == "579"
    assert number(4.855570053) == "4.86"


def test_differences_are_relative_where_that_is_possible() -> None:
    against = {"mean": -3.0, "half_width": 1.0, "relative_mean": -0.756}
    relative = {**against, "relative_half_width": 0.101}
    assert difference({"against_baseline": relative}) == "-75.6 % ± 10.1"
    one_pair = {**against, "half_width": None, "relative_half_width": None}
    assert difference({"against_baseline": one_pair}) == "-75.6 %"
    absolute = {"mean": -3.0, "half_width": 0.25, "relative_mean": None}
    assert difference({"against_baseline": absolute}) == "-3.00 ± 0.25"
    assert difference({"against_baseline": None}) == ""


def test_missing_seeds_are_in_the_figure() -> None:
    assert estimate(metric(12.3456, 0.61, n=2), planned=3) == "12.3 ± 0.6 (n = 2)"
    assert estimate(metric(12.3456, None, n=1), planned=3) == "12.3 (n = 1)"
    assert estimate(metric(0.0, 0.0, n=2), planned=3) == "0 in 2 of 3 seeds"
    assert estimate(metric(0.0, 0.0), planned=3, short=True) == "0 in all 3"
    assert estimate({"estimate": None, "values": {}}, planned=3) == "n = 0"


def test_a_build_has_its_short_digest_and_when_it_was_compiled() -> None:
    digest = "2cbfa375" + "0" * 56
    now = datetime.now().astimezone()
    today = [{"name": "ns3", "digest": digest, "built_at": now.isoformat()}]
    assert builds(today) == f"ns3 2cbfa375 (built today {now:%H:%M})"
    old = now.replace(year=2024, month=3, day=1)
    earlier = [{"name": "ns3", "digest": digest, "built_at": old.isoformat()}]
    assert builds(earlier) == f"ns3 2cbfa375 (built 2024-03-01 {now:%H:%M})"
    assert builds([{"name": "tiny", "digest": digest, "built_at": None}]) == "tiny 2cbfa375"


def test_titles_have_their_unit() -> None:
    assert title({"title": "packet delay p99", "unit": "ms"}) == "packet delay p99 (ms)"
    assert title({"title": "drops total", "unit": "packets"}) == "drops total"


def test_durations_and_amounts() -> None:
    assert [duration(s) for s in (0.4, 59, 70, 7500)] == ["0 s", "59 s", "1 min 10 s", "2 h 5 min"]
    assert [amount(n) for n in (12, 1234, 1.9e6, 2e9)] == ["12", "1.2 k", "1.9 M", "2.0 G"]


def test_cpu_time_below_a_second_is_not_zero() -> None:
    assert [cpu_time(seconds) for seconds in (0.02, 0.4, 1.2)] == ["20 ms", "400 ms", "1 s"]


def test_one_of_each_is_singular() -> None:
    assert grid_size(1, 1, 1) == "1 cell x 1 seed = 1 run"
    assert grid_size(2, 3, 6) == "2 cells x 3 seeds = 6 runs"


def test_titles_of_axes_are_as_long_as_it_takes_to_tell_them_apart() -> None:
    assert axis_titles(["algorithm", "topology.queue.limit"]) == ["algorithm", "limit"]
    groups = ["workload.groups[0].algorithm", "workload.groups[1].algorithm"]
    assert axis_titles(groups) == ["groups[0].algorithm", "groups[1].algorithm"]
    nested = ["algorithm", "workload.groups[0].algorithm"]
    assert axis_titles(nested) == ["algorithm", "groups[0].algorithm"]


def test_words_are_not_broken_and_commands_not_wrapped() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=40, force_terminal=True, no_color=True)
    command = "windtunnel watch 0d9d49e839 --data /home/somebody/a/long/path"
    print_message(
        console, f"interrupted; campaign 0d9d49e839 continues. To follow it:\n  {command}"
    )
    *text, last = stream.getvalue().splitlines()
    assert last == f"  {command}"
    assert " ".join(line.strip() for line in text) == (
        "interrupted; campaign 0d9d49e839 continues. To follow it:"
    )
    assert all(len(line) <= 40 for line in text)


def campaign(**changes: Any) -> dict[str, Any]:
    runs = {"queued": 0, "running": 0, "succeeded": 2, "failed": 0, "cancelled": 0}
    return {
        "id": "7f3a901bcd",
        "name": "buffers-and-algorithms-of-a-study",
        "state": "cancelled",
        "submitted_by": "ci",
        "created_at": "2026-11-22T06:23:00+00:00",
        "total_runs": 6,
        "keep": False,
        "stored_bytes": 123_456_789,
        "pruned_runs": 0,
        "simulated_ns": 20e9,
        "planned_ns": 60e9,
        "events": 0,
        "ended": False,
        **changes,
        "runs": {**runs, **changes.get("runs", {})},
    }


def test_cancelled_runs_are_not_done() -> None:
    text = runs_text(campaign(runs={"cancelled": 4}))
    assert text == "2/6 runs   4 cancelled   20/60 s simulated"
    assert runs_text(campaign(runs={"failed": 1}), short=True) == "3/6 runs   1 failed"


@pytest.mark.parametrize("width", [80, 100, 120, 200])
def test_the_status_table_does_not_wrap(width: int) -> None:
    stream = io.StringIO()
    shown = [campaign(runs={"failed": 3, "cancelled": 1})] * 2
    print_status(shown, Console(file=stream, width=width))
    lines = stream.getvalue().splitlines()
    left_out = lines[3:]
    assert len(lines[:3]) == 3
    for line in lines[1:3]:
        assert line.startswith("7f3a901bcd")
        assert "5/6 runs   3 failed   1 cancelled" in line
        assert width < 200 or "20/60 s simulated" in line
    for column, value in (("UTC", "11-22 06:23"), ("by", "ci")):
        assert (value in lines[1]) != any(column in line for line in left_out)


def test_a_status_without_room_for_a_table_leaves_nothing_out() -> None:
    stream = io.StringIO()
    print_status([campaign(runs={"cancelled": 4})], Console(file=stream, width=40))
    assert "2/6 runs   4 cancelled" in " ".join(stream.getvalue().split("\n"))
    assert "…" not in stream.getvalue()


def test_progress_lines_have_the_time_left() -> None:
    first, later = campaign(simulated_ns=0), campaign(simulated_ns=20e9)
    assert time_left(first, later, elapsed=10.0) == "   about 20 s left"
    assert time_left(first, first, elapsed=10.0) == ""
    assert time_left(first, campaign(simulated_ns=60e9), elapsed=10.0) == ""


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_the_progress_bar_fits(width: int) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, no_color=True)
    bar = ProgressBar(console)
    bar.start()
    bar.update(campaign(runs={"failed": 1, "cancelled": 3}), 1.9e6)
    bar.stop()
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue()).splitlines()
    last = next(line for line in reversed(lines) if line)
    assert "3/6 runs   1 failed   3 cancelled" in last
    assert len(last) <= width
    assert ("1.9 M events/s" in last) == (width >= 115)


def test_the_bar_of_an_ended_campaign_is_full() -> None:
    """Although failed and cancelled runs have not simulated all of their time."""
    stream = io.StringIO()
    bar = ProgressBar(Console(file=stream, width=120, force_terminal=True, no_color=True))
    bar.start()
    bar.update(campaign(simulated_ns=0), None)
    bar.update(campaign(runs={"failed": 4}, ended=True), None)
    (task,) = bar._progress.tasks
    bar.stop()
    assert task.finished
    assert not re.search(r"[0-9] (s|min|h) left", stream.getvalue().splitlines()[-1])


def test_sizes_in_binary_units() -> None:
    sizes = [size(value) for value in (0, 1023, 1536, 20 * 2**30)]
    assert sizes == ["0 B", "1023 B", "1.5 KiB", "20 GiB"]
