/** Columns of flow and port records, as the simulator reported them. */

export type RecordRow = Record<string, unknown>;

export interface Column {
  name: string;
  title: string;
  unit: string;
  numeric: boolean;
}

const UNIT_ENDINGS: [RegExp, string][] = [
  [/_mbps(?=$|_)/, "Mb/s"],
  [/_pct(?=$|_)/, "%"],
  [/_ms(?=$|_)/, "ms"],
  [/_ns(?=$|_)/, "ns"],
];

/** The columns of the first records, in the simulator's order; numeric if every value is a number or missing. */
export function columnsOf(rows: readonly RecordRow[]): Column[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return names.map((name) => {
    const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
    const ending = UNIT_ENDINGS.find(([pattern]) => pattern.test(name));
    return {
      name,
      title: (ending ? name.replace(ending[0], "") : name).replaceAll("_", " "),
      unit: ending?.[1] ?? "",
      numeric: values.length > 0 && values.every((value) => typeof value === "number"),
    };
  });
}

export interface Sorting {
  column: string;
  descending: boolean;
}

/** `-goodput_mbps`: a column, descending. */
export const parseSorting = (text: string | undefined): Sorting | undefined =>
  text ? { column: text.replace(/^-/, ""), descending: text.startsWith("-") } : undefined;

/** A copy in order; missing values last. */
export function sortRows(rows: readonly RecordRow[], sorting: Sorting | undefined): RecordRow[] {
  if (!sorting) return [...rows];
  const { column, descending } = sorting;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[column], b[column]];
    if (x === undefined || x === null || y === undefined || y === null) return Number(x == null) - Number(y == null);
    const order =
      typeof x === "number" && typeof y === "number"
        ? x - y
        : String(x).localeCompare(String(y), "en", { numeric: true });
    return descending ? -order : order;
  });
}

export interface Bin {
  from: number;
  to: number;
  count: number;
}

/** Bins of equal width between the ends, as many as the square root of n, 6 to 40; one for a single value. */
export function binsOf(values: readonly number[], domain: readonly [number, number]): Bin[] {
  if (values.length === 0) return [];
  const [low, high] = domain;
  const count = low === high ? 1 : Math.min(40, Math.max(6, Math.ceil(Math.sqrt(values.length))));
  const width = (high - low) / count || 1;
  const bins = Array.from({ length: count }, (_, i) => ({
    from: low + i * width,
    to: low + (i + 1) * width,
    count: 0,
  }));
  for (const value of values) {
    const bin = bins[Math.min(count - 1, Math.max(0, Math.floor((value - low) / width)))];
    if (bin) bin.count += 1;
  }
  return bins;
}
