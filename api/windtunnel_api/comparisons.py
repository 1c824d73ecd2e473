"""Cache of comparisons as JSON text, invalidated when a campaign's results change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from threading import Lock

from pydantic_core import to_json
from sqlalchemy.orm import Session

from windtunnel.comparison import (
    CellResults,
    Comparison,
    Design,
    choose_metrics,
    compare,
    metric_definitions,
    share_metrics,
)
from windtunnel.comparison.across import compare_across
from windtunnel.comparison.matching import matched_pairs
from windtunnel.spec.description import Metric
from windtunnel.store import results
from windtunnel.store.references import describe_reference
from windtunnel.store.results import CellVersions
from windtunnel.store.tables import Campaign
from windtunnel_api.etags import Tagged
from windtunnel_api.tables import Tables

_CACHE_BYTES = 64 * 2**20


@dataclass(frozen=True)
class View:
    """What of a comparison is asked for.

    The metrics that are named, else the default ones if ``only_default``, else all that are
    available; with verdicts on incomplete values or without. ``baseline`` has the axes and labels
    of another baseline than the declared one; empty for that one.
    """

    metrics: tuple[str, ...]
    only_default: bool
    with_incomplete: bool
    baseline: tuple[tuple[str, str], ...] = ()


class Comparisons:
    """Computes comparisons and caches the most recently used ones."""

    def __init__(self) -> None:
        self._tables = Tables()
        self._cache: OrderedDict[Hashable, tuple[object, Tagged]] = OrderedDict()
        self._lock = Lock()

    def get(self, session: Session, campaign: Campaign, view: View) -> Tagged:
        """A ComparisonOut. Raises SpecError for an unknown metric."""
        versions = results.cell_versions(session, campaign.id)
        key = campaign.id, view
        return self._cached(key, versions, lambda: self._compare(session, campaign, view, versions))

    def across(
        self, session: Session, campaign: Campaign, reference: Campaign, view: View
    ) -> Tagged:
        """A ComparisonOut against another campaign.

        Raises SpecError for an unknown metric or if they have nothing in common.
        """
        versions = [results.cell_versions(session, side.id) for side in (campaign, reference)]
        key = campaign.id, reference.id, view
        return self._cached(
            key, versions, lambda: self._compare_across(session, campaign, reference, view)
        )

    def _cached(self, key: Hashable, versions: object, compute: Callable[[], bytes]) -> Tagged:
        with self._lock:
            known = self._cache.get(key)
            if known is not None and known[0] == versions:
                self._cache.move_to_end(key)
                return known[1]
        comparison = Tagged.of(compute())
        with self._lock:
            self._cache[key] = versions, comparison
            self._cache.move_to_end(key)
            while sum(len(entry.body) for _, entry in self._cache.values()) > _CACHE_BYTES:
                self._cache.popitem(last=False)
        return comparison

    def _compare(
        self, session: Session, campaign: Campaign, view: View, versions: CellVersions
    ) -> bytes:
        design = self._tables.design(campaign)
        metrics, available = _shown(session, design, view)
        needed = sorted({*_needed(design, metrics), *share_metrics(design)})
        table = self._tables.get(session, campaign, design, needed, versions)
        baseline = dict(view.baseline) or None
        compared = compare(table, metrics, available, view.with_incomplete, baseline)
        if baseline:
            return to_json(compared)
        return _json(compared, table.cells)

    @staticmethod
    def _compare_across(
        session: Session, campaign: Campaign, reference: Campaign, view: View
    ) -> bytes:
        design, other_design = results.design_of(campaign), results.design_of(reference)
        metrics, available = _shown(session, design, view)
        needed = _needed(design, metrics)
        table = results.result_table(session, campaign, design, needed)
        other = results.result_table(session, reference, other_design, needed)
        pairs = matched_pairs(table, other)
        against = describe_reference(session, reference, table, other, pairs)
        compared = compare_across(
            table, other_design, pairs, against, metrics, available, view.with_incomplete
        )
        return to_json(compared)


def _json(compared: Comparison, cells: Sequence[CellResults]) -> bytes:
    """A ComparisonOut. The text of a cell is written again only if it has changed."""
    texts = [
        source.remembered("json", (cell,), partial(to_json, cell))
        for source, cell in zip(cells, compared.cells, strict=True)
    ]
    members = [
        b'"%s":%s'
        % (
            field.name.encode(),
            b"[" + b",".join(texts) + b"]"
            if field.name == "cells"
            else to_json(getattr(compared, field.name)),
        )
        for field in fields(compared)
    ]
    return b"{" + b",".join(members) + b"}"


def _shown(
    session: Session, design: Design, view: View
) -> tuple[tuple[Metric, ...], tuple[Metric, ...]]:
    """The metrics that a view shows, and those that are available."""
    available = metric_definitions(design, results.reported_metrics(session, design.campaign))
    names = view.metrics or (design.default_metrics if view.only_default else ())
    return choose_metrics(design, available, names) if names else available, available


def _needed(design: Design, metrics: Sequence[Metric]) -> list[str]:
    """Names of the metrics whose values are needed: those shown and the family's."""
    return sorted({*(metric.name for metric in metrics), *design.family})
