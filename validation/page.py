"""docs/validation.md from the results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from validation import theory
from validation.experiments import (
    BBR_LOSSES,
    DCTCP_BDP,
    DCTCP_CASES,
    RESPONSES,
    VEGAS_CASES,
    Point,
    Results,
)
from validation.runs import Metrics

# Why a curve is where it is. Each is about the measured column against the Monte Carlo.
REASONS = {
    "newreno": "As the equations have it. At p = 0.01 windows of a dozen segments are often too small "
    "for three duplicate ACKs, and timeouts cost what the formula does not know.",
    "newreno, delayed ACK": "ns-3's NewReno grows with every ACK, whatever that acknowledges, so half "
    "the ACKs are half the growth; its slow start after a timeout is slower as well, which shows where "
    "timeouts are many.",
    "highspeed": "ns-3 takes a(w) from the next row of RFC 3649's table, as Linux does: between rows "
    "it grows up to twice as fast as the RFC's equation, and so its window is larger.",
    "highspeed-rfc3649": "The equations of the RFC's section 5 instead of the table.",
    "scalable": "ns-3's AIFactor is 50 (a = 0.02), Kelly's is 100, with which the constant were 0.075. "
    "Under 50 segments it grows by one segment a round trip and cuts by an eighth, which neither formula "
    "is for. Above, growth is compounded ACK by ACK, where the Monte Carlo adds 2 % once a round trip.",
    "cubic": "Above p = 0.0006 it is the Reno-friendly region that is seen, below it the concave one. "
    "With independent losses the RFC's formula, for a loss every 1/p packets, is too low.",
    "compound": "Around p = 0.003 the window moves below and above the 38 segments from which on the "
    "delay window changes, where neither formula holds; the Monte Carlo knows that.",
}


def page(results: Results) -> str:
    return "\n".join(
        [
            *_head(results),
            *_responses(results),
            *_dctcp(results),
            *_vegas(results),
            *_bbr(results),
            "",
        ]
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    return lines + [f"| {' | '.join(map(str, row))} |" for row in rows]


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _loss(p: float) -> str:
    return f"{p:g}" if p >= 0.001 else f"{p:.0e}".replace("e-0", "e-")


def _head(results: Results) -> list[str]:
    minutes = sum(results.seconds.values()) / 60
    return [
        "# Against theory",
        "",
        "What the simulator's algorithms do, set against what their papers say they do. Written by",
        f"`make validate` ({minutes:.0f} minutes); every figure below is of that run, and everything",
        "in it can be run again: the scenarios are in `validation/experiments.py`, the formulas in",
        "`validation/theory.py`. Where a curve is off, this page says why.",
        "",
    ]


def _responses(results: Results) -> list[str]:
    lines = [
        "## Window against random loss",
        "",
        "One flow over a path that never queues (10 Gb/s, 100 ms round trip, segments of 1448 bytes,",
        "SACK, delayed ACK off unless said), each packet lost with probability p. The window is what",
        "was delivered in a round trip. The formulas assume a loss every 1/p packets; with independent",
        "losses the mean window is larger, so the last column is against a Monte Carlo of the same",
        "equations with independent losses.",
        "",
        "![Measured windows, formulas and Monte Carlo](validation/responses.svg)",
    ]
    for response in RESPONSES:
        points = results.responses[response.title]
        lines += ["", f"### {response.title}: {response.formula}", "", REASONS[response.title], ""]
        lines += _table(
            ("p", "measured", "formula", "Monte Carlo", "measured / Monte Carlo", "losses",
             "timeouts"),
            (_response_row(point) for point in points),
        )  # fmt: skip
    return lines


def _response_row(point: Point) -> list[str]:
    return [
        _loss(point.loss),
        _number(point.window),
        _number(point.expected),
        _number(point.yardstick),
        f"{point.window / point.yardstick:.2f}",
        _number(point.losses).split(".")[0],
        f"{point.timeouts:.0f}",
    ]


def _dctcp(results: Results) -> list[str]:
    rows = []
    for (flows, k), run in zip(DCTCP_CASES, results.dctcp, strict=True):
        least, largest = theory.dctcp_queue(k, flows, DCTCP_BDP)
        rows.append(
            [flows, k, _number(run["queue_length_mean"]), f"{run['queue_length_max']:.0f}",
             f"{least:.0f} to {largest:.0f}", f"{run['goodput_total_mbps']:.0f}"]
        )  # fmt: skip
    return [
        "",
        "## DCTCP's queue around K",
        "",
        "Long flows over 1 Gb/s with a round trip of 0.2 ms (17 packets), marking above K. Theory",
        "(Alizadeh et al., section 3.3) has synchronized flows: the queue swings up to K + N.",
        "The largest queue measured is a little above that, because every flow sends a window's worth",
        "of segments between a mark and its echo; flows that are not synchronized keep the mean at K,",
        "and the link stays busy even at K = 10.",
        "",
        "![Queue against K](validation/dctcp.svg)",
        "",
        *_table(("flows N", "K", "mean queue", "largest", "theory's range", "goodput, Mb/s"), rows),
    ]


def _vegas(results: Results) -> list[str]:
    rows = []
    for (alpha, beta, _, timestamps, _), run in zip(VEGAS_CASES, results.vegas, strict=True):
        setting = "timestamps, delayed ACK" if timestamps else "neither"
        rows.append([f"{alpha} to {beta}", setting, *_vegas_cells(run)])
    return [
        "",
        "## Vegas' backlog between alpha and beta",
        "",
        "One flow over 10 Mb/s and 40 ms. Vegas counts the packet in transmission as queued, this",
        "page does not: alpha - 1 to beta - 1 may wait. With timestamps ns-3 measures round trips in",
        "whole milliseconds, and a delayed ACK lengthens every second sample: the base round trip is",
        "then too small by more than a packet's serialization, Vegas believes in a backlog that is not",
        "there, and with small alpha and beta it stops under the link's rate. (An alpha of 1 is met by",
        "the truncation of the target window to whole segments alone.)",
        "",
        "![Packets queued](validation/vegas.svg)",
        "",
        *_table(("alpha to beta", "with", "mean queue", "largest", "goodput, Mb/s"), rows),
    ]


def _vegas_cells(run: Metrics) -> list[str]:
    return [
        _number(run["queue_length_mean"]),
        f"{run['queue_length_max']:.0f}",
        f"{run['goodput_mbps']:.2f}",
    ]


def _bbr(results: Results) -> list[str]:
    rows = [
        [rival, *(f"{run['goodput_mbps']:.1f}" for run in runs)]
        for rival, runs in results.bbr.items()
    ]
    timeouts = [
        "timeouts of bbr in 20 s",
        *(f"{run['timeouts']:.0f}" for run in results.bbr["bbr"]),
    ]
    return [
        "",
        "## BBR under random loss",
        "",
        "One flow over 100 Mb/s and 40 ms, goodput in Mb/s. Cardwell et al. (Figure 8, over 100 ms)",
        "have BBR at 90 % of the link up to a loss of 5 % and CUBIC at a tenth of it from 0.1 % on. In",
        "ns-3 BBR falls earlier: its sender does not notice that a retransmission was lost again but by",
        "a timeout (the last row), which leaves the link idle for MinRto, 200 ms, and more; Linux, with",
        "RACK (RFC 8985), notices within a round trip. CUBIC and NewReno are where the formulas say.",
        "",
        "![Goodput under random loss](validation/bbr.svg)",
        "",
        *_table(("loss", *map(_loss, BBR_LOSSES)), [*rows, timeouts]),
    ]
