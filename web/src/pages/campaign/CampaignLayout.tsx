import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet } from "@tanstack/react-router";
import { type CampaignDetail, ProblemError } from "../../api/client";
import { useLiveCampaign } from "../../api/live";
import { campaignQuery } from "../../api/queries";
import { formatAge, formatAmount, formatBuild, formatDuration, formatLabels, formatPruned } from "../../format";
import { StateDot } from "../../ui/StateDot";
import { ErrorNote, Waiting } from "../../ui/states";
import { CampaignActions } from "./CampaignActions";
import { campaignKind } from "./kinds";

const route = getRouteApi("/campaigns/$campaignId");

/** The head and tabs of a campaign's pages; keeps them up to date while its runs are under way. */
export function CampaignLayout() {
  const { campaignId } = route.useParams();
  const { data: campaign, error } = useQuery(campaignQuery(campaignId));
  const gone = error instanceof ProblemError && error.problem.status === 404;
  const connected = useLiveCampaign(campaignId, gone || campaign?.ended);
  if (!campaign) return <Waiting error={error} />;
  return (
    <>
      <CampaignHead campaign={campaign} />
      <nav className="tabs" aria-label="Campaign">
        <Tab to="/campaigns/$campaignId" id={campaign.id} exact>
          Overview
        </Tab>
        <Tab to="/campaigns/$campaignId/comparison" id={campaign.id}>
          Comparison
        </Tab>
        <Tab to="/campaigns/$campaignId/runs" id={campaign.id}>
          Runs<small>{campaign.total_runs.toLocaleString("en-US")}</small>
        </Tab>
        <Tab to="/campaigns/$campaignId/file" id={campaign.id}>
          What was submitted
        </Tab>
      </nav>
      <Notices campaign={campaign} connected={connected} error={error} />
      <Outlet />
    </>
  );
}

function Tab({
  to,
  id,
  exact = false,
  children,
}: {
  to:
    | "/campaigns/$campaignId"
    | "/campaigns/$campaignId/comparison"
    | "/campaigns/$campaignId/runs"
    | "/campaigns/$campaignId/file";
  id: string;
  exact?: boolean;
  children: React.ReactNode;
}) {
  return (
    <Link to={to} params={{ campaignId: id }} search={{}} activeOptions={{ exact, includeSearch: false }}>
      {children}
    </Link>
  );
}

function CampaignHead({ campaign }: { campaign: CampaignDetail }) {
  return (
    <div className="head">
      <div className="crumb">
        <Link to="/campaigns">Campaigns</Link> / <span className="mono">{campaign.id.slice(0, 10)}</span>
      </div>
      <div>
        <h1>
          {campaign.name}{" "}
          <span className="state">
            <StateDot kind={campaignKind(campaign)} />
          </span>
        </h1>
        <div className="facts">
          <span>
            <b>{campaign.total_runs.toLocaleString("en-US")}</b> runs
          </span>
          <span>
            <b>{campaign.cells.toLocaleString("en-US")}</b> cells × <b>{campaign.replications}</b> seeds
          </span>
          <span>
            <b>{formatDuration(campaign.actual_cpu_seconds)}</b> of CPU, {formatAmount(campaign.events)} events
          </span>
          <span data-testid="simulators">on {campaign.simulators.map(formatBuild).join("; ")}</span>
          {campaign.submitted_by && <span>submitted by {campaign.submitted_by}</span>}
          <span title={campaign.created_at}>{formatAge(campaign.created_at)}</span>
          {Object.keys(campaign.labels).length > 0 && <span data-testid="labels">{formatLabels(campaign.labels)}</span>}
        </div>
        {campaign.description && <p className="facts">{campaign.description}</p>}
      </div>
      <CampaignActions campaign={campaign} />
    </div>
  );
}

function Notices({
  campaign,
  connected,
  error,
}: {
  campaign: CampaignDetail;
  connected: boolean;
  error: Error | null;
}) {
  const pruned = formatPruned(campaign);
  return (
    <div className="notices">
      {error ? (
        <ErrorNote error={error} />
      ) : (
        !connected && (
          <p className="note" role="status">
            <b>The connection to the service is lost.</b> What is shown is as of the last answer; retrying.
          </p>
        )
      )}
      {campaign.note && <p className="note">{campaign.note}</p>}
      {pruned && (
        <p className="note" data-testid="pruned">
          Retention: {pruned}.
        </p>
      )}
      {campaign.superseded_by && (
        <p className="note" data-testid="superseded">
          Cancelled, superseded by{" "}
          <Link to="/campaigns/$campaignId" params={{ campaignId: campaign.superseded_by }}>
            {campaign.superseded_by}
          </Link>
          .
        </p>
      )}
      {campaign.lints.map((lint) => (
        <p className="note" key={`${lint.path} ${lint.message}`}>
          <b>{lint.path}</b> {lint.message}
        </p>
      ))}
    </div>
  );
}
