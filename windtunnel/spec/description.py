"""What a simulator offers, as its ``describe`` prints it (contract version 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from windtunnel.errors import ContractError
from windtunnel.spec import expressions, relevance
from windtunnel.spec.layout import KEYWORD, Layout, layout_of
from windtunnel.spec.resolver import Resolution, Resolver
from windtunnel.spec.schema import Schema, choices_of
from windtunnel.spec.work import Work

CONTRACT = 2
MOST_DEFAULT_LABELS = 4
DEFAULT_STARTUP_SECONDS = 0.03
_DIGEST = re.compile(r"[0-9a-f]{64}")
_COST_EXPRESSIONS = ("events", "simulated_seconds")


@dataclass(frozen=True)
class Metric:
    """A named scalar. ``direction`` is ``higher``, ``lower`` or ``none``, ``group`` its subject.

    ``absent`` says why a run may report no value, ``relevance`` which difference matters
    (windtunnel.spec.relevance).
    """

    name: str
    unit: str
    direction: str
    definition: str
    title: str = ""
    group: str = ""
    absent: str = ""
    relevance: str = relevance.DEFAULT

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Metric:
        """A metric as ``describe`` prints it or a campaign keeps it.

        Fields that this version does not know are ignored. Raises KeyError, TypeError or
        ValueError.
        """
        known = {field.name: record[field.name] for field in fields(cls) if field.name in record}
        metric = cls(**known)
        if not all(isinstance(value, str) for value in known.values()):
            raise TypeError(f"the metric {metric.name!r} has a field that is not a string")
        relevance.parse_threshold(metric.relevance, metric.unit)
        return metric if metric.title else replace(metric, title=metric.name.replace("_", " "))

    def labelled(self, label: str) -> Metric:
        """The same of one part of a run: ``goodput_mbps:newcomer`` is a group's."""
        return replace(
            self,
            name=f"{self.name}:{label}",
            title=f"{self.title} {label}",
            definition=f"{self.definition} Of {label} only.",
        )


@dataclass(frozen=True)
class Cost:
    """What one run is expected to take: events, CPU seconds on one core, simulated seconds."""

    events: float = 0.0
    cpu_seconds: float = 0.0
    simulated_seconds: float = 0.0


@dataclass(frozen=True)
class Description:
    """One build of one simulator. ``raw`` is the document that it printed."""

    name: str
    digest: str
    title: str
    engine: str
    metrics: tuple[Metric, ...]
    raw: Mapping[str, Any]

    @classmethod
    def from_text(cls, text: str) -> Description:
        """Raises ContractError if the text is no description that this version understands."""
        try:
            document = json.loads(text)
        except ValueError as error:
            raise ContractError(f"describe printed no JSON: {error}") from error
        return cls.from_document(document)

    @classmethod
    def from_document(cls, document: Any) -> Description:
        """Raises ContractError, as from_text does."""
        if not isinstance(document, dict) or document.get("contract") != CONTRACT:
            contract = document.get("contract") if isinstance(document, dict) else None
            raise ContractError(
                f"built for version {contract} of the sim image contract, but version {CONTRACT} "
                "is required: rebuild it",
                outdated=isinstance(contract, int) and contract < CONTRACT,
            )
        try:
            engine = document["engine"]
            description = cls(
                name=document["name"],
                digest=document["digest"],
                title=document["title"],
                engine=f"{engine['name']} {engine['version']}",
                metrics=tuple(Metric.from_record(metric) for metric in document["metrics"]),
                raw=document,
            )
            _check_expressions(document)
            is_digest = _DIGEST.fullmatch(description.digest)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ContractError(f"describe lacks a field or has a wrong one: {error}") from error
        if not is_digest:
            raise ContractError(f"describe's digest {description.digest!r} is not a SHA-256 in hex")
        return description

    @property
    def scenario_schema(self) -> Schema:
        schema: Schema = self.raw["scenario"]
        return schema

    def resolver(self, work: Work | None = None) -> Resolver:
        """Resolves this simulator's scenarios and counts the work."""
        return Resolver(self.scenario_schema, self.name, work)

    def metric(self, name: str) -> Metric | None:
        """The metric of a name, or of a labelled one such as ``goodput_mbps:newcomer``."""
        return find_metric(self.metrics, name)

    def default_metrics(self, resolution: Resolution) -> list[str]:
        """What a comparison with this scenario shows unless told otherwise."""
        assert resolution.scope is not None
        chosen: list[str] = []
        for record in self.raw["metrics"]:
            if "default_labels" in record:
                labels = resolution.scope.evaluate(record["default_labels"])
                chosen += [f"{record['name']}:{label}" for label in labels[:MOST_DEFAULT_LABELS]]
            if "default" in record and resolution.scope.evaluate(record["default"]):
                chosen.append(record["name"])
        return chosen

    def cost(self, resolution: Resolution) -> Cost:
        """Predicted cost of one run of a scenario, before anything was measured."""
        assert resolution.scope is not None
        cost = self.raw["cost"]
        events, simulated = (
            float(resolution.scope.evaluate(cost[field])) for field in _COST_EXPRESSIONS
        )
        cpu_seconds = self.startup_seconds + events * self.seconds_per_event
        return Cost(events, cpu_seconds, simulated)

    @property
    def startup_seconds(self) -> float:
        """CPU time of a run without events."""
        return float(self.raw["cost"].get("startup_seconds", DEFAULT_STARTUP_SECONDS))

    @property
    def seconds_per_event(self) -> float:
        """CPU time per event, as described."""
        return 1 / float(self.raw["cost"]["events_per_second"])

    def layout(self, resolution: Resolution) -> Layout | None:
        """Nodes and links of a scenario's topology; None if the simulator draws none."""
        return layout_of(self.scenario_schema, resolution)

    def choices(self, part: str) -> Sequence[Schema]:
        """The schema of every kind that a part of the scenario (``algorithm``) can be."""
        return list(choices_of(self.scenario_schema["properties"].get(part, {})).values())


def _check_expressions(document: Mapping[str, Any]) -> None:
    """Raises ContractError for an expression that can't be read or uses an unknown function."""
    for metric in document["metrics"]:
        for field in ("default", "default_labels"):
            expressions.check(metric.get(field, "[]"))
    for field in _COST_EXPRESSIONS:
        expressions.check(document["cost"][field])
    _check_cost(document["cost"])
    pending = [document["scenario"]]
    while pending:
        schema = pending.pop()
        for source in schema.get("x-quantities", {}).values():
            expressions.check(source)
        for constraint in (*schema.get("x-constraints", []), *schema.get("x-lints", [])):
            _ = constraint["path"], constraint["message"]
            expressions.check(constraint["require"])
            expressions.check(constraint.get("culprits", "[]"))
            expressions.check(constraint.get("known", "[]"))
            expressions.check(constraint.get("values", "[]"))
        layout = schema.get(KEYWORD, {"nodes": [], "links": []})
        for part in (*layout["nodes"], *layout["links"]):
            expressions.check(part["count"])
            expressions.check(part.get("each", part.get("index", "0.0")))
        pending += schema.get("properties", {}).values()
        pending += schema.get("oneOf", [])
        pending += [schema["items"]] if "items" in schema else []


def _check_cost(cost: Mapping[str, Any]) -> None:
    for field, least in (("events_per_second", 1e-9), ("startup_seconds", 0)):
        value = cost.get(field, 1) if field == "startup_seconds" else cost[field]
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= least:
            raise ContractError(f"describe's cost.{field} {value!r} is not a positive number")


def find_metric(metrics: Sequence[Metric], name: str) -> Metric | None:
    """The metric of a name, or of a labelled one such as ``goodput_mbps:newcomer``."""
    base, _, label = name.partition(":")
    found = next((metric for metric in metrics if metric.name == base), None)
    return found.labelled(label) if found and label else found
