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

# Explains each curve, in terms of the measured column relative to the Monte Carlo.
REASONS = {
    "newreno": "Agrees with the equations. At p = 0.01, windows of a dozen segments are often too small "
    "for three duplicate ACKs; the resulting timeouts are not part of the formula.",
    "newreno, delayed ACK": "ns-3's NewReno grows per ACK, regardless of how much an ACK acknowledges, so "
    "half the ACKs give half the growth. Its slow start after a timeout is slower for the same reason, "
    "which shows where timeouts are frequent.",
    "highspeed": "ns-3 takes a(w) from the next row of RFC 3649's table, as Linux does: between rows "
    "it grows up to twice as fast as the RFC's equation, so its window is larger.",
    "highspeed-rfc3649": "Uses the equations in section 5 of the RFC instead of the table.",
    "scalable": "ns-3's AIFactor is 50 (a = 0.02); Kelly's is 100, for which the constant would be 0.075. "
    "Below 50 segments the window grows by one segment per round trip and decreases by an eighth, which "
    "neither formula covers. Above, growth compounds with every ACK, whereas the Monte Carlo adds 2 % once "
    "per round trip.",
    "cubic": "Above p = 0.0006 the Reno-friendly region dominates, below it the concave region. "
    "The RFC's formula assumes a loss every 1/p packets and is too low for independent losses.",
    "compound": "Around p = 0.003 the window crosses the 38 segments above which the delay window "
    "changes. Neither formula holds there, but the Monte Carlo models it.",
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
        "# Validation against theory",
        "",
        "Compares the simulator's algorithms with the behavior that their papers predict. Written by",
        f"`make validate` ({minutes:.0f} minutes), which measured all values below. To reproduce them, see",
        "the scenarios in `validation/experiments.py` and the formulas in `validation/theory.py`.",
        "Deviations from theory are explained.",
        "",
        *([f"Simulator: `{results.simulator}`.", ""] if results.simulator else []),
    ]


def _responses(results: Results) -> list[str]:
    lines = [
        "## Window against random loss",
        "",
        "One flow over a path without queueing (10 Gb/s, 100 ms round-trip time, 1448-byte segments,",
        "SACK, delayed ACK off unless stated); each packet is lost independently with probability p.",
        "The window is the amount of data delivered per round trip. The formulas assume a loss every",
        "1/p packets; with independent losses the mean window is larger. The column *measured / Monte",
        "Carlo* therefore refers to a Monte Carlo simulation of the same equations with independent",
        "losses.",
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
        "Long flows over 1 Gb/s with a round-trip time of 0.2 ms (17 packets) and an ECN threshold K.",
        "Theory (Alizadeh et al., section 3.3) assumes synchronized flows, for which the queue",
        "oscillates up to K + N. The largest measured queue is slightly above that, because each flow",
        "sends a window's worth of segments between a mark and its echo. Flows that are not",
        "synchronized keep the mean at K, and the link stays busy even at K = 10.",
        "",
        "![Queue against K](validation/dctcp.svg)",
        "",
        *_table(
            ("flows N", "K", "mean queue", "largest", "range in theory", "goodput, Mb/s"), rows
        ),
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
        "One flow over 10 Mb/s and 40 ms. Vegas counts the packet in transmission as queued; this page",
        "does not, so alpha - 1 to beta - 1 packets are expected in the queue. With timestamps, ns-3",
        "measures round-trip times in whole milliseconds, and delayed ACKs lengthen every second",
        "sample. The base RTT is then too small by more than a packet's serialization time: Vegas",
        "infers a backlog that does not exist and, with small alpha and beta, stays below the link",
        "rate. (With alpha = 1, truncating the target window to whole segments is enough to satisfy",
        "alpha.)",
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
        "One flow over 100 Mb/s and 40 ms, goodput in Mb/s. In Cardwell et al. (Figure 8, over 100 ms),",
        "BBR achieves 90 % of the link rate up to a loss rate of 5 %, and CUBIC a tenth of the link rate",
        "from 0.1 % on. In ns-3, BBR degrades earlier: its sender detects the loss of a retransmission",
        "only by a timeout (last row), which leaves the link idle for at least MinRto, 200 ms. Linux",
        "with RACK (RFC 8985) detects it within a round trip. CUBIC and NewReno agree with the formulas.",
        "",
        "![Goodput under random loss](validation/bbr.svg)",
        "",
        *_table(("loss", *map(_loss, BBR_LOSSES)), [*rows, timeouts]),
    ]
