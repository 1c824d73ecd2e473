"""What a simulator offers, as its ``describe`` prints it (contract version 1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windtunnel.errors import ContractError
from windtunnel.spec.expressions import evaluate, evaluate_names
from windtunnel.spec.schema import Resolver

CONTRACT = 1
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Metric:
    """A named scalar with its unit; ``direction`` is ``higher``, ``lower`` or ``none``."""

    name: str
    unit: str
    direction: str
    definition: str


@dataclass(frozen=True)
class Cost:
    """What a run is expected to take on one core, before anything was measured."""

    events: float
    events_per_second: float
    simulated_seconds: float


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
                metrics=tuple(Metric(**metric) for metric in document["metrics"]),
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
        """The metric of a name or of a labelled one: ``goodput_mbps:newcomer`` is a group's."""
        base, _, label = name.partition(":")
        found = next((metric for metric in self.metrics if metric.name == base), None)
        if found is None or not label:
            return found
        return replace(found, name=name, definition=f"{found.definition} Of {label} only.")

    def cost(self, scenario: Mapping[str, Any]) -> Cost:
        """Predicted cost of one run of a resolved scenario."""
        cost = self.raw["cost"]
        where = {**self.raw.get("names", {}), **cost.get("where", {})}
        names = evaluate_names(where, scenario)
        values = [
            float(evaluate(cost[field], scenario, names))
            for field in ("events", "events_per_second", "simulated_seconds")
        ]
        return Cost(*values)

    def choices(self, part: str) -> Sequence[Mapping[str, Any]]:
        """The schema of every kind that a part of the scenario (``algorithm``) can be."""
        schema = self.scenario_schema["properties"].get(part, {})
        found: Sequence[Mapping[str, Any]] = schema.get("oneOf", [])
        return found
