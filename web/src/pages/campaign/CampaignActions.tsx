import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, type CampaignDetail, unwrap } from "../../api/client";
import { campaignQuery, sessionQuery } from "../../api/queries";
import { Dialog } from "../../ui/Dialog";
import { ErrorNote } from "../../ui/states";

type Action = "cancel" | "resume" | "extend" | "delete";

/** Cancel, resume, extend, keep and delete, for its owner and administrators. */
export function CampaignActions({ campaign }: { campaign: CampaignDetail }) {
  const { data: session } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Action | null>(null);
  const mayChange =
    session?.scope === "admin" || (session?.scope === "submit" && session.name === campaign.submitted_by);
  const canResume = campaign.state === "cancelled" || campaign.runs.failed > 0;
  return (
    <div className="acts">
      {session?.scope !== "read" && (
        <button
          type="button"
          className="btn"
          onClick={() => void navigate({ to: "/new", search: { from: campaign.id } })}
        >
          Submit again…
        </button>
      )}
      <button
        type="button"
        className="btn"
        onClick={() => void navigate({ to: "/compare", search: { a: campaign.id } })}
      >
        Compare with…
      </button>
      {mayChange && (
        <>
          {!campaign.ended && (
            <button type="button" className="btn" onClick={() => setAsked("cancel")}>
              Cancel
            </button>
          )}
          {canResume && (
            <button type="button" className="btn" onClick={() => setAsked("resume")}>
              Resume
            </button>
          )}
          {campaign.state !== "cancelled" && (
            <button type="button" className="btn" onClick={() => setAsked("extend")}>
              Extend
            </button>
          )}
          <button type="button" className="btn danger" onClick={() => setAsked("delete")}>
            Delete
          </button>
        </>
      )}
      {asked && <Confirm action={asked} campaign={campaign} onClose={() => setAsked(null)} />}
    </div>
  );
}

const TITLES: Record<Action, string> = {
  cancel: "Cancel this campaign?",
  resume: "Resume this campaign?",
  extend: "More seeds",
  delete: "Delete this campaign?",
};

function meaning(action: Action, campaign: CampaignDetail): string {
  const { queued, running, failed, cancelled } = campaign.runs;
  if (action === "cancel")
    return `${queued + running} runs are stopped, unless another campaign needs them. Results are kept.`;
  if (action === "resume") return `${failed + cancelled} failed and cancelled runs are queued again.`;
  if (action === "extend") return `Every cell has ${campaign.replications} seeds. The seeds that it has are kept.`;
  return "Its runs, with their results, that no other campaign contains are deleted now. This can't be undone.";
}

function Confirm({ action, campaign, onClose }: { action: Action; campaign: CampaignDetail; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [seeds, setSeeds] = useState(campaign.replications + 5);
  const wrong = action === "extend" && !(Number.isInteger(seeds) && seeds > campaign.replications);
  const path = { params: { path: { campaign_id: campaign.id } } };
  const act = useMutation({
    mutationFn: async () => {
      if (action === "cancel") unwrap(await api.POST("/api/v1/campaigns/{campaign_id}/cancel", path));
      else if (action === "resume") unwrap(await api.POST("/api/v1/campaigns/{campaign_id}/resume", path));
      else if (action === "extend")
        unwrap(
          await api.POST("/api/v1/campaigns/{campaign_id}/replications", { ...path, body: { replications: seeds } }),
        );
      else {
        const answer = await api.DELETE("/api/v1/campaigns/{campaign_id}", path);
        if (!answer.response.ok) unwrap(answer as never);
      }
    },
    onSuccess: async () => {
      onClose();
      if (action === "delete") await navigate({ to: "/campaigns" });
      else await queries.invalidateQueries({ queryKey: campaignQuery(campaign.id).queryKey });
      await queries.invalidateQueries({ queryKey: ["campaigns"] });
    },
  });
  return (
    <Dialog title={TITLES[action]} onClose={onClose}>
      <p>{meaning(action, campaign)}</p>
      {action === "extend" && (
        <label className="field">
          Seeds per cell
          <input
            className="input"
            type="number"
            min={campaign.replications + 1}
            value={Number.isNaN(seeds) ? "" : seeds}
            aria-invalid={wrong}
            aria-describedby={wrong ? "seeds-hint" : undefined}
            onChange={(event) => setSeeds(event.currentTarget.valueAsNumber)}
          />
          {wrong && (
            <span id="seeds-hint" className="quiet">
              A whole number above {campaign.replications}, the seeds that every cell has.
            </span>
          )}
        </label>
      )}
      {act.error && <ErrorNote error={act.error} />}
      <div className="acts">
        <button type="button" className="btn" onClick={onClose}>
          Back
        </button>
        <button
          type="button"
          className={`btn ${action === "delete" ? "danger" : "main"}`}
          disabled={act.isPending || wrong}
          onClick={() => act.mutate()}
        >
          {
            {
              cancel: "Cancel the campaign",
              resume: "Resume",
              extend: wrong ? "Extend" : `Extend to ${seeds} seeds`,
              delete: "Delete",
            }[action]
          }
        </button>
      </div>
    </Dialog>
  );
}
