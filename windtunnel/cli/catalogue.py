"""Tables of what can be simulated, from the simulators' descriptions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console

from windtunnel.cli.render import plain_table
from windtunnel.quantities import parse_canonical

# Parts that list kinds, and their field in a scenario.
CHOICES = {
    "algorithms": "algorithm",
    "topologies": "topology",
    "queues": "queue",
    "workloads": "workload",
}
# Parts that list fields: the members of ``transport``, and the scenario's own.
TRANSPORT = "transport"
SCENARIO = "scenario"
FIELDS = (TRANSPORT, SCENARIO)
SERIES = "series"
METRICS = "metrics"


def print_catalogue(
    out: Console, simulators: Sequence[Mapping[str, Any]], part: str | None
) -> None:
    """Print tables of one part, or of all parts. Raises LookupError for an unknown part."""
    known = [*CHOICES, *FIELDS, SERIES, METRICS]
    if part is not None and part not in known:
        raise LookupError(f"{part!r} is not a part of the catalogue; use {', '.join(known)}")
    for index, simulator in enumerate(simulators):
        if index:
            out.print()
        _print_simulator(out, simulator, known if part is None else [part])


def _print_simulator(out: Console, simulator: Mapping[str, Any], parts: Sequence[str]) -> None:
    out.print(f"{simulator['name']}: {simulator['title']}, {simulator['engine']}")
    scenario = simulator["scenario"]
    for name in parts:
        heading: tuple[str, ...] = (f"{name} (default)", "values", "description")
        if name == METRICS:
            heading = ("metric", "unit", "better", "definition")
            rows: list[tuple[str, ...]] = [
                (m["name"], m["unit"], m["direction"], m["definition"])
                for m in simulator["metrics"]
            ]
        elif name == SERIES:
            entries = scenario["properties"].get("series", {}).get("items", {})
            rows = _fields(entries)
        elif name == TRANSPORT:
            rows = _fields(scenario["properties"].get("transport", {}))
        elif name == SCENARIO:
            rows = _fields(scenario)
        else:
            heading = (CHOICES[name], "parameters (default)", "description")
            # Without choices a field has a value of its own.
            listed = [set(), *(_kinds(_choices(scenario, part)) for part in CHOICES.values())]
            rows = [
                (choice["title"], "\n".join(_names(choice, listed)), _description(choice))
                for choice in _choices(scenario, CHOICES[name])
            ]
        if rows:
            out.print()
            out.print(plain_table(heading, rows))


def _fields(schema: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The fields of a mapping that have a value of their own, no fields or kinds."""
    return [
        (f"{name}{_in_brackets(field)}", _values(field), field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
        if not {"oneOf", "properties", "items"} & field.keys()
    ]


def _values(field: Mapping[str, Any]) -> str:
    """What a field may be: ``1 to 100 segments``, ``prr, classic``, ``time, at least 1us``."""
    if "enum" in field:
        return "\n".join(field["enum"])
    kinds = field.get("type", "")
    kind = field.get("x-quantity") or (kinds if isinstance(kinds, str) else kinds[0])
    if kind == "boolean":
        return "true, false"
    low = field.get("x-minimum", field.get("minimum"))
    high = field.get("x-maximum", field.get("maximum"))
    bounds = [
        *([f"at least {low}"] if low is not None and high is None else []),
        *([f"at most {high}"] if high is not None and low is None else []),
        *([f"{low} to {high}"] if low is not None and high is not None else []),
    ]
    unit = f" {field['x-unit']}" if "x-unit" in field else ""
    return ", ".join([kind, *bounds]) + unit


def _choices(scenario: Mapping[str, Any], part: str) -> list[Mapping[str, Any]]:
    """The kinds of a part, from the scenario or (``queue``) its first topology that has it."""
    topology = scenario["properties"].get("topology", {})
    topologies = [kind["properties"] for kind in topology.get("oneOf", [])]
    for properties in (scenario["properties"], *topologies):
        if part in properties:
            kinds: list[Mapping[str, Any]] = properties[part].get("oneOf", [])
            return kinds
    return []


def _names(
    schema: Mapping[str, Any], listed: Sequence[set[str]], prefix: str = ""
) -> Iterator[str]:
    """The parameters of a mapping with their defaults, also of what is inside it.

    ``listed`` are kinds that have a part of the catalogue.
    """
    for name, field in schema["properties"].items():
        if name == "kind":
            continue
        if "properties" in field:
            if "null" in field["type"]:
                yield f"{prefix}{name} (none)"
            yield from _names(field, listed, f"{prefix}{name}.")
        elif "properties" in field.get("items", {}):
            yield from _names(field["items"], listed, f"{prefix}{name}[].")
        else:
            yield f"{prefix}{name}{_in_brackets(field)}"
            if _kinds(field.get("oneOf", [])) not in listed:
                for choice in field["oneOf"]:
                    yield from _names(choice, listed, f"{prefix}{name}.")


def _kinds(choices: Sequence[Mapping[str, Any]]) -> set[str]:
    return {choice["properties"]["kind"]["const"] for choice in choices}


def _in_brackets(schema: Mapping[str, Any]) -> str:
    return f" ({_default(schema['default'])})" if "default" in schema else ""


def _default(value: Any) -> str:
    quantity = parse_canonical(value) if isinstance(value, str) else None
    if quantity:
        return quantity.readable()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        settings = (f" {name} {_default(item)}" for name, item in value.items() if name != "kind")
        return f"{value['kind']}{','.join(settings)}"
    return "none" if value is None else str(value)


def _description(choice: Mapping[str, Any]) -> str:
    source = f" [{choice['x-source']}]" if "x-source" in choice else ""
    return f"{choice['description']}{source}"
