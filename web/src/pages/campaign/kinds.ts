import type { Campaign } from "../../api/client";

/** A campaign's state as pages name it: `failures` if it ended with failed runs. */
export type CampaignKind = "planned" | "running" | "done" | "failures" | "cancelled";

export function campaignKind(campaign: Pick<Campaign, "state" | "runs">): CampaignKind {
  if (campaign.state !== "ended") return campaign.state;
  return campaign.runs.failed > 0 ? "failures" : "done";
}

export const KIND_WORDS: Record<CampaignKind, string> = {
  planned: "planned",
  running: "running",
  done: "done",
  failures: "done, with failures",
  cancelled: "cancelled",
};
