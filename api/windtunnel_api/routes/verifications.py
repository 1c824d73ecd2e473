"""Routes for verifications: request, list, show and cancel."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Response, status

from windtunnel.store import verifications
from windtunnel.store.campaigns import find_run
from windtunnel.store.tables import Verification
from windtunnel_api.authorization import READ, SUBMIT, CurrentActor, Submitter
from windtunnel_api.dependencies import (
    CurrentDatabase,
    CurrentSettings,
    CurrentWakeup,
    Limit,
    ReadSession,
    creation_cursor,
    decode_creation_cursor,
)
from windtunnel_api.ownership import check_owner
from windtunnel_api.run_schemas import VerificationOut, VerificationPage

router = APIRouter(tags=["verifications"])


@router.post(
    "/runs/{run_id}/verify",
    dependencies=SUBMIT,
    status_code=status.HTTP_202_ACCEPTED,
    responses={200: {"model": VerificationOut, "description": "The one that is under way."}},
)
def verify(
    database: CurrentDatabase,
    wakeup: CurrentWakeup,
    actor: CurrentActor,
    response: Response,
    settings: CurrentSettings,
    submitter: Submitter,
    run_id: str,
) -> VerificationOut:
    """Execute a succeeded run again and compare its records with the stored digests.

    A run has at most one verification under way: if there is one, it is returned.
    """
    with database.transaction() as session:
        run = find_run(session, run_id)
        verification_id, new = verifications.request(session, run, submitter.name, settings.quotas)
        if new:
            actor.record(session, "run.verify", run.id, verification=verification_id)
    if new:
        wakeup.notify(1)
    else:
        response.status_code = status.HTTP_200_OK
    response.headers["Location"] = f"/api/v1/verifications/{verification_id}"
    with database.transaction() as session:
        return VerificationOut.model_validate(verifications.find(session, verification_id))


@router.get("/runs/{run_id}/verifications", dependencies=READ)
def list_of_run(
    session: ReadSession, run_id: str, limit: Limit = 50, cursor: str | None = None
) -> VerificationPage:
    """List a run's verifications, newest first."""
    run = find_run(session, run_id)
    after = decode_creation_cursor(cursor)
    return _page(verifications.page(session, limit + 1, after, run.id), limit)


@router.get("/verifications", dependencies=READ)
def list_all(
    session: ReadSession, limit: Limit = 50, cursor: str | None = None
) -> VerificationPage:
    """List verifications, newest first."""
    return _page(verifications.page(session, limit + 1, decode_creation_cursor(cursor)), limit)


@router.get("/verifications/{verification_id}", dependencies=READ)
def show(session: ReadSession, verification_id: str) -> VerificationOut:
    """Show the state of a verification."""
    return VerificationOut.model_validate(verifications.find(session, verification_id))


@router.post("/verifications/{verification_id}/cancel", dependencies=SUBMIT)
def cancel(
    database: CurrentDatabase, actor: CurrentActor, verification_id: str, submitter: Submitter
) -> VerificationOut:
    """Cancel a verification that one has requested; any with scope admin.

    One that is running is stopped within a few seconds and is then ``cancelled``. One that has
    ended keeps its state.
    """
    with database.transaction() as session:
        row = verifications.find(session, verification_id)
        check_owner(submitter, row.requested_by, f"verification {row.id}")
        verifications.cancel(session, row.id)
        actor.record(session, "verification.cancel", row.id, run=row.run_id)
    with database.transaction() as session:
        return VerificationOut.model_validate(verifications.find(session, verification_id))


def _page(rows: Sequence[Verification], limit: int) -> VerificationPage:
    page = [VerificationOut.model_validate(row) for row in rows[:limit]]
    end = creation_cursor(page) if len(rows) > limit else None
    return VerificationPage(verifications=page, next_cursor=end)
