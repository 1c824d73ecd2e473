"""Designs that sample a sweep's axes instead of crossing their values: Saltelli, LHS, Morris."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from windtunnel.errors import Problem, quoted
from windtunnel.spec import sampling
from windtunnel.spec.axes import SIMULATOR, Axis, AxisValue, overlaps, read_axes
from windtunnel.spec.bounds import Input, read_input, readable
from windtunnel.spec.document import join_path
from windtunnel.spec.limits import MAX_AXES, MAX_CELLS, MAX_REPLICATIONS
from windtunnel.suggestions import nearest

DESIGNS = ("saltelli", "lhs", "morris")
# What people call them instead.
_ALIASES = {
    **dict.fromkeys(("sobol", "sobol-indices", "saltelli2010", "jansen"), "saltelli"),
    **dict.fromkeys(("latin-hypercube", "latin_hypercube", "latinhypercube"), "lhs"),
    **dict.fromkeys(("elementary-effects", "oat", "screening"), "morris"),
}
_FIELDS = ("design", "n", "over", "levels")
# The smallest n, and the fewest complete blocks that an analysis needs.
SMALLEST_N = {"saltelli": 8, "lhs": 10, "morris": 4}
_MEANING = {
    "saltelli": "a power of two",
    "lhs": "the number of points",
    "morris": "the number of trajectories",
}
_LEVELS = 4
_MAX_LEVELS = 100


@dataclass(frozen=True)
class Sample:
    """What gates need to know of a design: the axes that it samples, and at how many points."""

    axes: tuple[str, ...]
    points: int


@dataclass(frozen=True)
class Design:
    """A sample of the axes in ``inputs``.

    ``points`` are its distinct points, each with a value of every input; ``rows`` has the point of
    each row of the sample, for rounding makes rows coincide; ``unit_cube`` is the sample itself,
    rows x inputs, in [0, 1]. ``levels`` are those of a Morris design, else None.
    """

    kind: str
    n: int
    levels: int | None
    inputs: tuple[Input, ...]
    points: tuple[tuple[AxisValue, ...], ...]
    rows: tuple[int, ...]
    unit_cube: tuple[tuple[float, ...], ...]

    @property
    def sample(self) -> Sample:
        return Sample(tuple(entry.name for entry in self.inputs), len(self.points))

    @property
    def formula(self) -> str:
        """How the number of rows comes about: ``256 x (4 + 2)``."""
        return _formula(self.kind, self.n, len(self.inputs))

    def outline(self) -> dict[str, Any]:
        """Its size and ranges, as plans and campaigns show them."""
        return outline_of(self.record())

    def record(self) -> dict[str, Any]:
        """As it is stored: what an analysis needs, in plain values."""
        return {
            "kind": self.kind,
            "n": self.n,
            "levels": self.levels,
            "inputs": [asdict(entry) for entry in self.inputs],
            "points": len(self.points),
            "rows": list(self.rows),
            "unit_cube": [list(row) for row in self.unit_cube],
        }


def outline_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The outline of a design as it is stored: ``formula`` is how its rows come about."""
    inputs = [Input(**fields) for fields in record["inputs"]]
    return {
        "kind": record["kind"],
        "n": record["n"],
        "levels": record["levels"],
        "formula": _formula(record["kind"], record["n"], len(inputs)),
        "rows": len(record["rows"]),
        "points": record["points"],
        "inputs": [
            {
                "name": entry.name,
                "low": readable(entry.low, entry.unit),
                "high": readable(entry.high, entry.unit),
                "scale": entry.scale,
            }
            for entry in inputs
        ],
    }


def is_design(sweep: Any) -> bool:
    """Whether a sweep is a design: its field ``design`` is a text; that of an axis is a list."""
    return isinstance(sweep, dict) and isinstance(sweep.get("design"), str)


def too_large_design(sweep: Any, replications: Any, max_runs: int) -> Problem | None:
    """Compare a design's size with the limits, before the sweep is read.

    A design with a wrong field, whose size is unknown, is left to `read_design`.
    """
    over, n = sweep.get("over"), sweep.get("n")
    facets = {name: values for name, values in sweep.items() if name not in _FIELDS}
    axes = len(facets) + (len(over) if isinstance(over, dict) else 0)
    if axes > MAX_AXES:
        return Problem("sweep", f"has {axes} axes; at most {MAX_AXES} are allowed")
    kind = sweep["design"]
    if kind not in DESIGNS or not isinstance(over, dict) or not over or type(n) is not int:
        return None
    inputs = len(over)
    lengths = {name: len(values) for name, values in facets.items() if isinstance(values, list)}
    # An empty axis is an error that read_design reports; it must not hide the sample's size.
    settings = math.prod(max(1, length) for length in lengths.values())
    rows = row_count(kind, n, inputs)
    if isinstance(replications, dict):
        replications = replications.get("max")
    seeds = replications if _is_whole(replications) and replications > 0 else 1
    seeds = min(seeds, MAX_REPLICATIONS)
    formula = _formula(kind, n, inputs)
    size = f"{formula} = {rows} points" if formula != str(rows) else f"{rows} points"
    size += "".join(f" x {length} ({name})" for name, length in lengths.items() if length)
    allowed = min(MAX_CELLS, max_runs // seeds)
    fitting = _fitting(kind, inputs, allowed // settings)
    if rows * settings * seeds > max_runs:
        size += f" x {seeds} replications are {rows * settings * seeds} runs"
        return Problem("sweep.n", f"{size}; at most {max_runs} are allowed{fitting}")
    if rows * settings > MAX_CELLS:
        size += f" are {rows * settings} cells"
        return Problem("sweep.n", f"{size}; at most {MAX_CELLS} are allowed{fitting}")
    return None


def read_design(
    sweep: Mapping[str, Any], problems: list[Problem]
) -> tuple[Design | None, tuple[Axis, ...]]:
    """The design, and the axes: the facets in the file's order, then those that it samples.

    The sweep is not too large. Adds to ``problems``; with any of the sweep nothing is sampled.
    """
    sweep_problems: list[Problem] = []
    facets = read_axes({name: sweep[name] for name in sweep if name not in _FIELDS}, sweep_problems)
    kind = _read_kind(sweep["design"], sweep_problems)
    inputs = _read_inputs(sweep.get("over"), sweep_problems)
    n = _read_n(sweep.get("n"), kind, sweep_problems)
    levels = _read_levels(sweep, kind, sweep_problems)
    problems += sweep_problems
    if sweep_problems or kind is None or n is None:
        return None, facets
    design, sampled = _sampled(kind, n, levels, inputs)
    axes = (*facets, *sampled)
    problems += overlaps(axes)
    return design, axes


def check_baseline(baseline: Any, design: Design) -> list[Problem]:
    """Problems of a baseline on axes that the design samples."""
    names = baseline if isinstance(baseline, dict) else {}
    return [
        Problem(
            join_path("baseline", entry.name),
            "is sampled by the design, whose points have no counterpart with another value; a "
            "baseline is possible on the sweep's other axes only",
        )
        for entry in design.inputs
        if entry.name in names
    ]


def row_count(kind: str, n: int, inputs: int) -> int:
    """Rows of a sample, each one point for every facet."""
    return n * {"saltelli": inputs + 2, "lhs": 1, "morris": inputs + 1}[kind]


def _formula(kind: str, n: int, inputs: int) -> str:
    return {
        "saltelli": f"{n} x ({inputs} + 2)",
        "lhs": f"{n}",
        "morris": f"{n} x ({inputs} + 1)",
    }[kind]


def _fitting(kind: str, inputs: int, points: int) -> str:
    """The largest ``n`` with at most this many points."""
    n = points // row_count(kind, 1, inputs)
    if kind == "saltelli" and n:
        n = 2 ** (n.bit_length() - 1)
    return f"; n: {n} would fit" if n >= SMALLEST_N[kind] else ""


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _read_kind(kind: str, problems: list[Problem]) -> str | None:
    if kind in DESIGNS:
        return kind
    alias = _ALIASES.get(kind.lower())
    hint = f"; did you mean {alias!r}?" if alias else nearest(kind, DESIGNS)
    hint = hint or f"; known: {', '.join(DESIGNS)}"
    message = f"{quoted(kind)} is not a design{hint}"
    problems.append(Problem("sweep.design", message))
    return None


def _read_inputs(over: Any, problems: list[Problem]) -> tuple[Input, ...]:
    example = "such as 'topology.link.delay: [10us, 1ms, log]'"
    if over is None:
        problems.append(Problem("sweep.over", f"missing; it has the axes to sample, {example}"))
        return ()
    if not isinstance(over, dict):
        message = f"{quoted(over)} is not a mapping of paths and bounds, {example}"
        problems.append(Problem("sweep.over", message))
        return ()
    if not over:
        problems.append(Problem("sweep.over", f"names no axis; add at least one, {example}"))
    if SIMULATOR in over:
        message = "'simulator' is not a number; list simulators as an axis beside 'over'"
        problems.append(Problem(f"sweep.over.{SIMULATOR}", message))
    inputs = [
        read_input(name, bounds, join_path("sweep.over", name), problems)
        for name, bounds in over.items()
        if name != SIMULATOR
    ]
    return tuple(entry for entry in inputs if entry is not None)


def _read_n(n: Any, kind: str | None, problems: list[Problem]) -> int | None:
    meaning = _MEANING.get(kind or "", "a whole number")
    smallest = SMALLEST_N.get(kind or "", 1)
    message = None
    if n is None:
        message = f"missing; for {kind or 'a design'} it is {meaning}, for example 64"
    elif not _is_whole(n):
        message = f"{quoted(n)} is not a whole number; at least {smallest}"
    elif n < smallest:
        message = f"{n} is too small for {kind}; at least {smallest}"
    elif kind == "saltelli" and n & (n - 1):
        below = 2 ** (n.bit_length() - 1)
        message = f"{n} is not a power of two, which Sobol' points need; use {below} or {2 * below}"
    if message:
        problems.append(Problem("sweep.n", message))
        return None
    return int(n)


def _read_levels(sweep: Mapping[str, Any], kind: str | None, problems: list[Problem]) -> int | None:
    """The levels of a Morris design. Adds to ``problems``."""
    if "levels" not in sweep:
        return _LEVELS if kind == "morris" else None
    levels = sweep["levels"]
    message = None
    if kind is not None and kind != "morris":
        message = f"only design morris has levels; remove the field from a design {kind}"
    elif not _is_whole(levels) or levels % 2 or not 2 <= levels <= _MAX_LEVELS:
        message = f"{quoted(levels)} is not an even whole number from 2 to {_MAX_LEVELS}"
    if message:
        problems.append(Problem("sweep.levels", message))
        return None
    return int(levels) if kind == "morris" else None


_SAMPLES: Mapping[str, Callable[[int, int, int], sampling.Rows]] = {
    "saltelli": lambda n, inputs, _: sampling.saltelli(n, inputs),
    "lhs": lambda n, inputs, _: sampling.latin_hypercube(n, inputs),
    "morris": sampling.morris,
}


def _sampled(
    kind: str, n: int, levels: int | None, inputs: Sequence[Input]
) -> tuple[Design, tuple[Axis, ...]]:
    """The design, and its axes: each has the distinct values of the sample in increasing order."""
    rows = _SAMPLES[kind](n, len(inputs), levels or 0)
    columns = [
        [entry.value(coordinate) for coordinate in column]
        for entry, column in zip(inputs, zip(*rows, strict=True), strict=True)
    ]
    axes = []
    indices = []
    for entry, column in zip(inputs, columns, strict=True):
        distinct = sorted(set(column))
        places = {value: index for index, value in enumerate(distinct)}
        indices.append([places[value] for value in column])
        values = (
            AxisValue(index, entry.label(value), {entry.name: entry.setting(value)})
            for index, value in enumerate(distinct)
        )
        axes.append(Axis(entry.name, tuple(values), sampled=True))
    positions: dict[tuple[int, ...], int] = {}
    of_row = [positions.setdefault(point, len(positions)) for point in zip(*indices, strict=True)]
    points = tuple(
        tuple(axis.values[index] for axis, index in zip(axes, point, strict=True))
        for point in positions
    )
    design = Design(kind, n, levels, tuple(inputs), points, tuple(of_row), tuple(rows))
    return design, tuple(axes)
