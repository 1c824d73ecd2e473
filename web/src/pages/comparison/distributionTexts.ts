import type { Distributions } from "../../api/client";

interface Pooled {
  of: Distributions["of"];
  cells: Omit<Distributions["cells"][number], "points">[];
}

/** What is distributed, as the figure's heading says it: `CDF over flows` or `CDF of packet delay`. */
export const cdfTitle = ({ of, title }: Pick<Distributions, "of" | "title">): string =>
  of === "packets" ? `CDF of ${title}` : `CDF over ${of}`;

/** How many flows or packets each cell's distribution has, and how many flows have no value. */
export function cdfCaption({ of, cells }: Pooled, label: (cell: number) => string): string {
  const counted = cells.filter(({ n_values, n_missing }) => n_values + n_missing > 0);
  const parts = counted.map(({ cell, n_values, n_missing, n_seeds }) => {
    const missing =
      n_missing > 0 ? ` (${amount(n_missing)} of ${count(n_values + n_missing, "flow")} without a value)` : "";
    return `${label(cell)} ${count(n_values, of.slice(0, -1))} of ${count(n_seeds, "seed")}${missing}`;
  });
  const pooled = of === "packets" ? "Data packets of all flows and seeds pooled" : "Flows of all seeds pooled";
  const left = counted.some(({ n_missing }) => n_missing > 0)
    ? " Flows without a value, such as unfinished transfers, are left out."
    : "";
  const empty = cells.filter((cell) => !counted.includes(cell)).map(({ cell }) => label(cell));
  const none = empty.length > 0 ? ` None of ${empty.join(", ")}.` : "";
  return `${pooled}: ${parts.join("; ")}.${none}${left}`;
}

const amount = (value: number): string => value.toLocaleString("en-US");

const count = (value: number, one: string): string => `${amount(value)} ${value === 1 ? one : `${one}s`}`;
