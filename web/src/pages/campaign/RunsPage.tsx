import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { RunRow } from "../../api/client";
import { campaignQuery, runsQuery } from "../../api/queries";
import { useTitle } from "../../app/title";
import { AlgorithmTag } from "../../figures/marks";
import { formatAge } from "../../format";
import { Segments } from "../../ui/Controls";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { ShowMore } from "../../ui/ShowMore";
import { StateDot } from "../../ui/StateDot";
import { ErrorNote, Nothing, RejectedNote, Skeleton } from "../../ui/states";
import { axesOf, axisTitles, isAlgorithmAxis } from "../comparison/axes";

const route = getRouteApi("/campaigns/$campaignId/runs");
const STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;

/** Every run of a campaign, page by page. */
export function RunsPage() {
  const { campaignId } = route.useParams();
  const { state, rejected } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: campaign } = useQuery(campaignQuery(campaignId));
  const runs = useInfiniteQuery(runsQuery(campaignId, state));
  useTitle(campaign?.name, "runs");
  if (!campaign) return null;
  const rows = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  const titles = axisTitles(campaign.axes);
  const algorithmAxes = new Set(
    axesOf(campaign.axes, rows)
      .filter(isAlgorithmAxis)
      .map((axis) => axis.name),
  );
  return (
    <section className="page-section">
      <RejectedNote rejected={rejected} onClear={() => void navigate({ search: {} })} />
      <Segments
        label="State"
        value={state ?? "all"}
        options={[
          { value: "all" as const, label: "all", count: campaign.total_runs },
          ...STATES.map((value) => ({
            value,
            label: value,
            count: campaign.runs[value],
            disabled: campaign.runs[value] === 0,
          })),
        ]}
        onChange={(value) => void navigate({ search: value === "all" ? {} : { state: value } })}
      />
      {runs.error && <ErrorNote error={runs.error} />}
      {runs.isPending ? (
        <Skeleton />
      ) : rows.length === 0 ? (
        <Nothing title="No run matches." />
      ) : (
        <ScrollRegion label="Runs">
          <table className="grid" data-testid="runs">
            <thead>
              <tr>
                <th scope="col">run</th>
                {campaign.axes.map((axis, index) => (
                  <th key={axis} scope="col">
                    {titles[index]}
                  </th>
                ))}
                <th scope="col" className="r">
                  seed
                </th>
                <th scope="col">state</th>
                <th scope="col">progress, time or failure</th>
                <th scope="col">ended</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((run) => (
                <tr key={`${run.cell_index}-${run.seed_index}`}>
                  <th scope="row" className="runs">
                    <Link to="/runs/$runId" params={{ runId: run.id }} search={{ campaign: campaign.id }} data-row>
                      {run.id.slice(0, 10)}
                    </Link>
                  </th>
                  {campaign.axes.map((axis) => (
                    <td key={axis}>
                      {algorithmAxes.has(axis) ? (
                        <AlgorithmTag name={run.coordinates[axis] ?? ""} />
                      ) : (
                        run.coordinates[axis]
                      )}
                    </td>
                  ))}
                  <td className="r">{run.seed_index}</td>
                  <td>
                    <StateDot kind={run.state} />
                  </td>
                  <td className="wrapping">
                    <Doing run={run} />
                  </td>
                  <td className="quiet">{run.ended_at ? formatAge(run.ended_at) : ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      <ShowMore list={runs} shown={rows.length} />
    </section>
  );
}

function Doing({ run }: { run: RunRow }) {
  if (run.state === "running") return <>{Math.round((100 * run.simulated_ns) / Math.max(1, run.duration_ns))} %</>;
  if (run.state === "failed") {
    return (
      <span className="error-text">
        {run.failure}: {run.message}
      </span>
    );
  }
  return run.wall_seconds === null ? null : <>{run.wall_seconds.toFixed(1)} s</>;
}
