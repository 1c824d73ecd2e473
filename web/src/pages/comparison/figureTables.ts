/** The numbers of figures as tables: what the API gave, unrounded. */
import type { ComparedCell } from "../../api/client";
import type { NumberTable } from "../../ui/FigureFrame";
import type { Axis } from "./axes";

/** One row a cell: labels, mean and interval of each metric. */
export function cellsTable(
  cells: readonly ComparedCell[],
  axes: readonly Axis[],
  metrics: readonly string[],
): NumberTable {
  const ends = (name: string) => [`${name} mean`, `${name} low`, `${name} high`, `${name} n`];
  return {
    columns: [...axes.map((axis) => axis.title), ...metrics.flatMap(ends)],
    rows: cells.map((cell) => [
      ...axes.map((axis) => cell.coordinates[axis.name] ?? null),
      ...metrics.flatMap((name) => {
        const estimate = cell.metrics[name]?.estimate;
        return [estimate?.mean ?? null, estimate?.ci95?.[0] ?? null, estimate?.ci95?.[1] ?? null, estimate?.n ?? 0];
      }),
    ]),
  };
}

/** One row a cell: the difference to the baseline and the verdict. */
export function differencesTable(cells: readonly ComparedCell[], axes: readonly Axis[], metric: string): NumberTable {
  return {
    columns: [
      ...axes.map((axis) => axis.title),
      "difference",
      "low",
      "high",
      "relative",
      "relative low",
      "relative high",
      "n",
      "verdict",
    ],
    rows: cells.map((cell) => {
      const { against_baseline: difference, verdict } = cell.metrics[metric] ?? {};
      return [
        ...axes.map((axis) => cell.coordinates[axis.name] ?? null),
        difference?.mean ?? null,
        difference?.ci95?.[0] ?? null,
        difference?.ci95?.[1] ?? null,
        difference?.relative_mean ?? null,
        difference?.relative_ci95?.[0] ?? null,
        difference?.relative_ci95?.[1] ?? null,
        difference?.n ?? 0,
        verdict?.label ?? null,
      ];
    }),
  };
}

/** One row a run: labels, seed and value. */
export function seedsTable(cells: readonly ComparedCell[], axes: readonly Axis[], metric: string): NumberTable {
  return {
    columns: [...axes.map((axis) => axis.title), "seed", "value", "run"],
    rows: cells.flatMap((cell) =>
      Object.entries(cell.metrics[metric]?.values ?? {}).map(([seed, value]) => [
        ...axes.map((axis) => cell.coordinates[axis.name] ?? null),
        Number(seed),
        value,
        cell.runs[seed] ?? null,
      ]),
    ),
  };
}
