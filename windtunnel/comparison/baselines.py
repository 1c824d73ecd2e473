"""Another baseline for a view of a comparison: differences to it, without verdicts.

Verdicts belong to the baseline that the campaign declares. Who may choose the baseline after the
results are known can find one with a significant difference; a family fixed at submission can't
correct for that choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from windtunnel.comparison.table import Design, ResultTable
from windtunnel.errors import InvalidRequestError, Problem, quoted
from windtunnel.suggestions import nearest

_MAX_LISTED = 12


def read_baseline_view(
    given: Sequence[str], axes: Mapping[str, Sequence[str]], path: str
) -> dict[str, str]:
    """``["algorithm=cubic"]`` as labels by axis. ``axes`` are the campaign's labels.

    Raises InvalidRequestError with every problem, at ``path``.
    """
    baseline: dict[str, str] = {}
    problems = []
    for text in given:
        axis, equals, label = text.partition("=")
        message = _problem(axis, label, axes) if equals else _without_axis(text, axes)
        if not message and axis in baseline:
            message = f"the axis {axis} has two labels; a baseline has one label of an axis"
        if message:
            problems.append(Problem(path, message))
        baseline[axis] = label
    if problems:
        raise InvalidRequestError(problems)
    return baseline


def _problem(axis: str, label: str, axes: Mapping[str, Sequence[str]]) -> str:
    """What is wrong with a label of an axis, or nothing."""
    if axis not in axes:
        hint = nearest(axis, list(axes)) or f" (axes: {_listed(list(axes))})"
        return f"{quoted(axis)} is not an axis of the campaign{hint}"
    if label not in axes[axis]:
        hint = nearest(label, axes[axis])
        return f"{quoted(label)} is not on the axis {axis} ({_listed(axes[axis])}){hint}"
    return ""


def _without_axis(text: str, axes: Mapping[str, Sequence[str]]) -> str:
    axis = next((name for name, labels in axes.items() if text in labels), None)
    if axis is not None:
        return f"{quoted(text)} names no axis; write {axis}={text}"
    example = next((f"{name}={labels[0]}" for name, labels in axes.items() if labels), None)
    hint = f" such as {example}" if example else "; the campaign has no axis"
    return f"{quoted(text)} is not AXIS=LABEL{hint}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return f"{', '.join(names[:_MAX_LISTED]) or 'none'}{more}"


def with_baseline(table: ResultTable, baseline: Mapping[str, str]) -> ResultTable:
    """The table with each cell's baseline replaced.

    That is the cell that differs from it by the labels of ``baseline`` only. The cells are new
    objects, so that what the table's own cells remember is not mixed with this view.
    """
    positions = {tuple(cell.coordinates.values()): cell.index for cell in table.cells}
    cells = tuple(
        replace(cell, baseline=positions[tuple({**cell.coordinates, **baseline}.values())])
        for cell in table.cells
    )
    return ResultTable(replace(table.design, baseline=baseline), cells)


def verdicts_note(declared: Design) -> str:
    """Why a comparison with another baseline has no verdicts."""
    if not declared.baseline:
        return "No verdicts: they need a baseline that the campaign file declares."
    return f"Verdicts hold for the declared baseline {', '.join(declared.baseline.values())} only."
