import { useMemo } from "react";
import { formatValue } from "../../figures/numbers";
import { FigureFrame } from "../../ui/FigureFrame";
import { Histogram } from "./Histogram";
import { RecordTable } from "./RecordTable";
import { columnsOf, parseSorting, type RecordRow, sortRows } from "./recordColumns";

interface Props {
  title: string;
  id: string;
  file: string;
  rows: RecordRow[];
  /** What the histogram shows unless a numeric column is chosen: the first of these that there is. */
  charted: string[];
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
  /** The column that names a record. */
  heading: string;
  algorithm: string;
}

/** Records as a table with the distribution of the column that it is sorted by. */
export function RecordSection({ title, id, file, rows, charted, sort, onSort, heading, algorithm }: Props) {
  const columns = useMemo(() => columnsOf(rows), [rows]);
  const sorting = parseSorting(sort);
  const sorted = useMemo(() => sortRows(rows, parseSorting(sort)), [rows, sort]);
  const numeric = columns.filter((column) => column.numeric && column.name !== heading);
  const shown =
    numeric.find(({ name }) => name === sorting?.column) ??
    charted.flatMap((name) => numeric.find((column) => column.name === name) ?? [])[0] ??
    numeric[0];
  const values = useMemo(
    () => rows.flatMap((row) => (shown && typeof row[shown.name] === "number" ? [row[shown.name] as number] : [])),
    [rows, shown],
  );
  return (
    <section className="records" aria-labelledby={id}>
      <h2 id={id}>
        {title}
        <small>{rows.length.toLocaleString("en-US")}; a heading sorts, and shows its distribution</small>
      </h2>
      {shown && values.length > 1 && (
        <FigureFrame
          file={`${file}-${shown.name}`}
          table={{
            columns: [heading, shown.name],
            rows: sorted.map((row) => [
              String(row[heading] ?? ""),
              typeof row[shown.name] === "number" ? (row[shown.name] as number) : null,
            ]),
          }}
          caption={`${values.length.toLocaleString("en-US")} ${title.toLowerCase()}: ${summary(values)}${shown.unit && ` ${shown.unit}`}.`}
        >
          {(width) => (
            <Histogram
              width={width}
              values={values}
              title={shown.title}
              unit={shown.unit}
              algorithm={algorithm}
              counted={title.toLowerCase()}
            />
          )}
        </FigureFrame>
      )}
      <RecordTable label={title} rows={sorted} columns={columns} heading={heading} sorting={sorting} onSort={onSort} />
    </section>
  );
}

function summary(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    formatValue(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  return `least ${at(0)}, median ${at(0.5)}, largest ${at(1)}`;
}
