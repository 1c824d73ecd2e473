import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatAge, formatTime } from "../../format";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { ShowMore } from "../../ui/ShowMore";
import { ErrorNote, Skeleton } from "../../ui/states";
import { type AuditEntry, auditQuery } from "./queries";

/** Who did what to what, newest first, page by page. */
export function AuditLog() {
  const log = useInfiniteQuery(auditQuery);
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <section className="sheet">
      <h2>
        Audit log <small>newest first</small>
      </h2>
      {log.error && <ErrorNote error={log.error} />}
      {log.isPending ? (
        <Skeleton />
      ) : (
        <ScrollRegion label="Audit log">
          <table className="grid" data-testid="audit">
            <thead>
              <tr>
                <th scope="col">when</th>
                <th scope="col">who</th>
                <th scope="col">from</th>
                <th scope="col">did</th>
                <th scope="col">to</th>
                <th scope="col">details</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
      <ShowMore list={log} shown={entries.length} />
    </section>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  return (
    <tr>
      <td title={formatTime(entry.at)}>{formatAge(entry.at)}</td>
      <td>{entry.actor ?? <i className="none">the service</i>}</td>
      <td className="runs">{entry.address}</td>
      <td>{entry.action}</td>
      <td className="runs">
        <Target action={entry.action} id={entry.object} />
      </td>
      <td className="wrapping">
        {Object.entries(entry.detail)
          .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
          .join(", ")}
      </td>
    </tr>
  );
}

function Target({ action, id }: { action: string; id: string }) {
  const short = id.slice(0, 10);
  if (action.startsWith("campaign.") && action !== "campaign.delete") {
    return (
      <Link to="/campaigns/$campaignId" params={{ campaignId: id }}>
        {short}
      </Link>
    );
  }
  return action.startsWith("run.") ? (
    <Link to="/runs/$runId" params={{ runId: id }}>
      {short}
    </Link>
  ) : (
    short
  );
}
