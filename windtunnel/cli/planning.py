"""The plan of a campaign file: from a service's dry run, or from the installed simulators."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from windtunnel.cli import following, render
from windtunnel.client.files import InputFile
from windtunnel.client.http import HttpClient
from windtunnel.client.simulation import MessageCallback, find_simulator, installed
from windtunnel.errors import Problem, RefusedError, SpecError
from windtunnel.texts import axis_titles

_MAX_CELLS_SHOWN = 20


def service_plan(client: HttpClient, file: InputFile) -> dict[str, Any]:
    """The plan of the service's dry run, and notes on it."""
    plan = client.submit(file, dry_run=True)
    offered = {digest for worker in _workers(client) for digest in worker["simulators"]}
    notes = [
        f"no worker offers {build['name']}@{build['digest'][:12]}: its runs would wait until one "
        "does"
        for build in plan["simulators"]
        if build["digest"] not in offered
    ]
    return {**plan, "notes": notes}


def offline_plan(file: InputFile, data: Path | None, on_message: MessageCallback) -> dict[str, Any]:
    """The plan for the simulators installed on this machine. Raises SpecError.

    It has the fields of a dry run, but no ``reused_runs``: only a service knows which runs it has.
    """
    builds = installed(data, on_message)
    from windtunnel.comparison import power_note
    from windtunnel.plan import make_plan
    from windtunnel.spec import read_campaign, read_json, read_yaml
    from windtunnel.spec.gates import other_campaigns

    document = (read_json if file.is_json else read_yaml)(file.content)
    campaign = read_campaign(document)
    selected, problems = {}, []
    for reference, path in campaign.simulators().items():
        try:
            selected[reference] = find_simulator(builds, reference)
        except SpecError as error:
            problems += [
                document.locate(Problem(path, problem.message)) for problem in error.problems
            ]
    if problems:
        raise SpecError(problems)
    descriptions = {reference: build.description for reference, build in selected.items()}
    plan = make_plan(campaign, descriptions, document)
    built_at = {build.description.digest: build.built_at for build in selected.values()}
    content: dict[str, Any] = {
        "name": campaign.name,
        "simulators": [
            {
                "name": simulator.name,
                "digest": simulator.digest,
                "built_at": built_at[simulator.digest].isoformat(),
            }
            for simulator in plan.simulators
        ],
        "cells": [
            {
                "index": cell.index,
                "coordinates": dict(cell.coordinates),
                "simulator": {"name": cell.simulator.name, "digest": cell.simulator.digest},
                "digest": cell.digest,
                "cpu_seconds": cell.cost.cpu_seconds,
            }
            for cell in plan.cells
        ],
        "design": campaign.design.outline() if campaign.design else None,
        "replications": campaign.replications,
        "default_metrics": list(plan.default_metrics),
        "family": asdict(plan.family),
        "power": power_note(plan.family, campaign.replications),
        "gates": len(campaign.analysis.gates),
        "references": list(other_campaigns(campaign.analysis.gates)),
        "total_runs": plan.run_count,
        "reused_runs": None,
        "predicted_events": sum(cell.cost.events for cell in plan.cells) * campaign.replications,
        "predicted_cpu_seconds": sum(cell.cost.cpu_seconds for cell in plan.cells)
        * campaign.replications,
        "predicted_wall_seconds": None,
        "calibrated": False,
        "lints": [asdict(lint) for lint in plan.lints],
        "notes": [],
    }
    return content


def print_plan(out: Console, plan: Mapping[str, Any]) -> None:
    """Print size and cost, the cells, and the notes."""
    reused = plan["reused_runs"]
    size = render.grid_size(len(plan["cells"]), plan["replications"], plan["total_runs"])
    line = f"{plan['name']}: {size} on {render.builds(plan['simulators'])}, "
    line += "cached runs unknown (no service running)" if reused is None else f"{reused} reused"
    computed = plan["total_runs"] - (reused or 0)
    if computed:
        share = computed / plan["total_runs"]
        cpu = render.cpu_time(plan["predicted_cpu_seconds"] * share)
        events = render.amount(plan["predicted_events"] * share)
        basis = "" if plan["calibrated"] else ", not yet calibrated by measured runs"
        line += f", about {cpu} of CPU ({events} events{basis})"
    out.print(line, markup=False)
    if plan["power"]:
        out.print(plan["power"], markup=False)
    if plan["gates"]:
        against = f", against {' and '.join(plan['references'])}" if plan["references"] else ""
        out.print(f"{render.counted(plan['gates'], 'gate')}{against}", markup=False)
    if plan["design"]:
        _print_design(out, plan)
    else:
        _print_cells(out, plan)
    following.print_lints(out, plan["lints"])
    for note in plan["notes"]:
        out.print(f"note: {note}", markup=False)


def check_metrics(client: HttpClient, file: InputFile, metrics: Sequence[str]) -> None:
    """Raise RefusedError for a metric that no simulator of the campaign has. Submits nothing."""
    plan = client.submit(file, dry_run=True)
    catalogue = client.get("/catalogue")["simulators"]
    known_by_digest = {entry["digest"]: entry["metrics"] for entry in catalogue}
    used = [known_by_digest.get(build["digest"]) for build in plan["simulators"]]
    if None in used:  # a pinned build; its metrics are not in the catalogue
        return
    known = [*dict.fromkeys(metric["name"] for entry in used for metric in entry or [])]
    known += [name for name in plan["default_metrics"] if name not in known]
    for metric in metrics:
        if metric not in known and metric.partition(":")[0] not in known:
            raise RefusedError("invalid_request", f"--metric: {_unknown_metric(metric, known)}")


def _unknown_metric(metric: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(metric, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else "to list them: windtunnel catalogue metrics"
    return f"{metric!r} is not a metric of this campaign's simulators; {hint}"


def _workers(client: HttpClient) -> list[dict[str, Any]]:
    workers: list[dict[str, Any]] = client.get("/workers")["workers"]
    return workers


def _print_design(out: Console, plan: Mapping[str, Any]) -> None:
    """Print the size of a sampled design, the ranges of its axes, and its facets."""
    design, cells = plan["design"], plan["cells"]
    names = [entry["name"] for entry in design["inputs"]]
    rows = f" = {design['rows']}" if design["formula"] != str(design["rows"]) else ""
    size = f"design {design['kind']}: {design['formula']}{rows} points"
    if design["points"] != design["rows"]:
        size += f", {design['points']} of them different"
    facets = [name for name in cells[0]["coordinates"] if name not in names]
    for name in facets:
        labels = dict.fromkeys(cell["coordinates"][name] for cell in cells)
        size += f", x {len(labels)} {name}"
    cpu = [cell["cpu_seconds"] for cell in cells]
    size += f"; CPU per run {render.cpu_time(min(cpu))} to {render.cpu_time(max(cpu))}"
    render.print_message(out, size)
    ranges = [
        [entry["name"], entry["low"], entry["high"], entry["scale"]] for entry in design["inputs"]
    ]
    out.print(render.plain_table(["sampled axis", "low", "high", "scale"], ranges))
    for name in facets:
        labels = dict.fromkeys(cell["coordinates"][name] for cell in cells)
        shown = list(labels)[:_MAX_CELLS_SHOWN]
        more = f" and {len(labels) - len(shown)} more" if len(labels) > len(shown) else ""
        render.print_message(out, f"for each {name}: {', '.join(shown)}{more}")


def _print_cells(out: Console, plan: Mapping[str, Any]) -> None:
    cells = plan["cells"]
    axes = list(cells[0]["coordinates"])
    several_simulators = len({cell["simulator"]["name"] for cell in cells}) > 1
    columns = [*axes]
    if several_simulators and "simulator" not in axes:
        columns.append("simulator")
    if not columns:
        return
    rows = [
        [
            *cell["coordinates"].values(),
            *([cell["simulator"]["name"]] if len(columns) > len(axes) else []),
            render.cpu_time(cell["cpu_seconds"]),
        ]
        for cell in cells[:_MAX_CELLS_SHOWN]
    ]
    headings = [*axis_titles(columns), "CPU per run"]
    table = render.plain_table(headings, rows)
    if render.fits(table, out):
        out.print(table)
    else:
        for row in rows:
            pairs = zip(headings, row, strict=True)
            out.print(", ".join(f"{name} {label}" for name, label in pairs), markup=False)
    if len(cells) > _MAX_CELLS_SHOWN:
        out.print(f"... and {len(cells) - _MAX_CELLS_SHOWN} more cells (--json - lists all)")
