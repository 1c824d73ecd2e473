"""The predicted cost of a plan, learned from the runs of its simulators."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from sqlalchemy import Text, and_, case, func, literal, select, union_all
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


@dataclass(frozen=True)
class Queue:
    """The predicted CPU time of all queued runs, and of those of each campaign, by its id.

    A run that several campaigns want counts once in the first, and in each campaign of the second.
    """

    cpu_seconds: float
    by_campaign: Mapping[str, float]

    def without(self, campaign_id: str) -> float:
        """The CPU time of the other runs, those that this campaign does not want."""
        return max(0.0, self.cpu_seconds - self.by_campaign.get(campaign_id, 0.0))


def queue(session: Session) -> Queue:
    """Sums over the whole queue: each run as the mean run of a campaign that has it."""
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
    wanted = (
        select(CampaignRun.campaign_id, CampaignRun.run_id, mean.c.cpu)
        .join(Run, Run.id == CampaignRun.run_id)
        .join(mean, mean.c.id == CampaignRun.campaign_id)
        .where(CampaignRun.unfinished, Run.state == RunState.QUEUED)
        .cte("wanted")
    )
    once = (
        select(wanted.c.run_id, wanted.c.cpu)
        .ext(distinct_on(wanted.c.run_id))
        .order_by(wanted.c.run_id)
        .subquery()
    )
    # One statement, so that both are of the same moment. The sum over all has no campaign.
    everything = select(literal(None, Text), func.coalesce(func.sum(once.c.cpu), 0.0))
    own = select(wanted.c.campaign_id, func.sum(wanted.c.cpu)).group_by(wanted.c.campaign_id)
    sums = {campaign: float(cpu) for campaign, cpu in session.execute(union_all(everything, own))}
    return Queue(cpu_seconds=sums.pop(None), by_campaign=sums)


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
    return (new + queue(session).cpu_seconds) / slots if slots else None


@dataclass(frozen=True)
class Work:
    """Predicted CPU time of a campaign's runs, and how far the prediction was right.

    ``left`` is that of its queued runs and of what its running ones have left; ``predicted`` and
    ``actual`` are of its finished runs.
    """

    left: float
    predicted: float
    actual: float


def wall_seconds_left(
    session: Session, campaign: Campaign, status: CampaignStatus, before: Queue
) -> float | None:
    """Time until a campaign's runs have ended; None if they have, or without workers.

    As if all other queued runs came first, so that it is rather too long. Only of a campaign that
    is not blocked: nobody knows for how long it will be.
    """
    queued, running = status.runs[RunState.QUEUED], status.runs[RunState.RUNNING]
    if status.ended or not queued + running:
        return None
    slots = sum(
        worker.slots
        for worker in workers(session)
        if not set(campaign.simulators).isdisjoint(worker.simulators)
    )
    # What runs already does not wait for others.
    others = before.without(campaign.id) if queued else 0.0
    return time_left(_work(session, campaign, status), others, queued + running, slots)


def time_left(work: Work, before: float, runs: int, slots: int) -> float | None:
    """Wall-clock time of this many unfinished runs after other work; None without slots.

    A campaign's runs take as much more or less CPU time than predicted as its finished ones did,
    if there are any: what was learned from runs unlike them may be far off. They can't use more
    slots than they are; the work before them can.
    """
    if not slots:
        return None
    known = work.predicted > 0 and work.actual > 0
    scale = work.actual / work.predicted if known else 1.0
    return before / slots + work.left * scale / min(slots, runs)


def _work(session: Session, campaign: Campaign, status: CampaignStatus) -> Work:
    """By the events that are described for each run: cells may differ in size.

    A running run has left the share of its time that is not simulated yet. Its events say less:
    their number may be predicted wrongly.
    """
    described = session.scalar(
        select(func.sum(Cell.predicted_events)).where(Cell.campaign_id == campaign.id)
    )
    planned = campaign.replications * (described or status.cells)
    per_unit = campaign.predicted_cpu_seconds / planned if planned else 0.0
    # A simulator may describe no events at all; its runs are then alike.
    predicted = per_unit * (Run.predicted_events if described else literal(1.0))
    simulated = func.least(1.0, Run.simulated_ns * 1.0 / func.nullif(Run.duration_ns, 0))
    to_do = case((Run.state == RunState.RUNNING, 1.0 - func.coalesce(simulated, 0.0)), else_=1.0)
    unfinished = Run.state.in_((RunState.QUEUED, RunState.RUNNING))
    measured = and_(Run.state == RunState.SUCCEEDED, Run.cpu_seconds > 0)
    sums = (
        func.sum(predicted * to_do).filter(unfinished),
        func.sum(predicted).filter(measured),
        func.sum(Run.cpu_seconds).filter(measured),
    )
    query = (
        select(*(func.coalesce(one, 0.0) for one in sums))
        .join(CampaignRun, CampaignRun.run_id == Run.id)
        .where(CampaignRun.campaign_id == campaign.id)
    )
    left, finished, actual = session.execute(query).one()
    return Work(float(left), float(finished), float(actual))


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
