import { Link } from "@tanstack/react-router";
import type { Comparison } from "../../api/client";
import { ScrollRegion } from "../../ui/ScrollRegion";

/** What differs between two campaigns' configurations, before their results. */
export function DifferencesSection({
  against,
  campaign,
}: {
  against: NonNullable<Comparison["against"]>;
  campaign: string;
}) {
  return (
    <section className="sheet" data-testid="differences">
      <h2>
        Against{" "}
        <Link to="/campaigns/$campaignId/comparison" params={{ campaignId: against.campaign }} search={{}}>
          {against.name}
        </Link>{" "}
        <small>{Object.keys(against.cells).length} cells have a match</small>
      </h2>
      {against.differences.length === 0 ? (
        <p>The configurations are the same.</p>
      ) : (
        <ScrollRegion label="What differs">
          <table className="grid">
            <thead>
              <tr>
                <th scope="col">what differs</th>
                <th scope="col">{against.name}</th>
                <th scope="col">here</th>
                <th scope="col" className="r">
                  cells
                </th>
              </tr>
            </thead>
            <tbody>
              {against.differences.map((difference) => (
                <tr key={`${difference.kind} ${difference.path} ${difference.text}`} title={difference.text}>
                  <th scope="row" className="mono">
                    {difference.path || difference.kind}
                  </th>
                  <td className="wrapping">{difference.before || "–"}</td>
                  <td className="wrapping">{difference.after || "–"}</td>
                  <td className="r">{difference.cells}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      <p className="no-print">
        <Link to="/campaigns/$campaignId/comparison" params={{ campaignId: campaign }} search={{}} className="link">
          Compare with its own baseline instead
        </Link>
      </p>
    </section>
  );
}
