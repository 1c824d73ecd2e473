"""A campaign's fields about its analysis, which are fixed when it is submitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from windtunnel.errors import Problem
from windtunnel.spec.description import Metric, find_metric
from windtunnel.spec.document import join_path
from windtunnel.spec.gates import GATES_FIELD, Gate, read_gates
from windtunnel.spec.relevance import parse_threshold
from windtunnel.spec.replications import DIFFERENCE, Stopping
from windtunnel.suggestions import unknown_metric

T = "t"
BCA = "bca"
MIN_BCA_PAIRS = 20

ANALYSIS_FIELDS: Mapping[str, Any] = {
    "family": {
        "type": "array",
        "items": {"type": "string"},
        "default": [],
        "description": (
            "Metrics on which verdicts are given; default: those that a comparison of this "
            "scenario shows. The fewer, the smaller the differences that can be shown."
        ),
    },
    "relevance": {
        "type": "object",
        "default": {},
        "description": (
            "By metric, the smallest difference that matters: '5 %' of the baseline, '1 ms' in "
            "the metric's unit, or 'none'; default: the simulator's."
        ),
    },
    "interval": {
        "type": "string",
        "enum": [T, BCA],
        "default": T,
        "description": (
            "Confidence intervals of differences: Student's t, or the bias-corrected and "
            f"accelerated bootstrap (bca) from {MIN_BCA_PAIRS} replications on."
        ),
    },
    "gates": GATES_FIELD,
}


@dataclass(frozen=True)
class Analysis:
    """How a campaign is compared: ``family`` (empty: the default metrics), thresholds by metric,
    until when its cells get more seeds, and the gates that it must pass.

    ``replications`` is their number at submission, from which gates that extend count their looks;
    0 of a campaign that was stored without.
    """

    family: tuple[str, ...] = ()
    relevance: Mapping[str, str] = field(default_factory=dict)
    interval: str = T
    stopping: Stopping | None = None
    gates: tuple[Gate, ...] = ()
    replications: int = 0

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Analysis:
        """From a campaign's fields; empty ones are of a campaign that was stored without."""
        relevance = {name: str(text) for name, text in fields.get("relevance", {}).items()}
        stopping = fields.get("stopping")
        return cls(
            family=tuple(fields.get("family", ())),
            relevance=relevance,
            interval=fields.get("interval", T),
            stopping=Stopping.from_fields(stopping) if stopping else None,
            gates=read_gates(fields),
            replications=fields.get("replications", 0),
        )


@dataclass(frozen=True)
class Family:
    """The comparisons on which verdicts are given, fixed at submission.

    ``comparisons`` cells with their baseline, in each of ``metrics``; ``size`` is their product.
    """

    comparisons: int
    metrics: tuple[str, ...]
    size: int

    @classmethod
    def of(cls, comparisons: int, metrics: Sequence[str]) -> Family:
        return cls(comparisons, tuple(metrics), comparisons * len(metrics))


def read_analysis(
    frame: Mapping[str, Any], stopping: Stopping | None, problems: list[Problem]
) -> Analysis:
    """The analysis of a valid frame; `check_analysis` checks the metrics that it names."""
    family = frame["family"]
    for index, name in enumerate(family):
        if name in family[:index]:
            problems.append(Problem(join_path("family", index), f"duplicate metric {name!r}"))
    return replace(Analysis.from_fields(frame), stopping=stopping)


def check_analysis(
    analysis: Analysis, metrics: Sequence[Metric], baseline: Mapping[str, str], replications: int
) -> list[Problem]:
    """Problems of the metrics and thresholds that an analysis names."""
    problems = []
    known = [metric.name for metric in metrics]
    if analysis.family and not baseline:
        problems.append(
            Problem("family", "verdicts compare with a baseline; set the field baseline as well")
        )
    for index, name in enumerate(analysis.family):
        if find_metric(metrics, name) is None:
            problems.append(Problem(join_path("family", index), unknown_metric(name, known)))
    for name, text in analysis.relevance.items():
        path = join_path("relevance", name)
        metric = find_metric(metrics, name)
        if metric is None:
            problems.append(Problem(path, unknown_metric(name, known)))
        else:
            problems += _problem(path, parse_threshold, text, metric.unit)
    if analysis.stopping:
        problems += _check_stopping(analysis.stopping, metrics, baseline)
    if analysis.interval == BCA and replications < MIN_BCA_PAIRS:
        problems.append(
            Problem(
                "interval",
                f"bca needs at least {MIN_BCA_PAIRS} replications, not {replications}: with fewer "
                "its intervals are too narrow",
            )
        )
    return problems


def _check_stopping(
    stopping: Stopping, metrics: Sequence[Metric], baseline: Mapping[str, str]
) -> list[Problem]:
    path = "replications.until"
    if find_metric(metrics, stopping.metric) is None:
        known = [metric.name for metric in metrics]
        return [Problem(f"{path}.metric", unknown_metric(stopping.metric, known))]
    if stopping.of == DIFFERENCE and not baseline:
        return [Problem(f"{path}.of", "a difference needs a baseline; set the field baseline")]
    return []


def _problem(path: str, check: Callable[..., Any], *arguments: Any) -> list[Problem]:
    try:
        check(*arguments)
    except ValueError as error:
        return [Problem(path, str(error))]
    return []
