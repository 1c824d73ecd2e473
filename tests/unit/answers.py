"""Answers of the REST API for figures of campaigns that are written down as numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

from windtunnel_api.comparison_schemas import ComparisonOut
from windtunnel_api.grid_schemas import DistributionsOut
from windtunnel_api.run_schemas import RunOut, SeriesOut

ID = "504d45672512ab34"
# Mean and half-width of a cell, or None without a value.
Value = tuple[float, float] | None
Values = Callable[[Mapping[str, str]], Value]
TITLES = {"goodput_mbps": ("goodput", "Mb/s", "higher"), "delay_ms": ("delay", "ms", "lower")}


class Answers:
    """A campaign of ``axes``; ``metrics`` give each cell's value from its labels.

    ``get`` answers as `HttpClient.get` does; ``asked`` are the requests.
    """

    def __init__(
        self,
        axes: Mapping[str, Sequence[str]],
        metrics: Mapping[str, Values],
        finished: int = 5,
        planned: int = 5,
        **changes: Any,
    ) -> None:
        self.axes = axes
        self.metrics = metrics
        self.finished, self.planned = finished, planned
        self.changes = changes
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.series: dict[str, tuple[str, list[float]]] = {}
        self.points: dict[int, list[tuple[float, float]]] = {}
        self.scenario: dict[str, Any] = {}
        self.flows: list[dict[str, Any]] = []
        self.state = "running"
        self.design: dict[str, Any] | None = None

    def get(self, path: str, **params: Any) -> dict[str, Any]:
        self.asked.append((path, params))
        if path.endswith("/comparison"):
            return self.comparison(params.get("metric") or list(self.metrics)[:2])
        if path.endswith("/distributions"):
            return self._distributions(params["cell"])
        if path.endswith("/flows"):
            return {"flows": self.flows}
        if path == "/campaigns/504d":
            return {"state": self.state, "design": self.design}
        if "/series/" in path:
            return self._series(path.rpartition("/series/")[2].replace("%20", " "))
        return self._run(path.rpartition("/")[2])

    def labels(self) -> list[dict[str, str]]:
        """The labels of each cell."""
        return [
            dict(zip(self.axes, labels, strict=True)) for labels in product(*self.axes.values())
        ]

    def comparison(self, shown: Sequence[str]) -> dict[str, Any]:
        finished = self.finished
        cells = [
            {
                "index": index,
                "coordinates": labels,
                "simulator": {"name": "ns3", "digest": "d8c416f5"},
                "is_baseline": index == 0,
                "deterministic": False,
                "paired": True,
                "planned": self.planned,
                "finished": finished,
                "missing": [],
                "metrics": {name: self._metric(name, labels) for name in shown},
                "digests": {},
                "runs": {str(seed): f"{index:04x}{seed:04x}" for seed in range(1, finished + 1)},
            }
            for index, labels in enumerate(self.labels())
        ]
        content = {
            "campaign": ID,
            "axes": list(self.axes),
            "baseline": {},
            "declared_baseline": {},
            "confidence": 0.95,
            "family": {"comparisons": 0, "metrics": [], "size": 0},
            "metrics": [_info(name) for name in shown],
            "available": [_info(name) for name in self.metrics] if finished else [],
            "default_metrics": list(self.metrics)[:2],
            "cells": cells,
            "rankings": [],
            "pareto": [],
            "coexistence": [],
            "summary": [],
            "headlines": {},
            "notes": [],
            "against": None,
            **self.changes,
        }
        return ComparisonOut.model_validate(content).model_dump(mode="json")

    def estimate(self, metric: str, labels: Mapping[str, str]) -> Value:
        return self.metrics[metric](labels)

    def _metric(self, name: str, labels: Mapping[str, str]) -> dict[str, Any]:
        value = self.metrics[name](labels)
        estimate = None
        if value is not None:
            mean, half = value
            n = self.finished
            estimate = {
                "n": n,
                "mean": mean,
                "sd": half if n > 1 else None,
                "half_width": half if n > 1 else None,
                "ci95": (mean - half, mean + half) if n > 1 else None,
            }
        return {
            "unit": _info(name)["unit"],
            "values": {} if value is None else {1: value[0]},
            "estimate": estimate,
            "against_baseline": None,
            "verdict": None,
            "missing": [],
        }

    def _distributions(self, cells: Sequence[int]) -> dict[str, Any]:
        fields = [{"name": "fct_ms", "title": "flow completion time", "unit": "ms"}]
        content = {
            "of": "flows",
            "field": "fct_ms",
            "title": "flow completion time",
            "unit": "ms",
            "available": fields,
            "cells": [
                {
                    "cell": cell,
                    "coordinates": self.labels()[cell],
                    "n_values": len(self.points.get(cell, [])),
                    "n_missing": 1 if cell == 0 else 0,
                    "n_seeds": 1,
                    "points": self.points.get(cell, []),
                }
                for cell in cells
            ],
        }
        return DistributionsOut.model_validate(content).model_dump(mode="json")

    def _series(self, name: str) -> dict[str, Any]:
        values = self.series[name][1]
        times = [index * 10**9 for index in range(len(values))]
        content = {**self._series_info(name), "times_ns": times, "values": values, "preview": False}
        return SeriesOut.model_validate(content).model_dump(mode="json")

    def _series_info(self, name: str) -> dict[str, Any]:
        unit, values = self.series[name]
        mean = sum(values) / len(values)
        length = len(values)
        span = {"first_ns": 0, "step_ns": 10**9, "length": length}
        return {"name": name, "unit": unit, "maximum": max(values), "mean": mean, **span}

    def _run(self, run_id: str) -> dict[str, Any]:
        time = "2026-01-01T00:00:00Z"
        content = {
            "id": run_id, "state": "succeeded", "failure": None, "message": "", "note": None,
            "seed_index": 1, "simulator_name": "ns3", "simulator_digest": "d8", "attempt": 1,
            "simulated_ns": 10**10, "duration_ns": 10**10, "events": 1, "predicted_events": 1,
            "wall_seconds": 1, "created_at": time, "ended_at": time, "digest": "d", "log_pruned_at":
            None, "stored_bytes": 1, "series_pruned_at": None, "campaigns": [ID],
            "spec": {"scenario": self.scenario}, "configuration": None, "schedule": None,
            "metadata": None, "metrics": [], "checks": [], "attempts": [],
            "series": [self._series_info(name) for name in self.series],
        }  # fmt: skip
        return RunOut.model_validate(content).model_dump(mode="json")


def _info(name: str) -> dict[str, Any]:
    title, unit, direction = TITLES.get(name, (name.replace("_", " "), "", "none"))
    texts = {"group": "", "definition": "", "absent": "", "relevance": "none"}
    return {"name": name, "unit": unit, "direction": direction, "title": title, **texts}


def incast(**changes: Any) -> Answers:
    """Three algorithms and 1 to 32 servers; goodput halves with each doubling."""
    factor = {"newreno": 1.0, "cubic": 0.9, "dctcp": 1.2}

    def goodput(labels: Mapping[str, str]) -> Value:
        mean = 800 * factor[labels["algorithm"]] / int(labels["workload.servers"])
        return mean, mean / 10

    def delay(labels: Mapping[str, str]) -> Value:
        return 2.0 * int(labels["workload.servers"]) / factor[labels["algorithm"]], 0.5

    axes = {"algorithm": list(factor), "workload.servers": ["1", "2", "4", "8", "16", "32"]}
    return Answers(axes, {"goodput_mbps": goodput, "delay_ms": delay}, **changes)
