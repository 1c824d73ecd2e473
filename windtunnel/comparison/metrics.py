"""Which metrics a comparison shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from windtunnel.comparison.table import Design
from windtunnel.errors import Problem, SpecError
from windtunnel.spec.description import Metric, find_metric
from windtunnel.spec.suggestions import nearest


def reported(design: Design, names: Collection[str]) -> tuple[Metric, ...]:
    """Definitions of the metrics that runs have, labelled ones after the plain ones.

    A default metric is there before any run has reported it.
    """
    known = {*names, *design.default_metrics}
    plain = [metric for metric in design.metrics if metric.name in known]
    labelled = [find_metric(design.metrics, name) for name in sorted(known) if ":" in name]
    return (*plain, *(metric for metric in labelled if metric))


def choose_metrics(
    design: Design, available: Sequence[Metric], wanted: Sequence[str]
) -> tuple[Metric, ...]:
    """The wanted metrics in the wanted order. Raises SpecError for unknown or ambiguous names."""
    by_name = {metric.name: metric for metric in (*design.metrics, *available)}
    problems = [
        Problem("metric", _why_unknown(name, by_name)) for name in wanted if name not in by_name
    ]
    if problems:
        raise SpecError(problems)
    return tuple(by_name[name] for name in dict.fromkeys(wanted))


def _why_unknown(name: str, known: Collection[str]) -> str:
    similar = [other for other in known if name in other and ":" not in other]
    if len(similar) > 1:
        return f"{name!r} is ambiguous: {', '.join(similar)}"
    hint = nearest(name, list(known)) or f"; known: {', '.join(known)}"
    return f"{name!r} is not a metric{hint}"
