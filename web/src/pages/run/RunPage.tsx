import "./run.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Run } from "../../api/client";
import { runQuery } from "../../api/queries";
import { useTitle } from "../../app/title";
import { ErrorNote, RejectedNote, Waiting } from "../../ui/states";
import { FlowsTab } from "./FlowsTab";
import { LogTab } from "./LogTab";
import { placeOf } from "./naming";
import { RunHead } from "./RunHead";
import { RunState } from "./RunState";
import { SignalsTab } from "./SignalsTab";
import { SpecificationTab } from "./SpecificationTab";
import { TopologyTab } from "./TopologyTab";
import { changed, useChange } from "./useChange";
import { type RunView, route, useRunView } from "./useRunView";

const TABS = [
  ["signals", "Signals"],
  ["flows", "Flows and ports"],
  ["topology", "Topology"],
  ["log", "Log"],
  ["specification", "Specification"],
] as const;
type Tab = (typeof TABS)[number][0];

/** One run: what happened in it, beside the baseline's run of the same seed. */
export function RunPage() {
  const { runId } = route.useParams();
  const { data: run, error } = useQuery(runQuery(runId));
  if (!run) return <Waiting error={error} />;
  return <LoadedRun run={run} error={error} />;
}

function LoadedRun({ run, error }: { run: Run; error: Error | null }) {
  const { tab, rejected } = route.useSearch();
  const change = useChange();
  const view = useRunView(run);
  const place = placeOf(view.coordinates, view.axes);
  useTitle(`${view.name}${place ? ` at ${place}` : ""}`, `seed ${run.seed_index}`, tab);
  const shown: Tab = tab ?? (run.state === "succeeded" ? "signals" : "log");
  return (
    <>
      <RunHead view={view} />
      <nav className="tabs" aria-label="Run">
        {TABS.map(([name, title]) => (
          <Link
            key={name}
            to="/runs/$runId"
            params={{ runId: run.id }}
            search={(old) => changed(old, { tab: name })}
            aria-current={shown === name ? "page" : undefined}
            activeOptions={{ exact: true }}
          >
            {title}
          </Link>
        ))}
      </nav>
      <div className="notices">
        <RejectedNote rejected={rejected} onClear={() => change({})} />
        {error && <ErrorNote error={error} />}
      </div>
      {run.state !== "succeeded" && <RunState run={run} />}
      {TAB_PAGES[shown](view)}
    </>
  );
}

const TAB_PAGES: Record<Tab, (view: RunView) => ReactNode> = {
  signals: (view) => <SignalsTab view={view} />,
  flows: (view) => <FlowsTab view={view} />,
  topology: (view) => <TopologyTab view={view} />,
  log: (view) => <LogTab run={view.run} />,
  specification: (view) => <SpecificationTab view={view} />,
};
