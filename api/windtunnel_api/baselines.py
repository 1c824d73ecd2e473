"""The baseline of a view in query parameters: ``baseline=algorithm=cubic``."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from windtunnel.comparison.baselines import read_baseline_view
from windtunnel.errors import InvalidRequestError, Problem
from windtunnel.store.coordinates import axis_labels, sample_of
from windtunnel.store.tables import Campaign

_PATH = "query.baseline"

BaselineView = Annotated[
    list[str] | None,
    Query(
        max_length=50,
        description=(
            "Another baseline than the declared one, such as `algorithm=cubic`; repeat for several "
            "axes. An axis that is not given keeps its declared label. Differences only: verdicts "
            "hold for the declared baseline."
        ),
    ),
]


def chosen_baseline(
    campaign: Campaign, given: list[str] | None, against: str | None
) -> tuple[tuple[str, str], ...]:
    """The labels by axis, in the order of the axes; empty for the declared baseline.

    Those given stand in for the declared ones of their axes; other axes of the declared baseline
    stay, as on the page. Axes that a design samples have none. Raises InvalidRequestError.
    """
    if not given:
        return ()
    if against is not None:
        message = "with 'against' another campaign is the baseline; use one of the two"
        raise InvalidRequestError([Problem(_PATH, message)])
    sample = sample_of(campaign)
    sampled = sample.axes if sample else ()
    axes = {name: labels for name, labels in axis_labels(campaign).items() if name not in sampled}
    baseline = {**campaign.baseline, **read_baseline_view(given, axes, _PATH)}
    if baseline == campaign.baseline:
        return ()
    return tuple((axis, baseline[axis]) for axis in axes if axis in baseline)
