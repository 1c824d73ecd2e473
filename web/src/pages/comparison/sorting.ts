import type { ComparedCell } from "../../api/client";
import type { Model } from "./model";

export interface Sort {
  key: string;
  descending: boolean;
}

const VERDICTS = ["better", "higher", "equivalent", "inconclusive", "lower", "worse"];

/** `-value` sorts by the metric, largest first. */
export function parseSort(text: string | undefined): Sort {
  return text?.startsWith("-") ? { key: text.slice(1), descending: true } : { key: text ?? "", descending: false };
}

/** The sort after a click on a column: ascending, descending, then as submitted. */
export function nextSort(current: Sort, key: string): string | undefined {
  if (current.key !== key) return key;
  return current.descending ? undefined : `-${key}`;
}

type Key = number | string | null;

function keyOf(cell: ComparedCell, sort: Sort, model: Model): Key {
  const metric = cell.metrics[model.metric.name];
  const axis = model.axes.find((candidate) => candidate.name === sort.key);
  if (axis) {
    const label = cell.coordinates[axis.name] ?? "";
    return axis.numbers ? (axis.numbers.get(label) ?? null) : label;
  }
  if (sort.key === "value") return metric?.estimate?.mean ?? null;
  if (sort.key === "difference")
    return metric?.against_baseline?.relative_mean ?? metric?.against_baseline?.mean ?? null;
  if (sort.key === "verdict") {
    const place = VERDICTS.indexOf(metric?.verdict?.outcome ?? "");
    return place < 0 ? null : place;
  }
  return cell.metrics[sort.key]?.estimate?.mean ?? null;
}

/** Rows by the sort's column, those without a value last; the order of submission breaks ties. */
export function sortRows(rows: readonly ComparedCell[], sort: Sort, model: Model): ComparedCell[] {
  if (sort.key === "") return [...rows];
  const keyed = rows.map((cell) => ({ cell, key: keyOf(cell, sort, model) }));
  const sign = sort.descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null)
      return Number(a.key === null) - Number(b.key === null) || a.cell.index - b.cell.index;
    const order =
      typeof a.key === "string" ? a.key.localeCompare(String(b.key), "en", { numeric: true }) : a.key - Number(b.key);
    return sign * order || a.cell.index - b.cell.index;
  });
  return keyed.map(({ cell }) => cell);
}
