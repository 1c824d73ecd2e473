"""The page's plots, as SVG with fixed ids and no date, so that equal results give equal files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from validation.experiments import BBR_LOSSES, DCTCP_CASES, RESPONSES, VEGAS_CASES, Results

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "windtunnel"
mpl.rcParams["svg.fonttype"] = "none"
# Okabe and Ito's palette: told apart with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"


def draw_all(results: Results, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in {
        "responses": _responses,
        "dctcp": _dctcp,
        "vegas": _vegas,
        "bbr": _bbr,
    }.items():
        _save(draw, results, folder / f"{name}.svg")


def _save(draw: Callable[[Results], Figure], results: Results, path: Path) -> None:
    figure = draw(results)
    figure.savefig(path, metadata={"Date": None, "Creator": None}, bbox_inches="tight")


def _responses(results: Results) -> Figure:
    """One panel per algorithm: measured points, formula, Monte Carlo."""
    figure = Figure(figsize=(10, 5.6))
    panels = figure.subplots(2, 4, sharex=True, sharey=True).ravel()
    panels[-1].axis("off")
    fine = np.geomspace(1e-4, 1e-2, 60)
    for index, (panel, response) in enumerate(zip(panels, RESPONSES, strict=False)):
        points = results.responses[response.title]
        losses = [point.loss for point in points]
        panel.loglog(
            fine, [response.expected(p) for p in fine], color="#888888", label=response.formula
        )
        panel.loglog(losses, [point.yardstick for point in points], "--", color="#444444")
        panel.loglog(losses, [point.window for point in points], MARKERS[index],
                     color=COLOURS[index])  # fmt: skip
        panel.set_title(response.title, fontsize=10)
        panel.legend(fontsize=7, frameon=False)
        panel.grid(alpha=0.3, which="both")
    figure.supxlabel("loss probability p")
    figure.supylabel("segments per round trip")
    figure.text(
        0.78, 0.25, "points: measured\nline: formula\ndashed: Monte Carlo\nof the equations"
    )
    return figure


def _axes(xlabel: str, ylabel: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(6, 3.6))
    axes = figure.subplots()
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.grid(alpha=0.3)
    return figure, axes


def _dctcp(results: Results) -> Figure:
    figure, axes = _axes("ECN threshold K, packets", "queue, packets")
    for index, flows in enumerate(sorted({flows for flows, _ in DCTCP_CASES})):
        of = [
            (k, run)
            for (n, k), run in zip(DCTCP_CASES, results.dctcp, strict=True)
            if n == flows
        ]  # fmt: skip
        ks = [k for k, _ in of]
        means = [run["queue_length_mean"] for _, run in of]
        axes.plot(ks, means, MARKERS[index] + "-", color=COLOURS[index], label=f"{flows} flows")
        axes.plot(ks, [run["queue_length_max"] for _, run in of], MARKERS[index] + ":",
                  color=COLOURS[index], alpha=0.6)  # fmt: skip
    axes.plot([0, 70], [0, 70], color="#888888", linewidth=1, label="K")
    axes.legend(frameon=False, title="solid: mean, dotted: largest")
    return figure


def _vegas(results: Results) -> Figure:
    figure, axes = _axes("alpha to beta, packets", "mean queue, packets")
    settings = {case[2:]: "" for case in VEGAS_CASES}
    labels = {True: "timestamps, delayed ACK", False: "neither"}
    for index, setting in enumerate(settings):
        of = [
            (case, run)
            for case, run in zip(VEGAS_CASES, results.vegas, strict=True)
            if case[2:] == setting
        ]
        positions = range(len(of))
        backlog = [run["queue_length_mean"] for _, run in of]
        axes.plot(positions, backlog, MARKERS[index], color=COLOURS[index],
                  label=labels[bool(setting[1])])  # fmt: skip
        axes.set_xticks(list(positions), [f"{case[0]} to {case[1]}" for case, _ in of])
        for position, (case, _) in enumerate(of):
            axes.plot([position, position], case[:2], color="#888888", linewidth=6, alpha=0.3)
    axes.legend(frameon=False, title="bars: alpha to beta")
    return figure


def _bbr(results: Results) -> Figure:
    figure, axes = _axes("loss probability", "goodput, Mb/s (link: 100)")
    for index, (rival, runs) in enumerate(results.bbr.items()):
        goodput = [run["goodput_mbps"] for run in runs]
        axes.semilogx(BBR_LOSSES, goodput, MARKERS[index] + "-", color=COLOURS[index], label=rival)
    axes.legend(frameon=False)
    return figure
