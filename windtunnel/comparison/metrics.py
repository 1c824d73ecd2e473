"""Selection of the metrics that a comparison shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from windtunnel.comparison.table import Design
from windtunnel.errors import Problem, SpecError
from windtunnel.spec.description import Metric, find_metric
from windtunnel.suggestions import unknown_metric


def metric_definitions(design: Design, names: Collection[str]) -> tuple[Metric, ...]:
    """Definitions of the reported metrics ``names``, plain ones first, then labelled ones.

    Includes default and family metrics even if no run has reported them yet.
    """
    included = {*names, *design.default_metrics, *design.family}
    plain = [metric for metric in design.metrics if metric.name in included]
    labelled = [find_metric(design.metrics, name) for name in sorted(included) if ":" in name]
    return (*plain, *(metric for metric in labelled if metric))


def choose_metrics(
    design: Design, available: Sequence[Metric], names: Sequence[str]
) -> tuple[Metric, ...]:
    """The requested metrics in order. Raises SpecError for unknown or ambiguous names."""
    by_name = {metric.name: metric for metric in (*design.metrics, *available)}
    problems = [
        Problem("metric", unknown_metric(name, list(by_name)))
        for name in names
        if name not in by_name
    ]
    if problems:
        raise SpecError(problems)
    return tuple(by_name[name] for name in dict.fromkeys(names))
