import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Campaign } from "../../api/client";
import { type CampaignsView, campaignsQuery, facetsQuery, sessionQuery } from "../../api/queries";
import { useTitle } from "../../app/title";
import { AlgorithmTag } from "../../figures/marks";
import { formatAge, formatAmount, formatDuration, formatLabels, formatProgress, remainingSeconds } from "../../format";
import { Segments } from "../../ui/Controls";
import { Meter } from "../../ui/Meter";
import { ShowMore } from "../../ui/ShowMore";
import { StateDot } from "../../ui/StateDot";
import { ErrorNote, Nothing, RejectedNote, Skeleton } from "../../ui/states";
import { campaignKind } from "../campaign/kinds";
import { CampaignFilters } from "./CampaignFilters";
import "./campaigns.css";

const route = getRouteApi("/campaigns");
const STATES = [
  { value: "all", label: "all" },
  { value: "running", label: "running" },
  { value: "planned", label: "planned" },
  { value: "ended", label: "done" },
  { value: "failures", label: "with failures" },
  { value: "cancelled", label: "cancelled" },
] as const;

/** All campaigns, newest first: search, filter, sort, and choose two to compare. */
export function CampaignsPage() {
  const { rejected, ...view } = route.useSearch();
  const navigate = route.useNavigate();
  useTitle("Campaigns");
  const { data: facets } = useQuery(facetsQuery);
  const { data: session } = useQuery(sessionQuery);
  const list = useInfiniteQuery(campaignsQuery(view));
  const [chosen, setChosen] = useState<string[]>([]);
  const change = (part: CampaignsView) =>
    void navigate({ search: (old) => ({ ...old, rejected: undefined, ...part }) as never, replace: true });
  const rows = list.data?.pages.flatMap((page) => page.campaigns) ?? [];
  const filtered = Object.keys(view).some((name) => name !== "sort");
  const state = view.state ?? "all";
  return (
    <>
      <div className="head">
        <div>
          <h1>Campaigns</h1>
          <p className="facts">
            {facets ? `${facets.total.toLocaleString("en-US")} ${facets.total === 1 ? "campaign" : "campaigns"}` : " "}
          </p>
        </div>
        <div className="acts">
          <button
            type="button"
            className="btn"
            disabled={chosen.length !== 2}
            title={chosen.length === 2 ? undefined : "Choose two campaigns with their check boxes"}
            onClick={() =>
              void navigate({
                to: "/campaigns/$campaignId/comparison",
                params: { campaignId: chosen[1] ?? "" },
                search: { against: chosen[0] } as never,
              })
            }
          >
            Compare two
          </button>
          {session?.scope !== "read" && (
            <Link to="/new" className="btn main">
              New campaign
            </Link>
          )}
        </div>
      </div>
      <RejectedNote rejected={rejected} onClear={() => void navigate({ search: {}, replace: true })} />
      <div className="filters">
        <Segments
          label="State"
          value={state}
          options={STATES.map((option) => ({
            ...option,
            count: option.value === "all" ? facets?.total : facets?.states[option.value],
          }))}
          onChange={(value) => change({ state: value === "all" ? undefined : value })}
        />
        <CampaignFilters view={view} facets={facets} onChange={change} />
      </div>
      {facets && facets.algorithms.length > 1 && (
        // biome-ignore lint/a11y/useSemanticElements: buttons of one group
        <div className="algos" role="group" aria-label="Algorithm">
          {facets.algorithms.slice(0, 24).map(({ name }) => (
            <button
              key={name}
              type="button"
              aria-pressed={view.algorithm === name}
              onClick={() => change({ algorithm: view.algorithm === name ? undefined : name })}
            >
              <AlgorithmTag name={name} />
            </button>
          ))}
        </div>
      )}
      {list.error && <ErrorNote error={list.error} />}
      {list.isPending ? (
        <Skeleton />
      ) : rows.length === 0 && !list.error ? (
        <Empty
          filtered={filtered}
          total={facets?.total ?? 0}
          maySubmit={session?.scope !== "read"}
          onClear={() => void navigate({ search: {} })}
        />
      ) : (
        <ul className="list" data-testid="campaigns">
          {rows.map((campaign) => (
            <Row
              key={campaign.id}
              campaign={campaign}
              chosen={chosen.includes(campaign.id)}
              onChoose={() =>
                setChosen((old) =>
                  old.includes(campaign.id) ? old.filter((id) => id !== campaign.id) : [...old.slice(-1), campaign.id],
                )
              }
            />
          ))}
        </ul>
      )}
      <ShowMore list={list} shown={rows.length} />
      <footer className="foot">
        <span>Progress counts runs; a hatched bar is what was cancelled.</span>
        <span>
          <kbd>?</kbd> for keys
        </span>
      </footer>
    </>
  );
}

function Row({ campaign, chosen, onChoose }: { campaign: Campaign; chosen: boolean; onChoose: () => void }) {
  const kind = campaignKind(campaign);
  const left = remainingSeconds(campaign);
  const labels = formatLabels(campaign.labels);
  return (
    <li className={`camp ${kind}`}>
      <input type="checkbox" checked={chosen} onChange={onChoose} aria-label={`Choose ${campaign.name} to compare`} />
      <div className="c-main">
        <Link to="/campaigns/$campaignId" params={{ campaignId: campaign.id }} className="c-name" data-row>
          {campaign.name}
        </Link>
        <span className="c-id">{campaign.id.slice(0, 10)}</span>
        {campaign.description && <p>{campaign.description}</p>}
        <small>{[labels, campaign.submitted_by && `by ${campaign.submitted_by}`].filter(Boolean).join(" · ")}</small>
      </div>
      <div className="c-algos">
        {campaign.algorithms.map((name) => (
          <AlgorithmTag key={name} name={name} />
        ))}
      </div>
      <div className="c-size">
        <b>{campaign.cells.toLocaleString("en-US")}</b> {campaign.cells === 1 ? "cell" : "cells"} ×{" "}
        <b>{campaign.replications}</b> {campaign.replications === 1 ? "seed" : "seeds"}
        <small>{campaign.topologies.join(", ")}</small>
      </div>
      <div className="c-prog">
        <div className="c-state">
          <StateDot kind={kind} /> <small data-testid="progress">{formatProgress(campaign.runs)}</small>
        </div>
        <Meter campaign={campaign} />
      </div>
      <Cost>
        <b>{formatDuration(campaign.actual_cpu_seconds)}</b>
        <small>
          {left === null ? `CPU, ${formatAmount(campaign.events)} events` : `CPU, ${formatDuration(left)} left`}
        </small>
      </Cost>
      <time className="c-age" dateTime={campaign.created_at} title={campaign.created_at}>
        {formatAge(campaign.created_at)}
      </time>
    </li>
  );
}

const Cost = ({ children }: { children: ReactNode }) => <div className="c-cost">{children}</div>;

function Empty({
  filtered,
  total,
  maySubmit,
  onClear,
}: {
  filtered: boolean;
  total: number;
  maySubmit: boolean;
  onClear: () => void;
}) {
  if (filtered) {
    return (
      <Nothing title="No campaign matches.">
        {total.toLocaleString("en-US")} are hidden by the filters.{" "}
        <button type="button" className="link" onClick={onClear}>
          Clear filters
        </button>
      </Nothing>
    );
  }
  return (
    <Nothing title="No campaign yet.">
      <p>A campaign is a file: algorithms, a topology and traffic, as many seeds as you want. One command runs it:</p>
      <pre className="first-command">windtunnel run papers/cfi16/quick.yaml</pre>
      {maySubmit && (
        <Link to="/new" className="btn main">
          Start from a template
        </Link>
      )}
    </Nothing>
  );
}
