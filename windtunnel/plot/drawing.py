"""Draws a figure of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windtunnel.plot.axes import Axis, find_axis
from windtunnel.plot.bars import draw_bars
from windtunnel.plot.canvas import CampaignFigure, style
from windtunnel.plot.cdf import draw_cdf
from windtunnel.plot.cells import NONE, chosen_labels, default_x, remaining_axes, select
from windtunnel.plot.dots import draw_dots
from windtunnel.plot.heat import draw_coexistence, draw_heat
from windtunnel.plot.line import draw_lines
from windtunnel.plot.request import Kind, PlotRequest, invalid
from windtunnel.plot.scatter import draw_scatter
from windtunnel.plot.sensitivity import draw_sensitivity
from windtunnel.plot.series import draw_series
from windtunnel.plot.source import Get, Metric, Source


def draw_figure(get: Get, campaign_id: str, request: PlotRequest) -> CampaignFigure:
    """Draw a figure of a campaign. Raises what ``get`` raises, and InvalidRequestError."""
    source = Source(get, campaign_id)
    with style():
        figure = _draw(source, request)
        figure.finish()
    return figure


def kind_of(source: Source, request: PlotRequest) -> Kind:
    """The kind asked for, or the one that the data call for."""
    if request.kind is not None:
        return request.kind
    if request.series or request.run is not None or request.cell is not None:
        return "series"
    if request.x is not None and request.x != NONE and source.has_metric(request.x):
        return "scatter"
    if source.overview["coexistence"] and request.x is None and not request.y:
        return "heatmap"
    if source.sampled_axes and not (request.x or request.by or request.facet) and not request.y[1:]:
        return "sensitivity"
    x = _x_axis(source, request)
    if x is None:
        return "dots"
    return "line" if x.numbers else "bars"


def _draw(source: Source, request: PlotRequest) -> CampaignFigure:
    kind = kind_of(source, request)
    _check_options(kind, request)
    if kind == "sensitivity":
        return draw_sensitivity(source, request)
    if kind == "scatter":
        return _scatter(source, request)
    if kind in ("cdf", "series"):
        selection = select(source.overview, request, None, mixed=kind == "series")
        one = draw_cdf if kind == "cdf" else draw_series
        return one(source, request, selection)
    if kind == "heatmap" and source.overview["coexistence"] and not (request.x or request.y):
        return draw_coexistence(source, request, _matrices(source, request))
    x = _x_axis(source, request) if kind in ("line", "bars", "heatmap") else None
    metrics = _metrics(source, request)
    _check_sampled(source, kind, request)
    selection = select(source.comparison(metrics), request, x)
    if kind == "heatmap":
        if len(metrics) > 1:
            invalid("y", "a heat map shows one metric")
        return draw_heat(source, request, selection, metrics[0])
    if kind == "dots":
        return draw_dots(source, request, selection, metrics)
    if x is None:
        message = f"--kind {kind} needs an axis along x"
        invalid("x", f"{message}; name one with --x, or use --kind dots, which needs none")
    draw = draw_lines if kind == "line" else draw_bars
    return draw(source, request, selection, metrics)


def _matrices(source: Source, request: PlotRequest) -> list[dict[str, Any]]:
    """The matrices of coexistence in the settings that the filters leave."""
    for name in ("by", "facet", "log", "linear"):
        if getattr(request, name):
            invalid(
                name, "a matrix of coexistence has fixed axes; name a metric with --y for others"
            )
    chosen = chosen_labels(source.overview, request)
    matrices = [
        matrix
        for matrix in source.overview["coexistence"]
        if all(label in chosen.get(axis, [label]) for axis, label in matrix["setting"].items())
    ]
    settings = {axis for matrix in matrices for axis in matrix["setting"]}
    if any(axis not in settings for axis in chosen) or not matrices:
        message = "a matrix of coexistence shows all algorithms; filter other axes"
        invalid("where", f"{message}, or name a metric with --y")
    return matrices


def _scatter(source: Source, request: PlotRequest) -> CampaignFigure:
    """``y`` twice, or ``y`` and ``x``; by default the two metrics of the server's Pareto front."""
    names = [*request.y, *([request.x] if request.x else [])]
    if not names:
        fronts = source.overview["pareto"]
        names = fronts[0]["metrics"] if fronts else []
    if len(names) != 2 or names[0] == names[1]:
        message = f"a scatter shows two metrics, and {len(set(names))} is named"
        invalid("y", f"{message}: repeat --y, first that of the y axis, then that of the x axis")
    vertical, horizontal = (source.metric("y", name) for name in names)
    comparison = source.comparison([vertical, horizontal])
    return draw_scatter(
        source, request, select(comparison, request, None, paths=True), vertical, horizontal
    )


def _check_options(kind: Kind, request: PlotRequest) -> None:
    """Refuse options that a kind of figure has no use for."""
    if kind != "series":
        for name in ("cell", "seed", "run", "start", "end"):
            if getattr(request, name) is not None:
                invalid(
                    name, f"only time series have it; {kind} shows all seeds: use --kind series"
                )
        if request.series:
            invalid("series", f"only time series have them, not {kind}: use --kind series")
    elif request.x or request.y:
        message = "time series are named with --series"
        chosen = [
            name for name in ("run", "cell", "series") if getattr(request, name) not in (None, ())
        ]
        if request.kind is None:
            message = f"--{chosen[0]} makes the figure a time series, and {message}"
            message += f"; leave --{chosen[0]} out, or choose cells with --where"
        invalid("y" if request.y else "x", message)
    if kind == "cdf" and request.y:
        invalid("y", "the y axis of a CDF is the fraction; name the field with --x")


def _check_sampled(source: Source, kind: Kind, request: PlotRequest) -> None:
    """Refuse kinds that have a place for each label where a design drew the labels."""
    axes = remaining_axes(source.overview, request)
    sampled = [axis for axis in axes if axis.name in source.sampled_axes and len(axis.labels) > 1]
    if sampled:
        names = " and ".join(axis.title for axis in sampled)
        are = "is" if len(sampled) == 1 else "are"
        message = (
            f"{names} {are} sampled by a design, so cells are not a grid that {kind} could show"
        )
        invalid(
            "kind", f"{message}; use --kind sensitivity, or --kind scatter or cdf for its cells"
        )


def _x_axis(source: Source, request: PlotRequest) -> Axis | None:
    """The axis asked for, with the labels that the filters leave; else the default one."""
    axes = remaining_axes(source.overview, request)
    if request.x == NONE:
        return None
    if request.x is not None:
        return find_axis("x", request.x, axes)
    taken = [find_axis("by", name, axes) for name in request.by]
    if request.facet not in (None, NONE):
        taken.append(find_axis("facet", str(request.facet), axes))
    free = [axis for axis in axes if axis not in taken]
    if request.kind == "bars":
        return default_x(free) or _names_axis(free)
    return default_x(free)


def _names_axis(axes: Sequence[Axis]) -> Axis | None:
    """The axis of names along x: algorithms are bars of their own where there is another axis."""
    others = [axis for axis in axes if not axis.is_algorithm]
    return next(iter(others or axes), None)


def _metrics(source: Source, request: PlotRequest) -> list[Metric]:
    """The metrics asked for, or the primary one."""
    if not request.y:
        return [source.primary()]
    return [source.metric("y", name) for name in dict.fromkeys(request.y)]
