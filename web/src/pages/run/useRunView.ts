import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Run } from "../../api/client";
import { flowsQuery, runQuery, siblingsQuery } from "../../api/queries";
import type { components } from "../../api/schema";
import { algorithmAxes, algorithmOf, flowAlgorithms, groupAlgorithms } from "./naming";

export const route = getRouteApi("/runs/$runId");

export type Siblings = components["schemas"]["SiblingsOut"];
export type Sibling = Siblings["runs"][number];

/** A run that others are compared with, and its name. */
export interface NamedRun {
  run: Run;
  name: string;
  coordinates: Record<string, string> | undefined;
  /** The axes of its campaign that are of algorithms. */
  axes: readonly string[];
}

export interface RunView extends NamedRun {
  siblings: Siblings | undefined;
  /** The baseline's run of the same seed; undefined if this is it, or there is none. */
  baseline: NamedRun | undefined;
  /** The run laid over and compared with: the one in the address, else the baseline's. */
  over: NamedRun | undefined;
}

/** This run with those that it is shown beside. */
export function useRunView(run: Run): RunView {
  const { campaign, over } = route.useSearch();
  const { data: siblings } = useQuery(siblingsQuery(run.id, campaign));
  const axes = useMemo(() => (siblings ? algorithmAxes(siblings.axes, siblings.runs) : []), [siblings]);
  const baseline = useNamed(siblings, axes, siblings?.is_baseline ? undefined : (siblings?.baseline_run ?? undefined));
  const chosen = useNamed(siblings, axes, over === "none" ? undefined : over);
  return useMemo(
    () => ({
      run,
      name: algorithmOf(run, siblings?.coordinates, axes),
      coordinates: siblings?.coordinates,
      axes,
      siblings,
      baseline,
      over: over === "none" ? undefined : (chosen ?? (over ? undefined : baseline)),
    }),
    [run, siblings, axes, baseline, chosen, over],
  );
}

function useNamed(
  siblings: Siblings | undefined,
  axes: readonly string[],
  id: string | undefined,
): NamedRun | undefined {
  const { data } = useQuery({ ...runQuery(id ?? ""), enabled: id !== undefined });
  return useMemo(() => {
    if (!data || id === undefined) return undefined;
    const coordinates = siblings?.runs.find((sibling) => sibling.id === data.id)?.coordinates;
    return { run: data, name: algorithmOf(data, coordinates, axes), coordinates, axes };
  }, [data, id, siblings, axes]);
}

/** The algorithm of each flow where those of groups differ; undefined where all flows have the run's. */
export function useFlowAlgorithms(named: NamedRun | undefined): ReadonlyMap<string, string> | undefined {
  const groups = useMemo(
    () => (named ? groupAlgorithms(named.run, named.coordinates, named.axes) : new Map<string, string>()),
    [named],
  );
  const { data } = useQuery({ ...flowsQuery(named?.run.id ?? ""), enabled: new Set(groups.values()).size > 1 });
  return useMemo(
    () => (data && new Set(groups.values()).size > 1 ? flowAlgorithms(data.flows, groups) : undefined),
    [data, groups],
  );
}
