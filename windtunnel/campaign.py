"""States of a campaign. docs/states.md shows the same table; a test holds it to this one."""

from __future__ import annotations

from enum import StrEnum


class CampaignState(StrEnum):
    PLANNED = "planned"
    RUNNING = "running"
    ENDED = "ended"
    CANCELLED = "cancelled"


# From each state, the states that may follow and what brings them about.
TRANSITIONS: dict[CampaignState, dict[CampaignState, str]] = {
    CampaignState.PLANNED: {
        CampaignState.RUNNING: "a worker claims its first run",
        CampaignState.ENDED: "every run was already computed, or ended in another campaign",
        CampaignState.CANCELLED: "it is cancelled",
    },
    CampaignState.RUNNING: {
        CampaignState.ENDED: "its last unfinished run ends, and nothing more is to be run",
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
