"""The one operation by which runs come into being: these seeds for these cells of a campaign.

Submitting, resuming and adding replications all are this operation, which may be repeated: what is
there already stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import exists, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.plan import run_identity
from windtunnel.run import ENDED, RunState
from windtunnel.store import controller
from windtunnel.store.tables import CampaignRun, Cell, Run

_CHUNK = 2000

UNSUCCESSFUL = (RunState.FAILED, RunState.CANCELLED)


def add_runs(
    session: Session,
    campaign_id: str,
    cells: Sequence[Cell],
    seeds: Sequence[int],
    revive: bool = False,
) -> int:
    """Run every cell with every seed index; how many of these runs had succeeded before.

    Succeeded runs of equal identity are reused, queued and running ones shared, failed and
    cancelled ones queued again. ``revive``: a cancelled campaign is wanted again by this. The
    caller holds `locks.lock_runs_shared`, and `locks.grow` for a campaign that others can see; it
    has not changed the campaign's row yet.
    """
    wanted = {
        (cell.index, seed): run_identity(cell.scenario_digest, seed, cell.simulator_digest)
        for seed in seeds
        for cell in cells
    }
    by_index = {cell.index: cell for cell in cells}
    rows = [_run_row(by_index[index], seed, identity) for (index, seed), identity in wanted.items()]
    rows.sort(key=lambda row: str(row["id"]))  # everybody locks in one order
    session.execute(insert(Run).on_conflict_do_nothing(), rows)
    reused = 0
    concerned = {campaign_id}
    for chunk in _chunks(sorted(set(wanted.values()))):
        reused += _count_succeeded(session, chunk)
        concerned |= _queue_again(session, chunk)
    links = [
        {
            "campaign_id": campaign_id,
            "cell_index": index,
            "seed_index": seed,
            "run_id": identity,
            "simulator_digest": by_index[index].simulator_digest,
        }
        for (index, seed), identity in wanted.items()
    ]
    session.execute(insert(CampaignRun).on_conflict_do_nothing(), links)
    ended = exists().where(Run.id == CampaignRun.run_id, Run.state.in_(ENDED))
    session.execute(
        update(CampaignRun)
        .where(CampaignRun.campaign_id == campaign_id, CampaignRun.unfinished, ended)
        .values(unfinished=False)
    )
    controller.step(session, sorted(concerned), revived=campaign_id if revive else None)
    return reused


def _run_row(cell: Cell, seed_index: int, identity: str) -> dict[str, object]:
    return {
        "id": identity,
        "scenario_digest": cell.scenario_digest,
        "seed_index": seed_index,
        "simulator_name": cell.simulator_name,
        "simulator_digest": cell.simulator_digest,
        "duration_ns": cell.duration_ns,
        "predicted_events": cell.predicted_events,
        "state": RunState.QUEUED,
    }


def _queue_again(session: Session, ids: Sequence[str]) -> set[str]:
    """Queue failed and cancelled runs again, keep running ones; the campaigns that share them."""
    chosen = Run.id.in_(ids)
    states = session.execute(
        select(Run.id, Run.state).where(chosen).order_by(Run.id).with_for_update()
    )
    again = [id_ for id_, state in states if state in UNSUCCESSFUL]
    session.execute(
        update(Run)
        .where(Run.id.in_(again))
        .values(
            state=RunState.QUEUED,
            failure=None,
            message="",
            cancel_requested=False,
            first_attempt=Run.attempt,
            simulated_ns=0,
            events=0,
            ended_at=None,
        )
    )
    session.execute(
        update(Run)
        .where(chosen, Run.state == RunState.RUNNING, Run.cancel_requested)
        .values(cancel_requested=False)
    )
    # All of them, whatever their state is now: the controller decides with their rows locked.
    return set(controller.campaigns_of(session, again))


def count_succeeded(session: Session, ids: Sequence[str]) -> int:
    """How many of these runs are done."""
    return sum(_count_succeeded(session, chunk) for chunk in _chunks(ids))


def _count_succeeded(session: Session, ids: Sequence[str]) -> int:
    query = select(func.count()).where(Run.id.in_(ids), Run.state == RunState.SUCCEEDED)
    return session.scalar(query) or 0


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for begin in range(0, len(ids), _CHUNK):
        yield ids[begin : begin + _CHUNK]
