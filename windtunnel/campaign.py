"""States of a campaign and their transitions; a test keeps docs/states.md in sync."""

from __future__ import annotations

from enum import StrEnum


class CampaignState(StrEnum):
    PLANNED = "planned"
    RUNNING = "running"
    ENDED = "ended"
    CANCELLED = "cancelled"


# For each state, its possible successors and what causes the transition.
TRANSITIONS: dict[CampaignState, dict[CampaignState, str]] = {
    CampaignState.PLANNED: {
        CampaignState.RUNNING: "a worker claims its first run",
        CampaignState.ENDED: "every run was already computed, or ended in another campaign",
        CampaignState.CANCELLED: "it is cancelled",
    },
    CampaignState.RUNNING: {
        CampaignState.ENDED: "its last unfinished run ends, and no cell needs more seeds",
        CampaignState.CANCELLED: "it is cancelled",
    },
    CampaignState.ENDED: {
        CampaignState.RUNNING: "it is extended or resumed, or a campaign requeues runs it shares",
    },
    CampaignState.CANCELLED: {
        CampaignState.RUNNING: "it is resumed",
        CampaignState.ENDED: "it is resumed with nothing left to run",
    },
}
