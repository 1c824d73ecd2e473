"""Campaigns found by their labels."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import ColumnElement, and_, null, select
from sqlalchemy.orm import Session

from windtunnel.campaign import CampaignState
from windtunnel.errors import InvalidRequestError, NotFoundError, Problem
from windtunnel.labels import LABEL_PREFIX, label_texts, referenced_labels
from windtunnel.run import RunState
from windtunnel.store.campaigns import find_campaign
from windtunnel.store.tables import Campaign

_MAX_OTHERS = 5  # campaigns named in a message


def has_labels(labels: Mapping[str, str]) -> ColumnElement[bool]:
    """Whether a campaign has all of these labels."""
    return Campaign.labels.contains(dict(labels))


def is_complete() -> ColumnElement[bool]:
    """Whether all runs of a campaign have succeeded."""
    succeeded = Campaign.totals[("runs", RunState.SUCCEEDED.value)].is_not(null())
    others = [
        Campaign.totals[("runs", state.value)].is_(null())
        for state in RunState
        if state is not RunState.SUCCEEDED
    ]
    return and_(Campaign.state == CampaignState.ENDED, succeeded, *others)


def find_reference(session: Session, campaign: Campaign, reference: str) -> Campaign:
    """The campaign that another is compared with, as of `find_named`, but never itself."""
    found = find_named(session, campaign.name, reference, besides=campaign.id)
    if found.id == campaign.id:
        message = f"{found.id} is the campaign itself; name another one"
        raise InvalidRequestError([Problem("query.against", message)])
    return found


def find_named(session: Session, name: str, reference: str, besides: str = "") -> Campaign:
    """The campaign that ``reference`` means: an id or its beginning, or ``label:branch=main``.

    Labels, separated by commas, stand for the newest complete campaign named ``name`` that has all
    of them; ``besides`` is the id of one that is passed over. Raises NotFoundError,
    InvalidRequestError.
    """
    if not reference.startswith(LABEL_PREFIX):
        return find_campaign(session, reference)
    labels, problems = referenced_labels(reference, "query.against")
    if problems:
        raise InvalidRequestError(problems)
    query = (
        select(Campaign)
        .where(has_labels(labels), is_complete(), Campaign.id != besides, Campaign.name == name)
        .order_by(Campaign.created_at.desc(), Campaign.id.desc())
        .limit(1)
    )
    newest = session.scalars(query).first()
    if newest is None:
        raise NotFoundError(_none_complete(session, name, labels, besides))
    return newest


def _none_complete(session: Session, name: str, labels: Mapping[str, str], besides: str) -> str:
    """Why there is no reference: no such label, not complete, or of another name."""
    wanted = " and ".join(label_texts(labels))
    query = (
        select(Campaign.id, Campaign.name, Campaign.state, is_complete())
        .where(has_labels(labels), Campaign.id != besides)
        .order_by(Campaign.created_at.desc(), Campaign.id.desc())
        .limit(_MAX_OTHERS)
    )
    others = session.execute(query).all()
    if not others:
        return f"no other campaign has the label {wanted}"
    states = ", ".join(
        f"{id_} ({other}, {'complete' if complete else f'{state}, not all runs succeeded'})"
        for id_, other, state, complete in others
    )
    return f"no complete campaign named {name!r} has the label {wanted}; with this label: {states}"
