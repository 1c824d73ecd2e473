"""The catalogue lists every parameter with its default."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from windtunnel.cli.catalogue import print_catalogue
from windtunnel.spec.description import Description


def printed(description: Description, part: str | None = None) -> str:
    stream = io.StringIO()
    simulator = {**description.raw, "engine": description.engine}
    print_catalogue(Console(file=stream, width=300), [simulator], part)
    return stream.getvalue()


def names_of(schema: dict[str, Any]) -> set[str]:
    """Names of all fields of a schema."""
    names: set[str] = set()
    for name, field in schema.get("properties", {}).items():
        names |= {name} | names_of(field)
    for part in (*schema.get("oneOf", []), *([schema["items"]] if "items" in schema else [])):
        names |= names_of(part)
    return names


def test_every_field_of_a_scenario_is_listed(ns3: Description) -> None:
    words = set(printed(ns3).replace(".", " ").replace("[]", " ").split())
    assert names_of(dict(ns3.scenario_schema)) - words - {"kind"} == set()


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("transport", "send_buffer (128KiB) bytes, 1500B to 1GB Socket buffer of a sender."),
        ("transport", "initial_cwnd (10) integer, 1 to 10000 segments Initial congestion window."),
        ("transport", "recovery (prr) prr Proportional rate reduction"),
        ("scenario", "duration time, 1ms to 3600s Simulated time."),
        ("scenario", "warmup (0s) time Metrics and records exclude"),
        ("topologies", "bottleneck.rate (10Mbps)"),
        ("topologies", "queue (drop-tail limit 1bdp)"),
        ("workloads", "sizes.points"),
        ("topologies", "core_link (none)"),
        ("workloads", "groups[].start (0s)"),
    ],
)
def test_a_field_has_its_default_and_what_it_may_be(ns3: Description, part: str, line: str) -> None:
    assert line in " ".join(printed(ns3, part).split())


def test_fields_of_other_simulators_are_listed_as_well(tiny: Description) -> None:
    text = " ".join(printed(tiny).split())
    assert "offset (0) integer, 0 to 1000000" in text
    assert "transport" not in text


def test_an_unknown_part_is_refused(ns3: Description) -> None:
    with pytest.raises(LookupError, match=r"use algorithms, .* transport, scenario, series, metr"):
        printed(ns3, "transprot")
