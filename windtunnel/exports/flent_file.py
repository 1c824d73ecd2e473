"""Data files of Flent (https://flent.org), one per run, as results of its test ``tcp_nup``.

File format 4 of Flent's resultset.py; series are named as tests/tcp_nup.conf names them.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from windtunnel import __version__
from windtunnel.exports.origin import Origin

SUFFIX = ".flent.gz"
# `goodput flow3`, as the simulator names the series that `{probe: goodput, at: flows}` asks for.
_SERIES = re.compile(r"(goodput|rtt|cwnd) flow([0-9]+)")
_TEST = "tcp_nup"
_FORMAT = 4
# Keys of Flent's raw values by probe, with its units: Mbit/s, ms and segments.
_RAW_KEYS = {"goodput": "val", "rtt": "tcp_rtt", "cwnd": "tcp_cwnd"}


@dataclass(frozen=True)
class FlentRun:
    """A run: its labels by axis, and its series as (seconds, values) by name."""

    cell: int
    seed: int
    run: str
    labels: Mapping[str, str]
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]]


def is_goodput(name: str) -> bool:
    """Whether a series is the throughput of a flow, which Flent's test is about."""
    match = _SERIES.fullmatch(name)
    return match is not None and match[1] == "goodput"


def is_used(name: str) -> bool:
    """Whether a data file contains the series."""
    return _SERIES.fullmatch(name) is not None


def flent_archive(origin: Origin, started: datetime, runs: Iterable[FlentRun]) -> Iterator[bytes]:
    """A tar archive: ``campaign.json`` with the origin, and a data file per run."""
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        _add(archive, "campaign.json", json.dumps(origin.record(), indent=2).encode() + b"\n")
        for run in runs:
            name = f"cell{run.cell:04d}-seed{run.seed:04d}{SUFFIX}"
            _add(archive, name, data_file(origin, started, run))
            yield sink.getvalue()
            sink.seek(0)
            sink.truncate()
    yield sink.getvalue()


def data_file(origin: Origin, started: datetime, run: FlentRun) -> bytes:
    """A run's ``.flent.gz``."""
    flows = _flows(run)
    goodput = [dict(zip(*flow["goodput"], strict=True)) for flow in flows]
    times = sorted({time for points in goodput for time in points})
    names = [f"TCP upload::{number}" for number in range(1, len(flows) + 1)]
    results: dict[str, list[float | None]] = {
        name: [points.get(time) for time in times]
        for name, points in zip(names, goodput, strict=True)
    }
    results |= _summaries(list(results.values()))
    begun = started.astimezone(UTC)
    raw = {
        name: _raw_values(flow, begun.timestamp()) for name, flow in zip(names, flows, strict=True)
    }
    content = {
        "metadata": _metadata(origin, begun, run, times, names),
        "version": _FORMAT,
        "x_values": times,
        "results": results,
        "raw_values": raw,
    }
    # Without a time of its own: the same run gives the same bytes.
    return gzip.compress(json.dumps(content).encode(), mtime=0)


def _flows(run: FlentRun) -> list[dict[str, tuple[Sequence[float], Sequence[float]]]]:
    """Series by probe, of each flow that has a goodput, by the flows' numbers."""
    flows: dict[int, dict[str, tuple[Sequence[float], Sequence[float]]]] = {}
    for name, points in run.series.items():
        if match := _SERIES.fullmatch(name):
            flows.setdefault(int(match[2]), {})[match[1]] = points
    return [flow for _, flow in sorted(flows.items()) if "goodput" in flow]


def _summaries(flows: Sequence[Sequence[float | None]]) -> dict[str, list[float | None]]:
    """Sum, mean and Jain's fairness index at times at which all flows have a value."""
    total: list[float | None] = []
    mean: list[float | None] = []
    fairness: list[float | None] = []
    for values in zip(*flows, strict=True):
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            total.append(None)
            mean.append(None)
            fairness.append(None)
            continue
        squares = len(known) * sum(value**2 for value in known)
        total.append(sum(known))
        mean.append(sum(known) / len(known))
        fairness.append(sum(known) ** 2 / squares if squares else None)
    return {
        "TCP upload avg": mean,
        "TCP upload sum": total,
        "TCP upload fairness": fairness,
    }


def _raw_values(
    flow: Mapping[str, tuple[Sequence[float], Sequence[float]]], begin: float
) -> list[dict[str, float]]:
    """A record per time at which something was sampled; ``t`` in seconds since 1970."""
    records: dict[float, dict[str, float]] = {}
    for probe, (times, values) in flow.items():
        for time, value in zip(times, values, strict=True):
            records.setdefault(time, {"t": begin + time})[_RAW_KEYS[probe]] = value
    return [records[time] for time in sorted(records)]


def _metadata(
    origin: Origin, begun: datetime, run: FlentRun, times: Sequence[float], names: Sequence[str]
) -> dict[str, Any]:
    length = times[-1] if times else 0.0
    step = min((later - time for time, later in pairwise(times)), default=1.0)
    place = [*(f"{axis}={label}" for axis, label in run.labels.items()), f"seed {run.seed}"]
    time = begun.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "NAME": _TEST,
        "TITLE": f"{origin.name}: {', '.join(place)}",
        "NOTE": (
            f"Simulated by Windtunnel {__version__}: campaign {origin.campaign}, cell {run.cell}, "
            f"run {run.run}. TCP upload is goodput; tcp_rtt and tcp_cwnd (segments) are raw values."
        ),
        "TIME": time,
        "T0": time,
        "BATCH_NAME": origin.name,
        "BATCH_TITLE": origin.name,
        "BATCH_UUID": origin.campaign,
        "HOST": "windtunnel",
        "HOSTS": ["windtunnel"],
        "LOCAL_HOST": "windtunnel",
        "LENGTH": max(1, math.ceil(length)),
        "TOTAL_LENGTH": max(1, math.ceil(length)),
        "STEP_SIZE": round(step, 9),
        "TEST_PARAMETERS": {"upload_streams": str(len(names))},
        "FLENT_VERSION": None,
        "IP_VERSION": 4,
        "SERIES_META": {name: {"UNITS": "Mbits/s", "RUNNER": "Windtunnel"} for name in names},
    }


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))
