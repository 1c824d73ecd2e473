"""Comparisons as JSON text, each made once for as long as nothing about its results changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from pydantic_core import to_json
from sqlalchemy.orm import Session

from windtunnel.comparison import choose_metrics, compare, metric_definitions
from windtunnel.store import results
from windtunnel.store.tables import Campaign
from windtunnel_api.etags import Tagged

_KEPT_BYTES = 64 * 2**20


class Comparisons:
    """Makes them, and keeps the last ones: 20,000 runs take a while to compare."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Tagged] = OrderedDict()
        self._lock = Lock()

    def of(
        self, session: Session, campaign: Campaign, wanted: Sequence[str], only_default: bool
    ) -> Tagged:
        """A ComparisonOut of the metrics wanted, the default ones, or all that runs have.

        Raises SpecError for an unknown one.
        """
        version = results.results_version(session, campaign.id)
        key = repr((campaign.id, version, tuple(wanted), only_default))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = Tagged.of(_compare(session, campaign, wanted, only_default))
        with self._lock:
            self._kept[key] = made
            while sum(len(one.body) for one in self._kept.values()) > _KEPT_BYTES:
                self._kept.popitem(last=False)
        return made


def _compare(
    session: Session, campaign: Campaign, wanted: Sequence[str], only_default: bool
) -> bytes:
    design = results.design_of(campaign)
    available = metric_definitions(design, results.reported_metrics(session, campaign.id))
    if only_default and not wanted:
        wanted = design.default_metrics
    metrics = choose_metrics(design, available, wanted) if wanted else available
    table = results.result_table(session, design, [metric.name for metric in metrics])
    return to_json(compare(table, metrics, available))
