"""What a simulator offers, as its ``describe`` prints it (contract version 1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from windtunnel.errors import ContractError
from windtunnel.spec.expressions import evaluate, evaluate_names
from windtunnel.spec.schema import Resolver

CONTRACT = 2
MOST_DEFAULT_LABELS = 4
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Metric:
    """A named scalar. ``direction`` is ``higher``, ``lower`` or ``none``, ``group`` its subject.

    ``absent`` says why a run may report no value.
    """

    name: str
    unit: str
    direction: str
    definition: str
    title: str = ""
    group: str = ""
    absent: str = ""

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Metric:
        """A metric as ``describe`` prints it or a campaign keeps it.

        Fields that this version does not know are ignored. Raises KeyError or TypeError.
        """
        known = {field.name: record[field.name] for field in fields(cls) if field.name in record}
        metric = cls(**known)
        if not all(isinstance(value, str) for value in known.values()):
            raise TypeError(f"the metric {metric.name!r} has a field that is not a string")
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
    """What runs are expected to take: events, CPU seconds on one core, simulated seconds."""

    events: float = 0.0
    cpu_seconds: float = 0.0
    simulated_seconds: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.events + other.events,
            self.cpu_seconds + other.cpu_seconds,
            self.simulated_seconds + other.simulated_seconds,
        )

    def times(self, count: int) -> Cost:
        return Cost(self.events * count, self.cpu_seconds * count, self.simulated_seconds * count)


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
            raise ContractError(f"describe must print one object with contract {CONTRACT}")
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
            _ = document["scenario"], document["constraints"], document["cost"]["events"]
        except (KeyError, TypeError) as error:
            raise ContractError(f"describe lacks a field or has a wrong one: {error}") from error
        if not _DIGEST.fullmatch(description.digest):
            raise ContractError(f"describe's digest {description.digest!r} is no SHA-256")
        return description

    @property
    def scenario_schema(self) -> Mapping[str, Any]:
        schema: Mapping[str, Any] = self.raw["scenario"]
        return schema

    def resolver(self) -> Resolver:
        return Resolver(
            self.scenario_schema, self.raw["constraints"], self.name, self.raw.get("names")
        )

    def metric(self, name: str) -> Metric | None:
        """The metric of a name, or of a labelled one such as ``goodput_mbps:newcomer``."""
        return find_metric(self.metrics, name)

    def default_metrics(self, scenario: Mapping[str, Any]) -> list[str]:
        """What a comparison with this resolved scenario shows unless told otherwise."""
        names = evaluate_names(self.raw.get("names", {}), scenario)
        chosen: list[str] = []
        for record in self.raw["metrics"]:
            labels = evaluate(record.get("default_labels", ["list"]), scenario, names)
            chosen += [f"{record['name']}:{label}" for label in labels[:MOST_DEFAULT_LABELS]]
            if evaluate(record.get("default", False), scenario, names):
                chosen.append(record["name"])
        return chosen

    def cost(self, scenario: Mapping[str, Any]) -> Cost:
        """Predicted cost of one run of a resolved scenario, before anything was measured."""
        cost = self.raw["cost"]
        names = evaluate_names({**self.raw.get("names", {}), **cost.get("where", {})}, scenario)
        events, rate, simulated = (
            float(evaluate(cost[field], scenario, names))
            for field in ("events", "events_per_second", "simulated_seconds")
        )
        return Cost(events, events / rate, simulated)

    def choices(self, part: str) -> Sequence[Mapping[str, Any]]:
        """The schema of every kind that a part of the scenario (``algorithm``) can be."""
        schema = self.scenario_schema["properties"].get(part, {})
        found: Sequence[Mapping[str, Any]] = schema.get("oneOf", [])
        return found


def find_metric(metrics: Sequence[Metric], name: str) -> Metric | None:
    """The metric of a name, or of a labelled one such as ``goodput_mbps:newcomer``."""
    base, _, label = name.partition(":")
    found = next((metric for metric in metrics if metric.name == base), None)
    return found.labelled(label) if found and label else found
