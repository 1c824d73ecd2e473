import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { CampaignDetail } from "../../api/client";
import { campaignQuery, comparisonQuery, failuresQuery, gatesQuery, timeLeftQuery } from "../../api/queries";
import { useTitle } from "../../app/title";
import {
  formatAmount,
  formatClock,
  formatDuration,
  formatProgress,
  formatStorage,
  remainingSeconds,
} from "../../format";
import { Meter } from "../../ui/Meter";
import { Chip } from "../../ui/verdicts";
import { primaryMetric } from "../comparison/model";
import { algorithmNames, Sentence } from "../comparison/VerdictSection";
import { Tiles } from "./Tiles";

const route = getRouteApi("/campaigns/$campaignId/");

/** A campaign at a glance: its verdict, progress, runs as tiles, failures and gates. */
export function Overview() {
  const { campaignId } = route.useParams();
  const { data: campaign } = useQuery(campaignQuery(campaignId));
  useTitle(campaign?.name);
  if (!campaign) return null;
  return (
    <>
      <Verdict campaign={campaign} />
      <Progress campaign={campaign} />
      <section className="sheet">
        <h2>
          Cells and seeds <small>one row a cell, one tile a run</small>
        </h2>
        <Tiles campaign={campaign} />
      </section>
      {campaign.runs.failed > 0 && <Failures id={campaign.id} />}
      <Gates id={campaign.id} />
    </>
  );
}

function Verdict({ campaign }: { campaign: CampaignDetail }) {
  const { data: comparison } = useQuery(comparisonQuery(campaign.id, [], {}));
  const primary = (comparison && primaryMetric(comparison)?.name) ?? "";
  const sentence = comparison && (comparison.headlines.coexistence ?? comparison.headlines[primary]);
  if (!comparison || !sentence) {
    return (
      <section className="verdict" aria-label="Verdict">
        <p className="say">
          {campaign.ended ? "No run succeeded: there is nothing to conclude." : "No verdict yet: runs are under way."}
        </p>
      </section>
    );
  }
  return (
    <section className="verdict" aria-label="Verdict">
      <p className="say" data-testid="headline">
        {!campaign.ended && "So far: "}
        <Sentence names={algorithmNames(comparison)}>{sentence}</Sentence>
      </p>
      <div className="acts no-print">
        <Link
          to="/campaigns/$campaignId/comparison"
          params={{ campaignId: campaign.id }}
          search={{}}
          className="btn main"
        >
          See the comparison
        </Link>
      </div>
    </section>
  );
}

function Progress({ campaign }: { campaign: CampaignDetail }) {
  const left = remainingSeconds(campaign);
  const { data, dataUpdatedAt } = useQuery({ ...timeLeftQuery(campaign.id), enabled: !campaign.ended });
  const seconds = campaign.ended ? null : (data?.predicted_wall_seconds_left ?? null);
  const timeLeft = seconds === null ? undefined : { seconds, end: new Date(dataUpdatedAt + seconds * 1000) };
  return (
    <section className="progress" aria-label="Progress">
      <Meter campaign={campaign} />
      <p className="facts" data-testid="progress">
        <span>
          <b>{formatProgress(campaign.runs)}</b>
        </span>
        {campaign.reused_runs > 0 && <span>{campaign.reused_runs.toLocaleString("en-US")} reused</span>}
        {campaign.runs.running > 0 && <span>{campaign.runs.running} running</span>}
        {campaign.runs.failed > 0 && <span className="error-text">{campaign.runs.failed} failed</span>}
        <span>
          {formatAmount(campaign.simulated_ns / 1e9)} of {formatAmount(campaign.planned_ns / 1e9)} s simulated
        </span>
        <span>
          {formatAmount(campaign.events)} events, {formatDuration(campaign.actual_cpu_seconds)} of CPU time (predicted{" "}
          {formatAmount(campaign.predicted_events)}, {formatDuration(campaign.predicted_cpu_seconds)})
        </span>
        {campaign.actual_cpu_seconds > 0 && (
          <span>{formatAmount(campaign.actual_events / campaign.actual_cpu_seconds)} events a second of CPU</span>
        )}
        {timeLeft ? (
          <span data-testid="time-left">
            about <b>{formatDuration(timeLeft.seconds)}</b> left ({formatClock(timeLeft.end)}), counting everyone’s
            queued runs first
          </span>
        ) : (
          left !== null && left > 0 && <span>about {formatDuration(left)} of CPU time left</span>
        )}
        <span data-testid="storage">{formatStorage(campaign)}</span>
      </p>
    </section>
  );
}

function Failures({ id }: { id: string }) {
  const { data } = useQuery(failuresQuery(id));
  if (!data) return null;
  return (
    <section className="sheet" data-testid="failures">
      <h2>
        Failures <small>grouped by reason</small>
      </h2>
      <ul className="stack">
        {data.groups.map((group) => (
          <li key={`${group.failure} ${group.example_run}`} className="note failed">
            <b>
              {group.count.toLocaleString("en-US")} × {group.failure}
            </b>{" "}
            {group.message}{" "}
            <Link to="/runs/$runId" params={{ runId: group.example_run }} search={{ campaign: id }} className="mono">
              {group.example_run.slice(0, 10)}
            </Link>
            {group.log_tail && (
              <details>
                <summary className="quiet">Last lines of its log</summary>
                <pre>{group.log_tail}</pre>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Gates({ id }: { id: string }) {
  const { data } = useQuery(gatesQuery(id));
  if (!data || data.gates.length === 0) return null;
  return (
    <section className="sheet" data-testid="gates">
      <h2>Gates</h2>
      <ul className="stack">
        {data.gates.map((result) => (
          <li key={JSON.stringify(result.gate)} className="row">
            <Chip label={result.outcome} />
            <b className="mono">{result.gate.metric}</b>
            <span>
              {Object.entries(result.gate.cells)
                .map(([axis, labels]) => `${axis} ${labels.join(", ")}`)
                .join("; ") || "every cell"}
              : {result.gate.require}
            </span>
            <span className="quiet">
              {[...new Set(result.cells.map((cell) => cell.reason).filter(Boolean))].slice(0, 3).join("; ")}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
