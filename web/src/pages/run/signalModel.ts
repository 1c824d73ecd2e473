/** Which series of a run are shown, and the panels that they make. */
import type { Run, Series, SeriesInfo } from "../../api/client";
import type { EventRow, SignalLine, SignalPanel } from "../../figures/SignalStack";
import { niceDomain } from "../../figures/scales";

/** `cwnd flow0`: a probe and what it observed; a series of the whole run has only the first. */
export interface SeriesName {
  probe: string;
  target: string;
}

export function splitSeries(name: string): SeriesName {
  const space = name.indexOf(" ");
  return space < 0 ? { probe: name, target: "" } : { probe: name.slice(0, space), target: name.slice(space + 1) };
}

/** Probes of ns3 in the order in which they explain a run; others follow by name. */
const ORDER = ["cwnd", "queue_length", "rtt", "goodput", "link_utilization", "link_drops", "ecn_marks"];
const TITLES: Record<string, string> = {
  cwnd: "congestion window",
  queue_length: "queue",
  rtt: "round-trip time",
  goodput: "goodput",
  link_utilization: "link utilization",
  link_drops: "drops",
  ecn_marks: "ECN marks",
};
const EVENTS = new Set(["link_drops", "ecn_marks"]);
const STEPPED = new Set(["cwnd", "goodput", "link_utilization"]);
const MOST_LINES = 2;
const MOST_PANELS = 5;
/** Below this height a panel has two ticks. */
const TALL = 138;
const LOW = 80;

export const probeTitle = (probe: string): string => TITLES[probe] ?? probe.replaceAll("_", " ");

const rank = (probe: string) => (ORDER.indexOf(probe) + ORDER.length + 1) % (ORDER.length + 1);

/** Series by probe, the probes in order, those of a probe by the number in their target. */
export function seriesByProbe(series: readonly SeriesInfo[]): Map<string, SeriesInfo[]> {
  const probes = new Map<string, SeriesInfo[]>();
  for (const info of series) {
    const { probe } = splitSeries(info.name);
    probes.set(probe, [...(probes.get(probe) ?? []), info]);
  }
  return new Map([...probes].sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b)));
}

/** The series shown unless the address names some: of each probe the two fullest, five probes at most. */
export function defaultSeries(series: readonly SeriesInfo[]): string[] {
  const chosen: string[] = [];
  let panels = 0;
  for (const [probe, all] of seriesByProbe(series)) {
    const single = all.filter(({ name }) => splitSeries(name).target !== "");
    const some = (single.length > 0 ? single : all).filter(({ maximum }) => maximum > 0 || !EVENTS.has(probe));
    if (some.length === 0 || panels === MOST_PANELS) continue;
    if (probe === "link_utilization" && panels > 2) continue;
    panels += 1;
    const fullest = some.slice(0, EVENTS.has(probe) || probe === "queue_length" ? 1 : MOST_LINES);
    chosen.push(...fullest.map(({ name }) => name).sort((a, b) => a.localeCompare(b, "en", { numeric: true })));
  }
  return chosen;
}

/** `flow 0` of `flow0`. */
export const targetLabel = (target: string): string => target.replace(/^flow(\d+)$/, "flow $1");

/** A series of one of the runs, with its values: all, or those of the visible range. */
export interface LoadedSeries {
  info: SeriesInfo;
  values: Series;
}

export interface SignalRun {
  run: Run;
  name: string;
  /** The algorithm of each flow (`flow0`) where they differ. */
  flows?: ReadonlyMap<string, string> | undefined;
  overlay: boolean;
  loaded: readonly LoadedSeries[];
}

/** One panel a probe; a flow's line has the flow's algorithm, lighter after the first with the same. Lines of the run laid over have no label, the run's own name them. */
export function panelsOf(runs: readonly SignalRun[], chosen: readonly string[]): SignalPanel[] {
  const probes = [...new Set(chosen.map((name) => splitSeries(name).probe))].sort(
    (a, b) => rank(a) - rank(b) || a.localeCompare(b),
  );
  return probes.flatMap((probe): SignalPanel[] => {
    const names = chosen.filter((name) => splitSeries(name).probe === probe);
    const parts = runs.flatMap((run) =>
      names.flatMap((name, index) => {
        const loaded = run.loaded.find(({ info }) => info.name === name);
        if (!loaded) return [];
        const { target } = splitSeries(name);
        const algorithm = run.flows?.get(target) ?? run.name;
        const earlier = names.slice(0, index).map((other) => run.flows?.get(splitSeries(other).target) ?? run.name);
        return [{ ...run, ...loaded, name: algorithm, second: earlier.includes(algorithm), target }];
      }),
    );
    const unit = parts[0]?.info.unit;
    if (unit === undefined) return [];
    const targets = [...new Set(parts.map(({ target }) => target))];
    const at = targets.length === 1 && targets[0] && !/^flow\d+$/.test(targets[0]) ? ` at ${targets[0]}` : "";
    const step = parts[0]?.info.step_ns ?? 0;
    if (EVENTS.has(probe))
      return [
        {
          kind: "events",
          title: probeTitle(probe) + at,
          unit: `${unit}, warm-up included`,
          rows: parts.map(eventRow(targets.length > 1)),
        },
      ];
    const lines = parts.map((part): SignalLine => {
      const { name, overlay, second, target, values } = part;
      return {
        name,
        label: overlay
          ? undefined
          : [name, targets.length > 1 || !at ? targetLabel(target) : ""].filter(Boolean).join(" "),
        overlay,
        second,
        times: values.times_ns.map((time) => time / 1e9),
        values: values.values,
      };
    });
    return [
      {
        kind: "lines",
        title: probeTitle(probe) + at,
        unit: step >= 50e6 && STEPPED.has(probe) && probe !== "cwnd" ? `${unit}, by ${step / 1e6} ms` : unit,
        lines,
        step: STEPPED.has(probe),
        area: probe === "queue_length" && targets.length === 1,
        height: probe === "cwnd" ? TALL : LOW,
        // of the whole run, so that zooming does not move the axis
        max: niceDomain([0, Math.max(...parts.map(({ info }) => info.maximum))], { floor: 0, count: 4 })[1],
      },
    ];
  });
}

/** Ticks where a count is above zero; the number is that of the whole run. */
const eventRow =
  (named: boolean) =>
  ({
    name,
    overlay,
    target,
    values,
    info,
  }: {
    name: string;
    overlay: boolean;
    target: string;
    values: Series;
    info: SeriesInfo;
  }): EventRow => ({
    name,
    label: named ? `${name} ${target}` : name,
    overlay,
    times: values.times_ns.filter((_, i) => (values.values[i] ?? 0) > 0).map((time) => time / 1e9),
    total: Math.round(info.mean * info.length),
  });

/** The first and last moment of the chosen series, in seconds; the whole run's without one. */
export function wholeRange(run: Pick<Run, "duration_ns">): [number, number] {
  return [0, run.duration_ns / 1e9];
}

/** The range of the address within the run; all of it if it is empty or outside. */
export function visibleRange(
  whole: readonly [number, number],
  from: number | undefined,
  to: number | undefined,
): [number, number] {
  const low = Math.max(whole[0], from ?? whole[0]);
  const high = Math.min(whole[1], to ?? whole[1]);
  return low < high ? [low, high] : [...whole];
}
