"""Migration 0010: labels of cells become indices into the axes' labels."""

from __future__ import annotations

import importlib


def test_labels_have_the_order_of_the_grid() -> None:
    migration = importlib.import_module("migrations.versions.0010_axis_values")
    cells = [{"b": b, "a": a} for a in ("2", "1", "3") for b in ("x", "w")]
    assert migration.axes_of(["a", "b"], cells) == [
        {"name": "a", "labels": ["2", "1", "3"]},
        {"name": "b", "labels": ["x", "w"]},
    ]
    assert migration.axes_of([], [{}]) == []
