"""The predicted cost of a plan, learned from the runs of its simulators."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.plan import Plan
from windtunnel.run import RunState
from windtunnel.spec.description import Description
from windtunnel.statistics import Line, fit_line
from windtunnel.store.campaigns import CampaignStatus
from windtunnel.store.simulators import workers
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run

_RECENT_RUNS = 2000
_MIN_RUNS = 10
_MIN_ALIKE = 3
# States of runs that a submission does not queue.
_NOT_NEW = (RunState.SUCCEEDED, RunState.QUEUED, RunState.RUNNING)


@dataclass(frozen=True)
class Prediction:
    """Predicted cost of all runs of a plan. ``calibrated``: learned from recent runs.

    ``cell_cpu_seconds`` is the CPU time of one run of each cell.
    """

    events: float
    cpu_seconds: float
    calibrated: bool
    cell_cpu_seconds: tuple[float, ...]


@dataclass(frozen=True)
class _RunCost:
    events: float
    cpu_seconds: float


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
    described: dict[str, set[float]] = {}
    for cell in plan.cells:
        described.setdefault(cell.simulator.digest, set()).add(cell.cost.events)
    costs: dict[tuple[str, float], _RunCost] = {}
    calibrated = True
    for simulator in plan.simulators:
        runs = _recent_runs(session, simulator)
        calibrated = calibrated and len(runs) >= _MIN_RUNS
        for events, cost in _predict(simulator, described[simulator.digest], runs).items():
            costs[simulator.digest, events] = cost
    cells = [costs[cell.simulator.digest, cell.cost.events] for cell in plan.cells]
    return Prediction(
        events=plan.campaign.replications * math.fsum(cost.events for cost in cells),
        cpu_seconds=plan.campaign.replications * math.fsum(cost.cpu_seconds for cost in cells),
        calibrated=calibrated,
        cell_cpu_seconds=tuple(cost.cpu_seconds for cost in cells),
    )


def queued_cpu_seconds(session: Session) -> float:
    """The predicted CPU time of all queued runs: each as the mean run of a campaign that has it."""
    # Materialized, for a nested loop could count the cells again for each run.
    mean = (
        select(
            Campaign.id,
            (Campaign.predicted_cpu_seconds / Campaign.replications / func.count(Cell.index)).label(
                "cpu"
            ),
        )
        .join(Cell, Cell.campaign_id == Campaign.id)
        .where(Campaign.state.in_([CampaignState.PLANNED, CampaignState.RUNNING]))
        .group_by(Campaign.id)
        .cte("mean_run")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    per_run = (
        select(Run.id, mean.c.cpu)
        .ext(distinct_on(Run.id))
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .join(mean, mean.c.id == CampaignRun.campaign_id)
        .where(CampaignRun.unfinished, Run.state == RunState.QUEUED)
        .order_by(Run.id)
        .subquery()
    )
    return session.scalar(select(func.coalesce(func.sum(per_run.c.cpu), 0.0))) or 0.0


def new_cpu_seconds(plan: Plan, prediction: Prediction, states: Mapping[str, RunState]) -> float:
    """The predicted CPU time of a plan's runs that are neither stored nor on their way."""
    costs = dict(zip((cell.index for cell in plan.cells), prediction.cell_cpu_seconds, strict=True))
    return math.fsum(
        costs[cell.index] for cell, _, run in plan.runs() if states.get(run) not in _NOT_NEW
    )


def wall_seconds(session: Session, new: float) -> float | None:
    """Time until new runs of this CPU time have ended after all queued ones; None without workers.

    As if all slots of live workers were busy with nothing else.
    """
    slots = sum(worker.slots for worker in workers(session) if worker.simulators)
    return (new + queued_cpu_seconds(session)) / slots if slots else None


def wall_seconds_left(session: Session, status: CampaignStatus) -> float | None:
    """Time until a campaign's runs have ended; None if they have, or without workers.

    As `wall_seconds`, if all other queued runs come first, so that it is rather too long. A
    campaign's own runs take the CPU time for an event that its finished ones took, if there are
    any: what was learned from runs unlike them may be far off.
    """
    total = sum(status.runs.values())
    if status.ended or not total:
        return None
    queued, running = status.runs[RunState.QUEUED], status.runs[RunState.RUNNING]
    mean = status.predicted_cpu_seconds / total
    left = mean * (queued + running)
    if status.predicted_events:
        # Runs that failed leave events that nobody will simulate.
        waiting = status.predicted_events / total * (queued + running)
        events = min(waiting, max(0.0, status.predicted_events - status.events))
        per_event = status.predicted_cpu_seconds / status.predicted_events
        if status.actual_events:
            per_event = status.actual_cpu_seconds / status.actual_events
        left = events * per_event
    wall = wall_seconds(session, left - mean * queued)
    return None if wall is None else max(0.0, wall)


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
    simulator: Description, described: Collection[float], runs: Sequence[_Measured]
) -> dict[float, _RunCost]:
    """The cost of a run, by its described number of events."""
    line = as_described = Line(simulator.startup_seconds, simulator.seconds_per_event)
    calibrated = len(runs) >= _MIN_RUNS
    if calibrated:
        predicted = np.array([run.predicted for run in runs])
        line = fit_line(predicted, np.array([run.cpu_seconds for run in runs]), as_described)
    alike: dict[float, list[_Measured]] = {}
    for run in runs if calibrated else ():
        alike.setdefault(run.predicted, []).append(run)
    costs = {}
    for events in described:
        known = alike.get(events, [])
        if len(known) < _MIN_ALIKE:
            costs[events] = _RunCost(events, line.at(events))
        else:
            costs[events] = _RunCost(
                median(run.events for run in known), median(run.cpu_seconds for run in known)
            )
    return costs
