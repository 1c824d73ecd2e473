"""The single operation that creates runs: run these cells of a campaign with these seeds.

Submitting, resuming and adding replications all use it. It is idempotent.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import exists, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from windtunnel.plan import run_identity
from windtunnel.quotas import Quotas
from windtunnel.run import ENDED, RunState
from windtunnel.store import controller, usage
from windtunnel.store.tables import Campaign, CampaignRun, Cell, Run

log = logging.getLogger(__name__)

_CHUNK = 2000
# A line of 50 ids is shorter than the 16 KiB at which Docker splits lines.
_LOGGED_IDS = 50

UNSUCCESSFUL = (RunState.FAILED, RunState.CANCELLED)


def add_runs(
    session: Session,
    campaign: Campaign,
    cells_and_seeds: Iterable[tuple[Cell, int]],
    quotas: Quotas,
    revive: bool = False,
) -> int:
    """Run these cells with these seed indices. Returns how many of the runs had already succeeded.

    Existing runs with the same identity are used: succeeded ones are reused, queued and running
    ones shared, failed and cancelled ones requeued. ``revive`` also resumes a cancelled campaign.
    Raises QuotaExceededError if the campaign's submitter may not have as many; ``quotas`` are the
    service's defaults.

    The caller must hold `locks.lock_runs_shared`, and `locks.lock_growth` if the campaign is
    visible to others already, and must not have changed the campaign's row yet.
    """
    planned = {
        run_identity(cell.scenario_digest, seed, cell.simulator_digest): (cell, seed)
        for cell, seed in cells_and_seeds
    }
    usage.admit(session, campaign.submitted_by, list(planned), quotas)
    campaign_id = campaign.id
    _log_runs(campaign_id, sorted(planned))
    reused = 0
    affected = {campaign_id}
    for ids in _chunks(sorted(planned)):  # a consistent lock order prevents deadlocks
        runs = [_run_row(id_, *planned[id_]) for id_ in ids]
        session.execute(insert(Run).on_conflict_do_nothing(), runs)
        reused += _count_succeeded(session, ids)
        affected |= _requeue(session, ids)
        links = [_link_row(campaign_id, id_, *planned[id_]) for id_ in ids]
        session.execute(insert(CampaignRun).on_conflict_do_nothing(), links)
    ended = exists().where(Run.id == CampaignRun.run_id, Run.state.in_(ENDED))
    session.execute(
        update(CampaignRun)
        .where(CampaignRun.campaign_id == campaign_id, CampaignRun.unfinished, ended)
        .values(unfinished=False)
    )
    controller.step(session, sorted(affected), revived=campaign_id if revive else None)
    return reused


def _log_runs(campaign_id: str, ids: Sequence[str]) -> None:
    """Log which runs a campaign asks for: a run's id leads to the request that wanted it."""
    for start in range(0, len(ids), _LOGGED_IDS):
        chunk = " ".join(ids[start : start + _LOGGED_IDS])
        log.info("runs of a campaign", extra={"campaign": campaign_id, "runs": chunk})


def _run_row(identity: str, cell: Cell, seed_index: int) -> dict[str, object]:
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


def _link_row(campaign_id: str, identity: str, cell: Cell, seed_index: int) -> dict[str, object]:
    return {
        "campaign_id": campaign_id,
        "cell_index": cell.index,
        "seed_index": seed_index,
        "run_id": identity,
        "simulator_digest": cell.simulator_digest,
    }


def _requeue(session: Session, ids: Sequence[str]) -> set[str]:
    """Requeue failed and cancelled runs and keep running ones.

    Returns the ids of campaigns that share the requeued runs.
    """
    selected = Run.id.in_(ids)
    states = session.execute(
        select(Run.id, Run.state).where(selected).order_by(Run.id).with_for_update()
    )
    requeued = [id_ for id_, state in states if state in UNSUCCESSFUL]
    session.execute(
        update(Run)
        .where(Run.id.in_(requeued))
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
        .where(selected, Run.state == RunState.RUNNING, Run.cancel_requested)
        .values(cancel_requested=False)
    )
    # In any state: the controller decides after locking their rows.
    return set(controller.campaigns_of(session, requeued))


def states_of(session: Session, ids: Sequence[str]) -> dict[str, RunState]:
    """The states of those of these runs that exist."""
    states: dict[str, RunState] = {}
    for chunk in _chunks(ids):
        query = select(Run.id, Run.state).where(Run.id.in_(chunk))
        states |= {id_: RunState(state) for id_, state in session.execute(query)}
    return states


def _count_succeeded(session: Session, ids: Sequence[str]) -> int:
    query = select(func.count()).where(Run.id.in_(ids), Run.state == RunState.SUCCEEDED)
    return session.scalar(query) or 0


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _CHUNK):
        yield ids[start : start + _CHUNK]
