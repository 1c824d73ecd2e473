"""Cache of comparisons as JSON text, invalidated when a campaign's results change."""

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

_CACHE_BYTES = 64 * 2**20


class Comparisons:
    """Computes comparisons and caches the most recently used ones."""

    def __init__(self) -> None:
        self._cache: OrderedDict[str, Tagged] = OrderedDict()
        self._lock = Lock()

    def get(
        self, session: Session, campaign: Campaign, names: Sequence[str], only_default: bool
    ) -> Tagged:
        """A ComparisonOut of the named metrics, else the default ones, else all available ones.

        Raises SpecError for an unknown metric.
        """
        version = results.results_version(session, campaign.id)
        key = repr((campaign.id, version, tuple(names), only_default))
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        comparison = Tagged.of(_compare(session, campaign, names, only_default))
        with self._lock:
            self._cache[key] = comparison
            while sum(len(entry.body) for entry in self._cache.values()) > _CACHE_BYTES:
                self._cache.popitem(last=False)
        return comparison


def _compare(
    session: Session, campaign: Campaign, names: Sequence[str], only_default: bool
) -> bytes:
    design = results.design_of(campaign)
    available = metric_definitions(design, results.reported_metrics(session, campaign.id))
    if only_default and not names:
        names = design.default_metrics
    metrics = choose_metrics(design, available, names) if names else available
    table = results.result_table(session, campaign, design, [metric.name for metric in metrics])
    return to_json(compare(table, metrics, available))
