import { Link } from "@tanstack/react-router";
import type { CellMetric, ComparedCell, Comparison } from "../../api/client";
import { AlgorithmTag } from "../../figures/marks";
import { formatInterval, formatRelative, formatSigned } from "../../figures/numbers";
import { SeedStrip } from "../../figures/SeedStrip";
import { ScrollRegion } from "../../ui/ScrollRegion";
import { Chip } from "../../ui/verdicts";
import { useVirtualRows, VirtualBody } from "../../ui/virtualRows";
import { isAlgorithmAxis } from "./axes";
import { interval, type Model, nameOf } from "./model";
import { type Sort, sortRows } from "./sorting";
import { unitOf } from "./units";

interface Props {
  comparison: Comparison;
  model: Model;
  rows: ComparedCell[];
  sort: Sort;
  onSort: (key: string) => void;
  onPick: (label: string) => void;
}

/** One row a cell: axes, the metric with its seeds and verdict, and the other metrics. */
export function CellsTable({ comparison, model, rows, sort, onSort, onPick }: Props) {
  const sorted = sortRows(rows, sort, model);
  const visible = useVirtualRows(sorted.length);
  const extent = seedExtent(sorted, model.metric.name);
  const columnCount = model.axes.length + 6 + model.columns.length;
  return (
    <ScrollRegion ref={visible.box} label="Cells" style={visible.virtual ? { maxHeight: "72vh" } : undefined}>
      <table className="grid" aria-rowcount={sorted.length + 1} data-testid="cells">
        <thead className={visible.virtual ? "sticky" : undefined}>
          <tr>
            {model.axes.map((axis, index) => (
              <Head
                key={axis.name}
                column={axis.name}
                sort={sort}
                onSort={onSort}
                className={index === 0 ? "ax" : axis.numbers ? "r" : ""}
              >
                {axis.title}
              </Head>
            ))}
            <Head column="value" sort={sort} onSort={onSort} className="r">
              {model.metric.title} <small>{unitOf(model.metric)}</small>
            </Head>
            <th scope="col">
              seeds{" "}
              <small>
                {extent &&
                  `${formatInterval({ mean: extent[0], low: null, high: null }).value} to ${formatInterval({ mean: extent[1], low: null, high: null }).value}`}
              </small>
            </th>
            <Head column="difference" sort={sort} onSort={onSort} className="r">
              against {Object.values(comparison.baseline).join(" / ") || (comparison.against?.name ?? "baseline")}
            </Head>
            <Head column="verdict" sort={sort} onSort={onSort}>
              verdict
            </Head>
            {model.columns.map((column) => (
              <Head
                key={column.name}
                column={column.name}
                sort={sort}
                onSort={onSort}
                className="r"
                title={column.definition}
              >
                {column.title} <small>{unitOf(column)}</small>
              </Head>
            ))}
            <th scope="col">runs</th>
          </tr>
        </thead>
        <VirtualBody rows={visible} columns={columnCount}>
          {(index) => {
            const cell = sorted[index];
            return (
              cell && (
                <Row
                  key={cell.index}
                  cell={cell}
                  previous={sorted[index - 1]}
                  rowIndex={index + 2}
                  campaign={comparison.campaign}
                  model={model}
                  extent={extent}
                  onPick={onPick}
                />
              )
            );
          }}
        </VirtualBody>
      </table>
    </ScrollRegion>
  );
}

function Head(props: {
  column: string;
  sort: Sort;
  onSort: (key: string) => void;
  className?: string;
  title?: string;
  children: React.ReactNode;
}) {
  const { column, sort, onSort, className, title, children } = props;
  const active = sort.key === column;
  return (
    <th
      scope="col"
      className={className}
      title={title}
      aria-sort={active ? (sort.descending ? "descending" : "ascending") : undefined}
    >
      <button type="button" onClick={() => onSort(column)}>
        {children}
        {active && <span aria-hidden="true">{sort.descending ? " ↓" : " ↑"}</span>}
      </button>
    </th>
  );
}

function Row({
  cell,
  previous,
  rowIndex,
  campaign,
  model,
  extent,
  onPick,
}: {
  cell: ComparedCell;
  previous: ComparedCell | undefined;
  rowIndex: number;
  campaign: string;
  model: Model;
  extent: [number, number] | null;
  onPick: (label: string) => void;
}) {
  const metric = cell.metrics[model.metric.name];
  const here = model.x?.name;
  const label = here ? cell.coordinates[here] : undefined;
  const first = model.axes[0]?.name ?? "";
  const newGroup =
    model.axes.length > 1 && previous !== undefined && previous.coordinates[first] !== cell.coordinates[first];
  const name = nameOf(cell, model.axes, model.axes);
  const runs = Object.values(cell.runs);
  const classes = [cell.is_baseline && "base", newGroup && "brk", label !== undefined && label === model.at && "on"];
  return (
    <tr
      className={classes.filter(Boolean).join(" ")}
      aria-rowindex={rowIndex}
      onClick={() => label !== undefined && onPick(label)}
    >
      {model.axes.map((axis, index) => (
        <AxisCell
          key={axis.name}
          first={index === 0}
          again={previous?.coordinates[axis.name] === cell.coordinates[axis.name]}
          numeric={axis.numbers !== null}
        >
          {isAlgorithmAxis(axis) ? (
            <AlgorithmTag name={cell.coordinates[axis.name] ?? ""} />
          ) : (
            (cell.coordinates[axis.name] ?? "–")
          )}
        </AxisCell>
      ))}
      <td className="r v" data-testid={`value-${cell.index}`}>
        <Estimate metric={metric} planned={cell.planned} />
      </td>
      <td>{extent && metric && <SeedStrip values={Object.values(metric.values)} domain={extent} name={name} />}</td>
      <td className="r d">
        <Against metric={metric} />
      </td>
      <td>
        {cell.is_baseline ? (
          <span className="quiet">baseline</span>
        ) : (
          metric?.verdict && <Chip label={metric.verdict.label} title={verdictTitle(metric)} />
        )}
      </td>
      {model.columns.map((column) => (
        <td key={column.name} className={`r v2 ${cell.metrics[column.name]?.verdict?.outcome ?? ""}`}>
          <Estimate metric={cell.metrics[column.name]} planned={cell.planned} />
        </td>
      ))}
      <td className="runs">
        {runs[0] && (
          <Link to="/runs/$runId" params={{ runId: runs[0] }} search={{ campaign }}>
            {runs[0].slice(0, 6)}
          </Link>
        )}
        {runs.length > 1 && ` +${runs.length - 1}`}
      </td>
    </tr>
  );
}

function AxisCell({
  first,
  again,
  numeric,
  children,
}: {
  first: boolean;
  again: boolean;
  numeric: boolean;
  children: React.ReactNode;
}) {
  const className = [first && "ax", again && "again", numeric && !first && "r"].filter(Boolean).join(" ");
  return first ? (
    <th scope="row" className={className}>
      {children}
    </th>
  ) : (
    <td className={className}>{children}</td>
  );
}

/** `12.4 ± 0.6`, and the number of seeds if some are missing. */
export function Estimate({ metric, planned }: { metric: CellMetric | undefined; planned: number }) {
  const value = interval(metric);
  if (!metric || !value) {
    return (
      <span className="none" title={metric?.missing.map((missing) => missing.reason).join("; ") || "not reported"}>
        –
      </span>
    );
  }
  const { value: mean, spread } = formatInterval(value);
  return (
    <>
      {mean}
      {spread && <i>{spread}</i>}
      {value.n < planned && <small className="quiet"> n = {value.n}</small>}
    </>
  );
}

/** The difference to the baseline: relative where there is a ratio, else in the metric's unit. */
function Against({ metric }: { metric: CellMetric | undefined }) {
  const difference = metric?.against_baseline;
  if (!difference) return null;
  if (difference.relative_mean === null) return <>{formatSigned(difference.mean, difference.half_width)}</>;
  return <>{difference.relative_mean === 0 ? "0 %" : formatRelative(1 + difference.relative_mean)}</>;
}

function verdictTitle(metric: CellMetric): string {
  const { reason, needed, p } = metric.verdict ?? {};
  const settle = needed ? `about ${needed} seeds would probably settle it` : "";
  return [reason, p != null ? `p = ${p.toPrecision(2)} (Holm)` : "", settle].filter(Boolean).join("; ");
}

/** The range of all seeds' values; from 0 where none is negative. */
function seedExtent(cells: readonly ComparedCell[], metric: string): [number, number] | null {
  const values = cells.flatMap((cell) => Object.values(cell.metrics[metric]?.values ?? {}));
  if (values.length === 0) return null;
  const low = values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return [Math.min(0, low), high];
}
