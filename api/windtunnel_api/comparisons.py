"""Comparisons as JSON text, each made once for as long as nothing about its results changes."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from threading import Lock

from pydantic_core import to_json
from sqlalchemy.orm import Session

from windtunnel.comparison import choose_metrics, compare, headline
from windtunnel.spec import Document, read_campaign
from windtunnel.spec.description import Description, Metric
from windtunnel.statistics.intervals import CONFIDENCE
from windtunnel.store import campaigns
from windtunnel.store.tables import Campaign

_KEPT_BYTES = 64 * 2**20


@dataclass(frozen=True)
class ComparisonText:
    """A ComparisonOut as JSON, and the ETag that stands for it."""

    etag: str
    body: bytes


class Comparisons:
    """Makes them, and keeps the last ones: 20,000 runs take a while to compare."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, ComparisonText] = OrderedDict()
        self._lock = Lock()

    def of(
        self,
        session: Session,
        campaign: Campaign,
        description: Description,
        wanted: Sequence[str],
        only_headline: bool,
    ) -> ComparisonText:
        """All metrics, those wanted, or the headline's. Raises SpecError for an unknown one."""
        version = campaigns.results_version(session, campaign.id)
        key = repr((campaign.id, version, tuple(wanted), only_headline))
        etag = f'"{hashlib.sha256(key.encode()).hexdigest()[:32]}"'
        with self._lock:
            if etag in self._kept:
                self._kept.move_to_end(etag)
                return self._kept[etag]
        made = ComparisonText(etag, _compare(session, campaign, description, wanted, only_headline))
        with self._lock:
            self._kept[etag] = made
            while sum(len(one.body) for one in self._kept.values()) > _KEPT_BYTES:
                self._kept.popitem(last=False)
        return made


def _compare(
    session: Session,
    campaign: Campaign,
    description: Description,
    wanted: Sequence[str],
    only_headline: bool,
) -> bytes:
    reported = campaigns.reported_metrics(session, campaign.id)
    known = _in_order(description, reported)
    available = [metric for metric in known if metric.name in set(reported)]
    about = headline([metric.name for metric in available])
    chosen = choose_metrics(known, about if only_headline and not wanted else wanted)
    results = campaigns.cell_results(session, campaign.id, [one.name for one in chosen])
    return to_json(
        {
            "campaign": campaign.id,
            "baseline": dict(read_campaign(Document(campaign.document)).baseline),
            "confidence": CONFIDENCE,
            "metrics": [_info(metric) for metric in chosen],
            "available": [_info(metric) for metric in available],
            "headline": about,
            "cells": compare(results, chosen).cells,
        }
    )


def _in_order(description: Description, reported: Sequence[str]) -> list[Metric]:
    """The simulator's metrics, then the labelled ones that runs have."""
    labelled = (description.metric(name) for name in reported if ":" in name)
    return [*description.metrics, *(metric for metric in labelled if metric)]


def _info(metric: Metric) -> dict[str, str]:
    fields = asdict(metric)
    return {name: fields[name] for name in ("name", "unit", "direction", "definition")}
