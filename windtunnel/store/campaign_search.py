"""Finding campaigns: filters, sort orders and what there is to filter by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select, text, tuple_
from sqlalchemy.orm import Session, defer

from windtunnel.campaign import CampaignState
from windtunnel.run import RunState
from windtunnel.store.campaigns import CampaignStatus, statuses
from windtunnel.store.tables import Campaign

_MAX_VALUES = 50  # of one facet: the most frequent


class StateFilter(StrEnum):
    """A campaign's state; ``failures``: ended, with a failed run."""

    PLANNED = CampaignState.PLANNED.value
    RUNNING = CampaignState.RUNNING.value
    ENDED = CampaignState.ENDED.value
    CANCELLED = CampaignState.CANCELLED.value
    FAILURES = "failures"


class SortOrder(StrEnum):
    """``-``: the greatest first. ``cost`` is the predicted CPU time."""

    NEWEST = "-created"
    OLDEST = "created"
    NAME = "name"
    NAME_REVERSED = "-name"
    CHEAPEST = "cost"
    COSTLIEST = "-cost"

    @property
    def key(self) -> str:
        """What it sorts by: created, name or cost."""
        return self.value.removeprefix("-")

    @property
    def descends(self) -> bool:
        return self.value.startswith("-")


_SORT_COLUMNS: Mapping[str, ColumnElement[Any]] = {
    "created": Campaign.created_at.expression,
    "name": func.lower(Campaign.name),
    "cost": Campaign.predicted_cpu_seconds.expression,
}


@dataclass(frozen=True)
class CampaignFilter:
    """Which campaigns to list: those that satisfy every condition that is set.

    ``query`` is part of the name, the description or a label's ``name=value``, or begins the id.
    ``states`` and ``algorithms`` are alternatives.
    """

    query: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    states: Sequence[StateFilter] = ()
    submitter: str | None = None
    algorithms: Sequence[str] = ()
    topology: str | None = None


def list_campaigns(
    session: Session,
    limit: int,
    conditions: CampaignFilter | None = None,
    order: SortOrder = SortOrder.NEWEST,
    after: tuple[Any, str] | None = None,
) -> list[CampaignStatus]:
    """The campaigns in this order; ``after``: sort value and id of the last one seen."""
    columns = (_SORT_COLUMNS[order.key], Campaign.id.expression)
    query = (
        select(Campaign)
        .options(defer(Campaign.document), defer(Campaign.metrics), defer(Campaign.axes))
        .order_by(*(column.desc() if order.descends else column for column in columns))
        .limit(limit)
    )
    if after:
        place = tuple_(*columns)
        query = query.where(place < after if order.descends else place > after)
    return statuses(session, session.scalars(_filtered(query, conditions)).all())


def sort_value(campaign: CampaignStatus, order: SortOrder) -> Any:
    """What the campaign is sorted by, as a JSON value."""
    values = {
        "created": campaign.created_at.isoformat(),
        "name": campaign.name.lower(),
        "cost": campaign.predicted_cpu_seconds,
    }
    return values[order.key]


def _filtered(query: Select[Any], conditions: CampaignFilter | None) -> Select[Any]:
    if conditions is None:
        return query
    if conditions.query:
        query = query.where(_matches(conditions.query))
    if conditions.labels:
        query = query.where(Campaign.labels.contains(dict(conditions.labels)))
    if conditions.states:
        query = query.where(or_(*map(_is_in, conditions.states)))
    if conditions.submitter is not None:
        query = query.where(Campaign.submitted_by == conditions.submitter)
    if conditions.algorithms:
        query = query.where(Campaign.algorithms.overlap(list(conditions.algorithms)))
    if conditions.topology is not None:
        query = query.where(Campaign.topologies.contains([conditions.topology]))
    return query


def _matches(words: str) -> ColumnElement[bool]:
    pairs = func.jsonb_each_text(Campaign.labels).table_valued("key", "value").alias("pair")
    pair = pairs.c.key + "=" + pairs.c.value
    labelled = select(pairs.c.key).where(pair.icontains(words, autoescape=True)).exists()
    return or_(
        Campaign.name.icontains(words, autoescape=True),
        Campaign.description.icontains(words, autoescape=True),
        Campaign.id.startswith(words.lower(), autoescape=True),
        and_(Campaign.labels != text("'{}'::jsonb"), labelled),
    )


def _is_in(state: StateFilter) -> ColumnElement[bool]:
    if state is not StateFilter.FAILURES:
        return Campaign.state == state.value
    failed = Campaign.totals[("runs", RunState.FAILED.value)].is_not(None)
    return and_(Campaign.state == CampaignState.ENDED, failed)


@dataclass(frozen=True)
class FacetValue:
    name: str
    count: int


@dataclass(frozen=True)
class Facets:
    """Number of campaigns: in all, by state, and by the most frequent values of other fields."""

    total: int
    states: Mapping[str, int]
    submitters: Sequence[FacetValue]
    algorithms: Sequence[FacetValue]
    topologies: Sequence[FacetValue]
    labels: Sequence[FacetValue]


# One scan of the table, whose narrow result is counted in several ways.
_FACETS = text("""
    WITH narrow AS MATERIALIZED (
        SELECT state, submitted_by, algorithms, topologies, labels,
            state = 'ended' AND totals #> '{runs,failed}' IS NOT NULL AS failed
        FROM campaign
    ), counted AS (
        SELECT 'states' AS facet, state AS name, count(*) AS count FROM narrow GROUP BY state
        UNION ALL
        SELECT 'states', 'failures', count(*) FROM narrow WHERE failed
        UNION ALL
        SELECT 'submitters', submitted_by, count(*) FROM narrow
        WHERE submitted_by <> '' GROUP BY submitted_by
        UNION ALL
        SELECT 'algorithms', name, count(*) FROM narrow, unnest(algorithms) AS name GROUP BY name
        UNION ALL
        SELECT 'topologies', name, count(*) FROM narrow, unnest(topologies) AS name GROUP BY name
        UNION ALL
        SELECT 'labels', key || '=' || value, count(*)
        FROM narrow, jsonb_each_text(labels) GROUP BY key, value
    ), ranked AS (
        SELECT *, row_number() OVER (PARTITION BY facet ORDER BY count DESC, name) AS place
        FROM counted
    )
    SELECT facet, name, count FROM ranked WHERE place <= :most ORDER BY facet, place
""")


def facets(session: Session) -> Facets:
    """What campaigns can be filtered by, each with the number of campaigns that have it."""
    values: dict[str, list[FacetValue]] = {}
    for facet, name, count in session.execute(_FACETS, {"most": _MAX_VALUES}):
        values.setdefault(facet, []).append(FacetValue(name, count))
    by_state = {value.name: value.count for value in values.pop("states", [])}
    return Facets(
        total=sum(by_state.get(state.value, 0) for state in CampaignState),
        states={state.value: by_state.get(state.value, 0) for state in StateFilter},
        submitters=values.get("submitters", []),
        algorithms=values.get("algorithms", []),
        topologies=values.get("topologies", []),
        labels=values.get("labels", []),
    )
