import { formatValue } from "../../figures/numbers";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { useVirtualRows, VirtualBody } from "../../ui/virtualRows";
import type { Column, RecordRow, Sorting } from "./recordColumns";
import { hopName } from "./topologyModel";

interface Props {
  label: string;
  rows: readonly RecordRow[];
  columns: readonly Column[];
  heading: string;
  sorting: Sorting | undefined;
  onSort: (sort: string | undefined) => void;
}

/** Records as rows; beyond 200 only those in view are in the page. */
export function RecordTable({ label, rows, columns, heading, sorting, onSort }: Props) {
  const visible = useVirtualRows(rows.length);
  const ordered = [
    ...columns.filter(({ name }) => name === heading),
    ...columns.filter(({ name }) => name !== heading),
  ];
  return (
    <ScrollRegion ref={visible.box} className={visible.virtual ? "scroll tall" : "scroll"} label={label}>
      <table className="grid" aria-rowcount={rows.length + 1}>
        <thead className={visible.virtual ? "sticky" : undefined}>
          <tr>
            {ordered.map((column) => (
              <Heading
                key={column.name}
                column={column}
                first={column.name === heading}
                sorting={sorting}
                onSort={onSort}
              />
            ))}
          </tr>
        </thead>
        <VirtualBody rows={visible} columns={ordered.length}>
          {(index) => {
            const row = rows[index];
            return (
              row && (
                <tr key={String(row[heading] ?? index)} aria-rowindex={index + 2}>
                  {ordered.map((column) =>
                    column.name === heading ? (
                      <th key={column.name} scope="row" className="ax">
                        {String(row[column.name] ?? "")}
                      </th>
                    ) : (
                      <Cell key={column.name} column={column} value={row[column.name]} />
                    ),
                  )}
                </tr>
              )
            );
          }}
        </VirtualBody>
      </table>
    </ScrollRegion>
  );
}

function Heading({
  column,
  first,
  sorting,
  onSort,
}: {
  column: Column;
  first: boolean;
  sorting: Sorting | undefined;
  onSort: Props["onSort"];
}) {
  const on = sorting?.column === column.name;
  // numbers begin with the largest; a third press ends the sorting
  const next = !on
    ? column.numeric
      ? `-${column.name}`
      : column.name
    : sorting.descending === column.numeric
      ? column.numeric
        ? column.name
        : `-${column.name}`
      : undefined;
  return (
    <th
      scope="col"
      className={`${column.numeric ? "r" : ""}${first ? " ax" : ""}`}
      aria-sort={on ? (sorting.descending ? "descending" : "ascending") : undefined}
      title={column.name}
    >
      <button type="button" onClick={() => onSort(next)}>
        {column.title}
        {column.unit && <small>{column.unit}</small>}
        {on && <span aria-hidden="true">{sorting.descending ? " ↓" : " ↑"}</span>}
      </button>
    </th>
  );
}

function Cell({ column, value }: { column: Column; value: unknown }) {
  if (value === null || value === undefined)
    return (
      <td className={column.numeric ? "r none" : "none"} title="not reported">
        –
      </td>
    );
  if (typeof value === "number") return <td className="r">{shownNumber(value)}</td>;
  if (typeof value === "boolean") return <td>{value ? "yes" : "no"}</td>;
  if (Array.isArray(value)) {
    const hops = value.map(hopName).join(" → ");
    return (
      <td className="hops mono" title={hops}>
        {hops}
      </td>
    );
  }
  if (typeof value === "object")
    return (
      <td className="hops mono" title={JSON.stringify(value)}>
        {JSON.stringify(value)}
      </td>
    );
  return <td>{String(value)}</td>;
}

/** Nothing below a thousandth: no record is that exact. */
const shownNumber = (value: number) => (value !== 0 && Math.abs(value) < 0.0005 ? "< 0.001" : formatValue(value));
