import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client";
import { fixed } from "../../figures/numbers";
import { formatAmount, formatDuration } from "../../format";
import { StateDot } from "../../ui/StateDot";
import { formatSeconds, kindOf, placeOf } from "./naming";
import { RunTag } from "./RunTag";
import { type RunView, route } from "./useRunView";

/** Where the run belongs, what it is, and how it went. */
export function RunHead({ view }: { view: RunView }) {
  const { run, name, coordinates, axes, siblings } = view;
  const place = placeOf(coordinates, axes);
  const kinds = [kindOf(run, "workload"), kindOf(run, "topology")].filter(Boolean);
  const held = run.checks.filter((check) => check.held).length;
  return (
    <div className="head">
      <div className="crumb">
        <Link to="/campaigns">Campaigns</Link> /{" "}
        {siblings && (
          <>
            <Link to="/campaigns/$campaignId" params={{ campaignId: siblings.campaign }}>
              {siblings.campaign_name}
            </Link>{" "}
            /{" "}
          </>
        )}
        <span className="mono">{run.id.slice(0, 10)}</span>
        {run.campaigns.length > 1 && ` · shared by ${run.campaigns.length} campaigns`}
      </div>
      <div>
        <h1>
          <span>
            <RunTag name={name} />
            {place && ` at ${place}`}, seed {run.seed_index}
          </span>
          <span className="state">
            <StateDot kind={run.state} />
            {run.state === "succeeded" && (run.attempt > 1 ? ` at attempt ${run.attempt}` : " at the first attempt")}
          </span>
        </h1>
        <div className="facts">
          {kinds.length > 0 && <span>{kinds.join(" on ")}</span>}
          <span>
            <b>{formatSeconds(run.duration_ns / 1e9)}</b> {run.state === "succeeded" ? "simulated" : "to simulate"}
            {run.wall_seconds !== null && (
              <>
                {" "}
                in <b>{run.wall_seconds < 60 ? formatSeconds(run.wall_seconds) : formatDuration(run.wall_seconds)}</b>
              </>
            )}
          </span>
          {run.events > 0 && (
            <span>
              <b>{formatAmount(run.events)}</b> events
            </span>
          )}
          {run.checks.length > 0 && (
            <span>
              <b>
                {fixed(held, 0)} of {run.checks.length}
              </b>{" "}
              checks held
            </span>
          )}
        </div>
      </div>
      {siblings && <SeedLinks view={view} />}
    </div>
  );
}

/** The runs of the seeds before and after this one, in the same cell. */
function SeedLinks({ view }: { view: RunView }) {
  const { run, siblings } = view;
  const campaign = siblings?.campaign ?? "";
  const cell = siblings?.cell_index ?? 0;
  const { tab } = route.useSearch();
  const { data } = useQuery({
    queryKey: ["runs", campaign, "cell", cell],
    queryFn: async () =>
      unwrap(
        await api.GET("/api/v1/campaigns/{campaign_id}/runs", {
          params: { path: { campaign_id: campaign }, query: { cell, limit: 200 } },
        }),
      ),
    staleTime: 30_000,
  });
  const seeds = [...(data?.runs ?? [])].sort((a, b) => a.seed_index - b.seed_index);
  const at = seeds.findIndex((other) => other.seed_index === run.seed_index);
  const [before, after] = [at > 0 ? seeds[at - 1] : undefined, at >= 0 ? seeds[at + 1] : undefined];
  const search = { ...(tab && { tab }), campaign };
  return (
    <nav className="acts" aria-label="Seeds">
      {before && (
        <Link className="btn" to="/runs/$runId" params={{ runId: before.id }} search={search}>
          ‹ seed {before.seed_index}
        </Link>
      )}
      {after && (
        <Link className="btn" to="/runs/$runId" params={{ runId: after.id }} search={search}>
          seed {after.seed_index} ›
        </Link>
      )}
    </nav>
  );
}
