import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { campaignQuery, campaignsQuery } from "../api/queries";
import { useTitle } from "../app/title";
import { AlgorithmTag } from "../figures/marks";
import { formatAge, formatLabels } from "../format";
import { ErrorNote, Nothing, RejectedNote, Skeleton } from "../ui/states";

const route = getRouteApi("/compare");

/** Choose the campaign with which another is compared. */
export function ComparePage() {
  const { a, q, rejected } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: campaign, error } = useQuery({ ...campaignQuery(a ?? ""), enabled: a !== undefined });
  const list = useInfiniteQuery(campaignsQuery({ q }));
  useTitle("Compare two campaigns");
  const rows = (list.data?.pages.flatMap((page) => page.campaigns) ?? []).filter((other) => other.id !== campaign?.id);
  return (
    <>
      <div className="head">
        <div>
          <h1>{campaign ? `Compare ${campaign.name} with…` : "Compare two campaigns"}</h1>
          <p className="facts">
            {campaign
              ? "The other campaign takes the baseline's place: cell by cell, after what differs between them."
              : "Choose the first."}
          </p>
        </div>
        <input
          className="input"
          placeholder="Find a campaign"
          aria-label="Find a campaign"
          defaultValue={q}
          onChange={(event) =>
            void navigate({ search: (old) => ({ ...old, q: event.target.value || undefined }) as never, replace: true })
          }
        />
      </div>
      <RejectedNote rejected={rejected} onClear={() => void navigate({ search: {} })} />
      {error && <ErrorNote error={error} />}
      {list.error && <ErrorNote error={list.error} />}
      {list.isPending ? (
        <Skeleton />
      ) : rows.length === 0 ? (
        <Nothing title="No other campaign matches." />
      ) : (
        <ul className="choices-list">
          {rows.map((other) => (
            <li key={other.id}>
              {campaign ? (
                <Link
                  to="/campaigns/$campaignId/comparison"
                  params={{ campaignId: campaign.id }}
                  search={{ against: other.id }}
                  data-row
                >
                  {other.name}
                </Link>
              ) : (
                <Link to="/compare" search={{ a: other.id }} data-row>
                  {other.name}
                </Link>
              )}
              <span className="mono quiet">{other.id.slice(0, 10)}</span>
              <span className="row">
                {other.algorithms.map((name) => (
                  <AlgorithmTag key={name} name={name} />
                ))}
              </span>
              <span className="quiet">
                {[formatLabels(other.labels), formatAge(other.created_at)].filter(Boolean).join(" · ")}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
