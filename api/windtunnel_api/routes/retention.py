"""Route for pruning what retention policies no longer keep."""

from __future__ import annotations

import time
from collections.abc import Iterator

from fastapi import APIRouter

from windtunnel.retention import Policies
from windtunnel.store import retention
from windtunnel.store.audit import Actor
from windtunnel.store.database import Database
from windtunnel_api.authorization import ADMIN, CurrentActor
from windtunnel_api.body import JSON_BODY
from windtunnel_api.dependencies import CurrentDatabase, CurrentSettings
from windtunnel_api.retention_schemas import PrunedOut, PruneIn, PruneOut

router = APIRouter(tags=["retention"])

# A request ends after this, well before clients give up.
_SECONDS = 5.0
_BUSY_SECONDS = 0.1


@router.post("/prune", dependencies=[*ADMIN, *JSON_BODY])
def prune(
    database: CurrentDatabase, settings: CurrentSettings, actor: CurrentActor, body: PruneIn
) -> PruneOut:
    """Remove what the named policies no longer keep, or with ``dry_run`` only count it.

    Without a policy, those of the service apply. Campaigns that are kept and runs in execution are
    never touched. Works for a few seconds; ``more`` says whether to repeat the request.
    """
    policies = Policies(**body.model_dump(exclude={"dry_run"}))
    if not policies.days:
        policies = settings.retention
    if body.dry_run:
        with database.transaction() as session:
            previews = retention.preview(session, policies)
        return _out(True, previews, more=False)
    removed = {name: [0, 0] for name in policies.days}
    more = False
    for batch in _batches(database, policies, actor):
        more = batch.more
        if batch.pruned:
            removed[batch.pruned.policy][0] += batch.pruned.count
            removed[batch.pruned.policy][1] += batch.pruned.bytes
    sums = [retention.Pruned(name, policies.days[name], *sizes) for name, sizes in removed.items()]
    return _out(False, sums, more)


def _batches(database: Database, policies: Policies, actor: Actor) -> Iterator[retention.Batch]:
    """Prune until nothing is left or the time is up."""
    deadline = time.monotonic() + _SECONDS
    more, start = True, None
    while more and time.monotonic() < deadline:
        with database.transaction() as session:
            batch = retention.prune_batch(session, policies, actor, wait=True, start=start)
        if batch.pruned is None and batch.more and start is None:  # runs are being added
            time.sleep(_BUSY_SECONDS)
        more, start = batch.more, batch.policy
        yield batch


def _out(dry_run: bool, pruned: list[retention.Pruned], more: bool) -> PruneOut:
    rows = [PrunedOut.model_validate(row) for row in pruned]
    return PruneOut(dry_run=dry_run, pruned=rows, more=more)
