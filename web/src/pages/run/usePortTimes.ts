import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Run } from "../../api/client";
import { seriesQuery } from "../../api/queries";
import { splitSeries } from "./signalModel";
import type { PortTimes } from "./topologyModel";

/** Beyond this many series the page does not load them all at once. */
export const MOST_PORT_SERIES = 400;

export interface PortSeries {
  /** How many of the ports were recorded. */
  recorded: number;
  loaded: PortTimes | undefined;
}

/** The series of one probe at all ports, loaded while `wanted`. */
export function usePortTimes(run: Run, probe: string, wanted: boolean): PortSeries {
  const infos = useMemo(
    () => run.series.filter(({ name }) => splitSeries(name).probe === probe && splitSeries(name).target !== ""),
    [run.series, probe],
  );
  const some = wanted && infos.length <= MOST_PORT_SERIES ? infos : [];
  const answers = useQueries({
    queries: some.map(({ name }) => seriesQuery(run.id, name)),
    combine: (results) => ({
      data: results.map(({ data }) => data),
      ready: results.length > 0 && results.every(({ data }) => data !== undefined),
    }),
  });
  const loaded = useMemo(() => {
    const first = answers.ready ? answers.data[0] : undefined;
    if (!first) return undefined;
    const step = first.step_ns / 1e9;
    const times = Array.from(
      { length: Math.max(0, ...answers.data.map((series) => series?.length ?? 0)) },
      (_, i) => first.first_ns / 1e9 + i * step,
    );
    const byPort = new Map(
      answers.data.flatMap((series): [string, number[]][] => {
        if (!series) return [];
        const values = new Array<number>(times.length).fill(0);
        series.times_ns.forEach((time, i) => {
          values[Math.round((time - series.first_ns) / series.step_ns)] = series.values[i] ?? 0;
        });
        return [[splitSeries(series.name).target, values]];
      }),
    );
    return { times, step, byPort };
  }, [answers.ready, answers.data]);
  return { recorded: infos.length, loaded };
}
