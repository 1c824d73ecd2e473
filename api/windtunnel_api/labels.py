"""Labels in query parameters: ``label=branch=main``, and their names: ``supersede=branch``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Query

from windtunnel.errors import InvalidRequestError
from windtunnel.labels import MAX_LABELS, check_superseding, parse_labels, too_many_labels
from windtunnel.plan import Plan

_PATH = "query.label"


def _labels(
    label: Annotated[
        list[str] | None, Query(description="A label such as `branch=main`; repeat for several.")
    ] = None,
) -> dict[str, str]:
    """The labels of the request. Raises InvalidRequestError."""
    labels, problems = parse_labels(label or (), _PATH)
    if problems:
        raise InvalidRequestError(problems)
    return labels


def labelled(plan: Plan, labels: Mapping[str, str]) -> Plan:
    """The plan with the request's labels, which win over the file's. Raises InvalidRequestError."""
    merged = {**plan.campaign.labels, **labels}
    problems = too_many_labels(merged, _PATH)
    if problems:
        raise InvalidRequestError(problems)
    return replace(plan, campaign=replace(plan.campaign, labels=merged))


def superseding(plan: Plan, names: Sequence[str]) -> tuple[str, ...]:
    """The labels by which the plan supersedes older campaigns. Raises InvalidRequestError."""
    distinct = tuple(sorted(set(names)))
    problems = check_superseding(distinct, plan.campaign.labels, "query.supersede")
    if problems:
        raise InvalidRequestError(problems)
    return distinct


QueryLabels = Annotated[dict[str, str], Depends(_labels)]
SupersedeLabels = Annotated[
    list[str] | None,
    Query(
        max_length=MAX_LABELS,
        description=(
            "Name of a label, repeat for several: cancel one's own unfinished campaigns of the "
            "same name that have the same values of all these labels."
        ),
    ),
]
