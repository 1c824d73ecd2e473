import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { flowsQuery, portsQuery } from "../../api/queries";
import { Nothing, Waiting } from "../../ui/states";
import { RecordSection } from "./RecordSection";
import { useChange } from "./useChange";
import { type RunView, route } from "./useRunView";

/** The run's flow records, and its port records. */
export function FlowsTab({ view }: { view: RunView }) {
  const { run } = view;
  const { sort } = route.useSearch();
  const change = useChange();
  const flows = useQuery(flowsQuery(run.id));
  const ports = useQuery(portsQuery(run.id));
  if (!flows.data || !ports.data) return <Waiting error={flows.error ?? ports.error} />;
  const [flowSort, portSort] = (sort ?? "").split(",");
  const onSort = (flow: string | undefined, port: string | undefined) =>
    change({ sort: flow || port ? [flow ?? "", ...(port ? [port] : [])].join(",") : undefined });
  return (
    <>
      <Part empty={flows.data.flows.length === 0} nothing="No flow records.">
        <RecordSection
          title="Flows"
          id="flows"
          file={`run-${run.id.slice(0, 10)}-flows`}
          rows={flows.data.flows}
          charted={["goodput_mbps", "completion_ms", "fct_ms"]}
          sort={flowSort || undefined}
          onSort={(next) => onSort(next, portSort)}
          heading="flow"
          algorithm={view.name}
        />
      </Part>
      <Part empty={ports.data.ports.length === 0} nothing="No port records.">
        <RecordSection
          title="Ports"
          id="ports"
          file={`run-${run.id.slice(0, 10)}-ports`}
          rows={ports.data.ports}
          charted={["utilization_pct", "drops"]}
          sort={portSort || undefined}
          onSort={(next) => onSort(flowSort, next)}
          heading="port"
          algorithm={view.name}
        />
      </Part>
    </>
  );
}

function Part({ empty, nothing, children }: { empty: boolean; nothing: string; children: ReactNode }) {
  return empty ? <Nothing title={nothing}>The simulator reports them at the end of a run.</Nothing> : children;
}
