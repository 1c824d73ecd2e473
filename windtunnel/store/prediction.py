"""The predicted cost of a plan, learned from the runs of its simulators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from windtunnel.plan import Plan
from windtunnel.run import RunState
from windtunnel.spec.description import Description
from windtunnel.statistics import Line, fit_line
from windtunnel.store.tables import Run

_RECENT_RUNS = 2000
_MIN_RUNS = 10
_MIN_ALIKE = 3


@dataclass(frozen=True)
class Prediction:
    """Predicted cost of all runs of a plan. ``calibrated``: learned from recent runs."""

    events: float
    cpu_seconds: float
    calibrated: bool


@dataclass(frozen=True)
class _Measured:
    """A run that succeeded. ``predicted`` is its description's number of events."""

    digest: str
    predicted: float
    events: int
    cpu_seconds: float


def predict(session: Session, plan: Plan) -> Prediction:
    """The cost of a plan's runs.

    Runs with the same described number of events are alike: cells of the same topology, workload
    and duration. A cell is predicted by the median of recent runs like it, otherwise by a line
    (start-up plus time per described event) through all recent runs of its simulator, and by the
    description alone while fewer than 10 runs are known. Only CPU time counts: the wall clock
    depends on what else runs.
    """
    cells: dict[str, Counter[float]] = {}
    for cell in plan.cells:
        cells.setdefault(cell.simulator.digest, Counter())[cell.cost.events] += 1
    predictions = [
        _predict(simulator, cells[simulator.digest], _recent_runs(session, simulator))
        for simulator in plan.simulators
    ]
    return Prediction(
        events=plan.campaign.replications * sum(part.events for part in predictions),
        cpu_seconds=plan.campaign.replications * sum(part.cpu_seconds for part in predictions),
        calibrated=all(part.calibrated for part in predictions),
    )


def _recent_runs(session: Session, simulator: Description) -> list[_Measured]:
    """The newest succeeded runs of a simulator: of this build, or of its name if there are few.

    The query reads ix_run_succeeded from its end.
    """
    query = (
        select(Run.simulator_digest, Run.predicted_events, Run.events, Run.cpu_seconds)
        .where(
            Run.simulator_name == simulator.name,
            Run.state == RunState.SUCCEEDED,
            Run.cpu_seconds > 0,
        )
        .order_by(Run.ended_at.desc())
        .limit(_RECENT_RUNS)
    )
    runs = [
        _Measured(digest, predicted, events, cpu_seconds or 0.0)
        for digest, predicted, events, cpu_seconds in session.execute(query)
    ]
    own = [run for run in runs if run.digest == simulator.digest]
    return own if len(own) >= _MIN_RUNS else runs


def _predict(
    simulator: Description, cells: Mapping[float, int], runs: Sequence[_Measured]
) -> Prediction:
    line = described = Line(simulator.startup_seconds, simulator.seconds_per_event)
    calibrated = len(runs) >= _MIN_RUNS
    if calibrated:
        predicted = np.array([run.predicted for run in runs])
        line = fit_line(predicted, np.array([run.cpu_seconds for run in runs]), described)
    alike: dict[float, list[_Measured]] = {}
    for run in runs if calibrated else ():
        alike.setdefault(run.predicted, []).append(run)
    events = cpu_seconds = 0.0
    for described_events, count in cells.items():
        known = alike.get(described_events, [])
        if len(known) < _MIN_ALIKE:
            events += count * described_events
            cpu_seconds += count * line.at(described_events)
        else:
            events += count * median(run.events for run in known)
            cpu_seconds += count * median(run.cpu_seconds for run in known)
    return Prediction(events, cpu_seconds, calibrated)
