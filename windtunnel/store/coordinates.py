"""A campaign's axes as they are stored: their labels once, and for each cell their indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windtunnel.spec import Axis
from windtunnel.spec.designs import Sample
from windtunnel.store.tables import Campaign


def stored_axes(axes: Sequence[Axis]) -> list[dict[str, Any]]:
    return [{"name": axis.name, "labels": [value.label for value in axis.values]} for axis in axes]


def axis_names(campaign: Campaign) -> list[str]:
    return [axis["name"] for axis in campaign.axes]


def axis_labels(campaign: Campaign) -> dict[str, list[str]]:
    return {axis["name"]: axis["labels"] for axis in campaign.axes}


def sample_of(campaign: Campaign) -> Sample | None:
    """The axes that its design samples, and at how many points; None for a grid."""
    design = campaign.design
    if design is None:
        return None
    return Sample(tuple(entry["name"] for entry in design["inputs"]), design["points"])


def coordinates(campaign: Campaign, value_indices: Sequence[int]) -> dict[str, str]:
    """The label of a cell on each axis."""
    return {
        axis["name"]: axis["labels"][index]
        for axis, index in zip(campaign.axes, value_indices, strict=True)
    }
