"""The JSON document that ``--json`` writes; its fields are stable."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def document(campaign: Mapping[str, Any], comparison: Mapping[str, Any]) -> dict[str, Any]:
    """Campaign, counts of runs, cells with values by seed index, differences to the baseline."""
    runs = campaign["runs"]
    return {
        "campaign": {"id": campaign["id"], "name": campaign["name"]},
        "simulator": {
            "name": campaign["simulator_name"],
            "digest": campaign["simulator_digest"],
        },
        "runs": {
            "planned": campaign["total_runs"],
            "reused": campaign["reused_runs"],
            "computed": runs["succeeded"] - campaign["reused_runs"],
            "failed": runs["failed"],
            "cancelled": runs["cancelled"],
        },
        "cells": [_cell(cell) for cell in comparison["cells"]],
        "comparison": {
            "baseline": comparison["baseline"],
            "confidence": comparison["confidence"],
            "cells": [_differences(cell) for cell in comparison["cells"]],
        },
        "gates": [],
    }


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write beside and rename, so that a reader never sees half of it."""
    text = json.dumps(content, indent=2) + "\n"
    if path.is_symlink() or (path.exists() and not path.is_file()):
        path.write_text(text, encoding="utf-8")  # /dev/stdout and the like are not to be replaced
        return
    fresh = path.with_name(f".{path.name}.fresh")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def _cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "where": cell["where"],
        "deterministic": cell["deterministic"],
        "metrics": {
            name: {
                "unit": metric["unit"],
                "values": metric["values"],
                "mean": metric["estimate"]["mean"],
                "ci95": metric["estimate"]["ci95"],
            }
            for name, metric in cell["metrics"].items()
        },
        "digests": cell["digests"],
        "runs": cell["runs"],
    }


def _differences(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "where": cell["where"],
        "is_baseline": cell["is_baseline"],
        "metrics": {
            name: {
                "difference": metric["against_baseline"]["difference"]["mean"],
                "ci95": metric["against_baseline"]["difference"]["ci95"],
                "relative": metric["against_baseline"]["relative_mean"],
                "pairs": metric["against_baseline"]["difference"]["n"],
            }
            for name, metric in cell["metrics"].items()
            if metric["against_baseline"]
        },
    }
