import { type UseQueryResult, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Series, SeriesInfo } from "../../api/client";
import { seriesQuery } from "../../api/queries";
import type { LoadedSeries, SignalRun } from "./signalModel";
import { type NamedRun, useFlowAlgorithms } from "./useRunView";

export interface Signals {
  runs: SignalRun[];
  pending: boolean;
  error: Error | null;
  /** Some values are the extremes of buckets, not every sample. */
  bucketed: boolean;
}

/** The chosen series of both runs: whole, and where a range is given also its detail. */
export function useSignals(
  own: NamedRun,
  over: NamedRun | undefined,
  names: readonly string[],
  range: readonly [number, number] | null,
): Signals {
  const wanted = useMemo(() => wantedSeries(own, over, names), [own, over, names]);
  const whole = useQueries({ queries: wanted.map(({ runId, info }) => seriesQuery(runId, info.name)), combine });
  const nanoseconds = range
    ? { from_ns: Math.max(0, Math.floor(range[0] * 1e9)), to_ns: Math.ceil(range[1] * 1e9) }
    : undefined;
  const detail = useQueries({
    queries: wanted.map(({ runId, info }, i) => ({
      ...seriesQuery(runId, info.name, nanoseconds),
      // what is complete has no more detail
      enabled: nanoseconds !== undefined && whole.data[i]?.preview === true,
    })),
    combine,
  });
  const zoomed = nanoseconds !== undefined;
  const ownFlows = useFlowAlgorithms(own);
  const overFlows = useFlowAlgorithms(over);
  return useMemo(() => {
    const values = wanted.map((_, i) => {
      const all = whole.data[i];
      return zoomed && all?.preview ? (detail.data[i] ?? all) : all;
    });
    const runs = [own, ...(over ? [over] : [])].map(
      (named, place): SignalRun => ({
        run: named.run,
        name: named.name,
        flows: place === 0 ? ownFlows : overFlows,
        overlay: place === 1,
        loaded: wanted.flatMap(({ runId, info }, i): LoadedSeries[] => {
          const loaded = values[i];
          return runId === named.run.id && loaded ? [{ info, values: loaded }] : [];
        }),
      }),
    );
    return {
      runs,
      pending: whole.pending,
      error: whole.error ?? detail.error,
      bucketed: values.some((loaded) => loaded?.preview === true),
    };
  }, [wanted, own, over, ownFlows, overFlows, whole, detail, zoomed]);
}

interface Wanted {
  runId: string;
  info: SeriesInfo;
}

const wantedSeries = (own: NamedRun, over: NamedRun | undefined, names: readonly string[]): Wanted[] =>
  [own, ...(over ? [over] : [])].flatMap(({ run }) =>
    names.flatMap((name) => {
      const info = run.series.find((series) => series.name === name);
      return info ? [{ runId: run.id, info }] : [];
    }),
  );

const combine = (results: UseQueryResult<Series>[]) => ({
  data: results.map(({ data }) => data),
  pending: results.some(({ isPending }) => isPending),
  error: results.find(({ error }) => error)?.error ?? null,
});
