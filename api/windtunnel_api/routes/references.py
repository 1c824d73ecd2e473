"""Route that finds the campaign which a comparison or a gate would be against."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from windtunnel.store import campaigns
from windtunnel.store.labels import find_named
from windtunnel_api.authorization import READ
from windtunnel_api.campaign_schemas import CampaignOut
from windtunnel_api.dependencies import ReadSession

router = APIRouter(tags=["campaigns"])


@router.get("/references", dependencies=READ)
def reference(
    session: ReadSession,
    against: Annotated[str, Query(min_length=1, max_length=2000)],
    name: Annotated[str, Query(max_length=100, description="Of the campaign to compare.")],
) -> CampaignOut:
    """Find the campaign that `against` means: an id, or `label:branch=main`.

    Labels mean the newest complete campaign of this name that has them.
    """
    found = find_named(session, name, against)
    return CampaignOut.model_validate(campaigns.campaign_status(session, found))
