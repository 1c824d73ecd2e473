"""A topology's nodes and links, for a drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.spec.expressions import Scope
from windtunnel.spec.resolver import Resolution
from windtunnel.spec.schema import Schema, choices_of

KEYWORD = "x-layout"


@dataclass(frozen=True)
class Layout:
    """Names of nodes by tier, from the hosts up, and links as pairs of names."""

    tiers: Mapping[str, tuple[str, ...]]
    links: tuple[tuple[str, str], ...]


def layout_of(schema: Schema, resolution: Resolution) -> Layout | None:
    """The layout of a resolved scenario; None if its simulator draws none."""
    assert resolution.scope is not None
    for name, member in schema["properties"].items():
        value = resolution.scenario.get(name)
        if not isinstance(value, dict) or "kind" not in value:
            continue
        drawing = choices_of(member).get(value["kind"], {}).get(KEYWORD)
        if drawing:
            return _drawn(drawing, resolution.scope)
    return None


def _drawn(drawing: Mapping[str, Any], scope: Scope) -> Layout:
    tiers = {node["tier"]: tuple(_names(node, scope)) for node in drawing["nodes"]}
    links = [
        pair
        for link in drawing["links"]
        for pair in _pairs(link, tiers[link["from"]], tiers[link["to"]], scope)
    ]
    return Layout(tiers, tuple(links))


def _names(node: Mapping[str, str], scope: Scope) -> Iterator[str]:
    count = round(scope.evaluate(node["count"]))
    if "each" not in node:
        yield from (node["name"].format(index) for index in range(count))
        return
    each = round(scope.evaluate(node["each"]))
    for outer in range(count):
        yield from (node["name"].format(outer, inner) for inner in range(each))


def _pairs(
    link: Mapping[str, str], lower: tuple[str, ...], upper: tuple[str, ...], scope: Scope
) -> Iterator[tuple[str, str]]:
    """Node i of the lower tier has ``count`` links, the j-th to the upper tier's ``index``."""
    for i, name in enumerate(lower):
        scope.quantities["i"] = float(i)
        for j in range(round(scope.evaluate(link["count"]))):
            scope.quantities["j"] = float(j)
            yield name, upper[round(scope.evaluate(link["index"]))]
    scope.quantities.pop("i", None)
    scope.quantities.pop("j", None)
