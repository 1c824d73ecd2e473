"""The analysis that a campaign's sweep allows, one for each setting of its other axes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from windtunnel.comparison import CellResults
from windtunnel.comparison.pairs import comparable_values
from windtunnel.errors import ConflictError, InvalidRequestError, Problem
from windtunnel.run import ENDED, RunState
from windtunnel.sensitivity import sentences
from windtunnel.sensitivity.anova import variance_shares
from windtunnel.sensitivity.blocks import complete_blocks, varies
from windtunnel.sensitivity.document import (
    Effect,
    EffectKind,
    Method,
    Sensitivity,
    SettingAnalysis,
)
from windtunnel.sensitivity.elementary_effects import elementary_effects, zero_steps
from windtunnel.sensitivity.rank_regression import rank_regression
from windtunnel.sensitivity.resampling import Array
from windtunnel.sensitivity.sobol import sobol_indices
from windtunnel.spec.bounds import Input
from windtunnel.spec.description import Metric
from windtunnel.spec.designs import SMALLEST_N
from windtunnel.texts import axis_titles

Labels = Mapping[str, Sequence[str]]  # of axes

_METHODS = {"saltelli": Method.SOBOL, "lhs": Method.SRRC, "morris": Method.MORRIS}
_BLOCKS = {"saltelli": "blocks", "lhs": "rows", "morris": "trajectories"}


def analyze(
    campaign: str,
    cells: Sequence[CellResults],
    axes: Labels,
    design: Mapping[str, Any] | None,
    metric: Metric,
    where: Labels | None = None,
) -> Sensitivity:
    """Analyze a metric over the cells of a campaign, or those with the labels in ``where``.

    ``axes`` are all labels of the campaign, ``design`` is as it was stored
    (windtunnel.spec.designs.Design.record), None for a grid. Raises InvalidRequestError for what
    ``where`` can't mean, ConflictError if too many values are missing.
    """
    where = where or {}
    inputs = [Input(**fields) for fields in design["inputs"]] if design else []
    _check_where(where, axes, [entry.name for entry in inputs])
    chosen_labels = {axis: set(labels) for axis, labels in where.items()}
    chosen = [
        cell
        for cell in cells
        if all(cell.coordinates[axis] in chosen_labels[axis] for axis in where)
    ]
    labels = {
        axis: [label for label in axes[axis] if label in chosen_labels.get(axis, {label})]
        for axis in axes
    }
    if design is None:
        method = Method.ANOVA
        analyses = [_grid(chosen, labels, metric)]
        names = tuple(axis for axis in labels if len(labels[axis]) > 1)
    else:
        method = _METHODS[design["kind"]]
        names = tuple(entry.name for entry in inputs)
        facets = {axis: labels[axis] for axis in labels if axis not in names}
        by_setting = _by_setting(chosen, list(facets))
        analyses = [
            _sampled(
                by_setting[setting], dict(zip(facets, setting, strict=True)), design, inputs, metric
            )
            for setting in itertools.product(*facets.values())
        ]
    if not any(analysis.effects or analysis.mean is not None for analysis in analyses):
        raise ConflictError(f"{analyses[0].conclusion}{_reasons(chosen, metric)}")
    notes = sentences.notes(method, _unfinished(chosen), analyses)
    return Sensitivity(campaign, method, metric, names, tuple(analyses), notes)


def _check_where(where: Labels, axes: Labels, sampled: Sequence[str]) -> None:
    problems = []
    for axis, labels in where.items():
        if axis in sampled:
            message = f"{axis} is sampled by the design; only other axes have settings"
        elif axis not in axes:
            message = f"{axis!r} is not an axis of the campaign ({', '.join(axes) or 'none'})"
        else:
            possible = set(axes[axis])
            unknown = [label for label in labels if label not in possible]
            known = ", ".join(axes[axis][:12])
            message = f"{unknown[0]!r} is not on the axis {axis} ({known})" if unknown else ""
        if message:
            problems.append(Problem("query.where", message))
    if problems:
        raise InvalidRequestError(problems)


def _by_setting(
    cells: Sequence[CellResults], facets: Sequence[str]
) -> dict[tuple[str, ...], list[CellResults]]:
    """The cells of each setting, by the labels of its facets."""
    settings: dict[tuple[str, ...], list[CellResults]] = {}
    for cell in cells:
        settings.setdefault(tuple(cell.coordinates[axis] for axis in facets), []).append(cell)
    return settings


def _values(cells: Sequence[CellResults], metric: Metric) -> tuple[Array, list[int]]:
    """Values of the cells by seed, NaN where one is missing, and the seeds."""
    by_cell = [comparable_values(cell, metric) for cell in cells]
    seeds = sorted({seed for cell in cells for seed in cell.runs})
    values = [[by_seed.get(seed, np.nan) for seed in seeds] for by_seed in by_cell]
    return np.array(values, dtype=float).reshape(len(cells), len(seeds)), seeds


# ------------------------------------------------------------------ grids


def _grid(cells: Sequence[CellResults], labels: Labels, metric: Metric) -> SettingAnalysis:
    """The analysis of variance; its blocks are seeds, of which each needs all cells."""
    axes = {axis: chosen for axis, chosen in labels.items() if len(chosen) > 1}
    if not axes:
        message = "an analysis needs an axis with several values; the campaign has none"
        raise InvalidRequestError([Problem("campaign", message)])
    values, seeds = _values(cells, metric)
    complete = np.asarray(~np.isnan(values).any(axis=0))
    used = tuple(seed for seed, whole in zip(seeds, complete.tolist(), strict=True) if whole)
    if not used:
        return _without("seeds", 0, len(seeds), "no seed has a value in every cell")
    array = values[:, complete].reshape(*map(len, axes.values()), len(used))
    notes = []
    if len(used) < len(seeds):
        notes.append(
            f"{len(seeds) - len(used)} of {len(seeds)} seeds left out: a value is missing in each"
        )
    effects: list[Effect] = []
    if varies(array):
        effects = variance_shares(list(axes), array)
    shares = {effect.kind: effect.figures["share"].value for effect in effects}
    noise = shares.get(EffectKind.NOISE)
    if noise == 0:
        notes.append(sentences.DETERMINISTIC)
    return SettingAnalysis(
        setting={},
        blocks="seeds",
        used=len(used),
        planned=len(seeds),
        seeds=used,
        mean=float(array.mean()),
        variance=float(array.var()) if effects else 0.0,
        noise=noise,
        effects=tuple(effects),
        r_squared=None,
        conclusion=sentences.conclude(Method.ANOVA, metric, effects, _titles(axes), array),
        notes=tuple(notes),
    )


# ------------------------------------------------------------------ designs


def _sampled(
    cells: Sequence[CellResults],
    setting: Mapping[str, str],
    design: Mapping[str, Any],
    inputs: Sequence[Input],
    metric: Metric,
) -> SettingAnalysis:
    """The analysis of one setting, whose cells are the design's points in their order."""
    kind = design["kind"]
    width = {"saltelli": len(inputs) + 2, "lhs": 1, "morris": len(inputs) + 1}[kind]
    values, seeds = _values(cells, metric)
    blocks = complete_blocks(values, design["rows"], width, seeds)
    used, planned = len(blocks.indices), blocks.planned
    smallest = max(SMALLEST_N[kind], len(inputs) + 2 if kind == "lhs" else 0)
    noun = _BLOCKS[kind]
    if used < smallest:
        message = f"{used} of {planned} {noun} are complete; at least {smallest} are needed"
        return _without(noun, used, planned, message, setting)
    used_values = _used_values(cells, inputs)[blocks.rows]
    titles = _titles([entry.name for entry in inputs])
    # Of a Saltelli design's block, the first and the last row.
    independent = blocks.means[:, [0, -1]] if kind == "saltelli" else blocks.means
    effects: list[Effect] = []
    r_squared, rounding = None, ""
    if varies(independent):
        names = [entry.name for entry in inputs]
        if kind == "saltelli":
            effects = sobol_indices(names, blocks.values)
        elif kind == "lhs":
            effects, r_squared = rank_regression(names, used_values, blocks.means[:, 0])
        else:
            shape = (-1, width, len(inputs))
            unit = np.array(design["unit_cube"]).reshape(shape)[blocks.indices]
            coordinates = _coordinates(used_values, inputs).reshape(shape)
            effects = elementary_effects(names, unit, coordinates, blocks.values)
            rounding = sentences.rounding_note(
                dict(zip(titles.values(), zero_steps(unit, coordinates), strict=True)), used
            )
    variance = float(independent.var())
    noise = blocks.noise_variance()
    share = noise / variance if noise is not None and effects else None
    notes = [
        blocks.note(noun),
        rounding,
        sentences.noise_note(_METHODS[kind], share, effects, titles),
    ]
    return SettingAnalysis(
        setting=setting,
        blocks=noun,
        used=used,
        planned=planned,
        seeds=blocks.seeds,
        mean=float(blocks.means.mean()),
        variance=variance if effects else 0.0,
        noise=share,
        effects=tuple(effects),
        r_squared=r_squared,
        conclusion=sentences.conclude(
            _METHODS[kind], metric, effects, titles, blocks.means, r_squared
        ),
        notes=tuple(filter(None, notes)),
    )


def _used_values(cells: Sequence[CellResults], inputs: Sequence[Input]) -> Array:
    """The values that the points have after rounding: points x axes."""
    return np.array(
        [[entry.from_label(cell.coordinates[entry.name]) for entry in inputs] for cell in cells]
    )


def _coordinates(values: Array, inputs: Sequence[Input]) -> Array:
    """Where values, rows x axes, are between the bounds, from 0 to 1."""
    columns = zip(inputs, values.T.tolist(), strict=True)
    return np.array([[entry.coordinate(value) for value in column] for entry, column in columns]).T


def _without(
    noun: str, used: int, planned: int, message: str, setting: Mapping[str, str] | None = None
) -> SettingAnalysis:
    """An analysis for which too many values are missing."""
    return SettingAnalysis(
        setting=setting or {},
        blocks=noun,
        used=used,
        planned=planned,
        seeds=(),
        mean=None,
        variance=None,
        noise=None,
        effects=(),
        r_squared=None,
        conclusion=message,
        notes=(),
    )


# ------------------------------------------------------------------ what is missing


def _unfinished(cells: Sequence[CellResults]) -> tuple[int, int]:
    """How many runs have not ended, and of how many."""
    states = [run.state for cell in cells for run in cell.runs.values()]
    return sum(state not in ENDED for state in states), len(states)


def _reasons(cells: Sequence[CellResults], metric: Metric) -> str:
    """Why values are missing, for the end of a sentence."""
    left, planned = _unfinished(cells)
    states = [run.state for cell in cells for run in cell.runs.values()]
    failed = sum(state in (RunState.FAILED, RunState.CANCELLED) for state in states)
    silent = sum(
        len(cell.finished) - len(set(cell.finished) & set(comparable_values(cell, metric)))
        for cell in cells
    )
    parts = []
    if left:
        parts.append(f"{left} of {planned} runs have not ended; wait for them")
    if failed:
        parts.append(f"{failed} failed or were cancelled; resume the campaign, or choose cells")
    if silent:
        why = f" ({metric.absent})" if metric.absent else ""
        parts.append(f"{silent} finished runs have no {metric.name}{why}")
    return f": {'; '.join(parts)}" if parts else ""


def _titles(axes: Any) -> dict[str, str]:
    return dict(zip(axes, axis_titles(list(axes)), strict=True))
