import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { flowsQuery, portsQuery, topologyQuery } from "../../api/queries";
import { fixed, formatValue } from "../../figures/numbers";
import { TopologyMap } from "../../figures/TopologyMap";
import { FigureFrame } from "../../ui/FigureFrame";
import { Nothing, Waiting } from "../../ui/states";
import { FlowList } from "./FlowList";
import { formatSeconds, warmUpOf } from "./naming";
import { PortTimeline } from "./PortTimeline";
import { TopologyOutcome } from "./TopologyOutcome";
import {
  dropCounts,
  dropsByNode,
  hostsOf,
  linksOf,
  listedFlows,
  meanUtilization,
  ownersOf,
  type PortTimes,
} from "./topologyModel";
import { UtilizationLegend } from "./UtilizationLegend";
import { useChange } from "./useChange";
import { MOST_PORT_SERIES, usePortTimes } from "./usePortTimes";
import { type RunView, route } from "./useRunView";

const FEW_SERIES = 120;

/** The network: how busy every link was, where packets were dropped, the path of a flow; over time if recorded. */
export function TopologyTab({ view }: { view: RunView }) {
  const { run } = view;
  const topology = useQuery(topologyQuery(run.id));
  const flows = useQuery(flowsQuery(run.id));
  const ports = useQuery(portsQuery(run.id));
  if (!topology.data || !flows.data || !ports.data)
    return <Waiting error={topology.error ?? flows.error ?? ports.error} />;
  if (topology.data.nodes.length === 0)
    return (
      <Nothing title="This simulator draws no topology.">
        Its description has no x-layout for this one; see the sim image contract.
      </Nothing>
    );
  return <Network view={view} topology={topology.data} flowRows={flows.data.flows} portRows={ports.data.ports} />;
}

interface NetworkProps {
  view: RunView;
  topology: Parameters<typeof linksOf>[0];
  flowRows: Record<string, unknown>[];
  portRows: Record<string, unknown>[];
}

function Network({ view, topology, flowRows, portRows }: NetworkProps) {
  const { run } = view;
  const { at, flow } = route.useSearch();
  const change = useChange();
  const [pointed, setPointed] = useState<string | null>(null);
  const [asked, setAsked] = useState(at !== undefined);
  const recorded = run.series.filter(({ name }) => name.startsWith("link_utilization ")).length;
  const wanted = asked || (recorded > 0 && recorded <= FEW_SERIES);
  const busy = usePortTimes(run, "link_utilization", wanted);
  const lost = usePortTimes(run, "link_drops", wanted);
  const links = useMemo(() => linksOf(topology), [topology]);
  const hosts = useMemo(() => hostsOf(topology), [topology]);
  const owners = useMemo(() => ownersOf(links), [links]);
  const flows = useMemo(() => listedFlows(flowRows, topology), [flowRows, topology]);
  const step = at !== undefined && busy.loaded ? stepAt(busy.loaded, at) : undefined;
  const utilization = useMemo(
    () => (step === undefined || !busy.loaded ? meanUtilization(portRows) : valuesAt(busy.loaded, step)),
    [step, busy.loaded, portRows],
  );
  const since = warmUpOf(run);
  const drops = useMemo(() => {
    const counts = step === undefined ? dropCounts(portRows) : lost.loaded ? sumsUntil(lost.loaded, since, step) : [];
    return new Map([...dropsByNode(counts, owners)].filter(([node]) => !hosts.has(node)));
  }, [step, lost.loaded, portRows, owners, hosts, since]);
  const chosen = flows.find((one) => one.flow === (pointed ?? (flow !== undefined ? String(flow) : null)));
  const path = useMemo(() => (chosen?.path ? new Set(chosen.path) : undefined), [chosen]);
  const when =
    step === undefined || !busy.loaded
      ? `mean of the measured time, from ${formatSeconds(since)} to ${formatSeconds(run.duration_ns / 1e9)}`
      : `${fixed((busy.loaded.times[step] ?? 0) - (busy.loaded.times[0] ?? 0), 2)} s, for ${formatValue(1000 * busy.loaded.step)} ms`;
  return (
    <>
      <TopologyOutcome view={view} links={links} portRows={portRows} owners={owners} hosts={hosts} />
      <div className="network">
        <div>
          <UtilizationLegend />
          <FigureFrame
            file={`run-${run.id.slice(0, 10)}-topology`}
            caption={
              <>
                Every link is two lanes, one a direction, thicker and warmer as it is busier; a switch grows with the
                packets that its ports dropped.
                {step !== undefined &&
                  busy.loaded &&
                  busy.loaded.byPort.size < owners.size &&
                  ` Only ${busy.loaded.byPort.size} of ${owners.size} ports were recorded over time; the others are drawn as idle.`}
                {hosts.size > 100 &&
                  " Where hosts have no room, one mark stands for those of a switch, its lanes for the busiest of their links. Where there are very many links, idle ones are not drawn."}
                {step !== undefined &&
                  (lost.loaded
                    ? ` Drops are those since ${formatSeconds(since)}.`
                    : " Drops were not recorded over time.")}
              </>
            }
            table={{
              columns: ["from", "to", "port", "utilization_pct"],
              rows: links.flatMap(({ from, to, up, down }) => [
                [from, to, up, up === null ? null : (utilization.get(up) ?? null)],
                [to, from, down, down === null ? null : (utilization.get(down) ?? null)],
              ]),
            }}
          >
            {(width) => (
              <TopologyMap
                width={width}
                nodes={topology.nodes}
                links={links}
                utilization={utilization}
                drops={drops}
                path={path}
                ends={path && chosen ? [chosen.from, chosen.to] : undefined}
                label={`${topology.nodes.length} nodes and ${links.length} links: utilization of each link, drops of each switch, ${when}`}
              />
            )}
          </FigureFrame>
          <p className="when">
            <b>{when}</b>
            {at !== undefined && (
              <button type="button" className="link" onClick={() => change({ at: undefined })}>
                mean
              </button>
            )}
          </p>
          {busy.loaded ? (
            <PortTimeline data={busy.loaded} picked={step} onPick={(time) => change({ at: time })} />
          ) : recorded === 0 ? (
            <p className="quiet">
              Only the mean was recorded. For the course over time:{" "}
              <code>series: [&#123;probe: link_utilization, at: links, step: 100ms&#125;]</code>
            </p>
          ) : recorded > MOST_PORT_SERIES ? (
            <p className="quiet">
              The utilization of {recorded} ports was recorded, too many to show together; the tab Signals shows them
              one by one.
            </p>
          ) : (
            !wanted && (
              <button type="button" className="btn" onClick={() => setAsked(true)}>
                Show over time ({recorded} series)
              </button>
            )
          )}
        </div>
        <FlowList
          flows={flows}
          chosen={chosen?.flow}
          onPoint={setPointed}
          onChoose={(next) => change({ flow: next === undefined ? undefined : Number(next) })}
        />
      </div>
    </>
  );
}

const stepAt = ({ times, step }: PortTimes, at: number): number =>
  Math.min(times.length - 1, Math.max(0, Math.round((at - (times[0] ?? 0)) / step)));

const valuesAt = ({ byPort }: PortTimes, step: number): Map<string, number> =>
  new Map([...byPort].map(([port, values]) => [port, values[step] ?? 0]));

/** Counts by port from a time to a step, that step included. */
function sumsUntil({ times, byPort }: PortTimes, since: number, step: number): [string, number][] {
  return [...byPort].map(([port, values]) => [
    port,
    values.reduce((sum, value, i) => (i <= step && (times[i] ?? 0) >= since ? sum + value : sum), 0),
  ]);
}
