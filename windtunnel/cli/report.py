"""The JSON document written by ``--json``. Its fields are stable."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windtunnel.errors import RefusedError
from windtunnel.targets import replacing

STDOUT = "-"


def document(
    campaign: Mapping[str, Any], comparison: Mapping[str, Any], gates: Mapping[str, Any]
) -> dict[str, Any]:
    """Campaign, run counts, cells with values by seed index, differences, and gates."""
    runs = campaign["runs"]
    return {
        "campaign": {"id": campaign["id"], "name": campaign["name"]},
        "simulators": [
            {"name": build["name"], "digest": build["digest"]} for build in campaign["simulators"]
        ],
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
            "against": comparison.get("against"),
            "family": comparison["family"],
            "notes": comparison["notes"],
            "cells": [_differences(cell) for cell in comparison["cells"]],
        },
        "gates": gates["gates"],
    }


def check_target(target: str | None, option: str = "--json") -> None:
    """Fail before any work is done if the results can't be written."""
    if target is None or target == STDOUT:
        return
    path = Path(target).absolute()
    if path.is_dir():
        raise RefusedError("no_such_file", f"{option} {target}: is a directory")
    if not path.parent.is_dir():
        raise RefusedError("no_such_folder", f"{option} {target}: no such folder")
    if path.is_symlink() and not Path(os.path.realpath(path)).parent.is_dir():
        message = f"{option} {target}: links to {path.readlink()}, whose folder does not exist"
        raise RefusedError("no_such_folder", message)


def write(target: str, content: Mapping[str, Any]) -> None:
    """Write the content as JSON, as `write_text` does."""
    write_text(target, json.dumps(content, indent=2) + "\n")


def write_text(target: str, text: str) -> None:
    """Write the file atomically, as `replacing` does. ``-`` is stdout."""
    if target == STDOUT:
        sys.stdout.write(text)
        return
    with replacing(target) as file:
        file.write(text.encode())


def _cell(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "coordinates": cell["coordinates"],
        "simulator": cell["simulator"],
        "deterministic": cell["deterministic"],
        "planned": cell["planned"],
        "finished": cell["finished"],
        "missing": cell["missing"],
        "metrics": {
            name: {
                "unit": metric["unit"],
                "values": metric["values"],
                "mean": metric["estimate"]["mean"] if metric["estimate"] else None,
                "ci95": metric["estimate"]["ci95"] if metric["estimate"] else None,
                "missing": metric["missing"],
            }
            for name, metric in cell["metrics"].items()
        },
        "digests": cell["digests"],
        "runs": cell["runs"],
    }


def _differences(cell: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "coordinates": cell["coordinates"],
        "is_baseline": cell["is_baseline"],
        "paired": cell["paired"],
        "metrics": {
            name: {
                "difference": metric["against_baseline"]["mean"],
                "ci95": metric["against_baseline"]["ci95"],
                "relative": metric["against_baseline"]["relative_mean"],
                "relative_ci95": metric["against_baseline"]["relative_ci95"],
                "paired": metric["against_baseline"]["paired"],
                "n": metric["against_baseline"]["n"],
                "verdict": metric["verdict"],
            }
            for name, metric in cell["metrics"].items()
            if metric["against_baseline"]
        },
    }
